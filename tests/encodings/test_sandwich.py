import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, sinusoidal
from pe_core.encodings.sandwich import FIRST_INDICES, bias, frequencies
from tests.cases import refuses
from tests.largest import max_tensor
from tests.strategies import real_positions

F64 = torch.float64
INF = math.inf
first_indices = st.sampled_from(FIRST_INDICES)
inner_widths = st.integers(1, 40).map(lambda pairs: 2 * pairs)


def test_one_cosine_and_two_heads():
    positions = torch.tensor([0.0, math.pi])  # of a width of 2, index 0 turns by 1 radian per token
    added = bias(positions, 2, inner_dim=2, first_index=0, dtype=F64)
    expected = [[[0, -INF], [-0.5, 0]], [[0, -INF], [-0.25, 0]]]  # (cos(pi) - 1) / 4 and / 8
    assert_close(added, torch.tensor(expected, dtype=F64), atol=1e-15, rtol=0)


def test_frequencies_of_both_conventions():
    assert_close(frequencies(8, first_index=0), torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64))
    assert_close(frequencies(8, first_index=1), torch.tensor([0.1, 0.01, 0.001, 0.0001], dtype=F64))
    assert_close(frequencies(128)[-1].item(), 1e-4, rtol=1e-14, atol=0)


def bias_by_loops(places, n_heads, inner_dim, first_index, causal):
    """One sum of cosines per head, query and key, from the definition."""
    indices = range(first_index, inner_dim // 2 + first_index)

    def score(distance, head):
        similarity = sum(math.cos(distance * 10_000 ** (-2 * i / inner_dim)) for i in indices)
        return (similarity - inner_dim / 2) / (8 * head / n_heads)

    return [
        [[-INF if causal and n > m else score(m - n, head) for n in places] for m in places]
        for head in range(1, n_heads + 1)
    ]


@given(real_positions, st.integers(1, 6), inner_widths, first_indices, st.booleans())
def test_bias_equals_the_definition(positions, n_heads, inner_dim, first_index, causal):
    added = bias(positions, n_heads, inner_dim=inner_dim, first_index=first_index, causal=causal, dtype=F64)
    expected = bias_by_loops(positions.tolist(), n_heads, inner_dim, first_index, causal)
    assert_close(added, torch.tensor(expected, dtype=F64), atol=1e-10, rtol=1e-10)


def test_the_first_index_0_is_the_similarity_of_sinusoidal_encodings():
    table = sinusoidal.table(torch.arange(20), 128, dtype=F64)
    added = bias(torch.arange(20), 8, first_index=0, causal=False, dtype=F64)
    assert_close(added[0], table @ table.T - 64, atol=1e-12, rtol=0)  # head 1 of 8 has the strength 1


def test_no_cosine_for_each_pair_and_frequency_is_made():
    assert max_tensor(lambda: bias(torch.arange(200), 1, dtype=F64)) == 200 * 200


def test_every_option_of_the_module_reaches_the_bias(q):
    positions, shape = torch.tensor([0, 3, 4, 60, 500]), Shape(8, 2, 64, 512)
    for params, options in (
        ({}, {}),
        ({"inner_dim": 32}, {"inner_dim": 32}),
        ({"first_index": 0}, {"first_index": 0}),
        ({"direction": "symmetric"}, {"causal": False}),
    ):
        encoding = ENCODINGS["sandwich"].build(shape, params)
        assert torch.equal(encoding.bias(q, q, positions), bias(positions, 2, **options, dtype=F64))


def test_errors():
    refuses(lambda: bias(torch.arange(2), 0), "n_heads must be at least 1, got 0")
    refuses(lambda: bias(torch.arange(2), 1, inner_dim=7), "inner_dim must be even and at least 2, got 7")
    refuses(lambda: frequencies(0), "inner_dim must be even and at least 2, got 0")
    refuses(lambda: frequencies(8, first_index=2), "first_index must be one of 1, 0, got 2")
