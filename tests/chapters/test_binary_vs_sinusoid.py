"""Binary against sinusoid: numbers and facts of its pictures, by hand and by loops over Python integers."""

import math

import pytest

from pe_core.chapters import binary_vs_sinusoid as pictures

CODES = {"n_positions": 32, "n_bits": 5, "dim": 16, "base": 256}
NEAR = {"n_positions": 40, "n_bits": 6, "dim": 8, "base": 100}
OTHER = {"n_positions": 264, "n_bits": 10, "dim": 2, "base": 1}
PICTURES = {  # arguments by default, and other ones
    pictures.twin_table: (CODES, NEAR, OTHER),
    pictures.lanes: (CODES, NEAR, OTHER),
    pictures.speeds: (
        {"n_bits": 5, "dim": 16, "base": 256},
        {"n_bits": 6, "dim": 8, "base": 100},
        {"n_bits": 1, "dim": 2, "base": 10},
    ),
    pictures.steps: (CODES, NEAR, OTHER),
    pictures.earlier: (
        {"position": 300, "n_bits": 8, "dim": 16, "base": 256},
        {"position": 301, "n_bits": 6, "dim": 8, "base": 100},
        {"position": 1, "n_bits": 10, "dim": 2, "base": 1},
    ),
}


def wave(position, dim, base):
    angles = [position * base ** (-2 * pair / dim) for pair in range(dim // 2)]
    return [side for angle in angles for side in (math.sin(angle), math.cos(angle))]


def test_the_file_of_the_table_has_bits_and_channels_of_every_position():
    numbers = pictures.twin_table(**CODES).tables()["tables"]
    for m in range(32):
        assert [numbers[f"Bit {bit}"][m] for bit in range(5)] == [m // 2**bit % 2 for bit in range(5)]
        for pair in range(8):
            assert numbers[f"Channel {2 * pair}"][m] == pytest.approx(math.sin(m / 2**pair), abs=1e-6)
            assert numbers[f"Channel {2 * pair + 1}"][m] == pytest.approx(math.cos(m / 2**pair), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "growth", "doubling", "folded"),
    [
        (CODES, 2, 256, ""),
        (NEAR, 100**0.25, 16, ""),
        ({**OTHER, "n_positions": 256}, 1, 2, ""),
        (OTHER, 1, 2, "folded"),
    ],
)
def test_the_table_tells_how_its_waves_slow_down_and_whether_rows_are_averaged(arguments, growth, doubling, folded):
    assert pictures.twin_table(**arguments).facts == {
        "last": arguments["n_positions"] - 1,
        "growth": pytest.approx(growth),
        "doubling": doubling,
        "rows": 256,
        "folded": folded,
    }


def test_lanes_set_each_bit_above_the_nearest_pair():
    lanes = pictures.lanes(**CODES).frames["lanes"]
    assert lanes.period.tolist() == [2, 4, 8, 16, 32]
    assert lanes.pair.tolist() == [0, 0, 0, 1, 2]  # wavelengths 6.3, 12.6, 25.1 ...
    assert lanes.wavelength.tolist() == pytest.approx([2 * math.pi * 2**pair for pair in (0, 0, 0, 1, 2)])


def test_no_wave_is_faster_than_one_turn_in_two_pi_positions():
    assert pictures.lanes(**NEAR).facts == {"last": 39, "fastest": pytest.approx(2 * math.pi)}


def test_speeds_double_in_both_codes_at_the_base_that_doubles():
    speeds = pictures.speeds(n_bits=5, dim=16, base=256).frames["speeds"]
    assert speeds[speeds.kind == "bit"].period.tolist() == [2, 4, 8, 16, 32]
    assert speeds[speeds.kind == "sinusoid"].period.tolist() == pytest.approx([2 * math.pi * 2**i for i in range(8)])


def test_the_rows_of_speeds_tell_how_steep_they_are():
    facts = pictures.speeds(n_bits=5, dim=8, base=100).facts
    assert facts == {"growth": pytest.approx(100**0.25), "doubling": 16}


def test_each_bit_has_a_line_with_its_nearest_pair():
    table = pictures.speed_table(n_bits=3, dim=4, base=100)
    assert table["flips per step, counted"].tolist() == table["1 / 2ᵏ"].tolist() == ["1", "0.5", "0.25"]
    assert table["repeats every"].tolist() == [2, 4, 8]
    assert table["nearest pair i"].tolist() == [0, 0, 0]
    assert table["its wavelength"].tolist() == ["6.28"] * 3


def test_steps_count_the_bits_that_flip():
    steps = pictures.steps(**CODES).frames["steps"]
    assert steps.flips.tolist() == [bin((m ^ (m + 1)) % 32).count("1") for m in range(32)]
    length = math.sqrt(sum(2 - 2 * math.cos(2**-pair) for pair in range(8)))
    assert steps.length.tolist() == pytest.approx([length] * 32)


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [(CODES, ("00111", "01000")), (OTHER, ("0000000111", "0000001000")), ({**CODES, "n_bits": 2}, ("11", "00"))],
)
def test_one_step_is_told_beside_all_others(arguments, codes):
    facts = pictures.steps(**arguments).facts
    n_bits, dim, base = arguments["n_bits"], arguments["dim"], arguments["base"]
    flips = [((m ^ (m + 1)) % 2**n_bits).bit_count() for m in range(arguments["n_positions"])]
    assert (facts["from"], facts["to"], facts["low"], facts["high"]) == (7, 8, *codes)
    difference = [int(high) - int(low) for low, high in zip(*codes, strict=True)]
    assert facts["difference"].replace("−", "-").split("\N{NO-BREAK SPACE}") == [str(one) for one in difference]
    assert (facts["flips"], facts["min"], facts["max"]) == (flips[7], min(flips), max(flips))
    assert facts["step"] == pytest.approx(math.dist(wave(7, dim, base), wave(8, dim, base)))
    assert 0 < facts["spread"] < 1e-12


def test_earlier_positions_are_as_far_as_their_bits_and_waves_differ():
    distances = pictures.earlier(position=300, n_bits=8, dim=16, base=256).frames["distances"]
    bits = distances[distances.kind == "bit"].distance.tolist()
    assert bits == [bin((m ^ 300) % 256).count("1") for m in range(300)]
    waves = distances[distances.kind == "sinusoid"].distance.tolist()
    expected = [math.sqrt(sum(2 - 2 * math.cos((300 - m) / 2**pair) for pair in range(8))) for m in range(300)]
    assert waves == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("position", "n_bits", "written", "bits", "lost", "held", "kept", "twins"),
    [
        (300, 8, "overflow-hit", "8 bits", "1", "00101100", 44, 1),
        (300, 9, "overflow-none", "9 bits", "", "100101100", 300, 0),
        (6, 1, "overflow-hit", "1 bit", "11", "0", 0, 3),
        (5, 8, "overflow-none", "8 bits", "", "00000101", 5, 0),
    ],
)
def test_what_too_few_bits_make_of_a_position_is_told(position, n_bits, written, bits, lost, held, kept, twins):
    facts = pictures.earlier(position=position, n_bits=n_bits, dim=16, base=256).facts
    distances = [math.dist(wave(m, 16, 256), wave(position, 16, 256)) for m in range(position)]
    nearest = min(range(position), key=distances.__getitem__)
    assert facts == {
        "written": written,
        "bits": bits,
        "codes": 2**n_bits,
        "top": 2**n_bits - 1,
        "needed": len(lost + held),
        "lost": lost,
        "held": held,
        "kept": kept,
        "twins": twins,
        "nearest": nearest,
        "away": pytest.approx(distances[nearest]),
        "slowest": pytest.approx(2 * math.pi * 2**7),
    }


@pytest.mark.parametrize("n_bits", [1, 5, 10])
def test_the_exercise_counts_the_flips_of_a_whole_round(n_bits):
    flips = sum((m ^ (m + 1) % 2**n_bits).bit_count() for m in range(2**n_bits))
    assert pictures.a_round(n_bits) == {"steps": 2**n_bits, "last": 2**n_bits - 1}
    told = {"flips": flips, "rate": pytest.approx(flips / 2**n_bits)}
    assert pictures.flips_of_a_round(n_bits, flips) == (True, told)
    assert pictures.flips_of_a_round(n_bits, flips + 1) == (False, told)
