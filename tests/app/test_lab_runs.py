"""A run on the page: to its end, watched, paused and stopped, for whoever has its link, among others and from afar."""

import math
import time
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, trainer
from pe_core.lab.queue.job import LIVE
from pe_core.lab.queue.jobs import OPERATOR
from pe_core.lab.results import table
from tests.app.in_chinese import CHINESE, also_in_chinese, pressed, read
from tests.app.opened import VISITOR, frames, opened, sentences
from tests.app.running import LINK, TINY, at_rest, can_press, configured, finished, press, reached, snapshot, standing
from tests.lab.running import alone, more
from tests.waiting import until
from ui.frame.visitor import KEY
from ui.lab import jobs as lab
from ui.lab import panel


def test_training_a_tiny_run_to_its_end(expects):
    expects(1.0)
    at = press(configured(), "train")
    run = at.query_params["run"]
    finished(at)
    assert standing(at).startswith("Step 100 of 100, 50 for each of 2 models · ")
    assert standing(at).endswith(" · done")
    assert at.main.progress[0].value == 100
    assert can_press(at) == {"Train"}
    record = lab.job_manager().snapshot(run).record
    assert record.config == TINY
    curves, outcomes = alone(TINY, datasets.built_in())
    assert record.curves == curves
    assert record.outcomes == outcomes
    shown = at.dataframe[0].value
    pd.testing.assert_frame_equal(shown.reset_index(drop=True), pd.DataFrame(table.rows(record)))
    training, by_length, by_position, cost = frames(at)
    assert training["lines"]["y"].tolist() == [loss for by_seed in curves.values() for loss in by_seed[TINY.seed]]
    assert set(by_position["lines"]["name"]) == {"None (NoPE)", "ALiBi"}
    lengths = [loss for by_seed in outcomes.values() for loss in by_seed[TINY.seed].lengths]
    assert by_length["lines"]["y"].tolist() == [one.loss for one in lengths]
    assert cost["lines"]["y"].tolist() == pytest.approx([(one.end - one.within) / math.log(2) for one in lengths])
    first = outcomes["alibi"][TINY.seed].lengths[0].loss
    assert f"ALiBi: loss {first:.2f} at the training length of 16" in sentences(at)[1]
    ratios = {row["Encoding"]: row["Ratio"] for row in table.rows(record)}
    worst = max(ratios, key=ratios.get)
    where = f"**{worst}**: at the end of windows of 8 times the training length"
    assert at.expander[-1].markdown[0].value == f"{where} its loss is {ratios[worst]:.2f} times as high."
    also_in_chinese(at)


def test_a_run_is_watched_as_it_goes_and_keeps_its_settings_while_the_controls_move_on(endless):
    at = press(configured(), "train")
    at.slider(key="steps").set_value(200).run()
    reached(at, lambda: snapshot(at).steps > 10)
    before = int(standing(at).split()[1].replace(",", ""))
    assert " of 100, 50 for each of 2 models · " in standing(at)
    assert " tokens/s" in standing(at)
    reached(at, lambda: snapshot(at).steps > before)
    assert int(standing(at).split()[1].replace(",", "")) > before
    assert can_press(at) == {"Pause", "Stop"}
    assert frames(at)[0]["end"]["x"].max() == 50
    assert set(frames(at)[0]["lines"]["name"]) == {"None (NoPE)", "ALiBi"}
    assert not at.dataframe
    assert at.expander[-1].markdown[0].value == "Train first: this run has no results yet."
    assert "Latest loss in nats per character: None (NoPE) 1." in sentences(at)[0]
    also_in_chinese(at)


def test_pause_holds_the_run_resume_goes_on_and_stop_ends_it_and_leaves_its_curves(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 3)
    press(at, "pause")
    assert can_press(at) == {"Resume", "Stop"}
    assert standing(at).endswith(" · paused")
    held = at_rest(lambda: snapshot(at).steps)
    assert at.run().session_state["run"] == at.query_params["run"]
    assert standing(at).startswith(f"Step {held:,} of 100, ")
    also_in_chinese(at)
    press(at, "pause")
    assert can_press(at) == {"Pause", "Stop"}
    reached(at, lambda: snapshot(at).steps > max(20, held))
    press(at, "stop")
    assert snapshot(at).state == "stopped"
    assert can_press(at) == {"Train"}
    assert not at.main.progress
    assert at.info[0].value.startswith("Stopped. Step ")
    assert not frames(at)[0]["lines"].empty
    also_in_chinese(at)
    run = at.query_params["run"]
    press(at, "train")
    assert at.query_params["run"] != run


