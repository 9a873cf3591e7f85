"""Pages of chapters: their steps, questions and exercises, what is chosen, moved and clicked.

What they say is read in `test_page_texts.py`, and every look and control is opened by `test_every_page.py`.
"""

import json
import math
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from pe_core.chapters import images, predictions
from pe_core.chapters.biases import SYSTEMS
from pe_core.claims import CLAIMS
from pe_core.encodings import sinusoidal
from pe_core.masks import MASKS
from pe_core.rope_scaling import SCALINGS
from tests.app.opened import checked, followed, frames, opened, said
from tests.app.test_page_texts import step
from tests.app.walking import sound, walk
from tests.cases import each
from tests.claims.runs import KEPT
from ui.page import set_controls
from ui.widgets.prose import sections

TRUE = sum(claim.settle(None, KEPT).verdict == "true" for claim in CLAIMS.values())
NOT_IN_THE_PICTURE = ("words", "codes", "waves")  # questions of which no setting of a first picture is the answer


@each(
    ("link", "key", "guesses", "answers"),
    [
        ("why_position", "why_guess", (6, 2), ("A 0.00", "A 0.00")),
        ("counting", "cnt_guess", (3, 33), (f"{3 / 99:.4f}", f"{3 / 9:.4f}")),
        ("binary_vs_sinusoid?bs_look=Exercise", "bs_guess", (63, 62), ("round, **62** bits", "Right, 62. ")),
        ("binary_vs_sinusoid?bs_look=Exercise&bits=6", "bs_guess", (62, 126), ("**126** bits", "126")),
        ("sinusoidal?topic=Exercise", "guess", (4, 6), ("at distance **6**", "from distance 5 to 6 ")),
        ("sinusoidal?topic=Exercise&width=512", "guess", (6, 44), ("at distance **44**", "43 to 44 ")),
        ("rope?rope_look=Exercise", "rope_guess", (9, 3), (f"−{-math.cos(9):.4f}", f"−{-math.cos(3):.4f}")),
        ("biases", "bias_guess", (13, 14), (f"{math.exp(-13 / 2):.2g}", f"{math.exp(-14 / 2):.2g}")),
        ("windows", "win_guess", (30, 25), ("1, 5, 9, 13, 17, 21, 25", "1, 5, 9, 13, 17, 21, 25")),
        ("images", "img_guess", (59, 14), ("With plain RoPE the id would be 59.", "(5, 10, 13)")),
        ("extension?ext_look=Exercise", "ext_guess", (3, 9), ("the first by 1.", "the first by 1.")),
        ("learned", "lrn_guess", (51, 50), (f"{80 * 63 / 99:.3f}", f"{80 * 63 / 99:.3f}")),
        ("gallery?gal_look=Exercise", "gal_guess", (0, 3), ("Not 0 but 3 ", "Right: 3 ")),
        ("models", "model_guess", (2, 1), ("turn is 1, and not 2", "are longer than 1,000")),
        ("inside", "ins_guess", (27, 28), ("27.63", "27.63")),
        ("scorecard", "scorecard_guess", (0, 7), ("Not 0 but 7: ", "Right, 7: ")),
        ("claims", "clm_guess", (0, TRUE), (f"{TRUE}: Small and large bases", f"{TRUE}: Small and large bases")),
    ],
)
def test_an_exercise_is_answered_by_computation(link, key, guesses, answers):
    """A wrong guess first, then the right one."""
    at = followed(link)
    [warning] = sound(at.number_input(key=key).set_value(guesses[0]).run()).warning
    assert answers[0] in warning.value
    assert not at.success
    [success] = sound(at.number_input(key=key).set_value(guesses[1]).run()).success
    assert answers[1] in success.value
    assert not at.warning


def test_of_several_all_that_are_chosen_are_shown_and_no_more_than_there_are_colours():
    assert len(frames(opened("biases", bias_systems=list(SYSTEMS)))[0]["bands"]) == len(SYSTEMS)
    at = opened("extension", rules=list(SCALINGS))
    assert frames(at)[1]["lines"].name.nunique() == 8 < len(SCALINGS)
    assert at.info


def test_another_mask_has_settings_of_its_own():
    at = followed("windows?win_mask=sinks&win_sinks_n_sinks=8&win_sinks_window=0.25")
    at.selectbox(key="win_mask").set_value("window").run()
    assert "win_sinks_n_sinks" not in {slider.key for slider in at.slider}
    checked(at.segmented_control(key="win_window_convention").set_value("without self").run(), 3)
    assert f"**{MASKS['window'].title}.**" in said(at)
    assert "sees **17** keys itself" in said(at)


