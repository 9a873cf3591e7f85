"""Pictures of the chapter on windows and sinks."""

from collections.abc import Sequence

import pandas as pd
import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import alibi
from pe_core.figures import cells, image
from pe_core.figures.bars import bars
from pe_core.figures.figure import Figure
from pe_core.figures.lines import Axes, lines
from pe_core.figures.palette import CATEGORICAL
from pe_core.masks import MASKS
from pe_core.measures import entropy as entropies
from pe_core.measures import reach, sinks, subtracted
from pe_core.parameters import Value

MOST_LAYERS = 12
LONGEST = 128  # tokens
LONGEST_COMPARED = 96  # tokens in the comparison of masks layer by layer
GLOBAL_EVERY = 4  # every which layer sees all
FARTHEST = 64  # distance up to which M is drawn
HIGHEST = 8.0  # largest M that is drawn
N_KEYS = tuple(round(2 ** (power / 2)) for power in range(4, 21))  # from 4 to 1,024, two steps for each doubling
TICKS = (4, 16, 64, 256, 1_024)
LOST, HEARD, SEEN = "never", "through layers", "seen directly"
COLOURS = {LOST: "#E9B872", HEARD: "#7CC4EE", SEEN: CATEGORICAL[0]}
WITH, WITHOUT = "sink in view", "sink gone"
CACHE_ROWS = ("Text: id", "Text: distance", "Cache: id", "Cache: distance")

Settings = Sequence[tuple[str, Value]]

ATTENTION = Axes("Key", "Attention", (0.0, 1.0), line="When")
COUNTS = Axes("Query", "Tokens", colours=(COLOURS[SEEN], COLOURS[HEARD]))
BY_LAYER = Axes("Layers", "Tokens that the last position can know of", dots=True)
MATRIX = Axes("Distance m − n", "Subtracted from the score, M", (0.0, HIGHEST))
KEPT = Axes("Distance m − n", "What a key keeps, exp(−M)", (0.0, 1.0))
SPREADING = Axes(
    "Number of keys n",
    "Effective number of keys",
    (1.0, 1_024.0),
    (4.0, 1_024.0),
    log_x=True,
    log_y=True,
    x_ticks=TICKS,
    y_ticks=(1, *TICKS),
    y_format=",d",
)
ALL, RULE, FORMULA = "all so far", "n (W − 1) + 1", "n / exp(σ²/2)"  # what the measured lines are compared with


def mask_and_reach(kind: str, length: int, trained: int, layers: int, settings: Settings) -> tuple[Tensor, Tensor]:
    """Return a mask of the registry, (T, T), and which token can have influenced which position after the layers."""
    mask = MASKS[kind].build(length, trained, dict(settings))
    return mask, reach.through_layers([mask] * layers)[-1]


def who_knows_whom(kind: str, length: int, trained: int, layers: int, settings: Settings) -> Figure:
    """Return the picture of the mask `kind` with its `settings`, and of what comes through so many layers."""
    mask, through = mask_and_reach(kind, length, trained, layers, settings)
    past = torch.ones_like(mask).tril()
    values = torch.full(mask.shape, torch.nan)
    for value, where in enumerate((past, through, mask)):
        values[where] = value
    words = image.Words("Query", "Key", none="lies ahead, not seen", meanings=tuple(COLOURS))
    return image.categories(
        values, COLOURS, rows="Query", columns="Key (token below)", words=words, table=lambda: _cells(values)
    )


def numbers_known(kind: str, length: int, trained: int, layers: int, settings: Settings) -> Figure:
    """Return how many keys each query sees, and of how many tokens it can know through so many layers."""
    mask, through = mask_and_reach(kind, length, trained, layers, settings)
    where = torch.arange(length)
    known = {SEEN: mask.sum(-1), HEARD: through.sum(-1)}
    return lines(where, {**known, ALL: where + 1}, COUNTS, rules=[ALL])


def text_length(window: int) -> int:
    """Return the longest text of up to 96 tokens whose last block of `window` tokens is full."""
    return LONGEST_COMPARED // window * window


