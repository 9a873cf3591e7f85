"""RoPE of three axes for text, images and video: M-RoPE and VideoRoPE."""

import math
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, rotary, videorope
from pe_core.encodings.mrope import PROPORTIONS, Image, Text, Video, position_ids, rotate, sections
from tests.cases import each, refuses
from tests.encodings.loops import turned
from tests.strategies import bases, even_widths, normal, offsets, seeds, whole_positions

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


def random_ids(seed, n):
    """Ids of n unrelated tokens, shape (n, 3)."""
    return torch.randint(0, 200, (n, 3), generator=torch.Generator().manual_seed(seed))


def test_pairs_as_published_and_in_proportions_of_our_choice():
    assert sections(64).tolist() == [0] * 16 + [1] * 24 + [2] * 24
    assert sections(64, "interleaved").tolist() == [0, 1, 2] * 20 + [0] * 4
    assert videorope.axes(64).tolist() == [1, 2] * 24 + [0] * 16
    assert videorope.axes(8).tolist() == [1, 2, 1, 2, 1, 2, 0, 0]
    assert videorope.axes(2).tolist() == [0, 0]
    assert sections(6, proportions=(0, 1, 1)).tolist() == [1, 1, 1, 2, 2, 2]
    assert sections(6, proportions=(1, 0, 0)).tolist() == [0] * 6
    assert sections(6, "interleaved", proportions=(1, 1, 1)).tolist() == [0, 1, 2, 0, 1, 2]
    assert sections(6, "interleaved", proportions=(4, 0, 2)).tolist() == [0, 0, 2, 0, 0, 2]


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
def test_rotate_equals_the_definition(seed, dim, base, allocation):
    x, ids, frequencies = normal(seed, 4, dim), random_ids(seed, 4), rotary.frequencies(dim, base)
    axes = sections(dim // 2, allocation)
    expected = turned(x, lambda token, i: int(ids[token, axes[i]]) * float(frequencies[i]), "half")
    assert_close(rotate(x, ids, frequencies, axes), expected, atol=1e-12, rtol=0)


@given(seeds, even_widths, bases, whole_positions, allocations, st.sampled_from(rotary.LAYOUTS))
def test_text_gets_plain_rope_exactly(seed, dim, base, positions, allocation, layout):
    x, frequencies = normal(seed, 2, len(positions), dim), rotary.frequencies(dim, base)
    ids = positions[:, None].expand(-1, 3)
    found = rotate(x, ids, frequencies, sections(dim // 2, allocation), layout=layout)
    assert torch.equal(found, rotary.rotate(x, positions, frequencies, layout=layout))


@given(seeds, even_widths, bases, st.tuples(offsets, offsets, offsets), allocations)
def test_scores_depend_on_the_offset_along_each_axis_only(seed, dim, base, shift, allocation):
    (q, k), ids = normal(seed, 2, 4, dim), random_ids(seed, 4)
    frequencies, axes = rotary.frequencies(dim, base), sections(dim // 2, allocation)
    here, there = (
        rotate(q, at, frequencies, axes) @ rotate(k, at, frequencies, axes).T for at in (ids, ids + torch.tensor(shift))
    )
    assert_close(here, there, atol=1e-9, rtol=0)


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
        assert torch.equal(of_ids, rotate(x, ids, frequencies, axes))
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
    refuses(lambda: sections(0), "n_pairs must be at least 1, got 0")
    refuses(lambda: sections(8, "mixed"), "allocation must be one of chunked, interleaved, got mixed")
    for wrong in ((1, -1, 1), (0, 0, 0)):
        rule = f"proportions must be at least 0, and at least one above 0, got {wrong}"
        refuses(lambda wrong=wrong: sections(8, proportions=wrong), rule)
    rule = "proportions must leave height and width at most a third of the 6 pairs each, to interleave them"
    refuses(lambda: sections(6, "interleaved", proportions=(0, 0, 1)), f"{rule}, got (0, 0, 1)")
    for piece in (Text(0), Text(-1), Image(3, 0), Video(-2, -1, 1)):
        rule = f"pieces must have at least one token each, got {piece}"
        refuses(lambda piece=piece: position_ids([piece]), rule)
    refuses(lambda: videorope.axes(0), "n_pairs must be at least 1, got 0")
    rule = "step must be at least 1 (1 is a text token per frame), got 0"
    refuses(lambda: videorope.position_ids([], step=0), rule)
    rule = "pieces must have at least one token each, got Text(n=0)"
    refuses(lambda: videorope.position_ids([Text(0)]), rule)
    rule = "interval must be at least 0 (0 is one id for all frames), got -1.0"
    refuses(lambda: position_ids([Video(1, 1, 1, -1.0)]), rule)
