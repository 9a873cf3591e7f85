"""Biases of the distance: rows of attention, T5's buckets, ALiBi's slopes and forms, by hand and against loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import alibi, t5
from pe_core.measures import biases
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
