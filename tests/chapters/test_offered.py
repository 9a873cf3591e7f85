"""Every picture of every chapter: the Python that is offered with it makes it, and each of its arguments matters.

A test module of a chapter has the name of the chapter and a table `PICTURES`: under every picture of the chapter two or
more sets of arguments. The first is the one to start from; each value of the second must fit into the first, and what
cannot change alone is the same in both. Arguments that change the spec of a picture, and not its numbers alone, stand
in `NEW_SPEC`, a set of pairs of picture and name.
"""

import importlib
import inspect
from functools import partial
from pathlib import Path

import pytest

from pe_core import chapters
from pe_core.figures.figure import Figure
from tests.chapters.offered import alike, offered, same, tables

MODULES = {path.stem for path in Path(chapters.__file__).parent.glob("*.py")}
TESTED = {
    path.stem.removeprefix("test_"): importlib.import_module(f"tests.chapters.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    if path.stem.removeprefix("test_") in MODULES
}
CHAPTERS = {chapter: tested for chapter, tested in TESTED.items() if hasattr(tested, "PICTURES")}
SETS = {
    f"{chapter}-{draw.__name__}-{number}": (draw, arguments)
    for chapter, tested in CHAPTERS.items()
    for draw, sets in tested.PICTURES.items()
    for number, arguments in enumerate(sets)
}
ARGUMENTS = {
    f"{chapter}-{draw.__name__}-{name}": (draw, sets[0], name, sets[1][name], getattr(tested, "NEW_SPEC", ()))
    for chapter, tested in CHAPTERS.items()
    for draw, sets in tested.PICTURES.items()
    for name in sets[0]
    if sets[1][name] != sets[0][name]
}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_picture_is_missing(chapter):
    module = importlib.import_module(f"pe_core.chapters.{chapter}")
    own = [found for _, found in inspect.getmembers(module, inspect.isfunction) if found.__module__ == module.__name__]
    pictures = {found for found in own if inspect.signature(found).return_annotation is Figure}
    missing = {found.__name__ for found in pictures - set(CHAPTERS[chapter].PICTURES)}
    assert not {name for name in missing if not name.startswith("_")}


@pytest.mark.parametrize(("draw", "arguments"), SETS.values(), ids=SETS)
def test_the_python_that_is_offered_makes_the_same_picture(draw, arguments, tmp_path):
    picture = partial(draw, **arguments)
    assert alike(offered(picture, tmp_path), picture())


@pytest.mark.parametrize(("draw", "first", "name", "value", "new_spec"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_every_argument_changes_the_numbers_and_not_the_spec(draw, first, name, value, new_spec):
    before, after = draw(**first), draw(**{**first, name: value})
    assert not same(tables(before), tables(after))
    assert (before.spec != after.spec) == ((draw, name) in new_spec)