def test_a_step_of_training_leaves_the_images_as_they_were_sent():
    at = opened("learned", lrn_step="200")
    before = [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]]
    assert [int(chart["now"].lrn_step.iloc[0]) for chart in frames(at)[:2]] == [5, 5]
    checked(at.select_slider(key="lrn_step").set_value(0).run(), 3)
    assert [chart.proto.SerializeToString() for chart in at.get("vega_lite_chart")[:2]] == before
    played = [json.loads(one.proto.json) for one in at.get("bidi_component") if "played_of" in one.proto.id]
    assert [(one["name"], one["at"], len(one["choices"])) for one in played] == [("of_page_played_lrn_step", 0, 10)] * 2


@each(
    ("link", "asked"),
    [
        ("learned", "encodings=learned&encodings=sinusoidal&encodings=rope&encodings=alibi"),
        ("gallery?gal_encodings=rope&gal_encodings=fire", "encodings=rope&encodings=fire"),
    ],
)
def test_the_lab_opens_with_the_encodings_of_a_page(link, asked):
    assert [way.proto.query_string for way in followed(link).get("page_link") if way.proto.query_string] == [asked]


def test_a_link_to_a_look_opens_its_group_and_another_group_opens_with_its_first_look():
    at = opened("rope", rope_look="Layouts")
    assert not at.warning
    group, look = (at.segmented_control(key=key) for key in ("rope_look_group", "rope_look"))
    assert (group.value, look.value) == ("Write it", "Layouts")
    assert look.options == ["Line by line", "Layouts", "Exercise"]
    group.set_value("See it").run()
    look = at.segmented_control(key="rope_look")
    assert (look.value, look.options) == ("Turns", ["Turns", "One dial, then eight", "Distance"])
    assert "rope_look" not in at.query_params
    look.set_value("Distance").run()
    assert at.query_params["rope_look"] == "Distance"
    assert at.segmented_control(key="rope_look_group").value == "See it"


