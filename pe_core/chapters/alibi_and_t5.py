"""Closer looks at two systems of relative biases: ALiBi's sign, slopes and forms, and T5's buckets."""

from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.chapters.biases import D_MODEL, MAX_DISTANCES, N_HEADS, settled
from pe_core.chapters.wording import rows
from pe_core.encodings import alibi
from pe_core.figures import bands as band_figures
from pe_core.figures.curves import across, layered, lines, marks, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks.palette import CATEGORICAL, GREY
from pe_core.figures.points import Kind, points, rows_of
from pe_core.measures import biases as measures
from pe_core.parameters import Parameter
from pe_core.wrapping import spelt

LAST_KEYS = 48  # of a row whose rounding is drawn
MET, UNMET = "met in training", "never met in training"
TARGET, TABLE, UNTRAINED = "ALiBi's line", "T5, bucket met in training", "T5, bucket never met"
OWN, FILLED, NAIVE = "of the power of two", "filled up", "2^(−8h/H), the mistake"
DISTANCE = "Distance m − n, query minus key"
BUCKET_KINDS = Kind(MET, CATEGORICAL[0], size=24), Kind(UNMET, CATEGORICAL[4], "square", 24)
TABLE_KINDS = Kind(TABLE, CATEGORICAL[0], size=16), Kind(UNTRAINED, CATEGORICAL[4], size=16)
SLOPE_KINDS = (
    Kind(NAIVE, GREY, "cross", 80),
    Kind(OWN, CATEGORICAL[0], size=80),
    Kind(FILLED, CATEGORICAL[4], "diamond", 80),
)
SLOPE_TICKS = tuple(2.0**-power for power in range(9))
SLOPE_FORM = "datum.value < 1 ? '1/' + round(1 / datum.value) : '1'"
RIGHT, MISTAKEN, AFTER = "−a (m − n), right", "−a (n − m), the mistake", "added after the softmax"

ROW_LENGTH = Parameter("bias_row", "Keys in the row", 6, "How many tokens the last query can look at.", 2, 32)
SLOPE = Parameter(
    "bias_slope",
    "Slope a",
    1.0,
    "1 shows the mistake best; with eight heads, those of ALiBi have a half and less.",
    choices=tuple(2.0**-power for power in range(8, -1, -1)),
)
N_BUCKETS = Parameter("bias_buckets", "Buckets", 32, "Into how many classes distances fall.", 4, 64, 4)
MAX_DISTANCE = Parameter(
    "bias_farthest",
    "Last bucket by",
    128,
    "From this distance on, at the latest, all keys share the last bucket.",
    choices=(32, 64, 128, 256, 512, 1_024),
)
HEADS = Parameter("bias_heads", "Heads H", 12, "Of a model; powers of two have a plain series.", 1, 32)
TEXT_LENGTH = Parameter(
    "bias_text", "Keys in the row", 4_096, "Length of the text.", choices=(64, 256, 1_024, 4_096, 16_384)
)
PRECISION = Parameter(
    "bias_format", "Numbers are kept in", "bfloat16", "The format of the bias.", choices=tuple(measures.PRECISIONS)
)


def mistakes(n_keys: int, slope: float) -> Figure:
    """Return the last row of attention over keys of equal content with ALiBi's bias, and with two common mistakes."""
    found = {
        RIGHT: measures.right_row(n_keys, slope),
        MISTAKEN: measures.mistaken_row(n_keys, slope),
        AFTER: measures.row_added_after(n_keys, slope),
    }
    facts = {
        "right-own": _weight(found[RIGHT][-1]),
        "right-first": _weight(found[RIGHT][0]),
        "mistaken-own": _weight(found[MISTAKEN][-1]),
        "mistaken-first": _weight(found[MISTAKEN][0]),
        "sum": settled(found[AFTER].sum()),
        "lowest": settled(found[AFTER][0]),
        "hidden": settled(measures.mask_added_after(n_keys).sum()),
    }
    return band_figures.bars(found).with_facts(facts)


