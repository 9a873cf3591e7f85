"""Positions of one text or of each, and queries that are the last of the keys: the shapes, and what is refused."""

import re

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.batch import add, beside, count_queries, of_queries
from pe_core.encodings.distance import between, heads_first, hide_future, pairs
from pe_core.encodings.rotary import frequencies, rotate, rotate_both
from tests.cases import each
from tests.strategies import normal

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


def test_distances_of_the_last_query_of_two_texts():
    assert between(TWO_TEXTS[0], n_queries=1).tolist() == [[-3, 1, 0]]
    assert between(TWO_TEXTS, n_queries=1).tolist() == [[[[-3, 1, 0]]], [[[2, 2, 0]]]]


def test_the_future_of_each_text_is_hidden_for_as_many_queries_as_the_bias_has():
    hidden = hide_future(torch.ones(2, 1, 2, 3), TWO_TEXTS)
    assert hidden[:, 0].tolist() == [[[-INF, 1, -INF], [-INF, 1, 1]], [[1, 1, -INF], [1, 1, 1]]]


def test_numbers_per_head_come_first():
    values = normal(0, 2, 1, 3, 4, 5)
    assert torch.equal(heads_first(values[0, 0]), values[0, 0].permute(2, 0, 1))
    assert torch.equal(heads_first(values), torch.stack([heads_first(text[0]) for text in values]))


def test_beside_leaves_room_for_heads():
    values = normal(0, 2, 3, 4)
    assert beside(values, normal(0, 2, 5, 3, 8)).shape == (2, 1, 3, 4)
    assert beside(values, normal(0, 2, 3, 8)).shape == (2, 3, 4)
    assert beside(values[0], normal(0, 2, 5, 3, 8)).shape == (3, 4)


def test_each_text_is_turned_by_its_own_positions():
    x, omega = normal(0, 2, 2, 3, 4), frequencies(4)
    alone = torch.stack([rotate(text, own, omega) for text, own in zip(x, TWO_TEXTS, strict=True)])
    assert_close(rotate(x, TWO_TEXTS, omega), alone, rtol=0, atol=1e-15)
    q, k = rotate_both(x[:, :, -1:], x, TWO_TEXTS, omega)
    assert_close(q, alone[:, :, -1:], rtol=0, atol=1e-15)
    assert_close(k, alone, rtol=0, atol=1e-15)


@each(
    ("call", "message"),
    [
        (lambda: of_queries(torch.tensor(3)), "positions must have the shape (T,) or (B, T), got ()"),
        (lambda: of_queries(TWO_TEXTS[None]), "positions must have the shape (T,) or (B, T), got (1, 2, 3)"),
        (lambda: of_queries(TWO_TEXTS, 4), "n_queries must be at most the number of positions (3), got 4"),
        (lambda: of_queries(TWO_TEXTS, -1), "n_queries must be at most the number of positions (3), got -1"),
        (
            lambda: count_queries(normal(0, 2, 1, 1, 4), normal(0, 2, 1, 4, 4), TWO_TEXTS),
            "k must have as many rows as there are positions (3), got 4",
        ),
        (
            lambda: count_queries(normal(0, 2, 1, 4, 4), normal(0, 2, 1, 3, 4), TWO_TEXTS),
            "q must have at most as many rows as there are positions (3), got 4",
        ),
        (
            lambda: count_queries(normal(0, 3, 1, 1, 4), normal(0, 3, 1, 3, 4), TWO_TEXTS),
            "positions must be one row (T,), or one per text (3), got (2, 3)",
        ),
        (
            lambda: rotate(normal(0, 3, 4), TWO_TEXTS, frequencies(4)),
            "positions must be one row (T,), or one per text (1), got (2, 3)",
        ),
        (
            lambda: rotate(normal(0, 3, 4), torch.tensor(3), frequencies(4)),
            "positions must have the shape (T,) or (B, T), got ()",
        ),
        (
            lambda: rotate(normal(0, 2, 1, 2, 4), TWO_TEXTS, frequencies(4)),
            "x must have as many rows as there are positions (3), got 2",
        ),
        (
            lambda: add(normal(0, 2, 3, 4), normal(0, 1, 4)),
            "positions must have the shape (3,) or (2, 3), as x has, got (1,)",
        ),
        (
            lambda: add(normal(0, 2, 3, 4), normal(0, 1, 3, 4)),
            "positions must have the shape (3,) or (2, 3), as x has, got (1, 3)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


def test_vectors_of_one_text_and_of_each_are_added():
    x, vectors = normal(0, 2, 3, 4), normal(1, 2, 3, 4)
    assert torch.equal(add(x, vectors), x + vectors)
    assert torch.equal(add(x, vectors[0]), x + vectors[0])
