"""What every figure function returns: a spec that stays the same, the frames that change, and its tables for a file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial, wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, cast

if TYPE_CHECKING:  # a page that draws a kept figure does without
    import altair as alt
    import pandas as pd

from pe_core.figures.looks import motion
from pe_core.figures.looks.paper import MAX_SCALE, on_paper
from pe_core.files import write_whole
from pe_core.parameters import Value, require

# The numbers that sentences about a figure quote, by name. They are numbers wherever they can be: the sentence says
# with how many digits. A list of them, or the name of the sentence that is true, is a text.
Facts = Mapping[str, object]

WIDTH, HEIGHT = 720, 400  # pixels of a picture in a file, unless another size is asked for
SCALE = 2  # pixels of a PNG for each of these
MAX_SPECS = 256  # of one kind that are kept: where a visitor names the lines, he may name them in any number of ways

# Columns that only place a mark. Their axis has a title all the same.
_PLACES = frozenset({"left", "right", "top", "bottom", "roof", "url", "numbers", "colour"})
# Channels without a title of their own whose field still tells marks apart, as a legend without a title does.
_TELLING = frozenset({"color", "fill", "stroke", "shape", "strokeDash", "row", "column", "facet"})
MIN_COLUMNS = 2  # a single one says where something is drawn, and nothing of it
# Of lines with a range, and of what is marked at an axis.
_COMMON = {"label": "Label", "min": "Minimum", "max": "Maximum", "n": "Runs"}

_ALONE = RLock()
P = ParamSpec("P")
Built = TypeVar("Built")


def built_once(build: Callable[P, Built]) -> Callable[P, Built]:
    """Decorate what builds a spec with Altair: one thread at a time does, and what it has built is kept.

    In `alt.Y("y").title("Loss")` Altair 6.3 keeps the Y in a place that all threads share until it is told the title.
    Of two threads that built specs beside each other, one in six specs had a title, a scale or a field of the other.
    Altair checks the whole spec in the end, and not each of its parts before.
    """

    @wraps(build)
    def alone(*args: P.args, **kwargs: P.kwargs) -> Built:
        from altair.utils.schemapi import debug_mode  # a page that draws a kept figure does without

        with _ALONE, debug_mode(False):
            return build(*args, **kwargs)

    return cast("Callable[P, Built]", lru_cache(MAX_SPECS)(alone))


def spec_of(
    chart: alt.Chart | alt.LayerChart | alt.FacetChart, *, framed: bool = True, canvas: bool = False
) -> dict[str, Any]:
    """Return the spec of a chart whose marks screen readers skip, on a `canvas` where it has hundreds of them."""
    configured = chart.configure(aria=False)
    spec: dict[str, Any] = (configured if framed else configured.configure_view(stroke=None)).to_dict()
    return {**spec, "usermeta": {"embedOptions": {"renderer": "canvas"}}} if canvas else spec


def chart_of(frame: str) -> alt.Chart:
    """Return a chart of the frame of this name."""
    import altair as alt  # a page that draws a kept figure does without

    return alt.Chart(alt.NamedData(frame))


Tip = tuple[str, str] | tuple[str, str, str]  # of a field as Altair writes it: its title, and its number format (d3)


def tips(*said: Tip) -> list[alt.Tooltip]:
    """Return what a tooltip says, line by line."""
    import altair as alt  # a page that draws a kept figure does without

    return [alt.Tooltip(tip[0], title=tip[1], format=tip[2] if len(tip) == 3 else alt.Undefined) for tip in said]


def heads(spec: Mapping[str, Any], columns: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """Return what the picture calls the columns of each of its frames, given by name; frames without any are left out.

    The title of a tooltip goes before that of an axis or a legend. Columns that no title names only place marks.
    """
    titles: dict[str, dict[str, str]] = {}
    for tips in (True, False):
        for name, channel, one in _channels(spec):
            field, title = one.get("field"), _title(channel, one)
            if (channel == "tooltip") == tips and title and field not in _PLACES:
                titles.setdefault(name, {}).setdefault(str(field), title)
    found = {name: _distinct(titles.get(name, {}), known) for name, known in columns.items()}
    return {name: words for name, words in found.items() if len(words) >= MIN_COLUMNS}


def _distinct(titles: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """Return the heads of those columns that have one; no two are the same."""
    words: dict[str, str] = {}
    for column in columns:
        for head in (titles[column], column.capitalize()) if column in titles else ():
            if column not in words and head not in words.values():
                words[column] = head
    return words


def _channels(spec: Mapping[str, Any], data: str = "", shared: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Yield frame, channel and definition for every field that a spec draws."""
    data = spec.get("data", {}).get("name", data)
    encoding = {**(shared or {}), **spec.get("encoding", {})}
    for layer in spec.get("layer", ()):
        yield from _channels(layer, data, encoding)
    if "mark" in spec:
        for channel, defined in encoding.items():
            for one in defined if isinstance(defined, list) else [defined]:
                condition = one.get("condition", {})
                for either in [one, *(condition if isinstance(condition, list) else [condition])]:
                    if "field" in either:
                        yield data, channel, either


