"""Figures of the lab: what stands in their frames is what the run measured, and their specs hold none of it.

Of several seeds means, bands and pairs are those of the seeds; of two runs lengths are those of each.
"""

import json
import math
from dataclasses import replace

import numpy as np

from pe_core.chapters import lab as figures
from pe_core.encodings import ENCODINGS
from pe_core.figures.looks.palette import colour_of
from pe_core.figures.ranking import pair
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import MAX_ENCODINGS, RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, TextFacts, text_facts
from tests.cases import each
from tests.figures.layers import layers, lines_of, told_of
from tests.lab.seeded import FACTS, one_seed, seeded

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


EMPTY, UNDER_WAY, SOME, ALL = (record(steps=n, done=done) for n, done in ((0, 0), (77, 0), (250, 2), (250, 3)))


def lines(figure):
    """The points of each encoding, by its title."""
    frame = figure.frames["lines"]
    return {title: list(zip(part["x"], part["y"], strict=True)) for title, part in frame.groupby("name")}


@each("draw", FIGURES)
def test_the_spec_knows_the_encodings_and_the_lengths_only(draw):
    """A spec that changes makes the browser draw the chart anew."""
    config, text = replace(CONFIG, steps=500, seed=9, n_layers=3, d_model=32), replace(TEXT, symbols=9)
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


DONE = [{"rope": (2.0, 3.0), "alibi": (2.0, 2.0)}, {"rope": (2.0, 3.5)}, {"rope": (2.75, 4.0)}]
CURVES = [{"rope": (3.0, 2.0, 1.0), "alibi": (3.0,)}, {"rope": (3.5, 2.5)}, {"rope": (2.5, 3.0, 9.0)}]
SEVERAL = seeded(DONE, CURVES)
ONE = SEVERAL.of_seed(3)


def points(figure, title="RoPE"):
    frame = figure.frames["lines"]
    return frame[frame.name == title][["x", "y", "min", "max", "n"]].to_numpy().tolist()


def marks(figure):
    return [
        layer["mark"]["type"] for layer in figure.spec["layer"] if "mark" in layer
    ]  # guesses have layers of their own


def test_a_curve_is_the_mean_in_its_band_as_far_as_all_trainings_have_come():
    shown = figures.training_curves(SEVERAL)
    assert points(shown) == [[1, 3.0, 2.5, 3.5, 3], [2, 2.5, 2.0, 3.0, 3]]
    assert points(shown, "ALiBi") == [[1, 3.0, 3.0, 3.0, 1]]  # of the only training that has begun
    assert points(shown, "None (NoPE)") == []


def test_lengths_and_positions_have_the_trainings_that_are_done():
    shown = figures.length_losses(SEVERAL)
    assert points(shown)[0] == [16, 2.25, 2.0, 2.75, 3]
    assert points(shown)[-1] == [128, 3.5, 3.0, 4.0, 3]
    assert points(shown, "ALiBi")[-1] == [128, 2.0, 2.0, 2.0, 1]
    places = points(figures.position_losses(SEVERAL))
    assert places[0] == [2, 2.25, 2.0, 2.75, 3]
    assert places[-1] == [128, 3.5, 3.0, 4.0, 3]
    assert len(places) == 64


@each("draw", FIGURES)
def test_one_training_has_no_band_and_its_own_numbers(draw):
    figure = draw(ONE)
    assert "area" not in marks(figure)
    assert all(loss == low == high and n == 1 for _, loss, low, high, n in points(figure))
    assert len(points(figure)) > 0
    assert [each["field"] for each in told_of(figure)] == ["name", "x", "y"]


@each("draw", FIGURES)
def test_a_band_has_the_colour_of_its_line_and_lets_others_through(draw):
    figure = draw(SEVERAL)
    [band] = layers(figure, "bands", "area")
    assert 0 < band["mark"]["fillOpacity"] <= 0.25
    assert band["encoding"]["color"] == lines_of(figure)["encoding"]["color"]
    tooltip = {each["field"]: each["title"] for each in told_of(figure)}
    assert {"min": "Smallest", "max": "Largest", "n": "Runs"}.items() <= tooltip.items()


@each("draw", FIGURES)
def test_many_bands_are_fainter_than_few(draw):
    def opacity(n_encodings):
        config = replace(SEVERAL.config, encodings=tuple(ENCODINGS)[:n_encodings])
        drawn = draw(RunRecord(config, FACTS)).spec["layer"]
        [band] = [one for one in drawn if one.get("mark", {}).get("type") == "area"]
        return band["mark"]["fillOpacity"]

    assert opacity(2) == opacity(4) > opacity(5) == opacity(MAX_ENCODINGS) > 0


SCRIPT_OF_PAIR = ("rope", "alibi", "ratio")
PAIRED = seeded([{"rope": (2.0, 3.0), "alibi": (2.0, 2.5)}, {"rope": (2.0, 4.0), "alibi": (1.0, 2.5)}])


def test_a_pair_has_a_line_for_each_common_seed_and_the_means():
    figure = pair(PAIRED, *SCRIPT_OF_PAIR)
    lines, means = (figure.frames[name] for name in ("lines", "means"))
    assert sorted(zip(lines.seed, lines.encoding, lines.value, strict=True)) == [
        *((3, "ALiBi", 1.25), (3, "RoPE", 1.5)),
        *((4, "ALiBi", 2.5), (4, "RoPE", 2.0)),
    ]
    assert means[["encoding", "value", "n"]].to_numpy().tolist() == [["RoPE", 1.75, 2], ["ALiBi", 1.875, 2]]
    assert lines.place.tolist() == [0, 0, 1, 1]  # the first one stands on the left


def test_a_pair_of_a_task_is_written_in_percent():
    share = replace(PAIRED, text=text_facts(TASKS["copy"]))
    marked = {
        key: {
            seed: replace(one, lengths=tuple(replace(mark, accuracy=0.5) for mark in one.lengths))
            for seed, one in by_seed.items()
        }
        for key, by_seed in share.outcomes.items()
    }
    figure = pair(replace(share, outcomes=marked), "rope", "alibi", "8")
    assert figure.frames["means"].value.tolist() == [0.5, 0.5]
    for layer in figure.spec["layer"]:
        assert layer["encoding"]["y"]["axis"] == {"format": ".1%"}
        assert {one["title"]: one.get("format") for one in layer["encoding"]["tooltip"]}["Right at 128"] == ".1%"


FIRST = (("RoPE", ((16, 2.0), (32, 2.5), (128, 3.5))),)
SECOND = (("ALiBi", ((64, 1.5), (512, 1.6))), ("RoPE", ((64, 1.4), (512, 3.0))))


def test_lengths_are_multiples_of_the_training_length_of_each_run():
    points = [
        *[[times, loss, "RoPE", "first run"] for times, loss in ((1, 2.0), (2, 2.5), (8, 3.5))],
        *[[times, loss, "ALiBi", "second run"] for times, loss in ((1, 1.5), (8, 1.6))],
        *[[times, loss, "RoPE", "second run"] for times, loss in ((1, 1.4), (8, 3.0))],
    ]
    for of_tasks in (False, True):
        drawn = figures.two_runs(first=FIRST, second=SECOND, of_tasks=of_tasks)
        assert drawn.frames["lines"].to_numpy().tolist() == points
