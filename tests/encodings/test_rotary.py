import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies, rotate
from tests.cases import each
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


@given(seeds, even_widths, bases, offsets, LAYOUT)
def test_norms_are_kept(seed, dim, base, position, layout):
    x = normal(seed, 3, dim)
    turned = rotate(x, torch.tensor([position, 0, 7]), frequencies(dim, base), layout=layout)
    assert_close(turned.norm(dim=-1), x.norm(dim=-1), atol=1e-12, rtol=1e-12)


@given(seeds, even_widths, bases, LAYOUT)
def test_position_0_is_the_identity(seed, dim, base, layout):
    x = normal(seed, 1, dim)
    assert torch.equal(rotate(x, torch.tensor([0]), frequencies(dim, base), layout=layout), x)


@given(seeds, even_widths, bases, offsets, offsets, LAYOUT)
def test_two_turns_add_up(seed, dim, base, a, b, layout):
    x, omega = normal(seed, 1, dim), frequencies(dim, base)
    twice = rotate(rotate(x, torch.tensor([a]), omega, layout=layout), torch.tensor([b]), omega, layout=layout)
    assert_close(twice, rotate(x, torch.tensor([a + b]), omega, layout=layout), atol=1e-10, rtol=0)


@given(even_widths, bases, offsets, LAYOUT)
def test_turning_back_is_the_transpose(dim, base, position, layout):
    def matrix(m):
        return rotate(torch.eye(dim, dtype=F64), torch.full((dim,), m), frequencies(dim, base), layout=layout).T

    assert_close(matrix(-position), matrix(position).T, atol=1e-12, rtol=0)
    assert_close(matrix(-position) @ matrix(position), torch.eye(dim, dtype=F64), atol=1e-12, rtol=0)


@given(seeds, even_widths, bases, offsets, offsets, offsets, LAYOUT)
def test_scores_depend_on_the_distance_only(seed, dim, base, m, n, shift, layout):
    q, k = normal(seed, 2, 1, dim)
    omega = frequencies(dim, base)

    def score(query_position, key_position):
        turned_q = rotate(q, torch.tensor([query_position]), omega, layout=layout)
        return turned_q @ rotate(k, torch.tensor([key_position]), omega, layout=layout).mT

    assert_close(score(m, n), score(m + shift, n + shift), atol=1e-9, rtol=0)
    assert_close(score(m, n), score(0, n - m), atol=1e-9, rtol=0)


def test_scores_tell_before_from_after(q, k):
    omega = frequencies(4)
    ahead = rotate(q, torch.full((5,), 3), omega) @ k.mT
    behind = rotate(q, torch.full((5,), -3), omega) @ k.mT
    assert not torch.allclose(ahead, behind)


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


def test_the_layouts_disagree_without_the_permutation(q):
    omega = frequencies(4)
    assert not torch.allclose(rotate(q, torch.arange(5), omega), rotate(q, torch.arange(5), omega, layout="half"))


@given(seeds, even_widths, LAYOUT, st.integers(1, 8), st.integers(0, 8))
def test_a_longer_text_starts_like_the_shorter_one(seed, dim, layout, length, more):
    x, omega = normal(seed, length + more, dim), frequencies(dim)
    longer = rotate(x, torch.arange(length + more), omega, layout=layout)
    assert_close(longer[:length], rotate(x[:length], torch.arange(length), omega, layout=layout), atol=1e-14, rtol=0)


