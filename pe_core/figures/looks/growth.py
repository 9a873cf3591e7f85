"""Type and marks that grow with the width of a picture, so that a projector shows what a telephone shows.

The spec stays the same: Vega computes the sizes from the width of the plot, also where a picture fills the screen.
"""

from typing import Any

from pe_core.figures.looks.palette import INK, QUIET_INK

MIN_SIZE, MAX_SIZE = 12, 20  # pixels of the words at an axis
# How large all is, as a fraction of what it is in a narrow picture: 1 up to 350 pixels, 1.15 at 700, 1.55 at 1,750.
GROWTH = f"clamp(0.87 + width / 2600, 1, {MAX_SIZE / MIN_SIZE:.2f})"


def grown(pixels: float) -> dict[str, str]:
    """Return a size that is `pixels` in a narrow picture and grows with the width, as an expression of Vega."""
    return {"expr": f"{pixels:g} * {GROWTH}"}


def area(pixels: float) -> dict[str, str]:
    """Return the area of a mark that is `pixels` in a narrow picture, and whose sides grow with the width."""
    return {"expr": f"{pixels:g} * pow({GROWTH}, 2)"}


def inked(pixels: float, *, bold: bool = False) -> dict[str, Any]:
    """Return the look of words that are a mark, `pixels` high in a narrow picture: in ink."""
    return {"fontSize": grown(pixels), "color": {"expr": INK}, **({"fontWeight": "bold"} if bold else {})}


_WORDS = {"labelFontSize": grown(MIN_SIZE), "titleFontSize": grown(MIN_SIZE)}
_COLOURS = {"labelColor": {"expr": QUIET_INK}, "titleColor": {"expr": QUIET_INK}}
# Settings of every picture, for what has no size or colour of its own.
CONFIG: dict[str, dict[str, Any]] = {
    # Every label stands at the middle of its tick: Streamlit pushes those at the ends inwards, off their grid lines.
    "axis": {**_WORDS, **_COLOURS, "labelFlush": False},
    "legend": {**_WORDS, **_COLOURS, "symbolSize": area(100)},
    "text": {"fontSize": grown(MIN_SIZE)},
}
