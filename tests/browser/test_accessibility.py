"""The judges of accessibility see what is wrong, and the Tab key comes to what they judge."""

import pytest

from tests.browser.accessibility import MAIN, NUMBER_WHAT_CAN_BE_WORKED, unreached, violations, walk, whole

pytestmark = pytest.mark.browser


def test_axe_sees_what_is_wrong(visit):
    page = whole(visit("/why_position", fresh=True), "light")
    before = violations(page)
    faint, nameless = '<p style="color:#eee;background:#fff">words</p>', '<button id="nameless"></button>'
    sign = "<span>cos</span>"
    formula = f'<div class="katex" style="color:#eee;background:#fff"><span>i</span>{sign}</div>'
    page.evaluate(f"html => {MAIN}.insertAdjacentHTML('beforeend', html)", faint + nameless + formula)
    found = [f"button-name: {nameless}", f"color-contrast: {faint}", f"color-contrast: {sign}"]
    assert sorted(set(violations(page)) - set(before)) == found


def test_the_walk_starts_at_the_top_and_sees_what_the_tab_key_cannot_reach_and_what_holds_it(visit):
    page = visit("/why_position", fresh=True)
    page.get_by_test_id("stMainBlockContainer").get_by_role("button").last.focus()
    assert unreached(page) == []
    buttons = '<button id="trap">trap</button><button id="late">late</button>'
    page.evaluate(f"html => {MAIN}.insertAdjacentHTML('beforeend', html)", buttons)
    page.evaluate("document.querySelector('#trap').addEventListener('keydown', event => event.preventDefault())")
    names = page.evaluate(NUMBER_WHAT_CAN_BE_WORKED)
    assert names[-2:] == ["button trap", "button late"]
    with pytest.raises(AssertionError, match="never comes out again"):
        walk(page, len(names) + 100)


def test_the_tab_key_comes_through_the_sidebar_to_the_page(visit):
    page = visit("/why_position")
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link").first.focus()

    def reached():
        page.keyboard.press("Tab")
        return page.evaluate(f"{MAIN}.contains(document.activeElement)")

    assert any(reached() for _ in range(sidebar.locator("a, button, input").count() + 10))
