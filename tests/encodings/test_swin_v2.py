import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.swin_v2 import AT_ONCE, bias, cosines, log_spaced
from tests.cases import refuses
from tests.strategies import initialised, normal, real_positions, seeds

F64 = torch.float64
grid_widths = st.integers(1, 9)


def built(params=None, train_length=64):
    return initialised(ENCODINGS["swin_v2"].build(Shape(8, 2, train_length, 512), params).double())


def added(encoding, positions, dtype=F64):
    """What the encoding adds to the scores of a text with these positions."""
    nothing = torch.zeros(1, 2, len(positions), 4, dtype=dtype)
    return encoding.bias(nothing, nothing, positions)


def test_a_window_of_8_and_twice_as_much():
    found = log_spaced(torch.arange(8), 8)
    expected = [0, 0.366512, 0.572069, 0.715614, 0.826016, 0.915745, 0.991335, 1.056642]
    assert_close(found, torch.tensor(expected, dtype=F64), atol=5e-7, rtol=0)
    assert torch.equal(log_spaced(-torch.arange(8), 8), -found)
    assert float(log_spaced(torch.tensor(15), 8)) == pytest.approx(1.3938, abs=5e-5)


def test_a_window_of_one_row_is_not_divided_by_0():
    assert float(log_spaced(torch.tensor(7 / 8), 1)) == pytest.approx(1)  # log2(8) / 3


def bias_by_loops(encoding, positions, height, width):
    """Every pair of positions on its own, from the definition."""
    places, c = (
        [divmod(float(p), width) for p in positions.tolist()],
        lambda x, size: math.copysign(math.log2(1 + abs(8 * x / max(size - 1, 1))) / 3, x),
    )
    result = torch.empty(2, len(places), len(places), dtype=F64)
    for i, (y, x) in enumerate(places):
        for j, (other_y, other_x) in enumerate(places):
            inputs = torch.tensor([c(y - other_y, height), c(x - other_x, width)], dtype=F64)
            hidden = (encoding.hidden_weight @ inputs + encoding.hidden_bias).clamp(min=0)
            result[:, i, j] = 16 / (1 + torch.exp(-(encoding.out_weight @ hidden)))
    return result


@torch.no_grad()
def test_the_bias_equals_the_definition():
    @given(
        st.one_of(st.lists(st.integers(-99, 999), min_size=1, max_size=5).map(torch.tensor), real_positions),
        grid_widths,
    )
    def check(positions, width):
        encoding = built({"grid_width": width})
        expected = bias_by_loops(encoding, positions, math.ceil(64 / width), width)
        assert_close(added(encoding, positions), expected, atol=1e-9, rtol=1e-9)

    check()


def test_the_cosine_of_two_pairs_by_hand():
    q, k = torch.tensor([[[[3.0, 4.0]]], [[[5.0, 0.0]]]], dtype=F64)[:, None]
    for tau, scale in ((math.log(10), 10), (math.log(100), 100), (9.0, 100)):
        turned_q, turned_k = cosines(q, k, torch.tensor([tau], dtype=F64))
        assert float(turned_q @ turned_k.mT) / math.sqrt(2) == pytest.approx(0.6 * scale)


@given(seeds, st.floats(0.01, 100))
def test_scores_do_not_see_how_long_vectors_are(seed, factor):
    q, k = normal(seed, 2, 1, 2, 3, 4)
    tau = normal(seed + 1, 2) + 2
    plain, longer = cosines(q, k, tau), cosines(factor * q, k / factor, tau)
    for one, other in zip(plain, longer, strict=True):
        assert_close(one, other, atol=1e-11, rtol=1e-11)
    assert ((plain[0] @ plain[1].mT / 2).abs().amax((0, 2, 3)) <= tau.clamp(max=math.log(100)).exp() + 1e-9).all()


@torch.no_grad()
def test_the_network_is_asked_once_for_each_difference():
    asked, encoding = [], built()

    def g(c):
        asked.append(c)
        return encoding.network(c)

    bias(torch.arange(64), g, height=8, width=8, dtype=F64)
    assert [len(c) for c in asked] == [15 * 15]
    asked.clear()
    positions = torch.rand(100, generator=torch.Generator().manual_seed(0), dtype=F64) * 512
    assert torch.equal(bias(positions, g, height=8, width=8), added(encoding, positions, torch.float32))
    assert len(asked) == 3
    assert max(len(c) for c in asked) == AT_ONCE


@torch.no_grad()
def test_the_extent_of_training_is_the_scale_and_not_that_of_the_text():
    long, short = built(train_length=64), built(train_length=16)
    assert (long.grid_height, short.grid_height) == (8, 2)
    places = torch.arange(128)
    whole = added(long, places)
    assert_close(whole[:, :64, :64], added(long, places[:64]), atol=1e-13, rtol=0)
    in_a_row = (slice(None), slice(0, 8), slice(0, 8))
    moved = (whole - added(short, places)).abs()
    assert moved[in_a_row].max() < 1e-12
    assert moved[:, :8, 8:].min() > 1e-6


def test_a_size_below_1_is_refused():
    refuses(lambda: log_spaced(torch.arange(2), 0), "size must be at least 1, got 0")
