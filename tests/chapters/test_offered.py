"""Every picture of every chapter: the Python that is offered with it makes it, and each of its arguments matters.

A test module of a chapter may have a table `PICTURES`: under every picture two or more sets of arguments. The first is
the one to start from; each value of the second must fit into the first, one at a time, and what cannot change alone is
the same in both. Arguments that change the spec of a picture, and not its numbers alone, stand in `NEW_SPEC`, a set of
pairs of picture and name.
"""

import importlib
import inspect
from functools import partial
from pathlib import Path

import pytest

from pe_core.figures.figure import Figure
from tests.cases import each
from tests.chapters.offered import alike, offered, same, tables

TABLES = [
    importlib.import_module(f"tests.chapters.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    if "\nPICTURES = " in path.read_text(encoding="utf-8") and path.stem != Path(__file__).stem
]
CHAPTERS = {}  # the pictures of each, with their sets of arguments
for draw, sets in [one for table in TABLES for one in table.PICTURES.items()]:
    CHAPTERS.setdefault(draw.__module__.rsplit(".", 1)[1], {})[draw] = sets
NEW_SPEC = {pair for table in TABLES for pair in getattr(table, "NEW_SPEC", ())}
PICTURES = {
    f"{chapter}-{draw.__name__}": (draw, sets) for chapter, drawn in CHAPTERS.items() for draw, sets in drawn.items()
}


@each("chapter", CHAPTERS)
def test_no_picture_is_missing(chapter):
    module = importlib.import_module(f"pe_core.chapters.{chapter}")
    own = [found for _, found in inspect.getmembers(module, inspect.isfunction) if found.__module__ == module.__name__]
    pictures = {found for found in own if inspect.signature(found).return_annotation is Figure}
    missing = {found.__name__ for found in pictures - set(CHAPTERS[chapter])}
    assert not {name for name in missing if not name.startswith("_")}


@pytest.mark.parametrize(("draw", "sets"), PICTURES.values(), ids=PICTURES)
def test_the_offered_python_makes_the_picture_and_every_argument_changes_numbers_and_not_the_spec(draw, sets, tmp_path):
    first, second, *others = sets
    before = draw(**first)
    assert alike(offered(partial(draw, **first), tmp_path), before)
    for arguments in others:
        assert alike(offered(partial(draw, **arguments), tmp_path), draw(**arguments)), arguments
    numbers = tables(before)
    for name in first:
        if second[name] != first[name]:
            after = draw(**{**first, name: second[name]})
            anew = (draw, name) in NEW_SPEC
            assert anew or not same(numbers, tables(after)), name
            assert (before.spec != after.spec) == anew, name
