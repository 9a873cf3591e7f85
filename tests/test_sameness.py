"""The proof that nothing changed for visitors can fail: planted differences between two recordings are found."""

import json

import pyarrow as pa
import pytest

from tests.sameness.compare import Terms, compare, missing_numbers
from tests.sameness.record import PARTS, merge, write
from tests.sameness.rules import rules_of
from tests.sameness.shown import Item
from tests.sameness.steady import frame, plain, steady_file
from tests.sameness.walk import State

SPEC, WORDS = (
    Item("spec", "", plain({"mark": "line"})),
    Item("markdown", "column 0", plain({"body": "A table of **4** rows."})),
)
LINK = Item("link", "", plain({"rows": ["4"]}))


def drawn(*values):
    """What a chart is given of these numbers."""
    sink, table = pa.BufferOutputStream(), pa.table({"value": list(values)})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return frame(sink.getvalue().to_pybytes(), False)


def data(*values):
    return Item("data", "", plain({"name": "table", **drawn(*values)}))


@pytest.fixture
def differ(tmp_path):
    """Compares two recordings of one page, given as the items of its states; returns the report."""

    def use(before, after, expected="", **options):
        rules = tmp_path / "expected.txt"
        rules.write_text(expected, encoding="utf-8")
        for name, states in (("before", before), ("after", after)):
            (tmp_path / name / PARTS).mkdir(parents=True)
            write(tmp_path / name / PARTS / "rope.000", [State(one, one, items) for one, items in states.items()])
            assert merge(tmp_path / name, "rope") == len(states)
        return compare(tmp_path / "before", tmp_path / "after", Terms(rules_of(rules), **options))

    return use


def kinds(report):
    return [one.kind for one in report.differences]


def test_two_equal_recordings_do_not_differ(differ):
    states = {"default": [SPEC, data(1.0, 2.0), WORDS, LINK], "rows=max": [SPEC, data(3.0), LINK]}
    report = differ(states, states)
    assert kinds(report) == []
    assert report.states == 2
    assert report.items["spec"] == 2


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        (Item("spec", "", plain({"mark": "bar"})), "spec"),
        (data(1.0, 2.00000001), "data"),
        (data(1.0), "data"),
        (Item("markdown", "column 0", plain({"body": "A table of **5** rows."})), "markdown"),
        (Item("markdown", "column 1", WORDS.text), "place"),
        (Item("link", "", plain({"lines": ["4"]})), "link"),
    ],
)
def test_a_change_of_one_item_is_found(differ, changed, kind):
    before = [SPEC, data(1.0, 2.0), WORDS, LINK]
    place = "markdown" if kind == "place" else kind
    after = [changed if one.kind == place else one for one in before]
    assert kinds(differ({"default": before}, {"default": after})) == [kind]


def test_a_missing_item_a_missing_state_and_another_order_are_found(differ):
    report = differ({"default": [SPEC, WORDS, LINK], "a=min": [WORDS]}, {"default": [LINK, SPEC], "a=max": [WORDS]})
    assert sorted(kinds(report)) == ["link", "link", "markdown", "state", "state"]


def test_a_kind_can_be_left_out(differ):
    other = Item("markdown", "", plain({"body": "Other words."}))
    assert not differ({"default": [SPEC, WORDS]}, {"default": [SPEC, other]}, without=("markdown",)).differences


def test_numbers_may_differ_by_a_tolerance_and_no_more(differ):
    before, after = {"default": [data(1.0, 100.0)]}, {"default": [data(1.0 + 1e-7, 100.0)]}
    assert not differ(before, after, tolerance=1e-8).differences


@pytest.mark.parametrize("values", [(1.1, 100.0), (1.0, 100.0, 1.0), (float("nan"), 100.0)])
def test_other_numbers_are_found_in_spite_of_a_tolerance(differ, values):
    assert kinds(differ({"default": [data(1.0, 100.0)]}, {"default": [data(*values)]}, tolerance=1e-8)) == ["data"]


@pytest.mark.parametrize(
    ("after", "missing"),
    [
        ([data(5.0, 6.0), SPEC, data(1.0, 2.0)], 0),
        ([Item("data", "", data(1.0, 2.0).text.replace('"value', '"weight').replace('"table"', '"bars"'))], 0),
        ([data(1.0, 2.00001)], 1),
        ([data(2.0, 1.0)], 1),
        ([data(1.0, 2.0, 3.0)], 1),
    ],
)
def test_a_column_of_numbers_is_found_by_what_it_holds(differ, tmp_path, after, missing):
    differ({"default": [data(1.0, 2.0), WORDS]}, {"default": after})
    n, found = missing_numbers(tmp_path / "before", tmp_path / "after")
    assert n == 1
    assert found.total() == missing


def test_an_expected_difference_is_no_difference(differ):
    words = Item("markdown", "column 0", plain({"body": "A list of **4** rows."}))
    new = Item("caption", "", plain({"body": "New."}))
    before, after = {"default": [SPEC, WORDS, LINK]}, {"default": [SPEC, words, new]}
    expected = '[rope markdown] table => list  # glossary\n- "rows"  # the link has no rows\n[caption] + New  # told\n'
    report = differ(before, after, expected)
    assert kinds(report) == []
    assert report.expected == 2


def test_a_renamed_state_is_found_under_its_new_name(differ):
    report = differ({"share=min": [WORDS]}, {"fraction=min": [WORDS]}, "[rope state] share => fraction  # glossary")
    assert kinds(report) == []
    assert report.states == 1


@pytest.mark.parametrize("line", ["table => list", "- table", "table  # no rule"])
def test_a_rule_without_a_reason_or_a_direction_is_refused(tmp_path, line):
    (tmp_path / "expected.txt").write_text(line, encoding="utf-8")
    with pytest.raises(ValueError, match="must"):
        rules_of(tmp_path / "expected.txt")


def test_numbers_are_recorded_with_nine_digits():
    assert drawn(1 / 3, -0.0, 1.0, float("nan"), None)["columns"]["value"] == "0.333333333 0 1 nan -"
    assert drawn(1, 2)["columns"]["value"] == "1 2"


def test_what_differs_from_run_to_run_is_taken_out():
    told = json.loads(plain({"body": "This run will take about **12 s** on this machine"}))
    assert told == {"body": "This run will take about **…** on this machine"}
    assert steady_file(f'{{"run": "{"0f" * 32}", "loss": 1.23456789012}}') == '{"run": …, "loss": 1.23456789}'
