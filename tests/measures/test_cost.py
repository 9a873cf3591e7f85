"""What can be counted of an encoding: parameters, those no training text reaches, and the size of a bias."""

import pytest
import torch
from torch import nn

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.measures import cost
from tests.measures.handmade import SHAPE, Scores, Short, registered


class Weights(PositionalEncoding):
    """Four parameters: one used everywhere, one by the first positions, one past them, one by no hook."""

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


@pytest.mark.parametrize(
    ("key", "expected"), [("none", 0), ("sinusoidal", 0), ("alibi", 0), ("integer", 8), ("learned", 128 * 8)]
)
def test_learned_numbers_are_counted(key, expected):
    assert cost.n_parameters(ENCODINGS[key].build(SHAPE)) == expected


def test_what_no_training_text_reaches():
    assert cost.unreached(Weights(), SHAPE) == 2 / 4


def test_rows_past_the_training_length_and_the_highest_bits_are_never_trained():
    assert cost.unreached(registered("learned"), SHAPE) == 1 - 16 / 128
    assert cost.unreached(registered("binary"), SHAPE) == 3 / 7  # 4 bits count to 16, 7 to 128
    assert cost.unreached(registered("integer"), SHAPE) == 0


def test_a_frozen_encoding_is_measured_alike_and_stays_frozen():
    frozen = registered("learned").requires_grad_(False)
    assert cost.unreached(frozen, SHAPE) == 1 - 16 / 128
    assert not frozen.table.requires_grad
    assert frozen.table.grad is None


@pytest.mark.parametrize("encoding", [registered("none"), registered("rope"), Short(16)], ids=["none", "rope", "short"])
def test_nothing_learned_has_no_share(encoding):
    assert cost.unreached(encoding, SHAPE) is None


def test_the_size_of_a_bias_is_that_of_the_tensor_itself():
    assert cost.bias_elements(registered("alibi"), SHAPE) == 2 * 16 * 16
    assert cost.bias_elements(Scores(lambda m, n: m - n), SHAPE) == 16 * 16  # one for all heads
    assert cost.bias_elements(Chain(registered("rope"), registered("learned")), SHAPE) == 0


def test_a_text_that_the_encoding_refuses_has_no_cost():
    assert cost.bias_elements(Short(15), SHAPE) is None
    short = registered("learned", shape=Shape(8, 2, train_length=16, max_length=15))
    assert cost.unreached(short, SHAPE) is None
