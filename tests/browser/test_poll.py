"""A room answers: two devices vote, the wall shows it without being touched, and then the computed answer."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, place, wait_for_other_picture
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import TELEPHONE, window

pytestmark = pytest.mark.browser

FINGER = 44  # pixels


def vote(page, answer):
    button = page.get_by_role("button", name=answer, exact=True)
    expect(button).to_be_enabled()
    assert place(button)["height"] >= FINGER
    button.click()
    expect(page.get_by_text(f"Your vote: {answer}.")).to_be_visible()


def test_two_devices_vote_and_the_wall_shows_it(visit, browser, app):
    wall = visit("/poll?question=bits")
    link = "/" + wall.locator(".poll-address div").inner_text().rpartition("/")[2]
    before = picture(wall)
    first = visit(link, width=TELEPHONE)
    expect(first.get_by_test_id("stSidebar")).to_have_count(0)
    vote(first, "1")
    vote(first, "4")
    wait_for_other_picture(wall, before)
    again = visit(link, width=TELEPHONE)
    expect(again.get_by_text("Your vote: 4.")).to_be_visible()  # another window of the same device
    with window(browser) as other:
        second = other.new_page()
        second.goto(app + link)
        wait_until_idle(second)
        vote(second, "2")
        expect(wall.get_by_text("2 votes so far: 1 0, 2 1, 3 0, 4 1.")).to_be_attached()
        wall.get_by_role("button", name="Show the answer").click()
        expect(wall.get_by_text("The right answer is 4, with 1 vote.")).to_be_attached()
        expect(second.get_by_text("The right answer is 4")).to_be_visible()  # by itself
