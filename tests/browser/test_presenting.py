"""A lecture is given by keys alone: every scene and its state come back, and all type can be read in a hall."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import press, slider, value
from tests.browser.serving import wait_until_idle
from tests.browser.walking import HALL, backwards, forwards, go, small_type
from ui.lecture.scenes import load

pytestmark = pytest.mark.browser

LECTURE = load("45")
N = len(LECTURE.scenes)


def test_a_lecture_is_walked_by_keys_and_every_scene_is_as_it_was_left(visit):
    page = visit("/lectures")
    page.keyboard.press("2")  # the second lecture of the page
    expect(page.locator(".lecture-foot")).to_contain_text(f"1 / {N}, 0:0")
    wait_until_idle(page)
    assert not page.get_by_test_id("stSidebar").is_visible()

    def change(number):
        if number == 4:
            press(page, "cnt_second", "ArrowLeft")
            assert value(page, "cnt_second") == "99"
            page.wait_for_url("**cnt_second=99*")
            slider(page, "cnt_second").blur()

    def find(number):
        if number == 4:
            expect(slider(page, "cnt_second")).to_have_attribute("aria-valuetext", "99")

    backwards(page, LECTURE, forwards(page, LECTURE, change), find)
    page.keyboard.press("b")
    expect(page.locator(".lecture-black")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in page.url


def test_no_type_of_a_scene_is_small_in_a_hall(visit):
    page = visit("/?present=45", width=1920)
    page.set_viewport_size(HALL)
    found = {}
    for number in range(1, N + 1):
        go(page, LECTURE, "PageDown", number)
        if small := small_type(page):
            found[number] = small
    assert found == {}


def test_the_window_of_notes_follows(visit):
    page, notes = visit("/?present=10"), visit("/?present=10&notes=1")
    first, second = load("10").scenes[:2]
    expect(notes.locator(".lecture-notes h1")).to_have_text(first.sentence)
    expect(notes.locator(".lecture-next")).to_have_text(f"Next: {second.sentence}")
    page.keyboard.press("PageDown")
    expect(notes.locator(".lecture-notes h1")).to_have_text(second.sentence)
    expect(notes.locator(".lecture-notes")).to_contain_text("Drag another word.")
