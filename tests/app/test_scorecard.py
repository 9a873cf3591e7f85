"""The scorecard: every encoding against every criterion, one criterion as a picture, and the exercise."""

import json
import math

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.measures import pairs, within
from pe_core.measures.criteria import CRITERIA, scorecard
from tests.app.opened import ROOT, checked, frames, opened, said
from ui.frame.shell import SHOWN
from ui.scorecard import SHAPE, cell, proof
from ui.widgets.take_away import python

PAGE = "scorecard"


def sound(at):
    return checked(at, 1)


@pytest.mark.parametrize("key", ["none", "sinusoidal", "alibi", "rope"])
def test_a_row_holds_what_is_measured(key):
    table = sound(opened(PAGE)).dataframe[0].value.set_index("Encoding")
    assert len(table) == len(ENCODINGS)
    row = table.loc[ENCODINGS[key].title]
    for name, expected in scorecard(ENCODINGS[key].build(SHAPE), SHAPE).items():
        found = row[CRITERIA[name].title]
        if expected is None:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert found == 0 or abs(found) >= 1e-9  # no rounding is shown as if it were a number


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


@pytest.mark.parametrize(
    ("key", "name", "words"),
    [
        ("alibi", "global_order", f"**ALiBi measures -1**: place 1 of {len(ENCODINGS) - 1}."),  # of all but NoPE
        ("none", "global_order", "To **None (NoPE)** this criterion does not apply."),
        ("learned", "parameters", "**Learned table measures 32,768**: place"),
    ],
)
def test_a_cell_is_named_below_the_table(key, name, words):
    at = sound(opened(PAGE, scorecard_encoding=key, criterion=name))
    assert words in said(at)
    bars = frames(at)[0]["bars"]
    applies = "does not apply" not in words
    assert bars[bars.chosen].name.to_list() == ([ENCODINGS[key].title] if applies else [])


def test_the_place_counts_those_that_are_strictly_better():
    at = sound(opened(PAGE, scorecard_encoding="none", criterion="parameters"))
    assert "**None (NoPE) measures 0**: place 1 of" in said(at)
    table = at.dataframe[0].value.set_index("Encoding")[CRITERIA["parameters"].title]
    at = sound(opened(PAGE, scorecard_encoding="shaw", criterion="parameters"))
    place = int((table < table[ENCODINGS["shaw"].title]).sum()) + 1
    assert f": place {place} of {len(table)}." in said(at)


@pytest.mark.parametrize("key", ["none", "rope", "alibi"])
def test_beside_what_is_measured_stands_what_training_brought(key):
    at = sound(opened(PAGE, scorecard_encoding=key))
    gallery = json.loads((ROOT / "pe_core" / "runs" / "gallery.json").read_text(encoding="utf-8"))
    rows = [row["loss"] for row in gallery["trainings"] if (row["encoding"], row["repair"]) == (key, "")]
    ratio = sum(loss[-1] for loss in rows) / sum(loss[0] for loss in rows)
    table = at.dataframe[0].value.set_index("Encoding")["Trained: loss ratio"]
    assert table[ENCODINGS[key].title] == pytest.approx(ratio, rel=1e-9)
    assert f"{ENCODINGS[key].title} has {ratio:.2f} times its own loss at 8 times the training length**" in said(at)
    assert f"n = {len(rows)} runs" in said(at)


@pytest.mark.parametrize("row", range(len(ENCODINGS)))
def test_a_click_on_a_cell_names_its_encoding_and_its_criterion(row):
    key = list(ENCODINGS)[row]
    assert cell(row, "Family") == cell(row, "Encoding") == (key, None)
    assert [cell(row, criterion.title) for criterion in CRITERIA.values()] == [(key, name) for name in CRITERIA]


def test_an_encoding_that_does_not_exist_is_named():
    at = sound(opened(PAGE, scorecard_encoding="<b>rope</b>"))
    problem = f"scorecard_encoding must be one of {', '.join(ENCODINGS)}, got '<b>rope</b>'"
    apology = f"The link asks for something else than this page has: `{problem}`. Shown instead: alibi."
    assert [warning.value for warning in at.warning] == [apology]
    assert "**ALiBi measures -1**" in said(at)


def test_the_exercise_counts_what_the_table_holds():
    at = opened(PAGE)
    table = at.dataframe[0].value
    both = table[(table[CRITERIA["translation"].title] == 0) & (table[CRITERIA["dilution"].title] > 0.9)]
    at.number_input(key="scorecard_guess").set_value(len(both)).run()
    assert f"Right, {len(both)}: " in sound(at).success[0].value
    at.number_input(key="scorecard_guess").set_value(0).run()
    assert f"Not 0 but {len(both)}: " in sound(at).warning[0].value


def test_those_who_share_an_end_are_counted():
    at = sound(opened(PAGE, criterion="translation"))
    exact = (at.dataframe[0].value[CRITERIA["translation"].title] == 0).sum()
    assert f"First, with 0: None (NoPE) and {exact - 1} others. Last, with 0.9447: " in said(at)
    assert "Does not apply to: none." in said(at)


def test_the_python_of_the_picture_is_that_of_the_core():
    at = sound(opened(PAGE, scorecard_encoding="rope"))
    script = python(at.session_state[SHOWN]["criterion_bars"].picture)
    call = "ranking(criterion='global_order', encoding='rope', d_model=64, n_heads=4, train_length=64)"
    assert script.startswith("from pe_core.chapters.scorecard import ranking\n")
    assert f"figure = {call}\n" in script


@pytest.mark.parametrize("key", CRITERIA)
def test_the_proof_shows_the_mathematics(key):
    first, *others = proof(CRITERIA[key])
    assert first is CRITERIA[key].measure
    assert all(part.__module__.startswith("pe_core.measures.") and part.__doc__ for part in others)


def test_the_proof_of_an_order_is_its_rank_correlation():
    assert proof(CRITERIA["global_order"]) == (within.rank_correlation, pairs.rank_correlation)
