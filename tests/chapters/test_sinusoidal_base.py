"""Why 10,000: similarity of neighbours and order of distances by loops, and which channels never turn."""

import math

import pytest

from pe_core.chapters import sinusoidal
from tests.cases import each

PICTURES = {sinusoidal.by_base: ({"width": 64}, {"width": 8})}


def likeness(distance, width, base):
    return sum(math.cos(distance * base ** (-2 * i / width)) for i in range(width // 2)) / (width // 2)


def test_both_numbers_are_those_of_a_loop():
    near, order = sinusoidal.alike(8, 100)
    assert near == pytest.approx(likeness(1, 8, 100))
    found = [likeness(distance, 8, 100) for distance in range(512)]
    by_likeness = sorted(range(512), key=found.__getitem__)
    ranks = [by_likeness.index(distance) for distance in range(512)]
    squares = sum((rank - (511 - distance)) ** 2 for distance, rank in enumerate(ranks))
    assert order == pytest.approx(1 - 6 * squares / (512 * (512**2 - 1)))


def test_a_small_base_loses_the_order_and_a_large_one_the_difference():
    facts = sinusoidal.by_base(64).facts
    assert facts["small-order"] < 0.1 < 0.7 < facts["paper-order"]
    assert facts["small-near"] < facts["paper-near"] < facts["large-near"]
    assert facts["small-still"] < facts["paper-still"] < facts["large-still"]


@each(
    ("length", "base", "which", "first"),
    [(64, 10_000, "speeds-both", 18), (512, 1, "speeds-all-fast", 64), (6, 10_000, "speeds-all-slow", 0)],
)
def test_the_first_slow_channel_is_that_of_the_first_pair_that_never_turns(length, base, which, first):
    facts = sinusoidal.speeds(length, 64, base)
    assert (facts["speeds"], facts["first-slow"], facts["last-fast"]) == (which, first, first - 1)
    if which == "speeds-both":
        assert 2 * math.pi * base ** ((first - 2) / 64) <= length < 2 * math.pi * base ** (first / 64)
