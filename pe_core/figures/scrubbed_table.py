"""Bits and sinusoid of the same positions: as one table, with one outline in both, and as waves, a lane for a bit."""

from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures import heatmap, readout
from pe_core.figures.curves import across, along
from pe_core.figures.figure import Figure, built_once, chart_of, renamed
from pe_core.figures.image import data_uri
from pe_core.figures.looks import motion
from pe_core.figures.looks.in_order import in_order
from pe_core.figures.looks.palette import CATEGORICAL, DIVERGING, GROWTH, INK, PAPER, area, grown, inked, on_ground
from pe_core.measures import jumps
from pe_core.wrapping import spelt

AT = "at_position"  # the signal of the position that is marked
WAVES = "waves_shown"  # the signal of the switch of the waves over the table
FIRST_LOOK = 7  # the position that is marked at first: the step to the next one flips four bits
HEADER = 0.18  # part of the picture's height for the text over the table: four lines
MIN_HEADER = 32  # pixels of it, in which two lines stand
MAX_LABELS = 16  # columns that a phone can number; with more of them, only every second or third has its number
MAX_SWINGS = 32  # a wave that swings more often within the table is left out, since its strokes would touch
# Heights of the picture, in pixels, that have room for four lines over the table, and for three.
FOUR_LINES, THREE_LINES = 340, 260
TITLE = 105  # pixels of the longest of the bits
NUMBER = 31  # pixels of one of them with its space; what has no room is left out whole
BESIDE = 215  # pixels of the heading, where the numbers of the position stand beside it and not below
KINDS = ("bit", "sinusoid")
COLOURS = (CATEGORICAL[4], CATEGORICAL[0])
WORDS, SQUARE, SINE = 0.1, 0.44, 0.79  # where a lane of height 1 has its words and the middles of its two waves
HALF = 0.13  # of the height of a wave
AT_ENDS = 6  # points of a sine before its first turn and after its last one
_HEADS = {
    "lane": "Bit",
    "period": "Period (positions)",
    "pair": "Pair",
    "wavelength": "Wavelength (positions)",
    "frequency": "Frequency (rad per position)",
}
AMPLITUDE = 0.42  # of a wave, in columns, so that neighbouring waves keep apart
SAMPLES = 5  # of a wave, per turn, between which the line is rounded


def twin_table(codes: Tensor, vectors: Tensor, frequencies: Tensor) -> Figure:
    """Return bits `codes` (T, K) on the left, sinusoids `vectors` (T, D) with `frequencies` (D / 2,) on the right."""
    (n_positions, n_bits), dim = codes.shape, vectors.shape[1]
    ends = {"top": -0.5, "bottom": n_positions - 0.5}
    rows = {**ends, "last": n_positions - 1, "value": 0.0}
    bits = {"left": -0.5, "right": n_bits - 0.5, "url": data_uri(2 * codes - 1, 1.0)}
    sinusoid = {"left": n_bits + 0.5, "right": n_bits + 0.5 + dim, "url": data_uri(vectors, 1.0)}
    frames = {
        "tables": pd.DataFrame([{**rows, **bits}, {**rows, **sinusoid}]),
        "rows": _row_frame(codes, vectors),
        "labels": _label_frame(n_positions, n_bits, frequencies),
        "pairs": pd.DataFrame({"x": n_bits + 0.5 + np.arange(0, dim + 1, 2), **ends}),  # from one pair to the next
        "waves": _wave_frame(n_positions, n_bits, frequencies),
    }
    numbers = partial(number_frame, codes, vectors)
    shown = {"name": WAVES, "value": True, "bind": {"input": "checkbox", "name": "Waves "}}
    return Figure(_scrubbed(_table_spec(), n_positions, shown), frames, behind={"tables": numbers})


def number_frame(codes: Tensor, vectors: Tensor) -> pd.DataFrame:
    """Return one line per position: its bits, lowest first, and its channels."""
    bits = heatmap.number_frame(codes.int(), rows="Position", columns="Bit")
    return bits.merge(heatmap.number_frame(vectors, rows="Position", columns="Channel"), on="Position")


