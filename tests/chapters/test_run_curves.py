"""Figures of the lab: what stands in their frames is what the run measured, and their specs hold none of it."""

import json
import math
from dataclasses import replace

import numpy as np

from pe_core.chapters import lab as figures
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import colour_of
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import MAX_ENCODINGS, RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, TextFacts, text_facts
from tests.cases import each
from tests.figures.layers import lines_of
from tests.lab.seeded import one_seed

FIGURES = figures.training_curves, figures.position_losses, figures.length_losses
CONFIG = RunConfig(("none", "rope", "alibi"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=250, seed=0)
TEXT = TextFacts("cats", 9_000, 20, math.log(20), 2.5, "0" * 64)


def curve(start, n_steps):
    return tuple(start / (1 + 0.01 * step) for step in range(n_steps))


def outcome(loss):
    lengths = tuple(LengthLoss(length, loss + length / 100, loss + length / 90) for length in CONFIG.lengths)
    return Outcome(1_000, lengths, tuple(loss + position / 1_000 for position in range(128)))


def record(*, steps, done):
    """A run as far as it has come: so many steps of every encoding, and results of the first few encodings."""
    curves = {key: curve(3.0 + number, steps) for number, key in enumerate(CONFIG.encodings)} if steps else {}
    outcomes = {key: outcome(1.0 + number) for number, key in enumerate(CONFIG.encodings[:done])}
    return one_seed(CONFIG, TEXT, curves, outcomes)


EMPTY, UNDER_WAY, SOME, ALL = (
    record(steps=0, done=0),
    record(steps=77, done=0),
    record(steps=250, done=2),
    record(steps=250, done=3),
)


def lines(figure):
    """The points of each encoding, by its title."""
    frame = figure.frames["lines"]
    return {title: list(zip(part["x"], part["y"], strict=True)) for title, part in frame.groupby("name")}


@each("draw", FIGURES)
def test_the_spec_knows_the_encodings_and_the_lengths_only(draw):
    """A spec that changes makes the browser draw the chart anew."""
    config, text = replace(CONFIG, steps=500, seed=9, n_layers=3, d_model=32), replace(TEXT, vocab_size=9)
    for run in (EMPTY, UNDER_WAY, SOME, replace(ALL, config=config, text=text)):
        assert draw(run).spec == draw(ALL).spec


@each("draw", FIGURES)
def test_every_encoding_of_a_run_has_its_look_in_all_its_figures(draw):
    encodings = tuple(ENCODINGS)[:MAX_ENCODINGS]
    looks = lines_of(draw(RunRecord(replace(CONFIG, encodings=encodings), TEXT)))["encoding"]
    colour, dash = (looks[channel]["scale"] for channel in ("color", "strokeDash"))
    titles = [ENCODINGS[key].title for key in encodings]
    assert colour == {"domain": titles, "range": [colour_of(title) for title in titles]}
    assert dash["domain"] == titles
    assert len({*zip(colour["range"], map(tuple, dash["range"]), strict=True)}) == MAX_ENCODINGS


@each("draw", FIGURES)
def test_of_a_task_the_loss_is_that_of_an_answer_and_the_only_guess_is_uniform(draw):
    task = RunRecord(CONFIG, text_facts(TASKS["copy"]), ALL.curves, ALL.outcomes)
    figure = draw(task)
    assert figure.frames["guesses"].to_dict("records") == [{"label": "uniform guess", "y": math.log(10)}]
    assert figure.frames["lines"].equals(draw(ALL).frames["lines"])
    titles = {lines_of(figure)["encoding"][axis]["title"] for axis in "xy"}
    assert titles <= {"Loss (nats per answer)", "Step", "Position", "Evaluated length (symbols)"}


@each(("draw", "last"), [(figures.training_curves, 250), (figures.position_losses, 128), (figures.length_losses, 128)])
def test_the_axis_ends_where_the_run_will(draw, last):
    frames = draw(EMPTY).frames
    assert frames["end"].x.tolist()[-1] == last
    assert ("marks" in frames) == (draw is not figures.training_curves)
    assert "marks" not in frames or frames["marks"].x.tolist() == [16]


@each("run", [UNDER_WAY, ALL])
def test_a_point_of_training_is_the_mean_of_the_steps_since_the_one_before(run):
    shown = lines(figures.training_curves(run))
    assert set(shown) == {"None (NoPE)", "RoPE", "ALiBi"}
    for key, losses in ((key, by_seed[CONFIG.seed]) for key, by_seed in run.curves.items()):
        expected = [(step, (losses[step - 2] + losses[step - 1]) / 2) for step in range(2, len(losses) + 1, 2)]
        np.testing.assert_allclose(shown[ENCODINGS[key].title], expected)


@each(("steps", "points"), [(50, 50), (150, 150), (200, 100), (5_000, 100)])
def test_curves_stay_short_however_many_steps_there_are(steps, points):
    run = RunRecord(replace(CONFIG, steps=steps), TEXT, {"none": {0: curve(3.0, steps)}})
    shown = lines(figures.training_curves(run))["None (NoPE)"]
    assert len(shown) == points
    assert shown[-1][0] == steps


@each("run", [SOME, ALL])
def test_a_point_of_the_positions_is_a_mean_of_an_eighth_of_the_training_length(run):
    shown = lines(figures.position_losses(run))
    assert set(shown) == {ENCODINGS[key].title for key in run.outcomes}
    for key in run.done:
        result = run.mean(key)
        pairs = zip(result.positions[::2], result.positions[1::2], strict=True)
        expected = [(2 * (place + 1), sum(pair) / 2) for place, pair in enumerate(pairs)]
        np.testing.assert_allclose(shown[ENCODINGS[key].title], expected)


@each("draw", FIGURES)
@each("run", [EMPTY, ALL])
def test_the_figure_alone_is_drawn_without_a_warning(draw, run, capfd):
    import vl_convert

    spec = draw(run).standalone()
    assert json.loads(json.dumps(spec)) == spec
    picture = vl_convert.vegalite_to_png(spec, show_warnings=True)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) > 2_000
    assert capfd.readouterr().err == ""
