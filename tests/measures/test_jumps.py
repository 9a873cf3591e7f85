"""What an index and its bits do: steps, rates, codes that come again, and tokens that it is added to."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import binary, sinusoidal
from pe_core.measures import index, jumps
from tests.cases import each
from tests.encodings.loops import wave


def flips(first, second, n_bits):
    return ((first ^ second) % 2**n_bits).bit_count()


def test_from_7_to_8_flip_four_bits_if_there_are_four():
    for n_bits, expected in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (10, 4)):
        assert jumps.hamming_steps(binary.table(torch.tensor([7, 8]), n_bits)).tolist() == [expected], n_bits


@each("n_bits", [1, 5, 10])
def test_steps_are_those_of_the_integers_and_their_waves(n_bits):
    positions = torch.arange(513)
    steps = jumps.hamming_steps(binary.table(positions, n_bits))
    assert steps.tolist() == [flips(m, m + 1, n_bits) for m in range(512)]
    found = jumps.euclidean_steps(sinusoidal.table(positions, 6, base=100.0, dtype=torch.float64))
    lengths = [math.dist(wave(m, 6, 100.0), wave(m + 1, 6, 100.0)) for m in range(512)]
    torch.testing.assert_close(found, torch.tensor(lengths, dtype=torch.float64))


@each("n_bits", [1, 2, 7, 10])
def test_rates_are_counted_over_the_full_period(n_bits):
    steps = 2**n_bits
    counted = [sum((m ^ (m + 1) % steps) >> bit & 1 for m in range(steps)) / steps for bit in range(n_bits)]
    assert jumps.flip_rates(n_bits).tolist() == counted


def test_a_bit_repeats_after_its_period_and_not_before():
    bits = binary.table(torch.arange(256), 6)
    for bit, period in enumerate(jumps.bit_periods(6).int().tolist()):
        column = bits[:, bit]
        repeats = [lag for lag in range(1, 129) if torch.equal(column[lag:], column[:-lag])]
        assert repeats[0] == period


def test_the_nearest_pair_is_nearest_by_ratio():
    periods, wavelengths = [2.0, 8.0, 16.0, 32.0, 1024.0], [6.28, 12.57, 25.13, 50.27]
    assert jumps.nearest_pair(torch.tensor(periods), torch.tensor(wavelengths)).tolist() == [0, 0, 1, 2, 3]


@each(("dim", "base"), [(2, 2.0), (10, 32.0), (32, 65_536.0)])
def test_wavelengths_double_at_the_doubling_base(dim, base):
    assert jumps.doubling_base(dim) == base
    assert jumps.wavelength_growth(dim, base) == pytest.approx(2)
    assert jumps.wavelength_growth(dim, base**2) == pytest.approx(4)


@each(("position", "n_bits"), [(1, 1), (1, 10), (8, 3), (255, 8), (256, 8), (777, 4), (1000, 1)])
def test_distances_to_earlier_positions(position, n_bits):
    found = jumps.overflow(position, n_bits, 4, 10.0)
    assert found.kept == position % 2**n_bits
    assert found.bit_distance.tolist() == [flips(position, m, n_bits) for m in range(position)]
    assert found.twins == tuple(m for m in range(position) if m % 2**n_bits == position % 2**n_bits)
    away = [math.dist(wave(position, 4, 10.0), wave(m, 4, 10.0)) for m in range(position)]
    torch.testing.assert_close(found.wave_distance, torch.tensor(away, dtype=torch.float64))
    assert away[found.nearest] == pytest.approx(min(away))
    assert int("".join(found.written), 2) == position
    assert len(found.written[1]) == n_bits


def test_random_tokens_have_length_one_and_are_always_the_same():
    tokens = index.unit_tokens(5, 7)
    torch.testing.assert_close(tokens.norm(dim=-1), torch.ones(5, dtype=torch.float64), rtol=0, atol=1e-15)
    assert torch.equal(tokens, index.unit_tokens(5, 7))


def test_what_is_left_of_a_token_by_hand():
    # (1, 0) + 1 on both channels is (2, 1): of its length, the root of 5, the token has 1
    left = index.left_of_token(torch.tensor([[1.0, 0.0]]), torch.tensor([0.0, 1.0, -1.0]))
    torch.testing.assert_close(left, torch.tensor([[1, 1 / math.sqrt(5), 1]], dtype=torch.float64))


def test_the_change_is_a_mean_of_distances_in_lengths():
    before = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    after = torch.stack([before, torch.tensor([[2.0, 1.0], [0.0, -1.0]])])
    assert index.change(before, after).tolist() == [0, (1 / 2 + 2) / 2]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30).map(sorted))
def test_different_values_are_those_of_a_set(values):
    found = index.different_so_far(torch.tensor(values, dtype=torch.float64))
    assert found.tolist() == [len(set(values[: place + 1])) for place in range(len(values))]


def test_bfloat16_counts_to_256_and_then_in_twos():
    kept = index.rounded(torch.tensor([255.0, 256.0, 257.0, 258.0, 259.0]), torch.bfloat16)
    assert kept.tolist() == [255, 256, 256, 258, 260]


@given(st.integers(2, 80), st.integers(2, 300))
def test_equal_fractions_of_two_lengths_are_counted_by_their_common_divisor(first, second):
    assert index.common_values(first, second) == math.gcd(first - 1, second - 1) + 1