def _scrubbed(spec: dict[str, Any], n_positions: int, *signals: dict[str, Any]) -> dict[str, Any]:
    """Return a spec whose position is moved by a slider, and by a press or a drag over its layer "target"."""
    last = motion.last_of_scrubber(n_positions)
    down, over = (f"@target_marks:pointer{what}" for what in ("down", "over"))
    moved = {"events": f"{down}, [{down}, window:pointerup] > {over}", "update": "datum.position"}
    scrubber = {**motion.signal(AT, "Position", last=last, start=min(FIRST_LOOK, last)), "on": [moved]}
    return motion.with_signals({**spec, "usermeta": {"embedOptions": {"renderer": "svg"}}}, scrubber, *signals)


def _wave_frame(n_positions: int, n_bits: int, frequencies: Tensor) -> pd.DataFrame:
    nothing = torch.empty(0, dtype=torch.float64)
    drawn = [(0, nothing, nothing)]  # column, positions, values; a start, should every wave be too fast
    for pair, wavelength in enumerate(sinusoidal.wavelengths(frequencies).tolist()):
        if wavelength * MAX_SWINGS >= n_positions:
            n_samples = SAMPLES * (1 + int(n_positions / wavelength))
            where = torch.linspace(0, n_positions - 1, n_samples, dtype=torch.float64)
            angle = where * frequencies[pair]
            first = n_bits + 1 + 2 * pair
            drawn += [(first, where, angle.sin()), (first + 1, where, angle.cos())]
    column = np.repeat([column for column, _, _ in drawn], [len(where) for _, where, _ in drawn])
    y, value = (torch.cat(part).numpy() for part in zip(*[wave[1:] for wave in drawn], strict=True))
    return pd.DataFrame({"column": column, "x": column + AMPLITUDE * value, "y": y})


_SPELT = [spelt(number / 100, ".2f") for number in range(-100, 101)]  # formatting 16,000 takes 10 ms


def _row_frame(codes: Tensor, vectors: Tensor) -> pd.DataFrame:
    position = np.arange(len(codes))
    written = ["".join(["01"[bit] for bit in row]) for row in codes.int().tolist()]  # in the order of the columns
    hundredths = (vectors * 100).round().int() + 100
    spelt = [" ".join([_SPELT[number] for number in row]) for row in hundredths.tolist()]
    frame = pd.DataFrame({"position": position, "bits": written, "sinusoid": spelt})
    heading = [f"Position {number}: bits {bits}" for number, bits in enumerate(written)]
    return frame.assign(top=position - 0.5, bottom=position + 0.5, heading=heading)


def _label_frame(n_positions: int, n_bits: int, frequencies: Tensor) -> pd.DataFrame:
    """Return the numbers of the columns, and what stands above them: in both tables the fast end is on the left."""
    dim = 2 * len(frequencies)
    every = 1 + (n_bits + 1 + dim) // (MAX_LABELS + 1)
    columns = [(n, n) for n in range(0, n_bits, every)] + [(n_bits + 1 + n, n) for n in range(0, dim, every)]
    numbers = [{"x": x, "text": str(n), "short": "", "until": x} for x, n in columns]
    bits = "bits: fast → slow" if n_bits > 1 else "bits"
    waves = "sinusoid, in pairs: fast → slow" if frequencies[-1] < frequencies[0] else "sinusoid, in pairs"
    titles = [
        {"x": -0.5, "text": bits, "short": "bits", "until": n_bits + 0.5},
        {"x": n_bits + 0.5, "text": waves, "short": waves, "until": n_bits + 0.5 + dim},
    ]
    is_title = [False] * len(numbers) + [True, True]
    return pd.DataFrame([*numbers, *titles]).assign(y=-0.5 - 0.01 * n_positions, title=is_title)