def known_by_layer(window: int) -> dict[str, Tensor]:
    """Return of how many tokens the last can know after 0 .. 12 layers, (13,), for masks with the same window.

    The text has `text_length` tokens. Sinks are 4; every fourth layer of the last mask sees all.
    """
    n = text_length(window)
    local, whole = masks.sliding_window(n, window), masks.causal(n)
    kinds = {
        "blocks": [reach.blocks(n, window)] * MOST_LAYERS,
        "window": [local] * MOST_LAYERS,
        "window and 4 sinks": [masks.sinks(n, window, 4)] * MOST_LAYERS,
        "every 2nd key": [masks.dilated(n, window, 2)] * MOST_LAYERS,
        "every 4th layer full": [local if (layer + 1) % GLOBAL_EVERY else whole for layer in range(MOST_LAYERS)],
    }
    return {name: reach.through_layers(layers)[:, -1].sum(-1) for name, layers in kinds.items()}


def reach_by_layer(window: int) -> Figure:
    """Return how many tokens the last can know of, layer by layer, for masks with the same window, and the rule."""
    layers = torch.arange(MOST_LAYERS + 1)
    rule = torch.tensor([min(text_length(window), reach.rule(window, int(layer))) for layer in layers])
    return lines(layers, {**known_by_layer(window), RULE: rule}, BY_LAYER, rules=[RULE])


def last_rows(window: int, head: int, r1: float, r2: float) -> dict[str, Tensor]:
    """Return M by distance 0 .. 63, (64,), for each member of the family."""
    return {name: matrix[-1].flip(0) for name, matrix in subtracted.family(FARTHEST, window, head, r1, r2).items()}


def subtracted_matrix(window: int, head: int, r1: float, r2: float) -> Figure:
    """Return M against the distance for each member of the family; the window is a wall after its last key."""
    rows = last_rows(window, head, r1, r2)
    where = torch.arange(FARTHEST, dtype=torch.float64)
    rows["Window"] = torch.where(where == window, HIGHEST, rows["Window"])
    return lines(where, rows, MATRIX)


def weight_kept(window: int, head: int, r1: float, r2: float) -> Figure:
    """Return e^-M against the distance for each member of the family."""
    fractions = {name: subtracted.kept(row) for name, row in last_rows(window, head, r1, r2).items()}
    return lines(torch.arange(FARTHEST), fractions, KEPT)


def spreading(spread: float, trained: int, head: int) -> Figure:
    """Return the effective number of keys, e^H, as keys are added, for four ways to attend, and the formula for plain.

    `head` is one of ALiBi's 8 heads.
    """
    n_keys = torch.tensor(N_KEYS)
    measured = effective_keys(N_KEYS, spread, trained, head)
    drawn = {**measured, FORMULA: entropies.expected(n_keys, spread).exp()}
    return lines(n_keys, drawn, SPREADING, rules=[FORMULA], marks=[("training length", float(trained))])


def effective_keys(n_keys: Sequence[int], spread: float, trained: int, head: int) -> dict[str, Tensor]:
    """Return e^H for each of `n_keys`, (N,), for each way to attend; H is the mean entropy of 32 queries."""
    found = entropies.by_number_of_keys(torch.tensor(n_keys), spread, trained, slope_of(head))
    return {name: values.exp() for name, values in found.items()}


def slope_of(head: int) -> float:
    """Return the slope of one of ALiBi's 8 heads, 1 .. 8."""
    return float(alibi.slopes(subtracted.N_HEADS)[head - 1])


def sink_gone(sink: float, n_others: int) -> Figure:
    """Return the attention to a sink of this score and to other keys, and what the others get once it is gone."""
    found = sinks.row(sink, other_scores(n_others))
    keys = ["sink", *(str(place) for place in range(1, n_others + 1))]
    return bars(keys, {WITH: found.with_sink, WITHOUT: found.without}, ATTENTION, numbered=False)


def other_scores(n_others: int) -> Tensor:
    """Return the scores of the keys beside the sink, standard normal and always the same, float64 (N,)."""
    return entropies.normal_scores(n_others, 1.0)[0]


def cache_ids(step: int, window: int, n_sinks: int) -> Figure:
    """Return the ids and distances of the keys in the cache at a time step, by places in the text and in the cache."""
    found = sinks.cache(step, window, n_sinks)
    numbers = (found.in_text, found.text_distances, found.in_cache, found.cache_distances)
    rows = dict(zip(CACHE_ROWS, numbers, strict=True))
    return cells.numbers(rows, window + n_sinks, columns="Key in the cache, the query last")


def _cells(values: Tensor) -> pd.DataFrame:
    """Return one line for each cell that has a meaning: its query, its key and the meaning."""
    rows, columns = (~values.isnan()).nonzero(as_tuple=True)
    meanings = [tuple(COLOURS)[int(value)] for value in values[rows, columns]]
    return pd.DataFrame({"query": rows.numpy(), "key": columns.numpy(), "meaning": meanings})
