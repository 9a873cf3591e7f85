"""Every page and each of its looks: opened, all controls at both ends, back again, and with hostile links."""

import json

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test

from tests.app.opened import frames, opened, sentences
from tests.app.test_shell import in_frame, only
from tests.app.test_tooltips import is_for_people, tooltips
from tests.app.told import CHINESE, told
from tests.app.walking import HOSTILE, PAGES, controls, in_link, looks, set_all, sound, walk

NO_PICTURES = {"lectures", "privacy"}  # theirs are on other pages, or there are none

pytestmark = pytest.mark.usefixtures("own_queue")


def pointed_at(at):
    """Check that what is shown where a picture is pointed at is made for people."""
    for chart in at.get("vega_lite_chart"):
        spec = json.loads(chart.proto.spec)
        assert spec["config"]["mark"]["tooltip"] is None
        assert [tooltip for tooltip in tooltips(spec) if not is_for_people(tooltip)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_link_opens_a_page_whole(messages, page):
    """In the first run of a server, which begins with the file of the page; all other tests have a later one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "PagesManager", PagesManager)
        at = sound(opened(page))
    assert not at.error
    assert not at.warning
    assert len(at.title) == 1
    assert len(at.markdown)
    assert bool(frames(at)) is (page not in NO_PICTURES)
    assert all(len(sentence) > 20 for sentence in sentences(at))
    shown = in_frame(messages)
    assert (shown.url_pathname or "home") == page
    assert shown.is_default == (page == "home")
    assert {text for text in told(at) if CHINESE.search(text)} <= {"中文", "Language · 语言"}
    order = [page.url_pathname or "home" for page in only(messages, "navigation").app_pages]
    place = order.index(page)
    ways = [button.key for button in at.button if str(button.key).startswith("to_")]
    assert ways == [f"to_{other}" for other in (*order[max(0, place - 1) : place], *order[place + 1 : place + 2])]


@pytest.mark.parametrize("page", PAGES)
def test_every_look_with_all_controls_at_both_ends_and_again(page):
    """What was set is there again when one comes back, and for whoever opens the link."""
    first = opened(page)
    for link in looks(first):
        at = sound(opened(page, **link)) if link else first
        pointed_at(at)
        for end in (-1, 0):
            sound(set_all(at, list(link), end))
        before = {key: control.value for key, control in controls(at).items()}
        walk(at, "home" if page != "home" else "rope", page)
        assert {key: control.value for key, control in controls(at).items()} == before, link
        again = controls(opened(page, **at.query_params))
        assert {key: again[key].value for key in before if in_link(key)} == {
            key: value for key, value in before.items() if in_link(key)
        }, link


@pytest.mark.parametrize("page", PAGES)
def test_a_hostile_link_gets_a_warning_in_the_language_of_the_visitor_and_loses_nothing(page):
    names = [name for name in controls(opened(page)) if in_link(name)]
    for value in HOSTILE:
        at = sound(opened(page, lang="zh", **dict.fromkeys(names, value)))
        assert "lang" in at.query_params
        assert names == [] or at.warning, value
        assert all(CHINESE.search(warning.value) for warning in at.warning), value
