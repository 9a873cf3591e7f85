"""Steps between neighbours, rates of bits and codes that come again, against naive loops over Python integers."""

import math

import pytest
import torch

from pe_core.encodings import binary
from pe_core.measures import jumps
from tests.cases import each


def wave(position, dim, base):
    angles = [position * base ** (-2 * pair / dim) for pair in range(dim // 2)]
    return [side for angle in angles for side in (math.sin(angle), math.cos(angle))]


def flips(first, second, n_bits):
    return ((first ^ second) % 2**n_bits).bit_count()


@each(("n_bits", "expected"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (10, 4)])
def test_from_7_to_8_flip_four_bits_if_there_are_four(n_bits, expected):
    assert jumps.hamming_steps(binary.table(torch.tensor([7, 8]), n_bits)).tolist() == [expected]


@each("n_bits", [1, 5, 10])
def test_steps_are_those_of_the_integers_and_their_waves(n_bits):
    found = jumps.steps(512, n_bits, 6, 100.0)
    assert found.flips.tolist() == [flips(m, m + 1, n_bits) for m in range(512)]
    lengths = [math.dist(wave(m, 6, 100.0), wave(m + 1, 6, 100.0)) for m in range(512)]
    torch.testing.assert_close(found.lengths, torch.tensor(lengths, dtype=torch.float64))


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
    expected = [
        min(range(4), key=lambda i: max(period / wavelengths[i], wavelengths[i] / period)) for period in periods
    ]
    assert jumps.nearest_pair(torch.tensor(periods), torch.tensor(wavelengths)).tolist() == expected == [0, 0, 1, 2, 3]


@each(("dim", "base"), [(2, 2.0), (10, 32.0), (32, 65_536.0)])
def test_wavelengths_double_at_the_doubling_base(dim, base):
    assert jumps.doubling_base(dim) == base
    assert jumps.wavelength_growth(dim, base) == pytest.approx(2)
    assert jumps.wavelength_growth(dim, base**2) == pytest.approx(4)


def test_with_8_bits_300_becomes_44_and_with_9_bits_it_stays_300():
    found = jumps.overflow(300, 8, 16, 256.0)
    assert (found.kept, found.twins, found.written) == (44, (44,), ("1", "00101100"))
    assert found.nearest == 299
    found = jumps.overflow(300, 9, 16, 256.0)
    assert (found.kept, found.twins, found.written) == (300, (), ("", "100101100"))


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
