"""Every criterion over every encoding: a finite number or none, and costs; and each requirement by hand."""

import math

import pytest
import torch
from torch import nn

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.measures import criteria, requirements
from pe_core.measures.criteria import CRITERIA
from pe_core.measures.profile import initial
from pe_core.measures.requirements import REQUIREMENTS
from tests.cases import each
from tests.measures.handmade import SHAPE, Scores, Short, registered, scorecard

SHAPES = [Shape(8, 2, 8, 64), Shape(2, 1, 1, 1), Shape(18, 3, 5, 3)]
EXACT = 1e-12


def built(key, shape):
    """The encoding, or None where its registry entry refuses the shape."""
    try:
        return ENCODINGS[key].build(shape)
    except ValueError:
        return None


UP_TO_1 = ("uniqueness", "translation", "evenness", "local_order", "asymmetry", "direction", "unreached")
BOUNDS = {
    **dict.fromkeys(UP_TO_1, (0, 1)),
    **dict.fromkeys(("shift", "prefix"), (0, 2)),
    **dict.fromkeys(("composition", "parameters", "bias_size"), (0, math.inf)),
    **dict.fromkeys(("growth", "dilution"), (-math.inf, math.inf)),
    "global_order": (-1, 1),
    "reach": (0, 8),
}


@each("key", ENCODINGS)
def test_every_criterion_is_a_finite_number_or_none_and_lies_where_it_can(key):
    for shape in SHAPES:
        encoding = built(key, shape)
        if encoding is not None:
            card = scorecard(encoding, shape)
            assert list(card) == list(CRITERIA)
            assert set(card) == set(BOUNDS)
            assert all(value is None or math.isfinite(value) for value in card.values()), shape
        if shape is SHAPES[0]:  # at the training length every encoding is defined
            assert card["reach"] >= 1
            assert card["parameters"] == sum(value.numel() for value in initial(encoding).parameters())
            assert (card["unreached"] is None) == (card["parameters"] == 0)
            for criterion, (least, most) in BOUNDS.items():
                assert card[criterion] is None or least <= card[criterion] <= most + EXACT, criterion


def test_neither_the_weights_of_the_encoding_nor_the_global_seed_play_a_part_and_both_are_left_alone():
    encoding, state = ENCODINGS["learned"].build(SHAPE), torch.get_rng_state()
    torch.nn.init.constant_(encoding.table, math.nan)
    assert scorecard(encoding, SHAPE) == scorecard(registered("learned"), SHAPE)
    assert encoding.table.isnan().all()
    assert torch.equal(torch.get_rng_state(), state)


def test_a_single_criterion_takes_the_weights_as_they_are():
    encoding = registered("learned")
    torch.nn.init.constant_(encoding.table, 1.0)
    assert CRITERIA["uniqueness"].measure(encoding, SHAPE) == 0
    assert CRITERIA["uniqueness"].measure(registered("learned"), SHAPE) > 0


class Weights(PositionalEncoding):
    """four parameters: one used everywhere, one by the first positions, one past them, one by no hook."""

    def __init__(self):
        super().__init__()
        self.always, self.early, self.late, self.never = (nn.Parameter(torch.ones(1)) for _ in range(4))

    def embed(self, x, positions):
        return x + self.always

    def rotate(self, q, k, positions):
        late = torch.where(positions >= SHAPE.train_length, self.late, 1.0)[:, None]
        return q * late, k

    def bias(self, q, k, positions):
        early = torch.where(positions < 3, self.early, 0.0)[None, :]
        return early.masked_fill(positions[None, :] > positions[:, None], -torch.inf)


def test_a_unit_that_a_rectifier_has_switched_off_is_not_a_matter_of_length():
    fire = registered("fire")
    dead = sum(int((~used).sum()) for used in criteria.reached(fire, SHAPE, SHAPE.train_length))
    assert dead > 0.1 * criteria.n_parameters(fire)
    assert criteria.unreached(fire, SHAPE) == 0


def test_what_an_encoding_reaches_counts_up_to_the_longest_text_that_it_is_built_for():
    for longest in (16, 20, 128):
        shape = Shape(8, 2, train_length=16, max_length=longest)
        assert criteria.unreached(registered("learned", shape=shape), shape) == (longest - 16) / longest
    ends = registered("learned", {"beyond": "error"})
    assert criteria.unreached(ends, SHAPE) == 0  # it has no row that it could not train


def test_what_no_training_text_reaches():
    assert criteria.unreached(Weights(), SHAPE) == 1 / 4  # what no hook uses is not up to the length
    for nothing_learned in (registered("none"), registered("rope"), Short(16)):
        assert criteria.unreached(nothing_learned, SHAPE) is None
    short = registered("learned", shape=Shape(8, 2, train_length=16, max_length=15))
    assert criteria.unreached(short, SHAPE) is None  # a text that the encoding refuses


def test_a_frozen_encoding_is_measured_alike_and_stays_frozen():
    frozen = registered("learned").requires_grad_(False)
    assert criteria.unreached(frozen, SHAPE) == 1 - 16 / 128
    assert not frozen.table.requires_grad
    assert frozen.table.grad is None


def test_the_size_of_a_bias_is_that_of_the_tensor_itself():
    assert criteria.bias_elements(registered("alibi"), SHAPE) == 2 * 16 * 16
    assert criteria.bias_elements(Scores(lambda m, n: m - n), SHAPE) == 16 * 16  # one for all heads
    assert criteria.bias_elements(Chain(registered("rope"), registered("learned")), SHAPE) == 0
    assert criteria.bias_elements(Short(15), SHAPE) is None


COUNT = torch.arange(16, dtype=torch.float64)[:, None]


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
    shape = Shape(d_model=16, n_heads=2, train_length=32, max_length=256)
    assert requirements.relative_cost(registered("learned", shape=shape), shape) == 4
    assert requirements.relative_cost(registered("rope", shape=shape), shape) == 0
