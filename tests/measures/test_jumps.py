"""Steps between neighbours, rates of bits and codes that come again, against naive loops over Python integers."""

import math

import pytest
import torch

from pe_core.encodings import binary, sinusoidal
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


@pytest.mark.parametrize("n_bits", [1, 5, 10])
def test_steps_are_those_of_the_integers_and_their_waves(n_bits):
    found = jumps.steps(512, n_bits, 6, 100.0)
    assert found.flips.tolist() == [flips(m, m + 1, n_bits) for m in range(512)]
    lengths = [math.dist(wave(m, 6, 100.0), wave(m + 1, 6, 100.0)) for m in range(512)]
    torch.testing.assert_close(found.lengths, torch.tensor(lengths, dtype=torch.float64))


@pytest.mark.parametrize(("dim", "base"), [(2, 1.0), (16, 256.0), (32, 1e6)])
def test_the_step_of_the_sinusoid_is_the_same_everywhere(dim, base):
    expected = math.sqrt(sum(2 - 2 * math.cos(base ** (-2 * pair / dim)) for pair in range(dim // 2)))
    lengths = jumps.steps(512, 1, dim, base).lengths
    torch.testing.assert_close(lengths, torch.full((512,), expected, dtype=torch.float64))


def test_bit_k_flips_once_in_2_to_the_k_steps():
    assert jumps.flip_rates(4).tolist() == [1, 1 / 2, 1 / 4, 1 / 8]  # 16, 8, 4 and 2 flips in a period of 16 steps


@pytest.mark.parametrize("n_bits", [1, 2, 7, 10])
def test_rates_are_counted_over_the_full_period(n_bits):
    steps = 2**n_bits
    counted = [sum((m ^ (m + 1) % steps) >> bit & 1 for m in range(steps)) / steps for bit in range(n_bits)]
    assert jumps.flip_rates(n_bits).tolist() == counted


@pytest.mark.parametrize("n_bits", [1, 2, 7, 10])
def test_rates_add_up_to_less_than_two_bits_per_step(n_bits):
    assert jumps.flip_rates(n_bits).sum() == 2 - 2.0 ** (1 - n_bits)


def test_a_bit_repeats_after_its_period_and_not_before():
    bits = binary.table(torch.arange(256), 6)
    for bit, period in enumerate(jumps.bit_periods(6).int().tolist()):
        column = bits[:, bit]
        repeats = [lag for lag in range(1, 129) if torch.equal(column[lag:], column[:-lag])]
        assert repeats[0] == period


def test_a_bit_is_the_sign_of_a_sine():
    positions = torch.arange(1024, dtype=torch.float64)[:, None]
    sines = torch.sin(2 * torch.pi * (positions + 0.5) / jumps.bit_periods(10))
    assert torch.equal(binary.table(torch.arange(1024), 10), (sines < 0).float())


def test_the_nearest_pair_is_nearest_by_ratio():
    periods, wavelengths = [2.0, 8.0, 16.0, 32.0, 1024.0], [6.28, 12.57, 25.13, 50.27]
    expected = [
        min(range(4), key=lambda i: max(period / wavelengths[i], wavelengths[i] / period)) for period in periods
    ]
    assert jumps.nearest_pair(torch.tensor(periods), torch.tensor(wavelengths)).tolist() == expected == [0, 0, 1, 2, 3]


def test_of_equal_pairs_the_first_is_nearest():
    assert jumps.nearest_pair(jumps.bit_periods(5), torch.full((8,), 6.28, dtype=torch.float64)).tolist() == [0] * 5


@pytest.mark.parametrize(("dim", "base"), [(2, 2.0), (10, 32.0), (16, 256.0), (32, 65_536.0)])
def test_wavelengths_double_at_the_doubling_base(dim, base):
    assert jumps.doubling_base(dim) == base
    assert jumps.wavelength_growth(dim, base) == pytest.approx(2)


@pytest.mark.parametrize(("dim", "base"), [(4, 10_000.0), (16, 100.0), (32, 1.0)])
def test_growth_is_the_ratio_of_neighbouring_wavelengths(dim, base):
    wavelengths = sinusoidal.wavelengths(sinusoidal.frequencies(dim, base))
    growth = torch.full((dim // 2 - 1,), jumps.wavelength_growth(dim, base), dtype=torch.float64)
    torch.testing.assert_close(wavelengths[1:] / wavelengths[:-1], growth)


@each("function", [jumps.doubling_base, lambda dim: jumps.wavelength_growth(dim, 10.0)])
@each("dim", [0, 3, -2])
def test_a_width_without_whole_pairs_is_rejected(function, dim):
    with pytest.raises(ValueError, match=rf"^dim must be even and at least 2, got {dim}$"):
        function(dim)


def test_with_8_bits_300_becomes_44():
    found = jumps.overflow(300, 8, 16, 256.0)
    assert (found.kept, found.twins, found.written) == (44, (44,), ("1", "00101100"))
    assert found.nearest == 299


def test_with_9_bits_300_stays_300():
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


@pytest.mark.parametrize(("dim", "base"), [(2, 1.0), (32, 1.0), (16, 256.0), (32, 1e6)])
def test_no_sinusoid_comes_again_within_a_thousand_positions(dim, base):
    nearest = jumps.overflow(1000, 1, dim, base).wave_distance.min()
    # 710 radians are 113 turns to within 6e-5, the nearest to whole turns that a whole number below 1000 comes.
    assert nearest > 6.0e-5


@pytest.mark.parametrize("position", [0, -1])
def test_a_position_without_earlier_ones_is_rejected(position):
    with pytest.raises(
        ValueError, match=rf"^position must be at least 1, so that there is an earlier one, got {position}$"
    ):
        jumps.overflow(position, 8, 16, 256.0)
