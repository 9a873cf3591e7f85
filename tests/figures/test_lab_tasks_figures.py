"""The figure of the lab's tasks: its points are what the run measured, and its spec holds none of it."""

from dataclasses import replace

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.figures.lab_tasks import TITLES, right_answers, share_of
from pe_core.lab.evaluation import LengthLoss
from pe_core.lab.results import Outcome, RunRecord, text_facts
from pe_core.lab.tasks import TASKS
from pe_core.lab.training import RunConfig

CONFIG = RunConfig(("rope", "alibi"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, seed=0)
FACTS = text_facts(TASKS["parity"])


def outcome(accuracies, exacts):
    marks = zip(CONFIG.lengths, accuracies, exacts, strict=True)
    return Outcome(7, tuple(LengthLoss(length, 9.9, 9.9, right, whole) for length, right, whole in marks), (9.9,) * 128)


FIRST = outcome((1.0, 0.9, 0.8, 0.7, 0.6, 0.5), (1.0, 0.6, 0.4, 0.2, 0.1, 0.0))
SECOND = outcome((0.8, 0.7, 0.8, 0.5, 0.6, 0.5), (0.5, 0.2, 0.4, 0.0, 0.1, 0.0))
ONE = RunRecord(CONFIG, FACTS, {}, {"rope": FIRST})
BOTH = RunRecord(CONFIG, FACTS, {}, {"rope": FIRST, "alibi": SECOND})
AGAIN = replace(
    ONE, config=replace(CONFIG, n_seeds=2), again=(RunRecord(replace(CONFIG, seed=1), FACTS, {}, {"rope": SECOND}),)
)


def points(figure, name):
    frame = figure.frames[name]
    return list(zip(frame["encoding"], frame["length"], frame["share"], strict=True))


@pytest.mark.parametrize(("share", "values"), [("accuracy", 0), ("exact", 1)])
def test_a_line_goes_through_the_share_at_each_length(share, values):
    figure = right_answers(BOTH, share)
    first = ((1.0, 0.9, 0.8, 0.7, 0.6, 0.5), (1.0, 0.6, 0.4, 0.2, 0.1, 0.0))[values]
    second = ((0.8, 0.7, 0.8, 0.5, 0.6, 0.5), (0.5, 0.2, 0.4, 0.0, 0.1, 0.0))[values]
    expected = [(ENCODINGS["rope"].title, *pair) for pair in zip(CONFIG.lengths, first, strict=True)]
    expected += [(ENCODINGS["alibi"].title, *pair) for pair in zip(CONFIG.lengths, second, strict=True)]
    assert points(figure, "lines") == points(figure, "trainings") == expected


def test_several_trainings_are_a_point_each_and_a_line_through_their_mean():
    figure = right_answers(AGAIN, "accuracy")
    assert [share for _, _, share in points(figure, "lines")] == pytest.approx([0.9, 0.8, 0.8, 0.6, 0.6, 0.5])
    assert [length for _, length, _ in points(figure, "lines")] == list(CONFIG.lengths)
    assert [share for _, _, share in points(figure, "trainings")] == [
        share_of(mark, "accuracy") for one in (FIRST, SECOND) for mark in one.lengths
    ]


def test_the_guess_and_the_training_length_are_marked():
    figure = right_answers(ONE, "accuracy")
    assert figure.frames["guesses"].to_dict("records") == [{"share": pytest.approx(0.5), "label": "uniform guess"}]
    assert figure.frames["marks"].to_dict("records") == [{"trained": 16, "label": "training length"}]
    assert "guesses" not in right_answers(ONE, "exact").frames  # a guess has hardly ever a whole example right


@pytest.mark.parametrize("share", TITLES)
def test_the_spec_stays_while_a_run_goes_on_and_holds_no_number_of_it(share):
    figure = right_answers(ONE, share)
    assert figure.spec is right_answers(BOTH, share).spec
    assert {layer["data"]["name"] for layer in figure.spec["layer"]} == set(figure.frames)
    assert "datasets" not in figure.spec
    [y] = {str(layer["encoding"]["y"]) for layer in figure.spec["layer"] if layer["data"]["name"] == "lines"}
    assert TITLES[share] in y
    assert "[0, 1]" in y
