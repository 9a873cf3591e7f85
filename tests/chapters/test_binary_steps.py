"""How fast bits and pairs turn, how far a step goes, and whom a position meets in too few bits."""

import math

import numpy as np
import pytest

from pe_core.chapters import binary_vs_sinusoid as pictures


def test_speeds_are_counted_and_defined_alike():
    speeds = pictures.speeds(5, 16, 256.0).frames["speeds"]
    bits, pairs = speeds[speeds.kind == "bit"], speeds[speeds.kind == "sinusoid"]
    assert bits.period.tolist() == bits.counted.tolist() == [2, 4, 8, 16, 32]
    np.testing.assert_allclose(pairs.period, [2 * math.pi * 2**pair for pair in range(8)])
    assert pairs.counted.isna().all()


def test_the_table_of_speeds():
    table = pictures.speed_table(10, 16, 256.0)
    assert table["flips per step, counted"].tolist() == table["1 / 2ᵏ"].tolist()
    assert [float(rate) for rate in table["1 / 2ᵏ"]] == [0.5**bit for bit in range(10)]
    assert table["repeats every"].tolist() == [2 ** (bit + 1) for bit in range(10)]
    assert table["nearest pair i"].tolist() == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    assert table["its wavelength"][9] == f"{2 * math.pi * 128:.2f}"


@pytest.mark.parametrize(("n_positions", "side"), [(8, "right"), (32, "left"), (512, "left")])
def test_the_step_from_7_to_8_is_named(n_positions, side):
    figure = pictures.steps(n_positions, 5, 16, 256.0)
    assert len(figure.frames["steps"]) == n_positions
    named = figure.frames["named"].to_dict("records")
    assert [(row["words"], row["side"]) for row in named] == [("7 → 8: 4 flip", side)]
    assert "7 → 8: 4 flip" in figure.svg()


def test_300_meets_44_in_8_bits():
    figure = pictures.earlier(300, 8, 16, 256.0)
    named = figure.frames["named"].to_dict("records")
    assert [(row["position"], row["words"]) for row in named] == [(44, "44: the same bits"), (299, "299: nearest wave")]
    assert named[0]["distance"] == 0
    assert len(figure.frames["distances"]) == 600
    assert "44: the same bits" in figure.svg()


def test_of_many_twins_the_first_is_named():
    named = pictures.earlier(1000, 1, 2, 1.0).frames["named"]
    assert (named.distance == 0).sum() == 500
    assert next(words for words in named.words if words) == "0: the same bits"
    assert (named.words != "").sum() == 2


@pytest.mark.parametrize("position", [1, 100])
def test_without_twins_only_the_nearest_wave_is_named(position):
    figure = pictures.earlier(position, 10, 16, 256.0)
    assert figure.frames["named"].words.tolist() == [f"{position - 1}: nearest wave"]
    assert "nearest wave" in figure.svg()


@pytest.mark.parametrize(("n_bits", "dim", "base"), [(1, 2, 1.0), (10, 32, 1e6)])
def test_speeds_are_drawn_at_both_ends(n_bits, dim, base):
    assert pictures.speeds(n_bits, dim, base).svg().count("<path") > n_bits


@pytest.mark.parametrize(
    ("n_bits", "expected"),
    [
        (1, ("1", "0", "−1")),
        (3, ("111", "000", "−1 −1 −1")),
        (5, ("00111", "01000", "0 1 −1 −1 −1")),
    ],
)
def test_the_difference_of_neighbours_is_taken_bit_by_bit(n_bits, expected):
    *codes, difference = pictures.subtracted(n_bits)
    assert (*codes, difference.replace("\u00a0", " ")) == expected
