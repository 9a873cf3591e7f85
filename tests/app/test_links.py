"""A link and coming back bring what one sees: sliders of pictures, answers, ranges that shrink, and the language."""

import json

from tests.app.in_chinese import CHINESE, in_chinese, told
from tests.app.opened import Visit, opened, said
from tests.app.walking import sound, walk
from tests.cases import each
from ui.language.words import CHOSEN

TABLE = "bs_table_at_position"


def starts(at, number=0):
    """Where the controls of a chart start, by name."""
    spec = json.loads(at.get("vega_lite_chart")[number].proto.spec)
    return {one["name"]: one["value"] for one in spec["config"]["signals"] if "value" in one}


def warned(at):
    return [warning.value for warning in at.warning]


def test_the_slider_of_a_picture_starts_where_the_link_says_and_stands_at_its_end_where_that_has_come_closer():
    assert starts(opened("binary_vs_sinusoid"))["at_position"] == 7
    at = opened("binary_vs_sinusoid", bs_table_at_position="20", bs_table_waves_shown="false")
    assert starts(at) == {"at_position": 20, "waves_shown": False}
    assert not at.warning
    at.slider(key="bits").set_value(6).run()
    assert starts(at)["at_position"] == 20
    assert at.query_params[TABLE] == "20"
    at = opened("binary_vs_sinusoid", positions="64", bs_table_at_position="60")
    at.slider(key="positions").set_value(16).run()
    assert not at.warning
    assert starts(at)["at_position"] == 23
    assert at.query_params[TABLE] == "23"


@each("text", ["48", "2.5"])
def test_a_place_that_the_slider_does_not_have_is_named(text):
    at = opened("binary_vs_sinusoid", bs_table_at_position=text)
    (warning,) = warned(at)
    assert f"`{TABLE} must be a whole number from 0 to 47, got '{text}'`. Shown instead: 7." in warning
    assert starts(at)["at_position"] == 7
    assert TABLE not in at.query_params
    assert not at.run().warning


def test_an_answer_is_in_the_link_and_comes_back():
    at = opened("rope", rope_look="Exercise")
    at.number_input(key="rope_guess").set_value(5).run()
    assert at.query_params["rope_guess"] == "5"
    again = opened("rope", **at.query_params)
    assert again.number_input(key="rope_guess").value == 5
    assert warned(again) == warned(at) != []
    again.number_input(key="rope_guess").set_value(None).run()
    assert "rope_guess" not in again.query_params


def test_predictions_are_in_the_link_and_come_back():
    at = opened("claims", clm="exponent")
    at.button_group(key="clm_exponent_guess").set_value("true").run()
    assert at.query_params["clm_said"] == "exponent.true.false"
    again = opened("claims", clm="exponent", clm_said=["exponent.true.false", "decays.depends.depends"])
    assert said(again).count("is **False**") == said(at).count("is **False**")
    assert "1 of 2" in again.caption[0].value
    again.button(key="clm_again").click().run()
    assert "clm_said" not in again.query_params


@each("told", ["exponent.true", "nothing.true.true", "exponent.maybe.true", "exponent.true.true.true"])
def test_a_prediction_that_cannot_be_is_named(told):
    at = opened("claims", clm="exponent", clm_said=told)
    rule = "prediction must be a claim and two of true, false, depends, with a '.' between them"
    assert [f"{rule}, got '{told}'" in warning for warning in warned(at)] == [True]


def test_an_answer_of_the_self_test_is_in_the_link_and_goes_with_its_question():
    at = opened("selftest")
    (key,) = [field.key for field in at.text_input]
    at.text_input(key=key).set_value("3").run()
    assert at.query_params[key] == "3"
    again = opened("selftest", **at.query_params)
    assert again.text_input(key=key).value == "3"
    again.button(key="self_another").click().run()
    assert key not in again.query_params
    at = opened("selftest", **{key: "9" * 41})
    assert "answer must have at most 40 characters, got 41" in warned(at)[0]


NOT_16 = "`rope_length must be a whole number from 16 to 1,048,576 in steps of 16, got '100'`. Shown instead: 64."


@each(
    ("page", "name", "value", "problem"),
    [
        ("rope", "rope_length", 100, NOT_16),
        ("inside", "ins_text", "e", "`text must have at least 2 characters, got 1`. Shown instead: held-out text."),
    ],
)
def test_what_a_link_says_and_what_is_typed_are_refused_alike(page, name, value, problem):
    at = opened(page, **{name: str(value)})
    assert warned(at) == [f"This cannot be shown: {problem}"]
    at = opened(page)
    [field] = [one for one in (*at.number_input, *at.text_input) if one.key == name]
    field.set_value(value)
    at.query_params[name] = str(value)  # as the browser writes it
    assert warned(at.run()) == [f"This cannot be shown: {problem}"]