@built_once
def _table_spec() -> dict[str, Any]:
    tables, rows = chart_of("tables"), chart_of("rows")
    row = {"y": _down("top:Q"), "y2": "bottom:Q"}
    whole_row = {"x": alt.value(0), "x2": alt.value("width"), **row}
    edges = {"x": _across("left:Q"), "x2": "right:Q", **row}
    image = tables.mark_image(aspect=False, smooth=False).encode(**edges, url="url:N")
    gaps = chart_of("pairs").mark_rule(color=alt.ExprRef(PAPER), strokeWidth=3)
    gaps = gaps.encode(x=_across("x:Q"), y=_down("top:Q"), y2="bottom:Q")
    roof = f"datum.top - (datum.last + 1) / (1 / max({HEADER}, {MIN_HEADER} * {GROWTH} / height) - 1)"
    legend_bearer = tables.transform_calculate(roof=roof).mark_point(opacity=0)
    legend_bearer = legend_bearer.encode(x=_across("left:Q"), y=_down("roof:Q"), color=_colour())
    place = {"x": _across("x:Q"), "y": _down("y:Q"), "detail": "column:N"}
    waves = [
        in_order("waves")
        .mark_line(stroke=stroke, strokeWidth=width, interpolate="natural", order=False)
        .encode(**place, opacity=alt.value({"expr": f"{WAVES} ? {opacity:g} : 0"}))
        for (stroke, _), width, opacity in zip(_HALO, (3.5, 1.5), (0.7, 1.0), strict=True)
    ]
    marked = rows.transform_filter("datum.position === at_row")
    out = readout.outwards(_HALO[0][1])
    around: dict[str, Any] = {"filled": False, "yOffset": alt.ExprRef(f"-{out}"), "y2Offset": alt.ExprRef(out)}
    outline = [marked.mark_rect(**around, stroke=stroke, strokeWidth=width) for stroke, width in _HALO]
    at_row = alt.param(name="at_row", expr=f"length(data('tables')) ? min({AT}, data('tables')[0].last) : 0")
    target = rows.mark_rect(opacity=0, tooltip=alt.ExprRef("datum.heading")).encode(**whole_row)
    spec: dict[str, Any] = alt.layer(
        legend_bearer,
        image,
        gaps,
        *waves,
        *(box.encode(**whole_row) for box in outline),
        *_text_layers(marked),
        target.properties(name="target").add_params(at_row),
    ).to_dict()
    return spec


_HALO = (("#000000", 4), ("#FFFFFF", 2))  # a light line in a dark one is seen on every colour of the table


def _text_layers(marked: alt.Chart) -> list[alt.Chart]:
    ink, width = alt.ExprRef(INK), alt.ExprRef("width")
    on_top = marked.encode(x=alt.value(0), y=alt.value(0))
    heading = on_top.mark_text(
        align="left", baseline="top", fontSize=grown(14), fontWeight="bold", color=ink, limit=width
    )
    is_low = f"height < {FOUR_LINES} * {GROWTH}"
    fits = f"floor((width - ({is_low} ? {BESIDE} * {GROWTH} : 0)) / ({NUMBER} * {GROWTH}))"
    spelt_out, more = "split(datum.sinusoid, ' ')", f"length(split(datum.sinusoid, ' ')) > {fits}"
    vector = on_top.mark_text(
        align="left",
        baseline="top",
        fontSize=grown(12),
        dx=alt.ExprRef(f"{is_low} ? {BESIDE} * {GROWTH} : 0"),
        dy=alt.ExprRef(f"({is_low} ? 2 : 19) * {GROWTH}"),
        color=ink,
        text=alt.ExprRef(f"join(slice({spelt_out}, 0, {fits}), ' ') + ({more} ? ' …' : '')"),
    )
    labels = chart_of("labels").encode(x=_across("x:Q"), y=_down("y:Q"), text="text:N")
    numbers = labels.transform_filter("!datum.title").mark_text(baseline="bottom", **inked(12))
    # Without room over the table, its two titles stand below it, at its two ends, so that they never meet.
    is_below = f"height < {THREE_LINES} * {GROWTH}"
    at_end = f"{is_below} && datum.x > 0"
    has_room = f"scale('x', datum.until) - scale('x', datum.x) > {TITLE} * {GROWTH}"
    titles = chart_of("labels").transform_filter("datum.title")
    titles = titles.mark_text(
        text=alt.ExprRef(f"{is_below} || {has_room} ? datum.text : datum.short"),
        align=alt.ExprRef(f"{at_end} ? 'right' : 'left'"),
        baseline=alt.ExprRef(f"{is_below} ? 'top' : 'bottom'"),
        x=alt.ExprRef(f"{at_end} ? width : scale('x', datum.x)"),
        y=alt.ExprRef(f"{is_below} ? height + 4 : scale('y', datum.y) - 13 * {GROWTH}"),
        fontSize=grown(12),
        color=ink,
    )
    return [heading.encode(text="heading:N"), vector, numbers, titles]


