"""RoPE of several axes: rows and columns of an image, and three ids for text, images and video."""

import math
from functools import partial
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, mrope, rope_2d, rotary, videorope
from pe_core.encodings.mrope import PROPORTIONS, Image, Text, Video, position_ids, sections
from pe_core.encodings.rope_2d import axial_frequencies, mixed_frequencies, rotate_heads
from pe_core.encodings.rotary import LAYOUTS
from tests.cases import each, refuses
from tests.encodings.loops import turned
from tests.strategies import F64, bases, built, even_widths, normal, offsets, seeds, whole_positions

KEYS = ["rope_axial", "rope_mixed"]
IMAGE = Shape(d_model=16, n_heads=2, train_length=16, max_length=64)
quarters = st.integers(1, 6).map(lambda n: 4 * n)
directions = st.floats(0, 2 * math.pi)
LAYOUT = st.sampled_from(LAYOUTS)


def places(seed, n, n_axes=2):
    """Coordinates of n random places, unsorted and unrelated, shape (n, n_axes)."""
    return torch.randint(-50, 200, (n, n_axes), generator=torch.Generator().manual_seed(seed))


def test_a_quarter_turn_by_the_row_and_half_a_turn_by_the_column():
    x = torch.tensor([[1.0, 0, 1, 0]], dtype=F64)
    place = torch.tensor([[math.pi / 2, math.pi]], dtype=F64)
    assert_close(rope_2d.rotate(x, place, axial_frequencies(4)), torch.tensor([[0.0, 1, -1, 0]], dtype=F64))


def test_axial_frequencies_at_width_8_and_a_head_that_looks_along_the_diagonal():
    assert_close(axial_frequencies(8), torch.tensor([[1, 0.1, 0, 0], [0, 0, 1, 0.1]], dtype=F64))
    assert_close(axial_frequencies(8, 16.0), torch.tensor([[1, 0.25, 0, 0], [0, 0, 1, 0.25]], dtype=F64))
    half = math.sqrt(0.5)
    expected = [[[half, -half]], [[half, half]]]
    assert_close(mixed_frequencies(torch.tensor([math.pi / 4], dtype=F64), 4), torch.tensor(expected, dtype=F64))


