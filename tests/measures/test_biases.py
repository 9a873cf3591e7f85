"""How attention spreads, and biases of the distance in it: by hand, against loops, and against formulas."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import alibi, log_n, t5
from pe_core.measures import biases
from pe_core.measures import entropy as measured
from pe_core.measures.entropy import by_number_of_keys, entropy, normal_scores
from tests.cases import each
from tests.encodings.loops import plain_entropy
from tests.strategies import lengths, normal, seeds

slopes = st.floats(0, 4)
sizes = st.tuples(st.integers(1, 16).map(lambda n: 4 * n), st.sampled_from([32, 64, 128, 256]))


def test_by_hand_for_two_keys():
    fraction = 1 / (1 + math.exp(-0.5))
    assert biases.right_row(2, 0.5).tolist() == pytest.approx([1 - fraction, fraction], abs=1e-15)
    assert biases.row_added_after(2, 0.5).tolist() == [0, 0.5]
    assert biases.mask_added_after(4).tolist() == [0.25, -math.inf, -math.inf, -math.inf]  # it hides nothing
    assert biases.mask_added_after(1).tolist() == [1]
    found = biases.attention(torch.tensor([[0.0, 9.0], [-0.5, 0.0]]))
    assert found.flatten().tolist() == pytest.approx([1, 0, 1 - fraction, fraction], abs=1e-15)


@given(n_keys=st.integers(1, 40), slope=slopes)
def test_rows_against_a_loop(n_keys, slope):
    scores = [-slope * (n_keys - 1 - key) for key in range(n_keys)]
    total = sum(map(math.exp, scores))
    assert biases.right_row(n_keys, slope).tolist() == pytest.approx([math.exp(s) / total for s in scores], abs=1e-14)
    assert biases.mistaken_row(n_keys, slope).tolist() == pytest.approx(
        biases.right_row(n_keys, slope).tolist()[::-1], abs=1e-14
    )
    after = [1 / n_keys + score for score in scores]
    assert biases.row_added_after(n_keys, slope).tolist() == pytest.approx(after, abs=1e-12)


@given(length=lengths, seed=seeds)
def test_attention_against_a_loop(length, seed):
    bias = normal(seed, length, length)
    found = biases.attention(bias)
    for query in range(length):
        total = sum(math.exp(bias[query, key]) for key in range(query + 1))
        expected = [math.exp(bias[query, key]) / total if key <= query else 0 for key in range(length)]
        assert found[query].tolist() == pytest.approx(expected, abs=1e-14)


def test_effective_keys_and_the_fraction_of_the_nearest_by_hand():
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    found = biases.effective_keys(torch.tensor([[0.75, 0.25], [1.0, 0.0]]))
    assert found.tolist() == pytest.approx([math.exp(entropy), 1], rel=1e-12)
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    assert [biases.fraction_within(weights, window) for window in (1, 2, 4, 99)] == pytest.approx([0.4, 0.7, 1.0, 1.0])


def test_the_first_distances_of_buckets_of_which_an_empty_one_is_left_out():
    wide = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert list(biases.first_distances(32, 128).values()) == [*range(16), *wide]
    assert list(biases.first_distances(32, 128)) == list(range(32))
    assert biases.first_distances(64, 8) == {**{distance: distance for distance in range(8)}, 63: 8}


@given(size=sizes, train_length=st.integers(1, 300))
def test_what_is_met_against_a_loop(size, train_length):
    seen = {int(t5.bucket(torch.tensor(-d), n_buckets=size[0], max_distance=size[1])) for d in range(train_length)}
    found = biases.met(*size, train_length)
    assert {bucket for bucket in range(size[0]) if found[bucket]} == seen


@given(size=sizes, train_length=st.integers(1, 300), seed=st.integers(0, 99))
def test_following_against_a_loop(size, train_length, seed):
    target, table = normal(seed, train_length), normal(seed + 1, size[0])
    place = biases.buckets(torch.arange(train_length), *size).tolist()
    found = biases.following(target, table, size[1])
    for bucket in range(size[0]):
        own = [float(target[d]) for d in range(train_length) if place[d] == bucket]
        expected = sum(own) / len(own) if own else float(table[bucket])
        assert float(found[bucket]) == pytest.approx(expected, abs=1e-12)


def test_few_digits_make_neighbours_equal_in_the_key_index_form_only():
    relative, key_index = biases.forms(4096, 0.5, "bfloat16")
    assert biases.ties(relative[-48:]) == 0
    # from 1024 on numbers of bfloat16 are 8 apart, which are 16 keys
    assert sorted(set(key_index[-48:].tolist())) == [2024, 2032, 2040, 2048]
    assert biases.ties(key_index[-48:]) == 44
    assert biases.error(relative, 4096, 0.5) < 1e-16
    assert biases.error(key_index, 4096, 0.5) > 0.2
    assert biases.error(biases.forms(64, 0.5, "bfloat16")[1], 64, 0.5) < 1e-15


@given(n_heads=st.integers(1, 200))
def test_the_first_slopes_are_the_geometric_series_of_the_power_of_two(n_heads):
    own = biases.max_power_of_two(n_heads)
    assert own <= n_heads < 2 * own
    torch.testing.assert_close(alibi.slopes(n_heads)[:own], biases.geometric(own), rtol=1e-15, atol=0)
    assert torch.allclose(biases.geometric(n_heads), alibi.slopes(n_heads), rtol=1e-12) == (own == n_heads)


def summed(scores):
    weights = [math.exp(score) for score in scores]
    return plain_entropy([weight / sum(weights) for weight in weights])


@given(seeds, st.integers(1, 12), st.floats(0, 5))
def test_entropy_is_the_sum_written_out(seed, n, spread):
    scores = spread * normal(seed, 3, n)
    assert entropy(scores).tolist() == pytest.approx([summed(row) for row in scores.tolist()], abs=1e-12)


def test_entropy_by_hand():
    assert entropy(torch.zeros(8)).item() == pytest.approx(math.log(8), abs=1e-15)
    assert entropy(torch.tensor([0.0, -math.inf, 0.0])).item() == pytest.approx(math.log(2), abs=1e-15)
    assert entropy(torch.tensor([math.log(3), 0.0])).item() == pytest.approx(math.log(4) - 0.75 * math.log(3), abs=1e-7)
    assert entropy(torch.tensor([2_000.0, 0.0])).item() == 0


@each("spread", [0.0, 1.5])
def test_the_formula_holds_for_many_keys(spread):
    n = 20_000
    found = float(entropy(normal_scores(n, spread)).mean())
    assert found == pytest.approx(float(measured.expected(torch.tensor([n]), spread)), abs=0.01)


def test_the_formula_fails_for_fewer_keys_than_it_needs():
    n, spread = 32, 3.0
    assert n < measured.enough_keys(spread) == math.exp(4.5)
    assert float(measured.expected(torch.tensor([n]), spread)) < 0 < float(entropy(normal_scores(n, spread)).mean())


def test_scores_are_the_same_however_many_are_drawn():
    assert torch.equal(normal_scores(5, 2.0), normal_scores(40, 2.0)[:, :5])
    assert_close(normal_scores(7, 3.0), 3 * normal_scores(7, 1.0))


@each("slope", [0.5, 1 / 256])
def test_each_way_to_attend_written_out(slope):
    n_keys, length, spread = [3, 8, 20], 8, 1.5
    found = by_number_of_keys(torch.tensor(n_keys), spread, length, slope)
    scores = normal_scores(20, spread).tolist()
    assert list(found) == ["plain", "log-n", "window", "ALiBi"]
    for place, n in enumerate(n_keys):
        scale = max(1.0, math.log(n) / math.log(length))
        ways = {
            "plain": [row[:n] for row in scores],
            "log-n": [[scale * score for score in row[:n]] for row in scores],
            "window": [row[: min(n, length)] for row in scores],
            "ALiBi": [[score - slope * distance for distance, score in enumerate(row[:n])] for row in scores],
        }
        for name, rows in ways.items():
            mean = sum(map(summed, rows)) / len(rows)
            assert float(found[name][place]) == pytest.approx(mean, abs=1e-12), name


@each("length", [16, 128])
def test_log_n_holds_the_level_at_its_spread(length):
    def slope(spread):
        n_keys = torch.tensor([[length], [length + 1]]).double()
        before, after = (float(measured.expected(n, log_n.factor(n, length, dtype=n.dtype) * spread)) for n in n_keys)
        return (after - before) / (math.log(length + 1) - math.log(length))

    spread = measured.level_spread(length)
    assert slope(spread / 2) > 0 > slope(2 * spread)
    assert slope(spread) == pytest.approx(0, abs=0.02)
