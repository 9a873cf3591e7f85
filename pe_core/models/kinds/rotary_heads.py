"""Models without settings of RoPE that turn channels of each head: GPT-J, RoFormer, ESM and their kin."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other
from pe_core.models.kinds.images_turned import base_of
from pe_core.models.kinds.tables import ENDS, from_padding, learned
from pe_core.models.positions import LayerGroup, Layout, plain_rope
from pe_core.models.reading import refuse
from pe_core.models.turning.layers import MAX_LAYERS

OLD_BASE = 10_000.0  # of GPT-J and CodeGen, in their code and no field
WITH_MASK = ("codet5p_module", "progen")  # types that compute their angles, and have a table of the mask
WIDTH_OF_MOIRAI = 64  # channels of a head, in its code and no field
TRUNK = {"position_bins": 32, "pairwise_state_dim": 128}


def _gptj(top: Fields) -> Found:
    encodes, own = top.given.get("is_causal") is False, top.given.get("model_type") in WITH_MASK
    width, heads = top.whole("n_embd", maximum=MAX_SIZE * 16), top.whole("n_head")
    turned, head_dim = top.whole("rotary_dim", minimum=2, maximum=MAX_SIZE), width // heads
    if turned % 2 or turned > head_dim:
        refuse("rotary_dim", f"be even and at most the width of a head ({head_dim})", turned)
    length = top.whole("n_positions")
    rotation = plain_rope(OLD_BASE, head_dim, turned, length)
    layers = tuple(range(top.whole("n_layer", maximum=MAX_LAYERS)))
    clause = f"turns the first {turned} of {head_dim} channels of q and k with RoPE of base 10,000, neighbours in pairs"
    group = LayerGroup("all layers", layers, both_sides=encodes, rotation=rotation)
    ends = f"Its causal mask has {length:,} rows, a hard limit." if own else ENDS.format("angles", length)
    return Found("rope", clause, length, (group,), () if own and encodes else (ends,), pairs="neighbours")


def even(head_dim: int, width: int, name: str = "hidden_size") -> int:
    """Return how wide a head is, which pairs can fill; `ConfigError` on the width of the model, a field, otherwise."""
    if head_dim < 2 or head_dim % 2:
        refuse(name, "give heads of an even width", width)
    return head_dim


def whole_heads(
    top: Fields,
    clause: str,
    length: int | None,
    pairs: Layout,
    *,
    base: float = OLD_BASE,
    both: bool = True,
    sizes: tuple[str, str, str] = ("hidden_size", "num_attention_heads", "num_hidden_layers"),
) -> Found:
    """Return RoPE on all channels of all heads, of a model that claims so many tokens, None where nothing tells.

    A token sees those after it, too, where it sees `both` ways; `sizes` are the fields of width, heads and layers.
    """
    width, heads = top.whole(sizes[0], maximum=MAX_SIZE * 16), top.whole(sizes[1])
    own = top.whole_or_none("head_dim", maximum=MAX_SIZE) if "head_dim" in top.defaults else None
    head_dim = even(own or width // heads, width, sizes[0])
    layers = tuple(range(top.whole(sizes[2], maximum=MAX_LAYERS)))
    rotation = plain_rope(base, head_dim, head_dim, length)
    group = LayerGroup("all layers", layers, both_sides=both, rotation=rotation)
    return Found("rope", f"{clause}, all {head_dim} channels of a head", length, (group,), pairs=pairs)


def esm(top: Fields) -> Found:
    """Return what ESM does as position_embedding_type says: a table from behind the padding token, RoPE, or nothing."""
    kind = top.text("position_embedding_type")
    if kind == "absolute":
        return learned(top) if top.value("pad_token_id") is None else from_padding(top)
    if kind != "rotary":
        return Found("none", "has no positional encoding")
    base, length = top.number("rope_theta", minimum=1), top.whole("max_position_embeddings")
    clause = f"turns q and k with RoPE of base {base:,.0f}"
    found = whole_heads(top, clause, length, "halves", base=base, both=not _decodes(top))
    ignored = [name for name in ("rope_parameters", "rope_scaling") if top.given.get(name)]
    told = [f"{top.place(name)} is ignored: this class reads rope_theta alone." for name in ignored]
    found = replace(found, warnings=tuple(told))
    if isinstance(folds := top.given.get("esmfold_config"), Mapping):
        trunk = Fields(folds.get("trunk") or {}, TRUNK, f"{top.path}esmfold_config.trunk.")
        rows, width = 2 * trunk.whole("position_bins") + 2, trunk.whole("pairwise_state_dim")
        line = f"What folds (esmfold_config) has {rows:,} learned vectors of distances in the chain, of "
        line += f"{width:,} channels."
        found = replace(found, warnings=(*found.warnings, line))
    return found


def _decodes(top: Fields) -> bool:
    return top.given.get("is_decoder") is True


def _roformer(top: Fields) -> Found:
    what = "q, k and v" if top.flag("rotary_value", False) else "q and k"
    clause = f"turns {what} with RoPE of base 10,000, neighbours in pairs, from a table"
    length = top.whole("max_position_embeddings")
    found = whole_heads(top, clause, length, "neighbours", both=not _decodes(top))
    return replace(found, warnings=(ENDS.format("angles", length),))


def _code2wav(top: Fields) -> Found:
    base, window, length = base_of(top), top.whole("sliding_window"), top.whole("max_position_embeddings")
    clause = f"lets a token see {window:,} tokens, and turns q and k with RoPE of base {base:,.0f}"
    found = whole_heads(top, clause, length, "halves", base=base, both=False)
    groups = tuple(replace(one, kind="sliding_attention", window=window) for one in found.groups)
    return replace(found, groups=groups)


def _pe_audio(top: Fields) -> Found:
    base, length = base_of(top), top.whole("max_position_embeddings")
    clause = (
        f"has two convolutions over 3 frames in front of its layers, which turn q and k with RoPE of base {base:,.0f}"
    )
    return whole_heads(top, f"{clause}, neighbours in pairs", length, "neighbours", base=base)


def _clvp_encoder(top: Fields) -> Found:
    if not top.flag("use_rotary_embedding", True):
        return Found("none", "has no positional encoding")
    width, heads = top.whole("hidden_size", maximum=MAX_SIZE * 16), top.whole("num_attention_heads")
    head_dim, turned = width // heads, max(top.whole("projection_dim") // (2 * heads), 32)
    if turned % 2 or turned > head_dim:
        refuse(top.place("projection_dim"), f"turn an even number of channels of a head, at most {head_dim}", turned)
    layers = tuple(range(top.whole("num_hidden_layers", maximum=MAX_LAYERS)))
    rotation = plain_rope(OLD_BASE, head_dim, turned, None)
    clause = f"turns the first {turned} of {head_dim} channels of q, k and v with RoPE of base 10,000"
    return Found(
        "rope", clause, None, (LayerGroup("all layers", layers, None, True, rotation=rotation),), pairs="halves"
    )


def neobert(top: Fields) -> Found:
    """Return what NeoBERT does: RoPE of base 10,000, in its code and no field, neighbours in pairs."""
    if not top.flag("rope", True):
        refuse(top.place("rope"), "be true, because what NeoBERT does without it is not known here", False)
    return _of_a_table(top)


def _of_a_table(top: Fields) -> Found:
    """Return RoPE of base 10,000 on neighbours, whose angles are those of a table that ends at the claimed length."""
    length = top.whole("max_length")
    found = whole_heads(top, OF_OLD_BASE, length, "neighbours")
    return replace(found, warnings=(ENDS.format("angles", length),))


def esm_c(top: Fields) -> Found:
    """Return what ESM++ (ESM C) does: RoPE of base 10,000, in its code and no field, halves in pairs."""
    return whole_heads(top, OF_OLD_BASE, None, "halves")


def glm2(top: Fields) -> Found:
    """Return what gLM2 does: RoPE of base 10,000, in its code and no field, halves in pairs."""
    return whole_heads(top, OF_OLD_BASE, None, "halves", sizes=("dim", "heads", "depth"))


def e1(top: Fields) -> Found:
    """Return what E1 does: most layers turn by the place in one protein, some by that among several."""
    near, far = (top.number(f"rope_theta_{name}", minimum=1) for name in ("within_seq", "global"))
    length, whole = (top.whole(f"max_num_positions_{name}") for name in ("within_seq", "global"))
    found = whole_heads(top, f"turns q and k with RoPE of base {near:,.0f}", length, "halves", base=near)
    every, [group] = top.whole("global_attention_every_n_layers", minimum=0), found.groups
    layers, rotation = group.layers or (), group.rotation
    seeing = tuple(i for i in layers if every and (i + 1) % every == 0)
    apart = replace(group, layers=tuple(i for i in layers if i not in set(seeing)))
    turned = rotation and plain_rope(far, rotation.head_dim, rotation.head_dim, whole)
    groups = (apart, replace(group, kind="global_attention", layers=seeing, rotation=turned))
    found = replace(found, groups=tuple(one for one in groups if one.layers))
    found = found.also(
        f"{len(seeing)} of {len(layers)} layers see earlier sequences, too, and turn by the place "
        f"among all, with the base {far:,.0f}"
        if seeing
        else ""
    )
    return found.also(f"the number of each of {top['max_num_sequences']:,} sequences gets a vector, which is learned")


def amplify(top: Fields) -> Found:
    """Return what AMPLIFY does: RoPE of base 10,000, in its code and no field, neighbours in pairs, from a table."""
    return _of_a_table(top)


def moirai(top: Fields) -> Found:
    """Return what Moirai does: half of the channels turn with the time of a patch, neighbours in pairs.

    Its first version sees both ways, the second, which predicts several patches at once, only back.
    """
    width, count = top.whole("d_model", maximum=MAX_SIZE), top.whole("num_layers", maximum=MAX_LAYERS)
    if width < WIDTH_OF_MOIRAI:
        refuse(top.place("d_model"), f"be at least {WIDTH_OF_MOIRAI}, the width of one head", width)
    length, half = top.whole("max_seq_len"), WIDTH_OF_MOIRAI // 2
    rotation = plain_rope(OLD_BASE, WIDTH_OF_MOIRAI, half, length)
    both = not top.says("num_predict_token")
    group = LayerGroup("all layers", tuple(range(count)), both_sides=both, rotation=rotation)
    clause = f"turns the first {half} of {WIDTH_OF_MOIRAI} channels of q and k with RoPE of base {OLD_BASE:,.0f}, "
    clause += "neighbours in pairs, by the time of a patch"
    told = "A learned bias of each head tells whether two patches are of the same series: the order of series does not "
    return Found("rope", clause, length, (group,), (f"{told}count.",), "neighbours")


OF_OLD_BASE = f"turns q and k with RoPE of base {OLD_BASE:,.0f}"
FIRST = Other({"n_positions": 2048, "n_embd": 4096, "n_head": 16, "n_layer": 28, "rotary_dim": 64}, _gptj)
PE_AUDIO = {
    "rope_theta": 20_000.0, "max_position_embeddings": 10_000, "hidden_size": 1792, "num_attention_heads": 14,
    "head_dim": 128, "num_hidden_layers": 6,
}  # fmt: skip
POCKET = {
    "rope_theta": OLD_BASE, "max_position_embeddings": 8000, "sliding_window": 250, "hidden_size": 512,
    "num_attention_heads": 8, "head_dim": None, "num_hidden_layers": 2,
}  # fmt: skip
HEADS = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12}
ROTARY_HEADS: Mapping[str, Other] = {
    **dict.fromkeys(("gptj", "codegen"), FIRST),
    "esm": Other(
        {"rope_theta": OLD_BASE, "max_position_embeddings": 1026, "position_embedding_type": "absolute", **HEADS}, esm
    ),
    "clvp_encoder": Other(
        {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 20, "projection_dim": 768}
        | {"use_rotary_embedding": True},
        _clvp_encoder,
    ),
    **dict.fromkeys(("pe_audio_encoder", "pe_audio_video_encoder"), Other(PE_AUDIO, _pe_audio)),
    **dict.fromkeys(
        (
            "pocket_tts_audio_tokenizer",
            "pocket_tts_audio_tokenizer_decoder",
            "pocket_tts_audio_tokenizer_encoder",
        ),
        Other(POCKET, _code2wav),
    ),
    "qwen3_omni_moe_code2wav": Other(
        {"rope_theta": OLD_BASE, "max_position_embeddings": 8000, "sliding_window": 72, "hidden_size": 1024}
        | {"num_attention_heads": 16, "num_hidden_layers": 8, "head_dim": None},
        _code2wav,
    ),
    "roformer": Other({"max_position_embeddings": 1536, "rotary_value": False, **HEADS}, _roformer),
}
