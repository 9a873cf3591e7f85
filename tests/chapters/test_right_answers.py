"""The figure of the lab's tasks: its points are what the run measured, and its spec holds none of it."""

from dataclasses import replace

import pytest

from pe_core.chapters.lab import TITLES, right_answers
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import text_facts
from tests.figures.layers import lines_of, told_of
from tests.lab.seeded import one_seed

CONFIG = RunConfig(("rope", "alibi"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, seed=0)
FACTS = text_facts(TASKS["parity"])


def outcome(accuracies, exacts):
    marks = zip(CONFIG.lengths, accuracies, exacts, strict=True)
    return Outcome(
        7, tuple(LengthLoss(length, 9.9, 9.9, answers, whole) for length, answers, whole in marks), (9.9,) * 128
    )


FIRST = outcome((1.0, 0.9, 0.8, 0.7, 0.6, 0.5), (1.0, 0.6, 0.4, 0.2, 0.1, 0.0))
SECOND = outcome((0.8, 0.7, 0.8, 0.5, 0.6, 0.5), (0.5, 0.2, 0.4, 0.0, 0.1, 0.0))
ONE = one_seed(CONFIG, FACTS, {}, {"rope": FIRST})
BOTH = one_seed(CONFIG, FACTS, {}, {"rope": FIRST, "alibi": SECOND})
AGAIN = replace(ONE, config=replace(CONFIG, n_seeds=2), outcomes={"rope": {0: FIRST, 1: SECOND}})


def points(figure, title=ENCODINGS["rope"].title):
    frame = figure.frames["lines"]
    return frame[frame["name"] == title][["x", "y", "min", "max", "n"]].to_numpy().tolist()


@pytest.mark.parametrize(("right", "values"), [("accuracy", 0), ("exact", 1)])
def test_a_line_goes_through_the_share_at_each_length(right, values):
    figure = right_answers(BOTH, right)
    first = ((1.0, 0.9, 0.8, 0.7, 0.6, 0.5), (1.0, 0.6, 0.4, 0.2, 0.1, 0.0))[values]
    second = ((0.8, 0.7, 0.8, 0.5, 0.6, 0.5), (0.5, 0.2, 0.4, 0.0, 0.1, 0.0))[values]
    for key, fractions in (("rope", first), ("alibi", second)):
        expected = [[length, one, one, one, 1] for length, one in zip(CONFIG.lengths, fractions, strict=True)]
        assert points(figure, ENCODINGS[key].title) == expected


@pytest.mark.parametrize(
    ("right", "means", "low", "high"),
    [
        ("accuracy", [0.9, 0.8, 0.8, 0.6, 0.6, 0.5], [0.8, 0.7, 0.8, 0.5, 0.6, 0.5], [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]),
        ("exact", [0.75, 0.4, 0.4, 0.1, 0.1, 0.0], [0.5, 0.2, 0.4, 0.0, 0.1, 0.0], [1.0, 0.6, 0.4, 0.2, 0.1, 0.0]),
    ],
)
def test_several_seeds_are_a_line_through_their_mean_in_a_band(right, means, low, high):
    figure = right_answers(AGAIN, right)
    rows = zip(CONFIG.lengths, means, low, high, [2] * 6, strict=True)
    assert points(figure) == [pytest.approx(row) for row in rows]
    line = lines_of(figure)
    [band] = [layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "area"]
    assert line["mark"]["type"] == "line"
    assert band["encoding"]["color"] == line["encoding"]["color"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("bottom", "top")
    told = [(one["field"], one.get("format")) for one in told_of(figure)]
    assert told[2:] == [("y", ".1%"), ("min", ".1%"), ("max", ".1%"), ("n", None)]


def test_one_seed_has_no_band():
    figure = right_answers(ONE, "accuracy")
    assert "area" not in {layer["mark"]["type"] for layer in figure.spec["layer"]}
    assert [one["field"] for one in told_of(figure)] == ["name", "x", "y"]


@pytest.mark.parametrize("run", [ONE, BOTH, AGAIN], ids=["one", "both", "again"])
@pytest.mark.parametrize("right", TITLES)
def test_each_is_drawn_alone_without_a_warning(right, run, capfd):
    import vl_convert

    spec = right_answers(run, right).standalone()
    assert vl_convert.vegalite_to_png(spec, show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""


def test_the_guess_and_the_training_length_are_marked():
    figure = right_answers(ONE, "accuracy")
    assert figure.frames["guesses"].to_dict("records") == [{"label": "uniform guess", "y": pytest.approx(0.5)}]
    assert figure.frames["marks"].to_dict("records") == [{"x": 16, "label": "training length"}]
    assert "guesses" not in right_answers(ONE, "exact").frames  # a guess has hardly ever a whole example right


@pytest.mark.parametrize("right", TITLES)
def test_the_spec_stays_while_a_run_goes_on_and_holds_no_number_of_it(right):
    figure = right_answers(ONE, right)
    assert figure.spec == right_answers(BOTH, right).spec
    assert {layer["data"]["name"] for layer in figure.spec["layer"]} == set(figure.frames)
    assert "datasets" not in figure.spec
    [y] = {str(layer["encoding"]["y"]) for layer in figure.spec["layer"] if layer["data"]["name"] == "lines"}
    assert TITLES[right] in y
    assert "[0, 1]" in y


@pytest.mark.parametrize("run", [ONE, AGAIN], ids=["one", "again"])
def test_what_is_pointed_at_says_what_it_is_with_its_unit_or_nothing(run):
    told = [(layer["encoding"].get("tooltip"), layer["mark"]) for layer in right_answers(run, "accuracy").spec["layer"]]
    assert all(words or mark.get("tooltip") is None for words, mark in told)
    guess = next(words for words, _ in told if words)
    assert [(each["title"], each.get("format")) for each in guess] == [("Guess", None), ("Right answers", ".1%")]
