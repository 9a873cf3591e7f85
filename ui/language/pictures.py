"""Pictures in the visitor's language: the words of a spec, and those in the columns of its frames.

Both go through the same catalogue, so that what a spec compares with a column still finds it there.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ui.language.catalogue import Catalogue, catalogue
from ui.language.words import language

if TYPE_CHECKING:
    import pandas as pd

Spec = dict[str, Any]

MAX_KEPT = 256  # specs and frames that are kept in another language, by the one that they were made of
WORDS = {"title", "text", "domain", "sort", "values", "label", "labels", "name", "description", "equal", "oneOf"}
EXPRESSIONS = {"expr", "labelExpr", "calculate", "filter", "test", "update", "signal", "value", "text", "title"}
# Of Vega's own: never words, though a catalogue may hold them.
_PLACES = {"left", "right", "center", "top", "bottom", "middle", "start", "end", "row", "column", "x", "y"}
_QUOTED = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")
# Where a `name` is shown, and not the name of a part of the picture.
_LABELLED = "bind"

_kept: dict[tuple[int, str], tuple[object, Any]] = {}


def spec_in_words(spec: Spec) -> Spec:
    """Return a spec in the visitor's language; the same one for the same spec."""
    known = catalogue(language())
    return _once(spec, partial(_part, known=known)) if known else spec


def frame_in_words(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a frame whose words are in the visitor's language; the frame itself where it has none."""
    known = catalogue(language())
    return _once(frame, partial(_columns, known=known)) if known else frame


def _once(made_of: Any, translate: Any) -> Any:
    """Return what was made of an object before, or make it; the object is held, so that no other gets its address."""
    key = id(made_of), language()
    found = _kept.get(key)
    if found is None or found[0] is not made_of:
        if len(_kept) >= MAX_KEPT:
            _kept.pop(next(iter(_kept)), None)
        found = _kept[key] = made_of, translate(made_of)
    return found[1]


def _columns(frame: "pd.DataFrame", known: Catalogue) -> "pd.DataFrame":
    worded = {
        name: column.map(partial(_cell, known=known))
        for name, column in frame.items()
        if column.dtype.kind not in "biufc"
    }
    changed = {name: column for name, column in worded.items() if not column.equals(frame[name])}
    if not changed:
        return frame
    said = frame.copy(deep=False)
    for name, column in changed.items():
        said[name] = column
    return said


def _cell(value: object, known: Catalogue) -> object:
    if isinstance(value, list):
        return [_cell(one, known) for one in value]
    return known.say(value) if isinstance(value, str) and not value.startswith("data:") else value


def _part(part: Any, known: Catalogue, key: str = "", above: str = "") -> Any:
    """Return a part of a spec, which stands under a key that itself stands under another one."""
    if isinstance(part, dict):
        if key == "datasets":
            return {name: [_row(row, known) for row in rows] for name, rows in part.items()}
        if key == "data" and "values" in part:
            return {**part, "values": [_row(row, known) for row in part["values"]]}
        return {name: _part(one, known, name, key) for name, one in part.items()}
    if isinstance(part, list):
        return [_part(one, known, key, above) for one in part]
    if not isinstance(part, str):
        return part
    if key in EXPRESSIONS and _QUOTED.search(part):
        return _QUOTED.sub(partial(_literal, known=known), part)
    if key in WORDS and (key != "name" or above == _LABELLED):
        return known.say(part)
    if key == "value" and above in ("text", "tooltip"):
        return known.say(part)
    return part


def _row(row: Mapping[str, object] | object, known: Catalogue) -> object:
    if isinstance(row, Mapping):
        return {name: _cell(value, known) for name, value in row.items()}
    return _cell(row, known)


def _literal(found: re.Match[str], known: Catalogue) -> str:
    text = found[1] if found[1] is not None else found[2]
    said = text if text in _PLACES else known.exact(text)
    return found[0] if said == text else found[0].replace(text, said)
