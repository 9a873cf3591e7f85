"""What a chapter says of its place in the course, how far a session has come, and that no choice of looks is long."""

import ast
from pathlib import Path

from pe_core.chapters.course import COURSE, SHORT, following
from tests.app.opened import opened, said
from tests.cases import each
from ui.frame.progress import opened_chapters
from ui.widgets.prose import sections

PAGES = Path(__file__).parents[2] / "pages"


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


@each(
    ("page", "words"),
    [
        ("learned", "Learned table: ✓ own code · "),
        ("learned", " · n/a: bounded"),
        ("images", "\n\nRequirements: same offset · neighbours near"),
        ("gallery", "\n\nRequirement: longer texts"),
    ],
)
def test_what_is_met_is_said_of_an_encoding_and_what_a_chapter_is_about_has_no_mark(page, words):
    told = [caption.value.replace("\N{NO-BREAK SPACE}", " ") for caption in opened(page).main.caption]
    assert words in told[1]
    assert ("✓" in told[1]) == bool(COURSE[page].encoding)


def test_a_page_that_is_no_chapter_says_nothing_of_the_course():
    at = opened("own")
    assert not any(caption.value.startswith("Chapter") for caption in at.main.caption)
    assert "Take home" not in said(at)


def progress(at):
    return at.sidebar.get("progress")[0].proto


def test_the_sidebar_counts_the_chapters_that_were_opened():
    at = opened("counting")
    assert progress(at).text == "1 of 12 chapters"
    for page in ("rope", "counting", "lab"):
        at.switch_page(f"pages/{page}.py").run()
    assert progress(at).text == "2 of 12 chapters"
    assert progress(at).value == 100 * 2 // 12


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


def test_the_requirement_stands_in_the_link():
    at = opened("requirements", requirement="longer")
    assert "Loss of a trained model at 8 times" in said(at)
    bad = opened("requirements", requirement="pretty")
    assert "requirement" in bad.warning[0].value
    assert "Smallest distance of two codes" in said(bad)


def test_the_short_path_leads_to_every_one_of_its_pages():
    at = opened("home")
    at.session_state["short_path"] = True
    at.run()
    links = [link.proto.page or "home" for link in at.sidebar.page_link]
    assert links == [page for stop in SHORT for page in stop.pages]


@each("path", sorted(PAGES.glob("*.py")))
def test_a_choice_of_looks_has_six_at_most_or_stands_in_groups(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LOOKS":
            looks = ast.literal_eval(node.value)
            assert all(len(group) <= 6 for group in (looks.values() if isinstance(looks, dict) else [looks]))
