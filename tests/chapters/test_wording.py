"""Numbers as sentences quote them."""

import math

from pe_core.chapters.wording import formatted, number
from tests.cases import each


def test_a_number_has_four_digits_or_commas_and_infinity_its_sign():
    said = {0.123456: "0.1235", -14: "−14", 999.96: "1000", 1_000: "1,000", -12_345.6: "−12,346"}
    said |= {math.inf: "∞", -math.inf: "−∞"}
    assert {value: number(value) for value in said} == said


@each(
    ("value", "spec", "said"),
    [
        (-0.75064, ".4f", "−0.7506"),
        (0.5, "+.1f", "+0.5"),
        (-3, "", "−3"),
        (-1e-7, ".0e", "−10⁻⁷"),
        (1.25e-16, ".2e", "1.25·10⁻¹⁶"),
        (1.25e-16, "number", "1.25·10⁻¹⁶"),
        (3e12, "+.1g", "+3·10¹²"),
        (math.inf, ".1g", "inf"),
        (-2_000, "number", "−2,000"),
        ("a-1", "s", "a-1"),
    ],
)
def test_a_number_has_signs_and_powers_as_in_print_and_words_stay(value, spec, said):
    assert formatted(value, spec) == said
