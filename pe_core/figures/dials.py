"""Dials: hands that turn with a position, and points on the circles of pairs."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.figures.figure import Figure, built_once, spec_of, tips
from pe_core.figures.looks import motion
from pe_core.figures.looks.growth import GROWTH, area, grown, inked
from pe_core.figures.looks.palette import CATEGORICAL, GREY

MAX_CLOCKS = 24
CLOCKS_A_ROW = 6  # at 390 px a dial is then still 45 px wide
LAST = 511  # of the slider under the clocks; fixed, so that no other control resets it
AT = f"{motion.FLOWING}position"

# In pixels, so that a dial is round whatever the shape of the picture.
_ACROSS, _DOWN = "abs(scale('x', 1) - scale('x', 0))", "abs(scale('y', 1) - scale('y', 0))"
_CLOCK = f"0.4 * min({_ACROSS}, {_DOWN}, max(150, height / 2))"
_CIRCLE = f"min(0.33 * {_ACROSS}, 0.33 * {_DOWN}, {_DOWN} / 2 - 26 * {GROWTH})"  # below it is the next row's name


def clocks(frequencies: Tensor, pairs: list[int]) -> Figure:
    """Return one dial for each of `pairs`, by its index in `frequencies` (P,).

    A hand starts at 12 o'clock and turns clockwise: its tip is the sine to the right and the cosine upwards. The angle
    is computed in the browser as position times frequency. Whoever drags a hand moves the position, and all others.
    """
    chosen = frequencies[pairs]
    place = np.arange(len(pairs))
    frame = pd.DataFrame({"pair": pairs, "frequency": chosen.numpy()})
    frame["wavelength"] = sinusoidal.wavelengths(chosen).numpy()
    frame["column"], frame["row"] = place % CLOCKS_A_ROW, place // CLOCKS_A_ROW
    edges = {"left": frame.column - 0.5, "right": frame.column + 0.5, "top": frame.row - 0.5, "bottom": frame.row + 0.5}
    return Figure(_clock_spec(), {"hands": frame.assign(**edges)})


@built_once
def _clock_spec() -> dict[str, Any]:
    hands = (
        alt.Chart(alt.NamedData("hands"))
        .transform_calculate(
            rate="datum.frequency",
            angle=f"{AT} * datum.frequency",
            degrees="180 / PI * datum.angle",
            sine="sin(datum.angle)",
            cosine="cos(datum.angle)",
            turns=f"{AT} / datum.wavelength",
            label="replace('pair #', '#', datum.pair)",
        )
        .encode(**at("column", "row"))
    )
    size = {"expr": f"pow(2 * {_CLOCK}, 2)"}
    tooltip = tips(
        ("pair:Q", "Pair"),
        ("frequency:Q", "Frequency (rad per position)", ".6~g"),
        ("wavelength:Q", "Wavelength (positions)", ",.4~g"),
        ("angle:Q", "Angle (rad)", ".5f"),
        ("turns:Q", "Turns", ".4f"),
        ("sine:Q", "Sine", ".5f"),
        ("cosine:Q", "Cosine", ".5f"),
    )
    cells = hands.mark_rect(opacity=0, cursor="grab").encode(**cell(), tooltip=tooltip)
    dial = hands.mark_point(shape="circle", size=size, color=GREY, filled=False, strokeWidth=grown(1))
    hand = hands.mark_point(
        shape="M0,0L0,-1", size=size, color=CATEGORICAL[4], opacity=1, strokeWidth=grown(3), strokeCap="round"
    )
    label = hands.mark_text(dy={"expr": f"{_CLOCK} + 9 * {GROWTH}"}, **inked(12)).encode(text="label:N")
    layers = dial, hand.encode(angle=alt.Angle("degrees:Q").scale(None)), label, cells.properties(name="dial")
    spec = spec_of(alt.layer(*layers), framed=False)
    position = motion.signal(AT, "Position", last=LAST, start=motion.START)
    return motion.with_signals(spec, *motion.by_hands("dial", "'all'", clockwise=True, moved={"all": position}))


def circles(tables: Sequence[Tensor], columns: Sequence[str], rows: Sequence[str]) -> Figure:
    """Return a grid of dials: one column for each of `tables` (T, 2 * rows), one row for each of its pairs.

    A point stands at the sine to the right and the cosine upwards; `columns` and `rows` name them.
    """
    points = [
        _pair_points(table[:, 2 * row : 2 * row + 2]).assign(column=column, row=row)
        for column, table in enumerate(tables)
        for row in range(len(rows))
    ]
    heads = [{"column": column, "row": -0.5, "label": label} for column, label in enumerate(columns)]
    sides = [{"column": -0.5, "row": row - 0.5, "label": label} for row, label in enumerate(rows)]
    dials = [{"column": column, "row": row} for column in range(len(columns)) for row in range(len(rows))]
    edges = pd.DataFrame(dials).assign(
        left=lambda cell: cell.column - 0.5,
        right=lambda cell: cell.column + 0.5,
        top=lambda cell: cell.row - 0.65,
        bottom=lambda cell: cell.row + 0.5,
    )
    frames = {
        "points": pd.concat(points, ignore_index=True),
        "heads": pd.DataFrame(heads),
        "sides": pd.DataFrame(sides),
    }
    return Figure(_circles_spec(), {**frames, "dials": edges})


def _pair_points(pair: Tensor) -> pd.DataFrame:
    """One line per position; `gap` is the distance to the point named before, since a name must not cover another."""
    frame = pd.DataFrame(pair.numpy(), columns=["sine", "cosine"]).assign(position=range(len(pair)))
    gap = (pair - pair.roll(1, dims=0)).norm(dim=-1)  # of the first, to the last: no name comes before it
    gap[0], gap[-1] = 2.0, (pair[-1] - pair[0]).norm()  # the last is named even where those between are not
    return frame.assign(gap=gap.numpy())


@built_once
def _circles_spec() -> dict[str, Any]:
    place = at("column", "row")
    cells = alt.Chart(alt.NamedData("dials")).mark_rect(opacity=0).encode(**cell())
    size = {"expr": f"pow(2 * {_CIRCLE}, 2)"}
    dials = alt.Chart(alt.NamedData("dials")).mark_point(
        shape="circle", size=size, color=GREY, filled=False, strokeWidth=grown(1)
    )
    sideways, upwards = f"datum.sine * {_CIRCLE}", f"-datum.cosine * {_CIRCLE}"
    points = alt.Chart(alt.NamedData("points"))
    dots = points.mark_circle(
        size=area(60), color=CATEGORICAL[4], opacity=1, xOffset={"expr": sideways}, yOffset={"expr": upwards}
    )
    outside = f"({_CIRCLE} + 11 * {GROWTH})"
    names = points.mark_text(
        **inked(12),
        xOffset={"expr": f"datum.sine * {outside}"},
        yOffset={"expr": f"-datum.cosine * {outside}"},
        opacity={"expr": f"datum.gap * {outside} > 7 * {GROWTH} ? 1 : 0"},
    ).encode(text="position:Q")
    heads = alt.Chart(alt.NamedData("heads")).mark_text(baseline="bottom", dy=grown(-18), **inked(13, bold=True))
    sides = alt.Chart(alt.NamedData("sides")).mark_text(align="left", baseline="middle", **inked(12))
    tooltip = tips(("position:Q", "Position"), ("sine:Q", "Sine", ".5f"), ("cosine:Q", "Cosine", ".5f"))
    layers = (
        cells,
        dials.encode(**place),
        names.encode(**place),
        dots.encode(**place, tooltip=tooltip),
        heads.encode(**place, text="label:N"),
        sides.encode(**place, text="label:N"),
    )
    return spec_of(alt.layer(*layers), framed=False)


def at(x: str, y: str, across: Any = alt.Undefined, down: Any = alt.Undefined) -> dict[str, Any]:
    """Return the place of a mark among the dials, the first row on top, without axes."""
    return {
        "x": alt.X(f"{x}:Q").scale(domain=across, nice=False, zero=False).axis(None),
        "y": alt.Y(f"{y}:Q").scale(domain=down, nice=False, zero=False, reverse=True).axis(None),
    }


def cell(across: Any = alt.Undefined, down: Any = alt.Undefined) -> dict[str, Any]:
    """Return the place of a mark that fills what its datum says, from `left` to `right` and `top` to `bottom`."""
    return {**at("left", "top", across, down), "x2": "right", "y2": "bottom"}
