"""A page is found as it was left, with its link, whichever way one goes and comes back."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import press, value
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

# What is set on the page of Counting: its sliders, its closer looks, the field of its exercise.
SLIDERS, LOOK, GUESS = ("cnt_first", "cnt_second"), "cnt_look", "cnt_guess"


def there(page, name):
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))
    expect(page.locator(".st-key-take_away")).to_be_visible()
    wait_until_idle(page)


def asked(page):
    """What the link names, whatever the order."""
    return set(page.url.partition("?")[2].split("&"))


def test_what_was_set_and_the_link_are_there_again(visit):
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
    link, values = asked(page), [value(page, one) for one in SLIDERS]
    assert len(link) == len(names)

    def found_as_it_was():
        there(page, name)
        assert [value(page, one) for one in SLIDERS] == values
        expect(page.locator(f".st-key-{LOOK}").get_by_role("radio").nth(1)).to_be_checked()
        expect(answer).to_have_value("3")
        assert asked(page) == link

    found_as_it_was()
    main = page.get_by_test_id("stMainBlockContainer")
    main.locator('a[href$="requirements"]').last.click()
    there(page, "requirements")
    main.locator(f'a[href$="{name}"]').last.click()
    found_as_it_was()
    nav = page.get_by_test_id("stSidebarNav")
    nav.locator('a[href$="/rope"]').click()
    there(page, "rope")
    nav.locator(f'a[href$="/{name}"]').click()
    found_as_it_was()
    keeps_the_course_until_told_to_forget(page)


def keeps_the_course_until_told_to_forget(page):
    """The session ends with the page, but what the course has come to is the browser's."""
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
