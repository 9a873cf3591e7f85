"""The scorecard: every encoding against every criterion, one criterion as a picture, and the exercise."""

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.measures.criteria import CRITERIA, scorecard
from tests.app.opened import frames, opened, sentences
from ui.scorecard import SHAPE

PAGE = "scorecard"


def said(at):
    return "\n".join(element.value for element in at.markdown)


def sound(at):
    assert not at.exception
    assert not at.error
    assert len(frames(at)) == len(sentences(at)) == 1
    assert "[[" not in said(at) + sentences(at)[0]
    return at


@pytest.mark.parametrize("key", ["sinusoidal", "alibi", "rope"])
def test_a_row_holds_what_is_measured(key):
    table = sound(opened(PAGE)).dataframe[0].value.set_index("Encoding")
    assert len(table) == len(ENCODINGS)
    card = scorecard(ENCODINGS[key].build(SHAPE), SHAPE)
    row = table.loc[ENCODINGS[key].title]
    for name, criterion in CRITERIA.items():
        expected = card[name]
        assert row[criterion.title] == pytest.approx(expected) if expected is not None else row[criterion.title] != 0


@pytest.mark.parametrize("key", CRITERIA)
def test_every_criterion_is_a_picture_with_its_rule(key):
    at = sound(opened(PAGE, criterion=key))
    criterion = CRITERIA[key]
    assert f"**{criterion.title}.** {criterion.summary}" in said(at)
    bars = frames(at)[0]["bars"]
    assert bars.value.is_monotonic_increasing if criterion.better == "lower" else bars.value.is_monotonic_decreasing
    column = at.dataframe[0].value[criterion.title]
    assert len(bars) == column.notna().sum()


def test_a_criterion_that_does_not_exist_is_named():
    at = sound(opened(PAGE, criterion="beauty"))
    assert "criterion must be one of" in at.warning[0].value
    assert "'beauty'" in at.warning[0].value


def test_the_exercise_counts_what_the_table_holds():
    at = opened(PAGE)
    table = at.dataframe[0].value
    both = table[(table[CRITERIA["translation"].title] < 1e-9) & (table[CRITERIA["dilution"].title] > 0.9)]
    at.number_input(key="scorecard_guess").set_value(len(both)).run()
    assert f"Right, {len(both)}: " in sound(at).success[0].value
    at.number_input(key="scorecard_guess").set_value(0).run()
    assert f"Not 0 but {len(both)}: " in sound(at).warning[0].value
