"""Runs of several seeds as files: JSON brings every seed back, CSV has the mean with its spread."""

import json

import pytest

from pe_core.lab.command_line import aligned
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import exact_json, from_json, to_json
from pe_core.lab.results.statistics import compact
from pe_core.lab.results.table import rows
from tests.cases import each
from tests.lab.seeded import CONFIG, FACTS, seeded

FULL = seeded(
    [
        {"rope": (2.0, 3.0), "alibi": (2.0, 2.0), "none": (2.75, 2.75)},
        {"rope": (2.0, 3.5), "alibi": (2.0, 2.0), "none": (2.5, 2.75)},
        {"rope": (2.5, 4.0), "alibi": (2.0, 2.0), "none": (2.25, 2.75)},
    ],
    [{"rope": (3.5, 2.25), "alibi": (3.0,)}, {"rope": (3.25,)}, {"none": (3.0, 2.5)}],
)
UNDER_WAY = seeded([{"rope": (2.0, 3.0)}, {}, {}], [{"rope": (3.5,)}, {"rope": (3.25,)}, {}])
FIRST_ONLY = RunRecord(CONFIG, FACTS, {"rope": {3: (3.5,)}})


@each("record", [FULL, UNDER_WAY, FIRST_ONLY, RunRecord(CONFIG, FACTS)])
@each("write", [to_json, exact_json])
def test_json_brings_every_training_back(record, write):
    back = from_json(write(record))
    assert back == record
    assert all(back.of_seed(seed) == record.of_seed(seed) for seed in CONFIG.seeds)
    assert write(back) == write(record)


def test_every_training_has_its_own_verdict_in_the_file():
    content = json.loads(to_json(FULL))
    found = [one["outcomes"]["none"]["verdict"] for one in (content, *content["again"])]
    assert found == ["not learned", "not learned", "degrades"]  # 2.5 is a guess, and 2.75 / 2.25 is 1.22


def altered(change):
    content = json.loads(to_json(FULL))
    change(content)
    return json.dumps(content)


def again(content):
    return content["again"][0]["outcomes"]


@each(
    ("change", "message"),
    [
        (lambda file: file["again"].append(file["again"][0]), r"again must hold at most 2 more seeds, got 3"),
        (lambda file: file["settings"].update(n_seeds=1), r"again must hold at most 0 more seeds, got 2"),
        (lambda file: file["settings"].update(n_seeds=0), r"n_seeds must be a whole number from 1 to 10, got 0"),
        (lambda file: file["settings"].update(seed=9_998), r"seed must be a whole number from 0 to 9,999, got 10000"),
        (lambda file: file.update(again=2), r"file must hold a run of the lab, got TypeError: .+"),
        (lambda file: file["again"][0].pop("curves"), r"file must hold a run of the lab, got KeyError: 'curves'"),
        (
            lambda file: again(file).update(t5=again(file)["rope"]),
            r"encoding must be one of rope, alibi, none, the encodings of the run, got t5",
        ),
        (
            lambda file: again(file)["rope"]["lengths"].pop(),
            r"lengths must be \(16, 32, 48, 64, 96, 128\), got \(16, 32, 48, 64, 96\)",
        ),
        (
            lambda file: again(file)["rope"].update(positions=["1"]),
            r"file must hold a run of the lab, got TypeError: a value must be int or float, got '1'",
        ),
    ],
)
def test_a_training_that_is_not_of_the_run_is_named(change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        from_json(altered(change))


def test_rows_have_means_spread_and_number():
    alibi, rope, none = rows(FULL)
    assert [row["Encoding"] for row in (alibi, rope, none)] == ["ALiBi", "RoPE", "None (NoPE)"]
    numbers = {
        "Loss at 16": 6.5 / 3,
        "Loss at 16, least": 2.0,
        "Loss at 16, greatest": 2.5,
        "Loss at 128": 3.5,
        "Loss at 128, least": 3.0,
        "Loss at 128, greatest": 4.0,
        "Ratio": 10.5 / 6.5,
        "Ratio, least": 1.5,
        "Ratio, greatest": 1.75,
    }
    assert {name: rope[name] for name in numbers} == pytest.approx(numbers, rel=1e-12)
    assert (rope["n"], rope["Verdict"], rope["Trainings of that verdict"]) == (
        3,
        "breaks",
        2,
    )  # one starts at a guess
    assert rope["Told apart from the next"] == ""  # the next one has not learned
    assert (alibi["Verdict"], alibi["Told apart from the next"]) == ("holds", "yes")
    assert (none["Verdict"], none["Trainings of that verdict"]) == ("not learned", 2)


def test_a_run_under_way_says_how_many_trainings_are_done():
    [row] = rows(UNDER_WAY)
    assert (row["n"], row["Told apart from the next"]) == (1, "one run says nothing")
    assert row["Loss at 128, least"] == row["Loss at 128, greatest"] == 3.0
    assert rows(FIRST_ONLY) == []


def test_the_table_of_the_command_line_puts_the_spread_behind_the_mean():
    header, first, *_ = aligned([compact(row) for row in rows(FULL)], str).splitlines()
    assert "least" not in header
    assert "2.000 (2.000 to 2.000)" in first
    assert first.rstrip().endswith("yes")
