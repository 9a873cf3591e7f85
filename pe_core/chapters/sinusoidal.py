"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions.

`length` counts the positions, `width` the channels; `layout` is one of `pe_core.encodings.sinusoidal.VARIANTS`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

import torch
from torch import Tensor

from pe_core.chapters.wording import formatted, rows
from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS, Variant
from pe_core.figures import dials, heatmap, points
from pe_core.figures import waves as figures
from pe_core.figures.curves import POWERS, across, lines, marks, reach, upwards
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks import motion
from pe_core.measures import similarity as measures
from pe_core.measures.channels import channel, channels, differences, evenly, spread, unfinished
from pe_core.measures.similarity import plain_angle_matrix, shift_error
from pe_core.measures.uncertainty import spearman
from pe_core.parameters import Parameter

BASES = (*(digit * 10**power for power in range(6) for digit in (1, 2, 5)), 10**6)
MAX_DETAIL = 16  # cells a side: each is then wide enough to be pointed at
MAX_SHIFTED = 32  # channels of the matrix that are drawn: its blocks are then wide enough to be seen
MAX_LAID_OUT = 64  # positions of the layouts that are drawn and compared
MAX_GUESS = 512
FIRST = 5  # positions of the picture of the first ones
TEXT = 512  # positions of the text
SWEPT = torch.logspace(0, 6, 61, dtype=torch.float64)  # bases, one after the other
NAMED = {"small": 10, "paper": 10_000, "large": 1_000_000}
NEIGHBOUR, ORDER = "similarity of neighbours", "near before far (1: at every distance)"
FIRST_BASES = (1, 5, 10, 100)
FIRST_PAIRS = ("First pair: the only one at width 2", "Second pair, from width 4 on")
OTHER_BASES = (2, 10, 100, 10_000, 1_000_000)
OTHER_WIDTHS = (16, 64, 128, 512, 768)

BASE = Parameter("base", "Base", 10_000, "No wave is longer than 2π times the base.", choices=BASES)
WIDTH = Parameter("width", "Width", 64, "Number of channels.", 1, 768)
LENGTH = Parameter("length", "Length", 64, "Number of positions.", 1, 512)
LAYOUT = Parameter(
    "layout",
    "Layout",
    "paper",
    "The same kind of numbers in three orders: sines and cosines in turn (paper), all sines first (concatenated), "
    "or that with another ladder of frequencies (tensor2tensor).",
    choices=VARIANTS,
)
OFFSET = Parameter("offset", "Offset k", 5, "By how many positions the matrix moves.", 0, 32)


class Table(TypedDict):
    """What the controls say of the table."""

    length: int
    width: int
    base: float
    layout: Variant


def _values(length: int, width: int, base: float, layout: Variant) -> Tensor:
    """Return the table of positions 0 .. length - 1, shape (length, width)."""
    return sinusoidal.table(torch.arange(length), width, base=base, variant=layout)


def _lone_sine(width: int, layout: Variant) -> bool:
    """Return whether the last channel is a sine without its cosine."""
    return width % 2 == 1 and layout != "tensor2tensor"


