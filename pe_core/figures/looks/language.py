"""A picture in another language: the words of its spec, and those in the columns of its frames.

Both go through the same function, so that what a spec compares with a column still finds it there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a page that draws a kept figure does without
    import pandas as pd

from pe_core.translation import Say

# The keys of a spec whose strings, or lists of strings, are read by people, and those that hold expressions.
_WORDS = {"title", "text", "domain", "sort", "values", "label", "labels", "equal", "oneOf"}
_EXPRESSIONS = {"expr", "labelExpr", "calculate", "filter", "test", "update", "signal", "value", "text", "title"}
# Vega's own names of places: they stand in expressions too, and may be words of a picture elsewhere.
_PLACES = {"left", "right", "center", "top", "bottom", "middle", "start", "end", "row", "column", "color", "x", "y"}
_QUOTED = re.compile(r"'([^'\\]*)'|(\"(?:[^\"\\]|\\.)*\")")  # as written by hand, or as JSON
_NUMBERS = "biufc"  # kinds of columns that hold no words
_KEYS = {"key", "kind"}  # columns by which a page knows what was clicked, where a frame has both


def spec_in(spec: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return a spec with its words as `say` says them; quoted pieces of expressions are words too."""
    return {name: _part(one, say, name, "") for name, one in spec.items()}


def frame_in(frame: pd.DataFrame, say: Say) -> pd.DataFrame:
    """Return a frame with its words as `say` says them; the frame itself where it has none."""
    keys = _KEYS if set(frame.columns) >= _KEYS else set()
    changed = {}
    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if name not in keys and kind.kind not in _NUMBERS:
            said = _column(frame[name], say)
            if said is not None:
                changed[name] = said
    if not changed:
        return frame
    worded = frame.copy(deep=False)
    for name, column in changed.items():
        worded[name] = column
    return worded


def _column(column: pd.Series[Any], say: Say) -> list[Any] | None:
    """Return a column with its words as `say` says them, each looked up once; None where none of them changes."""
    if column.dtype == object:  # may hold lists
        said_of_each = [_cell(value, say) for value in column]
        return None if said_of_each == column.tolist() else said_of_each
    said = {value: _cell(value, say) for value in column.unique()}
    if all(text == value for value, text in said.items() if isinstance(value, str)):
        return None
    return [said.get(value, value) for value in column.tolist()]  # what is missing is equal to nothing


def _cell(value: object, say: Say) -> object:
    """Return what a cell holds, or a whole row of cells, with its words as `say` says them."""
    if isinstance(value, list):
        return [_cell(one, say) for one in value]
    if isinstance(value, Mapping):
        return {name: _cell(one, say) for name, one in value.items()}
    return say(value) if isinstance(value, str) and not value.startswith("data:") else value


def _part(part: Any, say: Say, key: str, above: str) -> Any:
    """Return a part of a spec, which stands under a key that itself stands under another one."""
    if isinstance(part, dict):
        if key == "datasets":
            return {name: _cell(rows, say) for name, rows in part.items()}
        if key == "data" and "values" in part:
            return {**part, "values": _cell(part["values"], say)}
        return {name: _part(one, say, name, key) for name, one in part.items()}
    if isinstance(part, list):
        return [_part(one, say, key, above) for one in part]
    if not isinstance(part, str):
        return part
    if key in _EXPRESSIONS and _QUOTED.search(part):
        return _QUOTED.sub(partial(_literal, say=say), part)
    shown = key in _WORDS or (key, above) in {("name", "bind"), ("value", "text"), ("value", "tooltip")}
    return say(part) if shown else part


def _literal(found: re.Match[str], say: Say) -> str:
    text = found[1] if found[1] is not None else json.loads(found[2])
    said = text if not text or text in _PLACES else say(text)
    if said == text:
        return found[0]
    return f"'{said}'" if found[1] is not None else json.dumps(said, ensure_ascii=False)


_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<text y="30" font-size="30" font-family="sans-serif">{}</text></svg>'
)
SAMPLES = "水火"  # two Chinese characters that look nothing like each other


@cache
def has_chinese() -> bool:
    """Return whether a picture in a file can hold Chinese: without a font all characters look the same."""
    import vl_convert  # only files need it

    one, other = (vl_convert.svg_to_png(_SVG.format(sample)) for sample in SAMPLES)
    return bool(one != other)
