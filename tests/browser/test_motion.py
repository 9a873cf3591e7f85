"""Pictures that are played in the browser, and swipes that scroll whatever they begin on."""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import TELEPHONE

pytestmark = pytest.mark.browser

POSITIONS = """() => new Promise(done => {
    const slider = document.querySelector('.vega-bind input[type="range"]'), seen = new Set();
    const look = () => {
        seen.add(slider.value);
        seen.size < 10 ? requestAnimationFrame(look) : done([...seen].map(Number));
    };
    look();
})"""
TOP = "document.querySelector('[data-testid=\"stMain\"]').scrollTop"
CONTROLS = {
    "slider": '[data-testid="stSlider"]',
    "scrubber": '.vega-bind input[type="range"]',
    "picture": '[data-testid="stVegaLiteChart"] :is(svg, canvas)',
}
VALUES = f"""[...document.querySelectorAll('{CONTROLS["slider"]} input, {CONTROLS["scrubber"]}')]
    .map(control => control.value)"""
HANDS = "/sinusoidal?topic=Clock%20hands"


def open_counted(visit, link):
    """The page of a link at rest, and a list that has an entry for every message to the server from now on."""
    page = visit("/selftest")  # a light one, before the connection that is counted
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    page.goto(page.url.replace("/selftest", link))
    wait_until_idle(page)
    picture(page)
    page.wait_for_timeout(500)
    return page, sent


def test_clock_hands_turn_without_the_server_until_they_are_stopped(visit):
    page, sent = open_counted(visit, HANDS)
    button = page.locator(".vega-bind .player button")
    expect(button).to_have_accessible_name("Play: Position")
    asked = len(sent)
    assert asked > 0
    still = picture(page, 1)
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_text("Pause")
    seen = page.evaluate(POSITIONS)
    assert seen == sorted(seen)
    assert any(position % 1 for position in seen)  # a hand turns between two positions too
    button.click()
    expect(button).to_have_text("Play")
    assert float(page.locator(CONTROLS["scrubber"]).input_value()) % 1 == 0
    assert len(sent) == asked
    assert picture(page, 1) != still


def test_home_plays_once_by_itself_and_the_link_says_nothing_of_it(visit):
    page = visit("/selftest")
    page.goto(page.url.replace("/selftest", "/"))
    button, slider = page.locator(".vega-bind .player button"), page.locator(CONTROLS["scrubber"]).first
    expect(button).to_have_text("Pause")
    page.get_by_label("Speed: Position").select_option("128 a second")
    wait_until_idle(page)
    assert 0 < float(slider.input_value()) < 512
    expect(button).to_have_text("Play")
    expect(slider).to_have_value("512")
    page.wait_for_timeout(600)
    assert "position" not in page.url
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Counting").click()
    page.wait_for_url("**/counting")
    page.go_back()
    expect(button).to_have_text("Play")
    expect(slider).to_have_value("512")
    button.click()  # what the visitor plays is in the link, as everywhere
    button.click()
    page.wait_for_url("**home_picture_at_once_position=*")


def test_the_position_of_the_waves_is_dragged_without_the_server(visit):
    page, sent = open_counted(visit, "/sinusoidal?topic=Waves")
    box = page.locator('[data-testid="stVegaLiteChart"] canvas').bounding_box()
    page.get_by_test_id("stMain").evaluate(
        "(main, by) => main.scrollBy({top: by, behavior: 'instant'})", box["y"] - 300
    )
    page.wait_for_timeout(500)
    box, asked, seen = page.locator('[data-testid="stVegaLiteChart"] canvas').bounding_box(), len(sent), []
    slider, height = page.locator(CONTROLS["scrubber"]), box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], height)
    page.mouse.down()
    for part in (0.4, 0.6, 0.8, 0.5):
        page.mouse.move(box["x"] + part * box["width"], height, steps=5)
        page.wait_for_timeout(100)
        seen.append(int(slider.input_value()))
    page.mouse.up()
    first, second, third, last = seen
    assert first < last < second < third < 64
    assert len(sent) == asked
    page.wait_for_url(f"**_position={last}*")  # once it is at rest, the link knows


def test_both_pictures_of_binary_show_one_position_and_reduced_motion_goes_step_by_step(visit):
    page = visit("/selftest")
    page.emulate_media(reduced_motion="reduce")
    page.goto(page.url.replace("/selftest", "/binary_vs_sinusoid"))
    wait_until_idle(page)
    scrubbers = page.locator(CONTROLS["scrubber"])
    picture(page, 1)
    button = page.locator(".vega-bind .player button").first
    expect(button).to_have_text("Step")
    for position in ("8", "9"):
        button.click()
        page.wait_for_timeout(300)
        assert [one.input_value() for one in scrubbers.all()] == [position, position]


def test_words_are_dragged_moved_by_keys_and_put_in_the_link(visit, app):
    page = visit("/why_position?sentence=a+bb+ccc&order=0")
    words = page.locator(".st-key-order_words .words button")
    expect(words).to_have_text(["a", "bb", "ccc"])
    first, last = words.nth(0).bounding_box(), words.nth(2).bounding_box()
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 2, last["y"] + 5, steps=20)
    expect(words).to_have_text(["bb", "ccc", "a"])
    assert "order=0" in page.url  # nothing is told before the word is let go
    page.mouse.up()
    page.wait_for_url("**order=1.2.0*")
    words.nth(2).press("ArrowLeft")
    page.wait_for_url("**order=1.0.2*")
    expect(words.nth(1)).to_be_focused()
    wait_until_idle(page)
    expect(page.get_by_text("bb a ccc")).to_be_visible()
    other = visit(page.url.removeprefix(app))
    expect(other.locator(".st-key-order_words .words button")).to_have_text(["bb", "a", "ccc"])


@pytest.fixture(scope="module")
def finger(browser, app):
    """A page on a telephone, and what swipes over the place of a control and tells how far the page has scrolled."""
    context = browser.new_context(viewport={"width": TELEPHONE, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    devices = context.new_cdp_session(page)

    def touch(kind, *points):
        devices.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def swipe(control, across, down):
        control.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
        page.wait_for_timeout(300)
        box, before = control.bounding_box(), page.evaluate(TOP)
        x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.7 * box["height"]
        touch("touchStart", (x, y))
        for part in range(1, 11):
            touch("touchMove", (x + across * part / 10, y + down * part / 10))
            page.wait_for_timeout(16)
        touch("touchEnd")
        page.wait_for_timeout(500)
        wait_until_idle(page)
        return page.evaluate(TOP) - before

    def opened(link):
        page.goto(app + link)
        wait_until_idle(page)
        picture(page)
        return page, swipe

    yield opened
    context.close()


@pytest.mark.parametrize("link", ["/rope", HANDS, "/binary_vs_sinusoid"])
def test_a_swipe_up_scrolls_and_changes_nothing_and_one_sideways_drags(finger, link):
    page, swipe = finger(link)
    for place in CONTROLS.values():
        for control in page.locator(place).all()[:1]:
            before, address = page.evaluate(VALUES), page.url
            assert swipe(control, 3, -150) > 50 or swipe(control, 3, 150) < -50  # there may be nothing below it
            assert (page.evaluate(VALUES), page.url) == (before, address)
    assert swipe(page.locator(CONTROLS["slider"]).first, -60, 2) == 0
    assert page.evaluate(VALUES) != before
