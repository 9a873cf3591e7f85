"""The table of a run with several seeds, and what else a run of a task shows of them."""

import json

import pandas as pd
import pytest

from tests.app.opened import checked, frames, sentences
from tests.app.seeded_runs import ONE, RECORD, RIGHT, verdict
from tests.cases import each
from ui.widgets.charts import with_legend

pytestmark = pytest.mark.usefixtures("store")


def test_a_task_is_compared_by_what_is_right(shown):
    at = shown(RIGHT)
    assert verdict(at).startswith(
        "**Told apart.** *Right at 128*, RoPE less ALiBi: \N{MINUS SIGN}44.0 points in the mean of 3 seeds "
        "(each: \N{MINUS SIGN}45.0, \N{MINUS SIGN}43.0, \N{MINUS SIGN}44.0). A paired t-test gives p < 0.001"
    )
    table = at.dataframe[0].value.set_index("Encoding")
    assert table.index.tolist() == ["ALiBi", "RoPE"]
    numbers = [f"Right at 128{ending} (%)" for ending in ("", ", least", ", greatest")]
    assert table.loc["RoPE", numbers].tolist() == pytest.approx([51.0, 50.0, 52.0])
    assert table.loc["RoPE", ["n", "Trainings of that verdict", "Told apart from the next"]].tolist() == [3, 3, ""]
    assert table.loc["ALiBi", "Told apart from the next"] == "yes"
    assert table["All right at 16 (%)"].tolist() == pytest.approx([49.0, 50.0])
    pair = at.dataframe[1].value
    assert pair["RoPE (%)"].tolist() == pytest.approx([50.0, 52.0, 51.0])
    assert pair["Difference (points)"].tolist() == pytest.approx([-45.0, -43.0, -44.0])


def test_right_answers_have_a_band_and_are_said_with_their_spread(shown):
    at = checked(shown(RIGHT), 4)
    for chart, times in zip(frames(at)[1:3], (1, 0.5), strict=True):
        last = chart["lines"].groupby("name").last()
        numbers = last.loc["RoPE", ["y", "min", "max"]].tolist()
        assert numbers == pytest.approx([times * 0.51, times * 0.5, times * 0.52])
        assert set(chart["lines"]["n"]) == {3}
    assert (
        "RoPE: 100% (100% to 100%, n=3) at the training length of 16, 51% (50% to 52%, n=3) at 128" in sentences(at)[1]
    )
    assert "RoPE: 50% (50% to 50%, n=3) at the training length of 16, 26% (25% to 26%, n=3) at 128" in sentences(at)[2]


def unsorted(table):
    """The columns of a table that are no numbers, so that they sort by their letters."""
    return {name for name in table if not pd.api.types.is_numeric_dtype(table[name])}


@each("record", [RECORD, RIGHT, ONE])
def test_every_number_of_a_table_can_be_sorted_as_a_number(shown, record):
    at = shown(record)
    table = at.dataframe[0].value
    assert unsorted(table) == {"Encoding", "Verdict", "Told apart from the next"}
    assert [unsorted(element.value) for element in at.dataframe[1:]] == [set()] * (record is not ONE)


@each(("record", "decides"), [(RECORD, "Ratio{}"), (RIGHT, "Right at 128{} (%)")])
def test_a_table_begins_with_the_number_that_puts_its_rows_in_order(shown, record, decides):
    at = shown(record)
    proto = at.dataframe[0].proto
    seen = list(proto.column_order)
    numbers = [decides.format(ending) for ending in ("", ", least", ", greatest")]
    assert seen[:5] == ["Encoding", "n", *numbers]
    assert set(seen) == set(at.dataframe[0].value)
    assert len(seen) == len(set(seen))
    config = json.loads(proto.columns)
    labels = [config[name]["label"] for name in numbers]
    assert labels == [numbers[0], "Smallest", "Largest"]
    assert config[numbers[1]]["help"] == f"{numbers[0]}: the smallest of the runs"
    assert config["Encoding"]["pinned"]
    assert config["Verdict"]["pinned"]


@each(("n_lines", "height"), [(1, 380), (2, 380), (3, 398), (4, 398), (8, 434)])
def test_a_picture_grows_with_the_rows_of_its_legend(n_lines, height):
    assert with_legend(380, n_lines) == height
