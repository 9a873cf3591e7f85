"""The spec of every picture is the one that was kept: no axis is turned around, no two lines or colours swapped.

Specs are kept by chapter in tests/figures/specs. Where a change of one is meant, look at the picture and renew them
with `python -m tests.figures.test_specs`; what git then shows is the change.
"""

import json
from functools import partial
from pathlib import Path

import pytest

from pe_core.chapters import lab
from pe_core.chapters.length_cost import length_cost
from pe_core.figures.two_sides import pair
from pe_core.files import KEPT_RUNS
from pe_core.lab.results.record_file import from_json
from tests.chapters.test_offered import CHAPTERS

FOLDER = Path(__file__).with_name("specs")


def kept(name):
    return from_json((KEPT_RUNS / f"{name}.json").read_text(encoding="utf-8"))


def pictures():
    """The pictures of every chapter at its first arguments, and those of kept runs of the lab, by chapter and name."""
    found = {
        chapter: {draw.__name__: partial(draw, **sets[0]) for draw, sets in tested.PICTURES.items()}
        for chapter, tested in CHAPTERS.items()
    }
    text, task, repaired = kept("default"), kept("copy"), kept("repair")
    found["runs"] = {
        **{
            f"{draw.__name__} of a {kind}": partial(draw, record)
            for kind, record in (("text", text), ("task", task))
            for draw in (lab.training_curves, lab.position_losses, lab.length_losses)
        },
        **{name: partial(lab.right_answers, task, name) for name in lab.TITLES},
        "repaired by length": partial(lab.by_length, repaired, "rope"),
        "repaired by position": partial(lab.by_position, repaired, "rope"),
        "length_cost": partial(length_cost, text),
        "pair": partial(pair, text, "rope", "alibi", "ratio"),
    }
    return found


PICTURES = {(chapter, name): draw for chapter, drawn in pictures().items() for name, draw in drawn.items()}


@pytest.mark.parametrize(("chapter", "name"), PICTURES, ids="-".join)
def test_the_spec_is_the_one_that_was_kept(chapter, name):
    path = FOLDER / f"{chapter}.json"
    specs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    assert name in specs, "a new picture: keep its spec with python -m tests.figures.test_specs"
    assert json.loads(json.dumps(PICTURES[chapter, name]().spec)) == specs[name]


def test_no_spec_is_kept_of_a_picture_that_is_gone():
    there = {(path.stem, name) for path in FOLDER.glob("*.json") for name in json.loads(path.read_text("utf-8"))}
    assert there <= set(PICTURES)


def renew():
    """Keep the specs as they are now."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for chapter in dict.fromkeys(chapter for chapter, _ in PICTURES):
        specs = {name: draw().spec for (own, name), draw in PICTURES.items() if own == chapter}
        text = json.dumps(specs, indent=1, sort_keys=True, ensure_ascii=False)
        (FOLDER / f"{chapter}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
