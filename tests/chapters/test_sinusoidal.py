"""The sinusoidal page: the numbers and facts of its pictures, by hand and by loops.

What holds between positions is tested beside this file.
"""

import math

import pytest

from pe_core.chapters import sinusoidal as pictures
from tests.cases import each

TABLE = {"length": 64, "width": 64, "base": 10_000, "layout": "paper"}
NEAR = {"length": 56, "width": 80, "base": 100, "layout": "tensor2tensor"}
OTHER = {"length": 40, "width": 10, "base": 50, "layout": "tensor2tensor"}
PICTURES = {  # arguments by default, and other ones
    pictures.table: (TABLE, NEAR, OTHER),
    pictures.one_layout: (TABLE, NEAR, OTHER),
    pictures.detail: ({"position": 50, "channel": 50, **TABLE}, {"position": 40, "channel": 40, **NEAR}, OTHER),
    pictures.waves: ({"channels": [0, 32, 62], **TABLE}, {"channels": [1], **NEAR}, {"channels": [9], **OTHER}),
    pictures.wavelengths: (TABLE, NEAR, OTHER),
    pictures.clock_hands: (
        {"width": 64, "base": 10_000, "layout": "paper"},
        {"width": 80, "base": 100, "layout": "tensor2tensor"},
        {"width": 7, "base": 5, "layout": "paper"},
    ),
    pictures.first_positions: ({"bases": (1, 5, 10, 100)}, {"bases": (1, 5, 10, 200)}, {"bases": [2, 1_000_000]}),
    pictures.similarity: (TABLE, NEAR, OTHER),
    pictures.shift_matrix: (
        {"offset": 5, "width": 64, "base": 10_000},
        {"offset": 6, "width": 80, "base": 100},
        {"offset": 0, "width": 6, "base": 1},
    ),
}


def frequencies(width, base):
    return [base ** (-2 * pair / width) for pair in range((width + 1) // 2)]


@each(
    ("link", "sections"),
    [
        ({}, ("", "", "")),
        ({"length": 1}, ("", "facts-one-position", "")),
        ({"width": 7}, ("", "", "facts-odd-sine")),
        ({"width": 7, "layout": "concatenated"}, ("", "", "facts-odd-sine")),
        ({"width": 7, "layout": "tensor2tensor"}, ("", "", "facts-odd-zero")),
        ({"width": 1, "length": 1}, ("", "facts-one-position", "facts-odd-sine")),
        ({"width": 1, "length": 1, "layout": "tensor2tensor"}, ("-zero", "", "")),
    ],
)
def test_what_is_said_of_a_table_depends_on_its_size(link, sections):
    facts = pictures.table(**{**TABLE, **link}).facts
    assert (facts["empty"], facts["one-position"], facts["odd"]) == sections
    assert ("pairs" in facts) == (sections[0] == "")


@each("draw", [pictures.table, pictures.wavelengths])
@each(("length", "unfinished"), [(64, 23), (1, 32), (512, 16)])
def test_pairs_that_complete_a_turn_are_counted(draw, length, unfinished):
    waves = [2 * math.pi / frequency for frequency in frequencies(64, 10_000)]
    assert unfinished == sum(wave > length for wave in waves)
    facts = draw(**{**TABLE, "length": length}).facts
    assert (facts["pairs"], facts["unfinished"], facts["complete"]) == (32, unfinished, 32 - unfinished)
    assert (facts["fastest"], facts["slowest"]) == (pytest.approx(waves[0]), pytest.approx(waves[-1]))


def test_a_drag_over_the_table_leads_to_the_middle_of_what_it_covered_which_a_small_table_has_not():
    assert [parameter["name"] for parameter in pictures.table(**TABLE).spec["params"]] == ["part"]
    covered = {"top": [10.2, 30.4], "left": [5, 7.4]}
    middle = {"topic": "Detail", "detail_position": 20, "detail_channel": 6}
    assert pictures.look_where_dragged(covered) == middle
    assert pictures.middle("position", 16) is pictures.middle("channel", 1) is None
    position, channel = pictures.middle("position", 17), pictures.middle("channel", 300)
    assert (position.name, position.minimum, position.maximum) == ("detail_position", 0, 16)
    assert (channel.name, channel.minimum, channel.maximum) == ("detail_channel", 0, 299)


def test_the_detail_holds_the_cells_of_the_whole_table():
    whole = pictures.table(**TABLE).tables()["table"]
    cells = pictures.detail(position=30, channel=63, **TABLE).frames["table"]
    assert (cells.row.min(), cells.row.max(), cells.column.min(), cells.column.max()) == (22, 37, 48, 63)
    for cell in cells.itertuples():
        assert cell.value == whole[f"Channel {cell.column}"][cell.row]
    for length, width, shape in ((1, 1, (1, 1)), (5, 768, (5, 16)), (512, 3, (16, 3))):
        small = {**TABLE, "length": length, "width": width}
        cells = pictures.detail(position=0, channel=0, **small).frames["table"]
        assert (cells.row.nunique(), cells.column.nunique()) == shape


def test_what_is_read_at_a_position_is_the_wave_there():
    drawn = pictures.waves(channels=[2, 5], **{**TABLE, "width": 8})
    dots, read = drawn.frames["dots"], drawn.frames["read"]
    for one in read.itertuples():
        own = dots[dots.channel == one.channel]
        assert own.value.tolist() == pytest.approx([math.sin(m * one.rate + one.ahead) for m in range(64)])
    slider = drawn.spec["config"]["signals"][0]
    assert slider["bind"]["max"] == 95  # the first of 12, 24, 48 ... that is enough, less one
    assert read["last"].tolist() == [63, 63]


def test_clocks_are_at_most_as_many_as_can_be_seen():
    hands = pictures.clock_hands(width=768, base=10_000, layout="paper").frames["hands"]
    assert (len(hands), hands.pair.iloc[0], hands.pair.iloc[-1]) == (24, 0, 383)
    assert hands.frequency.iloc[-1] == pytest.approx(10_000 ** (-766 / 768))


@each(
    ("width", "layout", "some", "odd"),
    [
        (48, "paper", "", ""),
        (50, "paper", "clocks-some", ""),
        (47, "paper", "", "clocks-odd"),
        (47, "tensor2tensor", "", ""),
    ],
)
def test_clocks_tell_how_far_their_first_and_last_hands_turn(width, layout, some, odd):
    facts = pictures.clock_hands(width=width, base=100, layout=layout).facts
    pairs = width // 2 if layout == "tensor2tensor" else (width + 1) // 2
    slowest = 1 / 100 if layout == "tensor2tensor" else 100 ** (-2 * (pairs - 1) / width)
    turns = {"max-turns": 20 / (2 * math.pi), "min-turns": 20 * slowest / (2 * math.pi)}
    degrees = {"fastest": math.degrees(1), "slowest": math.degrees(slowest)}
    told = {"shown": min(pairs, 24), "pairs": pairs, "some": some, "odd": odd, "position": 20}
    assert facts == pytest.approx(told | degrees | turns)


def test_only_the_second_pair_of_the_first_positions_knows_the_base():
    facts = pictures.first_positions(bases=(1, 100)).facts
    between = [abs(wave(m) - wave(m / 10)) for wave in (math.sin, math.cos) for m in range(5)]
    assert facts == {"bases": "1, 100", "first": 0, "second": pytest.approx(max(between)), "steps": "57.3, 5.7"}