def buckets(n_buckets: int, max_distance: int, train_length: int) -> Figure:
    """Return T5's bucket of each distance, and which of them a text of the training length never meets."""
    distances = bucket_distances(max_distance, train_length)
    found = measures.buckets(distances, n_buckets, max_distance)
    met = measures.met(n_buckets, max_distance, train_length)
    first, unmet = measures.first_distances(n_buckets, max_distance), int((~met).sum())
    last = first[n_buckets - 1]
    facts = {
        "single": n_buckets // 2,
        "wide": ", ".join(str(distance) for bucket, distance in first.items() if bucket >= n_buckets // 2),
        "last": last,
        "unmet": unmet,
        "begins": "buckets-early" if last < max_distance else "buckets-late",
        "outcome": "table-met" if met[found].all() else "table",  # a bucket may hold no distance at all
    }
    kind_of = [MET if one else UNMET for one in met[found].tolist()]
    rows, x, y = rows_of(distances, found, kind_of), across(DISTANCE), upwards("Bucket")
    trained = marks([("training length", train_length)])
    return layered(points(rows, BUCKET_KINDS, x, y, kind="Bucket"), trained).with_facts(facts)


def followed_table(n_buckets: int, max_distance: int, train_length: int, head: int) -> Figure:
    """Return T5's bias with a table that follows ALiBi's `head`, from 1, where training met a bucket."""
    distances = bucket_distances(max_distance, train_length)
    table = followed(n_buckets, max_distance, train_length, head)
    found = measures.buckets(distances, n_buckets, max_distance)
    trained = measures.met(n_buckets, max_distance, train_length)[found]
    target = -slope_of(head) * distances.double()
    learned, straight = untrained_fractions(table, max_distance, train_length, head)
    facts = {"slope": slope_of(head), "twice": 2 * train_length, "learned": learned, "straight": straight}
    kind_of, line = [TABLE if one else UNTRAINED for one in trained.tolist()], (TARGET, distances, target)
    rows, x, y = rows_of(distances, table[found], kind_of), across(DISTANCE), upwards("Bias")
    drawn = points(rows, TABLE_KINDS, x, y, kind="Of", under=line)
    return layered(drawn, marks([("training length", train_length)])).with_facts(facts)


def followed(n_buckets: int, max_distance: int, train_length: int, head: int) -> Tensor:
    """Return that table, float64, shape (n_buckets,)."""
    drawn = torch.randn(n_buckets, N_HEADS, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    target = -slope_of(head) * torch.arange(train_length).double()
    return measures.following(target, D_MODEL**-0.5 * drawn[:, head - 1], max_distance)


def untrained_fractions(table: Tensor, max_distance: int, train_length: int, head: int) -> tuple[float, float]:
    """Return the fraction of attention that keys in buckets never met get, in a text of twice the training length.

    The last query, all keys of equal content: first under the bias of `table` (n_buckets,), then under that of ALiBi.
    """
    distances = torch.arange(2 * train_length)
    found = measures.buckets(distances, len(table), max_distance)
    unmet = ~measures.met(len(table), max_distance, train_length)[found]
    line = -slope_of(head) * distances.double()
    return float(table[found].softmax(-1)[unmet].sum()), float(line.softmax(-1)[unmet].sum())


def slope_of(head: int) -> float:
    """Return the slope of one of ALiBi's eight heads, counted from 1."""
    return float(alibi.slopes(N_HEADS)[head - 1])


def bucket_distances(max_distance: int, train_length: int) -> Tensor:
    """Return the distances that are drawn: a quarter more than the last bucket's start or the training length."""
    last = 5 * max(max_distance, train_length) // 4
    return torch.linspace(0, last, min(last + 1, 4 * MAX_DISTANCES), dtype=torch.float64).round().long()


def slopes(n_heads: int) -> Figure:
    """Return ALiBi's slope of each head, and what the formula for powers of two would give."""
    own, found, plain = measures.max_power_of_two(n_heads), alibi.slopes(n_heads), measures.geometric(n_heads)
    facts = {
        "own": own,
        "rest": n_heads - own,
        "twice": 2 * own,
        "series": _listed(found[:own].tolist()),
        "filled": _listed(found[own:].tolist()),
        "off": float((plain / found).log2().abs().max().exp2()),
        "verdict": "slopes" if n_heads > own else "slopes-power",
    }
    heads, kind_of = torch.arange(1, n_heads + 1), [NAIVE] * n_heads + [OWN] * own + [FILLED] * (n_heads - own)
    both = torch.cat([heads, heads]), torch.cat([plain, found])
    y = upwards("Slope", ends=(2**-8.5, 1), log=True, ticks=SLOPE_TICKS, form=SLOPE_FORM)
    return layered(points(rows_of(*both, kind_of), SLOPE_KINDS, across("Head h"), y, kind="Slope")).with_facts(facts)


def rounded_forms(n_keys: int, head: int, precision: str) -> Figure:
    """Return ALiBi's bias of the last keys of a row of `n_keys` in two forms, rounded, and as it should be."""
    slope = slope_of(head)
    exact, _ = measures.forms(n_keys, slope, "float64")
    relative, key_index = measures.forms(n_keys, slope, precision)
    forms = {"exact": exact, f"−a (m − n) in {precision}": relative, f"a n in {precision}": key_index}
    drawn = min(n_keys, LAST_KEYS)
    own = {name: (line - line[-1])[-drawn:].flip(0) for name, line in forms.items()}
    facts = {
        "slope": slope,
        "ties": measures.ties(key_index[-drawn:]),
        "pairs": drawn - 1,
        "largest": slope * (n_keys - 1),
    }
    x, y = across(DISTANCE), upwards("Bias, less that of the own key")
    colours = GREY, CATEGORICAL[0], CATEGORICAL[4]
    picture = lines(torch.arange(drawn), own, x, y, step=True, wide_first=True, colours=colours, line="Of")
    return picture.with_facts(facts)


def form_errors(n_keys: int, head: int, precision: str) -> Facts:
    """Return by how much a weight is off at most in either form, in each format, as rows of a table."""
    slope, errors = slope_of(head), {}
    for name in measures.PRECISIONS:
        # less than the last digit of a weight near 1 is no error
        errors[name] = [round(measures.error(f, n_keys, slope), 16) for f in measures.forms(n_keys, slope, name)]
    cells = ((name, spelt(relative, ".2g"), spelt(key_index, ".2g")) for name, (relative, key_index) in errors.items())
    return {"same": errors["float64"][1], "off": errors[precision][1], "rows": rows(cells)}


def _weight(value: Tensor) -> str:
    return spelt(float(value), ".3f" if value >= 5e-4 else ".0e")


def _listed(values: Sequence[float]) -> str:
    """Slopes in words: as a fraction where they are one over a whole number."""
    return ", ".join(f"1/{1 / value:.0f}" if (1 / value).is_integer() else f"{value:.4f}" for value in values)
