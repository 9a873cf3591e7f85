"""Figures of a run with several seeds, and of two runs: means, bands, pairs and lengths are those of their seeds."""

from dataclasses import replace

from pe_core.chapters import lab as figures
from pe_core.encodings import ENCODINGS
from pe_core.figures.ranking import pair
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import RunRecord, text_facts
from tests.cases import each
from tests.figures.layers import layers, lines_of, told_of
from tests.lab.seeded import CONFIG, FACTS, seeded

FIGURES = figures.training_curves, figures.position_losses, figures.length_losses
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
        config = replace(CONFIG, encodings=tuple(ENCODINGS)[:n_encodings])
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
