"""The picture of an answer: the curve and the mark hold the numbers, and the spec never changes with them."""

import pytest
import torch

from pe_core.figures.extension import Axes
from pe_core.figures.quiz import answered

LINEAR = Axes("Layers", "Tokens", dots=True)
LOGARITHMIC = Axes("Pair", "Wavelength", log_y=True)
WHERE = torch.arange(5)
CURVE = torch.tensor([1.0, 10.0, 100.0, 1_000.0, 10_000.0], dtype=torch.float64)


def test_the_frames_hold_the_curves_in_order_and_the_answer():
    figure = answered(WHERE, {"one": CURVE, "two": 2 * CURVE}, 1, 10.0, "here", LINEAR)
    curves = figure.frames["curves"]
    assert curves.x.to_list() == [0, 1, 2, 3, 4] * 2
    assert curves.y.to_list() == [*CURVE.tolist(), *(2 * CURVE).tolist()]
    assert curves.name.to_list() == ["one"] * 5 + ["two"] * 5
    assert curves.order.to_list() == [0] * 5 + [1] * 5
    assert figure.frames["answer"].to_dict("records") == [
        {"x": 1.0, "y": 10.0, "label": "here", "left": False, "high": False}
    ]


@pytest.mark.parametrize(("x", "left"), [(0, False), (2, False), (3, True), (4, True)])
def test_the_words_stand_on_the_side_where_there_is_room(x, left):
    answer = answered(WHERE, {"one": CURVE}, x, float(CURVE[x]), "here", LINEAR).frames["answer"]
    assert answer.left.to_list() == [left]
    assert answer.high.to_list() == [x == 4]


@pytest.mark.parametrize("axes", [LINEAR, LOGARITHMIC])
def test_the_spec_is_the_same_for_other_numbers_and_can_be_drawn(axes):
    one = answered(WHERE, {"one": CURVE}, 1, 10.0, "here", axes)
    other = answered(WHERE * 3, {"two": CURVE + 7, "three": CURVE}, 12, 10_007.0, "there", axes)
    assert one.spec == other.spec
    for figure, words in ((one, "here"), (other, "there")):
        drawn = figure.svg()
        assert words in drawn
        assert axes.y in drawn
        assert "NaN" not in drawn


def test_axes_are_labelled_with_plain_numbers():
    drawn = answered(WHERE, {"one": CURVE}, 1, 10.0, "here", LOGARITHMIC).svg()
    assert ">10k<" in drawn
    assert ">100<" in drawn
