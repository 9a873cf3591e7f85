"""The order of the gallery by both measures of what length costs, who is told apart, and the orders of papers."""

import math
import re
from itertools import pairwise

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.results.comparison import n_tests, next_told, paired
from pe_core.lab.results.gallery import END, KEPT, WHOLE, next_apart, read, repaired, standings
from pe_core.lab.results.papers import TABLES, compare, multiples, nearest_multiple, order
from tests.cases import each, refuses
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


# What the papers measured, and the comparison of their orders with ours.


SIX = {"sinusoidal": 2.0, "rope": 1.5, "t5": 1.2, "alibi": 1.0}


def four(**ratios):
    return {key: {0: rising(1.0, ratio)} for key, ratio in {**SIX, **ratios}.items()}


@each("table", TABLES.values())
def test_every_table_is_whole(table):
    assert table.lengths[0] == table.train_length
    assert list(table.lengths) == sorted(set(table.lengths))
    assert all(len(row) == len(table.lengths) and min(row) > 0 for row in table.rows.values())
    assert re.fullmatch(r"https://(arxiv\.org/abs/\d{4}\.\d{5}|kexue\.fm/archives/\d+)", table.link)
    if table.repairs_of is None:
        assert table.rows.keys() <= ENCODINGS.keys()
    else:
        assert all(named(name).is_for(table.repairs_of) for name in table.rows if name != AS_TRAINED.key)


def test_only_lengths_that_are_near_enough_are_compared():
    near = {key: multiples(table) for key, table in TABLES.items()}
    assert near == {
        "press_512": (2, 3, 4, 6, 8),
        "press_1024": (2, 3, 4, 6, 8),
        "kazemnejad": (2, 3),  # it ends at two and a half times
        "haviv": (1,),
        "su": (6, 8),
    }
    assert nearest_multiple(TABLES["kazemnejad"], 8) == 3
    assert nearest_multiple(TABLES["press_512"], 4) == 4
    assert nearest_multiple(TABLES["su"], 2) == 6


def test_the_same_order_and_one_exchange():
    same = compare(TABLES["press_512"], made(four()), 2)
    assert (same.length, same.tau, same.n_same, list(same.by_seed)) == (1012, 1, 1, [0])
    assert same.paper == pytest.approx((43.54 / 20.05, 21.37 / 20.07, 18.79 / 19.65, 18.73 / 19.73))
    assert same.ours == pytest.approx(tuple(math.exp(ratio - 1) for ratio in SIX.values()))
    assert [same.systems[place] for place in order(same.ours)] == ["alibi", "t5", "rope", "sinusoidal"]
    other = compare(TABLES["press_512"], made(four(rope=1.1)), 2)
    assert other.tau == pytest.approx(4 / 6)
    assert other.n_same == 0


def test_only_common_seeds_count_and_the_order_is_of_their_mean():
    losses = {key: {0: rising(1.0, ratio), 1: rising(1.0, ratio)} for key, ratio in SIX.items()}
    losses["t5"] = {1: rising(1.0, 1.6), 2: rising(1.0, 1.0)}
    found = compare(TABLES["press_512"], made(losses), 2)
    assert list(found.by_seed) == [1]
    assert found.ours[found.systems.index("t5")] == pytest.approx(math.exp(0.6))
    losses["t5"] = {2: rising(1.0, 1.0)}
    assert compare(TABLES["press_512"], made(losses), 2) is None
    del losses["t5"]
    assert compare(TABLES["press_512"], made(losses), 2) is None


def test_both_measures_and_every_seed_have_their_own_tau():
    """By the end of the windows RoPE stands behind the sinusoid with seed 1; over whole windows nobody has moved."""
    losses = {key: dict.fromkeys((0, 1), paying(rising(1.0, ratio), 1.0, (ratio - 1,))) for key, ratio in SIX.items()}
    losses["rope"][1] = paying(rising(1.0, SIX["rope"]), 1.0, (1.2,))
    gallery = made(losses)
    end, whole = (compare(TABLES["press_512"], gallery, 2, measure) for measure in ("end", "whole"))
    assert end.taus == {0: 1, 1: pytest.approx(4 / 6)}
    assert whole.taus == {0: 1, 1: 1}
    assert (end.n_same, len(end.by_seed), end.exchanged) == (1, 2, [("rope", "sinusoidal")])
    assert compare(TABLES["press_512"], made(four()), 2).exchanged == []
    assert end.ours[end.systems.index("rope")] == pytest.approx(math.exp((0.5 + 1.2) / 2))
    refuses(lambda: compare(TABLES["press_512"], gallery, 2, "both"), "measure must be end or whole, got both")


def test_at_the_training_length_the_perplexities_themselves_are_compared():
    starts = {"none": 2.0, "learned": 1.8, "sinusoidal": 1.7, "alibi": 1.75}
    gallery = made({key: {0: rising(start, 1.0)} for key, start in starts.items()})
    found = compare(TABLES["haviv"], gallery, 1)
    assert found.paper == (20.97, 20.42, 20.16, 19.71)
    assert found.ours == pytest.approx(tuple(math.exp(start) for start in starts.values()))
    assert found.tau == pytest.approx(4 / 6)


def test_higher_is_better_turns_the_paper_around_and_repairs_are_those_of_one_encoding():
    repairs = {"pi": rising(1.5, 2.0), "ntk": rising(1.5, 1.3), "rerope": rising(1.5, 1.0)}
    gallery = made({"rope": {0: rising(1.5, 1.6)}}, {"rope": {0: repairs}})
    found = compare(TABLES["su"], gallery, 8)
    assert found.systems == ("as_trained", "pi", "ntk", "rerope")
    assert found.paper == pytest.approx((49.41 / 23.16, 49.41 / 13.54, 49.41 / 39.27, 49.41 / 48.48))
    assert (found.tau, found.length, found.times) == (1, 4096, 8)


def test_what_the_notes_of_the_page_say_holds_for_the_kept_gallery():
    gallery = read(KEPT)
    haviv = compare(TABLES["haviv"], gallery, 1)
    assert [haviv.systems[order(values)[-1]] for values in (haviv.paper, haviv.ours)] == ["none", "none"]
    assert max(haviv.ours) > 1.2 * sorted(haviv.ours)[-2]
    assert max(haviv.paper) < 1.1 * min(haviv.paper)
    kazemnejad = compare(TABLES["kazemnejad"], gallery, 3)
    assert min(kazemnejad.paper) > 10 > max(kazemnejad.ours)
    verdicts = {multiple: [one.verdict for one in standings(gallery, multiple)] for multiple in (2, 8)}
    assert verdicts[2].count("holds") > verdicts[8].count("holds")
    assert {"holds", "degrades", "breaks"} <= set(verdicts[8])
    grown = {multiple: compare(TABLES["press_512"], gallery, multiple) for multiple in (2, 8)}
    sinusoidal, *middle = (grown[2].ours[grown[2].systems.index(key)] for key in ("sinusoidal", "t5", "rope"))
    assert 1.5 * max(middle) < sinusoidal
    assert grown[8].ours[grown[8].systems.index("rope")] > 2
