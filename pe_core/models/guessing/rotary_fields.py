"""Fields of RoPE by the names of any code: as which class they are read."""

import re

from pe_core.models.guessing.level import Level, like
from pe_core.models.guessing.named import FLAGS, TURNS
from pe_core.models.names import LENGTH, MAX_NAME, SYNONYMS, canonical, without
from pe_core.models.reading import Json, shown
from pe_core.models.turning.layers import MAX_LAYERS

# Fields that tell which layers have attention, or which turn, in the code of a model alone.
OF_LAYERS = re.compile(
    r"^(ssm|mamba|rwkv|linear_attn|recurrent)_|hybrid_|attn_(layer|type|every)|layer_pattern|layers?_block_type|"
    r"^block_types|mixer_type|attention_(layers|pattern|types)|^nope_|"
    r"^layer_group_size$|^full_att(ention|n)_(interval|idx)"
)
# Pairs of bases that other code has, of layers that see all tokens and of those with a window, and how often the
# first kind comes.
OF_MODERNBERT = ("global_rope_theta", "local_rope_theta")
TWO_BASES = (
    ("rope_theta_global", "rope_theta_local"),
    ("rope_base_global", "rope_base_local"),
    OF_MODERNBERT,
    ("rope_base", "rope_local_base"),
)
EVERY = ("sliding_window_pattern", "global_attn_every_n", "global_attn_every_n_layers")
FRACTIONS = ("partial_rotary_factor", *SYNONYMS["partial_rotary_factor"], "rotary_dim", *SYNONYMS["rotary_dim"])
META = {"dim", "n_heads"}
OF_AXES = {
    "axes_dim",
    "axes_dims",
    "axes_dims_rope",
    "rope_dim_list",
}  # of Flux and others, whose pairs turn with several places


def by_rotary_fields(fields: Json, why: str) -> Level:
    """Return the reading of fields of RoPE, by the names of any code, as the class that obeys most of them."""
    given = canonical(fields)
    found, kind, names = dict(given), "llama", ""
    told, count, every = [], given.get("num_hidden_layers"), given.get("sliding_window_pattern")
    if isinstance(found.get("qk_rope_head_dim"), int):
        found["head_dim"] = found.pop("qk_rope_head_dim")
        told.append("The channels counted here are qk_rope_head_dim; the others of a head, qk_nope_head_dim, stay.")
    window, kinds = given.get("sliding_window"), given.get("layer_types")
    far = given.get("global_attn_idx")  # of Hymba: the layers that see all tokens, where others have a window
    if kinds is None and isinstance(count, int) and 0 < count <= MAX_LAYERS:
        whole = far if isinstance(far, list) else []
        if isinstance(every, int) and 0 < every <= count:
            whole = [i for i in range(count) if (i + 1) % every == 0]
        if whole or isinstance(far, list):
            kinds = [f"{'full' if i in whole else 'sliding'}_attention" for i in range(count)]
    if (fraction := _fraction(given)) is not None:  # llama itself would turn all channels
        found["partial_rotary_factor"] = fraction
        found.pop("rotary_dim", None)
        kind, names = "stablelm", next((one for one in FRACTIONS if one in fields), "partial_rotary_factor")
    elif isinstance(attending := found.pop("attn_layer_idxs", None), list) and "full_attn_idxs" not in found:  # of Evo
        kind, names, found = "lfm2", "attn_layer_idxs", {**found, "full_attn_idxs": attending}
    elif given.get("no_rope_layers") or isinstance(given.get("no_rope_layer_interval"), int):
        kind, names = "smollm3", "no_rope_layers" if given.get("no_rope_layers") else "no_rope_layer_interval"
    elif isinstance(kinds, list) and "sliding_attention" in kinds and window and given.get("use_sliding_window", True):
        kind, found = "qwen2", {**found, "layer_types": kinds, "use_sliding_window": True}
        found.pop("sliding_window_pattern", None)
    elif window and fields.keys() >= META:  # Mistral's own code
        kind = "mistral"
    if type(fast := given.get("n_fast_layer")) is int:  # of Fish Speech
        told.append(f"Its {fast:,} fast layers turn by the place of a code within one step, with the same base.")
    if found.pop("use_scaled_rope", None) is True:
        told.append("use_scaled_rope stands for the rule of Llama 3.1, whose numbers are in its code and no field.")
    if window and kind not in ("mistral", "qwen2") and given.get("use_sliding_window", True):
        told.append(
            f"Whether some layers see a window of {shown(window)} tokens, as sliding_window says, is not known."
        )
    if others := [name for name in given if OF_LAYERS.search(name) and given[name] and name in found]:
        told.append(f"What {others[0][:MAX_NAME]} says of its layers is not known: some may turn nothing.")
    return like(kind, found, f"it has {names}" if names else why, *told)