# Within a session.


def test_a_control_that_comes_back_in_a_smaller_range_is_put_into_it():
    at = opened("sinusoidal", topic="Detail", length="500", width="500", detail_position="400", detail_channel="400")
    walk(at, "home", "sinusoidal", length="100", width="90")
    assert at.slider(key="detail_position").value == 99
    assert at.slider(key="detail_channel").value == 89
    assert not at.warning


def test_a_link_followed_within_a_session_sets_what_it_names_and_leaves_the_rest():
    at = opened("rope", rope_width="16", rope_look="Layouts")
    walk(at, "home", "rope", rope_width="8", query="7")
    assert at.slider(key="rope_width").value == 8
    assert at.slider(key="query").value == 7
    assert at.segmented_control(key="rope_look").value == "Layouts"
    assert at.query_params == {"rope_width": "8", "query": "7", "rope_look": "Layouts"}
    assert opened("rope").slider(key="rope_width").value == 32  # in a new session


@each(
    ("page", "name", "good", "bad", "default"),
    [
        ("rope", "rope_width", "16", "7", 32),
        ("rope", "rope_look", "Layouts", "nope", "Turns"),
        ("selftest", "self_base", "10", "7", 10_000),
        ("lab", "train_length", "32", "40", 64),
    ],
)
def test_a_bad_value_of_a_link_followed_within_a_session_is_named_once_and_replaced(page, name, good, bad, default):
    at = walk(opened(page, **{name: good}), "home", page, **{name: bad})
    [warning] = at.warning
    assert name in warning.value
    assert not at.error
    assert at.session_state[name] == default
    assert name not in at.query_params
    assert not at.run().warning
    walk(at, "home", page)
    assert not at.warning
    assert at.session_state[name] == default


def test_a_language_that_there_is_not_is_named():
    at = opened("rope", lang="<script>")
    assert at.title[0].value == "RoPE"
    assert "lang must be one of en, zh, got <script>" in at.warning[0].value
    assert "lang" not in at.query_params


def test_the_link_names_the_language_that_was_chosen_and_a_change_keeps_what_is_set():
    at = opened("rope")
    assert "lang" not in at.query_params
    at.segmented_control(key="language").set_value("zh").run()
    assert at.query_params["lang"] == "zh"
    assert at.session_state[CHOSEN] == "zh"
    at.switch_page("pages/windows.py").run()
    assert at.query_params["lang"] == "zh"
    assert at.title[0].value == "窗口与注意力汇点"
    at = opened("windows", win_window_window="2.5", win_look="Entropy", lang="en")
    at.slider(key="win_spread").set_value(1.0).run()
    at.segmented_control(key="language").set_value("zh").run()
    assert at.slider(key="win_window_window").value == 2.5
    assert at.slider(key="win_spread").value == 1.0
    assert at.query_params["win_look"] == "Entropy"


def test_a_language_has_an_example_of_its_own():
    at = sound(opened("why_position", lang="zh"))
    assert at.text_input(key="sentence").value == "狗咬人"
    assert any("人咬狗" in text for text in told(at))
    for text in ("", "狗", "一二三四五六七八九十甲乙丙丁"):
        [warning] = in_chinese(at.text_input(key="sentence").set_value(text).run()).warning
        assert CHINESE.search(warning.value)
    at = sound(opened("sinusoidal", lang="zh", topic="E + P"))
    assert at.text_input(key="sum_sentence").value == "大狗咬小狗"
    assert not at.warning


def test_another_language_brings_its_example_and_keeps_what_is_set_and_written():
    at = opened("why_position", why_encoding="rope")
    for language, example in (("zh", "狗咬人"), ("en", "狗咬狗")):
        at.segmented_control(key="language").set_value(language).run()
        assert at.text_input(key="sentence").value == example
        at.text_input(key="sentence").set_value("狗咬狗").run()
    assert (at.query_params["why_encoding"], at.query_params["lang"]) == ("rope", "en")


@each(("locale", "title"), [("zh-CN", "隐私"), ("zh", "隐私"), ("de-DE", "Privacy")])
def test_without_a_choice_the_language_is_that_of_the_browser(locale, title):
    at = Visit()
    at.context = {"locale": locale}
    at.switch_page("pages/privacy.py").run()
    assert at.title[0].value == title
    assert "lang" not in at.query_params
