"""The pictures of the sinusoidal page: their numbers, what each argument changes, and the Python that makes them."""

import math
from functools import partial

import pytest

from pe_core.chapters import sinusoidal as pictures
from tests.chapters.offered import alike, offered, same, tables

TABLE = {"length": 64, "width": 64, "base": 10_000, "layout": "paper"}
OTHER = {"length": 40, "width": 10, "base": 50, "layout": "tensor2tensor"}
PICTURES = {  # arguments by default, and other ones
    pictures.table: (TABLE, OTHER),
    pictures.one_layout: (TABLE, OTHER),
    pictures.detail: ({"position": 50, "channel": 50, **TABLE}, {"position": 39, "channel": 9, **OTHER}),
    pictures.waves: ({"channels": [0, 32, 62], **TABLE}, {"channels": [9], **OTHER}),
    pictures.wavelengths: (TABLE, OTHER),
    pictures.clock_hands: (
        {"width": 64, "base": 10_000, "layout": "paper"},
        {"width": 7, "base": 5, "layout": "paper"},
    ),
    pictures.first_positions: ({"bases": (1, 5, 10, 100)}, {"bases": [2, 1_000_000]}),
    pictures.similarity: (TABLE, OTHER),
    pictures.shift_matrix: ({"offset": 5, "width": 64, "base": 10_000}, {"offset": 0, "width": 6, "base": 1}),
}
CHANGED = {  # one value of each argument that must show
    "length": 56,
    "width": 80,
    "base": 100,
    "layout": "tensor2tensor",
    "position": 40,
    "channel": 40,
    "channels": [1],
    "bases": (1, 5, 10, 200),
    "offset": 6,
}


@pytest.mark.parametrize("which", [0, 1], ids=["default", "other"])
@pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
def test_the_python_that_is_offered_makes_the_same_picture(draw, which, tmp_path):
    picture = partial(draw, **PICTURES[draw][which])
    assert alike(offered(picture, tmp_path), picture())


@pytest.mark.parametrize(
    ("draw", "name"),
    [(draw, name) for draw, (arguments, _) in PICTURES.items() for name in arguments],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_every_argument_changes_the_numbers_and_not_the_spec(draw, name):
    arguments = PICTURES[draw][0]
    before, after = draw(**arguments), draw(**{**arguments, name: CHANGED[name]})
    assert before.spec == after.spec
    assert not same(tables(before), tables(after))


@pytest.mark.parametrize("draw", [pictures.table, pictures.one_layout])
def test_the_file_of_a_table_has_a_line_for_each_position(draw):
    numbers = draw(**{**TABLE, "width": 65}).tables()["table"]
    assert list(numbers)[:3] == ["position", "channel_0", "channel_1"]
    assert numbers.shape == (64, 66)
    for m in (0, 1, 63):
        assert numbers.channel_6[m] == pytest.approx(math.sin(m * 10_000 ** (-6 / 65)), abs=1e-6)
        assert numbers.channel_7[m] == pytest.approx(math.cos(m * 10_000 ** (-6 / 65)), abs=1e-6)


def test_only_over_the_table_a_part_can_be_dragged():
    assert [parameter["name"] for parameter in pictures.table(**TABLE).spec["params"]] == ["part"]
    assert "params" not in pictures.one_layout(**TABLE).spec


def test_the_detail_holds_the_cells_of_the_whole_table():
    whole = pictures.table(**TABLE).tables()["table"]
    cells = pictures.detail(position=30, channel=63, **TABLE).frames["table"]
    assert (cells.row.min(), cells.row.max(), cells.column.min(), cells.column.max()) == (22, 37, 48, 63)
    for cell in cells.itertuples():
        assert cell.value == whole[f"channel_{cell.column}"][cell.row]


@pytest.mark.parametrize(("length", "width", "shape"), [(1, 1, (1, 1)), (5, 768, (5, 16)), (512, 3, (16, 3))])
def test_a_small_table_is_a_detail_as_it_is(length, width, shape):
    cells = pictures.detail(position=0, channel=0, length=length, width=width, base=10, layout="paper").frames["table"]
    assert (cells.row.nunique(), cells.column.nunique()) == shape


def test_waves_are_those_of_the_channels():
    dots = pictures.waves(channels=[2, 5], **{**TABLE, "width": 8}).frames["dots"]
    for channel, wave, pair in (("2", math.sin, 1), ("5", math.cos, 2)):
        own = dots[dots.channel == channel]
        assert own.value.tolist() == pytest.approx([wave(m * 10**-pair) for m in range(64)])


def test_wavelengths_grow_by_the_same_factor():
    pairs = pictures.wavelengths(length=64, width=8, base=10_000, layout="paper").frames["pairs"]
    assert pairs.wavelength.tolist() == pytest.approx([2 * math.pi * 10**pair for pair in range(4)])


def test_clocks_are_at_most_as_many_as_can_be_seen():
    hands = pictures.clock_hands(width=768, base=10_000, layout="paper").frames["hands"]
    assert (len(hands), hands.pair.iloc[0], hands.pair.iloc[-1]) == (24, 0, 383)
    assert hands.frequency.iloc[-1] == pytest.approx(10_000 ** (-766 / 768))


def test_the_first_positions_are_the_same_for_every_base_in_the_first_pair_only():
    points = pictures.first_positions(bases=(1, 5, 10, 100)).frames["points"]
    for position in range(5):
        first, second = (points[(points.row == row) & (points.position == position)] for row in (0, 1))
        assert first.sine.tolist() == pytest.approx([math.sin(position)] * 4)
        assert second.sine.tolist() == pytest.approx([math.sin(position / base**0.5) for base in (1, 5, 10, 100)])
    heads = pictures.first_positions(bases=(1, 1_000_000)).frames["heads"]
    assert heads.label.tolist() == ["base 1", "base 1,000,000"]


def test_similarity_is_the_mean_of_the_cosines():
    curve = pictures.similarity(length=20, width=8, base=10_000, layout="paper").frames["curve"]
    for distance, value in curve[["distance", "similarity"]].to_numpy():
        assert value == pytest.approx(sum(math.cos(distance / 10**pair) for pair in range(4)) / 4)


def test_the_shift_matrix_turns_each_pair_by_its_own_angle():
    numbers = pictures.shift_matrix(offset=3, width=4, base=10_000).tables()["table"]
    blocks = numbers.drop(columns="channel_of_pe_p_k").to_numpy()
    for place, angle in ((0, 3), (2, 0.03)):
        cosine, sine = math.cos(angle), math.sin(angle)
        assert blocks[place].tolist()[place : place + 2] == pytest.approx([cosine, sine])
        assert blocks[place + 1].tolist()[place : place + 2] == pytest.approx([-sine, cosine])
    assert blocks[0, 2:].tolist() == blocks[2, :2].tolist() == [0, 0]


def test_of_a_wide_shift_matrix_the_first_channels_are_drawn():
    numbers = pictures.shift_matrix(offset=3, width=768, base=10_000).tables()["table"]
    assert numbers.shape == (32, 33)
    assert numbers["channel_of_pe_p_30"][30] == pytest.approx(math.cos(3 * 10_000 ** (-30 / 768)))
