"""A table drawn as one image, which costs the browser a single mark.

The browser cannot read the pixels of an image, so the numbers travel beside it as one string, for the cell that is
pointed at (`readout`). Of a table of waves their rates travel, from which the browser computes the number.
"""

import base64
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import torch
from PIL import Image
from torch import Tensor

from pe_core.figures.figure import Figure, built_once, chart_of, spec_of
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import CATEGORICAL, DIVERGING, lookup_table
from pe_core.figures.readout import DIGITS, POINTED, Words, readout, row_together
from pe_core.measures.channels import Channel
from pe_core.parameters import Parameter, Value

MAY = "may attend"
FEW = 2**17  # numbers that are written with three digits; of more, two each, so that a slider stays quick
MAX_DECIMALS = 9
# Between two cells there is no index to name; with one or two of them, Vega would set a tick there all the same.
WHOLE = alt.Axis(grid=False, tickMinStep=1, format="d", labelExpr="datum.value % 1 ? '' : datum.label")

# Enlarged, cells keep their edges; shrunk, they are averaged, since leaving out columns would draw stripes of its own.
_SHRUNK = "width < datum.right - datum.left || height < datum.bottom - datum.top"


def png(values: Tensor, limit: float, *, colours: tuple[str, ...] = DIVERGING) -> bytes:
    """Return `values` (rows, columns) as a PNG from -limit to limit, a pixel each, transparent where not finite."""
    numbers = values.float().numpy()  # a colour is one of 255: more digits would cost time for nothing
    scaled = (np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0) / np.float32(limit) + 1) * np.float32(127.5)
    index = 1 + np.clip(scaled, 0, 254).astype(np.uint8)  # 0 is kept for "no number"
    index[~np.isfinite(numbers)] = 0
    image = Image.fromarray(index, mode="P")
    image.putpalette(lookup_table(colours).tobytes())
    buffer = io.BytesIO()
    image.save(buffer, "png", compress_level=1, transparency=0)
    return buffer.getvalue()


def data_uri(values: Tensor, limit: float, *, colours: tuple[str, ...] = DIVERGING) -> str:
    """Return the PNG of `values` as a data URI for an image mark."""
    return "data:image/png;base64," + base64.b64encode(png(values, limit, colours=colours)).decode()


