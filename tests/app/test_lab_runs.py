"""A run on the page: trained to its end, or watched, paused and stopped; and shown to whoever has its link."""

import math

import pandas as pd
import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job
from pe_core.lab.queue.messages import LIVE
from pe_core.lab.results import table
from tests.app.opened import VISITOR, frames, opened, sentences
from tests.app.running import TINY, at_rest, can_press, configured, finished, press, reached, snapshot, standing
from tests.lab.running import alone
from ui.frame.visitor import KEY
from ui.lab import jobs as lab


def test_training_a_tiny_run_to_its_end(expects):
    expects(1.0)
    at = press(configured(), "train")
    run = at.query_params["run"]
    finished(at)
    assert standing(at).endswith(" · done")
    assert at.main.progress[0].value == 100
    assert standing(at).startswith("Step 100 of 100, 50 for each of 2 models · ")
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
    expected = [loss.loss for by_seed in outcomes.values() for loss in by_seed[TINY.seed].lengths]
    assert by_length["lines"]["y"].tolist() == expected
    lengths = [loss for by_seed in outcomes.values() for loss in by_seed[TINY.seed].lengths]
    assert cost["lines"]["y"].tolist() == pytest.approx([(one.end - one.within) / math.log(2) for one in lengths])
    assert (
        f"ALiBi: loss {outcomes['alibi'][TINY.seed].lengths[0].loss:.2f} at the training length of 16"
        in sentences(at)[1]
    )

    ratios = {row["Encoding"]: row["Ratio"] for row in table.rows(record)}
    worst = max(ratios, key=ratios.get)
    where = f"**{worst}**: at the end of windows of 8 times the training length"
    assert at.expander[-1].markdown[0].value == f"{where} its loss is {ratios[worst]:.2f} times as high."


def test_a_run_is_watched_as_it_goes(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 10)
    before = int(standing(at).split()[1].replace(",", ""))
    assert " of 100, 50 for each of 2 models · " in standing(at)
    assert " tokens/s" in standing(at)
    reached(at, lambda: snapshot(at).steps > before)
    assert int(standing(at).split()[1].replace(",", "")) > before
    assert can_press(at) == {"Pause", "Stop"}
    assert set(frames(at)[0]["lines"]["name"]) == {"None (NoPE)", "ALiBi"}
    assert not at.dataframe
    assert at.expander[-1].markdown[0].value == "Train first: this run has no results yet."
    assert "Latest loss in nats per character: None (NoPE) 1." in sentences(at)[0]


def test_pause_holds_the_run_and_resume_goes_on(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 3)
    press(at, "pause")
    assert can_press(at) == {"Resume", "Stop"}
    assert standing(at).endswith(" · paused")
    held = at_rest(lambda: snapshot(at).steps)
    assert at.run().session_state["run"] == at.query_params["run"]
    assert standing(at).startswith(f"Step {held:,} of 100, ")
    press(at, "pause")
    assert can_press(at) == {"Pause", "Stop"}
    reached(at, lambda: snapshot(at).steps > held)


def test_stop_ends_the_run_and_leaves_its_curves(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 20)
    press(at, "stop")
    assert snapshot(at).state == "stopped"
    assert can_press(at) == {"Train"}
    assert not at.main.progress
    assert at.info[0].value.startswith("Stopped. Step ")
    assert not frames(at)[0]["lines"].empty
    run = at.query_params["run"]
    press(at, "train")
    assert at.query_params["run"] != run


def test_a_failed_run_says_why(monkeypatch, expects):
    def fail(config, encoding, text, device, glanced):
        yield TrainStep(encoding, 1, 4.5)
        raise RuntimeError("out of memory")

    expects(1.0)
    monkeypatch.setattr(job, "run_encoding", fail)
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).state not in LIVE)
    assert at.error[0].value in {f"This run failed: {key}: out of memory" for key in TINY.encodings}
    assert can_press(at) == {"Train"}


def test_the_link_shows_the_same_run_to_another_visitor(endless):
    at = press(configured(), "train")
    reached(at, lambda: snapshot(at).steps > 3)
    other = opened("lab", **at.query_params)
    assert not other.warning
    assert other.session_state["run"] == at.session_state["run"]
    assert can_press(other) == {"Train"}
    assert "Another visitor has started this run." in " ".join(caption.value for caption in other.main.caption)
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


def test_the_run_keeps_its_settings_while_the_controls_move_on(endless):
    at = press(configured(), "train")
    at.slider(key="steps").set_value(200).run()
    assert " of 100" in standing(reached(at, lambda: snapshot(at).steps > 0))
    assert frames(at)[0]["end"]["x"].max() == 50
