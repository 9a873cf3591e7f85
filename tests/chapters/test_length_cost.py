"""What the lab says of a run: what length costs by both measures, the verdict on each encoding, and the worst one."""

import math
from dataclasses import replace

import pytest

from pe_core.chapters.lab import BY_HEART, both_measures, by_heart, is_known, length_cost, rule, verdict, worst
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import exact_json, from_json, to_json
from pe_core.lab.results.statistics import more_bits
from pe_core.lab.results.table import measures, pair_of, rows
from tests.app.test_lab_kept import record_of
from tests.cases import each
from tests.lab.galleries import paying
from tests.lab.seeded import seeded

PLAIN = seeded([{"rope": (2.0, 2.1), "alibi": (2.0, 2.5)}, {"rope": (2.0, 2.15), "alibi": (2.0, 2.5)}])
PAID = {"rope": {3: (0.5, 0.6, 0.7), 4: (0.5, 0.7, 0.9)}, "alibi": {3: (0.0, 0.1, -0.1), 4: (0.2, 0.1, 0.0)}}


def ended(record):
    """The run with an end of the windows that is made up: 1.75 within the training length, and more in each block."""
    outcomes = {
        key: {seed: replace(one, lengths=paying(one.lengths, 1.75, PAID[key][seed])) for seed, one in by_seed.items()}
        for key, by_seed in record.outcomes.items()
    }
    return replace(record, outcomes=outcomes)


RUN = ended(PLAIN)


def test_the_picture_has_the_difference_in_bits_at_every_length():
    lines = length_cost(RUN).frames["lines"].set_index(["name", "x"])
    assert lines.loc[("RoPE", 16), "y"] == 0
    assert lines.loc[("RoPE", 128), ["y", "min", "max"]].tolist() == pytest.approx(
        [0.65 / math.log(2), 0.6 / math.log(2), 0.7 / math.log(2)], rel=1e-4
    )
    assert lines.loc[("ALiBi", 32), "y"] == pytest.approx(0.05 / math.log(2), rel=1e-4)


def test_each_measure_has_its_verdict_and_the_first_decides():
    """At their end windows of RoPE cost 2.4 over 1.75, and those of ALiBi 1.8; over whole windows it is the reverse."""
    assert [RUN.verdict(key) for key in ("rope", "alibi")] == ["degrades", "holds"]
    assert [PLAIN.verdict(key) for key in ("rope", "alibi")] == ["holds", "degrades"]
    assert both_measures(RUN) == {
        "half": 8,
        "length": 16,
        "longest": 128,
        "inside": 1 / 8,
        "costs": "RoPE +0.938; ALiBi +0.072",
        "other": "RoPE *degrades* by the one and *holds* by the other; ALiBi *holds* by the one and *degrades* by the "
        "other",
    }
    assert both_measures(PLAIN)["other"] == "none"


def test_a_run_of_before_has_the_measure_of_then():
    assert (is_known(RUN), is_known(PLAIN)) == (True, False)
    assert "Bits more" not in rows(PLAIN)[0]
    assert next(iter(measures(PLAIN).items())) == ("ratio", "Ratio of the losses")


def test_rows_have_both_measures_the_difference_and_its_interval():
    alibi, rope = rows(RUN)
    assert rope["Ratio"] == pytest.approx(2.4 / 1.75)
    assert rope["Whole-window ratio"] == pytest.approx(2.125 / 2)
    assert rope["Bits more"] == pytest.approx(0.65 / math.log(2))
    for row in (alibi, rope):
        assert row["Bits more from"] < row["Bits more"] < row["Bits more to"]
    assert alibi["Told apart from the next"] == "not distinguishable"  # two seeds are too few


def test_two_encodings_are_compared_in_bits_with_an_interval():
    by = measures(RUN)
    assert list(by)[:3] == ["bits", "ratio", "whole"]
    found = pair_of(RUN, "rope", "alibi", "bits")
    assert found.differences == pytest.approx((0.6 / math.log(2), 0.6 / math.log(2)))
    for blocks, expected in zip(found.blocks, ((0.5, 0.5, 0.8), (0.3, 0.6, 0.9)), strict=True):
        assert blocks == pytest.approx([one / math.log(2) for one in expected])
    low, high = found.interval
    assert low < found.differences[0] < high
    assert pair_of(RUN, "rope", "alibi", "ratio").first == pytest.approx((2.35 / 1.75, 2.45 / 1.75))
    assert pair_of(RUN, "rope", "alibi", "whole").first == pytest.approx((2.1 / 2, 2.15 / 2))


def test_one_seed_has_the_interval_of_the_text_alone():
    alone = RUN.of_seed(3)
    [_, alibi] = rows(alone)
    assert alibi["Bits more"] == pytest.approx(0, abs=1e-9)
    assert alibi["Bits more from"] < 0 < alibi["Bits more to"]
    assert pair_of(alone, "rope", "alibi", "bits").interval is not None
    assert pair_of(alone, "rope", "alibi", "ratio").interval is None


@each("write", [to_json, exact_json])
def test_files_keep_the_end_of_the_windows(write):
    assert from_json(write(RUN)) == RUN
    assert "blocks" not in write(PLAIN)


def test_the_mean_over_the_seeds_has_the_mean_of_every_block():
    last = RUN.mean("rope").lengths[-1]
    assert last.blocks == pytest.approx((0.5, 0.65, 0.8))
    assert more_bits((last,)) == pytest.approx(0.65 / math.log(2))


@each(("record", "ending"), [(RUN, "end"), (PLAIN, "whole")])
def test_a_run_with_the_end_of_its_windows_and_one_from_before_have_sections_of_their_own(record, ending):
    found = worst(record)
    assert (found["section"], found["times"]) == (f"worst-{ending}", 8)
    assert rule(record)["section"] == f"rule-{ending}"
    for key in record.done:
        said = verdict(record, key)
        assert (said["section"], said["verdict"], said["length"]) == (f"verdict-{ending}", record.verdict(key), 128)


def test_the_worst_encoding_has_the_largest_ratio():
    assert worst(PLAIN)["title"] == "ALiBi"
    assert worst(PLAIN)["ratio"] == pytest.approx(2.5 / 2.0)


def test_where_nothing_is_done_nothing_is_judged():
    begun = replace(PLAIN, outcomes={})
    assert worst(begun) == {"section": "worst-none"}
    assert verdict(begun, "rope") == {"section": "verdict-none", "title": "RoPE"}


def test_a_loss_near_0_is_by_heart_and_never_in_a_task():
    config = RunConfig(("rope", "alibi"), steps=50)
    assert by_heart(record_of(config, BY_HEART * 1.01)) == []
    assert by_heart(record_of(config, BY_HEART * 0.99)) == ["rope", "alibi"]
    copied = record_of(config, 0.0)
    assert by_heart(RunRecord(config, text_facts(TASKS["copy"]), copied.curves, copied.outcomes)) == []
