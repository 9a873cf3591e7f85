import math

import pandas as pd
import pytest
import torch

from pe_core.encodings import rotary
from pe_core.figures.rotation import MAX_DIALS, dials, distance_curves
from tests.strategies import normal


def hand(figure, pair, who, when):
    place = figure.frames["dials"].set_index("pair").loc[pair]
    hands = figure.frames["hands"]
    found = hands[(hands.column == place.column) & (hands.row == place.row) & (hands.who == who) & (hands.when == when)]
    return found.iloc[0]


def test_a_hand_points_where_its_pair_does():
    """The first channel to the right, the second upwards; the browser turns shapes with the clock from the top."""
    q, k = torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
    figure = dials(q, k, 0, 0, rotary.frequencies(2), [0])
    assert hand(figure, 0, "query", "before").degrees == 90
    assert hand(figure, 0, "key", "before").degrees == 0
    assert hand(figure, 0, "query", "before").length == 0.5  # of the longest
    assert hand(figure, 0, "key", "after").degrees == 0


@pytest.mark.parametrize("pair", [0, 1, 3])
def test_a_turn_goes_against_the_clock_by_position_times_frequency(pair):
    (q, k), frequencies = normal(0, 2, 8), rotary.frequencies(8)
    figure = dials(q, k, 5, 2, frequencies, range(4))
    for who, position in (("query", 5), ("key", 2)):
        turned = hand(figure, pair, who, "before").degrees - hand(figure, pair, who, "after").degrees
        assert math.remainder(turned - math.degrees(position * frequencies[pair]), 360) == pytest.approx(0, abs=1e-9)


def test_the_spec_stays_the_same_while_sliders_move():
    (q, k) = normal(0, 2, 16)
    one, other = (dials(q, k, m, 0, rotary.frequencies(16), range(MAX_DIALS)).spec for m in (0, 7))
    assert one is other


def test_curves_keep_their_order_and_values():
    distances = torch.arange(3)
    figure = distance_curves(distances, {"b": distances * 2.0, "a": distances * 3.0}, 1)
    curves = figure.frames["curves"]
    assert list(curves.name.unique()) == ["b", "a"]
    assert curves[curves.name == "a"].score.to_list() == [0, 3, 6]
    pd.testing.assert_frame_equal(figure.frames["at"], pd.DataFrame({"distance": [1]}))


def test_both_are_drawn():
    (q, k) = normal(0, 2, 16)
    svg = dials(q, k, 7, 0, rotary.frequencies(16), range(MAX_DIALS)).svg()
    assert svg.count(">pair ") == MAX_DIALS
    assert "NaN" not in svg
    distances = torch.arange(3)
    figure = distance_curves(distances, {"one": distances * 2.0}, 1)
    assert ">one</text>" in figure.svg()
    assert distance_curves(distances, {"other": distances * 1.0}, 2).spec is figure.spec
