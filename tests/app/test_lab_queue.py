"""A run among others and from afar: the queue is full, the place in it, the other pages, and a page that goes."""

import time
from types import SimpleNamespace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.queue import trainer
from pe_core.lab.queue.messages import LIVE
from pe_core.lab.results.record import RunRecord, text_facts
from tests.app.running import at_rest, can_press, configured, press, snapshot, standing
from tests.cases import each
from tests.lab.running import more
from ui.lab import panel
from ui.lab.setup import FIRST_RUN


def test_a_full_queue_says_so(endless, monkeypatch):
    monkeypatch.setenv("PE_MAX_RUNS", "1")
    first = press(configured(), "train")
    second = press(configured(), "train")
    [error] = second.error
    assert error.value.startswith("Not started: queue must ")
    assert error.value.endswith(", got 1. Try again when a run has ended.")
    assert "run" not in second.query_params
    assert can_press(second) == {"Train"}
    assert not second.run().error
    press(first, "stop")
    press(second, "train")
    assert snapshot(second).state in LIVE


def test_the_queue_gives_a_place_to_who_waits(endless, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 1_000.0)
    press(configured(), "train")
    second = press(configured(), "train")
    assert standing(second).endswith("place 2 in the queue, others have their turn")


def run_bars(at):
    """What the sidebar says of a run, beside the progress of the course."""
    return [bar.text for bar in at.sidebar.progress if bar.text.startswith("Lab: Step ")]


def test_the_other_pages_say_where_the_run_stands(endless):
    at = press(configured(), "train")
    assert run_bars(at) == []
    at.switch_page("pages/home.py").run()
    assert len(run_bars(at)) == 1
    assert at.sidebar.page_link[0].proto.page == "lab"
    assert at.sidebar.page_link[0].proto.query_string == f"run={at.session_state['run']}"
    at.query_params.clear()  # as a link of the sidebar does
    at.switch_page("pages/lab.py").run()
    assert can_press(at) == {"Pause", "Stop"}
    assert at.query_params["run"] == at.session_state["run"]
    press(at, "stop")
    at.switch_page("pages/home.py").run()
    assert run_bars(at) == []


@pytest.fixture
def minute(endless, monkeypatch):
    """A run of a page, and its clock, which stands still but for the minute that it is put ahead."""
    clock = SimpleNamespace(now=time.monotonic())
    monkeypatch.setattr(trainer, "time", SimpleNamespace(monotonic=lambda: clock.now))
    at = press(configured(), "train")

    def passes():
        clock.now += 60.0
        return at

    return passes


def test_a_run_whose_page_has_gone_ends(minute, endless):
    minute()
    at = minute()
    at_rest(lambda: len(endless))
    ended = snapshot(at)
    assert ended.state == "stopped"
    assert ended.message == "Stopped, because nobody was watching any more."


def test_a_run_that_a_hidden_tab_looks_at_once_a_minute_goes_on(minute, endless):
    for _ in range(3):
        at = minute()
        more(endless)
        at.run()
    assert snapshot(at).state in LIVE


@pytest.fixture
def looks(monkeypatch):
    """A run that stands differently at each look; the last state stays. Returns what sets them and counts the looks.

    Time goes by while the panel sleeps, and only there.
    """
    seen = SimpleNamespace(states=[], n=0, now=0.0)

    def look(job_id):
        seen.n += 1
        found = {"state": "running", "place": 0, "steps": 0, "seconds_left": None, **seen.states[0]}
        seen.states = seen.states[1:] or seen.states
        record = RunRecord(FIRST_RUN, text_facts(built_in()), {"rope": {0: (1.0,) * found["steps"]}}, {})
        return SimpleNamespace(**found, record=record)

    def sleep(seconds):
        seen.now += seconds

    monkeypatch.setattr(panel.lab, "job_manager", lambda: SimpleNamespace(snapshot=look))
    monkeypatch.setattr(panel, "time", SimpleNamespace(monotonic=lambda: seen.now, sleep=sleep))
    return seen


def test_a_look_waits_for_the_first_point_and_for_the_end_that_are_a_moment_away(looks):
    looks.states = [{}, *({"steps": n, "seconds_left": 60.0} for n in (2, 3, 9))]
    assert panel.about_to_come("run").steps == 3
    looks.states = [{"steps": 9, "seconds_left": 0.1}, {"steps": 9, "state": "finished"}]
    assert panel.about_to_come("run").state == "finished"


@each(
    "stands",
    [
        {"steps": 5, "seconds_left": 30.0},
        {"steps": 2, "seconds_left": 600.0},
        {"place": 2},
        {"state": "paused"},
        {"state": "stopped"},
    ],
)
def test_a_look_does_not_wait_for_what_is_far_away(looks, stands):
    looks.states, looks.n = [stands], 0
    panel.about_to_come("run")
    assert looks.n == 1


def test_a_look_waits_for_a_moment_only(looks):
    looks.states = [{}]
    assert panel.about_to_come("run").steps == 0
    assert panel.MOMENT <= looks.now < panel.MOMENT + 2 * panel._AGAIN
