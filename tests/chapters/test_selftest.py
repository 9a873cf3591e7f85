"""The self-test: the mark of a picture stands at the answer, and a table of one's own is judged with its numbers."""

import inspect
import math

import pytest

from pe_core.chapters import selftest as pictures
from pe_core.quiz.questions import QUESTIONS, QuizQuestion
from tests.cases import each
from tests.chapters.offered import sets

BY_A_LINE = {"unfinished_pairs"}  # its answer is counted, not read at a place
MARKED = [key for key in QUESTIONS if key not in BY_A_LINE]

# Twice the number might lie outside of the picture.
LOWERED = {"pair", "head", "position", "column", "query", "n_layers", "distance", "factor", "length"}


def with_others(key):
    """Numbers that a question of this kind gives, and others, each of which fits into the first."""
    asked = (QUESTIONS[key].ask(seed).given for seed in range(100))
    given = next(given for given in asked if all(given[name] > 2 for name in LOWERED & given.keys()))
    return given, {name: value - 1 if name in LOWERED else 2 * value for name, value in given.items()}


OURS = [math.sin(0), math.cos(0), math.sin(1), math.cos(1)]
PICTURES = {draw: with_others(key) for key, draw in pictures.DRAWN.items()} | {
    pictures.common_mistake: sets("name length width base", ("own_exponent", 4, 6, 100), ("halves", 5, 8, 10)),
    pictures.own_numbers: sets(  # their size is that of the numbers
        "numbers length width base", ([*OURS, *OURS], 2, 4, 10), ([*OURS, *OURS[::-1]], 2, 4, 100)
    ),
}
NEW_SPEC = {(pictures.common_mistake, name) for name in ("width", "base")}  # the colours end elsewhere


def test_there_is_a_picture_for_every_kind_with_its_numbers_as_arguments():
    asked = {key: set(question.ask(0).given) for key, question in QUESTIONS.items()}
    assert {key: set(inspect.signature(draw).parameters) for key, draw in pictures.DRAWN.items()} == asked


@each("key", MARKED)
def test_the_mark_stands_at_the_answer_and_on_the_curve(key):
    for seed in range(6):
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


def test_a_mistake_is_drawn_as_what_it_adds_to_the_right_numbers():
    table = pictures.common_mistake(name="from_one", length=3, width=4, base=100).frames["table"]
    assert len(table) == 12
    cell = table[(table.row == 1) & (table.column == 2)].value.item()
    assert cell == pytest.approx(math.sin(2 / 10) - math.sin(1 / 10), abs=1e-12)


@each(("last", "limit"), [(OURS[3], 1), (OURS[3] - 0.75, 1), (OURS[3] - 1.9, 2)])
def test_colours_reach_to_the_largest_difference(last, limit):
    colour = pictures.own_numbers(numbers=[*OURS[:3], last], length=2, width=2, base=10).spec["encoding"]["color"]
    assert (colour["scale"]["domain"], colour["title"]) == ([-limit, limit], "Table minus right one")


def test_all_kinds_come_in_turn_or_one_alone_and_another_question_is_of_the_next_kind():
    keys = list(QUESTIONS)
    assert [pictures.kind(pictures.ALL, seed) for seed in range(2 * len(keys))] == keys * 2
    assert {pictures.kind("norm", seed) for seed in range(5)} == {"norm"}
    for seed in (0, 7, len(keys) - 1, 9_999):
        found = {pictures.another(seed) for _ in range(50)}
        assert {number % len(keys) for number in found} == {(seed + 1) % len(keys)}
        assert len(found) > 10
        assert all(0 <= number <= pictures.MAX_SEED for number in found)


def test_numbers_in_formulas_have_no_commas_and_below_0_the_minus_of_the_axis():
    question = QuizQuestion({"base": 100_000}, 12_345.6, {"wave": "sine", "frequency": 0.123456})
    said = {"base": "100000", "wave": "sine", "frequency": "0.1235", "answer": "12346"}
    assert pictures.said_of(question) == said
    words = pictures.component(position=34, column=2, width=32, base=100_000).frames["answer"].label[0]
    assert words == f"position 34: −{-math.sin(34 * 100_000 ** (-1 / 16)):.4f}"


def test_the_numbers_of_the_interview_and_the_ways_of_its_answers():
    found = pictures.interview_numbers()
    assert (found["row"], found["taken"], found["patches"]) == ("0.8415, 0.5403, 0.0100, 1.0000", 14, 196)
    waves = [2 * math.pi * 10_000 ** (pair / 64) for pair in range(64)]
    assert found["unfinished"] == sum(wave > 4_096 for wave in waves) == 18
    lines = "rope | On dials | query=12&key=9\nlab | Train | encodings=rope&encodings=alibi"
    assert pictures.ways(lines) == [
        ("rope", "On dials", {"query": ["12"], "key": ["9"]}),
        ("lab", "Train", {"encodings": ["rope", "alibi"]}),
    ]
