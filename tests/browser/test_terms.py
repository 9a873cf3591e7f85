"""A term is marked where it comes first, says what it means, and leaves the text as it is."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import press
from tests.browser.rest import settled
from ui.widgets.terms import terms

pytestmark = pytest.mark.browser

DOUBLED = """() => { const names = [...document.querySelectorAll('dfn.term')].map(one => one.term.term);
    return names.filter((name, place) => names.indexOf(name) !== place); }"""
PROSE = """() => [...document.querySelectorAll('.stMarkdown [data-testid="stMarkdownContainer"]')]
    .map(one => one.textContent)"""
MISPLACED = (
    "document.querySelectorAll(':is(h1, h2, h3, a, code, pre, table, .katex, .st-key-glossary) dfn.term').length"
)


def marked_prose(page):
    """The prose of the page, once its terms have been marked."""
    expect(page.locator("dfn.term").nth(4)).to_be_visible()
    return settled(page, PROSE)


def test_a_term_says_what_it_means_to_pointer_and_keyboard_also_after_a_step_of_a_slider(visit):
    page = visit("/counting")
    meaning = next(one.meaning for one in terms() if one.name == "channel")
    term, box = page.locator("dfn.term").get_by_text("channels", exact=True), page.locator("#term_box")
    before = marked_prose(page)
    term.hover()
    expect(box).to_contain_text(meaning)
    page.mouse.move(5, 5)
    expect(box).to_be_hidden()
    term.focus()
    expect(box).to_be_visible()
    expect(term).to_have_attribute("aria-describedby", "term_box")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()

    press(page, "cnt_second", "ArrowRight")  # new numbers in the paragraph in which the term is marked
    page.wait_for_url("**cnt_second=*")
    after = marked_prose(page)
    assert after != before
    expect(term).to_have_count(1)
    assert page.evaluate(DOUBLED) == []
    assert page.evaluate(MISPLACED) == 0
    page.reload()
    assert marked_prose(page) == after  # nothing of the words before the step is left


def test_in_chinese_a_word_that_has_a_term_within_it_is_not_marked(visit):
    page = visit("/counting?lang=zh")
    marked_prose(page)
    marked = page.evaluate("[...document.querySelectorAll('dfn.term')].map(one => one.textContent)")
    behind = page.evaluate("[...document.querySelectorAll('dfn.term')].map(one => one.nextSibling?.nodeValue ?? '')")
    assert "位置" in marked
    assert not behind[marked.index("位置")].startswith("编码")
