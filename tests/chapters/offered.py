"""Run the Python that the app offers with a picture, compare pictures by their numbers, and see that they are sound."""

import re
from contextlib import chdir
from itertools import product

from pe_core.chapters.script import RUN_FILE, python
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import to_json


def sets(names, *rows):
    """Sets of arguments, one of each row: its values under these names, which are parted by spaces."""
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)


def offered(picture, folder):
    """The figure that the offered Python makes when it is run in a folder, where it leaves an SVG file.

    The run of a picture lies there as the file that is offered beside the Python.
    """
    names = {}
    for value in picture.keywords.values():
        if isinstance(value, RunRecord):
            (folder / RUN_FILE).write_text(to_json(value), encoding="utf-8")
    with chdir(folder):
        exec(python(picture), names)
    svg = (folder / f"{picture.func.__name__}.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    numbers = re.sub(r"base64,[^\"]*", "", svg)  # an image may have these letters by chance
    assert "NaN" not in numbers, re.findall(r".{0,200}NaN.{0,200}", numbers)
    return names["figure"]


def alike(one, other):
    """Whether two figures have the same spec, frames and numbers."""
    pairs = [(one.frames, other.frames), (one.tables(), other.tables())]
    return one.spec == other.spec and all(
        left.keys() == right.keys() and all(left[name].equals(right[name]) for name in left) for left, right in pairs
    )


def tables(figure):
    """The frames of a figure, and its tables for a file, by name, with rows counted from 0."""
    files = {f"file of {name}": table for name, table in figure.tables().items()}
    return {name: table.reset_index(drop=True) for name, table in {**figure.frames, **files}.items()}


def same(one, other):
    """Whether two sets of tables are equal, name by name."""
    return one.keys() == other.keys() and all(one[name].equals(other[name]) for name in one)


def at_ends(**row):
    """Every combination of the first and the last value of these parameters, as arguments."""
    ends = [(one.choices[0], one.choices[-1]) if one.choices else (one.minimum, one.maximum) for one in row.values()]
    return [
        {name: type(one.default)(value) for (name, one), value in zip(row.items(), values, strict=True)}
        for values in product(*ends)
    ]


def sound(figure):
    """Whether all frames of a figure hold something and nothing in it, nor among its facts, is NaN."""
    frames = all(not frame.empty and not frame.isna().any(axis=None) for frame in figure.frames.values())
    return frames and all(fact == fact and "nan" not in str(fact).split() for fact in figure.facts.values())
