"""RoPE and ALiBi of one's own: the right numbers by loops, and every mistake called by its name and no other."""

import cmath
import math

import pytest
import torch

from pe_core.chapters import mend
from pe_core.quiz import own_code
from tests.cases import each
from ui.widgets.prose import sections


def by_hand(vectors, base, *, angle=lambda m, i, base: m * base ** (-2 * i / 4), pairs=((0, 1), (2, 3))):
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
    vectors = own_code.to_turn(seed).tolist()
    assert mend.own_rope(flat(by_hand(vectors, base)), base, seed).facts["found"] == "own-right"
    made = own_code.rope_mistakes(base, seed)
    for name, how in ROPE.items():
        facts = mend.own_rope(flat(by_hand(vectors, base, **how)), base, seed).facts
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
    made = own_code.alibi_mistakes(n_heads)
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
    twelve, eight = own_code.alibi_mistakes(12)["alibi_finer"], own_code.alibi_mistakes(8)["alibi_finer"]
    assert mend.own_alibi(twelve.flatten().tolist(), 12).facts["mistakes"] == "mistake-alibi_finer"
    assert torch.equal(eight, own_code.biases(8))


@each("compare", [lambda numbers: mend.own_rope(numbers, 100, 1), lambda numbers: mend.own_alibi(numbers, 4)])
def test_the_number_of_numbers_is_checked(compare):
    with pytest.raises(ValueError, match=r"^numbers must be [46] times [46], 24 in all, got 3$"):
        compare([1.0, 2.0, 3.0])
