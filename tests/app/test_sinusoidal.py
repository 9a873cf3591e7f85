"""The sinusoidal page: every topic by default and at both ends of its controls, and links that ask for nonsense."""

import json
import math
import re

import pytest
import torch

from pe_core.encodings import sinusoidal
from pe_core.measures.channels import compare
from tests.app.opened import frames, opened, sentences, typed
from ui.parts import _LOOK_MOVED
from ui.widgets.prose import sections

PAGE = "sinusoidal"
TOPICS = (
    "Waves",
    "Detail",
    "Wavelengths",
    "Clock hands",
    "First positions",
    "Similarity",
    "Shift matrix",
    "Worked example",
    "Layouts",
    "Exercise",
)
ENDS = ({"base": "1"}, {"base": "1000000"}, {"width": "1"}, {"width": "2"}, {"width": "768", "length": "512"})
LAYOUTS = ("paper", "concatenated", "tensor2tensor")


def said(at):
    return "\n".join(element.value for element in (*at.markdown, *at.caption, *at.text, *at.info, *at.success))


def sound(at):
    """The page, after checking that it has no error, and no picture without a spec, data and words of its own."""
    assert not at.exception
    assert not at.error
    specs = [json.loads(chart.proto.spec) for chart in at.get("vega_lite_chart")]
    assert len(specs) == len(sentences(at)) == len(frames(at)) >= 1
    assert all(any(not frame.empty for frame in data.values()) for data in frames(at))
    assert "[[" not in said(at) + "".join(sentences(at))
    assert "nan" not in re.findall(r"\w+", said(at).lower())
    return at


@pytest.mark.parametrize("topic", TOPICS)
def test_a_link_opens_the_topic_it_names(topic):
    at = sound(opened(PAGE, topic=topic))
    assert at.session_state["topic"] == topic
    assert not at.warning


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("link", ENDS, ids=str)
def test_every_topic_stands_every_end_of_the_controls(topic, link):
    assert not sound(opened(PAGE, topic=topic, **link)).warning


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_topic_stands_one_channel_and_one_position_in_every_layout(topic, layout):
    assert not sound(opened(PAGE, topic=topic, layout=layout, width="1", length="1")).warning


@pytest.mark.parametrize(
    ("name", "value", "rule", "default"),
    [
        ("width", "769", "be a whole number from 1 to 768", 64),
        ("width", "64.0", "be a whole number from 1 to 768", 64),
        ("length", "0", "be a whole number from 1 to 512", 64),
        ("length", "nan", "be a whole number from 1 to 512", 64),
        ("base", "3", "be one of 1, 2, 5, 10, 20, 50,", 10_000),
        ("base", "", "be one of 1, 2, 5, 10, 20, 50,", 10_000),
        ("layout", "GPT", "be one of paper, concatenated, tensor2tensor", "paper"),
        ("topic", "Sun", "be one of Waves, Detail, Wavelengths", "Waves"),
    ],
)
def test_a_link_that_asks_for_nonsense_gets_a_sentence_and_the_default(name, value, rule, default):
    at = sound(opened(PAGE, **{name: value}))
    [warning] = at.warning
    assert f"{name} must {rule}" in warning.value
    assert f"got '{value}'" in warning.value
    assert f"Shown instead: {default}." in warning.value
    assert at.session_state[name] == default


def test_what_is_said_is_computed():
    text = said(opened(PAGE, topic="Similarity"))
    assert "first time at **distance 6**" in text
    assert "length of 64: 23 of 32." in text  # wavelengths 2 pi 10000^(i/32) above 64 from i = 9 on
    assert "**distance 44**" in said(opened(PAGE, topic="Similarity", width="512"))


def test_the_common_mistake_is_wrong_and_the_matrix_right():
    text = said(opened(PAGE, topic="Shift matrix", width="8"))
    assert re.search(r"largest error of \$M_k\$ is \*\*\d(\.\d)?e-1\d\*\*", typed(text))
    assert re.search(r"its error is \*\*1\.\d+\*\*", text)