def test_a_click_puts_the_sliders_where_the_patch_is(monkeypatch):
    state = {"img_maps": SimpleNamespace(selection={"patch": [{"index": 17, "before": 3}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    set_controls("img_maps", images.CLICKED, partial(images.clicked, 4, 5))
    assert (state["img_row_of_4"], state["img_column_of_5"]) == (3, 2)
    before = dict(state)
    state["img_maps"].selection["patch"] = []
    set_controls("img_maps", images.CLICKED, partial(images.clicked, 2, 3))
    assert state == before


def test_another_sentence_loses_the_order_of_the_last_one():
    at = opened("why_position", sentence="a b c", order="2.0.1")
    assert at.query_params["order"] == "2.0.1"
    at.text_input(key="sentence").set_value("a b c d").run()
    assert "`d c b a`" in said(checked(at, 1))
    assert not at.warning
    assert "order" not in at.query_params


def test_a_word_that_is_picked_is_moved_and_the_orders_of_the_buttons_are_in_the_link():
    at = checked(opened("why_position", sentence="a b c d", order="0"), 1)
    assert at.button(key="order_Move left").disabled
    at.pills(key="order_word").set_value(3).run()
    assert at.button(key="order_Move right").disabled
    at.button(key="order_Move left").click().run()
    assert "`a b d c`" in said(checked(at, 1))
    assert at.query_params["order"] == "0.1.3.2"
    at.button(key="order_Move left").click().run()  # it is still picked
    assert at.query_params["order"] == "0.3.1.2"
    at.button(key="order_Turn around").click().run()
    assert at.query_params["order"] == "2.1.3.0"
    at.button(key="order_As written").click().run()
    assert at.query_params["order"] == "0.1.2.3"
    at.button(key="order_Shuffle").click().run()
    shuffled = at.query_params.get("order", "3.2.1.0")  # the default is not in the link
    assert sorted(shuffled.split(".")) == ["0", "1", "2", "3"]


def test_next_and_back_go_from_step_to_step_and_the_link_follows():
    at = opened("sinusoidal", topic="Derivation")
    assert step("sinusoidal", "sinusoid", 1) in said(at)
    assert at.button(key="sinusoid_step_back").disabled
    for number in range(2, 9):
        at = sound(at.button(key="sinusoid_step_next").click().run())
        assert step("sinusoidal", "sinusoid", number) in said(at)
        assert step("sinusoidal", "sinusoid", number - 1) not in said(at)
        assert at.query_params["sinusoid_step"] in ([str(number)], str(number))
    assert at.button(key="sinusoid_step_next").disabled
    at = at.button(key="sinusoid_step_back").click().run()
    assert at.slider(key="sinusoid_step").value == 7
    assert step("sinusoidal", "sinusoid", 7) in said(at)


@each("chapter", predictions.BEFORE)
def test_a_chapter_asks_says_after_a_choice_whether_it_was_right_and_puts_the_picture_to_what_was_asked(chapter):
    key = predictions.BEFORE[chapter]
    question, (right, _, settings) = predictions.QUESTIONS[key], predictions.answer(key)
    at = opened(chapter)
    assert question.asked in said(at)
    assert "**Right: " not in said(at)
    wrong = next(choice for choice in question.choices if choice != right)
    at.pills(key=f"guess_{key}").set_value(wrong)
    sound(at.run())
    assert f"You said {question.choices[wrong]}; it is **{question.choices[right]}**." in said(at)
    assert question.asked not in said(at)
    assert bool(settings) is (key not in NOT_IN_THE_PICTURE)
    assert (f"show_{key}" in [one.key for one in at.button]) is bool(settings)
    if settings:
        sound(at.button(key=f"show_{key}").click().run())
        assert {name: at.session_state[name] for name in settings} == settings


def test_a_right_guess_is_said_to_be_right_and_stays_when_one_comes_back_and_a_lecture_asks_nothing():
    at = opened("rope")
    at.pills(key="guess_swapped").set_value("neither").run()
    assert "**Right: Neither.** At offset 3 the score is −0.2038" in said(at)
    assert "**Right: Neither.**" in said(walk(at, "windows", "rope"))
    at = opened("rope", present="45", scene="1")
    assert not [one for one in at.get("button_group") if "guess_" in str(one.key)]
    assert "Predict first" not in said(at)


# The sinusoid: a table that shrinks, and the solution that the page gives.


def test_channels_beyond_a_narrower_table_are_dropped():
    at = opened("sinusoidal", channels=["61", "60"])
    assert at.query_params["channels"] == ["61", "60"]
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
    at = opened("sinusoidal", **link)
    assert {name: at.query_params[name] for name in link} == link
    assert middles(at) == (300, 700, (292, 307), (692, 707))
    cells, table = frames(at)[1]["table"], sinusoidal.table(torch.arange(512), 768)
    assert cells.value.tolist() == table[cells.row.tolist(), cells.column.tolist()].tolist()
    assert middles(sized(at, 32, 20)) == (31, 19, (16, 31), (4, 19))
    assert middles(sized(at, 500, 8)) == (31, None, (24, 39), (0, 7))
    assert not at.warning


@pytest.fixture(scope="module")
def solution():
    """The module that the page gives as a solution, run."""
    text = sections("sinusoidal")["write-solution"]
    names = {}
    exec(compile(text.partition("```python\n")[2].partition("```")[0], "solution", "exec"), names)
    return names["TokensAndPositions"]


@each(("dim", "length", "base"), [(7, 33, 100.0), (64, 512, 10_000.0)])
def test_the_solution_adds_the_table_to_the_scaled_tokens(solution, dim, length, base):
    module = solution(11, dim, length + 3, base=base).eval()
    numbers = torch.randint(11, (2, length))
    added = module(numbers) - module.tokens(numbers) * math.sqrt(dim)
    expected = sinusoidal.table(torch.arange(length), dim, base=base)
    torch.testing.assert_close(added, expected.expand(2, -1, -1), rtol=0, atol=3e-6)
    # The table is no part of training or of checkpoints.
    assert [name for name, _ in module.named_parameters()] == list(module.state_dict()) == ["tokens.weight"]
    assert module.to(torch.float64).table.dtype == torch.float64


def test_the_solution_drops_parts_of_the_sum_in_training_only(solution):
    torch.manual_seed(0)
    module, numbers = solution(11, 64, 16, dropout=0.5), torch.arange(11)
    whole = module.eval()(numbers)
    dropped = module.train()(numbers)
    kept = dropped != 0
    assert 0.4 < kept.double().mean() < 0.6
    torch.testing.assert_close(dropped[kept], 2 * whole[kept])