@given(seeds, quarters, st.integers(1, 3), LAYOUT)
def test_rotate_equals_the_definition(seed, dim, n_axes, layout):
    x, coordinates, frequencies = normal(seed, 4, dim), 50 * normal(seed + 1, 4, n_axes), normal(seed, n_axes, dim // 2)
    expected = turned(x, lambda token, i: float(coordinates[token] @ frequencies[:, i]), layout)
    assert_close(rope_2d.rotate(x, coordinates, frequencies, layout=layout), expected, atol=1e-10, rtol=0)


@given(seeds, quarters, bases, directions, offsets, offsets)
def test_scores_depend_on_the_offset_in_rows_and_columns_only(seed, dim, base, direction, down, right):
    (q, k), here = normal(seed, 2, 4, dim), places(seed, 4)
    there = here + torch.tensor([down, right])
    mixed = mixed_frequencies(torch.tensor([direction], dtype=F64), dim, base)[:, 0]
    for frequencies in (axial_frequencies(dim, base), mixed):
        turn = partial(rope_2d.rotate, frequencies=frequencies)
        assert_close(turn(q, here) @ turn(k, here).T, turn(q, there) @ turn(k, there).T, atol=1e-9, rtol=0)


@given(quarters, bases, directions)
def test_a_direction_turns_both_halves_of_the_axial_frequencies(dim, base, direction):
    found = mixed_frequencies(torch.tensor([direction], dtype=F64), dim, base)[:, 0]
    cosine, sine = math.cos(direction), math.sin(direction)
    turn = torch.tensor([[cosine, -sine], [sine, cosine]], dtype=F64)  # perpendicular, as long as before
    assert_close(found, turn @ axial_frequencies(dim, base), atol=1e-14, rtol=1e-13)
    assert torch.equal(mixed_frequencies(torch.zeros(1), dim, base)[:, 0], axial_frequencies(dim, base))


@given(seeds, quarters, st.integers(1, 5))
def test_every_head_is_turned_by_its_own_frequencies(seed, dim, n_heads):
    x, frequencies, coordinates = normal(seed, 2, n_heads, 4, dim), normal(seed, 2, n_heads, dim // 2), places(seed, 4)
    expected = [rope_2d.rotate(x[:, head], coordinates, frequencies[:, head]) for head in range(n_heads)]
    assert_close(rotate_heads(x, coordinates, frequencies), torch.stack(expected, dim=1), atol=1e-13, rtol=0)


@each("positions", [torch.arange(6), torch.tensor([37, 0, 5, 5, 12, 3])])
@each("key", KEYS)
def test_the_modules_read_positions_row_by_row(key, positions):
    (q, k), encoding = normal(0, 2, 2, 2, 6, 8), built(key, IMAGE, {"grid_width": 4}).double()
    coordinates = torch.stack([positions // 4, positions % 4], dim=-1)
    for x, found in zip((q, k), encoding.rotate(q, k, positions), strict=True):
        if key == "rope_axial":
            assert torch.equal(found, rope_2d.rotate(x, coordinates, axial_frequencies(8)))
        else:
            assert torch.equal(found, rotate_heads(x, coordinates, encoding.frequencies))


def test_mixed_starts_as_axial_turned_by_a_direction_for_each_head():
    frequencies = built("rope_mixed", IMAGE, seed=3).double().frequencies
    drawn = 2 * math.pi * torch.rand(2, generator=torch.Generator().manual_seed(3))
    assert_close(frequencies, mixed_frequencies(drawn, 8).float().double())
    assert not torch.allclose(frequencies[:, 0], frequencies[:, 1])


AXES = {"mrope": sections(8), "mrope_interleaved": sections(8, "interleaved"), "videorope": videorope.axes(8)}
allocations = st.sampled_from(list(PROPORTIONS))
SHAPE = Shape(d_model=32, n_heads=2, train_length=16, max_length=64)  # heads of 8 pairs, the fewest to have all axes

sides = st.integers(1, 4)
pieces = st.lists(
    st.builds(Text, st.integers(1, 6))
    | st.builds(Image, sides, sides)
    | st.builds(Video, st.integers(1, 9), sides, sides),
    max_size=6,
)


def test_pairs_as_published():
    assert sections(64).tolist() == [0] * 16 + [1] * 24 + [2] * 24
    assert sections(64, "interleaved").tolist() == [0, 1, 2] * 20 + [0] * 4
    assert videorope.axes(64).tolist() == [1, 2] * 24 + [0] * 16
    assert videorope.axes(8).tolist() == [1, 2, 1, 2, 1, 2, 0, 0]
    assert videorope.axes(2).tolist() == [0, 0]


@given(st.integers(1, 200), allocations)
def test_sections_equal_the_definition(n_pairs, allocation):
    shares = PROPORTIONS[allocation]
    height, width = (math.floor(n_pairs * share / 64) for share in shares[1:])
    if allocation == "chunked":
        expected = [0] * (n_pairs - height - width) + [1] * height + [2] * width
    else:
        length = {1: 3 * height, 2: 3 * width}
        expected = [i % 3 if i % 3 and i < length[i % 3] else 0 for i in range(n_pairs)]
    assert sections(n_pairs, allocation).tolist() == expected


@given(seeds, even_widths, bases, allocations)
def test_mrope_equals_the_definition(seed, dim, base, allocation):
    x, ids, frequencies = normal(seed, 4, dim), places(seed, 4, 3), rotary.frequencies(dim, base)
    axes = sections(dim // 2, allocation)
    expected = turned(x, lambda token, i: int(ids[token, axes[i]]) * float(frequencies[i]), "half")
    assert_close(mrope.rotate(x, ids, frequencies, axes), expected, atol=1e-12, rtol=0)


@given(seeds, even_widths, bases, whole_positions, allocations, st.sampled_from(rotary.LAYOUTS))
def test_text_gets_plain_rope_exactly(seed, dim, base, positions, allocation, layout):
    x, frequencies = normal(seed, 2, len(positions), dim), rotary.frequencies(dim, base)
    ids = positions[:, None].expand(-1, 3)
    found = mrope.rotate(x, ids, frequencies, sections(dim // 2, allocation), layout=layout)
    assert torch.equal(found, rotary.rotate(x, positions, frequencies, layout=layout))


@given(seeds, even_widths, bases, st.tuples(offsets, offsets, offsets), allocations)
def test_scores_of_mrope_depend_on_the_offset_along_each_axis_only(seed, dim, base, shift, allocation):
    (q, k), ids = normal(seed, 2, 4, dim), places(seed, 4, 3)
    turn = partial(mrope.rotate, frequencies=rotary.frequencies(dim, base), axes=sections(dim // 2, allocation))
    there = ids + torch.tensor(shift)
    assert_close(turn(q, ids) @ turn(k, ids).T, turn(q, there) @ turn(k, there).T, atol=1e-9, rtol=0)


def test_ids_by_hand():
    """Text around an image; a video that counts frames, and pushes the text after it; VideoRoPE, from its middles."""
    ids = position_ids([Text(2), Image(2, 2), Text(1)])
    assert ids.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3], [4, 4, 4]]
    ids = position_ids([Video(3, 1, 2), Text(1)])
    assert ids.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [2, 0, 0], [2, 0, 1], [3, 3, 3]]
    ids = videorope.position_ids([Text(3), Video(2, 3, 1), Text(1)])  # the middles of the frames are at 3 and 5
    times, rows = [0, 1, 2, 3, 3, 3, 5, 5, 5, 6], [0, 1, 2, 2, 3, 4, 4, 5, 6, 6]
    assert ids.T.tolist() == [times, rows, times]
    assert videorope.position_ids([Image(4, 1)])[:, 1].tolist() == [-1, 0, 1, 2]


@each(
    ("interval", "expected"), [(1.0, [0, 1, 2, 3, 4]), (2.0, [0, 2, 4, 6, 8]), (1.6, [0, 1, 3, 4, 6]), (0.0, [0] * 5)]
)
def test_a_video_may_count_time_and_is_rounded_down(interval, expected):
    ids = position_ids([Text(3), Video(5, 1, 1, interval), Text(1)])
    assert ids[3:8].tolist() == [[3 + time, 3, 3] for time in expected]
    assert ids[8].tolist() == [4 + max(expected)] * 3


def grid_of(piece):
    """The frame, row and column of every token of an image or a video."""
    return product(range(getattr(piece, "frames", 1)), range(piece.height), range(piece.width))


@given(pieces)
def test_position_ids_equal_the_definition(pieces):
    expected = []
    for piece in pieces:
        start = 1 + max((max(token) for token in expected), default=-1)
        if isinstance(piece, Text):
            expected += [[start + i] * 3 for i in range(piece.n)]
        else:
            expected += [[start + t, start + h, start + w] for t, h, w in grid_of(piece)]
    assert position_ids(pieces).tolist() == expected


@given(pieces, st.integers(1, 4))
def test_position_ids_of_videorope_equal_the_definition(pieces, step):
    expected, start = [], 0
    for piece in pieces:
        if isinstance(piece, Text):
            expected += [[start + i] * 3 for i in range(piece.n)]
        else:
            up, left = (piece.height - 1) // 2, (piece.width - 1) // 2
            for time, row, column in ((start + step * t, h - up, w - left) for t, h, w in grid_of(piece)):
                expected.append([time, time + row, time + column])
        start = expected[-1][0] + 1
    assert videorope.position_ids(pieces, step=step).tolist() == expected


@each(("key", "axes"), AXES.items())
def test_the_module_takes_positions_of_a_text_or_three_ids(key, axes):
    (q, k), encoding, frequencies = normal(0, 2, 2, 2, 7, 16), ENCODINGS[key].build(SHAPE), rotary.frequencies(16)
    ids, text = position_ids([Text(2), Image(2, 2), Text(1)]), torch.tensor([3, 0, 4, 1, 50, 9, 2])
    for x, of_ids, of_text in zip(
        (q, k), encoding.rotate(q, k, ids.expand(2, 7, 3)), encoding.rotate(q, k, text), strict=True
    ):
        assert torch.equal(of_ids, mrope.rotate(x, ids, frequencies, axes))
        assert torch.equal(of_text, rotary.rotate(x, text, frequencies, layout="half"))
        assert not torch.allclose(of_ids, rotary.rotate(x, torch.arange(7), frequencies, layout="half"))


def test_ids_of_each_text_and_one_query_against_all_keys():
    encoding, (q, k) = ENCODINGS["mrope"].build(SHAPE), normal(0, 2, 2, 2, 5, 16)
    ids = torch.stack([position_ids([Text(1), Image(2, 2)]), position_ids([Image(1, 3), Text(2)])])
    last_q, all_k = encoding.rotate(q[:, :, 4:], k, ids)
    for text in range(2):
        alone_q, alone_k = encoding.rotate(q[text, None], k[text, None], ids[text, None])
        assert torch.equal(last_q[text], alone_q[0, :, 4:])
        assert torch.equal(all_k[text], alone_k[0])


def test_errors():
    four, two = "head_dim must be divisible by 4, pairs for two axes, got", "as frequencies (2), got"
    refuses(lambda: axial_frequencies(6), f"{four} 6")
    refuses(lambda: mixed_frequencies(torch.zeros(1), 0), f"{four} 0")
    refuses(lambda: axial_frequencies(8, 0.5), "base must be at least 1, got 0.5")
    frequencies = axial_frequencies(4)
    axes, channels = f"coordinates must have as many axes {two} 3", f"x must have twice as many channels {two} 8"
    refuses(lambda: rope_2d.rotate(torch.ones(1, 4), torch.zeros(1, 3), frequencies), axes)
    refuses(lambda: rope_2d.rotate(torch.ones(1, 8), torch.zeros(1, 2), frequencies), channels)
    refuses(lambda: sections(0), "n_pairs must be at least 1, got 0")
    refuses(lambda: sections(8, "mixed"), "allocation must be one of chunked, interleaved, got mixed")
    lone = "pieces must have at least one token each, got"
    for piece in (Text(0), Text(-1), Image(3, 0), Video(-2, -1, 1)):
        refuses(lambda piece=piece: position_ids([piece]), f"{lone} {piece}")
    refuses(lambda: videorope.axes(0), "n_pairs must be at least 1, got 0")
    rule = "step must be at least 1 (1 is a text token per frame), got 0"
    refuses(lambda: videorope.position_ids([], step=0), rule)
    refuses(lambda: videorope.position_ids([Text(0)]), f"{lone} Text(n=0)")
    rule = "interval must be at least 0 (0 is one id for all frames), got -1.0"
    refuses(lambda: position_ids([Video(1, 1, 1, -1.0)]), rule)
