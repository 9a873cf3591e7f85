"""The lab reads a trained model with repairs: chosen on the page or by the link, checked, shown beside each other."""

import pytest

from pe_core.figures import repair as figures
from pe_core.lab.repair import REPAIRS, named
from tests.app.opened import frames, opened, sentences
from tests.app.running import press, rerun_until, snapshot

pytestmark = pytest.mark.usefixtures("own_line")

TINY = {"train_length": "16", "d_model": "16", "n_heads": "1", "n_layers": "1", "steps": "50", "encodings": ["rope"]}


def test_a_run_draws_its_model_as_trained_and_repaired(expects):
    expects(1.0)
    at = opened("lab", **TINY, repairs=["ntk", "window"], repairs_together=["pi", "sinks"])
    press(at, "train")
    rerun_until(at, lambda: snapshot(at).state == "finished")
    at.run()
    assert not at.exception
    record = snapshot(at).record
    assert record.config.repairs == ("ntk", "window", "pi+sinks")
    titles = {"As trained", *(named(name).title for name in record.config.repairs)}
    drawn = [set(chart["lines"].repair) for chart in frames(at) if "repair" in chart["lines"]]
    assert drawn == [titles, titles]
    shown = figures.by_length(record, "rope").frames["lines"]
    assert any(len(chart["lines"]) == len(shown) and "repair" in chart["lines"] for chart in frames(at))
    rows = at.dataframe[0].value["Encoding"].tolist()
    assert rows == ["RoPE", *(f"RoPE, {named(name).title}" for name in record.config.repairs)]


def test_a_run_draws_what_a_fine_tuning_makes_of_each_reading(expects):
    expects(1.0)
    at = opened("lab", **TINY, repairs=["pi"], tune_steps="50")
    press(at, "train")
    rerun_until(at, lambda: snapshot(at).state == "finished")
    at.run()
    assert not at.exception
    record = snapshot(at).record
    outcome = record.outcomes["rope"]
    assert list(outcome.tuned) == ["as_trained", "pi"]
    drawn = [chart["lines"] for chart in frames(at) if "repair" in chart["lines"]]
    assert len(drawn) == 4
    for readings, lines in zip((outcome.readings(), outcome.tuned_readings()), (drawn[1], drawn[3]), strict=True):
        for title, read in readings.items():
            assert lines[lines.repair == title].loss.tolist() == [one.loss for one in read.lengths]
    rows = at.dataframe[0].value["Encoding"].tolist()
    pi = f"RoPE, {named('pi').title}"
    assert rows == ["RoPE", pi, "RoPE, As trained, fine-tuned", f"{pi}, fine-tuned"]
    assert any("after 50 more steps at 128 characters" in sentence for sentence in sentences(at))


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"encodings": ["none"], "repairs": ["ntk"]}, "repairs must suit an encoding of the run (none), got ntk"),
        (
            {"encodings": ["rope"], "repairs_together": ["ntk", "pi"]},
            "repairs together must change different things (stand_in only once), got ntk+pi",
        ),
    ],
)
def test_repairs_that_do_not_fit_are_refused_before_training(link, message):
    at = opened("lab", **{**TINY, **link})
    assert not at.exception
    assert [error.value for error in at.error] == [f"This cannot be trained: {message}."]
    assert at.button(key="train").disabled


def test_an_unknown_repair_in_the_link_is_named():
    at = opened("lab", repairs=["nope", "ntk"])
    assert at.multiselect(key="repairs").value == ["ntk"]
    assert f"repairs must be among {', '.join(REPAIRS)}, got nope" in at.warning[0].value
