"""Images, videos and sequences: maps with a square per patch or token, ids over the tokens, pairs by their axis."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.mrope import Piece, Text, Video
from pe_core.figures.curves import across, along
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.looks.palette import CATEGORICAL, DIVERGING, GREY, GROWTH, INK, MIN_SIZE, area, gradient, grown
from pe_core.measures.sequence import Part

HEAD = 42  # pixels above a map, for its name and a note
GAP = 12  # pixels between two maps
LINE, MIN_MAP = 13, 90  # pixels of a line of squares, and of a map of few lines, where maps stand below each other
MAX_HEIGHT = 376  # pixels of a picture that takes its height from its width
MAX_NARROW = 348  # the same on a telephone, where its controls stand below it on the same screen
MAX_COLUMNS = 28  # of squares in a line of a sequence: at 390 px a square is then 12 px wide
SHORT_TEXT = 8  # squares in a line of a text that does not fill a whole line
MIN_GAP = 3  # squares from one part to the next, so that their names do not meet
NARROW = 500  # pixels of width below which a page is that of a telephone
AXES = ("time t", "row h", "column w")
PLAIN = "position"
KINDS = ("text", "image", "video")
Word = tuple[str, int, int]  # in a map, on the cell of this row and column


@dataclass(frozen=True)
class Colours:
    """What the numbers of the maps are called, where they end, those in the legend, and how they become colours."""

    title: str
    domain: tuple[float, float]
    ticks: tuple[float, ...]
    colours: tuple[str, ...] = DIVERGING
    log: bool = False


def grids(
    maps: Mapping[str, Tensor],
    places: Tensor,
    *,
    colours: Colours,
    notes: Sequence[str],
    narrowest: int = 105,
    marked: int | None = None,
    words: Sequence[Word] = (),
    across: tuple[int, int] | None = None,
    selection: str = "",
) -> Figure:
    """Return a map for each of `maps` (T,), with every number as a square at its row and column in `places` (T, 2).

    One of `notes` stands below the name of each map. The square `marked` is framed in every map, and `words` are
    written into each. A map gets at least `narrowest` pixels, if the picture has so many: room for what is written.

    With `across`, maps in a line of a wide picture and of a narrow one, the picture is as high as so many square maps
    need. With the name of a `selection`, a click on a square selects its "index" and the square marked until then:
    the same square can be chosen again after another one was marked.
    """
    rows, columns = places.T.numpy()
    extent = {"n_maps": len(maps), "n_rows": rows.max() + 1, "n_columns": columns.max() + 1}
    n_maps, n_places = len(maps), len(places)
    cells = pd.DataFrame(
        {
            "map": np.repeat(np.arange(n_maps), n_places),
            "name": np.repeat(np.array(list(maps), dtype=object), n_places),
            "index": np.tile(np.arange(n_places), n_maps),
            "row": np.tile(rows, n_maps),
            "column": np.tile(columns, n_maps),
            "value": torch.cat(list(maps.values())).numpy(),
            **({"before": marked} if selection else {}),
        }
    )
    written = [
        {"map": number, "row": row, "column": column, "text": text, "kind": kind, **extent}
        for number, (name, note) in enumerate(zip(maps, notes, strict=True))
        for kind, text, row, column in (("head", name, 0, 0), ("note", note, 0, 0), *(("inner", *one) for one in words))
    ]
    frames = {"cells": cells, "words": pd.DataFrame(written)}
    if marked is not None:
        frames["marked"] = cells.iloc[marked::n_places]
    spec = _spec(colours, narrowest, marked is not None, selection, _height(n_maps, across))
    height = None if across else 60 + n_maps * (HEAD + max(MIN_MAP, LINE * int(rows.max() + 1)))
    return Figure(spec, frames, height=height)


def laid_out(pieces: Sequence[Piece]) -> tuple[Tensor, list[Word]]:
    """Return row and column of the square of each token, (T, 2), and the names of the parts."""
    places, words = [], []
    top, left, tallest = 1, 0, 0
    for name, n_tokens, n_columns in _blocks(pieces):
        if left + n_columns > MAX_COLUMNS:
            top, left, tallest = top + tallest + 1, 0, 0
        index = torch.arange(n_tokens)
        places.append(torch.stack([top + index // n_columns, left + index % n_columns], dim=-1))
        words.append((name, top, left))
        left += max(n_columns, MIN_GAP) + 1
        tallest = max(tallest, -(-n_tokens // n_columns))
    return torch.cat(places), words


def _blocks(pieces: Sequence[Piece]) -> list[tuple[str, int, int]]:
    """Name, tokens and columns of each grid of squares."""
    blocks = []
    for piece in pieces:
        if isinstance(piece, Text):
            columns = min(piece.n, SHORT_TEXT if piece.n <= MAX_COLUMNS else MAX_COLUMNS)
            blocks.append(("text", piece.n, columns))
        elif isinstance(piece, Video):
            names = (f"frame {number}" for number in range(1, piece.frames + 1))
            blocks += [(name, piece.height * piece.width, piece.width) for name in names]
        else:
            blocks.append(("image", piece.height * piece.width, piece.width))
    return blocks


def _side(across: int, narrowest: int) -> str:
    """The side of a square in pixels, as a Vega expression, with so many maps in a line; 0 if that cannot be."""
    lines = f"ceil(extent.n_maps / {across})"
    side = f"min((width / {across} - {GAP}) / extent.n_columns, (height / {lines} - {HEAD}) / extent.n_rows)"
    if across == 1:
        return side
    uneven = f"extent.n_maps < {across} || {lines} * {across} - extent.n_maps > 1"
    return f"({uneven} || width / {across} < {narrowest} ? 0 : {side})"


def _layout(narrowest: int) -> list[alt.Parameter]:
    """Signals for the side of a square, with as many maps in a line as make it largest: no square computes it."""
    sides = {across: _side(across, narrowest) for across in (1, 2, 3, 4, 5)}
    across = "1"
    for number, side in sides.items():
        across = f"(best - {side} < 1e-6 ? {number} : {across})"
    nothing = "{n_maps: 1, n_rows: 1, n_columns: 1}"  # before the numbers have come
    signals = {
        "extent": f"length(data('words')) ? data('words')[0] : {nothing}",
        "best": f"max({', '.join(sides.values())})",
        "across": across,
        "side": "max(1, floor(best))",
    }
    return [alt.param(name=name, expr=expression) for name, expression in signals.items()]


def _placed(name: str) -> alt.Chart:
    """A chart of a frame that knows, in pixels, where the left upper corner of each square is."""
    left = f"floor(datum.map % across * width / across) + {GAP} / 2 + datum.column * side"
    top = f"floor(datum.map / across) * (side * extent.n_rows + {HEAD}) + {HEAD} + datum.row * side"
    return chart_of(name).transform_calculate(left=left, top=top)


def _height(n_maps: int, across: tuple[int, int] | None) -> str:
    """The height that follows the width of the picture, as a Vega expression; none without `across`."""
    if across is None:
        return ""
    wide, narrow = (
        f"{math.ceil(n_maps / number)} * (width / {number} - {GAP} + {HEAD})"
        for number in (min(across[0], n_maps), across[1])
    )
    return f"width < {NARROW} ? min({MAX_NARROW}, {narrow}) : min({MAX_HEIGHT}, {wide})"


@built_once
def _spec(colours: Colours, narrowest: int, marked: bool, selection: str, height: str) -> dict[str, Any]:
    square: dict[str, Any] = {
        "x": {"expr": "datum.left"},
        "x2": {"expr": "datum.left + side"},
        "y": {"expr": "datum.top"},
        "y2": {"expr": "datum.top + side"},
    }
    tooltip = tips(("name:N", "Map"), ("row:Q", "Row"), ("column:Q", "Column"), ("value:Q", colours.title, ".4~g"))
    scale = alt.Scale(
        type="log" if colours.log else "linear", domain=colours.domain, range=list(colours.colours), clamp=True
    )
    colour = alt.Color("value:Q").title(colours.title).scale(scale)
    # Without an offset: the names of the maps have room above them.
    colour = colour.legend(orient="top", offset=0, values=colours.ticks, format="~g", **gradient(130))
    lines = {"expr": "side < 10 ? 0 : 0.5"}  # between squares: light ones would vanish in the background
    cells = _placed("cells").mark_rect(stroke="#7F7F7F", strokeOpacity=0.5, strokeWidth=lines, **square)
    cells = cells.encode(color=colour, tooltip=tooltip)
    if selection:
        cells = cells.add_params(alt.selection_point(name=selection, fields=["index", "before"], toggle=False))
    size = f"min({MIN_SIZE} * {GROWTH}, 16)"
    words = _placed("words").mark_text(
        x={"expr": "datum.left"},
        y={"expr": f"datum.top - (datum.kind == 'head' ? 4 + 1.3 * {size} : 4)"},
        align="left",
        baseline="bottom",
        fontSize={"expr": size},
        fontWeight={"expr": "datum.kind == 'head' ? 'bold' : 'normal'"},
        color=alt.ExprRef(INK),
    )
    layers = [cells, words.encode(text="text:N")]
    if marked:
        placed = _placed("marked")
        layers += [  # dark and light, to be seen on every colour
            placed.mark_rect(filled=False, stroke=stroke, strokeWidth=width, **square)
            for stroke, width in (("#000000", 4), ("#FFFFFF", 1.5))
        ]
    chart = alt.layer(*layers).add_params(*_layout(narrowest))
    if height:  # Vega lets a signal of this name stand in for the number
        chart = chart.add_params(alt.param(name="height", expr=height)).properties(
            height=MAX_HEIGHT, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"), padding={"bottom": 0}
        )
    return spec_of(chart, framed=False, canvas=True)


def ids(numbers: Tensor, parts: Sequence[Part]) -> Figure:
    """Return the ids t, h and w of each token, `numbers` (T, 3), as three lines over the sequence made of `parts`."""
    of_each = pd.DataFrame(numbers.numpy(), columns=list(AXES)).rename_axis("token").reset_index()
    # Folded here and not by Vega: only what stands in a column is said in another language.
    frame = of_each.melt("token", var_name="axis", value_name="id").merge(of_each, on="token")
    bands = [{"kind": part.kind, "start": part.first - 0.5, "end": part.last + 0.5} for part in parts]
    return Figure(_ids_spec(), {"tokens": frame, "parts": pd.DataFrame(bands)})


def pairs(allocations: Mapping[str, tuple[Tensor, Tensor | None]]) -> Figure:
    """Return the wavelength of each pair in a lane of its axis, by the name of the encoding.

    An encoding has the frequencies (P,) of its pairs and the axis of each, 0 time, 1 row, 2 column, or None.
    """
    frames = []
    for order, (name, (frequencies, axes)) in enumerate(allocations.items()):
        along = [PLAIN] * len(frequencies) if axes is None else [AXES[axis] for axis in axes.tolist()]
        waves = sinusoidal.wavelengths(frequencies).numpy()
        frames.append(
            pd.DataFrame(
                {"encoding": name, "order": order, "pair": range(len(waves)), "axis": along, "wavelength": waves}
            )
        )
    return Figure(_pairs_spec(), {"pairs": pd.concat(frames, ignore_index=True)})


def resized(coordinates: Mapping[str, Tensor]) -> Figure:
    """Return the named coordinates (N,) as dots in a line each, with a band over the range of the first."""
    frames = [
        pd.DataFrame({"way": way, "order": order, "patch": range(len(where)), "coordinate": where.numpy()})
        for order, (way, where) in enumerate(coordinates.items())
    ]
    first = frames[0].coordinate
    met = pd.DataFrame([{"start": first.min() - 0.5, "end": first.max() + 0.5}])
    return Figure(_resized_spec(), {"coordinates": pd.concat(frames, ignore_index=True), "met": met})


@built_once
def _ids_spec() -> dict[str, Any]:
    x = along(across("Token"), "token")
    y = alt.Y("id:Q").title("Id").scale(nice=False, padding=6).axis(tickMinStep=1, format="d")
    bands = chart_of("parts").mark_rect(opacity=0.2)
    fill = alt.Color("kind:N").title(None).scale(domain=list(KINDS), range=[GREY, *CATEGORICAL[1:3]])
    band = bands.encode(
        x="start:Q",
        x2="end",
        color=fill.legend(orient="top", symbolType="square", symbolOpacity=0.5, symbolStrokeWidth=0),
        tooltip=tips(("kind:N", "Part")),
    )
    lines = chart_of("tokens")
    scale = alt.Scale(domain=list(AXES), range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour = alt.Color("axis:N").title(None).scale(scale)
    colour = colour.legend(orient="bottom", symbolType="stroke", symbolStrokeWidth=4)
    # Where ids are equal all three lines are seen, the wider behind the narrower.
    width = alt.StrokeWidth("axis:O").scale(domain=list(AXES), range=[8, 4, 1.5]).legend(None)
    line = lines.mark_line(interpolate="step").encode(x=x, y=y, color=colour, strokeWidth=width)
    tooltip = tips(("token:Q", "Token"), *((f"{axis}:Q", axis.capitalize()) for axis in AXES))
    dots = lines.mark_circle(size=area(60), opacity=0).encode(x=x, y=y, tooltip=tooltip)
    return spec_of(alt.layer(band, line, dots).resolve_scale(color="independent"), canvas=True)


@built_once
def _pairs_spec() -> dict[str, Any]:
    axes = [PLAIN, *AXES]
    x = alt.X("wavelength:Q").title("Wavelength (steps along the axis)")
    x = x.scale(type="log", nice=False, padding=10).axis(format="~s", values=[10**power for power in range(1, 10)])
    y = alt.Y("encoding:N").title(None).sort(field="order", op="min").scale(paddingInner=0.25)
    y = y.axis(labelLimit=grown(130), ticks=False, domain=False, grid=False)
    scale = alt.Scale(domain=axes, range=[GREY, CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[3]])
    colour = alt.Color("axis:N").title(None).scale(scale)
    tooltip = tips(
        ("encoding:N", "Encoding"), ("pair:Q", "Pair"), ("axis:N", "Turned by"), ("wavelength:Q", "Wavelength", ",.4~g")
    )
    ticks = chart_of("pairs").mark_tick(thickness=3, bandSize=14, opacity=1)
    chart = ticks.encode(
        x=x,
        y=y,
        yOffset=alt.YOffset("axis:N").scale(domain=axes),
        color=colour.legend(orient="top", columns=2, symbolType="square", symbolOpacity=1),
        tooltip=tooltip,
    )
    return spec_of(chart)


@built_once
def _resized_spec() -> dict[str, Any]:
    x = alt.X("coordinate:Q").title("Coordinate that the model is told").scale(nice=False, zero=False, padding=8)
    x = x.axis(grid=False, format="d", tickMinStep=1)
    y = alt.Y("way:N").title(None).sort(field="order", op="min").axis(labelLimit=grown(120), ticks=False, domain=False)
    tooltip = tips(("way:N", "Coordinates"), ("patch:Q", "Patch"), ("coordinate:Q", "Coordinate", ".4~g"))
    met = chart_of("met").mark_rect(opacity=0.18, color=CATEGORICAL[0])
    dots = chart_of("coordinates").mark_point(filled=True, size=area(70), opacity=0.9)
    colour = alt.Color("way:N").sort(field="order", op="min").legend(None)
    colour = colour.scale(range=[CATEGORICAL[0], CATEGORICAL[4], CATEGORICAL[2]])
    layers = (
        met.encode(x=alt.X("start:Q").scale(nice=False, zero=False, padding=8), x2="end"),
        dots.encode(x=x, y=y, color=colour, tooltip=tooltip),
    )
    return spec_of(alt.layer(*layers))