def _bases(given: Json) -> tuple[str, str] | None:
    """Return the names of the two bases that fields have, None where they have not both."""
    return next((pair for pair in TWO_BASES if all(name in given for name in pair)), None)


def by_two_bases(given: Json) -> Level | None:
    """Return the reading of fields with a base for layers that see all tokens and one for those with a window."""
    pair, found = _bases(given), canonical(given)
    width, heads = found.get("hidden_size"), found.get("num_attention_heads")
    if pair is None or not isinstance(width, int) or not isinstance(heads, int) or not 0 < heads <= width:
        return None
    every = next((found.pop(name) for name in EVERY if name in found), None)
    if pair == OF_MODERNBERT:
        found = {**canonical(given), "global_attn_every_n_layers": every or 3}
        return like("modernbert", found, f"it has {pair[1]}")
    found |= {"rope_theta": given[pair[0]], "rope_local_base_freq": given[pair[1]]}
    found.setdefault("head_dim", width // heads)
    found |= {"sliding_window_pattern": every} if every is not None else {}
    own = without(found, *pair)
    return like("gemma3_text", own, f"it has {pair[1]}")


def by_base_alone(given: Json) -> Level | None:
    """Return the reading of fields with a base of RoPE, or two, that tell no width of a head; None for others."""
    pair, found = _bases(given), canonical(given)
    bases = [name for name in ("rope_theta", *SYNONYMS["rope_theta"]) if name in given and TURNS.search(name)]
    name = pair[0] if pair else next(iter(["rope_theta"] if "rope_theta" in given else bases), None)
    model = found.keys() & {"num_hidden_layers", "num_attention_heads", "vocab_size", LENGTH}
    stops = given.keys() & {"_class_name", "peft_type", "base_model_name_or_path", *OF_AXES}
    if name is None or not model or stops or any(given.get(flag) is False for flag in FLAGS):
        return None
    if "head_dim" in found and pair is None:  # the width of a head is all that a rotation needs
        width = next(one for one in ("head_dim", *SYNONYMS["head_dim"]) if one in given)
        return by_rotary_fields(given, f"it has {name} and {width}")
    own = {one: found[one] for one in (LENGTH, "sliding_window", "rope_scaling", "rope_parameters") if one in found}
    own |= {"rope_theta": given[name]} | ({"rope_local_base_freq": given[pair[1]]} if pair else {})
    told = f"it is read as RoPE of an unknown width, because it has {name}. This is a guess."
    return Level(own, "", "rope", (told,))


def _fraction(given: Json) -> float | None:
    """Return the fraction of channels that fields, by the names that they have here, turn, where it is not all."""
    fraction, turned, width = (given.get(name) for name in ("partial_rotary_factor", "rotary_dim", "head_dim"))
    inner = given.get("rope_parameters") or given.get("rope_scaling")
    if fraction is None and isinstance(inner, dict):
        fraction = inner.get("partial_rotary_factor")
    whole, heads = given.get("hidden_size"), given.get("num_attention_heads")
    if width is None and isinstance(whole, int) and isinstance(heads, int) and 0 < heads <= whole:
        width = whole // heads
    if fraction is None and isinstance(turned, int) and isinstance(width, int) and 0 < turned <= width:
        fraction = turned / width
    return fraction if isinstance(fraction, int | float) and 0 < fraction < 1 else None
