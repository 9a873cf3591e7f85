"""The frame of every page: navigation, glossary, the place of a chapter in the course, how far a session has come."""

import ast

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed

from pe_core.chapters.course import COURSE, SHORT, following
from tests.app.opened import ROOT, opened, said
from tests.app.walking import PAGES
from tests.cases import each
from ui.frame.shell import ICON
from ui.widgets.prose import sections
from ui.widgets.sidebar import opened_chapters


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


def test_every_page_file_is_in_the_navigation_once_and_the_course_in_its_order(messages):
    opened("home")
    pages = only(messages, "navigation").app_pages
    assert all(page.icon and page.page_name for page in pages)
    assert sorted(page.url_pathname or "home" for page in pages) == PAGES
    chapters = [page for page in pages if page.section_header == "Course"]
    assert [page.url_pathname for page in chapters] == list(COURSE)
    assert [page.page_name.partition(" · ")[0] for page in chapters] == [str(n + 1) for n in range(len(COURSE))]
    assert list(only(messages, "navigation").sections) == ["", "Course", "Reference"]
    assert [page.is_default for page in pages if page.section_header == ""] == [True]


def test_walking_from_page_to_page_and_back_stays_in_the_frame_and_a_second_run_draws_the_same(messages):
    """That every page can be walked to is seen by `test_every_page.py`."""
    at = opened("home")
    for page in ("rope", "home", "lab"):
        at.switch_page(f"pages/{page}.py").run()
        assert (in_frame(messages).url_pathname or "home") == page
    before = [element.type for element in at]
    assert [element.type for element in at.run()] == before
    assert in_frame(messages).url_pathname == "lab"
    assert "_in_shell" not in at.session_state  # or the next run would not know whether it came through `app.py`


def test_the_glossary_is_one_click_away_and_drawn_when_it_is_open():
    at = opened("rope")
    assert not any("**attention sink**" in text.value for text in at.sidebar.markdown)
    at.session_state["glossary"] = True
    assert any("**attention sink**: A token" in text.value for text in at.run().sidebar.markdown)


# The course.


@each("page", ["why_position", "rope"])
def test_a_chapter_says_where_it_stands_and_where_to_go_on(page):
    at = opened(page)
    chapter, text = COURSE[page], sections(page)
    place, words, *_ = [caption.value for caption in at.main.caption]
    assert place.startswith(f"Chapter {list(COURSE).index(page) + 1} of 12 · {chapter.minutes} minutes")
    assert words.startswith(text["so-far"])
    if page == "rope":
        assert "✓\N{NO-BREAK SPACE}same\N{NO-BREAK SPACE}offset\N{NO-BREAK SPACE}· " in words
        assert words.endswith("✗\N{NO-BREAK SPACE}longer\N{NO-BREAK SPACE}texts")
    linked = [link.proto.page for link in at.main.page_link]
    assert linked[: len(chapter.before)] == list(chapter.before)
    assert linked[len(chapter.before)] == following(page)
    assert f"**Take home.** {text['take-home']}\n{text['next']}" in said(at)


def test_the_sidebar_counts_the_chapters_that_were_opened():
    at = opened("counting")
    assert at.sidebar.get("progress")[0].proto.text == "1 of 12 chapters"
    for page in ("rope", "counting", "lab"):
        at.switch_page(f"pages/{page}.py").run()
    progress = at.sidebar.get("progress")[0].proto
    assert (progress.text, progress.value) == ("2 of 12 chapters", 100 * 2 // 12)


@each(
    ("said", "chapters"),
    [
        (["rope", "counting", "rope"], ["counting", "rope"]),
        (["nothing", 3, None, ["rope"], "rope"], ["rope"]),
        (["rope"] * 101, []),
        ("rope", []),
        ({"rope": 1}, []),
        (None, []),
    ],
)
def test_what_a_browser_says_was_opened_is_checked(said, chapters):
    assert opened_chapters(said) == chapters


def test_the_short_path_leads_to_every_one_of_its_pages():
    links = [link.proto.page or "home" for link in opened("home", session={"short_path": True}).sidebar.page_link]
    assert links == [page for stop in SHORT for page in stop.pages]


@each("path", sorted((ROOT / "pages").glob("*.py")))
def test_a_choice_of_looks_has_six_at_most_or_stands_in_groups(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LOOKS":
            looks = ast.literal_eval(node.value)
            assert all(len(group) <= 6 for group in (looks.values() if isinstance(looks, dict) else [looks]))
