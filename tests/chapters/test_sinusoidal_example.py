"""One row of the sinusoidal table number by number: the steps, and the formulas that tell them."""

import math

import pytest

from pe_core.chapters import sinusoidal_steps as example


def test_the_worked_example_digit_by_digit():
    one = example.steps(1, 4, 10_000.0)
    assert [step.value for step in one] == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)])
    assert [round(step.value, 4) for step in one] == [0.8415, 0.5403, 0.01, 1.0]
    assert [step.channel.frequency for step in one] == pytest.approx([1, 1, 0.01, 0.01])
    assert [step.numerator for step in one] == [0, 0, 2, 2]
    assert [step.value for step in example.steps(0, 4, 10_000.0)] == [0, 1, 0, 1]


def test_a_row_is_told_as_formulas():
    assert example.worked_example(row=3, dim=2, base=100) == {
        "steps": (
            r"0. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\sin 3 \approx \mathbf{0.14112}$"
            "\n"
            r"1. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\cos 3 \approx \mathbf{-0.98999}$"
        ),
        "zero-equals": "=",
        "zero": "0, 1",
        "row-equals": r"\approx",
        "numbers": "0.14112, -0.98999",
    }


def test_numbers_with_more_than_six_digits_are_approximations():
    third, fourth, last = example.worked_example(row=2, dim=5, base=1_000_000)["steps"].splitlines()[2:]
    factor = 1_000_000 ** (-2 / 5)
    assert rf"1000000^{{-2/5}} \approx {factor:.6g}$" in third
    assert rf"2 \times {factor:.6g} \approx {2 * factor:.6g}$" in third
    assert rf"\cos {2 * factor:.6g} \approx \mathbf{{{math.cos(2 * factor):.5f}}}" in fourth
    mantissa = f"{1_000_000 ** (-4 / 5):.6g}".partition("e")[0]
    assert rf"1000000^{{-4/5}} \approx {mantissa} \cdot 10^{{-5}}$" in last


def test_a_whole_row_is_exact():
    facts = example.worked_example(row=0, dim=3, base=10)
    assert facts["row-equals"] == facts["zero-equals"] == "="
    assert facts["numbers"] == facts["zero"] == "0, 1, 0"
    assert facts["steps"].splitlines()[1].endswith(r"$\cos 0 = \mathbf{1}$")


def test_the_row_to_check_by_is_that_of_position_1():
    assert example.row_to_check() == {"row": "0.84147, 0.54030, 0.01000, 0.99995"}
