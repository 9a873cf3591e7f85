"""The family of subtracted matrices: each against its formula, and all of them under a softmax."""

import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from pe_core.masks import sliding_window
from pe_core.measures.subtracted import family, kept
from tests.strategies import checked, normal, seeds

settings = {
    "window": st.integers(1, 12),
    "head": st.integers(1, 8),
    "r1": st.floats(0.05, 2),
    "r2": st.floats(0.05, 2),
}


@checked
@given(n=st.integers(1, 9), **settings)
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
        for query in range(n):
            for key in range(n):
                expected = formulas[name](query - key) if key <= query else math.inf
                assert float(matrix[query, key]) == pytest.approx(expected, abs=1e-9), name


@checked
@given(n=st.integers(1, 40), **settings)
def test_nothing_is_negative_and_a_query_keeps_itself(n, window, head, r1, r2):
    for matrix in family(n, window, head, r1, r2).values():
        assert (matrix > -1e-12).all()
        assert_close(matrix.diagonal(), torch.zeros(n, dtype=torch.float64), atol=1e-12, rtol=0)
        assert (kept(matrix) <= 1 + 1e-12).all()
        assert (kept(matrix).triu(1) == 0).all()


@checked
@given(seeds)
def test_the_window_of_the_family_is_the_mask(seed):
    q, k, v = normal(seed, 3, 1, 10, 4)
    weights = (q @ k.mT / 2 - family(10, 3, 1, 1.0, 1.0)["Window"]).softmax(-1)
    assert_close(weights @ v, scaled_dot_product_attention(q, k, v, sliding_window(10, 3)), atol=1e-12, rtol=0)


@checked
@given(seeds)
def test_what_a_key_keeps_is_its_share_before_the_weights_sum_to_one_again(seed):
    scores = normal(seed, 6, 6)
    matrix = family(6, 3, 2, 1.0, 0.5)["ALiBi"]
    unscaled = scores.exp() * kept(matrix)
    assert_close((scores - matrix).softmax(-1), unscaled / unscaled.sum(-1, keepdim=True), atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((4, 2, 0, 1.0, 1.0), "head must be from 1 to 8, got 0"),
        ((4, 2, 9, 1.0, 1.0), "head must be from 1 to 8, got 9"),
        ((4, 2, 1, 0.0, 1.0), "r1 must be above 0, got 0.0"),
        ((4, 2, 1, 1.0, 2.5), "r2 must be above 0 and at most 2, got 2.5"),
        ((4, 0, 1, 1.0, 1.0), "window must be at least 1 (1 sees only itself), got 0"),
    ],
)
def test_errors(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        family(*values)
