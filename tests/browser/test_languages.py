"""What only a browser does in Chinese: the choice of a language keeps what is set, and lines break as they may."""

import pytest
from playwright.sync_api import expect

from tests.browser.layout import BEGINNINGS, BROKEN
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import HEIGHT

pytestmark = pytest.mark.browser

# Streamlit's elements of HTML, which hold the rules of the app, may come a moment after a page is at rest.
STYLED = "getComputedStyle(document.querySelector('.stApp')).fontSynthesisStyle === 'none'"


def choose(page, name):
    """Choose a language at the foot of the sidebar."""
    page.locator(".st-key-language").get_by_text(name, exact=True).click()
    wait_until_idle(page)


def test_another_language_keeps_what_is_set_and_has_an_example_of_its_own(visit):
    page = visit("/why_position?why_encoding=rope&lang=en")
    words, sentence = page.locator(".st-key-order_words .words button"), page.locator(".st-key-sentence input")
    expect(words).to_have_text(["man", "old", "the", "bites", "dog", "the"])
    expect(words.nth(1)).to_have_accessible_name("old, word 2 of 6; arrow keys move it")
    choose(page, "中文")
    expect(page.locator("h1")).to_have_text("为什么需要位置编码")
    expect(sentence).to_have_value("狗咬人")
    expect(words).to_have_text(["人", "咬", "狗"])
    expect(words.nth(0)).to_have_accessible_name("人，第 1 个词，共 3 个；用方向键移动")
    assert "why_encoding=rope" in page.url
    assert "lang=zh" in page.url
    words.nth(0).press("ArrowRight")
    page.wait_for_url("**order=1.2.0*")
    sentence.fill("狗咬狗")
    sentence.press("Enter")
    wait_until_idle(page)
    choose(page, "English")
    expect(page.locator("h1")).to_have_text("Why position")
    expect(sentence).to_have_value("狗咬狗")  # what somebody has written stays in every language
    assert "order=1.2.0" in page.url


@pytest.mark.parametrize("name", ["rope", "selftest", "windows"])
def test_no_line_begins_with_a_sign_that_closes_and_no_short_formula_is_broken(name, visit):
    page, found = visit(f"/{name}?lang=zh", width=440), set()
    page.wait_for_function(STYLED)
    for width in range(440, 320, -6):  # each breaks lines in other places
        page.set_viewport_size({"width": width, "height": HEIGHT})
        read = page.evaluate(BEGINNINGS)
        formulas = page.evaluate(BROKEN)
        found.update(read["found"], formulas["found"])
        assert read["signs"] > 50
        assert formulas["formulas"] > 3
    assert found == set()
