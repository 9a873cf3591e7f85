"""Numbers as sentences quote them."""

import math

import pytest

from pe_core.chapters.wording import formatted, number, with_minus


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.123456, "0.1235"),
        (-14, "−14"),
        (999.96, "1000"),
        (1_000, "1,000"),
        (-12_345.6, "−12,346"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_has_four_digits_or_commas_and_infinity_its_sign(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "spec", "said"),
    [
        (-0.10234, ".4f", "−0.1023"),
        (-1, "", "−1"),
        (-1e-7, ".1e", "−1.0e-07"),
        (0.5, "+.2f", "+0.50"),
        (-1e9, "number", "−1,000,000,000"),
        ("not-a-number -1", "s", "not-a-number -1"),
    ],
)
def test_a_number_has_the_sign_for_minus_and_a_word_keeps_its_hyphen(value, spec, said):
    assert formatted(value, spec) == said


def test_each_number_of_a_list_has_the_sign_for_minus():
    assert with_minus("-0.5, 0.25, -1e-05") == "−0.5, 0.25, −1e-05"
