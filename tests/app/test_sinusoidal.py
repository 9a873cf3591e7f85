"""The sinusoidal page: what it says and draws, its channels and its detail, its exercise and solution, and links.

Its numbers are found by other ways in `tests/chapters`, and every topic and control is opened by `test_every_page.py`.
"""

import json
import math
import re

import pytest
import torch

from pe_core.encodings import sinusoidal
from tests.app.opened import frames, opened, sentences
from ui.widgets.prose import sections

PAGE = "sinusoidal"
RULES = {  # rule and default
    "width": ("be a whole number from 1 to 768", 64),
    "length": ("be a whole number from 1 to 512", 64),
    "base": ("be one of 1, 2, 5, 10, 20, 50,", 10_000),
    "layout": ("be one of paper, concatenated, tensor2tensor", "paper"),
    "topic": ("be one of Waves, Clock hands, First positions", "Waves"),
}


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


def test_a_table_of_any_width_is_one_picture_and_an_odd_one_says_what_its_last_channel_is():
    at = sound(opened(PAGE))
    assert not at.warning
    [image] = frames(at)[0]["table"].url
    assert image.startswith("data:image/png;base64,")
    assert "`[0.84147, 0.54030, 0.01000, 0.99995]`" in said(at)
    assert "class TokensAndPositions" not in said(at)
    assert "stands without its cosine" not in said(at)
    sound(at.slider(key="width").set_value(7).run())
    assert "last sine stands without its cosine" in said(at)
    [narrow] = frames(at)[0]["table"].url
    assert narrow.startswith("data:image/png;base64,")
    assert narrow != image


def test_a_link_that_asks_for_nonsense_gets_a_sentence_for_each_and_the_defaults():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "64.0"), channels=["5", "64"]))
    warned = {name: one.value for one in at.warning for name in (*RULES, "channels") if f"{name} must " in one.value}
    assert len(at.warning) == len(warned) == len(RULES) + 1
    for name, (rule, default) in RULES.items():
        assert f"{name} must {rule}" in warned[name]
        assert "got '64.0'" in warned[name]
        assert f"Shown instead: {default}." in warned[name]
        assert at.session_state[name] == default
    assert "channels must be whole numbers from 0 to 63, got '64'" in warned["channels"]


def test_channels_of_the_link_are_drawn_and_those_beyond_a_narrower_table_are_dropped():
    at = sound(opened(PAGE, channels=["61", "60"]))
    assert not at.warning
    assert at.query_params["channels"] == ["61", "60"]
    assert "Channel 60 is the sine of pair 30" in said(at)
    assert "Channel 61 is the cosine of pair 30" in said(at)
    assert set(frames(at)[1]["curves"].channel) == {"60", "61"}
    sound(at.slider(key="width").set_value(8).run())
    assert set(frames(at)[1]["curves"].channel) == {"0", "4", "6"}  # none left: the automatic choice


def middles(at):
    """What the two sliders of the detail show, and the positions and channels that are drawn."""
    sliders = {slider.key: slider.value for slider in at.slider}
    cells = frames(sound(at))[1]["table"]
    drawn = (cells.row.min(), cells.row.max()), (cells.column.min(), cells.column.max())
    return sliders.get("detail_position"), sliders.get("detail_channel"), *drawn


def sized(at, length, width):
    at.slider(key="length").set_value(length)
    at.slider(key="width").set_value(width)
    return at.run()


def test_the_detail_shows_what_was_asked_for_and_its_sliders_stay_inside_a_table_that_shrinks():
    link = {"topic": "Detail", "width": "768", "length": "512", "detail_position": "300", "detail_channel": "700"}
    at = opened(PAGE, **link)
    assert {name: at.query_params[name] for name in link} == link
    assert len(frames(at)[0]["table"]) == 1
    assert middles(at) == (300, 700, (292, 307), (692, 707))
    cells, table = frames(at)[1]["table"], sinusoidal.table(torch.arange(512), 768)
    assert cells.value.tolist() == table[cells.row.tolist(), cells.column.tolist()].tolist()
    assert middles(sized(at, 32, 20)) == (31, 19, (16, 31), (4, 19))
    assert middles(sized(at, 500, 8)) == (31, None, (24, 39), (0, 7))
    assert not at.warning


def test_a_drag_opens_the_detail_where_it_ended():
    at = opened(PAGE)
    for name, value in {"topic": "Detail", "detail_position": 20, "detail_channel": 30}.items():
        at.session_state[name] = value
    cells = frames(sound(at.run()))[1]["table"]
    assert (cells.row.min(), cells.column.min()) == (12, 22)


def test_the_lone_sine_of_an_odd_width_is_told_where_there_is_one():
    at = sound(opened(PAGE, width="7", topic="Similarity"))
    assert "the last sine has no cosine" in said(at)
    at = sound(opened(PAGE, width="7", layout="tensor2tensor", topic="Similarity"))
    assert "fills the last channel with zeros" in said(at)
    assert "The similarity **does not depend on the direction**" in said(at)


def test_without_a_pair_a_sentence_stands_for_the_picture():
    at = sound(opened(PAGE, width="1", layout="tensor2tensor", topic="Clock hands"))
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


def code_to_write():
    """The module that the page gives as a solution, run."""
    solution = sections(PAGE)["write-solution"]
    names = {}
    exec(compile(solution.partition("```python\n")[2].partition("```")[0], "solution", "exec"), names)
    return names["TokensAndPositions"]


def test_the_row_to_check_ones_own_code_by_is_code_in_chinese_too():
    """There a list of numbers has another comma."""
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
