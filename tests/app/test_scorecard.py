"""The scorecard: every encoding against every criterion, one criterion as a picture, and the exercise."""

import json
import math
from types import SimpleNamespace

import pytest

from pe_core.chapters.scorecard import cell, ranking
from pe_core.encodings import ENCODINGS
from pe_core.measures.criteria import CRITERIA
from tests.app.opened import ROOT, checked, frames, opened, said
from tests.cases import each
from ui.page import set_controls

PAGE = "scorecard"


def test_a_picture_that_was_shown_has_the_spec_that_it_had():
    """Streamlit writes into the spec that it is given."""
    before = json.dumps(ranking("parameters", "rope", 64, 4, 64).spec)
    opened(PAGE)
    assert json.dumps(ranking("parameters", "rope", 64, 4, 64).spec) == before


@each(
    ("key", "name", "words"),
    [
        ("alibi", "global_order", f"**ALiBi has −1**: rank 1 of {len(ENCODINGS) - 1}, which 6 encodings share."),
        ("none", "global_order", "This criterion does not apply to **None (NoPE)**."),
        ("learned", "parameters", "**Learned table has 32,768**: rank"),
    ],
)
def test_a_cell_is_named_below_the_table(key, name, words):
    at = checked(opened(PAGE, scorecard_encoding=key, criterion=name), 1)
    assert words in said(at)
    assert f"**{CRITERIA[name].title}.** {CRITERIA[name].summary}" in said(at)
    bars = frames(at)[0]["bars"]
    assert len(bars) == at.dataframe[0].value[CRITERIA[name].title].notna().sum()
    applies = "does not apply" not in words
    assert bars[bars.chosen].name.to_list() == ([ENCODINGS[key].title] if applies else [])


def test_beside_what_is_measured_stands_what_training_brought():
    at = checked(opened(PAGE, scorecard_encoding="rope"), 1)
    gallery = json.loads((ROOT / "pe_core" / "runs" / "gallery.json").read_text(encoding="utf-8"))
    rows = [row for row in gallery["trainings"] if (row["encoding"], row["repair"]) == ("rope", "")]
    ratio = sum(row["end"][-1] for row in rows) / sum(row["within"][-1] for row in rows)
    table = at.dataframe[0].value["Trained: loss ratio"]
    assert table[list(ENCODINGS).index("rope")] == pytest.approx(ratio, rel=1e-9)
    assert f"RoPE has {ratio:.2f} times its own loss at 8 times the training length**" in said(at)
    assert f"n = {len(rows)} runs" in said(at)


def test_the_exercise_counts_what_the_table_holds():
    at = opened(PAGE)
    table = at.dataframe[0].value
    both = table[(table[CRITERIA["translation"].title] == 0) & (table[CRITERIA["dilution"].title] < 0.5)]
    at.number_input(key="scorecard_guess").set_value(len(both)).run()
    assert f"Right, {len(both)}: " in at.success[0].value
    at.number_input(key="scorecard_guess").set_value(0).run()
    assert f"Not 0 but {len(both)}: " in at.warning[0].value


def test_those_who_share_an_end_are_counted():
    at = checked(opened(PAGE, criterion="translation"), 1)
    exact = (at.dataframe[0].value[CRITERIA["translation"].title] == 0).sum()
    assert f"First, with 0: None (NoPE) and {exact - 1} others. Last, with 0.9447: " in said(at)
    assert "Does not apply to: none." in said(at)


def test_a_click_on_a_cell_puts_the_controls_there(monkeypatch):
    table = SimpleNamespace(selection={"cells": [(1, CRITERIA["growth"].title)]})
    state = {"scorecard_table": table}
    monkeypatch.setattr("streamlit.session_state", state)
    set_controls("scorecard_table", "cells", cell)
    assert state == {"scorecard_table": table, "scorecard_encoding": list(ENCODINGS)[1], "criterion": "growth"}


def test_the_table_has_a_row_for_every_encoding():
    at = opened(PAGE)
    table = at.dataframe[0].value
    assert [name.split(" ", 1)[1] for name in table.Encoding] == [spec.title for spec in ENCODINGS.values()]
    assert dict(zip(table.Trained, table.Encoding.str[0], strict=True)) == {
        "holds": "✓",
        "degrades": "~",
        "breaks": "✗",
    }
    alibi, none = (table.loc[list(ENCODINGS).index(key)] for key in ("alibi", "none"))
    assert alibi[CRITERIA["global_order"].title] == -1
    assert math.isnan(none[CRITERIA["global_order"].title])
    shown = json.loads(at.dataframe[0].proto.columns)
    assert [name for name, column in shown.items() if column.get("pinned")] == ["Encoding"]
    assert shown["Encoding"]["width"] <= 0.6 * (390 - 32)  # of a telephone
    assert shown[CRITERIA["reach"].title]["label"] == "↑ Defined past training"
    assert "Encodings are built for a width of 64, 4 heads and a training length of 64;" in said(at)
