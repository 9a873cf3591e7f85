"""Each bit as a square wave, above the sine whose wavelength is nearest to its period."""

from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure, built_once
from pe_core.figures.looks import motion
from pe_core.figures.looks.growth import area, grown
from pe_core.figures.looks.in_order import in_order
from pe_core.figures.looks.palette import CATEGORICAL, INK
from pe_core.figures.looks.tables import renamed
from pe_core.figures.scrubbed_table import scrubber, up_to
from pe_core.measures import jumps

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


def lanes(n_positions: int, n_bits: int, frequencies: Tensor) -> Figure:
    """Return one lane per bit over positions 0 .. n_positions - 1: the bit, and below it the sine nearest in period.

    The sines are those of `frequencies` (P,). The line at the marked position and the dots on the waves are moved in
    the browser.
    """
    wavelengths = sinusoidal.wavelengths(frequencies)
    periods = jumps.bit_periods(n_bits)
    pairs = jumps.nearest_pair(periods, wavelengths)
    lane = pd.DataFrame({"lane": np.arange(n_bits), "period": periods, "pair": pairs, "last": n_positions - 1})
    lane = lane.assign(wavelength=wavelengths[pairs].numpy(), frequency=frequencies[pairs].numpy())
    position = np.arange(n_positions)
    frames = {
        "lanes": lane.assign(words=_words(lane)),
        **_wave_frames(n_positions, periods, frequencies[pairs]),
        "positions": pd.DataFrame({"position": position, "left": position - 0.5, "right": position + 0.5}),
    }
    table = partial(renamed, lane, _HEADS)
    return Figure(_lanes_spec(motion.last_of_scrubber(n_positions)), frames, behind={"lanes": table})


def square_wave(n_positions: int, period: float) -> tuple[Tensor, Tensor]:
    """Return where a bit's wave jumps, with both ends, and its level from each to the next, float64, (F + 1,) and (F,).

    The level is -1 where the bit is 0 and 1 where it is 1. It jumps half-way between two positions, so that each
    position stands in the middle of a level stretch.
    """
    flips = torch.arange(0, n_positions, period / 2, dtype=torch.float64)
    edges = torch.cat([flips, torch.tensor([n_positions], dtype=torch.float64)]) - 0.5
    return edges, torch.arange(len(flips), dtype=torch.float64) % 2 * 2 - 1


def sine_wave(n_positions: int, frequency: float) -> tuple[Tensor, Tensor]:
    """Return where a sine is drawn from position 0 to the last one, and its values, float64, (S,) each.

    These are its highest and lowest points, which a line that rises or falls between two points joins to a sine, and a
    few more before the first of them and after the last one.
    """
    last = (n_positions - 1) * frequency
    turns = torch.arange(0.5, max(0.5, last / torch.pi), dtype=torch.float64) * torch.pi
    turns = turns[turns < last]
    first, end = (float(turns[0]), float(turns[-1])) if len(turns) else (last, 0.0)
    ends = [torch.linspace(*part, AT_ENDS, dtype=torch.float64) for part in ((0.0, first), (end, last))]
    angle = torch.unique(torch.cat([ends[0], turns, ends[1]]))
    return (angle / frequency).clamp(max=n_positions - 1), angle.sin()


def _words(lane: pd.DataFrame) -> list[str]:
    return [
        f"bit {row.lane}: repeats every {row.period:,.0f};  pair {row.pair}: every {row.wavelength:,.1f}"
        for row in lane.itertuples(index=False)
    ]


def _wave_frames(n_positions: int, periods: Tensor, frequencies: Tensor) -> dict[str, pd.DataFrame]:
    squares, sines = [], []  # positions and height of each lane's line
    for lane, period in enumerate(periods.tolist()):
        edges, levels = square_wave(n_positions, period)
        squares.append((edges, lane + SQUARE - HALF * torch.cat([levels, levels[-1:]])))
        where, sine = sine_wave(n_positions, float(frequencies[lane]))
        sines.append((where, lane + SINE - HALF * sine))
    return {"squares": _joined(squares), "sines": _joined(sines)}


