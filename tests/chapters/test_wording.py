"""Numbers as sentences quote them."""

import math

import pytest

from pe_core.chapters.wording import number


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.123456, "0.1235"),
        (-14, "-14"),
        (999.96, "1000"),
        (1_000, "1,000"),
        (-12_345.6, "-12,346"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
    ],
)
def test_a_number_has_four_digits_or_commas_and_infinity_its_sign(value, said):
    assert number(value) == said
