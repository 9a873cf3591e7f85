import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings.rotary import LAYOUTS, frequencies, rotate
from tests.cases import each, refuses
from tests.strategies import bases, even_widths, normal, offsets, seeds

F64 = torch.float64
LAYOUT = st.sampled_from(LAYOUTS)


def test_a_quarter_turn_takes_the_first_channel_to_the_second():
    quarter = torch.tensor([math.pi / 2], dtype=F64)
    turned = rotate(torch.tensor([[1.0, 0.0]], dtype=F64), torch.tensor([1]), quarter)
    assert_close(turned, torch.tensor([[0.0, 1.0]], dtype=F64))


def test_the_layout_says_which_channels_are_a_pair():
    quarter_and_none = torch.tensor([math.pi / 2, 0], dtype=F64)
    x, one = torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=F64), torch.tensor([1])
    interleaved = rotate(x, one, quarter_and_none, layout="interleaved")  # (1, 2) is turned, (3, 4) stays
    half = rotate(x, one, quarter_and_none, layout="half")  # (1, 3) is turned, (2, 4) stays
    assert_close(interleaved, torch.tensor([[-2.0, 1.0, 3.0, 4.0]], dtype=F64))
    assert_close(half, torch.tensor([[-3.0, 2.0, 1.0, 4.0]], dtype=F64))


def test_frequencies_at_width_8():
    assert_close(frequencies(8), torch.tensor([1, 0.1, 0.01, 0.001], dtype=F64))
    assert_close(frequencies(4, 256.0), torch.tensor([1, 1 / 16], dtype=F64))


def turned_by_loops(x, positions, omega, layout):
    """Every pair of every row turned on its own, from the definition."""
    result, half = x.clone(), x.shape[-1] // 2
    for row, position in enumerate(positions.tolist()):
        for i, frequency in enumerate(omega.tolist()):
            a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
            cosine, sine = math.cos(position * frequency), math.sin(position * frequency)
            result[row, a] = x[row, a] * cosine - x[row, b] * sine
            result[row, b] = x[row, a] * sine + x[row, b] * cosine
    return result


@given(seeds, even_widths, bases, st.lists(st.floats(-5000, 5000), min_size=1, max_size=6), LAYOUT)
def test_rotate_equals_the_definition(seed, dim, base, positions, layout):
    x, positions, omega = normal(seed, len(positions), dim), torch.tensor(positions), frequencies(dim, base)
    assert_close(
        rotate(x, positions, omega, layout=layout),
        turned_by_loops(x, positions, omega, layout),
        atol=1e-10,
        rtol=1e-10,
    )


@given(seeds, even_widths, bases, offsets, offsets, LAYOUT)
def test_two_turns_add_up(seed, dim, base, a, b, layout):
    x, omega = normal(seed, 1, dim), frequencies(dim, base)
    twice = rotate(rotate(x, torch.tensor([a]), omega, layout=layout), torch.tensor([b]), omega, layout=layout)
    assert_close(twice, rotate(x, torch.tensor([a + b]), omega, layout=layout), atol=1e-10, rtol=0)


@given(seeds, even_widths, bases, offsets, offsets, offsets, LAYOUT)
def test_scores_depend_on_the_distance_only(seed, dim, base, m, n, shift, layout):
    q, k = normal(seed, 2, 1, dim)
    omega = frequencies(dim, base)

    def score(query_position, key_position):
        turned_q = rotate(q, torch.tensor([query_position]), omega, layout=layout)
        return turned_q @ rotate(k, torch.tensor([key_position]), omega, layout=layout).mT

    assert_close(score(m, n), score(m + shift, n + shift), atol=1e-9, rtol=0)
    assert_close(score(m, n), score(0, n - m), atol=1e-9, rtol=0)


@given(seeds, even_widths, bases, offsets)
def test_the_layouts_agree_after_a_permutation_of_channels(seed, dim, base, position):
    q, k = normal(seed, 2, 2, dim)
    positions, omega = torch.tensor([position, 3]), frequencies(dim, base)
    order = torch.cat([torch.arange(0, dim, 2), torch.arange(1, dim, 2)])  # 0, 2, 4 ..., 1, 3, 5 ...
    interleaved = [rotate(vectors, positions, omega) for vectors in (q, k)]
    half = [rotate(vectors[:, order], positions, omega, layout="half") for vectors in (q, k)]
    for one, other in zip(interleaved, half, strict=True):
        assert_close(one[:, order], other, atol=1e-12, rtol=1e-12)
    assert_close(interleaved[0] @ interleaved[1].T, half[0] @ half[1].T, atol=1e-10, rtol=0)


@each("layout", LAYOUTS)
@each(("dtype", "rounding"), [(torch.bfloat16, 2.0**-8), (torch.float16, 2.0**-10)])
def test_half_precision_at_position_8191_is_rounded_only_once(layout, dtype, rounding):
    x, positions, omega = normal(4, 92, 8).to(dtype), torch.arange(8100, 8192), frequencies(8)
    turned = rotate(x, positions, omega, layout=layout)
    assert turned.dtype == dtype
    exact = rotate(x.double(), positions, omega, layout=layout)
    assert_close(turned.double(), exact, atol=1e-6, rtol=rounding)


def test_errors():
    x, zero = torch.ones(1, 6), torch.tensor([0])
    refuses(lambda: frequencies(7), "head_dim must be even and at least 2, got 7")
    refuses(lambda: frequencies(8, 0.5), "base must be at least 1, got 0.5")
    layout = "layout must be one of interleaved, half, got gptj"
    refuses(lambda: rotate(x, zero, frequencies(6), layout="gptj"), layout)
    refuses(lambda: rotate(x, zero, frequencies(4)), "x must have twice as many channels as frequencies (2), got 6")
