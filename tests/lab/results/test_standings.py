"""The order of the gallery, by both measures of what length costs, and who is told apart from whom."""

import math
from itertools import pairwise

import pytest

from pe_core.lab.results.comparison import n_tests, next_told, paired
from pe_core.lab.results.gallery import END, WHOLE, next_apart, repaired, standings
from tests.cases import refuses
from tests.lab.galleries import made, paying, rising


def test_the_order_is_that_of_the_ratios_and_what_has_not_learned_comes_last():
    gallery = made(
        {
            "none": {0: rising(3.0, 1.0), 1: rising(3.0, 1.0)},  # no better than guessing, 2.9
            "rope": {0: rising(1.0, 1.0, 1.2), 1: rising(1.0, 1.0, 2.0)},
            "alibi": {0: rising(2.0, 1.0, 1.1), 1: rising(2.0, 1.0, 1.1)},
        }
    )
    found = standings(gallery, 3)
    assert [one.key for one in found] == ["alibi", "rope", "none"]
    assert [one.verdict for one in found] == ["holds", "breaks", "not learned"]
    assert [one.mean for one in found] == pytest.approx([1.1, 1.6, 1.0], abs=1e-12)
    assert [(one.n_same, one.n) for one in found] == [(2, 2), (1, 2), (2, 2)]
    assert found[1].grades == {0: 1.2, 1: 2.0}
    assert (found[0].trained, found[0].read) == (2.0, pytest.approx(2.2))
    assert [one.mean for one in standings(gallery, 2)] == [1.0] * 3


def test_neighbours_are_told_apart_by_common_seeds_only():
    gallery = made(
        {
            "alibi": {0: rising(1.0, 1.00), 1: rising(1.0, 1.01), 2: rising(1.0, 1.02)},
            "t5": {0: rising(1.0, 1.10), 1: rising(1.0, 1.12), 2: rising(1.0, 1.13)},
            "rope": {0: rising(1.0, 1.30), 1: rising(1.0, 1.10), 2: rising(1.0, 1.60)},
            "shaw": {seed: rising(1.0, 2.00) for seed in range(3)},
            "none": {seed: rising(3.0, 9.00) for seed in range(4)},
        }
    )
    found = standings(gallery, 2)
    assert [one.key for one in found] == ["alibi", "t5", "rope", "shaw", "none"]
    assert [one.n for one in found] == [3] * 5
    assert next_apart(found) == [True, False, False, None, None]
    assert n_tests(next_told(found)) == 3


def test_a_seed_that_one_has_alone_does_not_count():
    """With its own seeds ALiBi would stand behind T5, since only it has met the hard seed 2."""
    hard = {"alibi": {0: rising(1.0, 1.0), 1: rising(1.0, 1.1), 2: rising(1.0, 2.0)}}
    gallery = made({**hard, "t5": {0: rising(1.0, 1.2), 1: rising(1.0, 1.2)}})
    assert [(one.key, one.n) for one in standings(gallery, 2)] == [("alibi", 2), ("t5", 2)]
    alone = made({**hard, "t5": {5: rising(1.0, 1.2)}})  # no seed in common: each with its own
    assert [(one.key, one.n) for one in standings(alone, 2)] == [("t5", 1), ("alibi", 3)]


def test_the_more_pairs_are_tested_the_surer_each_has_to_be():
    """P of a neighbour is 0.03: enough for the only pair of a list, not for one of three."""
    steps = (0.2, 0.2 + 0.0605, 0.2 - 0.0605)
    keys = ("alibi", "t5", "rope", "shaw")
    gallery = made(
        {key: dict(enumerate(rising(1.0, 1 + place * step) for step in steps)) for place, key in enumerate(keys)}
    )
    found = standings(gallery, 2)
    pairs = [paired(one.grades, other.grades) for one, other in pairwise(found)]
    assert all(pair.told == "yes" for pair in pairs)
    assert pairs[0].p == pytest.approx(0.03, abs=0.002)
    assert next_apart(found) == [False, False, False, None]
    assert next_apart(found[:2]) == [True, None]


def test_both_measures_of_one_gallery():
    """ALiBi is better by the end and T5 over whole windows; so each order has another first, and another verdict."""
    alibi = {seed: paying(rising(1.0, 1.3), 1.0, (0.01 * seed, 0.05)) for seed in range(2)}
    t5 = {seed: paying(rising(1.0, 1.05), 1.0, (0.3, 0.4 + 0.01 * seed)) for seed in range(2)}
    gallery = made({"alibi": alibi, "t5": t5})
    by_end, whole = (standings(gallery, 8, measure) for measure in (END, WHOLE))
    assert [(one.key, one.verdict) for one in by_end] == [("alibi", "holds"), ("t5", "degrades")]
    assert [(one.key, one.verdict) for one in whole] == [("t5", "holds"), ("alibi", "degrades")]
    assert by_end[0].more_bits == pytest.approx((0.0 + 0.05 + 0.01 + 0.05) / 4 / math.log(2))
    low, high = by_end[0].interval
    assert low < by_end[0].more_bits < high
    assert whole[0].more_bits == pytest.approx(0.05 / math.log(2))
    refuses(lambda: standings(gallery, 8, "press"), "measure must be end or whole, got press")
    refuses(lambda: standings(gallery, 5), "multiple must be one of 2, 3, 4, 6, 8, got 5")


def test_repairs_stand_beside_what_was_trained():
    plain = {0: rising(1.0, 1.5), 1: rising(1.0, 1.7)}
    repairs = {seed: {"pi": rising(1.0, 2.0), "ntk": rising(1.0, 1.0 + seed / 10)} for seed in plain}
    found = repaired(made({"rope": plain}, {"rope": repairs}), "rope", 8)
    assert [(one.key, one.mean, one.n) for one in found] == [
        ("ntk", pytest.approx(1.05), 2),
        ("as_trained", pytest.approx(1.6), 2),
        ("pi", 2.0, 2),
    ]
