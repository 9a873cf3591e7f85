"""PageDown and PageUp scroll as on any page and turn the chapter at its ends only; every page opens at its top."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture_if_any, put_into, slider, value
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle

pytestmark = pytest.mark.browser

MAIN = "document.querySelector('[data-testid=stMain]')"
ENDS = {"start": "0", "middle": f"({MAIN}.scrollHeight - {MAIN}.clientHeight) / 2", "end": f"{MAIN}.scrollHeight"}
# How far down a page is at most since its title is there, while its pictures are drawn.
WATCH = f"""title => {{
    const watch = window.watch = {{farthest: null}};
    const look = () => {{
        if (document.querySelector('h1')?.innerText.startsWith(title))
            watch.farthest = Math.max(watch.farthest ?? 0, {MAIN}.scrollTop);
        if (window.watch === watch) requestAnimationFrame(look);
    }};
    look();
}}"""
SCROLLED = f"() => ({{top: {MAIN}.scrollTop}})"
COUNT_LISTENERS = """() => {
    const counted = new Set(), add = EventTarget.prototype.addEventListener;
    window.ours = counted;
    EventTarget.prototype.addEventListener = function (type, listener, options) {
        if (this === document && type === 'keydown' && String(listener).includes('pressed(')) {
            counted.add(listener);
            options.signal.addEventListener('abort', () => counted.delete(listener));
        }
        return add.call(this, type, listener, options);
    };
}"""


def opened(page, name):
    """The page once it is there to its foot, and its first picture drawn."""
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))
    expect(page.get_by_text("Link, pictures, Python")).to_be_visible()
    wait_until_idle(page)
    picture_if_any(page)


def scrolled(page, before=None):
    """How far the page is scrolled, once it is at rest, and elsewhere than before."""
    page.wait_for_function(f"before => {MAIN}.scrollTop !== before", arg=before)
    return settled(page, SCROLLED, frames=10)["top"]


def scroll_to(page, end):
    page.evaluate(f"{MAIN}.scrollTop = {ENDS[end]}")
    return scrolled(page)


def stays(page, name):
    wait_until_idle(page)
    assert re.search(rf"/{name}(\?|$)", page.url)


@pytest.fixture
def chapter(visit):
    """Opens a chapter in a window in which it is some screens long."""

    def visited(name):
        name = name.replace("home", "")
        page = visit(f"/{name}", still=not name)  # where a picture plays by itself
        opened(page, name)
        return page

    return visited


def test_in_the_middle_of_a_page_the_keys_scroll_by_about_a_screen(chapter):
    page = chapter("extension")
    screen = page.evaluate(f"{MAIN}.clientHeight")
    for key, sign in (("PageDown", 1), ("PageUp", -1)):
        before = scroll_to(page, "middle")
        page.keyboard.press(key)
        assert 0.7 * screen < sign * (scrolled(page, before) - before) <= screen
    stays(page, "extension")


def test_right_after_a_page_has_opened_and_from_the_sidebar_the_keys_work_without_a_click(chapter):
    page = chapter("rope")
    page.keyboard.press("PageDown")
    assert scrolled(page, 0) > 0
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Counting").click()
    opened(page, "counting")
    page.keyboard.press("PageDown")
    assert scrolled(page, 0) > 0
    stays(page, "counting")


def test_the_keys_turn_the_chapter_at_its_ends_and_the_next_one_opens_at_its_top(chapter):
    page = chapter("sinusoidal")
    turns = [("end", "PageDown", "learned", "Learned"), ("end", "PageDown", "rope", "RoPE")]
    for end, key, name, title in [*turns, ("start", "PageUp", "learned", "Learned")]:
        scroll_to(page, end)
        page.evaluate(WATCH, title)
        page.keyboard.press(key)
        opened(page, name)
        assert page.evaluate("watch.farthest") == 0


def test_a_page_that_is_opened_from_far_down_opens_at_its_top(chapter):
    """By a link within a page, from the sidebar, and by the button at the foot."""
    page = chapter("home")
    main, sidebar = page.get_by_test_id("stMainBlockContainer"), page.get_by_test_id("stSidebarNav")
    for way, name, title in (
        (main.locator('a[href$="gallery"]').last, "gallery", "Gallery"),
        (sidebar.get_by_role("link", name="Inspect a model"), "models", "Inspect a model"),
        (page.locator(".st-key-to_gallery").get_by_role("button"), "gallery", "Gallery"),
    ):
        scroll_to(page, "end")
        page.evaluate(WATCH, title)
        way.click()
        opened(page, name)
        assert page.evaluate("watch.farthest") == 0


def test_a_key_that_is_held_down_leaves_no_page(chapter):
    page = chapter("counting")
    scroll_to(page, "end")
    page.evaluate(
        """() => { for (let press = 0; press < 5; press++) document.body.dispatchEvent(
            new KeyboardEvent('keydown', {key: 'PageDown', bubbles: true, cancelable: true, repeat: true})) }"""
    )
    stays(page, "counting")
    page.keyboard.down("PageDown")  # a fresh press leaves, and what follows it stays at the top of the next page
    opened(page, "binary_vs_sinusoid")
    for _ in range(5):
        page.keyboard.down("PageDown")
    assert scrolled(page) == 0
    page.keyboard.up("PageDown")
    stays(page, "binary_vs_sinusoid")
    page.keyboard.press("PageDown")
    assert scrolled(page, 0) > 0


def test_the_first_page_and_the_last_one_lead_nowhere_else(chapter):
    page = chapter("home")
    page.keyboard.press("PageUp")
    stays(page, "")
    page = chapter("privacy")
    scroll_to(page, "end")
    page.keyboard.press("PageDown")
    stays(page, "privacy")


def test_a_page_that_is_shorter_than_the_window_is_left_by_one_press(chapter):
    page = chapter("counting")
    page.set_viewport_size({"width": 1280, "height": 4_000})
    scrolled(page)
    page.keyboard.press("PageDown")
    opened(page, "binary_vs_sinusoid")
    scrolled(page)
    page.keyboard.press("PageUp")
    opened(page, "counting")


def test_keys_of_a_control_stay_with_it(chapter):
    page = chapter("learned")
    page.get_by_test_id("stNumberInput").get_by_role("textbox").or_(page.get_by_role("spinbutton")).first.focus()
    scroll_to(page, "end")
    page.keyboard.press("PageDown")
    stays(page, "learned")
    before = value(page, "lrn_step")
    slider(page, "lrn_step").focus()
    scroll_to(page, "end")
    page.keyboard.press("PageDown")
    stays(page, "learned")
    assert value(page, "lrn_step") != before
    page.get_by_role("button", name="Link, pictures, Python").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("PageDown")
    stays(page, "learned")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    wait_until_idle(page)
    page.locator(".st-key-take_away").get_by_role("button").focus()  # a button has no use for the key
    scroll_to(page, "end")
    page.keyboard.press("PageDown")
    opened(page, "rope")


def test_exactly_one_listener_is_there_after_reruns_and_turns(visit):
    page = visit("/learned")
    page.add_init_script(f"({COUNT_LISTENERS})()")
    page.reload()
    opened(page, "learned")
    n_listeners = "ours.size"
    assert page.evaluate(n_listeners) == 1
    page.locator(".st-key-lrn_look").get_by_role("radio").nth(1).click()
    wait_until_idle(page)
    assert page.evaluate(n_listeners) == 1
    for scheme in ("dark", "light"):  # another theme makes Streamlit start the script anew
        put_into(page, scheme)
        assert page.evaluate(n_listeners) == 1
    for name in ("rope", "biases"):
        page.locator(f".st-key-to_{name}").get_by_role("button").click()
        opened(page, name)
        assert page.evaluate(n_listeners) == 1


def test_the_buttons_name_the_keys_and_lead_to_the_neighbours(chapter):
    page = chapter("counting")
    expect(page.get_by_role("button", name="2 · Requirements PageUp")).to_be_visible()
    page.get_by_role("button", name="4 · Binary against sinusoid PageDown").click()
    opened(page, "binary_vs_sinusoid")
