"""Pictures of the self-test: the mark stands at the answer, and every number that is given changes the picture."""

import inspect
import math

import pytest

from pe_core.chapters import selftest as pictures
from pe_core.figures.figure import Figure
from pe_core.quiz import QUESTIONS

BY_A_LINE = {"unfinished_pairs"}  # its answer is counted, not read at a place
MARKED = [key for key in QUESTIONS if key not in BY_A_LINE]

# Twice the number might lie outside of the picture.
LOWERED = {"pair", "head", "position", "column", "query", "n_layers", "distance", "factor", "length"}


def numbers(figure):
    return {name: frame.to_dict("list") for name, frame in figure.frames.items()}


def test_there_is_a_picture_for_every_kind_with_its_numbers_as_arguments():
    assert set(pictures.DRAWN) == set(QUESTIONS)
    for key, draw in pictures.DRAWN.items():
        assert set(inspect.signature(draw).parameters) == set(QUESTIONS[key].ask(0).given)


@pytest.mark.parametrize("key", MARKED)
def test_the_mark_stands_at_the_answer_and_on_the_curve(key):
    for seed in range(15):
        question = QUESTIONS[key].ask(seed)
        figure = pictures.DRAWN[key](**question.given)
        answer = figure.frames["answer"].iloc[0]
        assert answer.y == pytest.approx(question.answer, rel=1e-9, abs=1e-12)
        curves = figure.frames["lines"]
        assert not curves.isna().any(axis=None)
        first = curves[curves.name == curves.name.iloc[0]]
        place = (first.x - answer.x).abs().idxmin()
        assert first.loc[place].x == pytest.approx(answer.x)
        assert first.loc[place].y == pytest.approx(answer.y, abs=1e-12)


def test_the_pairs_above_the_line_are_the_unfinished_ones():
    for seed in range(15):
        question = QUESTIONS["unfinished_pairs"].ask(seed)
        figure = pictures.unfinished_pairs(**question.given)
        assert figure.frames["levels"].y.to_list() == [question.given["train_length"]]
        assert (figure.frames["points"].y > question.given["train_length"]).sum() == question.answer


@pytest.mark.parametrize("key", QUESTIONS)
def test_every_given_number_changes_the_picture_and_none_the_spec(key):
    asked = (QUESTIONS[key].ask(seed).given for seed in range(100))
    given = next(given for given in asked if all(given[name] > 2 for name in LOWERED & given.keys()))
    first = pictures.DRAWN[key](**given)
    assert isinstance(first, Figure)
    for name, value in given.items():
        changed = value - 1 if name in LOWERED else 2 * value
        other = pictures.DRAWN[key](**{**given, name: changed})
        assert numbers(other) != numbers(first), name
        assert other.spec == first.spec


@pytest.mark.parametrize("key", QUESTIONS)
def test_every_picture_can_be_drawn(key):
    assert "NaN" not in pictures.DRAWN[key](**QUESTIONS[key].ask(3).given).svg()


def test_a_slip_is_drawn_as_what_it_adds_to_the_right_numbers():
    table = pictures.slip(name="from_one", length=3, width=4, base=100).frames["table"]
    assert len(table) == 12
    cell = table[(table.row == 1) & (table.column == 2)].value.item()
    assert cell == pytest.approx(math.sin(2 / 10) - math.sin(1 / 10), abs=1e-12)


def test_numbers_are_drawn_as_what_is_too_much():
    ours = [math.sin(0), math.cos(0), math.sin(1), math.cos(1)]
    table = pictures.own_numbers(numbers=[0.5, 1.0, ours[2], ours[3] - 0.25], length=2, width=2, base=10).frames[
        "table"
    ]
    assert table.value.to_list() == pytest.approx([0.5, 0, 0, -0.25], abs=1e-12)


@pytest.mark.parametrize("change", [{"name": "halves"}, {"length": 5}, {"width": 8}, {"base": 10}])
def test_everything_about_a_slip_changes_its_picture(change):
    first = {"name": "own_exponent", "length": 4, "width": 6, "base": 100}
    assert numbers(pictures.slip(**{**first, **change})) != numbers(pictures.slip(**first))
