"""Each requirement by hand: a table or an encoding that is good, one that is bad, and what stands at the threshold."""

import math

import pytest
import torch

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.measures import requirements
from pe_core.measures.profile import initial
from pe_core.measures.requirements import REQUIREMENTS
from tests.cases import each

SHAPE = Shape(d_model=16, n_heads=2, train_length=32, max_length=256)
COUNT = torch.arange(16, dtype=torch.float64)[:, None]


def built(encoding):
    return initial(ENCODINGS[encoding].build(SHAPE))


def test_there_are_seven_and_all_but_one_are_measured_here():
    assert len(REQUIREMENTS) == 7
    assert [key for key, one in REQUIREMENTS.items() if not one.measure] == ["longer"]


@each("key", REQUIREMENTS)
def test_the_threshold_itself_is_good_and_what_is_worse_is_not(key):
    asked = REQUIREMENTS[key]
    worse = -math.inf if asked.better == "higher" else math.inf
    assert asked.meets(asked.threshold) is True
    assert asked.meets(math.nextafter(asked.threshold, worse)) is False
    assert asked.meets(None) is None


def test_steps_by_hand():
    """Of 0, 1, 2 and 6 the distances are 1, 1, 2, 4, 5, 6; torch takes the lower of the two in the middle, 2."""
    table = torch.tensor([[0.0], [1.0], [2.0], [6.0]])
    assert requirements.relative_steps(table).tolist() == [0.5, 0.5, 2.0]
    assert requirements.relative_steps(torch.zeros(4, 2)) is None  # nothing is near where all codes are one
    assert requirements.max_step(PositionalEncoding(), SHAPE) is None


def test_a_count_is_read_off_exactly_and_a_table_without_positions_not_at_all():
    positions, read = requirements.read_out(COUNT)
    assert len(positions) == 4
    assert read.tolist() == pytest.approx(positions.tolist())
    assert requirements.right_order(positions, read) == 1
    assert requirements.right_order(*requirements.read_out(torch.zeros(16, 3))) == 0


def test_the_order_of_pairs_by_hand():
    """Of the pairs of 3, 1, 2 only the last one rises; equal numbers are in no order."""
    assert requirements.right_order(torch.arange(3), torch.tensor([3.0, 1.0, 2.0])) == pytest.approx(1 / 3)
    assert requirements.right_order(torch.arange(2), torch.tensor([1.0, 1.0])) == 0


def test_the_cost_by_hand():
    """A table of 256 rows of 16 channels has 4,096 parameters, an attention layer of width 16 has 1,024."""
    assert requirements.relative_cost(built("learned"), SHAPE) == 4
    assert requirements.relative_cost(built("rope"), SHAPE) == 0
