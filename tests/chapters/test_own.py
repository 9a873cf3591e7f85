"""The page for one's own formula: its pictures, what the starts meet, and the exercise."""

import math

import pytest
import torch

from pe_core.chapters import own, requirements, scorecard
from pe_core.encodings.own import Formula
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.requirements import REQUIREMENTS
from tests.cases import each

STARTS = {key: start.key for key, start in own.STARTS.items()}
ALIBI, OTHER = STARTS["alibi"], "own:bias:-sin(distance)*(h+1)"
PICTURES = {
    own.values: ({"formula": ALIBI, "length": 32, "head": 1}, {"formula": OTHER, "length": 16, "head": 3}),
    own.scores: ({"formula": ALIBI, "length": 32}, {"formula": STARTS["rope"], "length": 16}),
}
NEW_SPEC = {  # the end of the colour scale, which is each picture's own; the number of lines
    *((own.values, name) for name in ("formula", "length", "head")),
    (own.scores, "formula"),
}


def cells(figure):
    frame = figure.frames["table"]
    return {(row, column): value for row, column, value in frame[["row", "column", "value"]].itertuples(index=False)}


def test_the_heatmap_has_the_values_of_each_kind():
    bias = cells(own.values(ALIBI, 16, 2))
    assert bias[7, 3] == -4 * 2**-4
    assert (3, 7) not in bias  # hidden
    angle = cells(own.values(STARTS["rope"], 16, 1))
    assert angle[5, 2] == pytest.approx(5 * 10_000 ** (-4 / 16))
    embedding = cells(own.values(STARTS["sinusoid"], 16, 1))
    assert embedding[3, 5] == pytest.approx(math.cos(3 * 10_000 ** (-4 / 64)))


@each(("formula", "expected"), [(ALIBI, -15 * 0.25), (STARTS["wrong"], 64 * math.cos(15 * math.pi))])
def test_the_scores_at_the_farthest_distance(formula, expected):
    assert own.scores(formula, 16).facts["far"] == pytest.approx(expected)
    assert own.scores(STARTS["rope"], 16).facts["near"] == 0  # not what rounding leaves


def test_typed_entries_have_the_numbers_of_the_registry():
    rope = Formula("angle", "m*10000**(-2*i/head_width)", {}).key
    for typed, known in ((ALIBI, "alibi"), (rope, "rope")):
        for criterion, value in scorecard.card(known).items():  # kept by another processor
            found = scorecard.card(typed)[criterion]
            assert found == value or found == pytest.approx(value, rel=1e-12), criterion
    for key in [key for key, asked in REQUIREMENTS.items() if asked.measure]:
        assert requirements.value(key, ALIBI) == requirements.value(key, "alibi")


@each(
    ("start", "no"),
    [("alibi", ["bounded"]), ("kerple", ["near"]), ("sinusoid", []), ("rope", []), ("wrong", ["own", "near", "order"])],
)
def test_what_the_starts_do_not_meet(start, no):
    formula = STARTS[start]
    answers = own.met(formula)
    assert [key for key, answer in answers.items() if answer is False] == no
    assert [key for key, answer in answers.items() if answer is None] == ["longer"]  # only training tells
    facts = own.verdict(formula)
    assert (facts["met"], facts["required"]) == (6 - len(no), 7)
    assert facts["no"] == ("; ".join(REQUIREMENTS[key].title for key in no) or "none")


def test_every_requirement_can_fail_and_a_number_can_be_missing():
    met = [own.met(formula) for formula in (*STARTS.values(), "own:bias:-(m+n)")]
    failed = {key for answers in met for key, answer in answers.items() if answer is False}
    assert failed == {"own", "bounded", "offset", "near", "order"}  # 64 channels learn 64 numbers: all are cheap
    assert own.met("own:embedding:exp(2*m)")["bounded"] is None  # it cannot be computed far out


def test_the_lines_of_the_requirements_and_the_row_of_the_scorecard():
    lines = own.required(STARTS["rope"])
    assert [line["Requirement"] for line in lines] == [asked.title for asked in REQUIREMENTS.values()]
    assert [line["Met"] for line in lines] == ["yes"] * 5 + ["not measured", "yes"]
    assert (lines[1]["Measured"], lines[2]["Measured"], lines[5]["Measured"]) == (0, 0, None)
    assert (lines[0]["Required"], lines[1]["Required"]) == ("at least 0.01", "at most 0.2")
    assert [line["Criterion"] for line in own.row(ALIBI)] == [criterion.title for criterion in CRITERIA.values()]


def test_a_problem_is_a_sentence():
    problem = "own bias must be finite, got inf at m = 0, n = 0, h = 0 in '1/distance'"
    assert (own.problem(ALIBI), own.problem("own:bias:1/distance")) == ("", problem)
    assert own.problem("own:bias:m)").startswith("formula must have an opening bracket for each closing one")


def test_the_exercise():
    assert own.bias_of_head(12) == (True, {"cost": 12})
    assert own.bias_of_head(24) == (False, {"cost": 12})
    assert torch.tensor(2.0) ** (-8 * 2 / 8) * 48 == 12
