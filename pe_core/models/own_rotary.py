"""Models with code of their own that turn half of the channels, or some of the layers, by RoPE."""

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.layers import MAX_LAYERS
from pe_core.models.others import MAX_WIDTH, OLD_BASE, numbers
from pe_core.models.positions import LayerGroup, Rotation, plain_rope
from pe_core.models.reading import refuse

WIDTH_OF_MOIRAI = 64  # channels of a head, in its code and no field


def _rotation(top: Fields, base: float, head_dim: int, turned: int, length: int | None) -> Rotation:
    """Return RoPE without a rule on the first channels of a head; `ConfigError` for an odd number, or too many."""
    if turned % 2 or turned > head_dim:
        refuse(top.place("rotary_emb_dim"), f"be even and at most the width of a head ({head_dim})", turned)
    return plain_rope(base, head_dim, turned, length)


def moirai(top: Fields) -> Found:
    """Return what Moirai does: half of the channels turn with the time of a patch, neighbours in pairs.

    Its first version sees both ways, the second, which predicts several patches at once, only back.
    """
    width, count = top.whole("d_model", maximum=MAX_WIDTH), top.whole("num_layers", maximum=MAX_LAYERS)
    if width < WIDTH_OF_MOIRAI:
        refuse(top.place("d_model"), f"be at least {WIDTH_OF_MOIRAI}, the width of one head", width)
    length, half = top.whole("max_seq_len"), WIDTH_OF_MOIRAI // 2
    rotation = _rotation(top, OLD_BASE, WIDTH_OF_MOIRAI, half, length)
    both = not top.says("num_predict_token")
    group = LayerGroup("all layers", tuple(range(count)), both_sides=both, rotation=rotation)
    clause = f"turns the first {half} of {WIDTH_OF_MOIRAI} channels of q and k with RoPE of base {OLD_BASE:,.0f}, "
    clause += "neighbours in pairs, by the time of a patch"
    told = "A learned bias of each head tells whether two patches are of the same series: the order of series does not "
    return Found("rope", clause, length, (group,), (f"{told}count.",), "neighbours")


def hybrid(top: Fields) -> Found:
    """Return what models of mamba-ssm with some layers of attention do, and Zonos: only these may turn."""
    inner = Fields(top.object("attn_cfg") or {}, ATTENTION, f"{top.path}attn_cfg.")
    count, given = top.whole("n_layer", maximum=MAX_LAYERS), top.value("attn_layer_idx")
    if not isinstance(given, list) or any(type(one) is not int or not 0 <= one < count for one in given):
        refuse(top.place("attn_layer_idx"), f"be a list of numbers of layers from 0 to {count - 1}", given)
    attending = sorted(set(given))
    turned, heads = inner.whole("rotary_emb_dim", minimum=0), inner.whole("num_heads")
    head_dim = inner.whole_or_none("head_dim") or top.whole("d_model", maximum=MAX_WIDTH * 16) // heads
    where = f"{len(attending)} of {count} layers have attention{numbers(attending)}; the others are recurrent"
    where = f"all {count} layers have attention" if len(attending) == count else where
    if turned == 0:
        return Found("none", f"has no positional encoding; {where}", None)
    base = inner.number("rotary_emb_base", minimum=1)
    rotation = _rotation(inner, base, head_dim, turned, None)
    both = not inner.flag("causal", False)
    groups = [LayerGroup("full_attention", tuple(attending), both_sides=both, rotation=rotation)]
    groups.append(LayerGroup("mamba", tuple(i for i in range(count) if i not in set(attending))))
    which = f"all {head_dim}" if turned == head_dim else f"the first {turned} of {head_dim}"
    clause = f"turns {which} channels of q and k with RoPE of base {base:,.0f} where it has attention; {where}"
    return Found("rope", clause, None, tuple(group for group in groups if group.layers))


def retnet(top: Fields) -> Found:
    """Return what RetNet does: it turns q and k, and lowers scores with the distance, each head at its own rate."""
    own = "num_heads" in top.given  # of flash-linear-attention, others are torchscale's
    name = "num_heads" if own else "decoder_retention_heads"
    width, heads = top.whole("hidden_size" if own else "decoder_embed_dim"), top.whole(name)
    if width // heads < 2:
        refuse(top.place(name), f"be at most half of the width ({width})", heads)
    clause = f"turns q and k by RoPE of base {OLD_BASE:,.0f}, all {width // heads:,} channels of a head, "
    clause += "halves in pairs" if own else "neighbours in pairs"
    clause += f", and lowers each score by a power of the distance, another one in each of {heads:,} heads: of "
    return Found("rope", f"{clause}31/32 in the first, halving what is missing to 1 in each further one", None)


ATTENTION = {"rotary_emb_dim": 0, "rotary_emb_base": OLD_BASE, "causal": False, "head_dim": None}
OWN_ROTARY = {"moirai": Other({}, moirai), "mamba_ssm": Other({}, hybrid), "retnet": Other({}, retnet)}
