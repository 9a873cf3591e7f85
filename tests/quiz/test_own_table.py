"""A table of one's own: right within three digits, and every common mistake called by its name."""

import math

import pytest
import torch

from pe_core.quiz import own_table
from tests.cases import each, refuses

# One channel of one position of each mistake, written out: position m, channel c, width D, base b.
BY_HAND = {
    "own_exponent": lambda m, c, d, b: wave(c, m * b ** (-c / d)),
    "no_two": lambda m, c, d, b: wave(c, m * b ** (-(c // 2) / d)),
    "twice": lambda m, c, d, b: wave(c, m * b ** (-2 * c / d)),
    "upwards": lambda m, c, d, b: wave(c, m * b ** (2 * (c // 2) / d)),
    "no_base": lambda m, c, d, b: wave(c, m),
    "cosine_first": lambda m, c, d, b: wave(c + 1, m * b ** (-2 * (c // 2) / d)),
    "halves": lambda m, c, d, b: wave(c >= d // 2, m * b ** (-2 * (c % (d // 2)) / d)),
    "degrees": lambda m, c, d, b: wave(c, m * b ** (-2 * (c // 2) / d) * math.pi / 180),
    "from_one": lambda m, c, d, b: wave(c, (m + 1) * b ** (-2 * (c // 2) / d)),
}


def wave(channel, angle):
    return math.cos(angle) if channel % 2 else math.sin(angle)


def by_hand(cell, length, width, base):
    """All numbers of a table, row by row."""
    return [cell(m, c, width, base) for m in range(length) for c in range(width)]


def right(m, c, d, b):
    return wave(c, m * b ** (-2 * (c // 2) / d))


@each(("length", "width", "base"), [(6, 8, 10_000), (2, 2, 100), (5, 6, 100_000)])
def test_every_mistake_is_what_its_formula_says(length, width, base):
    made = own_table.mistakes(length, width, base)
    assert list(made) == list(BY_HAND)
    made["right"] = own_table.right(length, width, base)
    for name, cell in {**BY_HAND, "right": right}.items():
        expected = torch.tensor(by_hand(cell, length, width, base), dtype=torch.float64).view(length, width)
        torch.testing.assert_close(made[name], expected, rtol=0, atol=1e-12 if name == "right" else 1e-9)


@each("name", BY_HAND)
def test_a_mistake_is_called_by_its_name_and_by_no_other(name):
    found = own_table.checked(by_hand(BY_HAND[name], 6, 8, 10_000), 6, 8, 10_000)
    assert found.mistakes == (name,)
    assert found.first_wrong is not None


def test_a_table_with_three_digits_is_right():
    numbers = [round(value, 3) for value in by_hand(right, 12, 10, 100)]
    found = own_table.checked(numbers, 12, 10, 100)
    assert (found.mistakes, found.first_wrong, found.n_wrong) == ((), None, 0)
    assert 1e-5 < found.max_difference <= 5e-4


def test_one_wrong_number_is_found():
    numbers = by_hand(right, 4, 6, 100)
    numbers[2 * 6 + 3] += 0.25
    numbers[3 * 6 + 1] -= 0.125
    found = own_table.checked(numbers, 4, 6, 100)
    assert found.first_wrong == (2, 3)
    assert found.n_wrong == 2
    assert found.max_difference == pytest.approx(0.25, abs=1e-12)
    assert found.mistakes == ()
    assert found.difference[3, 1] == pytest.approx(-0.125, abs=1e-12)


@each(
    "text",
    [
        "tensor([[0.0000, 1.0000],\n        [0.8400, 0.5400]], dtype=torch.float64)",
        "array([[0., 1.], [8.4e-1, 0.54]])",
        "0\t1\r\n0.84;0.54\n\n",
        "{{0, 1}, {0.84, 0.54}}",
    ],
)
def test_printed_tables_are_read_whatever_stands_between_the_numbers(text):
    assert own_table.numbers_in(text) == [0.0, 1.0, 0.84, 0.54]
    assert own_table.numbers_in(" \n ") == []


@each(
    ("text", "problem"),
    [
        ("0, 1, __import__", "table must hold numbers only, got '__import__'"),
        ("1e999", "table must hold numbers only, got '1e999'"),
        ("x" * 50, f"table must hold numbers only, got '{'x' * 40}' and more"),
        ("1 " * 20_001, "table must have at most 40000 characters, got 40002"),
    ],
)
def test_what_is_no_table_is_named(text, problem):
    refuses(lambda: own_table.numbers_in(text), problem)
    refuses(lambda: own_table.checked([0.0] * 23, 4, 6, 100), "numbers must be 4 times 6, 24 in all, got 23")
