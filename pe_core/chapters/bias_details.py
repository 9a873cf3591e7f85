"""Pictures of the chapter on relative biases that belong to one system: ALiBi's slips, slopes, forms; T5's buckets."""

import torch
from torch import Tensor

from pe_core.chapters.biases import D_MODEL, MOST_DISTANCES, N_HEADS
from pe_core.encodings import alibi
from pe_core.figures.bands import bars
from pe_core.figures.figure import Figure
from pe_core.figures.lines import Axes, lines
from pe_core.figures.palette import CATEGORICAL, GREY
from pe_core.figures.points import Kind, points
from pe_core.measures import bias_buckets, bias_forms, bias_rows

LAST_KEYS = 48  # of a row whose rounding is drawn
MET, UNMET = "met in training", "never met in training"
TARGET, TABLE, UNTRAINED = "ALiBi's line", "T5, bucket met in training", "T5, bucket never met"
OWN, FILLED, NAIVE = "of the power of two", "filled up", "2^(−8h/H), the slip"
DISTANCE = "Distance m − n, query minus key"
BUCKETS = Kind(MET, CATEGORICAL[0], size=24), Kind(UNMET, CATEGORICAL[4], "square", 24)
TABLE_KINDS = Kind(TABLE, CATEGORICAL[0], size=16), Kind(UNTRAINED, CATEGORICAL[4], size=16)
SLOPES = (
    Kind(NAIVE, GREY, "cross", 80),
    Kind(OWN, CATEGORICAL[0], size=80),
    Kind(FILLED, CATEGORICAL[4], "diamond", 80),
)
SLOPE_AXES = Axes(
    "Head h",
    "Slope",
    (2**-8.5, 1),
    log_y=True,
    y_ticks=tuple(2.0**-power for power in range(9)),
    y_format="datum.value < 1 ? '1/' + round(1 / datum.value) : '1'",
    line="Slope",
)
ROUNDED = Axes(
    DISTANCE,
    "Bias, less that of the own key",
    step=True,
    wide_first=True,
    colours=(GREY, CATEGORICAL[0], CATEGORICAL[4]),
    line="Of",
)
RIGHT, SLIPPED, AFTER = "−a (m − n), right", "−a (n − m), the slip", "added after the softmax"


def slips(n_keys: int, slope: float) -> Figure:
    """Return the last row of attention over keys of equal content with ALiBi's bias, and with two common slips."""
    found = {
        RIGHT: bias_rows.right_row(n_keys, slope),
        SLIPPED: bias_rows.slipped_row(n_keys, slope),
        AFTER: bias_rows.row_added_after(n_keys, slope),
    }
    return bars(found)


def buckets(n_buckets: int, max_distance: int, train_length: int) -> Figure:
    """Return T5's bucket of each distance, and which of them a text of the training length never meets."""
    distances = bucket_distances(max_distance, train_length)
    found = bias_buckets.buckets(distances, n_buckets, max_distance)
    met = bias_buckets.met(n_buckets, max_distance, train_length)
    kind_of = [MET if one else UNMET for one in met[found].tolist()]
    marks = [("training length", train_length)]
    return points(distances, found, kind_of, BUCKETS, Axes(DISTANCE, "Bucket", line="Bucket"), marks=marks)


def followed_table(n_buckets: int, max_distance: int, train_length: int, head: int, seed: int) -> Figure:
    """Return T5's bias with a table that follows ALiBi's head where training met a bucket, and is as drawn elsewhere.

    `head` of eight is counted from 1; `seed` draws the table.
    """
    distances = bucket_distances(max_distance, train_length)
    table = followed(n_buckets, max_distance, train_length, head, seed)
    found = bias_buckets.buckets(distances, n_buckets, max_distance)
    trained = bias_buckets.met(n_buckets, max_distance, train_length)[found]
    target = -alibi.slopes(N_HEADS)[head - 1] * distances
    kind_of = [TABLE if one else UNTRAINED for one in trained.tolist()]
    marks, axes = [("training length", train_length)], Axes(DISTANCE, "Bias", line="Of")
    return points(distances, table[found], kind_of, TABLE_KINDS, axes, under=(TARGET, distances, target), marks=marks)


def followed(n_buckets: int, max_distance: int, train_length: int, head: int, seed: int) -> Tensor:
    """Return that table, float64, shape (n_buckets,)."""
    drawn = torch.randn(n_buckets, N_HEADS, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    target = -alibi.slopes(N_HEADS)[head - 1] * torch.arange(train_length)
    return bias_buckets.following(target, D_MODEL**-0.5 * drawn[:, head - 1], max_distance)


def untrained_share(n_buckets: int, max_distance: int, train_length: int, head: int, seed: int) -> tuple[float, float]:
    """Return the share of attention that keys in buckets never met get, in a text of twice the training length.

    The last query, all keys of equal content: first under the bias of `followed`, then under that of ALiBi.
    """
    distances = torch.arange(2 * train_length)
    found = bias_buckets.buckets(distances, n_buckets, max_distance)
    unmet = ~bias_buckets.met(n_buckets, max_distance, train_length)[found]
    table = followed(n_buckets, max_distance, train_length, head, seed)
    line = -alibi.slopes(N_HEADS)[head - 1] * distances
    return float(table[found].softmax(-1)[unmet].sum()), float(line.softmax(-1)[unmet].sum())


def bucket_distances(max_distance: int, train_length: int) -> Tensor:
    """Return the distances that are drawn: a quarter more than the last bucket's start or the training length."""
    last = 5 * max(max_distance, train_length) // 4
    return torch.linspace(0, last, min(last + 1, 4 * MOST_DISTANCES), dtype=torch.float64).round().long()


def slopes(n_heads: int) -> Figure:
    """Return ALiBi's slope of each head, and what the formula for powers of two would give."""
    own = bias_forms.largest_power(n_heads)
    heads = torch.arange(1, n_heads + 1)
    found = torch.cat([bias_forms.geometric(n_heads), alibi.slopes(n_heads)])
    kind_of = [NAIVE] * n_heads + [OWN] * own + [FILLED] * (n_heads - own)
    return points(torch.cat([heads, heads]), found, kind_of, SLOPES, SLOPE_AXES)


def rounded_forms(n_keys: int, head: int, precision: str) -> Figure:
    """Return ALiBi's bias of the last keys of a row of `n_keys` in two forms, rounded, and as it should be."""
    slope = float(alibi.slopes(N_HEADS)[head - 1])
    exact, found = bias_forms.forms(n_keys, slope, "float64"), bias_forms.forms(n_keys, slope, precision)
    forms = {
        "exact": exact.relative,
        f"−a (m − n) in {precision}": found.relative,
        f"a n in {precision}": found.key_index,
    }
    drawn = min(n_keys, LAST_KEYS)
    own = {name: (line - line[-1])[-drawn:].flip(0) for name, line in forms.items()}
    return lines(torch.arange(drawn), own, ROUNDED)
