"""Every page and each of its looks: every choice, all controls at both ends, back again, and with hostile links."""

import json

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test

from tests.app.in_chinese import CHINESE, in_chinese, pressed, told, unexplained
from tests.app.opened import frames, opened, sentences
from tests.app.test_shell import in_frame, only
from tests.app.walking import HOSTILE, PAGES, choices, controls, in_link, lists, looks, set_all, sound, walk
from ui import page as parts
from ui.page import judge

NO_PICTURES = {"lectures", "privacy"}  # theirs are on other pages, or there are none


@pytest.fixture
def both_judged():
    """Has a guess judged both as right and as wrong."""

    def both(text, right, facts):
        judge(text, True, facts)
        judge(text, False, facts)

    with pytest.MonkeyPatch.context() as patch:  # not the fixture, by which all that is remembered is forgotten
        patch.setattr(parts, "judge", both)
        yield


def chinese(at):
    """The page, after checking that it is sound and that nothing on it is English, or set as Chinese is not."""
    return in_chinese(sound(at))


def whole(page, messages):
    """The page as its bare link opens it, after checking its parts, its place and that it is English.

    This is the first run of a server, which begins with the file of the page; all other tests have a later one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", PagesManager)
        at = sound(opened(page))
    assert not at.error
    assert not at.warning
    assert len(at.title) == 1
    assert len(at.markdown)
    assert bool(frames(at)) is (page not in NO_PICTURES)
    assert all(len(sentence) > 20 for sentence in sentences(at))
    for chart in at.get("vega_lite_chart"):  # what is pointed at says what its picture tells, and nothing else
        assert json.loads(chart.proto.spec)["config"]["mark"]["tooltip"] is None
    shown = in_frame(messages)
    assert (shown.url_pathname or "home") == page
    assert shown.is_default == (page == "home")
    assert {text for text in told(at) if CHINESE.search(text)} <= {"中文", "Language · 语言"}
    order = [page.url_pathname or "home" for page in only(messages, "navigation").app_pages]
    place = order.index(page)
    ways = [*order[max(0, place - 1) : place], *order[place + 1 : place + 2]]
    assert [link.proto.page or "home" for link in at.main.get("page_link")][-len(ways) :] == ways
    return at


@pytest.mark.parametrize("page", PAGES)
def test_every_look_and_choice_in_chinese_with_all_controls_at_both_ends_and_again_in_english(
    page, messages, both_judged
):
    """What was set is there again when one comes back, and for whoever opens the link, in another language too.

    In Chinese nothing is left in English, and a starred term has its English beside it where it comes first on a page.
    """
    walked = set()
    for link in looks(whole(page, messages)):
        at = chinese(opened(page, lang="zh", **link))
        assert CHINESE.search(at.title[0].value) or page == "rope"
        assert not unexplained(at), link
        for state in choices(at, walked | link.keys()):
            assert not unexplained(chinese(at)), state
        walked |= lists(at).keys()
        for end in (-1, 0):
            chinese(set_all(at, list(link), end))
        before = {key: control.value for key, control in controls(at).items()}
        walk(at, "privacy" if page != "privacy" else "rope", page)
        assert {key: control.value for key, control in controls(at).items()} == before, link
        again = controls(sound(opened(page, **{**at.query_params, "lang": "en"})))
        assert {key: again[key].value for key in before if in_link(key)} == {
            key: value for key, value in before.items() if in_link(key)
        }, link
    pressed(at, "take_away")


@pytest.mark.parametrize("page", PAGES)
def test_a_hostile_link_gets_a_warning_in_the_language_of_the_visitor_and_loses_nothing(page):
    """Each control of a page gets one half of the values, and its neighbour the other half."""
    defaults = {name: control.value for name, control in controls(opened(page, lang="zh")).items() if in_link(name)}
    for turn in range(0, len(HOSTILE), 2) if defaults else ():
        link = {name: HOSTILE[(place + turn) % len(HOSTILE)] for place, name in enumerate(defaults)}
        at = sound(opened(page, lang="zh", **link))
        assert "lang" in at.query_params
        assert at.warning, link
        assert all(CHINESE.search(warning.value) for warning in at.warning), link
        found = controls(at)
        refused = [name for name in found if any(f"`{name} " in warning.value for warning in at.warning)]
        moved = [name for name in refused if found[name].type != "text_input"]  # a text stays to be mended
        assert {name: found[name].value for name in moved} == {name: defaults[name] for name in moved}, link
