"""Numbers of one's own code: right within three digits, and every common mistake called by its name and no other."""

import cmath
import math

import pytest
import torch

from pe_core.chapters import mend
from pe_core.quiz import own_table
from tests.cases import each, refuses
from ui.widgets.prose import sections

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


def turned_by_hand(vectors, base, *, angle=lambda m, i, base: m * base ** (-2 * i / 4), pairs=((0, 1), (2, 3))):
    """Vectors with each pair turned by an angle of its position and number."""
    turned = [list(row) for row in vectors]
    for m, row in enumerate(vectors):
        for i, (first, second) in enumerate(pairs):
            number = complex(row[first], row[second]) * cmath.exp(1j * angle(m, i, base))
            turned[m][first], turned[m][second] = number.real, number.imag
    return turned


ROPE = {
    "rope_halves": {"pairs": ((0, 2), (1, 3))},
    "rope_backwards": {"angle": lambda m, i, base: -m * base ** (-2 * i / 4)},
    "rope_twice": {"angle": lambda m, i, base: m * base ** (-4 * i / 4)},
    "rope_upwards": {"angle": lambda m, i, base: m * base ** (2 * i / 4)},
    "rope_degrees": {"angle": lambda m, i, base: math.radians(m * base ** (-2 * i / 4))},
    "rope_from_one": {"angle": lambda m, i, base: (m + 1) * base ** (-2 * i / 4)},
}


def flat(table):
    return [round(value, 4) for row in table for value in row]


@each("base", mend.BASE.choices)
@each("seed", [0, 99])
def test_rope_by_hand_is_right_and_each_mistake_has_its_name(base, seed):
    vectors = own_table.to_turn(seed).tolist()
    assert mend.own_rope(flat(turned_by_hand(vectors, base)), base, seed).facts["found"] == "own-right"
    made = own_table.rope_mistakes(base, seed)
    for name, how in ROPE.items():
        facts = mend.own_rope(flat(turned_by_hand(vectors, base, **how)), base, seed).facts
        assert (facts["found"], facts["mistakes"]) == ("own-wrong", f"mistake-{name}")
    for name in made.keys() - ROPE.keys():
        assert mend.own_rope(made[name].flatten().tolist(), base, seed).facts["mistakes"] == f"mistake-{name}"
    mirrored = [row[0] * math.cos(m) + row[1] * math.sin(m) for m, row in enumerate(vectors)]
    assert made["rope_minus"][:, 0].tolist() == pytest.approx(mirrored)
    assert all(f"mistake-{name}" in sections("mend") for name in made)


SLOPES = {
    "alibi_plain": lambda h, n: 2 ** (-8 * h / n),
    "alibi_eighth": lambda h, n: 2**-h,
    "alibi_from_zero": lambda h, n: 2 ** (-8 * (h - 1) / n),
}


@each("n_heads", [1, 8, 12, 16])
def test_alibi_by_hand_is_right_and_each_mistake_has_its_name(n_heads):
    official = {1: [8], 8: range(1, 9), 16: [h / 2 for h in range(1, 17)], 12: [*range(1, 9), 0.5, 1.5, 2.5, 3.5]}
    slopes = [2.0**-power for power in official[n_heads]]
    right = [-slope * (5 - key) for slope in slopes for key in range(6)]
    assert mend.own_alibi(right, n_heads).facts["found"] == "own-right"
    made = own_table.alibi_mistakes(n_heads)
    for name, slope in SLOPES.items():
        rows = [-slope(h, n_heads) * (5 - key) for h in range(1, n_heads + 1) for key in range(6)]
        assert made[name].flatten().tolist() == pytest.approx(rows)
        facts = mend.own_alibi(rows, n_heads).facts
        assert facts["found"] == "own-right" or f"mistake-{name}" in str(facts["mistakes"]).split()
    assert mend.own_alibi([-value for value in right], n_heads).facts["mistakes"] == "mistake-alibi_sign"
    from_first = [-slope * key for slope in slopes for key in range(6)]
    assert mend.own_alibi(from_first, n_heads).facts["mistakes"].split()[0] == "mistake-alibi_from_first"
    assert all(f"mistake-{name}" in sections("mend") for name in made)


def test_for_twelve_heads_the_finer_slopes_one_after_another_are_a_mistake_and_for_eight_they_are_not():
    twelve, eight = own_table.alibi_mistakes(12)["alibi_finer"], own_table.alibi_mistakes(8)["alibi_finer"]
    assert mend.own_alibi(twelve.flatten().tolist(), 12).facts["mistakes"] == "mistake-alibi_finer"
    assert torch.equal(eight, own_table.biases(8))


@each("compare", [lambda numbers: mend.own_rope(numbers, 100, 1), lambda numbers: mend.own_alibi(numbers, 4)])
def test_the_number_of_numbers_is_checked(compare):
    with pytest.raises(ValueError, match=r"^numbers must be [46] times [46], 24 in all, got 3$"):
        compare([1.0, 2.0, 3.0])