def _joined(lines: list[tuple[Tensor, Tensor]]) -> pd.DataFrame:
    lane = np.repeat(np.arange(len(lines)), [len(where) for where, _ in lines])
    x, y = (torch.cat(side).numpy() for side in zip(*lines, strict=True))
    return pd.DataFrame({"lane": lane, "x": x, "y": y})


@built_once
def _lanes_spec(last: int) -> dict[str, Any]:
    return up_to(last, _layers())


@built_once
def _layers() -> dict[str, Any]:
    at = "min(at_position, datum.last)"
    rows = alt.Chart(alt.NamedData("positions"))
    column = {"x": _x("left:Q"), "x2": "right:Q", "y": alt.value(0), "y2": alt.value("height")}
    marked = alt.Chart(alt.NamedData("lanes")).transform_filter("datum.lane === 0").transform_calculate(position=at)
    marked = marked.transform_calculate(left="datum.position - 0.5", right="datum.position + 0.5", top="0")
    band = marked.mark_rect(opacity=0.3, color=CATEGORICAL[7]).encode(**column)
    number = marked.transform_calculate(words="'position ' + datum.position")
    # At the ends it stands to the inside, else the edge of the picture would cut it off.
    side = "datum.position < 0.1 * datum.last ? 'left' : datum.position > 0.9 * datum.last ? 'right' : 'center'"
    words: dict[str, Any] = {"baseline": "bottom", "dy": -2, "fontSize": grown(13), "fontWeight": "bold"}
    number = number.mark_text(**words, align=alt.ExprRef(side), color=alt.ExprRef(INK))
    target = rows.mark_rect(opacity=0).encode(**column).properties(name="target")
    return alt.layer(
        band,
        *_line_layers(),
        *_lane_layers(at),
        number.encode(x=_x("position:Q"), y=_y("top:Q"), text="words:N"),
        target.add_params(scrubber(click_on="target")),
    ).to_dict()


def _line_layers() -> list[alt.Chart]:
    squares, sines = (in_order(name).encode(x=_x("x:Q"), y=_y("y:Q"), detail="lane:N") for name in ("squares", "sines"))
    return [
        squares.mark_line(strokeWidth=grown(2), color=COLOURS[0], interpolate="step-after", order=False),
        sines.mark_line(strokeWidth=grown(2), color=COLOURS[1], interpolate="monotone", order=False),
    ]


def _lane_layers(at: str) -> list[alt.Chart]:
    """Return the words of each lane, and the dots on its two waves at the marked position."""
    lanes = alt.Chart(alt.NamedData("lanes"))
    is_on = "floor(2 * datum.at / datum.period) % 2"
    heights = (
        f"datum.lane + {SQUARE} - {HALF} * (2 * ({is_on}) - 1)",
        f"datum.lane + {SINE} - {HALF} * sin(datum.frequency * datum.at)",
    )
    layers = []
    for kind, height in zip(KINDS, heights, strict=True):
        dots = lanes.transform_calculate(at=at).transform_calculate(kind=f"'{kind}'", height=height)
        layers.append(
            dots.mark_circle(size=area(90), opacity=1).encode(x=_x("at:Q"), y=_y("height:Q"), color=_colour())
        )
    words = lanes.transform_calculate(x="-0.5", height=f"datum.lane + {WORDS}")
    words = words.mark_text(align="left", fontSize=grown(12), color=alt.ExprRef(INK))
    return [*layers, words.encode(x=_x("x:Q"), y=_y("height:Q"), text="words:N")]


def _x(field: str) -> alt.X:
    axis = alt.Axis(grid=False, tickMinStep=1, format="d")
    return alt.X(field).title("Position").scale(nice=False, zero=False).axis(axis)


def _y(field: str) -> alt.Y:
    return alt.Y(field).scale(nice=False, zero=False, reverse=True).axis(None)


def _colour() -> alt.Color:
    return alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=list(COLOURS)).legend(orient="bottom")
