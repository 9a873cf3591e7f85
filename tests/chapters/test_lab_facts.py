"""What the lab says of a run: the section that is true of it, with its numbers."""

from dataclasses import replace

import pytest

from pe_core.chapters.lab_facts import BY_HEART, by_heart, rule, verdict, worst
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from tests.app.test_lab_kept import record_of
from tests.cases import each
from tests.chapters.test_length_cost import PLAIN, RUN


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
