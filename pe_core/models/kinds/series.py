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


def _patchtst(top: Fields) -> Found:
    length, size = top.whole("context_length"), top.whole("patch_length")
    count = (max(length, size) - size) // top.whole("patch_stride") + 1
    more = 1 if top.flag("use_cls_token", False) else 0
    kind = top.text("positional_encoding_type")
    if kind not in ("random", "sincos"):
        refuse(top.place("positional_encoding_type"), "be random or sincos", kind)
    vector = "learned vector" if kind == "random" else "fixed sinusoid"
    clause = f"adds a {vector} for each of {count + more:,} patches of {size:,} points"
    return Found("learned" if kind == "random" else "sinusoidal", clause)


def _patchtsmixer(top: Fields) -> Found:
    if not top.flag("use_positional_encoding", False):
        points, size = top.whole("context_length"), top.whole("patch_length")
        top.text("positional_encoding_type")  # which counts for nothing then
        return Found("none", f"has no positional encoding; it reads {points:,} points in patches of {size:,}")
    return _patchtst(top)


PATCHTST = {"context_length": 32, "patch_length": 1, "patch_stride": 1, "use_cls_token": False} | {
    "positional_encoding_type": "sincos"
}
POINTS = says("sinusoidal", _informer, context_length=None, prediction_length=None)

SERIES: Mapping[str, Other] = {
    "autoformer informer time_series_transformer": POINTS,
    "decision_transformer": says(
        "learned",
        "adds a learned vector for each of {max_ep_len=4096:,} steps of an episode, a hard limit; of the "
        "{n_positions=1024:,} rows of the table of its GPT-2 all get the first one",
    ),
    "patchtst": Other(PATCHTST, _patchtst),
    "patchtsmixer": Other(
        PATCHTST | {"patch_length": 8, "patch_stride": 8, "use_positional_encoding": False}, _patchtsmixer
    ),
    "timesfm": says("none", "has no positional encoding but the causal mask")
    .unless(
        "use_positional_embedding",
        False,
        says("sinusoidal", "adds a sinusoid of the number of each patch of {patch_length=32:,} points"),
    )
    .also("it reads {context_length=512:,} points in patches of {patch_length:,}"),
}