def test_a_failed_run_says_why(monkeypatch, expects):
    def fail(config, encoding, text, device, glanced):
        yield TrainStep(encoding, 1, 4.5)
        raise ValueError("width must be a whole number from 2 to 512, got 7.5")

    expects(1.0)
    monkeypatch.setattr(job, "run_encoding", fail)
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).state not in LIVE)
    problem = "width must be a whole number from 2 to 512, got 7.5"
    assert at.error[0].value in {f"This run failed: {key}: {problem}" for key in TINY.encodings}
    assert can_press(at) == {"Train"}
    also_in_chinese(at)


def test_train_can_be_pressed_after_a_run_that_has_ended_behind_its_buttons(endless, monkeypatch):
    """The buttons were drawn while it lived, and must not stay as they are."""
    at, buttons = press(configured(), "train"), panel.buttons

    def drawn_before_the_end(*, job_id, **kwargs):
        lived = buttons(job_id=job_id, **kwargs)
        if lived:
            lab.job_manager().cancel(job_id, OPERATOR)
            until(lambda: snapshot(at).state not in LIVE, "the run does not end")
        return lived

    monkeypatch.setattr(panel, "buttons", drawn_before_the_end)
    assert can_press(at.run()) == {"Train"}


def test_the_link_shows_the_same_run_to_another_visitor(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 3)
    other = opened("lab", **at.query_params)
    assert not other.warning
    assert other.session_state["run"] == at.session_state["run"]
    assert can_press(other) == {"Train"}
    assert "Another visitor has started this run." in " ".join(caption.value for caption in other.main.caption)
    also_in_chinese(other)
    press(at, "stop")
    at_rest(lambda: snapshot(at).steps)
    other.run()
    assert at.run().info[0].value == other.info[0].value
    assert frames(at)[0]["lines"].equals(frames(other)[0]["lines"])


def test_who_is_another_visitor_by_now_neither_pauses_nor_stops_nor_resumes(endless):
    """The page was drawn for the owner, and the browser has taken a new number since, or a client keeps the buttons."""
    at = press(configured(), "train")
    owner = at.session_state[KEY]
    for key in ("pause", "stop"):
        press_as_a_stranger(at, key, owner)
        assert snapshot(at).state in {"queued", "running"}
    press(at, "pause")
    assert snapshot(at).state == "paused"
    press_as_a_stranger(at, "pause", owner)  # which is called Resume by now
    assert snapshot(at).state == "paused"
    press(at, "stop")
    assert snapshot(at).state == "stopped"


def press_as_a_stranger(at, key, owner):
    """Press a button of the owner's page with another key, read the refusal, and draw the page for the owner again."""
    at.session_state[KEY] = VISITOR
    press(at, key)
    assert [one.value for one in at.error] == [
        "Not changed: run must be your own to be changed, got one of another visitor."
    ]
    at.session_state[KEY] = owner
    assert not at.run().error


def test_a_full_queue_says_so_and_who_empties_the_caches_frees_no_place(endless, monkeypatch):
    """A client can send a message by which Streamlit empties its caches."""
    monkeypatch.setenv("PE_MAX_RUNS", "1")
    first = press(configured(), "train")
    second = press(configured(), "train")
    for empty in (st.cache_data.clear, st.cache_resource.clear):
        [error] = second.error
        assert error.value.startswith("Not started: queue must ")
        assert error.value.endswith(", got 1. Try again when a run has ended.")
        assert "run" not in second.query_params
        assert can_press(second) == {"Train"}
        assert not second.run().error
        empty()
        press(second, "train")
    more(endless)
    assert snapshot(first).state in LIVE
    assert CHINESE.search(pressed(read("lab", **LINK), "train").error[0].value)
    press(first, "stop")
    press(second, "train")
    assert snapshot(second).state in LIVE


def test_the_queue_gives_a_place_to_who_waits(endless, monkeypatch):
    monkeypatch.setattr(trainer, "TURN", 1_000.0)
    press(configured(), "train")
    second = press(configured(), "train")
    assert standing(second).endswith("place 2 in the queue, others have their turn")
    also_in_chinese(second)


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
    also_in_chinese(at)
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


def test_a_run_that_a_hidden_tab_looks_at_once_a_minute_goes_on_and_one_whose_page_has_gone_ends(minute, endless):
    for _ in range(3):
        at = minute()
        more(endless)
        at.run()
    assert snapshot(at).state in LIVE
    minute()
    minute()
    at_rest(lambda: len(endless))
    ended = snapshot(at)
    assert ended.state == "stopped"
    assert ended.message == "Stopped, because nobody was watching any more."
