"""Lines with the answer to a question: a mark at its place, with words beside it, and a spec that stays."""

import re

import pytest
import torch

from pe_core.figures.curves import across, answer, curves, layered, series, upwards

PLAIN, LOG = (across("x"), upwards("y")), (across("x"), upwards("y", log=True))
CURVE = torch.tensor([1.0, 10.0, 100.0, 1_000.0, 10_000.0], dtype=torch.float64)
PLACES = torch.arange(5)


def answered(where, named, x, y, label, axes):
    """The lines with the answer `y` at `x`."""
    rows = series(where, named)
    return layered(curves(rows, *axes), answer(rows, x, y, label))


def test_the_frames_of_an_answer_hold_the_curves_in_order_and_the_answer():
    figure = answered(PLACES, {"one": CURVE, "two": 2 * CURVE}, 1, 10.0, "here", PLAIN)
    curves = figure.frames["lines"]
    assert curves.x.to_list() == [0, 1, 2, 3, 4] * 2
    assert curves.y.to_list() == [*CURVE.tolist(), *(2 * CURVE).tolist()]
    assert curves.name.to_list() == ["one"] * 5 + ["two"] * 5
    assert figure.frames["answer"].to_dict("records") == [
        {"x": 1.0, "y": 10.0, "label": "here", "left": False, "high": False}
    ]


@pytest.mark.parametrize(("x", "left"), [(0, False), (2, False), (3, True), (4, True)])
def test_the_words_stand_on_the_side_where_there_is_room(x, left):
    answer = answered(PLACES, {"one": CURVE}, x, float(CURVE[x]), "here", PLAIN).frames["answer"]
    assert answer.left.to_list() == [left]
    assert answer.high.to_list() == [x == 4]


@pytest.mark.parametrize("axes", [PLAIN, LOG])
def test_an_answer_is_named_and_its_spec_stays(axes):
    one = answered(PLACES, {"one": CURVE}, 1, 10.0, "here", axes)
    other = answered(PLACES * 3, {"one": CURVE + 7}, 12, 10_007.0, "there", axes)
    assert one.spec == other.spec
    for figure, words in ((one, "here"), (other, "there")):
        assert words in re.findall(r">([^<>]+)</text>", figure.svg())
        assert "NaN" not in figure.svg()