def test_the_worked_example_shows_its_numbers():
    text = said(opened(PAGE, topic="Worked example"))
    assert all(number in text for number in ("0.84147", "0.54030", "0.01000", "0.99995"))


def test_one_pair_knows_no_base():
    assert "largest difference between any two of them is 0" in said(opened(PAGE, topic="First positions"))


def test_a_table_of_any_size_is_one_picture():
    for link in ({}, {"width": "768", "length": "512"}):
        table = frames(opened(PAGE, **link))[0]["table"]
        assert len(table) == 1
        assert table.url[0].startswith("data:image/png;base64,")


@pytest.mark.parametrize("channels", [["64"], ["-1"], ["wave"], ["", "3"], ["1e9"]])
def test_channels_that_are_not_there_are_named_in_a_sentence(channels):
    at = sound(opened(PAGE, channels=channels))
    [warning] = at.warning
    assert "channels must be whole numbers from 0 to 63, got " in warning.value


def test_channels_of_the_link_are_drawn():
    at = sound(opened(PAGE, channels=["5", "2"]))
    assert not at.warning
    assert "Channel 2 is the sine of pair 1" in said(at)
    assert "Channel 5 is the cosine of pair 2" in said(at)
    assert set(frames(at)[1]["curves"].channel) == {"2", "5"}


def test_channels_beyond_a_narrower_table_are_dropped():
    at = sound(opened(PAGE, channels=["60"]).slider(key="width").set_value(8).run())
    assert set(frames(at)[1]["curves"].channel) == {"0", "4", "6"}  # none left: the automatic choice


def test_the_detail_shows_the_cells_around_the_place_that_was_asked_for():
    at = sound(opened(PAGE, topic="Detail", width="768", length="512", detail_position="300", detail_channel="767"))
    cells = frames(at)[1]["table"]
    assert (cells.row.min(), cells.row.max()) == (292, 307)
    assert (cells.column.min(), cells.column.max()) == (752, 767)
    table = sinusoidal.table(torch.arange(512), 768)
    assert cells.value.tolist() == table[cells.row.tolist(), cells.column.tolist()].tolist()


def test_a_place_outside_of_the_table_is_refused():
    at = sound(opened(PAGE, topic="Detail", length="32", detail_position="40"))
    [warning] = at.warning
    assert "detail_position must be a whole number from 0 to 31, got '40'" in warning.value


def middles(at):
    """What the two sliders of the detail show, and the positions and channels that are drawn."""
    sliders = {slider.key: slider.value for slider in at.slider}
    cells = frames(sound(at))[1]["table"]
    drawn = (cells.row.min(), cells.row.max()), (cells.column.min(), cells.column.max())
    return sliders.get("detail_position"), sliders.get("detail_channel"), *drawn


def test_the_sliders_of_the_detail_stay_inside_a_table_that_shrinks():
    at = opened(PAGE, topic="Detail", width="768", length="512", detail_position="300", detail_channel="700")
    assert middles(at) == (300, 700, (292, 307), (692, 707))
    at.slider(key="length").set_value(32).run()
    assert middles(at) == (31, 700, (16, 31), (692, 707))
    at.slider(key="width").set_value(20).run()
    assert middles(at) == (31, 19, (16, 31), (4, 19))
    at.slider(key="length").set_value(500).run()
    assert middles(at) == (31, 19, (24, 39), (4, 19))
    at.slider(key="width").set_value(8).run()
    assert middles(at) == (31, None, (24, 39), (0, 7))
    assert not at.warning


def test_a_drag_opens_the_detail_where_it_ended():
    at = opened(PAGE)
    for name, value in {"topic": "Detail", "detail_position": 20, "detail_channel": 30, _LOOK_MOVED: True}.items():
        at.session_state[name] = value
    cells = frames(sound(at.run()))[1]["table"]
    assert (cells.row.min(), cells.column.min()) == (12, 22)
    assert _LOOK_MOVED not in at.session_state