def _across(field: str) -> alt.X:
    return alt.X(field).scale(nice=False, zero=False).axis(None)


def _down(field: str) -> alt.Y:
    below_header = "datum.value < 0 ? '' : datum.label"
    axis = alt.Axis(grid=False, tickMinStep=1, format="d", labelExpr=below_header)
    return alt.Y(field).title("Position").scale(nice=False, zero=False, reverse=True).axis(axis)


def _colour() -> alt.Color:
    words = "datum.value == 0 ? '0' : datum.value < 0 ? '−1, bit 0' : '+1, bit 1'"
    legend = alt.Legend(type="gradient", orient="bottom", gradientLength=grown(220), values=[-1, 0, 1], labelExpr=words)
    return alt.Color("value:Q").title(None).scale(domain=[-1, 1], range=list(DIVERGING)).legend(legend)


def lanes(n_positions: int, n_bits: int, frequencies: Tensor) -> Figure:
    """Return one lane per bit over positions 0 .. n_positions - 1: the bit, and below it the sine nearest in period."""
    wavelengths = sinusoidal.wavelengths(frequencies)
    periods = jumps.bit_periods(n_bits)
    pairs = jumps.nearest_pair(periods, wavelengths)
    lane = pd.DataFrame({"lane": np.arange(n_bits), "period": periods, "pair": pairs, "last": n_positions - 1})
    lane = lane.assign(wavelength=wavelengths[pairs].numpy(), frequency=frequencies[pairs].numpy())
    words = [
        f"bit {row.lane}: repeats every {row.period:,.0f};  pair {row.pair}: every {row.wavelength:,.1f}"
        for row in lane.itertuples(index=False)
    ]
    squares, sines = [], []  # positions and height of each lane's line
    for number, (period, frequency) in enumerate(zip(periods.tolist(), frequencies[pairs].tolist(), strict=True)):
        edges, levels = square_wave(n_positions, period)
        squares.append((edges, number + SQUARE - HALF * torch.cat([levels, levels[-1:]])))
        where, sine = sine_wave(n_positions, frequency)
        sines.append((where, number + SINE - HALF * sine))
    position = np.arange(n_positions)
    frames = {
        "lanes": lane.assign(words=words),
        "squares": _joined(squares),
        "sines": _joined(sines),
        "positions": pd.DataFrame({"position": position, "left": position - 0.5, "right": position + 0.5}),
    }
    return Figure(_scrubbed(_lanes_spec(), n_positions), frames, behind={"lanes": partial(renamed, lane, _HEADS)})


def square_wave(n_positions: int, period: float) -> tuple[Tensor, Tensor]:
    """Return where a bit jumps, half-way between positions, with both ends, and its levels -1 or 1, (F + 1,), (F,)."""
    flips = torch.arange(0, n_positions, period / 2, dtype=torch.float64)
    edges = torch.cat([flips, torch.tensor([n_positions], dtype=torch.float64)]) - 0.5
    return edges, torch.arange(len(flips), dtype=torch.float64) % 2 * 2 - 1


