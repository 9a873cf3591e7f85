"""The language is that of the link, else that of the browser; examples are in it. `test_every_page.py` has the rest."""

from tests.app.in_chinese import CHINESE, in_chinese, told
from tests.app.opened import Visit, opened
from tests.app.walking import sound
from tests.cases import each
from ui.language.words import CHOSEN


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
