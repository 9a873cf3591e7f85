import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.mrope import Image, Text, Video, rotate
from pe_core.encodings.rotary import frequencies
from pe_core.encodings.rotary import rotate as turn
from pe_core.encodings.videorope import axes, position_ids
from tests.cases import refuses
from tests.strategies import even_widths, normal, seeds

sides = st.integers(1, 4)
pieces_drawn = st.lists(
    st.one_of(st.builds(Text, sides), st.builds(Image, sides, sides), st.builds(Video, sides, sides, sides)), max_size=5
)


def test_axes_of_the_model():
    """Of 64 pairs the first 48 are height and width in turn, the last 16 time."""
    assert axes(64).tolist() == [1, 2] * 24 + [0] * 16
    assert axes(8).tolist() == [1, 2, 1, 2, 1, 2, 0, 0]
    assert axes(2).tolist() == [0, 0]


def test_ids_by_hand():
    """Three tokens of text, then two frames of three rows: their middles are at 3 and 5, and text goes on at 6."""
    ids = position_ids([Text(3), Video(2, 3, 1), Text(1)])
    assert ids[:, 0].tolist() == [0, 1, 2, 3, 3, 3, 5, 5, 5, 6]
    assert ids[:, 1].tolist() == [0, 1, 2, 2, 3, 4, 4, 5, 6, 6]
    assert ids[:, 2].tolist() == [0, 1, 2, 3, 3, 3, 5, 5, 5, 6]
    assert position_ids([Image(4, 1)])[:, 1].tolist() == [-1, 0, 1, 2]


@given(pieces_drawn, st.integers(1, 4))
def test_position_ids_equal_the_definition(pieces, step):
    expected, start = [], 0
    for piece in pieces:
        if isinstance(piece, Text):
            expected += [[start + m] * 3 for m in range(piece.n)]
            start += piece.n
            continue
        for frame in range(getattr(piece, "frames", 1)):
            time = start + step * frame
            for row in range(piece.height):
                for column in range(piece.width):
                    up, left = (piece.height - 1) // 2, (piece.width - 1) // 2
                    expected.append([time, time + row - up, time + column - left])
        start = expected[-1][0] + 1
    assert position_ids(pieces, step=step).tolist() == expected


@given(seeds, even_widths)
def test_on_text_it_is_rope(seed, dim):
    x, positions = normal(seed, 2, 1, 6, dim), torch.arange(6)
    encoding = ENCODINGS["videorope"].build(Shape(dim, 1, 8, 16))
    for found, content in zip(encoding.rotate(*x, positions), x, strict=True):
        assert_close(found, turn(content, positions, frequencies(dim), layout="half"), atol=1e-12, rtol=0)


def test_slow_pairs_follow_time_and_the_base_counts():
    x, ids = normal(1, 1, 1, 3, 16), torch.tensor([[0, 0, 0], [5, 0, 0], [0, 3, 4]])
    found = ENCODINGS["videorope"].build(Shape(16, 1, 8, 16)).rotate(x, x, ids[None])[0]
    moved = (found - x).unflatten(-1, (2, 8)).abs().amax(dim=-2)[0, 0] > 1e-9
    assert moved.tolist() == [[False] * 8, [False] * 6 + [True] * 2, [True] * 6 + [False] * 2]
    assert torch.equal(found, rotate(x, ids, frequencies(16), axes(8)))
    other = ENCODINGS["videorope"].build(Shape(16, 1, 8, 16), {"base": 100.0}).rotate(x, x, ids[None])[0]
    assert not torch.allclose(found, other)


def test_errors():
    refuses(lambda: axes(0), "n_pairs must be at least 1, got 0")
    refuses(lambda: position_ids([], step=0), "step must be at least 1 (1 is a text token per frame), got 0")
    refuses(lambda: position_ids([Text(0)]), "pieces must have at least one token each, got Text(n=0)")