def sine_wave(n_positions: int, frequency: float) -> tuple[Tensor, Tensor]:
    """Return the highest and lowest points of a sine up to the last position, and some at its ends, (S,) each."""
    last = (n_positions - 1) * frequency
    turns = torch.arange(0.5, max(0.5, last / torch.pi), dtype=torch.float64) * torch.pi
    turns = turns[turns < last]
    first, end = (float(turns[0]), float(turns[-1])) if len(turns) else (last, 0.0)
    ends = [torch.linspace(*part, AT_ENDS, dtype=torch.float64) for part in ((0.0, first), (end, last))]
    angle = torch.unique(torch.cat([ends[0], turns, ends[1]]))
    return (angle / frequency).clamp(max=n_positions - 1), angle.sin()


def _joined(lines: list[tuple[Tensor, Tensor]]) -> pd.DataFrame:
    lane = np.repeat(np.arange(len(lines)), [len(where) for where, _ in lines])
    x, y = (torch.cat(side).numpy() for side in zip(*lines, strict=True))
    return pd.DataFrame({"lane": lane, "x": x, "y": y})


@built_once
def _lanes_spec() -> dict[str, Any]:
    at = f"min({AT}, datum.last)"
    x, y = across("Position"), alt.Y("y:Q").scale(nice=False, zero=False, reverse=True).axis(None)
    column = {"x": along(x, "left"), "x2": "right:Q", "y": alt.value(0), "y2": alt.value("height")}
    lanes = chart_of("lanes").transform_calculate(at=at)
    marked = lanes.transform_filter("datum.lane === 0")
    band = marked.transform_calculate(left="datum.at - 0.5", right="datum.at + 0.5")
    number = marked.transform_calculate(top="0", words="'position ' + datum.at")
    # At the ends it stands to the inside, else the edge of the picture would cut it off.
    side = "datum.at < 0.1 * datum.last ? 'left' : datum.at > 0.9 * datum.last ? 'right' : 'center'"
    number = number.mark_text(baseline="bottom", dy=grown(-9), align=alt.ExprRef(side), **inked(13, bold=True))
    squares, sines = (in_order(name).encode(x=x, y=y, detail="lane:N") for name in ("squares", "sines"))
    colour = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(COLOURS)).legend(orient="bottom")
    heights = (
        f"datum.lane + {SQUARE} - {HALF} * (2 * (floor(2 * datum.at / datum.period) % 2) - 1)",
        f"datum.lane + {SINE} - {HALF} * sin(datum.frequency * datum.at)",
    )
    dots = [
        lanes.transform_calculate(kind=f"'{kind}'", height=height)
        .mark_circle(size=area(90), opacity=1)
        .encode(x=along(x, "at"), y=along(y, "height"), color=colour)
        for kind, height in zip(KINDS, heights, strict=True)
    ]
    words = lanes.transform_calculate(x="-0.5", height=f"datum.lane + {WORDS}")
    words = words.encode(x=x, y=along(y, "height"), text="words:N")
    spec: dict[str, Any] = alt.layer(
        band.mark_rect(opacity=0.3, color=CATEGORICAL[7]).encode(**column),
        squares.mark_line(strokeWidth=grown(2), color=COLOURS[0], interpolate="step-after", order=False),
        sines.mark_line(strokeWidth=grown(2), color=COLOURS[1], interpolate="monotone", order=False),
        words.mark_text(align="left", fontSize=grown(12), **on_ground(grown(5))),  # lines and band stop around them
        *dots,
        words.mark_text(align="left", **inked(12)),
        number.encode(x=along(x, "at"), y=along(y, "top"), text="words:N"),
        chart_of("positions").mark_rect(opacity=0).encode(**column).properties(name="target"),
    ).to_dict()
    return spec
