"""Every page opens in the frame, whether its link is the first request of the process or a visitor walks there."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed

from pe_core.chapters.course import COURSE
from tests.app.opened import opened
from tests.app.walking import PAGES
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


def test_every_page_file_is_in_the_navigation_under_its_name(messages):
    opened("home")
    navigation = only(messages, "navigation")
    assert sorted(page.url_pathname or "home" for page in navigation.app_pages) == PAGES
    assert all(page.icon and page.page_name for page in navigation.app_pages)
    assert list(navigation.sections) == ["", "Course", "Reference"]
    sections = {page.url_pathname or "home": page.section_header for page in navigation.app_pages}
    assert {page for page, section in sections.items() if section == "Course"} == set(COURSE)
    assert {page for page, section in sections.items() if section == "Reference"} == NO_CHAPTERS - {"home"}


def test_every_chapter_of_the_navigation_stands_in_the_course_once_and_in_its_order(messages):
    opened("home")
    pages = only(messages, "navigation").app_pages
    assert [page.url_pathname for page in pages if (page.url_pathname or "home") not in NO_CHAPTERS] == list(COURSE)
    numbers = [page.page_name.partition(" · ")[0] for page in pages if page.url_pathname in COURSE]
    assert numbers == [str(place + 1) for place in range(len(COURSE))]


def test_walking_from_page_to_page_and_back_stays_in_the_frame(messages):
    """That every page can be walked to is seen by `test_every_page.py`."""
    at = opened("home")
    for page in ("rope", "lab", "home"):
        at.switch_page(f"pages/{page}.py").run()
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


def test_the_glossary_is_one_click_away_and_drawn_when_it_is_open():
    at = opened("rope")
    assert not any("**attention sink**" in text.value for text in at.sidebar.markdown)
    at.session_state["glossary"] = True
    assert any("**attention sink**: A token" in text.value for text in at.run().sidebar.markdown)
