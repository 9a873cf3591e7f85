import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.fope import coefficients, rotate, trained
from pe_core.encodings.rotary import frequencies
from tests.cases import each, refuses
from tests.strategies import even_widths, normal, real_positions, seeds

F64 = torch.float64


@each(
    ("train_length", "dim", "n_trained"), [(512, 64, 16), (512, 128, 31), (64, 32, 5), (7, 8, 1), (6, 8, 1), (1, 2, 1)]
)
def test_which_frequencies_turn_within_the_training_length(train_length, dim, n_trained):
    found = trained(frequencies(dim), train_length)
    assert torch.equal(found, frequencies(dim)[:n_trained])
    turning = [i for i in range(dim // 2) if 10_000 ** (-2 * i / dim) >= 2 * math.pi / train_length]
    assert len(turning) == (n_trained if train_length >= 7 else 0)


def test_two_frequencies_by_hand():
    """One head, two of three pairs; the third is not turned."""
    mixed = torch.tensor([[[[0.75, 0.5], [0.25, 0.5]]], [[[1, 0.1], [0, 0.9]]]], dtype=F64)
    omega = torch.tensor([math.pi, math.pi / 2], dtype=F64)
    x = torch.tensor([[[1.0, 1, 1, 0, 0, 5]]], dtype=F64)  # (H, T, d): pairs are (1, 0), (1, 0) and (1, 5)
    # At position 1 the cosines are -1 and 0, the sines 0 and 1.
    assert_close(rotate(x, torch.tensor([1]), omega, mixed), torch.tensor([[[-0.75, -0.5, 1, 0, 0.9, 5]]], dtype=F64))


@given(seeds, even_widths, real_positions, st.integers(1, 3), st.floats(0, 0.5))
def test_rotate_equals_the_definition(seed, dim, positions, heads, gain):
    omega, half = frequencies(dim)[: 1 + seed % (dim // 2)], dim // 2
    n, x = len(omega), normal(seed, 1, heads, len(positions), dim)
    weights, expected = coefficients(heads, n, gain, seed=seed), x.clone()
    for head in range(heads):
        for row, m in enumerate(positions.tolist()):
            for j in range(n):  # what comes after the n first pairs stays
                cosine = sum(float(weights[0, head, i, j]) * math.cos(m * float(omega[i])) for i in range(n))
                sine = sum(float(weights[1, head, i, j]) * math.sin(m * float(omega[i])) for i in range(n))
                a, b = float(x[0, head, row, j]), float(x[0, head, row, j + half])
                expected[0, head, row, j] = a * cosine - b * sine
                expected[0, head, row, j + half] = b * cosine + a * sine
    assert_close(rotate(x, positions, omega, weights), expected, atol=1e-9, rtol=0)


def test_the_noise_is_that_of_xavier_around_the_identity():
    heads, n = 64, 8
    found = coefficients(heads, n, 0.3)
    off = found[..., ~torch.eye(n, dtype=torch.bool)]
    assert float(off.std()) == pytest.approx(0.3 * math.sqrt(2 / (n * n + heads * n)), rel=0.1)
    assert float(off.mean()) == pytest.approx(0, abs=2e-3)
    assert_close(found.sum(dim=-2), torch.ones(2, heads, n, dtype=F64))
    assert not torch.allclose(found[0], found[1])
    assert torch.equal(found, coefficients(heads, n, 0.3))
    assert not torch.equal(found, coefficients(heads, n, 0.3, seed=1))


def test_with_noise_scores_are_no_function_of_the_distance_alone():
    (q, k), omega = normal(1, 2, 1, 2, 6, 8), trained(frequencies(8), 64)
    for gain, relative in ((0.0, True), (0.3, False)):
        weights, places = coefficients(2, 2, gain), torch.arange(6)
        here, there = (rotate(q, at, omega, weights) @ rotate(k, at, omega, weights).mT for at in (places, places + 3))
        assert torch.allclose(here, there, atol=1e-9) == relative


def test_errors():
    refuses(lambda: trained(frequencies(4), 0), "train_length must be at least 1, got 0")
    refuses(lambda: coefficients(1, 1, -0.1), "gain must be at least 0 (0 is the identity), got -0.1")
