"""Models that read points in time or steps of a game, and no tokens of text."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.reading import refuse


def points(top: Fields) -> Found:
    """Return what Informer and its kin do: a fixed sinusoid for each point that is read or predicted."""
    after = top.whole_or_none("prediction_length")
    before = top.whole_or_none("context_length") or after
    if before is None or after is None:
        return Found("sinusoidal", "adds a fixed sinusoid for each point that is read or predicted", None)
    length = before + after
    clause = f"adds a fixed sinusoid for each of {length:,} points that are read or predicted, a hard limit"
    return Found("sinusoidal", clause, None)


def of_patches(top: Fields) -> Found:
    """Return what PatchTST does: a table with a row for each patch of points."""
    length, size = top.whole("context_length"), top.whole("patch_length")
    count = (max(length, size) - size) // top.whole("patch_stride") + 1
    more = 1 if top.flag("use_cls_token", False) else 0
    kind = top.text("positional_encoding_type")
    if kind not in ("random", "sincos"):
        refuse(top.place("positional_encoding_type"), "be random or sincos", kind)
    if kind == "random":
        return Found("learned", f"adds a learned vector for each of {count + more:,} patches of {size:,} points", None)
    return Found("sinusoidal", f"adds a fixed sinusoid for each of {count + more:,} patches of {size:,} points", None)


def mixed(top: Fields) -> Found:
    """Return what PatchTSMixer does, which mixes patches by their places, and may have a table as PatchTST has."""
    if not top.flag("use_positional_encoding", False):
        points, size = top.whole("context_length"), top.whole("patch_length")
        top.text("positional_encoding_type")  # which counts for nothing then
        return Found("none", f"has no positional encoding; it reads {points:,} points in patches of {size:,}", None)
    return of_patches(top)


def timesfm(top: Fields) -> Found:
    """Return what TimesFM does: sinusoids of patches of points, of which more are computed where they are needed."""
    size, length = top.whole("patch_length"), top.whole("context_length")
    read = f"it reads {length:,} points in patches of {size:,}"
    if not top.flag("use_positional_embedding", False):
        return Found("none", f"has no positional encoding but the causal mask; {read}", None)
    return Found("sinusoidal", f"adds a sinusoid of the number of each patch of {size:,} points; {read}", None)


def steps(top: Fields) -> Found:
    """Return what the Decision Transformer does: a table of steps; of that of its GPT-2 one row is used alone."""
    count, rows = top.whole("max_ep_len"), top.whole("n_positions")
    clause = f"adds a learned vector for each of {count:,} steps of an episode, a hard limit; of the {rows:,} rows of "
    return Found("learned", f"{clause}the table of its GPT-2 all get the first one", None)


PATCHTST = {"context_length": 32, "patch_length": 1, "patch_stride": 1, "use_cls_token": False} | {
    "positional_encoding_type": "sincos"
}
POINTS = Other({"context_length": None, "prediction_length": None}, points)

SERIES: Mapping[str, Other] = {
    **dict.fromkeys(("autoformer", "informer", "time_series_transformer"), POINTS),
    "decision_transformer": Other({"max_ep_len": 4096, "n_positions": 1024}, steps),
    "patchtst": Other(PATCHTST, of_patches),
    "patchtsmixer": Other(PATCHTST | {"patch_length": 8, "patch_stride": 8, "use_positional_encoding": False}, mixed),
    "timesfm": Other({"use_positional_embedding": False, "patch_length": 32, "context_length": 512}, timesfm),
}
