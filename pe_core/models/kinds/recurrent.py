"""Models whose state-space or recurrent layers tell the order, beside attention that turns nothing, or some."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other
from pe_core.models.kinds.images_turned import base_of
from pe_core.models.kinds.rotary_heads import OLD_BASE, even
from pe_core.models.kinds.tables import MAX_NUMBERED, numbers, rope_is_ignored
from pe_core.models.positions import LayerGroup, plain_rope
from pe_core.models.reading import refuse
from pe_core.models.turning.layers import MAX_LAYERS, convolved

RECURS = "has no positional encoding: only recurrent layers tell the order"
IN_ORDER = f"{RECURS}, and the causal mask of attention layers"
JOINED = "has no positional encoding: each of its blocks joins a token with the one before it, and old ones fade"
LENGTHS = ("max_position_embeddings", "model_max_length", "context_length")
BLOCK_TYPES = ("layers_block_type", "hybrid_override_pattern", "layer_types")  # of each layer: a list, or a letter each
ATTENTION = ("attention", "full_attention", "sliding_attention", "indexed_attention", "deepseek_sparse_attention")
ATTENDING = (*ATTENTION, "hybrid", "g", "*")  # kinds that have attention


def in_order(top: Fields) -> Found:
    """Return what a model does whose state-space or recurrent layers alone tell the order."""
    name = next((name for name in LENGTHS if top.says(name)), None)
    length = top.whole_or_none(name) if name else None
    found = Found("none", f"{IN_ORDER}, if there are any", length, warnings=tuple(rope_is_ignored(top)))
    if (kinds := _blocks(top) or _of_kimi(top)) is not None:
        attending = [i for i, kind in enumerate(kinds) if kind in ATTENDING]
        told = f"{len(attending)} of {len(kinds)} layers have attention{numbers(attending)}"
        found = replace(found, clause=f"{IN_ORDER if attending else RECURS}; {told}")
    return found.also(convolved(top))


def _alone(top: Fields) -> Found:
    """Return what a model does whose layers have no attention at all."""
    return replace(in_order(top), clause=RECURS).also(convolved(top))


def _blocks(top: Fields) -> list[object] | None:
    """Return the kind of each layer as a file has it; None where it does not tell."""
    kinds = next((top.given[name] for name in BLOCK_TYPES if top.given.get(name)), None)
    if kinds is not None:
        return list(kinds) if isinstance(kinds, list | str) else None
    if "attn_layer_period" not in top.defaults:
        return None
    count, period = top.whole("num_hidden_layers", maximum=MAX_LAYERS), top.whole("attn_layer_period")
    first = top.whole("attn_layer_offset", minimum=0)
    return ["attention" if i % period == first else "mamba" for i in range(count)]


def _of_kimi(top: Fields) -> list[object] | None:
    """Return the kind of each layer by their numbers, which Kimi Linear counts from 1."""
    given, count = top.given.get("linear_attn_config"), top.given.get("num_hidden_layers")
    numbers = given.get("full_attn_layers") if isinstance(given, Mapping) else None
    if not isinstance(numbers, list) or not isinstance(count, int):
        return None
    return ["attention" if i + 1 in numbers else "linear_attention" for i in range(min(count, MAX_SIZE))]


def zamba(top: Fields) -> Found:
    """Return what Zamba does: two layers without attention, one with it, and then a period of others."""
    if not any(top.given.get(name) for name in BLOCK_TYPES):
        count, period = top.whole("num_hidden_layers", minimum=4, maximum=MAX_LAYERS), top.whole("attn_layer_period")
        first = top.whole("attn_layer_offset", minimum=0)
        kinds = ["mamba", "mamba", "hybrid"] + ["hybrid" if i % period == first else "mamba" for i in range(count - 3)]
        top = replace(top, given={**top.given, "layers_block_type": kinds})
    return in_order(top)


def _zamba2(top: Fields) -> Found:
    if not any(top.given.get(name) for name in BLOCK_TYPES):  # 54 layers, whatever num_hidden_layers says
        top = replace(top, given={**top.given, "layers_block_type": OF_ZAMBA2})
    if not top.flag("use_mem_rope", False):
        return in_order(top)
    width, heads = top.whole("hidden_size", maximum=MAX_SIZE * 16), top.whole("num_attention_heads")
    head_dim = even(2 * width // heads, width)  # its attention reads the input of the model beside the hidden states
    base, length = base_of(top), top.whole("max_position_embeddings")
    if top.flag("use_long_context", False):
        length = 16_384
    kinds = _blocks(top)
    layers = None if kinds is None else tuple(i for i, kind in enumerate(kinds) if kind in ATTENDING)
    group = LayerGroup("attention", layers, rotation=plain_rope(base, head_dim, head_dim, length))
    where = "its attention layers" if kinds is None else f"{len(layers or ())} of its {len(kinds)} layers"
    where += f" ({', '.join(map(str, layers))}, counted from 0)" if layers and len(layers) <= MAX_NUMBERED else ""
    clause = f"turns q and k of {where} with RoPE of base {base:,.0f}, all {head_dim} channels of a head"
    own = {name: top.object(name) or {} for name in ("rope_scaling", "rope_parameters")}
    rules = [name for name, one in own.items() if one.get("rope_type", one.get("type")) not in (None, "default")]
    told = tuple(f"{top.place(name)} has a rule, which this class obeys: it is not read here." for name in rules)
    if line := convolved(top):
        told += (f"{line[0].upper()}{line[1:]}.",)
    return Found("rope", clause, length, (group,), told, pairs="halves")


def phi4flash(top: Fields) -> Found:
    """Return what Phi-4-mini-flash does: no encoding, and attention in every second layer, with windows at first."""
    count, given = top.whole("num_hidden_layers", maximum=MAX_LAYERS), top.value("sliding_window")
    if isinstance(given, list):  # a window for each layer, null for one that sees all tokens
        top = replace(top, given={**top.given, "sliding_window": next((one for one in given if one), None)})
    window = top.whole_or_none("sliding_window")
    every = top.whole("mb_per_layer", minimum=0)
    attending = [i for i in range(count) if every == 0 or i % every]
    by_code = [window is not None and i % 2 for i in range(count // 2)]
    windowed = given if isinstance(given, list) else by_code
    near = tuple(i for i in attending if i < len(windowed) and windowed[i])
    shared = [i for i in attending if i >= count // 2 + 2]
    clause = f"{IN_ORDER}; {len(attending)} of {count} layers have attention"
    if near:
        clause += f"; layers {', '.join(map(str, near))} see at most {window:,} tokens"
    if shared:
        clause += f"; the last {len(shared)} layers with attention read the keys and values of layer {count // 2 + 1}"
    far = tuple(i for i in attending if i not in near)
    groups = [LayerGroup("sliding_attention", near, window), LayerGroup("full_attention", far)]
    length = top.whole("max_position_embeddings")
    return Found("none", clause, length, tuple(group for group in groups if group.layers))


def linear(top: Fields) -> Found:
    """Return what a model of flash-linear-attention does: layers that `attn` names have attention, and turn."""
    count, length = top.whole("num_hidden_layers", maximum=MAX_LAYERS), top.whole_or_none("max_position_embeddings")
    joined = f"a convolution in each reads {top['conv_size']:,} tokens at a time"
    joined *= top.flag("use_short_conv", False)
    inner = top.inside("attn", {"layers": [], "rope_theta": OLD_BASE, "window_size": None})
    given = inner.value("layers")
    if not isinstance(given, list) or any(type(one) is not int or not 0 <= one < count for one in given):
        refuse(inner.place("layers"), f"be a list of numbers of layers from 0 to {count - 1}", given)
    attending = sorted(set(given))
    if not attending:
        return Found("none", f"{RECURS}, of which it has {count}", length).also(joined or convolved(top))
    width, heads = top.whole("hidden_size", maximum=MAX_SIZE * 16), inner.whole("num_heads")
    base, head_dim, window = base_of(inner), even(width // heads, width), inner.whole_or_none("window_size")
    rotation = plain_rope(base, head_dim, head_dim, length)
    kind = "full_attention" if window is None else "sliding_attention"
    groups = [LayerGroup(kind, tuple(attending), window, rotation=rotation)]
    groups.append(LayerGroup("linear_attention", tuple(i for i in range(count) if i not in set(attending))))
    clause = f"turns all {head_dim} channels of q and k with RoPE of base {base:,.0f} where it has attention; "
    clause += f"{len(attending)} of {count} layers have attention{numbers(attending)}; the others are recurrent"
    found = Found("rope", clause, length, tuple(group for group in groups if group.layers), pairs="halves")
    return found.also(joined or convolved(top)).also(
        f"those with attention see at most {window:,} tokens" if window else ""
    )


def hybrid(top: Fields) -> Found:
    """Return what models of mamba-ssm with some layers of attention do, and Zonos: only these may turn."""
    inner = top.inside("attn_cfg", OF_MAMBA)
    count, given = top.whole("n_layer", maximum=MAX_LAYERS), top.value("attn_layer_idx")
    if not isinstance(given, list) or any(type(one) is not int or not 0 <= one < count for one in given):
        refuse(top.place("attn_layer_idx"), f"be a list of numbers of layers from 0 to {count - 1}", given)
    attending = sorted(set(given))
    turned, heads = inner.whole("rotary_emb_dim", minimum=0), inner.whole("num_heads")
    head_dim = inner.whole_or_none("head_dim") or top.whole("d_model", maximum=MAX_SIZE * 16) // heads
    where = f"{len(attending)} of {count} layers have attention{numbers(attending)}; the others are recurrent"
    where = f"all {count} layers have attention" if len(attending) == count else where
    if turned == 0:
        return Found("none", f"has no positional encoding; {where}", None)
    base = inner.number("rotary_emb_base", minimum=1)
    if turned % 2 or turned > head_dim:
        refuse(inner.place("rotary_emb_dim"), f"be even and at most the width of a head ({head_dim})", turned)
    rotation = plain_rope(base, head_dim, turned, None)
    both = not inner.flag("causal", False)
    groups = [LayerGroup("full_attention", tuple(attending), both_sides=both, rotation=rotation)]
    groups.append(LayerGroup("mamba", tuple(i for i in range(count) if i not in set(attending))))
    which = f"all {head_dim}" if turned == head_dim else f"the first {turned} of {head_dim}"
    clause = f"turns {which} channels of q and k with RoPE of base {base:,.0f} where it has attention; {where}"
    return Found("rope", clause, None, tuple(group for group in groups if group.layers))


WITH_ATTENTION = (*range(6, 43, 6), 47, 51)  # of the 54 layers that Zamba 2 has by default
OF_ZAMBA2 = ["hybrid" if i in WITH_ATTENTION else "linear_attention" for i in range(54)]
OF_MAMBA = {"rotary_emb_dim": 0, "rotary_emb_base": OLD_BASE, "causal": False, "head_dim": None}
RECURRENT: Mapping[str, Other] = {
    "glm5_next_text": Other({}, in_order).also(
        "an indexer of {index_n_heads=32} heads of {index_head_dim=128} channels picks at most {index_topk=2048:,} "
        "tokens for each, in pools of {index_kpool=16}, and learns weights of the places within a pool",
    ),
    "falcon_mamba mamba mamba2 xlstm": Other({}, _alone),
    "nemotron_h": Other({}, in_order),
    "jamba": Other({"num_hidden_layers": 32, "attn_layer_period": 8, "attn_layer_offset": 4}, in_order),
    "kimi_linear": Other({"model_max_length": 1_048_576}, in_order),
    # whose blocks have no attention at all
    "rwkv": Other({"context_length": 1024}, lambda top: replace(in_order(top), clause=JOINED)),
    "zamba": Other({"num_hidden_layers": 76, "attn_layer_period": 6, "attn_layer_offset": 4}, zamba),
    "zamba2": Other(
        {"use_long_context": False, "max_position_embeddings": 4096, "use_mem_rope": False, "rope_theta": 10_000.0}
        | {"hidden_size": 2560, "num_attention_heads": 32},
        _zamba2,
    ),
}
