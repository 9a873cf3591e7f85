"""What every figure function returns: a spec that stays the same, and the frames that change."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pe_core.files import write_whole
from pe_core.parameters import require

# The numbers that sentences about a figure quote, by name. They are numbers wherever they can be: the sentence says
# with how many digits. A list of them, or the name of the sentence that is true, is a text.
Facts = Mapping[str, object]

WIDTH, HEIGHT = 720, 400  # pixels of a picture in a file, where it has no size of its own
SUFFIXES = (".svg", ".png", ".csv")
# Specs of one kind that are kept where a visitor names the lines: he may name them in any number of ways.
MAX_SPECS = 256
UNSEEN = "unseen"  # name of a layer that only a pointer finds, for what it tells


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite spec whose data are named, a frame for each name, and the facts that sentences about it quote.

    Specs are built by Altair once per kind of figure (checking one takes some 20 ms) and never hold
    numbers that a slider changes; so a new figure of the same kind is new frames only, and the browser keeps the view
    it has. Where a frame holds an image instead of numbers, or its columns have short names, `behind` gives the table
    for a file, when it is asked for.
    """

    spec: dict[str, Any]
    frames: dict[str, pd.DataFrame]
    behind: Mapping[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)

    def with_facts(self, facts: Facts) -> "Figure":
        """Return the same figure with more facts."""
        return replace(self, facts={**self.facts, **facts})

    def standalone(self) -> dict[str, Any]:
        """Return the spec with its data inside, as Vega tools and files take it."""
        datasets = {name: frame.to_dict(orient="records") for name, frame in self.frames.items()}
        return {**self.spec, "datasets": datasets}

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the numbers of the figure by name: its frames, and for an image the numbers behind it."""
        return {name: self.behind[name]() if name in self.behind else frame for name, frame in self.frames.items()}

    def csv(self) -> str:
        """Return the numbers of the figure as CSV; where it has several tables, each under a line with its name."""
        tables = {name: table.to_csv(index=False) for name, table in self.tables().items()}
        if len(tables) == 1:
            return next(iter(tables.values()))
        return "\n".join(f"# {name}\n{table}" for name, table in tables.items())

    def svg(self, *, height: int = HEIGHT) -> str:
        """Return the figure as SVG, `height` pixels high."""
        import vl_convert  # only files need it

        drawn: str = vl_convert.vegalite_to_svg(self._sized(height))
        return drawn

    def png(self, *, height: int = HEIGHT) -> bytes:
        """Return the figure as PNG, two pixels for each of `height`."""
        import vl_convert

        drawn: bytes = vl_convert.vegalite_to_png(self._sized(height), scale=2)
        return drawn

    def save(self, path: str | Path, *, height: int = HEIGHT) -> None:
        """Write the figure to a file whose suffix says how: .svg, .png or .csv; `ValueError` for another one."""
        path = Path(path)
        require(path.suffix in SUFFIXES, "the suffix of path", f"be one of {', '.join(SUFFIXES)}", path.suffix)
        if path.suffix == ".png":
            write_whole(path, self.png(height=height))
        else:
            text = self.svg(height=height) if path.suffix == ".svg" else self.csv()
            write_whole(path, text.encode())

    def _sized(self, height: int) -> dict[str, Any]:
        spec = self.standalone()
        if "layer" in spec:
            spec = {**spec, "layer": [layer for layer in spec["layer"] if layer.get("name") != UNSEEN]}
        if "layer" in spec or "mark" in spec:  # what is put together of several views has their sizes
            spec = {"width": WIDTH, "height": height, **spec}
        return {"background": "#FFFFFF", **spec}


def header(words: str) -> str:
    """Return the words of an axis as the header of a column: "Wavelength (tokens)" is wavelength_tokens."""
    return re.sub(r"\W+", "_", words.lower()).strip("_")


def worded(frames: Mapping[str, pd.DataFrame], words: Mapping[str, str]) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return the tables of a file for `frames` with short names of columns: `words` gives those of the axes."""
    headers = {column: header(said) for column, said in words.items()}

    def table(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.rename(columns=headers)

    return {name: partial(table, frame) for name, frame in frames.items()}
