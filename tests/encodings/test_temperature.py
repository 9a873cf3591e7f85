import math
from functools import partial

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import Chain
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.encodings.temperature import Temperature, in_steps
from tests.cases import refuses
from tests.strategies import normal, seeds

F64 = torch.float64


def test_the_steps_of_llama_4():
    positions = torch.tensor([0, 8190, 8191, 16_383, 131_071])
    expected = torch.tensor([1, 1, 1.069315, 1.109861, 1.283321], dtype=F64)
    assert_close(in_steps(positions), expected, atol=5e-7, rtol=0)
    assert_close(in_steps(positions, ahead=0)[1:], in_steps(positions[1:] - 1), atol=0, rtol=0)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=10), st.floats(0, 1), st.integers(1, 600))
def test_the_factor_equals_the_definition(positions, strength, floor):
    expected = [1 + strength * math.log(1 + (position + 1) // floor) for position in positions]
    found = in_steps(torch.tensor(positions), strength=strength, floor=floor)
    assert_close(found, torch.tensor(expected, dtype=F64), rtol=1e-14, atol=0)


def test_before_the_text_nothing_is_scaled():
    """A repair that counts positions anew asks for how far a query has been moved back."""
    assert torch.equal(in_steps(torch.tensor([-1, -8, -500]), floor=4), torch.ones(3, dtype=F64))


@given(seeds)
def test_scores_are_multiplied_whatever_stands_beside_it(seed):
    q, k = normal(seed, 2, 1, 2, 6, 4)
    positions, factor = torch.tensor([0, 1, 7, 8, 30, 2]), partial(in_steps, strength=0.5, floor=4)
    rope, scaled = Rotary(frequencies(4), layout="half"), Temperature(factor)
    plain_q, plain_k = rope.rotate(q, k, positions)
    for both in (Chain(rope, scaled), Chain(scaled, rope)):
        turned_q, turned_k = both.rotate(q, k, positions)
        assert_close(turned_q @ turned_k.mT, plain_q @ plain_k.mT * factor(positions)[:, None], atol=1e-13, rtol=1e-13)
    assert torch.equal(scaled.rotate(q, k, positions)[1], k)


def test_errors():
    refuses(
        lambda: in_steps(torch.arange(3), strength=-0.1), "strength must be at least 0 (0 changes nothing), got -0.1"
    )
    refuses(lambda: in_steps(torch.arange(3), floor=0), "floor must be at least 1, got 0")
