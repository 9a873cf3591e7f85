"""The lab reads a trained model with repairs: chosen on the page or by the link, checked, shown beside each other."""

import pandas as pd
import pytest

from pe_core.chapters.lab import TITLES
from pe_core.chapters.script import RUN_FILE
from pe_core.lab.experiment.repair import REPAIRS, named
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.results import record_file
from tests.app.opened import checked, frames, opened, said, sentences
from tests.app.running import finished, press, snapshot
from tests.cases import each
from tests.chapters.offered import offered

TINY = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50", "encodings": ["rope"]}


def test_a_run_draws_its_model_as_trained_repaired_and_fine_tuned_under_each_reading(expects):
    expects(1.0)
    at = opened("lab", **TINY, repairs=["ntk"], repairs_together=["pi", "sinks"], tune_steps="50")
    press(at, "train")
    finished(at)
    record = snapshot(at).record
    assert record.config.repairs == ("ntk", "pi+sinks")
    outcome = record.mean("rope")
    assert list(outcome.tuned) == ["as_trained", "ntk", "pi+sinks"]
    drawn = [chart["lines"] for chart in frames(at) if "As trained" in set(chart["lines"].name)]
    assert len(drawn) == 4
    for by_title, lines in zip((outcome.evaluations(), outcome.tuned_evaluations()), (drawn[1], drawn[3]), strict=True):
        for title, read in by_title.items():
            assert lines[lines.name == title].y.tolist() == [one.loss for one in read.lengths]
    rows = at.dataframe[0].value["Encoding"].tolist()
    titles = [f"RoPE, {named(name).title}" for name in record.config.repairs]
    tuned = [f"{title}, fine-tuned" for title in ("RoPE, As trained", *titles)]
    assert rows == ["RoPE", *titles, *tuned]
    assert any("after 50 more steps at 128 characters" in sentence for sentence in sentences(at))


def test_a_run_of_a_task_draws_what_is_right_under_each_reading(expects, tmp_path):
    expects(1.0)
    at = opened("lab", **TINY, task="copy", repairs=["pi", "window"], tune_steps="50", n_seeds="2")
    press(at, "train")
    checked(finished(at), 7)
    record = snapshot(at).record
    titles = ["As trained", named("pi").title, named("window").title]
    pictures = at.session_state["_pictures"]
    (tmp_path / RUN_FILE).write_text(record_file.to_json(record), encoding="utf-8")
    for kind, evaluations in (("repaired", Outcome.evaluations), ("tuned", Outcome.tuned_evaluations)):
        for share in ("accuracy", "exact"):
            shown = pictures[f"lab_{kind}_{share}_rope"]
            lines = shown.picture().frames["lines"]
            assert any(chart["lines"].equals(lines) for chart in frames(at))
            each = [evaluations(one) for one in record.outcomes["rope"].values()]
            for title in titles:
                ends = [getattr(one[title].lengths[-1], share) for one in each]
                last = lines[lines.name == title].iloc[-1]
                assert (last.y, last["min"], last["max"]) == pytest.approx((sum(ends) / 2, min(ends), max(ends)))
                assert f"{title} {sum(ends) / 2:.0%}" in shown.alternative
            assert f"{TITLES[share]} of RoPE at 128 symbols, mean of 2 runs: As trained " in shown.alternative
            pd.testing.assert_frame_equal(offered(shown.picture, tmp_path).frames["lines"], lines, atol=1e-6)
    assert "**RoPE, as trained and repaired**, mean of 2 runs" in said(at)
    assert "**RoPE, after 50 more steps at 128 symbols under each**, mean of 2 runs" in said(at)


@each(
    ("link", "message"),
    [
        ({"encodings": ["none"], "repairs": ["ntk"]}, "repairs must suit an encoding of the run (none), got ntk"),
        (
            {"encodings": ["rope"], "repairs_together": ["ntk", "pi"]},
            "repairs together must change the encoding only once, got ntk+pi",
        ),
    ],
)
def test_repairs_that_do_not_fit_are_refused_before_training(link, message):
    at = opened("lab", **{**TINY, **link})
    assert [error.value for error in at.error] == [f"This cannot be trained: `{message}`."]
    assert at.button(key="train").disabled


def test_an_unknown_repair_in_the_link_is_named():
    at = opened("lab", repairs=["nope", "ntk"])
    assert at.multiselect(key="repairs").value == ["ntk"]
    assert f"repairs must be among {', '.join(REPAIRS)}, got nope" in at.warning[0].value