def _title(channel: str, one: Mapping[str, Any]) -> str:
    written = str(one["field"]).capitalize()
    if one.get("title"):
        return str(one["title"])
    if channel in _TELLING:
        return written
    return written if channel == "tooltip" and "title" not in one else ""


def worded(frames: Mapping[str, pd.DataFrame], words: Mapping[str, str]) -> dict[str, Callable[[], pd.DataFrame]]:
    """Return the tables of a file for `frames` with short names of columns: `words` gives those of the axes."""
    tables: dict[str, Callable[[], pd.DataFrame]] = {}
    for name, frame in frames.items():
        found = _distinct({**_COMMON, **words}, list(frame.columns))
        if len(found) >= MIN_COLUMNS:
            tables[name] = partial(renamed, frame, found)
    return tables


def renamed(frame: pd.DataFrame, found: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns that are named in `found`, under the heads that it gives them."""
    return frame[list(found)].rename(columns=found)


@dataclass(frozen=True)
class KeptFigure:
    """A figure as a file keeps it, with its numbers in the spec and the names of its tables: it needs no library."""

    spec: dict[str, Any]
    facts: Facts
    tables: tuple[str, ...]
    frames: ClassVar[dict[str, pd.DataFrame]] = {}
    height: ClassVar[None] = None

    def table_names(self) -> list[str]:
        """Return the names of the tables of a file."""
        return list(self.tables)

    def to_json(self) -> str:
        """Return the file."""
        return json.dumps({"spec": self.spec, "facts": dict(self.facts), "tables": self.tables}) + "\n"

    @staticmethod
    def from_json(content: str) -> KeptFigure:
        """Return what a file holds that `to_json` has written."""
        found = json.loads(content)
        return KeptFigure(found["spec"], found["facts"], tuple(found["tables"]))


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite spec whose data are named, a frame for each name, and the facts that sentences about it quote.

    Specs are built by Altair once per kind of figure (checking one takes some 20 ms) and never hold
    numbers that a slider changes; so a new figure of the same kind is new frames only, and the browser keeps the view
    it has. Where a frame holds an image instead of numbers, or its columns have short names, `behind` gives the table
    for a file, when it is asked for. `height` is that of the picture in pixels, where it follows from the numbers.
    """

    spec: dict[str, Any]
    frames: dict[str, pd.DataFrame]
    behind: Mapping[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    height: int | None = None

    def with_facts(self, facts: Facts) -> Figure:
        """Return the same figure with more facts."""
        return replace(self, facts={**self.facts, **facts})

    def started(self, values: Mapping[str, Value]) -> Figure:
        """Return the figure with what its own controls start with, by name; `ValueError` for one that is not there."""
        return replace(self, spec=motion.started(self.spec, values))

    def standalone(self) -> dict[str, Any]:
        """Return the spec with its data inside, as Vega tools and files take it."""
        return {**self.spec, "datasets": {name: frame.to_dict(orient="records") for name, frame in self.frames.items()}}

    def kept(self) -> KeptFigure:
        """Return the figure for a file: the rows of each frame stand where the spec names it first."""
        left = {name: frame.to_dict(orient="records") for name, frame in self.frames.items()}

        def filled(part: Any) -> Any:
            if isinstance(part, list):
                return [filled(one) for one in part]
            if not isinstance(part, dict):
                return part
            name = part["data"].get("name") if "data" in part else None
            own = {"data": {"name": name, "values": left.pop(name)}} if name in left else {}
            return {**{key: filled(one) for key, one in part.items()}, **own}

        return KeptFigure(filled(self.spec), self.facts, tuple(self.table_names()))

    def _heads(self) -> dict[str, dict[str, str]]:
        """Return the heads of the columns of those frames that stand in a file as they are."""
        plain = {name: list(frame.columns) for name, frame in self.frames.items() if name not in self.behind}
        return heads(self.spec, plain)

    def table_names(self) -> list[str]:
        """Return the names of the tables of a file."""
        known = self._heads()
        return [name for name in self.frames if name in self.behind or name in known]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the numbers of the figure for a file, by name, with heads in the words of the picture."""
        known = self._heads()
        return {
            name: self.behind[name]() if name in self.behind else renamed(self.frames[name], known[name])
            for name in self.table_names()
        }

    def csv(self) -> str:
        """Return the table of the figure as CSV; `ValueError` where it has several, which `zipped` returns."""
        tables = list(self.tables().values())
        require(len(tables) == 1, "a picture in one CSV file", "have one table (a .zip has all)", len(tables))
        return tables[0].to_csv(index=False)

    def zipped(self) -> bytes:
        """Return the tables of the figure as a ZIP file with a CSV file for each."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
            for name, table in self.tables().items():
                file.writestr(f"{name}.csv", table.to_csv(index=False))
        return content.getvalue()

    def _on_paper(self, width: int, height: int | None, theme: str) -> dict[str, Any]:
        height = self.height or HEIGHT if height is None else height
        return on_paper(self.standalone(), width=width, height=height, theme=theme)

    def svg(self, *, width: int = WIDTH, height: int | None = None, theme: str = "light") -> str:
        """Return the figure as SVG of this size in pixels, in the "light" or the "dark" theme."""
        import vl_convert  # only files need it

        drawn: str = vl_convert.vegalite_to_svg(self._on_paper(width, height, theme))
        return drawn

    def png(
        self, *, width: int = WIDTH, height: int | None = None, scale: float = SCALE, theme: str = "light"
    ) -> bytes:
        """Return the figure as PNG with `scale` pixels for each of its width and height, in one of the themes."""
        import vl_convert

        is_scale = isinstance(scale, int | float) and 0 < scale <= MAX_SCALE
        require(is_scale, "scale", f"be a number above 0, at most {MAX_SCALE}", scale)
        drawn: bytes = vl_convert.vegalite_to_png(self._on_paper(width, height, theme), scale=scale)
        return drawn

    def save(
        self,
        path: str | Path,
        *,
        width: int = WIDTH,
        height: int | None = None,
        scale: float = SCALE,
        theme: str = "light",
    ) -> None:
        """Write the figure to a file whose suffix says how: .svg, .png, .csv or .zip; `ValueError` for another one."""
        made: dict[str, Callable[[], bytes]] = {
            ".svg": lambda: self.svg(width=width, height=height, theme=theme).encode(),
            ".png": lambda: self.png(width=width, height=height, scale=scale, theme=theme),
            ".csv": lambda: self.csv().encode(),
            ".zip": self.zipped,
        }
        suffix = Path(path).suffix
        require(suffix in made, "the suffix of path", f"be one of {', '.join(made)}", suffix)
        write_whole(Path(path), made[suffix]())

    def _repr_svg_(self) -> str:
        """Return the figure as notebooks show it."""
        return self.svg()


Call = partial[Figure]  # that makes a picture: a page makes it, and can also write it down as Python
