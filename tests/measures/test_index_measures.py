"""What an index does to a token: by hand, by plain loops over channels, and for any numbers."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.measures import index
from tests.strategies import normal, seeds


def test_random_tokens_have_length_one_and_a_seed():
    tokens = index.unit_tokens(5, 7, seed=3)
    torch.testing.assert_close(tokens.norm(dim=-1), torch.ones(5, dtype=torch.float64), rtol=0, atol=1e-15)
    assert torch.equal(tokens, index.unit_tokens(5, 7, seed=3))
    assert not torch.equal(tokens, index.unit_tokens(5, 7, seed=4))


def test_what_is_left_of_a_token_by_hand():
    # (1, 0) + 1 on both channels is (2, 1): of its length, the root of 5, the token has 1
    left = index.left_of_token(torch.tensor([[1.0, 0.0]]), torch.tensor([0.0, 1.0, -1.0]))
    torch.testing.assert_close(left, torch.tensor([[1, 1 / math.sqrt(5), 1]], dtype=torch.float64))


@given(seeds, st.integers(2, 24))
def test_the_norms_are_those_of_their_papers(seed, dim):
    x = normal(seed, dim).tolist()
    mean = sum(x) / dim
    deviation = math.sqrt(sum((value - mean) ** 2 for value in x) / dim + index.EPS)
    size = math.sqrt(sum(value**2 for value in x) / dim + index.EPS)
    given_x = torch.tensor(x, dtype=torch.float64)
    layer = torch.tensor([(value - mean) / deviation for value in x], dtype=torch.float64)
    torch.testing.assert_close(index.layer_norm(given_x), layer, rtol=1e-12, atol=1e-12)
    rms = torch.tensor([value / size for value in x], dtype=torch.float64)
    torch.testing.assert_close(index.rms_norm(given_x), rms, rtol=1e-12, atol=1e-12)


def test_the_change_is_a_mean_of_distances_in_lengths():
    before = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
    after = torch.stack([before, torch.tensor([[2.0, 1.0], [0.0, -1.0]])])
    assert index.change(before, after).tolist() == [0, (1 / 2 + 2) / 2]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30).map(sorted))
def test_different_values_are_those_of_a_set(values):
    found = index.different_so_far(torch.tensor(values, dtype=torch.float64))
    assert found.tolist() == [len(set(values[: place + 1])) for place in range(len(values))]


def test_bfloat16_counts_to_256_and_then_in_twos():
    kept = index.rounded(torch.tensor([255.0, 256.0, 257.0, 258.0, 259.0]), torch.bfloat16)
    assert kept.tolist() == [255, 256, 256, 258, 260]


@given(st.integers(2, 80), st.integers(2, 300))
def test_equal_fractions_of_two_lengths_are_counted_by_their_common_divisor(first, second):
    assert index.common_values(first, second) == math.gcd(first - 1, second - 1) + 1
