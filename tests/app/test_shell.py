"""Every page opens in the frame, whether its link is the first request of the process or a visitor walks there."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from pe_core.chapters.course import COURSE
from tests.app.opened import ROOT, frames, opened, sentences
from ui.frame.shell import ICON

NO_CHAPTERS = {
    "home",
    "models",
    "own",
    "lab",
    "inside",
    "scorecard",
    "claims",
    "selftest",
    "mend",
    "catalogue",
    "lectures",
    "poll",
    "privacy",
}
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
NO_PICTURES = {"lectures", "privacy"}  # theirs are on other pages, or there are none

pytestmark = pytest.mark.usefixtures("own_queue")


@pytest.fixture
def messages(monkeypatch):
    """What the last run sent to the browser beside the elements of the page."""
    sent = []
    forward_msgs = LocalScriptRunner.forward_msgs

    def keep(runner):
        sent[:] = forward_msgs(runner)
        return sent

    monkeypatch.setattr(LocalScriptRunner, "forward_msgs", keep)
    return sent


def test_the_browser_is_never_told_to_take_a_message_from_its_cache():
    message = ForwardMsg()
    message.delta.new_element.markdown.body = "x" * 5_000_000  # far more than any picture
    populate_hash_if_needed(message)
    assert message.hash
    assert not message.metadata.cacheable


def only(messages, kind):
    found = [getattr(message, kind) for message in messages if message.HasField(kind)]
    assert len(found) == 1, f"{len(found)} messages of {kind}"
    return found[0]


def in_frame(messages):
    """The page that the browser was told it is on, after checking that `app.py` has run."""
    window = only(messages, "page_config_changed")
    assert (window.title, window.favicon) == ("Positional Encoding Explorer", ICON)
    navigation = only(messages, "navigation")
    assert len(navigation.app_pages) == len(PAGES)
    return next(page for page in navigation.app_pages if page.page_script_hash == navigation.page_script_hash)


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "later"])
@pytest.mark.parametrize("page", PAGES)
def test_a_link_opens_a_page_in_the_frame(messages, monkeypatch, page, is_first):
    """Whether it is the first run of a server, which begins with the file of the page, or a later one."""
    if is_first:
        monkeypatch.setattr(app_test, "PagesManager", PagesManager)
    at = opened(page)
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert len(at.title) == 1
    shown = in_frame(messages)
    assert (shown.url_pathname or "home") == page
    assert shown.is_default == (page == "home")


def test_every_page_file_is_in_the_navigation_under_its_name(messages):
    opened("home")
    navigation = only(messages, "navigation")
    assert sorted(page.url_pathname or "home" for page in navigation.app_pages) == PAGES
    assert all(page.icon and page.page_name for page in navigation.app_pages)
    course = ["Absolute positions", "Relative positions", "Longer and wider", "Training", "Proof"]
    assert list(navigation.sections) == ["", *course]
    sections = {page.url_pathname or "home": page.section_header for page in navigation.app_pages}
    assert (sections["sinusoidal"], sections["rope"]) == ("Absolute positions", "Relative positions")


def test_every_chapter_of_the_navigation_stands_in_the_course_once_and_in_its_order(messages):
    opened("home")
    pages = only(messages, "navigation").app_pages
    assert [page.url_pathname for page in pages if (page.url_pathname or "home") not in NO_CHAPTERS] == list(COURSE)
    numbers = [page.page_name.partition(" · ")[0] for page in pages if page.url_pathname in COURSE]
    assert numbers == [str(place + 1) for place in range(len(COURSE))]


def test_walking_from_page_to_page_and_back_stays_in_the_frame(messages):
    at = opened("home")
    for page in [*PAGES, "home"]:
        at.switch_page(f"pages/{page}.py").run()
        assert not at.exception
        assert (in_frame(messages).url_pathname or "home") == page


def test_a_second_run_stays_in_the_frame_and_draws_the_same(messages):
    at = opened("lab")
    before = [element.type for element in at]
    at.run()
    assert [element.type for element in at] == before
    assert in_frame(messages).url_pathname == "lab"


def test_the_note_of_the_shell_is_taken_away_by_the_page():
    """Otherwise the next run would not know whether it came through `app.py`."""
    assert "_in_shell" not in opened("home").session_state


def test_the_first_request_with_a_link_restores_its_values():
    at = opened("lab", train_length="32", n_heads="2", seed="7")
    assert at.slider(key="train_length").value == 32
    assert at.select_slider(key="n_heads").value == 2
    assert at.number_input(key="seed").value == 7
    assert not at.warning


@pytest.mark.parametrize("page", PAGES)
def test_no_picture_is_empty_or_without_a_text_alternative(page):
    at = opened(page)
    charts = frames(at)
    assert bool(charts) is (page not in NO_PICTURES)
    assert all(not frame.empty for chart in charts for frame in chart.values())
    said = sentences(at)
    assert len(said) == len(charts)
    assert all(len(sentence) > 20 and "[[" not in sentence for sentence in said)


@pytest.mark.parametrize("page", PAGES)
def test_every_placeholder_of_a_text_is_filled(page):
    texts = [text.value for text in opened(page).markdown]
    assert texts
    assert [text for text in texts if "[[" in text] == []


def test_below_every_page_are_the_ways_to_its_neighbours(messages):
    opened("home")
    order = [page.url_pathname or "home" for page in only(messages, "navigation").app_pages]
    for place, page in enumerate(order):
        ways = [button.key for button in opened(page).button if str(button.key).startswith("to_")]
        assert ways == [f"to_{other}" for other in (*order[max(0, place - 1) : place], *order[place + 1 : place + 2])]
