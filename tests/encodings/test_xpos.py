import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.rotary import LAYOUTS, frequencies
from pe_core.encodings.rotary import rotate as turn
from pe_core.encodings.xpos import decays, rotate, scales
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs
from tests.strategies import bases, even_widths, normal, seeds

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)
GAMMAS = st.floats(16, 2000)
near_positions = st.lists(st.integers(0, 200), min_size=1, max_size=8).map(torch.tensor)


def test_decays_at_width_4():
    assert_close(decays(4), torch.tensor([1.6 / 5.6, 3.6 / 5.6], dtype=F64))
    assert decays(64)[0].item() == pytest.approx(0.2857142857)  # as published, for every width


def test_two_tokens_gamma_apart_by_hand():
    """No turn and vectors of ones: the score of the far key is the sum of what is left of the pairs."""
    ones, still = torch.ones(2, 4, dtype=F64), torch.zeros(2, dtype=F64)
    q, k = rotate(ones, ones, torch.tensor([0, 512]), still)
    assert_close((q @ k.mT)[1], torch.tensor([2 * (1.6 + 3.6) / 5.6, 4], dtype=F64))


@given(seeds, even_widths, bases, near_positions, GAMMAS, LAYOUT)
def test_scores_equal_the_definition(seed, dim, base, positions, gamma, layout):
    """RoPE with every pair weighted by its decay."""
    (q, k), omega, half = normal(seed, 2, len(positions), dim), frequencies(dim, base), dim // 2
    places = positions.tolist()

    def value(row, column):
        distance, total = places[row] - places[column], 0.0
        key = turn(k[column : column + 1], torch.tensor([-distance]), omega, layout=layout)[0]
        for i in range(half):
            weight = ((2 * i + 0.4 * dim) / (1.4 * dim)) ** (distance / gamma)
            for channel in (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half):
                total += weight * float(q[row, channel] * key[channel])
        return total

    turned_q, turned_k = rotate(q, k, positions, omega, gamma=gamma, layout=layout)
    expected = of_pairs(torch.arange(len(places)), value)[0]
    # What lies after the query grows by up to (7/2)^(200/16).
    past = positions[:, None] >= positions[None, :]
    assert_close((turned_q @ turned_k.mT)[past], expected[past], atol=1e-8, rtol=0)


@given(seeds, even_widths, near_positions)
def test_at_the_mean_position_nothing_is_scaled_and_keys_get_the_reciprocal(seed, dim, positions):
    factors = scales(positions, dim)
    assert_close(factors.log().mean(dim=0), torch.zeros(dim // 2, dtype=F64), atol=1e-12, rtol=0)
    (q, k), still = normal(seed, 2, len(positions), dim), torch.zeros(dim // 2, dtype=F64)
    scaled_q, scaled_k = rotate(q, k, positions, still)
    assert_close(scaled_q * scaled_k, q * k, atol=1e-12, rtol=1e-12)


@each(("dtype", "first_held"), [(torch.float16, 1133), (torch.float32, 9066), (torch.bfloat16, 9066)])
def test_factors_are_held_within_what_the_dtype_can_represent(dtype, first_held):
    limit = torch.finfo(dtype).max ** 0.25
    middle = torch.arange(-20_000, 20_001)
    free, held = scales(middle, 64), scales(middle, 64, limit=limit)
    assert (held.max(), held.min()) == (limit, 1 / limit)
    changed = (free[20_000:] != held[20_000:]).any(dim=-1)
    assert changed.nonzero()[0].item() == pytest.approx(first_held, abs=1)
    assert_close(held * held.flip(0), torch.ones_like(held))  # what q gains k still loses


def test_errors():
    refuses(lambda: decays(5), "head_dim must be even and at least 2, got 5")
    refuses(lambda: scales(torch.arange(2), 4, gamma=0.0), "gamma must be above 0, got 0.0")
