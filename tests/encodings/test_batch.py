"""Positions of one text or of each, distances, and queries that are the last of the keys; what is refused."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings.batch import add, between, count_queries, hide_future, of_queries, pairs
from pe_core.encodings.rotary import frequencies, rotate
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs
from tests.strategies import normal, seeds, whole_positions

INF = torch.inf
TWO_TEXTS = torch.tensor([[4, 0, 1], [7, 7, 9]])


def test_queries_are_the_last_tokens():
    assert of_queries(TWO_TEXTS[0]).tolist() == [4, 0, 1]
    assert of_queries(TWO_TEXTS[0], 2).tolist() == [0, 1]
    assert of_queries(TWO_TEXTS, 1).tolist() == [[1], [9]]
    assert of_queries(TWO_TEXTS, 0).shape == (2, 0)


def test_pairs_of_one_text_and_of_two():
    query, key = pairs(TWO_TEXTS[0], 1)
    assert (query.tolist(), key.tolist()) == ([[1]], [[4, 0, 1]])
    query, key = pairs(TWO_TEXTS, 1)
    assert (query.tolist(), key.tolist()) == ([[[[1]]], [[[9]]]], [[[[4, 0, 1]]], [[[7, 7, 9]]]])


def test_the_future_of_each_text_is_hidden_for_as_many_queries_as_the_bias_has():
    hidden = hide_future(torch.ones(2, 1, 2, 3), TWO_TEXTS)
    assert hidden[:, 0].tolist() == [[[-INF, 1, -INF], [-INF, 1, 1]], [[1, 1, -INF], [1, 1, 1]]]


def test_three_positions_out_of_order():
    positions = torch.tensor([4, 0, 1])
    assert between(positions).tolist() == [[0, 4, 3], [-4, 0, -1], [-3, 1, 0]]
    assert hide_future(torch.ones(3, 3), positions).tolist() == [[1, 1, 1], [-INF, 1, -INF], [-INF, 1, 1]]


@given(seeds, whole_positions, st.integers(1, 3))
def test_distances_equal_the_definition_and_only_later_keys_are_hidden(seed, positions, n_heads):
    distances = of_pairs(positions, lambda m, n: m - n)[0]
    assert torch.equal(between(positions, torch.float64), distances)
    bias = normal(seed, n_heads, len(positions), len(positions))
    assert torch.equal(hide_future(bias, positions), torch.where(distances < 0, -INF, bias))


@each("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_keeps_neighbours_apart(dtype):
    far = between(torch.tensor([8190, 8191, 0]), dtype)
    assert far.dtype == torch.float32
    assert far[:, 2].tolist() == [8190, 8191, 0]


def test_what_does_not_fit_is_refused():
    two_ranks, rows = "positions must have the shape (T,) or (B, T), got", "rows as there are positions (3), got"
    refuses(lambda: of_queries(torch.tensor(3)), f"{two_ranks} ()")
    refuses(lambda: of_queries(TWO_TEXTS[None]), f"{two_ranks} (1, 2, 3)")
    for n in (4, -1):
        rule = f"n_queries must be at most the number of positions (3), got {n}"
        refuses(lambda n=n: of_queries(TWO_TEXTS, n), rule)
    x = normal(0, 3, 1, 4, 4)  # three texts, a head, four tokens
    refuses(lambda: count_queries(x[:2, :, :1], x[:2], TWO_TEXTS), f"k must have as many {rows} 4")
    refuses(lambda: count_queries(x[:2], x[:2, :, :3], TWO_TEXTS), f"q must have at most as many {rows} 4")
    per_text = "positions must be one row (T,), or one per text"
    refuses(lambda: count_queries(x[:, :, :1], x[:, :, :3], TWO_TEXTS), f"{per_text} (3), got (2, 3)")
    refuses(lambda: rotate(x[0, 0, :3], TWO_TEXTS, frequencies(4)), f"{per_text} (1), got (2, 3)")
    refuses(lambda: rotate(x[0, 0, :3], torch.tensor(3), frequencies(4)), f"{two_ranks} ()")
    refuses(lambda: rotate(x[:2, :, :2], TWO_TEXTS, frequencies(4)), f"x must have as many {rows} 2")
    for shape in ((1,), (1, 3)):
        rule = f"positions must have the shape (3,) or (2, 3), as x has, got {shape}"
        refuses(lambda shape=shape: add(x[:2, 0, :3], torch.zeros(*shape, 4)), rule)