def test_every_head_and_every_text_is_turned_alike(q):
    turned = rotate(q, torch.arange(5), frequencies(4))
    for text in range(2):
        for head in range(2):
            assert_close(turned[text, head], rotate(q[text, head], torch.arange(5), frequencies(4)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unsorted_shifted_and_fractional_positions_are_ordinary(q, layout):
    omega = frequencies(4)
    positions = torch.tensor([100.5, 3.0, 3.0, -2.0, 0.25])
    turned = rotate(q, positions, omega, layout=layout)
    for row in range(5):
        alone = rotate(q[:, :, row : row + 1], positions[row : row + 1], omega, layout=layout)
        assert_close(turned[:, :, row : row + 1], alone)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("dtype", "rounding"), [(torch.bfloat16, 2.0**-8), (torch.float16, 2.0**-10)])
def test_half_precision_at_position_8191_is_rounded_only_once(layout, dtype, rounding):
    x, positions, omega = normal(4, 92, 8).to(dtype), torch.arange(8100, 8192), frequencies(8)
    turned = rotate(x, positions, omega, layout=layout)
    assert turned.dtype == dtype
    exact = rotate(x.double(), positions, omega, layout=layout)
    assert_close(turned.double(), exact, atol=1e-6, rtol=rounding)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_angles_are_exact_at_16384_positions_in_float32(layout):
    x, positions, omega = normal(5, 16_384, 4), torch.arange(16_384), frequencies(4)
    turned = rotate(x.float(), positions, omega, layout=layout)
    assert turned.dtype == torch.float32
    assert_close(turned.double(), rotate(x, positions, omega, layout=layout), atol=1e-6, rtol=0)


@pytest.mark.parametrize("base", [1.0, 1e9])
def test_extreme_bases(base):
    omega = frequencies(6, base)
    assert_close(omega, torch.tensor([1, base ** (-1 / 3), base ** (-2 / 3)], dtype=F64))
    assert rotate(torch.ones(2, 6), torch.tensor([0, 16_383]), omega).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_cast_of_the_model_leaves_the_frequencies_exact(q, k, dtype):
    encoding = Rotary(frequencies(4), layout="interleaved")
    cast = torch.nn.Sequential(encoding, torch.nn.Linear(2, 2)).to(dtype)[0]
    assert torch.equal(cast.frequencies, frequencies(4))
    far = torch.arange(8000, 8005)
    turned_q, turned_k = cast.rotate(q, k, far)
    assert torch.equal(turned_q, rotate(q, far, frequencies(4)))
    assert torch.equal(turned_k, rotate(k, far, frequencies(4)))


def test_queries_and_keys_are_turned_by_the_same_angles(q):
    turned_q, turned_k = Rotary(frequencies(4), layout="half").rotate(q, q, torch.arange(5))
    assert torch.equal(turned_q, turned_k)
    assert torch.equal(turned_q, rotate(q, torch.arange(5), frequencies(4), layout="half"))


def test_base_layout_and_positions_change_the_result(q):
    def turned(base=10_000.0, layout="interleaved", start=0):
        encoding = Rotary(frequencies(4, base), layout=layout)
        return encoding.rotate(q, q, torch.arange(start, start + 5))[0]

    for other in (turned(base=100.0), turned(layout="half"), turned(start=1)):
        assert not torch.allclose(turned(), other)


BUILD = ENCODINGS["rope"].build


@each(
    ("call", "message"),
    [
        (lambda: frequencies(7), "head_dim must be even and at least 2, got 7"),
        (lambda: frequencies(8, 0.5), "base must be at least 1, got 0.5"),
        (
            lambda: rotate(torch.ones(1, 4), torch.tensor([0]), frequencies(4), layout="gptj"),
            "layout must be one of interleaved, half, got gptj",
        ),
        (
            lambda: rotate(torch.ones(1, 6), torch.tensor([0]), frequencies(4)),
            "x must have twice as many channels as frequencies (2), got 6",
        ),
        (lambda: BUILD(Shape(6, 2, 4, 8)), "head_dim must be even and at least 2, got 3"),
        (lambda: BUILD(Shape(8, 2, 4, 8), {"layout": "gptj"}), "layout must be one of interleaved, half, got gptj"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@each("layout", LAYOUTS)
@each("x", [normal(0, 8, 5).T, normal(1, 5, 9)[:, 1:], normal(2, 0, 8)])
def test_memory_layout_does_not_matter(x, layout):
    positions, omega = torch.arange(len(x)), frequencies(8)
    copy = x.clone(memory_format=torch.contiguous_format)
    assert_close(rotate(x, positions, omega, layout=layout), rotate(copy, positions, omega, layout=layout))


def test_rows_without_a_position_are_rejected():
    with pytest.raises(ValueError, match=r"^x must have as many rows as there are positions \(5\), got 1$"):
        rotate(torch.randn(1, 8), torch.arange(5), frequencies(8))
