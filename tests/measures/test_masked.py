"""Masks through layers, against walks along single edges; subtracted matrices, against formulas and a softmax."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.masks import MASKS, chunked, sliding_window
from pe_core.measures.masked import family, kept, rule, through_layers
from tests.strategies import normal, seeds

lengths = st.integers(1, 14)
depths = st.integers(1, 5)
windows = st.integers(1, 16)


def walked(masks, position):
    """The tokens that a walk from the position can end at, one allowed step for each mask, the highest layer first."""
    here = {position}
    for mask in reversed(masks):
        here = {key for query in here for key in range(len(mask)) if mask[query, key]}
    return here


@given(st.data(), lengths, depths)
def test_influence_is_what_a_walk_through_the_layers_can_reach(data, n, n_layers):
    keys = data.draw(st.lists(st.sampled_from(sorted(MASKS)), min_size=n_layers, max_size=n_layers))
    masks = [MASKS[key].build(n, 6) for key in keys]
    found = through_layers(masks)
    assert (found.dtype, found.shape) == (torch.bool, (n_layers + 1, n, n))
    for layer in range(n_layers + 1):
        for position in range(n):
            assert set(found[layer, position].nonzero()[:, 0].tolist()) == walked(masks[:layer], position)


@given(lengths, windows, depths)
def test_a_window_stays_a_window_that_grows_by_the_rule(n, window, n_layers):
    found = through_layers([sliding_window(n, window)] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, rule(window, n_layers)))
    # One that does not count the query goes one further with each layer.
    found = through_layers([sliding_window(n, window, convention="without self")] * n_layers)[-1]
    assert torch.equal(found, sliding_window(n, n_layers * window + 1))
    assert torch.equal(
        through_layers([chunked(n, window)] * n_layers)[-1], chunked(n, window)
    )  # nothing leaves a block


def test_the_window_of_mistral():
    assert rule(4_096, 32) == 131_041
    assert rule(1, 7) == rule(9, 0) == 1


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 8), st.floats(0.05, 2), st.floats(0.05, 2))
def test_every_number_follows_its_formula(n, window, head, r1, r2):
    frequencies = [10_000 ** (-2 * i / 128) for i in range(1, 65)]
    formulas = {
        "Window": lambda distance: 0 if distance < window else math.inf,
        "ALiBi": lambda distance: distance / 2**head,
        "KERPLE power": lambda distance: r1 * distance**r2,
        "KERPLE log": lambda distance: r1 * math.log(1 + r2 * distance),
        "Sandwich": lambda distance: 8 / (8 * head) * sum(1 - math.cos(distance * omega) for omega in frequencies),
    }
    found = family(n, window, head, r1, r2)
    assert found.keys() == formulas.keys()
    for name, matrix in found.items():
        for query, key in product(range(n), repeat=2):
            expected = formulas[name](query - key) if key <= query else math.inf
            assert float(matrix[query, key]) == pytest.approx(expected, abs=1e-9), name


@given(seeds)
def test_what_a_key_keeps_is_its_share_before_the_weights_sum_to_one_again(seed):
    scores = normal(seed, 6, 6)
    matrix = family(6, 3, 2, 1.0, 0.5)["ALiBi"]
    unscaled = scores.exp() * kept(matrix)
    assert_close((scores - matrix).softmax(-1), unscaled / unscaled.sum(-1, keepdim=True), atol=1e-12, rtol=0)
