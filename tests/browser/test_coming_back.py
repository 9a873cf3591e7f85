"""Going from page to page: each opens at its top, and is found as it was left, with its link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture_if_any, press, value
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

MAIN = "document.querySelector('[data-testid=stMain]')"
# What is set on the page of Counting: its sliders, its closer looks, the field of its exercise.
SLIDERS, LOOK, GUESS = ("cnt_first", "cnt_second"), "cnt_look", "cnt_guess"


def there(page, name):
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))
    expect(page.locator(".st-key-take_away")).to_be_visible()
    wait_until_idle(page)


def test_a_page_that_is_opened_from_far_down_opens_at_its_top(visit):
    """By a link within a page, from the sidebar, and by the link at the foot."""
    page = visit("/", still=True)  # its picture plays by itself
    main, sidebar = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    expect(main.locator(".st-key-take_away")).to_be_visible()
    for way, name, title in (
        (main.locator('a[href$="gallery"]').last, "gallery", "Gallery"),
        (sidebar.get_by_role("link", name="Inspect a model"), "models", "Inspect a model"),
        (main.locator('a[href$="scorecard"]').last, "scorecard", "Scorecard"),
    ):
        page.evaluate(f"{MAIN}.scrollTop = {MAIN}.scrollHeight")
        assert settled(page, f"() => ({{top: {MAIN}.scrollTop}})", frames=10)["top"] > 0
        way.click()
        there(page, name)
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
        picture_if_any(page)
        page.wait_for_function(f"{MAIN}.scrollTop === 0")


def test_what_was_set_and_the_link_are_there_again_and_the_course_until_it_is_forgotten(visit):
    name = "counting"
    page = visit(f"/{name}")
    there(page, name)
    for one in SLIDERS:
        press(page, one, "ArrowLeft")
    page.locator(f".st-key-{LOOK}").get_by_role("radio").nth(1).click()
    wait_until_idle(page)
    answer = page.locator(f".st-key-{GUESS}").locator("input").first
    answer.fill("3")
    answer.press("Enter")
    wait_until_idle(page)
    names = [*SLIDERS, LOOK, GUESS]
    expect(page).to_have_url(re.compile("".join(rf"(?=.*[?&]{one}=)" for one in names)))
    # What the link names, whatever the order.
    link, values = set(page.url.partition("?")[2].split("&")), [value(page, one) for one in SLIDERS]
    assert len(link) == len(names)

    def found_as_it_was():
        there(page, name)
        assert [value(page, one) for one in SLIDERS] == values
        expect(page.locator(f".st-key-{LOOK}").get_by_role("radio").nth(1)).to_be_checked()
        expect(answer).to_have_value("3")
        assert set(page.url.partition("?")[2].split("&")) == link

    found_as_it_was()
    main, nav = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    for part, other, way in ((main, "requirements", ""), (nav, "rope", "/")):
        part.locator(f'a[href$="{way}{other}"]').last.click()
        there(page, other)
        part.locator(f'a[href$="{way}{name}"]').last.click()
        found_as_it_was()
    # The session ends with the page, but what the course has come to is the browser's.
    progress = page.get_by_test_id("stSidebar").get_by_test_id("stProgress")
    opened = int(progress.inner_text().split(" of ")[0])
    assert opened >= 3
    page.reload()
    expect(progress).to_have_text(f"{opened} of 12 chapters")
    page.get_by_role("button", name="Forget my progress").click()
    expect(progress).to_have_text("1 of 12 chapters")


def test_going_back_to_a_value_that_the_link_may_not_have_names_it_again_and_the_page_goes_on(visit):
    page = visit("/rope?rope_width=7", fresh=True)
    there(page, "rope")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    page.go_back()
    there(page, "rope")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert value(page, "rope_width") == "32"