def frame(values: Tensor, url: str, *, first_row: int = 0, first_column: int = 0) -> pd.DataFrame:
    """Return the line of data of an image: its edges, the `url` of its PNG, and `values` (rows, columns) to be read."""
    numbers, decimals = written(values)
    told = {"numbers": numbers, "digits": len(numbers) // values.numel(), "decimals": decimals}
    return pd.DataFrame([{**_place(values, url, first_row, first_column), **told}])


def frame_of_looks(tables: Sequence[Tensor], limit: float) -> pd.DataFrame:
    """Return a line of data for each of `tables` (rows, columns), coloured from -limit to limit, counted as `look`."""
    numbers, decimals = written(torch.stack(list(tables)))
    long = len(numbers) // len(tables)
    return pd.DataFrame(
        {
            **_place(values, data_uri(values, limit)),
            "numbers": numbers[long * look : long * (look + 1)],
            "digits": long // values.numel(),
            "decimals": decimals,
            "look": look,
        }
        for look, values in enumerate(tables)
    )


def wave_frame(values: Tensor, url: str, waves: Sequence[Channel]) -> pd.DataFrame:
    """Return the same line of data of a table whose columns are `waves` over the rows, with their rates."""
    rates = " ".join(f"{wave.frequency:.12g}" for wave in waves)
    ahead = " ".join(f"{wave.ahead:.12g}" for wave in waves)
    return pd.DataFrame([{**_place(values, url), "rates": rates, "ahead": ahead}])


def _place(values: Tensor, url: str, first_row: int = 0, first_column: int = 0) -> dict[str, object]:
    (height, width), left, top = values.shape, first_column - 0.5, first_row - 0.5
    edges = {"left": left, "right": left + width, "top": top, "bottom": top + height}
    return {**edges, "value": 0.0, "url": url}  # a value for the legend


def written(values: Tensor) -> tuple[str, int]:
    """Return `values` (any shape) as a string of `DIGITS`, and how many decimals each is rounded to.

    Up to `FEW` numbers have three digits each, more have two: as many decimals as there is room for, at most
    `MAX_DECIMALS`; -1 is to tens. All of them are shown, so that a number is rounded only once. What is not finite is
    written as all A.
    """
    numbers = values.double().numpy().ravel()
    finite = np.isfinite(numbers)
    numbers = np.where(finite, numbers, 0.0)
    n_digits = 3 if len(numbers) <= FEW else 2
    middle = 64**n_digits // 2  # stands for 0
    largest = float(np.abs(numbers).max()) or 1.0
    decimals = min(math.floor(math.log10((middle - 1) / largest)), MAX_DECIMALS)
    code = np.where(finite, np.rint(numbers * 10.0**decimals).astype(np.int32) + middle, 0)
    signs = np.frombuffer(DIGITS.encode(), np.uint8)
    written = np.stack([signs[code >> 6 * place & 63] for place in reversed(range(n_digits))], axis=-1)
    return written.tobytes().decode(), decimals


def place(rows: str, columns: str, axis: alt.Axis = WHOLE) -> dict[str, Any]:
    """Return where an image or a cell lies, with the names of both axes, and the first row on top."""
    x = alt.X("left:Q").title(columns).scale(nice=False, zero=False)
    y = alt.Y("top:Q").title(rows).scale(nice=False, zero=False, reverse=True)
    return {"x": x.axis(axis), "x2": alt.X2("right:Q"), "y": y.axis(axis), "y2": alt.Y2("bottom:Q")}


def spec(
    data: str,
    where: dict[str, Any],
    words: Words,
    over: Sequence[alt.Chart],
    selection: Sequence[alt.Parameter] = (),
    *,
    played: Parameter[Value] | None = None,
) -> dict[str, Any]:
    """Return the spec of the image `data` that lies at `where`, with `over` drawn over it, and on top what is read."""
    shown = f"datum.look === {motion.PLAYED}{played.name}" if played else ""
    # A look that is not shown is there all the same: Vega would load its image only then, and the picture would blink.
    opacity = alt.ExprRef(f"{shown} ? 1 : 0") if shown else alt.Undefined
    image = chart_of(data).mark_image(aspect=False, smooth=alt.ExprRef(_SHRUNK), opacity=opacity)
    picture = image.encode(**where, url="url:N").add_params(*selection)
    drawn = spec_of(alt.layer(picture, *over))
    layers = [*drawn["layer"], {"data": {"name": data}, **readout(words, shown=shown)}]
    return motion.with_signals({**drawn, "layer": layers}, POINTED, *(motion.played(played) if played else ()))


def categories(
    values: Tensor, names: Mapping[str, str], *, rows: str, columns: str, words: Words, together: bool = False
) -> Figure:
    """Return `values` (rows, columns) as one image: the number of a name where there is one, else NaN and empty.

    `names` have a colour each, and stand in the legend from the last to the first. `rows` and `columns` name the axes.
    Pictures of a page mark `together` the row that is pointed at in one of them.
    """
    last = max(len(names) - 1, 1)
    colours = tuple(names.values()) if len(names) > 1 else (*names.values(), *names.values())
    legend = pd.DataFrame({"meaning": list(names)[::-1], "left": -0.5, "top": -0.5})
    url = data_uri(2 * values / last - 1, 1.0, colours=colours)

    def table() -> pd.DataFrame:
        row, column = np.indices(values.shape)
        said = [words.none if math.isnan(value) else words.meanings[int(value)] for value in values.flatten().tolist()]
        return pd.DataFrame({words.row: row.ravel(), words.column: column.ravel(), "Meaning": said})

    drawn = _categories_spec(tuple(names.items()), rows, columns, words, together)
    return Figure(drawn, {"image": frame(values, url), "meanings": legend}, behind={"image": table})


def allowed(mask: Tensor) -> Figure:
    """Return the picture of a boolean mask (T, T): coloured where the query of the row may attend to the key."""
    words, values = Words("Query", "Key", none="may not attend", meanings=(MAY,)), torch.where(mask, 0.0, torch.nan)
    return categories(values, {MAY: CATEGORICAL[0]}, rows="Query", columns="Key", words=words)


@built_once
def _categories_spec(
    names: tuple[tuple[str, str], ...], rows: str, columns: str, words: Words, together: bool
) -> dict[str, Any]:
    where = place(rows, columns)
    domain, colours = zip(*names[::-1], strict=True)
    colour = alt.Color("meaning:N").title(None).scale(domain=list(domain), range=list(colours))
    colour = colour.legend(orient="top", columns=2, symbolType="square", symbolOpacity=1)
    bearer = chart_of("meanings").mark_point(opacity=0, filled=True)
    drawn = spec("image", where, words, [bearer.encode(x=where["x"], y=where["y"], color=colour)])
    return row_together(drawn, "image") if together else drawn