def test_odd_widths_say_what_the_last_channel_is():
    assert "last sine stands without its cosine" in said(opened(PAGE, width="7"))
    assert "fills the last channel with zeros" in said(opened(PAGE, width="7", layout="tensor2tensor"))
    assert "There is no such matrix for an odd width" in said(opened(PAGE, width="7", topic="Shift matrix"))
    assert "the last sine has no cosine" in said(opened(PAGE, width="7", topic="Similarity"))
    assert "The similarity **does not depend on the direction**" in said(
        opened(PAGE, width="7", topic="Similarity", layout="tensor2tensor")
    )


@pytest.mark.parametrize("topic", ["Wavelengths", "Clock hands"])
def test_without_a_pair_a_sentence_stands_for_the_picture(topic):
    at = sound(opened(PAGE, width="1", layout="tensor2tensor", topic=topic))
    assert len(frames(at)) == 1
    assert "there is no pair that could turn" in said(at)


def test_the_exercise_answers_a_guess():
    at = sound(opened(PAGE, topic="Exercise"))
    assert not at.success
    assert "Right: from distance 5 to 6 " in sound(at.number_input(key="guess").set_value(6).run()).success[0].value
    [wrong] = sound(at.number_input(key="guess").set_value(4).run()).warning
    assert "Not 4: from distance 3 to 4 " in wrong.value
    assert "first rises at distance **6**" in wrong.value
    [other] = sound(at.slider(key="width").set_value(512).run()).warning
    assert "first rises at distance **44**" in other.value


def test_the_worked_example_takes_the_base_of_the_page():
    text = said(opened(PAGE, topic="Worked example", base="100", example_position="3", example_width="2"))
    assert "100^{-0/2} = 1" in text
    assert f"{math.sin(3):.5f}" in text
    assert f"{math.cos(3):.5f}" in text


def test_the_layouts_are_compared_by_computation():
    text = said(opened(PAGE, topic="Layouts", width="8"))
    reordered = compare(torch.arange(64), 8, 10_000.0, "tensor2tensor").reordered
    assert f"In the paper's order | 0 | {reordered:.2g} |" in text
    assert "squared norm is $D/2 = 4$" in text


def code_to_write():
    """The module that the page gives as a solution, run."""
    solution = sections(PAGE)["write-solution"]
    names = {}
    exec(compile(solution.partition("```python\n")[2].partition("```")[0], "solution", "exec"), names)
    return names["TokensAndPositions"]


def test_the_row_to_check_ones_own_code_by_is_computed():
    at = sound(opened(PAGE))
    assert "`[0.84147, 0.54030, 0.01000, 0.99995]`" in said(at)
    assert "class TokensAndPositions" not in said(at)
    # In Chinese a list of numbers has another comma, but not in code.
    assert "`[0.84147, 0.54030, 0.01000, 0.99995]`" in said(sound(opened(PAGE, lang="zh")))


@pytest.mark.parametrize(("dim", "length", "base"), [(4, 2, 10_000.0), (7, 33, 100.0), (64, 512, 10_000.0)])
def test_the_solution_adds_the_table_to_the_scaled_tokens(dim, length, base):
    torch.manual_seed(0)
    module = code_to_write()(11, dim, length + 3, base=base).eval()
    numbers = torch.randint(11, (2, length))
    added = module(numbers) - module.tokens(numbers) * math.sqrt(dim)
    expected = sinusoidal.table(torch.arange(length), dim, base=base)
    torch.testing.assert_close(added, expected.expand(2, -1, -1), rtol=0, atol=3e-6)


def test_the_solution_keeps_its_table_out_of_training_and_checkpoints():
    module = code_to_write()(11, 8, 16)
    assert [name for name, _ in module.named_parameters()] == list(module.state_dict()) == ["tokens.weight"]
    assert module.to(torch.float64).table.dtype == torch.float64


def test_the_solution_drops_parts_of_the_sum_in_training_only():
    torch.manual_seed(0)
    module, numbers = code_to_write()(11, 64, 16, dropout=0.5), torch.arange(11)
    whole = module.eval()(numbers)
    dropped = module.train()(numbers)
    kept = dropped != 0
    assert 0.4 < kept.double().mean() < 0.6
    torch.testing.assert_close(dropped[kept], 2 * whole[kept])
