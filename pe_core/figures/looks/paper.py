"""What a picture looks like in a file: the looks of the app's two themes, and the sizes that are often needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pe_core.figures.looks.palette import CATEGORICAL, CONFIG
from pe_core.parameters import require

MIN_SIDE, MAX_SIDE = 100, 4_000  # pixels of a picture, before they are scaled
MAX_SCALE = 4
UNSEEN = "unseen"  # name of a layer that only a pointer finds, for what it tells


@dataclass(frozen=True)
class Size:
    """A size of a picture in a file: pixels, how many of a PNG there are for each of them, and what it is for.

    Words hardly have more pixels in a larger picture, so what is drawn small and scaled up has large type. Without a
    `height` it is that of the page.
    """

    title: str
    width: int
    height: int | None
    scale: float


SIZES: Mapping[str, Size] = {
    "slide": Size("Slide", 800, 450, 2.4),
    "page": Size("Page", 720, None, 2),
    "column": Size("Paper", 440, 320, 3),
}


# Background, text and grid: colours of .streamlit/config.toml; those of the grid are Streamlit's own (release 1.67).
_LOOKS = {"light": ("#FFFFFF", "#111820", "#E6EAF1"), "dark": ("#11161D", "#E8EDF2", "#31333F")}
THEMES = tuple(_LOOKS)
FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif'  # of the app, where it is installed


def _config(theme: str) -> dict[str, Any]:
    """Return what Streamlit gives every chart (release 1.67), and our own sizes and colours."""
    background, text, grid = _LOOKS[theme]
    words = {"labelFontWeight": 400, "titleFontWeight": 400}
    return {
        "font": FONT,
        "background": background,
        "autosize": {"type": "fit", "contains": "padding"},
        "axis": {
            **words,
            "ticks": False,
            "gridColor": grid,
            "domain": False,
            "labelLimit": 100,
            "titlePadding": 16,
            "labelPadding": 16,
            "labelSeparation": 4,
            "labelOverlap": True,
            **CONFIG["axis"],
        },
        "legend": {
            **words,
            **CONFIG["legend"],
            "titlePadding": 8,
            "labelPadding": 16,
            "columnPadding": 8,
            "rowPadding": 4,
            "padding": 8,
            "symbolStrokeWidth": 4,
        },
        "title": {"align": "left", "anchor": "start", "color": text, "orient": "top", "offset": 26},
        "text": CONFIG["text"],
        "range": {"category": list(CATEGORICAL)},
        "view": {"strokeWidth": 0, "stroke": "transparent"},
        "mark": {"color": CATEGORICAL[0]},
        "bar": {"binSpacing": 4, "discreteBandSize": {"band": 0.85}},
        "axisDiscrete": {"grid": False},
    }


def on_paper(spec: Mapping[str, Any], *, width: int, height: int, theme: str) -> dict[str, Any]:
    """Return a spec as it is drawn into a file of this size in pixels and this theme; `ValueError` for others."""
    require(theme in THEMES, "theme", f"be one of {', '.join(THEMES)}", repr(theme))
    for name, side in (("width", width), ("height", height)):
        is_side = isinstance(side, int) and MIN_SIDE <= side <= MAX_SIDE
        require(is_side, name, f"be a whole number from {MIN_SIDE} to {MAX_SIDE:,}", side)
    own, given = spec.get("config", {}), _config(theme)
    config = {**given, **{part: _over(given.get(part), said) for part, said in own.items()}}
    drawn = {"width": width, "height": height, **spec, "config": config}
    if "layer" in spec:
        drawn["layer"] = [layer for layer in spec["layer"] if layer.get("name") != UNSEEN]
    return drawn


def _over(given: Any, said: Any) -> Any:
    """Return what is said of a part, over what is given of it."""
    return {**given, **said} if isinstance(given, dict) and isinstance(said, dict) else said
