"""RoPE that does more than turn: FoPE, xPos and PoPE, and what tells far keys as nearer ones.

ReRoPE, Self-Extend, dual chunk attention and STRING correct the scores of RoPE, so each is held against a loop that
turns a query by the distance that is told.
"""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import dual_chunk, fope, pope, rerope, self_extend, string_rope, xpos
from pe_core.encodings.fope import coefficients, trained
from pe_core.encodings.pope import Polar, polar
from pe_core.encodings.rerope import Corrected
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from pe_core.encodings.rotary import rotate as turn
from pe_core.encodings.xpos import decays, scales
from tests.cases import each, refuses
from tests.encodings.loops import of_pairs, scores
from tests.strategies import F64, bases, even_widths, filled, normal, real_positions, seeds, whole_positions, widths


@each(
    ("train_length", "dim", "n_trained"), [(512, 64, 16), (512, 128, 31), (64, 32, 5), (7, 8, 1), (6, 8, 1), (1, 2, 1)]
)
def test_which_frequencies_turn_within_the_training_length(train_length, dim, n_trained):
    found = trained(frequencies(dim), train_length)
    assert torch.equal(found, frequencies(dim)[:n_trained])
    turning = [i for i in range(dim // 2) if 10_000 ** (-2 * i / dim) >= 2 * math.pi / train_length]
    assert len(turning) == (n_trained if train_length >= 7 else 0)


def test_fope_with_two_frequencies():
    """One head, two of three pairs; the third is not turned."""
    mixed = torch.tensor([[[[0.75, 0.5], [0.25, 0.5]]], [[[1, 0.1], [0, 0.9]]]], dtype=F64)
    omega = torch.tensor([math.pi, math.pi / 2], dtype=F64)
    x = torch.tensor([[[1.0, 1, 1, 0, 0, 5]]], dtype=F64)  # (H, T, d): pairs are (1, 0), (1, 0) and (1, 5)
    expected = torch.tensor([[[-0.75, -0.5, 1, 0, 0.9, 5]]], dtype=F64)
    # At position 1 the cosines are -1 and 0, the sines 0 and 1.
    assert_close(fope.rotate(x, torch.tensor([1]), omega, mixed), expected)


@given(seeds, even_widths, real_positions, st.integers(1, 3), st.floats(0, 0.5))
def test_fope_equals_the_definition(seed, dim, positions, heads, gain):
    omega, half = frequencies(dim)[: 1 + seed % (dim // 2)], dim // 2
    n, x = len(omega), normal(seed, 1, heads, len(positions), dim)
    weights, expected = coefficients(heads, n, gain, seed=seed), x.clone()
    for head in range(heads):
        for row, m in enumerate(positions.tolist()):
            for j in range(n):  # what comes after the n first pairs stays
                cosine = sum(float(weights[0, head, i, j]) * math.cos(m * float(omega[i])) for i in range(n))
                sine = sum(float(weights[1, head, i, j]) * math.sin(m * float(omega[i])) for i in range(n))
                a, b = float(x[0, head, row, j]), float(x[0, head, row, j + half])
                expected[0, head, row, j] = a * cosine - b * sine
                expected[0, head, row, j + half] = b * cosine + a * sine
    assert_close(fope.rotate(x, positions, omega, weights), expected, atol=1e-9, rtol=0)


def test_the_noise_is_that_of_xavier_around_the_identity():
    heads, n = 64, 8
    found = coefficients(heads, n, 0.3)
    off = found[..., ~torch.eye(n, dtype=torch.bool)]
    assert float(off.std()) == pytest.approx(0.3 * math.sqrt(2 / (n * n + heads * n)), rel=0.1)
    assert float(off.mean()) == pytest.approx(0, abs=2e-3)
    assert_close(found.sum(dim=-2), torch.ones(2, heads, n, dtype=F64))
    assert not torch.allclose(found[0], found[1])
    assert torch.equal(found, coefficients(heads, n, 0.3))
    assert not torch.equal(found, coefficients(heads, n, 0.3, seed=1))


def test_with_noise_scores_are_no_function_of_the_distance_alone():
    (q, k), omega = normal(1, 2, 1, 2, 6, 8), trained(frequencies(8), 64)
    for gain, relative in ((0.0, True), (0.3, False)):
        turned = partial(fope.rotate, frequencies=omega, coefficients=coefficients(2, 2, gain))
        here, there = (turned(q, at) @ turned(k, at).mT for at in (torch.arange(6), torch.arange(6) + 3))
        assert torch.allclose(here, there, atol=1e-9) == relative


LAYOUT = st.sampled_from(LAYOUTS)
GAMMAS = st.floats(16, 2000)
near_positions = st.lists(st.integers(0, 200), min_size=1, max_size=8).map(torch.tensor)


def test_decays_of_xpos_at_width_4():
    assert_close(decays(4), torch.tensor([1.6 / 5.6, 3.6 / 5.6], dtype=F64))
    assert decays(64)[0].item() == pytest.approx(0.2857142857)  # as published, for every width


def test_xpos_with_two_tokens_gamma_apart():
    """No turn and vectors of ones: the score of the far key is the sum of what is left of the pairs."""
    ones, still = torch.ones(2, 4, dtype=F64), torch.zeros(2, dtype=F64)
    q, k = xpos.rotate(ones, ones, torch.tensor([0, 512]), still)
    assert_close((q @ k.mT)[1], torch.tensor([2 * (1.6 + 3.6) / 5.6, 4], dtype=F64))


@given(seeds, even_widths, bases, near_positions, GAMMAS, LAYOUT)
def test_xpos_equals_the_definition(seed, dim, base, positions, gamma, layout):
    """RoPE with every pair weighted by its decay."""
    (q, k), omega, half = normal(seed, 2, len(positions), dim), frequencies(dim, base), dim // 2
    places = positions.tolist()

    def value(row, column):
        distance, total = places[row] - places[column], 0.0
        key = turn(k[column : column + 1], torch.tensor([-distance]), omega, layout=layout)[0]
        for i in range(half):
            weight = ((2 * i + 0.4 * dim) / (1.4 * dim)) ** (distance / gamma)
            for channel in (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half):
                total += weight * float(q[row, channel] * key[channel])
        return total

    turned_q, turned_k = xpos.rotate(q, k, positions, omega, gamma=gamma, layout=layout)
    expected = of_pairs(torch.arange(len(places)), value)[0]
    # What lies after the query grows by up to (7/2)^(200/16).
    past = positions[:, None] >= positions[None, :]
    assert_close((turned_q @ turned_k.mT)[past], expected[past], atol=1e-8, rtol=0)


@given(seeds, even_widths, near_positions)
def test_at_the_mean_position_nothing_is_scaled_and_keys_get_the_reciprocal(seed, dim, positions):
    factors = scales(positions, dim)
    assert_close(factors.log().mean(dim=0), torch.zeros(dim // 2, dtype=F64), atol=1e-12, rtol=0)
    (q, k), still = normal(seed, 2, len(positions), dim), torch.zeros(dim // 2, dtype=F64)
    scaled_q, scaled_k = xpos.rotate(q, k, positions, still)
    assert_close(scaled_q * scaled_k, q * k, atol=1e-12, rtol=1e-12)


@each(("dtype", "first_held"), [(torch.float16, 1133), (torch.float32, 9066), (torch.bfloat16, 9066)])
def test_factors_are_held_within_what_the_dtype_can_represent(dtype, first_held):
    limit = torch.finfo(dtype).max ** 0.25
    middle = torch.arange(-20_000, 20_001)
    free, held = scales(middle, 64), scales(middle, 64, limit=limit)
    assert (held.max(), held.min()) == (limit, 1 / limit)
    changed = (free[20_000:] != held[20_000:]).any(dim=-1)
    assert changed.nonzero()[0].item() == pytest.approx(first_held, abs=1)
    assert_close(held * held.flip(0), torch.ones_like(held))  # what q gains k still loses


def encoding_of(phases, base=10_000.0):
    encoding = Polar(len(phases), pope.frequencies(phases.shape[-1], base)).double()
    return filled(encoding, phases=phases).requires_grad_(False)


def test_pope_without_content():
    """Softplus of 0 is ln 2, so a score is half of ln(2) squared times the sum of four cosines."""
    nothing = torch.zeros(1, 1, 4, 4, dtype=F64)
    found = scores(encoding_of(torch.zeros(1, 4)), nothing, nothing, torch.arange(4))[0, 0]
    assert float(found[0, 0]) == pytest.approx(2 * math.log(2) ** 2)
    cosines = math.cos(3) + math.cos(0.3) + math.cos(0.03) + math.cos(0.003)
    assert float(found[3, 0]) == pytest.approx(math.log(2) ** 2 / 2 * cosines)


@given(seeds, widths, bases, real_positions, st.integers(1, 3))
def test_pope_equals_the_definition(seed, dim, base, positions, heads):
    q, k = normal(seed, 2, 1, heads, len(positions), dim)
    phases, places = -normal(seed + 1, heads, dim).abs(), positions.tolist()

    def value(row, column, head):
        total = 0.0
        for c in range(dim):
            query, key = (math.log1p(math.exp(float(x[c]))) for x in (q[0, head, row], k[0, head, column]))
            omega = base ** (-c / dim)
            total += query * key * math.cos(places[row] * omega - places[column] * omega - float(phases[head, c]))
        return total / math.sqrt(dim)

    expected = of_pairs(torch.arange(len(places)), value, [(head,) for head in range(heads)])
    assert_close(scores(encoding_of(phases, base), q, k, positions)[0], expected, atol=1e-9, rtol=0)


def test_phases_of_pope_are_used_between_a_whole_turn_and_0():
    q, positions = normal(1, 1, 1, 5, 3), torch.arange(5)

    def found(phase):
        return scores(encoding_of(torch.full((1, 3), phase)), q, q, positions)

    assert torch.equal(found(1.0), found(0.0))
    assert torch.equal(found(-9.0), found(-2 * math.pi))
    assert not torch.allclose(found(-1.0), found(0.0))


def test_errors():
    refuses(lambda: trained(frequencies(4), 0), "train_length must be at least 1, got 0")
    refuses(lambda: coefficients(1, 1, -0.1), "gain must be at least 0 (0 is the identity), got -0.1")
    refuses(lambda: decays(5), "head_dim must be even and at least 2, got 5")
    refuses(lambda: scales(torch.arange(2), 4, gamma=0.0), "gamma must be above 0, got 0.0")
    channels = "x must have twice as many channels as frequencies (2), got 8"
    refuses(lambda: pope.frequencies(4, 0.5), "base must be at least 1, got 0.5")
    refuses(lambda: polar(torch.zeros(1, 3, 4), torch.arange(3), pope.frequencies(2)), channels)


SLOW = torch.tensor([0.01], dtype=F64)  # a pair that turns so slowly that its angle says the distance


def distances_told(length, told):
    """The distance behind every score of a text of so many tokens, (T, T)."""
    ones = torch.tensor([[1.0, 0.0]], dtype=F64).expand(length, 2)
    encoding = Corrected(Rotary(SLOW, layout="interleaved"), told)
    return (scores(encoding, ones, ones, torch.arange(length)) * math.sqrt(2)).clamp(-1, 1).acos() / SLOW


SELF_EXTEND, DUAL = partial(self_extend.told, group=2), partial(dual_chunk.told, chunk=6, train_length=10)


@each(
    ("told", "expected"),
    [
        (partial(rerope.told, window=2), [2, 2, 2, 2, 2, 1, 0]),
        (partial(rerope.told, window=2, factor=2.0), [4, 3.5, 3, 2.5, 2, 1, 0]),
        (partial(SELF_EXTEND, window=4), [6, 6, 5, 5, 4, 4, 3, 2, 1, 0]),  # the figure of the paper in small
        (partial(SELF_EXTEND, window=5), [6, 6, 4, 3, 2, 1, 0]),  # 5 tokens are 2 or 3 groups plus 3, and 6 here
        (DUAL, [7, 6, 5, 4, 3, 2, 1, 0]),  # rows 7, 11, 12 and 17 of figure 2: no distance is above 9
        (DUAL, [9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
        (DUAL, [9, 8, 7, 6, 5, 4, 6, 5, 4, 3, 2, 1, 0]),
        (DUAL, [9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0]),
        (partial(string_rope.told, shift=4, window=2), [9, 8, 7, 6, 5, 4, 3, 2, 3, 2, 1, 0]),
    ],
)
def test_the_distances_that_the_last_query_is_told(told, expected):
    found = distances_told(len(expected), told)[-1]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=1e-6, rtol=0)


@each(("train_length", "window", "group"), [(64, 32, 4), (16, 4, 2), (8, 2, 2)])
def test_the_reach_of_self_extend_is_as_published(train_length, window, group):
    told, reach = partial(self_extend.told, window=window, group=group), (train_length - window) * group + window
    assert distances_told(reach, told).tril().max() < train_length - 1 + 1e-6
    assert distances_told(reach + group, told).tril().max() > train_length - 1 + 1e-6


def rerope_told(m, n, window, factor):
    return m - n if m - n < window else window + (m - n - window) / factor


def self_extend_told(m, n, window, group):
    return m - n if m - n < window else m // group - n // group + window - window // group


def dual_chunk_told(m, n, chunk, train_length):
    back = m // chunk - n // chunk
    if back <= 0:
        return m - n
    return min(m % chunk + chunk if back == 1 else train_length - 1, train_length - 1) - n % chunk


def string_told(m, n, shift, window):
    return m - n if m - n < shift else m - n - shift + window


windows = st.one_of(st.integers(1, 12), st.integers(1, 200))
factors = st.one_of(st.just(math.inf), st.floats(1, 64))
chunks = st.integers(1, 12).flatmap(
    lambda chunk: st.builds(dict, chunk=st.just(chunk), train_length=st.integers(chunk, 20))
)
shifts = st.integers(1, 12).flatmap(lambda shift: st.builds(dict, shift=st.just(shift), window=st.integers(1, shift)))
RULES = {  # what is told, the distance by a loop, and the sizes to try
    "rerope": (rerope.told, rerope_told, st.builds(dict, window=windows, factor=factors)),
    "self_extend": (self_extend.told, self_extend_told, st.builds(dict, window=windows, group=st.integers(1, 16))),
    "dual_chunk": (dual_chunk.told, dual_chunk_told, chunks),
    "string": (string_rope.told, string_told, shifts),
}
neighbours = st.integers(1, 16).map(torch.arange)


@pytest.mark.parametrize("key", RULES)
@given(st.data(), seeds, even_widths, bases, st.one_of(neighbours, whole_positions), st.sampled_from(LAYOUTS))
def test_scores_equal_the_definition(key, data, seed, dim, base, positions, layout):
    (q, k), omega, (told, distance_of, sizes) = normal(seed, 2, len(positions), dim), frequencies(dim, base), RULES[key]
    drawn = data.draw(sizes)
    expected = torch.zeros(len(q), len(k), dtype=F64)
    for row, m in enumerate(positions.tolist()):
        for column, n in enumerate(positions.tolist()):
            distance = torch.tensor([distance_of(m, n, **drawn)], dtype=F64)
            turned = rotate(q[row : row + 1], distance, omega, layout=layout)
            expected[row, column] = turned[0] @ k[column] / math.sqrt(dim)
    encoding = Corrected(Rotary(omega, layout=layout), partial(told, **drawn))
    assert_close(scores(encoding, q, k, positions), expected, atol=1e-9, rtol=0)


@each(
    ("told", "sizes", "message"),
    [
        (rerope.told, {"window": 0}, "window must be above 0, got 0"),
        (rerope.told, {"window": 1, "factor": 0.5}, "factor must be at least 1, got 0.5"),
        (self_extend.told, {"window": 0, "group": 2}, "window must be above 0, got 0"),
        (self_extend.told, {"window": 1, "group": 0}, "group must be at least 1, got 0"),
        (dual_chunk.told, {"chunk": 0, "train_length": 4}, "chunk must be from 1 to the training length (4), got 0"),
        (dual_chunk.told, {"chunk": 5, "train_length": 4}, "chunk must be from 1 to the training length (4), got 5"),
        (string_rope.told, {"shift": 2, "window": 0}, "window must be from 1 to the shift (2), got 0"),
        (string_rope.told, {"shift": 2, "window": 3}, "window must be from 1 to the shift (2), got 3"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(told, sizes, message):
    refuses(lambda: told(torch.arange(3), **sizes), message)
