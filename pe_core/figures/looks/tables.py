"""The tables of a picture for a file: columns that mean something to people, with heads in the words of the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a page that draws a kept figure does without
    import pandas as pd

# Columns that only place a mark. Their axis has a title all the same.
_PLACES = frozenset({"left", "right", "top", "bottom", "roof", "url", "numbers", "colour"})
# Channels without a title of their own whose field still tells marks apart, as a legend without a title does.
_TELLING = frozenset({"color", "fill", "stroke", "shape", "strokeDash", "row", "column", "facet"})
MIN_COLUMNS = 2  # a single one says where something is drawn, and nothing of it
# Of lines with a range, and of what is marked at an axis.
_COMMON = {"label": "Label", "min": "Minimum", "max": "Maximum", "n": "Runs"}


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
    """Return the tables of a file for `frames` with short names of columns: `words` gives those of the axes.

    Columns and frames that only place marks are left out.
    """
    tables: dict[str, Callable[[], pd.DataFrame]] = {}
    for name, frame in frames.items():
        found = _distinct({**_COMMON, **words}, list(frame.columns))
        if len(found) >= MIN_COLUMNS:
            tables[name] = partial(renamed, frame, found)
    return tables


def renamed(frame: pd.DataFrame, found: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns that are named in `found`, under the heads that it gives them."""
    return frame[list(found)].rename(columns=found)
