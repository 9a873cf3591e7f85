import math
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, rotary
from pe_core.encodings.mrope import PROPORTIONS, Image, Text, Video, position_ids, rotate, sections
from tests.cases import each, refuses
from tests.strategies import bases, even_widths, normal, offsets, seeds, whole_positions

KEYS = {"mrope": "chunked", "mrope_interleaved": "interleaved"}
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


def test_64_pairs_as_published():
    assert sections(64).tolist() == [0] * 16 + [1] * 24 + [2] * 24
    assert sections(64, "interleaved").tolist() == [0, 1, 2] * 20 + [0] * 4


def test_proportions_of_our_choice():
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
    x, ids, n = normal(seed, 4, dim), random_ids(seed, 4), dim // 2
    frequencies, axes = rotary.frequencies(dim, base), sections(n, allocation)
    expected = x.clone()
    for token, i in product(range(4), range(n)):
        angle = ids[token, axes[i]].item() * frequencies[i].item()
        expected[token, i] = x[token, i] * math.cos(angle) - x[token, i + n] * math.sin(angle)
        expected[token, i + n] = x[token, i] * math.sin(angle) + x[token, i + n] * math.cos(angle)
    assert_close(rotate(x, ids, frequencies, axes), expected, atol=1e-12, rtol=0)


@given(seeds, even_widths, bases, whole_positions, allocations, st.sampled_from(rotary.LAYOUTS))
def test_text_gets_plain_rope_exactly(seed, dim, base, positions, allocation, layout):
    x, frequencies = normal(seed, 2, len(positions), dim), rotary.frequencies(dim, base)
    ids = positions[:, None].expand(-1, 3)
    turned = rotate(x, ids, frequencies, sections(dim // 2, allocation), layout=layout)
    assert torch.equal(turned, rotary.rotate(x, positions, frequencies, layout=layout))


@given(seeds, even_widths, bases, st.tuples(offsets, offsets, offsets), allocations)
def test_scores_depend_on_the_offset_along_each_axis_only(seed, dim, base, shift, allocation):
    (q, k), ids = normal(seed, 2, 4, dim), random_ids(seed, 4)
    frequencies, axes = rotary.frequencies(dim, base), sections(dim // 2, allocation)
    here, there = (
        rotate(q, at, frequencies, axes) @ rotate(k, at, frequencies, axes).T for at in (ids, ids + torch.tensor(shift))
    )
    assert_close(here, there, atol=1e-9, rtol=0)


def test_ids_of_text_around_an_image():
    ids = position_ids([Text(2), Image(2, 2), Text(1)])
    assert ids.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3], [4, 4, 4]]


def test_a_video_counts_frames_and_a_long_one_pushes_the_text_after_it():
    ids = position_ids([Video(3, 1, 2), Text(1)])
    assert ids.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [2, 0, 0], [2, 0, 1], [3, 3, 3]]


def tokens_of(piece):
    """How many tokens a piece has, and its frames, rows and columns if it is no text."""
    if isinstance(piece, Text):
        return piece.n, None
    grid = (getattr(piece, "frames", 1), piece.height, piece.width)
    return math.prod(grid), grid


@given(pieces)
def test_position_ids_equal_the_definition(pieces):
    expected, largest = [], -1
    for piece in pieces:
        start = largest + 1
        n, grid = tokens_of(piece)
        if grid is None:
            expected += [[start + i] * 3 for i in range(n)]
        else:
            expected += [[start + t, start + h, start + w] for t, h, w in product(*map(range, grid))]
        largest = max(max(token) for token in expected)
    assert position_ids(pieces).tolist() == expected


@each("key", KEYS)
def test_the_module_takes_positions_of_a_text_or_three_ids(key):
    q, k = normal(0, 2, 2, 2, 7, 16)
    encoding, axes, frequencies = ENCODINGS[key].build(SHAPE), sections(8, KEYS[key]), rotary.frequencies(16)
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
    rule = "interval must be at least 0 (0 is one id for all frames), got -1.0"
    refuses(lambda: position_ids([Video(1, 1, 1, -1.0)]), rule)


@each(
    ("interval", "expected"), [(1.0, [0, 1, 2, 3, 4]), (2.0, [0, 2, 4, 6, 8]), (1.6, [0, 1, 3, 4, 6]), (0.0, [0] * 5)]
)
def test_a_video_may_count_time_and_is_rounded_down(interval, expected):
    ids = position_ids([Text(3), Video(5, 1, 1, interval), Text(1)])
    assert ids[3:8].tolist() == [[3 + time, 3, 3] for time in expected]
    assert ids[8].tolist() == [4 + max(expected)] * 3
