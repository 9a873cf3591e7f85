import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.dape import DAPE, PRIORS, prior_of
from tests.cases import refuses
from tests.encodings.loops import hiding_the_future, of_pairs
from tests.strategies import initialised, normal, seeds

F64 = torch.float64
INF = math.inf


def built(prior="alibi", heads=2, width=3, seed=0):
    return initialised(DAPE(prior_of(prior, heads), heads, width).double(), seed)


def test_a_network_of_one_number_by_hand():
    """Two tokens, one head of the slope 1/256: f is twice what is above 0 of score plus bias, less 1."""
    encoding = built(heads=1, width=1)
    with torch.no_grad():
        for parameter, value in zip(encoding.parameters(), (1.0, 0.0, 2.0, -1.0), strict=True):
            parameter.fill_(value)
    q, k = torch.tensor([[[[2.0], [-3]]], [[[4.0], [5]]]], dtype=F64)
    added = encoding.bias(q, k, torch.arange(2))[0]
    below = -3 * 4 - 1 / 256  # of the second token and the first: LeakyReLU keeps a hundredth
    expected = [[2 * 8 - 1, -INF], [-1 / 256 + 2 * below / 100 - 1, 2 * -15 / 100 - 1]]
    assert_close(added, torch.tensor(expected, dtype=F64))


@given(seeds, st.integers(1, 6), st.integers(1, 3), st.integers(1, 4), st.sampled_from(PRIORS))
@torch.no_grad()
def test_bias_equals_the_definition(seed, length, heads, width, prior):
    encoding, positions = built(prior, heads, width, seed), torch.arange(length) + 3
    q, k = normal(seed, 2, 2, heads, length, 4)
    added, static = encoding.bias(q, k, positions), encoding.prior.bias(q, k, positions)
    learned = (encoding.hidden_weight, encoding.hidden_bias, encoding.out_weight, encoding.out_bias)
    w1, b1, w2, b2 = (parameter.tolist() for parameter in learned)

    def value(m, n, text, head):
        seen = [float(q[text, h, m] @ k[text, h, n]) / 2 for h in range(heads)]
        seen += [float(static[h, m, n]) for h in range(heads)]
        hidden = [sum(w * z for w, z in zip(row, seen, strict=True)) + b for row, b in zip(w1, b1, strict=True)]
        active = [unit if unit > 0 else unit / 100 for unit in hidden]
        return seen[heads + head] + sum(w * unit for w, unit in zip(w2[head], active, strict=True)) + b2[head]

    for text in range(2):
        expected = of_pairs(torch.arange(length), hiding_the_future(value), [(text, head) for head in range(heads)])
        assert_close(added[text], expected, atol=1e-9, rtol=0)


def test_errors():
    refuses(lambda: prior_of("fire", 2), "prior must be one of alibi, kerple, got fire")