def table(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the table as a picture over which a part can be dragged."""
    frequencies = sinusoidal.frequencies(width, base, variant=layout)
    odd = "facts-odd-sine" if _lone_sine(width, layout) else "facts-odd-zero"
    facts: dict[str, object] = {
        "empty": "" if len(frequencies) else "-zero",
        "one-position": "facts-one-position" if length == 1 and len(frequencies) else "",
        "odd": odd if width % 2 and len(frequencies) else "",
    }
    if len(frequencies):
        facts |= _turns(frequencies, length)
    numbers = _values(length, width, base, layout)
    return heatmap.wave_table(numbers, channels(width, base, variant=layout), selection="part").with_facts(facts)


def _turns(frequencies: Tensor, length: int) -> Facts:
    """Return how many of the pairs complete a turn within the length, and the shortest and longest wavelength."""
    found, never = sinusoidal.wavelengths(frequencies), unfinished(frequencies, length)
    return {
        "pairs": len(found),
        "unfinished": never,
        "complete": len(found) - never,
        "fastest": float(found[0]),
        "slowest": float(found[-1]),
    }


def look_where_dragged(selected: Mapping[str, Sequence[float]]) -> dict[str, object]:
    """Return what the link is to say after a part of the table was dragged over: the detail around its middle."""
    middle = {side: round(sum(selected[side]) / 2) for side in ("top", "left")}
    return {"topic": "Detail", "detail_position": middle["top"], "detail_channel": middle["left"]}


def middle(of: Literal["position", "channel"], size: int) -> Parameter[int] | None:
    """Return the control for the middle position or channel of the detail; None where all of them have room."""
    if size <= MAX_DETAIL:
        return None
    return Parameter(f"detail_{of}", f"Around {of}", 0, "Middle of the part that is shown.", 0, size - 1)


def detail(length: int, width: int, base: float, layout: Variant, position: int = 0, channel: int = 0) -> Figure:
    """Return up to 16 by 16 cells of the table around one of them."""
    down = heatmap.part_around(position, MAX_DETAIL, length)
    across = heatmap.part_around(channel, MAX_DETAIL, width)
    numbers = sinusoidal.table(torch.arange(down.start, down.stop), width, base=base, variant=layout)[:, across]
    facts = {
        "top": down.start,
        "bottom": down.stop - 1,
        "left": across.start,
        "right": across.stop - 1,
        "min": float(numbers.min()),
        "max": float(numbers.max()),
    }
    first = {"first_row": down.start, "first_column": across.start}
    return heatmap.heatmap(numbers, rows="Position", columns="Channel", title="Value", **first).with_facts(facts)


def waves(channels: Sequence[int], length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return some columns of the table as waves over the position."""
    drawn = [channel(index, width, base, variant=layout) for index in channels]
    return figures.waves(drawn, length).with_facts({"last": length - 1})


def missing(look: str, length: int, width: int, base: float, layout: Variant) -> str:
    """Return the section that says why a closer look at a table has nothing to show, "" if it has something."""
    match look:
        case "Wavelengths" | "Clock hands":
            return "" if len(sinusoidal.frequencies(width, variant=layout)) else "no-pairs"
        case "Similarity":
            return "similarity-no-pair" if width == 1 else "similarity-one-position" if length == 1 else ""
        case "Shift matrix" | "Derivation":
            return "shift-odd" if width % 2 else ""
        case "Why 10,000" | "Exercise":
            rise = measures.first_rise(measures.complete_pairs(width, base, variant=layout))
            return "exercise-none" if rise is None else ""
    return ""


def wavelengths(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the wavelength of every pair, with a line at the length of the table."""
    frequencies = sinusoidal.frequencies(width, base, variant=layout)
    return points.wavelengths(frequencies, length).with_facts(_turns(frequencies, length))


def clock_hands(width: int, base: float, layout: Variant) -> Figure:
    """Return the pairs as hands of clocks, evenly chosen where there are many."""
    frequencies = sinusoidal.frequencies(width, base, variant=layout)
    pairs = evenly(len(frequencies), dials.MAX_CLOCKS)
    degrees, turns = frequencies.rad2deg(), motion.START / sinusoidal.wavelengths(frequencies)
    facts = {
        "shown": len(pairs),
        "pairs": len(frequencies),
        "some": "clocks-some" if len(pairs) < len(frequencies) else "",
        "odd": "clocks-odd" if _lone_sine(width, layout) else "",
        "position": motion.START,
        "fastest": float(degrees[0]),
        "slowest": float(degrees[-1]),
        "max-turns": float(turns[0]),
        "min-turns": float(turns[-1]),
    }
    return dials.clocks(frequencies, pairs).with_facts(facts)


def _first_tables(bases: Sequence[float], width: int) -> list[Tensor]:
    """Return the table of the first positions for each base, float64, shape (5, width) each."""
    return [sinusoidal.table(torch.arange(FIRST), width, base=base, dtype=torch.float64) for base in bases]


def first_positions(bases: Sequence[float]) -> Figure:
    """Return the first positions on the circles of the two pairs of width 4, one column for each base."""
    tables = _first_tables(bases, 4)
    degrees = [float(sinusoidal.frequencies(4, base)[1].rad2deg()) for base in bases]
    facts = {
        "bases": ", ".join(map(str, bases)),
        "first": spread(torch.stack(_first_tables(bases, 2))),
        "second": spread(torch.stack(tables)),
        "steps": ", ".join(f"{step:.1f}" for step in degrees),
    }
    return dials.circles(tables, [f"base {base:,.10g}" for base in bases], FIRST_PAIRS).with_facts(facts)


def similarity(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the similarity of two positions against their distance, over the complete pairs."""
    pairs = measures.complete_pairs(width, base, variant=layout)
    found = measures.dot_products(torch.arange(length), pairs) / len(pairs)
    first = measures.first_rise(pairs)
    precise = sinusoidal.table(torch.arange(length), width, base=base, variant=layout, dtype=torch.float64)
    facts: dict[str, object] = {
        "from": 1 - length,
        "to": length - 1,
        "neighbour": float(found[1]),
        "min": float(found.min()),
        "rise": "similarity-later",
        "first": first,
        "rising": len(measures.rises(found)),
        "direction": "similarity-odd" if _lone_sine(width, layout) else "similarity-direction",
        "gap": measures.direction_gap(precise),
        "spread": measures.neighbour_spread(precise),
    }
    if first is not None and first < length:
        facts |= {"rise": "similarity-first", "before": float(found[first - 1]), "after": float(found[first])}
    return figures.similarity(pairs, length).with_facts(facts)


def other_tables(width: int, base: float, layout: Variant) -> Facts:
    """Return how alike neighbours are for other bases, and where the similarity first rises for other widths."""
    bases = {other: measures.complete_pairs(width, other, variant=layout) for other in OTHER_BASES}
    widths = {other: measures.complete_pairs(other, base, variant=layout) for other in OTHER_WIDTHS}
    return {
        "bases": rows(
            (f"{other:,}", formatted(measures.neighbour_cosine(pairs), ".3f")) for other, pairs in bases.items()
        ),
        "widths": rows((other, measures.first_rise(pairs)) for other, pairs in widths.items()),
    }


def shift_matrix(offset: int, width: int, base: float) -> Figure:
    """Return the first channels of the matrix that moves every position by `offset`, in the paper's layout."""
    shown = min(width, MAX_SHIFTED)
    degrees = (offset * sinusoidal.frequencies(width, base)[: shown // 2]).rad2deg()
    facts = {
        "shown": shown,
        "part": "shift-part" if shown < width else "",
        "last-shown": shown - 1,
        "first": float(degrees[0]),
        "final": float(degrees[-1]),
    }
    matrix = sinusoidal.shift_matrix(offset, width, base=base)[:MAX_SHIFTED, :MAX_SHIFTED]
    figure = heatmap.heatmap(matrix, rows="Channel of PE(p + k)", columns="Channel of PE(p)", title="Entry")
    return figure.with_facts(facts)


def shift_errors(offset: int, length: int, width: int, base: float, layout: Variant) -> Facts:
    """Return the largest error of the shift matrix over the positions of the table, and that of a common mistake."""
    matrix, plain = sinusoidal.shift_matrix(offset, width, base=base), plain_angle_matrix(offset, width)
    return {
        "last": length - 1,
        "error": shift_error(matrix, offset, length, base),
        "mistake": shift_error(plain, offset, length, base),
        "harmless": "shift-mistake-right" if torch.equal(matrix, plain) else "",
        "other-layout": "shift-layout" if layout != "paper" else "",
    }


def one_layout(length: int, width: int, base: float, layout: Variant) -> Figure:
    """Return the table of up to 64 positions in one layout, to be seen beside the others."""
    length = min(length, MAX_LAID_OUT)
    found = differences(torch.arange(length), width, base, layout)
    facts = {
        "length": length,
        "stored": found["stored"],
        "reordered": found["reordered"],
        **{f"{layout}-{name}": largest for name, largest in found.items()},
        "norms": "layouts-odd" if width % 2 else "layouts-even",
        "half": width // 2,
    }
    numbers = _values(length, width, base, layout)
    return heatmap.picture(numbers, rows="Position", columns="Channel", title="Value").with_facts(facts)


def first_rise(width: int, base: float, layout: Variant, guess: int) -> tuple[bool, Facts]:
    """Return whether the similarity rises for the first time at the distance of the guess."""
    pairs = measures.complete_pairs(width, base, variant=layout)
    products = measures.dot_products(torch.arange(MAX_GUESS + 1), pairs)
    first, found = int(measures.rises(products)[0]), products / len(pairs)
    facts: dict[str, object] = {"first": first, "nearer": first - 1, "guess-nearer": guess - 1}
    facts |= {"before": float(found[first - 1]), "after": float(found[first])}
    facts |= {"guess-before": float(found[guess - 1]), "guess-after": float(found[guess])}
    return guess == first, facts


def alike(width: int, base: float) -> tuple[float, float]:
    """Return how alike neighbours are, 1 for equal, and how well similarity tells distances apart, 1 for in order.

    The second is Spearman's correlation of similarity and nearness over the distances 0 to 511.
    """
    found = measures.dot_products(torch.arange(TEXT), measures.complete_pairs(width, base)) / (width // 2)
    return float(found[1]), float(spearman(found, torch.arange(TEXT, 0, -1)))


def by_base(width: int) -> Figure:
    """Return how alike neighbours are, and how well distances are told apart, by base, for a width of 2 or more."""
    nearby, order = torch.tensor([alike(width, float(base)) for base in SWEPT], dtype=torch.float64).T
    facts: dict[str, object] = {"text": TEXT, "pairs": width // 2}
    for name, base in NAMED.items():
        here, there = alike(width, base)
        frequencies = sinusoidal.frequencies(width, base)
        facts |= {
            f"{name}-base": base,
            f"{name}-near": here,
            f"{name}-order": there + 0.0,
            f"{name}-slowest": float(sinusoidal.wavelengths(frequencies)[-1]),
            f"{name}-still": unfinished(frequencies, TEXT),
        }
    x, y = across("Base", log=True, ticks=POWERS[4:11]), upwards("Similarity or rank correlation")
    named, paper = {NEIGHBOUR: nearby, ORDER: order}, marks([("10,000", NAMED["paper"])])
    return lines(SWEPT, named, x, y, reach(-0.4, 1), paper).with_facts(facts)


def speeds(length: int, width: int, base: float) -> Facts:
    """Return which channels are fast and which slow: the first one of a pair that never turns within the length."""
    frequencies = sinusoidal.frequencies(width, base)
    still = unfinished(frequencies, length)
    first = 2 * (len(frequencies) - still)
    which = "speeds-all-fast" if not still else "speeds-all-slow" if still == len(frequencies) else "speeds-both"
    return {"speeds": which, "last-fast": first - 1, "first-slow": first}
