"""Models that read points in time or steps of a game, and no tokens of text."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.reading import refuse


def _informer(top: Fields) -> str:
    after = top.whole_or_none("prediction_length")
    before = top.whole_or_none("context_length") or after
    if before is None or after is None:
        return "adds a fixed sinusoid for each point that is read or predicted"
    return f"adds a fixed sinusoid for each of {before + after:,} points that are read or predicted, a hard limit"


def _halved(top: Fields) -> str:
    """Return what Informer does beside this: convolutions between the layers of its encoder, queries that it leaves."""
    some = top.text("attention_type") == "prob"
    told = "only some of its queries, which a sample of keys picks, look around" if some else ""
    if not top.flag("distil", True) or top.whole("encoder_layers") == 1:
        return told
    halves = "between the layers of its encoder a convolution over 3 points and a pooling halve their number"
    return "; ".join(filter(None, (halves, told)))


def _patchtst(top: Fields) -> Found:
    size, count, more = top.whole("patch_length"), _count(top), top.flag("use_cls_token", False)
    kind = top.text("positional_encoding_type")
    if kind not in ("random", "sincos"):
        refuse(top.place("positional_encoding_type"), "be random or sincos", kind)
    vector = "learned vector" if kind == "random" else "fixed sinusoid"
    clause = (
        f"adds a {vector} for each of {count:,} patches of {size:,} points" + "; another is of its class token" * more
    )
    return Found("learned" if kind == "random" else "sinusoidal", clause)


def _count(top: Fields) -> int:
    """Return how many patches a series has."""
    size = top.whole("patch_length")
    return (max(top.whole("context_length"), size) - size) // top.whole("patch_stride") + 1


def _patchtsmixer(top: Fields) -> Found:
    if not top.flag("use_positional_encoding", False):
        top.text("positional_encoding_type")  # which counts for nothing then
        points, size = top.whole("context_length"), top.whole("patch_length")
        return Found("none", f"has no positional encoding; it reads {points:,} points in patches of {size:,}")
    return _patchtst(top)


def _mixed(top: Fields) -> str:
    return f"in each layer a linear layer joins the {_count(top):,} patches, so that it knows their order"


def _cut_further(top: Fields) -> str:
    """Return how many pieces a linear layer joins in TTM, which cuts patches in all but its last group of layers."""
    first, levels = top.flag("resolution_prefix_tuning", False), top.whole("adaptive_patching_levels", minimum=0)
    levels, count, width = min(levels, MAX_LEVELS), _count(top) + first, top.whole("d_model")
    pieces = [f"{count * (2**i if width // 2**i > 4 else 1):,}" for i in reversed(range(levels))]
    told = f"in each layer a linear layer joins the {count:,} patches, so that it knows their order"
    if pieces:
        told = f"its encoder has {levels} groups of {top.whole('num_layers'):,} layers, in which a linear layer joins "
        told += f"{', '.join(pieces)} pieces of patches, so that it knows their order"
    return told + "; in front of them stands one that tells how often there is a point" * first


def _decoded(top: Fields) -> str:
    """Return what TTM does behind its encoder where it predicts, and with a series of another length."""
    if top.given.get("architectures") == ["TinyTimeMixerModel"]:
        return FIXED.format_map(top)
    clause = ""
    if top.flag("use_decoder", True):
        clause = f"its decoder has {top['decoder_num_layers']:,} such layers of all {_count(top):,} patches; "
    return f"{clause}of a longer series than {top['context_length']:,} points it reads the last, a shorter is refused"


PATCHTST = {"context_length": 32, "patch_length": 1, "patch_stride": 1, "use_cls_token": False} | {
    "positional_encoding_type": "sincos"
}
MAX_LEVELS = 20  # at which TTM cuts patches
FIXED = "a series of another length than {context_length:,} points is refused"
POINTS = says("sinusoidal", _informer, context_length=None, prediction_length=None)

OF_OWN_CODE: Mapping[str, Other] = {  # of IBM's Granite
    "tinytimemixer": Other(
        PATCHTST | {"context_length": 64, "patch_length": 8, "patch_stride": 8, "use_positional_encoding": False},
        _patchtsmixer,
    ).also(
        _cut_further,
        _decoded,
        **{"resolution_prefix_tuning": False, "adaptive_patching_levels": 0, "d_model": 16, "num_layers": 3},
        **{"use_decoder": True, "decoder_num_layers": 8},
    ),
    "tspulse": says(
        "none",
        "has no positional encoding; it reads {context_length=64:,} points in patches of {patch_length=8:,}; in each "
        "layer a linear layer joins all patches, those of time and those of frequencies, so that it knows their order",
    ),
    "flowstate": says(
        "none",
        "has no attention, and no positional encoding: {encoder_num_layers=6} recurrent layers tell the order; what it "
        "writes is a sum of functions of time; it reads {context_length=2048:,} points",
    ),
}
SERIES: Mapping[str, Other] = {
    "autoformer": POINTS.also(
        "its layers have no scores of pairs: they compare a series with itself shifted in time, and add its values "
        "rolled by the best {autocorrelation_factor=3:,} ln(length) shifts",
        "each layer takes a mean over {moving_average=25:,} points away",
    ),
    "informer": POINTS.also(_halved, attention_type="prob", distil=True, encoder_layers=2),
    "time_series_transformer": POINTS,
    "decision_transformer": says(
        "learned",
        "adds a learned vector for each of {max_ep_len=4096:,} steps of an episode, a hard limit; of the "
        "{n_positions=1024:,} rows of the table of its GPT-2 all get the first one",
    ),
    "patchtst": Other(PATCHTST, _patchtst).also(FIXED),
    "patchtsmixer": Other(
        PATCHTST | {"patch_length": 8, "patch_stride": 8, "use_positional_encoding": False}, _patchtsmixer
    ).also(_mixed, FIXED),
    "timesfm": says("none", "has no positional encoding but the causal mask")
    .unless(
        "use_positional_embedding",
        False,
        says(
            "sinusoidal",
            "adds a sinusoid of the number of each patch of {patch_length=32:,} points; the base of its sinusoids is "
            "{max_timescale=10000 // min_timescale=1:,}",
        ),
    )
    .also("it reads {context_length=512:,} points in patches of {patch_length:,}"),
}
