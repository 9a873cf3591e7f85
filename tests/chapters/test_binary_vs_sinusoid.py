"""Binary against sinusoid: numbers and facts of its pictures, by hand and by loops over Python integers."""

import math

import pandas as pd
import pytest

from pe_core.chapters import binary_vs_sinusoid as pictures
from tests.cases import each
from tests.chapters.offered import sets
from tests.encodings.loops import wave

CODES, NEAR, OTHER = sets("n_positions n_bits dim base", (32, 5, 16, 256), (40, 6, 8, 100), (264, 10, 2, 1))
PICTURES = {  # arguments by default, and other ones
    pictures.twin_table: (CODES, NEAR, OTHER),
    pictures.lanes: (CODES, NEAR, OTHER),
    pictures.speeds: sets("n_bits dim base", (5, 16, 256), (6, 8, 100), (1, 2, 10)),
    pictures.steps: (CODES, NEAR, OTHER),
    pictures.earlier: sets("position n_bits dim base", (300, 8, 16, 256), (301, 6, 8, 100), (1, 10, 2, 1)),
}


@each(
    ("arguments", "growth", "doubling"),
    [(CODES, 2, 256), (NEAR, 100**0.25, 16), (OTHER, 1, 2)],
)
def test_the_table_tells_how_its_waves_slow_down(arguments, growth, doubling):
    told = {"last": arguments["n_positions"] - 1, "growth": growth, "doubling": doubling}
    assert pictures.twin_table(**arguments).facts == pytest.approx(told)


@each(
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


@each(
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
    code = {"bits": bits, "codes": 2**n_bits, "top": 2**n_bits - 1, "needed": len(lost + held), "lost": lost}
    waves = {"nearest": nearest, "away": distances[nearest], "slowest": 2 * math.pi * 2**7}
    told = {"written": written, **code, "held": held, "kept": kept, "twins": twins, **waves}
    assert facts == pytest.approx(told)


@each("n_bits", [1, 5, 10])
def test_the_exercise_counts_the_flips_of_a_whole_round(n_bits):
    flips = sum((m ^ (m + 1) % 2**n_bits).bit_count() for m in range(2**n_bits))
    assert pictures.a_round(n_bits) == {"steps": 2**n_bits, "last": 2**n_bits - 1}
    told = {"flips": flips, "rate": pytest.approx(flips / 2**n_bits)}
    assert pictures.flips_of_a_round(n_bits, flips) == (True, told)
    assert pictures.flips_of_a_round(n_bits, flips + 1) == (False, told)


def test_the_table_of_speeds():
    table = pd.DataFrame(pictures.speed_table(10, 16, 256.0))
    assert table["flips per step, counted"].tolist() == table["1 / 2ᵏ"].tolist()
    assert [float(rate) for rate in table["1 / 2ᵏ"]] == [0.5**bit for bit in range(10)]
    assert table["repeats every"].tolist() == [2 ** (bit + 1) for bit in range(10)]
    assert table["nearest pair i"].tolist() == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    assert table["its wavelength"][9] == f"{2 * math.pi * 128:.2f}"


@each(("n_positions", "side"), [(8, "right"), (32, "left"), (512, "left")])
def test_the_step_from_7_to_8_is_named_where_there_is_room(n_positions, side):
    named = pictures.steps(n_positions, 5, 16, 256.0).frames["named"]
    assert named[["words", "side"]].to_numpy().tolist() == [["7 → 8: 4 flip", side]]


def test_the_nearest_wave_is_named_and_the_first_of_all_twins():
    for position in (1, 100):
        named = pictures.earlier(position, 10, 16, 256.0).frames["named"]
        assert named.words.tolist() == [f"{position - 1}: nearest wave"]
    named = pictures.earlier(1000, 1, 2, 1.0).frames["named"]
    assert (named.distance == 0).sum() == 500
    assert next(words for words in named.words if words) == "0: the same bits"
    assert (named.words != "").sum() == 2


def test_bytes_of_a_binary_code():
    facts = pictures.memory(n_positions=512, dim=16)
    assert (facts["needed"], facts["packed"], facts["as-floats"], facts["as-waves"]) == (9, 2, 36, 64)
