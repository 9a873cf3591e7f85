"""The picture of the scorecard: what it measures, what each argument changes, and the Python that makes it."""

from functools import partial

import pytest

from pe_core.chapters import scorecard as pictures
from pe_core.encodings import ENCODINGS, Shape
from pe_core.measures.criteria import CRITERIA, scorecard
from tests.chapters.offered import alike, offered

FIRST = {"criterion": "global_order", "encoding": "alibi", "d_model": 64, "n_heads": 4, "train_length": 64}
OTHER = {"criterion": "parameters", "encoding": "rope", "d_model": 96, "n_heads": 2, "train_length": 16}


@pytest.mark.parametrize("arguments", [FIRST, OTHER], ids=["default", "other"])
def test_the_python_that_is_offered_makes_the_same_picture(arguments, tmp_path):
    picture = partial(pictures.ranking, **arguments)
    assert alike(offered(picture, tmp_path), picture())


@pytest.mark.parametrize("name", FIRST)
def test_every_argument_changes_the_picture(name):
    first = {**FIRST, "criterion": "parameters"} if name == "d_model" else FIRST
    other = {**OTHER, "criterion": "reach"}
    assert not alike(pictures.ranking(**first), pictures.ranking(**{**first, name: other[name]}))


@pytest.mark.parametrize("criterion", ["translation", "parameters", "composition"])
def test_each_bar_is_the_number_of_the_card(criterion):
    bars = pictures.ranking(**{**FIRST, "criterion": criterion, "train_length": 16}).frames["bars"]
    bars = bars.set_index("name").value
    shape = Shape(d_model=64, n_heads=4, train_length=16, max_length=128)
    for key in ("none", "learned", "sinusoidal", "alibi", "rope"):
        measured = scorecard(ENCODINGS[key].build(shape), shape)[criterion]
        title = ENCODINGS[key].title
        if measured is None:
            assert title not in bars
        else:
            assert bars[title] == pytest.approx(measured, abs=1e-9)
            assert bars[title] == 0 or abs(bars[title]) >= 1e-9


def test_the_best_stands_first_whichever_way_is_better():
    for criterion in ("parameters", "reach"):
        bars = pictures.ranking(**{**FIRST, "criterion": criterion, "train_length": 16}).frames["bars"].value
        falls = CRITERIA[criterion].better == "higher"
        assert bars.is_monotonic_decreasing if falls else bars.is_monotonic_increasing


def test_the_shape_has_room_for_eight_training_lengths():
    assert pictures.shape_of(64, 4, 50) == Shape(d_model=64, n_heads=4, train_length=50, max_length=400)


@pytest.mark.parametrize(("value", "shown"), [(None, None), (0.0, 0.0), (-9e-10, 0.0), (1e-9, 1e-9), (-1.0, -1.0)])
def test_less_than_a_billionth_is_rounding(value, shown):
    assert pictures.exact(value) == shown
