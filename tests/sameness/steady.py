"""Values as they are compared: numbers rounded, images as hashes, without what differs from recording to recording."""

import hashlib
import json
import re
from typing import Any

import pyarrow as pa

DIGITS = 9  # significant ones of every number: what is computed in another order may differ beyond
MAX_TEXT = 400  # characters of a text in a frame or a spec; what is longer is an image or a packed table, and is hashed

# What differs between two recordings of one tree, and what stands in its place: pattern, replacement, reason.
UNSTEADY = [
    (r"about \*\*\d+ (s|min)\*\*", "about **…**", "the expected time of a run is measured on the machine"),
    (r"[\d,]+ tokens/s", "… tokens/s", "the speed of a run"),
    (r"\d+ (s|min) left", "… left", "the time that a run has left"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?", "<when>", "the time at which a run was begun"),
]
# The same in files: of the lab, on its page and by its command.
UNSTEADY_IN_FILES = [
    (r'"run": "[0-9a-f]{64}"', '"run": …', "the hash of a run has the source of the code in it"),
    (r"-?\d+\.\d{9,}(e[+-]?\d+)?", None, "numbers are rounded, as everywhere"),
]


class Numbers(str):
    """The numbers of a column as one text."""


def frame(data: bytes, with_types: bool) -> dict[str, Any]:
    """Return a table of Arrow: a text of all numbers for each column of numbers, a list for any other.

    The types of a chart's columns make no difference in a browser, those of a table do: 1 and 1.00.
    """
    table = pa.ipc.open_stream(data).read_all()
    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        name = f"{field.name}: {field.type}" if with_types else field.name
        columns[name] = _column(column)
    return {"rows": table.num_rows, "columns": columns}


def _column(column: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], kind.value_type)
    values = column.to_pylist()
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        return Numbers(" ".join("-" if value is None else _number(value) for value in values))
    return [_round(value) for value in values]


def _number(value: float) -> str:
    text = f"{value:.{DIGITS}g}"
    return "0" if text == "-0" else text  # a zero with a sign looks like one without


def _round(value: Any) -> Any:
    """Return a value as JSON holds it: rounded numbers, long texts as hashes."""
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        text = _number(value)
        if text in ("nan", "inf", "-inf"):
            return text
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): _round(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_round(one) for one in value]
    return str(value)


def _steady(value: Any) -> Any:
    """Replace what differs from recording to recording in all texts, and long packed ones by their hashes."""
    if isinstance(value, Numbers):
        return value
    if isinstance(value, str):
        if len(value) > MAX_TEXT and (value.startswith("data:") or " " not in value):
            return f"sha256 {hashlib.sha256(value.encode()).hexdigest()[:16]} of {len(value)} characters"
        for pattern, instead, _ in UNSTEADY:
            value = re.sub(pattern, instead, value)
        return value
    if isinstance(value, dict):
        return {_steady(name): _steady(one) for name, one in value.items()}
    return [_steady(one) for one in value] if isinstance(value, list) else value


def steady_file(text: str) -> str:
    """Return the text of a file without what differs from recording to recording, its numbers rounded."""
    for pattern, instead, _ in UNSTEADY_IN_FILES:
        text = re.sub(pattern, instead or (lambda found: _number(float(found[0]))), text)
    return text


def plain(value: Any) -> str:
    """Return a value as canonical JSON."""
    return json.dumps(_steady(_round(value)), ensure_ascii=False, sort_keys=True)
