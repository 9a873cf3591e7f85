"""A lecture is given by keys alone: every scene and its state come back, and all type can be read in a hall."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import press, slider, value
from tests.browser.serving import wait_until_idle
from ui.lecture.scenes import MAX_REVEALS, load

pytestmark = pytest.mark.browser

LECTURE = load("45")
N = len(LECTURE.scenes)
MIN_TYPE = 24  # pixels at 1920 x 1080
PLACE = "scene => new URLSearchParams(location.search).get('scene') === scene"
STATE = "address => location.href.replace(/&reveal=[0-9]+/, '') === address"
# The smallest type that is seen, and what it says; what is drawn on a canvas has no type.
MIN_SEEN = """() => {
    const seen = [...document.querySelectorAll('body *')].filter(one => {
        const words = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        const box = one.getBoundingClientRect();
        return words && one.checkVisibility({visibilityProperty: true}) && box.width > 2 && box.height > 2
            && !one.matches('style, script, noscript');
    }).map(one => [parseFloat(getComputedStyle(one).fontSize), one.textContent.trim().slice(0, 40)]);
    return seen.sort((a, b) => a[0] - b[0])[0];
}"""


def go(page, key, number):
    """Press a key until the scene of this number is there, and return once the server has drawn it."""
    sentence, wanted = page.locator(".lecture-sentence"), LECTURE.scenes[number - 1].sentence
    for _ in range(MAX_REVEALS + 1):
        if sentence.text_content() == wanted:
            break
        page.keyboard.press(key)
    page.wait_for_function(PLACE, arg=str(number))
    wait_until_idle(page)


def state(page):
    """The address of the page without the number of sentences that are shown, once the server has written it."""
    before = None
    while (now := re.sub(r"&reveal=[0-9]+", "", page.url)) != before:
        before = now
        page.wait_for_timeout(500)
        wait_until_idle(page)
    return now


def path_of(page):
    return "home" if (path := page.url.split("?")[0].rsplit("/", 1)[1]) == "" else path


def test_a_lecture_is_walked_by_keys_and_every_scene_is_as_it_was_left(visit):
    page = visit("/?present=45")
    expect(page.locator(".lecture-foot")).to_contain_text(f"1 / {N}, 0:0")
    assert not page.get_by_test_id("stSidebar").is_visible()
    addresses = {}
    for number in range(1, N + 1):
        go(page, "PageDown", number)
        assert path_of(page) == LECTURE.scenes[number - 1].page
        if number == 4:
            press(page, "cnt_second", "ArrowLeft")
            assert value(page, "cnt_second") == "99"
            page.wait_for_url("**cnt_second=99*")
            slider(page, "cnt_second").blur()
        addresses[number] = state(page)
    for number in range(N - 1, 0, -1):
        go(page, "PageUp", number)
        page.wait_for_function(STATE, arg=addresses[number])
        if number == 4:
            expect(slider(page, "cnt_second")).to_have_attribute("aria-valuetext", "99")
    page.keyboard.press("b")
    expect(page.locator(".lecture-black")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in page.url


def test_no_type_of_a_scene_is_small_in_a_hall(visit):
    page = visit("/?present=45", width=1920)
    page.set_viewport_size({"width": 1920, "height": 1080})
    found = []
    for number in range(1, N + 1):
        go(page, "PageDown", number)
        page.locator(".stVegaLiteChart :is(canvas, svg.marks)").first.wait_for()
        size, words = page.evaluate(MIN_SEEN)
        if size < MIN_TYPE:
            found.append((number, size, words))
    assert found == []


def test_the_window_of_notes_follows(visit):
    page, notes = visit("/?present=10"), visit("/?present=10&notes=1")
    first, second = load("10").scenes[:2]
    expect(notes.locator(".lecture-notes h1")).to_have_text(first.sentence)
    expect(notes.locator(".lecture-next")).to_have_text(f"Next: {second.sentence}")
    page.keyboard.press("PageDown")
    expect(notes.locator(".lecture-notes h1")).to_have_text(second.sentence)
    expect(notes.locator(".lecture-notes")).to_contain_text("Drag another word.")
