import math

import torch
from hypothesis import given
from torch.testing import assert_close

from pe_core.encodings.sinusoidal import frequencies
from pe_core.encodings.transformer_xl import TransformerXL, scores
from tests.cases import each, refuses
from tests.largest import max_tensor
from tests.strategies import bases, normal, real_positions, seeds

F64 = torch.float64
WIDTH = 8  # of the sinusoid


def parts(seed, length, n_heads=2, head_dim=3, base=10_000.0):
    """Random inputs of `scores`: q, k and what is learned."""
    q, k = normal(seed, 2, 2, n_heads, length, head_dim)
    content_bias, distance_bias = normal(seed + 1, 2, n_heads, head_dim)
    learned = {"content_bias": content_bias, "distance_bias": distance_bias}
    return (
        q,
        k,
        {"weight": normal(seed + 2, n_heads, head_dim, WIDTH), "frequencies": frequencies(WIDTH, base), **learned},
    )


def filled(encoding, seed=0):
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding.double()


def test_one_frequency_and_one_channel():
    q, k = torch.tensor([[2.0], [3.0]], dtype=F64)[None, None], torch.tensor([[5.0], [7.0]], dtype=F64)[None, None]
    added = scores(
        q,
        k,
        torch.tensor([0, 1]),
        weight=torch.tensor([[[10.0, 1.0]]], dtype=F64),  # 10 times the sine and once the cosine
        content_bias=torch.tensor([[0.5]], dtype=F64),
        distance_bias=torch.tensor([[1.0]], dtype=F64),
        frequencies=torch.tensor([math.pi / 2], dtype=F64),  # distances 0, 1, -1: sine 0, 1, -1, cosine 1, 0, 0
    )
    expected = [[3 * 1 + 2.5, 3 * -10 + 3.5], [4 * 10 + 2.5, 4 * 1 + 3.5]]
    assert_close(added[0, 0], torch.tensor(expected, dtype=F64), atol=1e-14, rtol=1e-14)


def scores_by_loops(q, k, positions, *, weight, content_bias, distance_bias, frequencies):
    """Term by term for each text, head, query and key, from the definition."""
    result, places = torch.empty(*q.shape[:-1], q.shape[-2], dtype=F64), positions.tolist()
    for b, h in torch.cartesian_prod(torch.arange(q.shape[0]), torch.arange(q.shape[1])).tolist():
        for i, m in enumerate(places):
            for j, n in enumerate(places):
                angle = [(m - n) * omega for omega in frequencies.tolist()]
                r = torch.tensor([*map(math.sin, angle), *map(math.cos, angle)], dtype=F64)
                distance, query, key = weight[h] @ r, q[b, h, i], k[b, h, j]
                terms = query @ distance + content_bias[h] @ key + distance_bias[h] @ distance
                result[b, h, i, j] = terms / math.sqrt(q.shape[-1])
    return result


@given(seeds, real_positions, bases)
def test_scores_equal_the_definition(seed, positions, base):
    q, k, learned = parts(seed, len(positions), base=base)
    expected = scores_by_loops(q, k, positions, **learned)
    assert_close(scores(q, k, positions, **learned), expected, atol=1e-10, rtol=1e-10)


def test_no_vector_for_each_pair_is_made():
    q, k, learned = parts(0, 40)
    assert max_tensor(lambda: scores(q, k, torch.arange(40), **learned)) == 2 * 2 * 40 * 40


@each("width", [1, 2, 5, 8])
def test_an_odd_width_has_one_more_sine_and_cosine(width):
    encoding = filled(TransformerXL(width, 1, base=10_000.0))
    assert encoding.weight.shape == (1, width, width + width % 2)
    q, k = normal(1, 2, 1, 1, 3, width)
    learned = dict(encoding.named_parameters())
    expected = scores(q, k, torch.arange(3), **learned, frequencies=frequencies(width))
    assert torch.equal(encoding.bias(q, k, torch.arange(3)), expected)


def test_spreads_of_what_is_learned():
    encoding = filled(TransformerXL(256, 2, base=10_000.0))
    assert_close(encoding.weight.std().item(), 1 / 16, rtol=0.02, atol=0)
    assert_close(encoding.content_bias.std().item(), 0.02, rtol=0.15, atol=0)
    assert_close(encoding.distance_bias.std().item(), 0.02, rtol=0.15, atol=0)


def test_a_weight_that_does_not_fit_is_an_error():
    q, k, learned = parts(0, 2)
    rule = "weight must have two columns per frequency (3), got 8"
    refuses(lambda: scores(q, k, torch.arange(2), **{**learned, "frequencies": frequencies(6)}), rule)
