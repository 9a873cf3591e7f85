"""Every claim gives the figures that were computed independently, to their last digit, and its verdict."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from pe_core.claims import CLAIMS, rope
from pe_core.lab.results import statistics
from tests.cases import each
from tests.claims.runs import KEPT

ONE_SEED = KEPT.config.n_seeds == 1  # which has no interval


def settled(key, **params):
    return CLAIMS[key].settle(params, KEPT)


def column(finding, name):
    return [row[name] for row in finding.rows]


@each(("width", "first"), [(16, 4), (64, 6), (128, 12), (512, 44), (768, 44)])
def test_the_first_rise_of_the_similarity_by_hand(width, first):
    sums = [sum(math.cos(k * 10_000 ** (-2 * i / width)) for i in range(width // 2)) for k in range(65)]
    rising = [k for k in range(1, 65) if sums[k] > sums[k - 1]]
    found = settled("falls", width=width, farthest=64)
    assert column(found, "First rise") == ["4", "6", "12", "44", "44"]
    assert found.measured["first"] == rising[0] == first
    assert (found.measured["rising"], found.measured["steps"]) == (len(rising), 64)
    assert found.measured["after"] == pytest.approx(2 * sums[first] / width, abs=1e-12)
    far = settled("falls", width=width, farthest=512)  # monotone nowhere, though the envelope falls
    assert far.measured["far_half"] < far.measured["near_half"]


def test_the_cosines_exponent():
    def row(p):
        return np.array([(math.cos if i % 2 else math.sin)(p * 10_000 ** (-i / 16)) for i in range(16)])

    norms = [float(row(p) @ row(p)) for p in range(64)]
    spread = max(np.ptp([row(p) @ row(p + k) for p in range(64 - k)]) for k in range(64))
    measured = settled("exponent").measured
    assert (measured["min_norm"], measured["max_norm"]) == pytest.approx((min(norms), max(norms)), abs=1e-12)
    assert measured["spread"] == pytest.approx(spread, abs=1e-12)
    assert measured["norm"] == 8
    assert measured["map_error"] > 0.1  # the rotation property is lost
    assert max(measured["right_spread"], measured["right_map_error"]) < 1e-13


def test_the_minus_sign_by_hand():
    q, k = np.random.default_rng(0).standard_normal((2, 8))
    frequencies = 10_000.0 ** (-np.arange(0, 8, 2) / 8)

    def slipped(x, position):
        a = position * frequencies
        even, odd = x[0::2], x[1::2]
        return np.stack([even * np.cos(a) + odd * np.sin(a), odd * np.cos(a) + even * np.sin(a)])

    scores = [float((slipped(q, m) * slipped(k, m - 3)).sum()) for m in (3, 10, 50, 200)]
    found = settled("minus")
    assert column(found, "Query at") == [3, 10, 50, 200]
    assert column(found, "Without") == pytest.approx(scores, abs=1e-12)
    assert np.ptp(column(found, "With the minus")) < 1e-14
    assert found.measured["shrinks"] < 1 < found.measured["grows"]


def test_bases_at_two_channels_and_at_four():
    two, four = settled("bases"), settled("bases", width=4)
    assert two.measured["spread"] == 0
    angles = [[p / math.sqrt(base) for base in (1, 5, 10, 100)] for p in range(5)]
    spread = max(np.ptp([wave(a) for a in row]) for row in angles for wave in (math.sin, math.cos))
    assert four.measured["spread"] == pytest.approx(spread, abs=1e-12)
    assert column(four, "Difference from base 1")[0] == 0


def test_binary_codes():
    measured = settled("codes").measured
    assert measured["twin"] == 44 == 300 - 256
    assert measured["positions"] == 301
    assert (measured["min_flips"], measured["max_flips"]) == (1, 8)
    assert (measured["distinct"], measured["needed"], measured["far_flips"]) == (256, 9, 1)


def test_the_sign_of_alibi():
    measured = settled("alibi_sign").measured
    shares = [math.exp(5 - j) / sum(math.exp(i) for i in range(6)) for j in range(6)]
    assert (measured["first"], measured["own"]) == pytest.approx((shares[0], shares[-1]), abs=1e-15)
    assert (measured["paper_own"], measured["paper_first"]) == pytest.approx((shares[0], shares[-1]), abs=1e-15)
    assert measured["last_slope"] == 2**-8


def test_alibi_is_added_before_the_softmax_and_is_the_flattest():
    found = settled("alibi_after")
    assert found.verdict == ("depends" if ONE_SEED else "false")
    assert found.measured["rows-sound"] == 0
    assert found.measured["sum_before"] == pytest.approx(1, abs=1e-12)
    assert found.measured["sum_after"] == pytest.approx(1 - (0 + 1 + 2 + 3 + 4 + 5), abs=1e-12)
    assert found.measured["flatter"] == 0
    assert found.measured["ratio"] < 1.05


@each(("key", "encoding"), [("rope_far", "rope"), ("sinusoid_far", "sinusoidal")])
def test_what_fails_past_the_training_length(key, encoding):
    found = settled(key)
    assert found.verdict == ("depends" if ONE_SEED else "false")
    assert found.measured["ratio"] == statistics.ratio(KEPT.mean(encoding).lengths) > 1.5


def test_the_repairs_of_rope_are_those_of_the_run():
    found = settled("rope_far")
    ratios = {row["Model"]: row["Ratio"] for row in found.rows}
    assert ratios["RoPE, NTK-aware"] < ratios["RoPE as trained"]
    assert ratios["RoPE, Window"] < 1.05
    repaired = [ratio for title, ratio in ratios.items() if title.startswith("RoPE, ")]
    assert (found.measured["best"], found.measured["worst"]) == (min(repaired), max(repaired))
    window = KEPT.mean("rope").repaired["window"].lengths[-1]
    assert ratios["RoPE, Window"] == window.end / window.within


def test_a_run_without_repairs_has_none_to_name():
    outcomes = {**KEPT.outcomes, "rope": {0: replace(KEPT.mean("rope"), repaired={})}}
    found = CLAIMS["rope_far"].settle(None, replace(KEPT, outcomes=outcomes))
    assert (found.measured["best"], found.measured["worst"]) == (None, None)


def test_figures_of_one_line():
    """RoPE is relative, sinusoids are bounded; LayerNorm removes the index; an angle without its pairs is off."""
    assert settled("rope_far").measured["shift"] < 1e-13
    assert 0.99 < settled("sinusoid_far").measured["largest"] <= 1
    index = settled("index_norm").measured
    assert index["before"] == 20
    assert index["after"] < 1e-13
    angle = settled("plain_angle").measured
    assert angle["right_error"] < 1e-14
    assert angle["error"] == pytest.approx(1.56, abs=0.005)


def test_rows_past_the_training_length_exist_and_are_noise():
    found = settled("table_far")
    assert found.verdict == ("depends" if ONE_SEED else "true")
    assert (found.measured["rows"], found.measured["trained"]) == (512, 64)
    assert found.measured["untrained"] == 1 - 64 / 512
    assert found.measured["ratio"] > 1.3


def test_the_step_of_a_fraction():
    found = settled("fractions")
    assert (found.measured["short_step"], found.measured["long_step"]) == pytest.approx((1 / 9, 1 / 99), abs=1e-15)
    assert column(found, "Step") == ["1/9", "1/99"]


def test_the_cosine_of_neighbours_by_base():
    assert [round(value, 3) for value in column(settled("base_size"), "Cosine")] == [0.738, 0.890, 0.940, 0.966, 0.975]


def test_direction():
    found = settled("direction")
    assert found.measured["gap"] < 1e-12
    assert found.measured["spread"] < 1e-12
    assert found.measured["projected_gap"] > 1
    assert found.measured["projected_spread"] > 1  # the distance pattern is lost


def test_blindness_to_order():
    found = settled("blind")
    assert found.measured["bidirectional"] < 1e-13
    assert found.measured["causal"] > 0.5
    assert (found.measured["bidirectional_noticed"], found.measured["causal_noticed"]) == (0, 100)


def test_the_decay_of_rope():
    found = settled("decays")
    assert found.measured["trend_lowest"] < 0.3
    assert found.measured["peak"] > 0
    assert found.measured["drawn"] == 1000
    assert found.measured["count"] < 30 < 950 < found.measured["equal_count"]


def test_the_decay_of_drawn_queries_equals_the_definition():
    q, k = (x[:20] for x in np.random.default_rng(0).standard_normal((2, 1000, 8)))
    omega = 100.0 ** (-np.arange(0, 8, 2) / 8)

    def falls(query, key):
        scores = []
        for distance in range(17):
            total = 0.0
            for pair, w in enumerate(omega):
                (a, b), (c, d) = query[2 * pair : 2 * pair + 2], key[2 * pair : 2 * pair + 2]
                total += (a * c + b * d) * math.cos(distance * w) + (a * d - b * c) * math.sin(distance * w)
            scores.append(total)
        return max(scores) == scores[0] and np.mean(scores[:8]) > np.mean(scores[8:])

    own, equal = rope.drawn_falling(torch.from_numpy(omega), torch.arange(17))
    assert own[:20].tolist() == [falls(*pair) for pair in zip(q, k, strict=True)]
    assert equal[:20].tolist() == [falls(one, one) for one in q]
