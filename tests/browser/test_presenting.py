"""A lecture is given by keys alone, every scene and its state come back, type is large enough; and a room answers.

The lecture of ten minutes is walked each time. `make verify` walks the others, and sets a slider on each of their
scenes that shows one.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.looking import picture, place, press, slider, value, wait_for_other_picture
from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import TELEPHONE, window
from tests.waiting import until
from ui.lecture.scenes import MAX_REVEALS, load, names

pytestmark = pytest.mark.browser

EACH_TIME = "10"
MIN_TYPE = 24  # pixels at 1920 x 1080
PLACE = "scene => new URLSearchParams(location.search).get('scene') === scene"
STATE = "location.href.replace(/&reveal=[0-9]+/, '')"  # the address without the number of sentences that are shown
# From now on the page notes the type of what it writes on canvases, in pixels of the window, for one scene at a time. A
# picture that goes while its scene comes is on none of the canvases that are seen then.
NOTE_CANVASES = """() => {
    const write = CanvasRenderingContext2D.prototype.fillText;
    window.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (words, ...place) {
        const {a, b} = this.getTransform(), shrunk = this.canvas.clientWidth / this.canvas.width;
        const size = parseFloat(this.font.match(/[0-9.]+(?=px)/)) * Math.hypot(a, b) * shrunk;
        if (size && words.trim()) window.written.push([size, words.slice(0, 40), this.canvas]);
        return write.call(this, words, ...place);
    };
}"""
# The smallest type that is seen, and what it says.
MIN_SEEN = """() => {
    const seen = [...document.querySelectorAll('body *')].filter(one => {
        const words = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        const box = one.getBoundingClientRect();
        return words && one.checkVisibility({visibilityProperty: true}) && box.width > 2 && box.height > 2
            && !one.matches('style, script, noscript');
    }).map(one => [parseFloat(getComputedStyle(one).fontSize), one.textContent.trim().slice(0, 40)]);
    const written = window.written.filter(([, , canvas]) => canvas.isConnected && canvas.checkVisibility());
    const [size, words] = [...seen, ...written].sort((a, b) => a[0] - b[0])[0];
    return [size, words];
}"""


def pytest_generate_tests(metafunc):
    if "lecture" in metafunc.fixturenames:
        metafunc.parametrize("lecture", metafunc.config.getoption("--lectures") or [EACH_TIME])


def go(page, key, scene, number):
    """Press a key until the scene of this number is there, and return once the server has drawn it."""
    sentence = page.locator(".lecture-sentence")
    for _ in range(MAX_REVEALS + 1):
        if sentence.text_content() == scene.sentence:
            break
        page.keyboard.press(key)
    page.wait_for_function(PLACE, arg=str(number))
    wait_until_idle(page)


def min_type(page):
    """The smallest type that the scene shows, in pixels, and what it says, once its picture is drawn."""
    page.locator(".stVegaLiteChart :is(canvas, svg.marks)").filter(visible=True).first.wait_for()
    size, words = page.evaluate(MIN_SEEN)
    page.evaluate("window.written = []")
    return size, words


def test_a_lecture_is_walked_by_keys_and_every_scene_is_large_and_as_it_was_left(visit, lecture):
    scenes = load(lecture).scenes
    page = visit("/lectures", width=1920, fresh=True)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.evaluate(NOTE_CANVASES)
    foot = page.locator(".lecture-foot")

    def begun():
        page.keyboard.press(str(names().index(lecture) + 1))  # its number on the page
        wait_until_idle(page)
        return foot.count()

    until(begun, "the lecture does not begin")
    expect(foot).to_contain_text(f"1 / {len(scenes)}, 0:")
    wait_until_idle(page)
    assert not page.get_by_test_id("stSidebar").is_visible()
    addresses, moved, small = {}, {}, []
    for number, scene in enumerate(scenes, start=1):
        go(page, "PageDown", scene, number)
        assert (page.url.split("?")[0].rsplit("/", 1)[1] or "home") == scene.page
        size, words = min_type(page)
        small += [(number, size, words)] * (size < MIN_TYPE)
        sliders = [name for name in scene.controls if slider(page, name).count() == 1]  # with one handle
        if sliders and (lecture != EACH_TIME or not moved):
            control, before = sliders[0], page.url
            press(page, control, "ArrowLeft")
            page.wait_for_function("before => location.href !== before", arg=before)
            moved[number] = control, value(page, control)
            slider(page, control).blur()
        addresses[number] = settled(page, f"() => {STATE}", frames=5)  # once the server has written it
    assert moved
    assert small == []
    for number in range(len(scenes) - 1, 0, -1):
        go(page, "PageUp", scenes[number - 1], number)
        page.wait_for_function(f"address => {STATE} === address", arg=addresses[number])
        if number in moved:
            control, set_to = moved[number]
            expect(slider(page, control)).to_have_attribute("aria-valuetext", set_to)
    page.keyboard.press("b")
    expect(page.locator(".lecture-black")).to_be_visible()
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in page.url


def test_the_window_of_notes_follows(visit):
    page, notes = visit("/?present=10"), visit("/?present=10&notes=1")
    first, second = load("10").scenes[:2]
    expect(notes.locator(".lecture-notes h1")).to_have_text(first.sentence)
    expect(notes.locator(".lecture-next")).to_have_text(f"Next: {second.sentence}")
    page.keyboard.press("PageDown")
    expect(notes.locator(".lecture-notes h1")).to_have_text(second.sentence)
    expect(notes.locator(".lecture-notes")).to_contain_text("Drag another word.")


def test_what_is_presented_and_what_a_telephone_reads_say_their_language(visit):
    for address in ("/?present=10", "/?present=10&notes=1", "/?answer=ABCD"):
        expect(visit(f"{address}&lang=zh").locator("html")).to_have_attribute("lang", "zh")


# The room answers: the wall shows it without being touched, and then the computed answer.

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
        expect(wall.get_by_text("2 votes so far: 1: 0 votes; 2: 1 vote; 3: 0 votes; 4: 1 vote.")).to_be_attached()
        wall.get_by_role("button", name="Show the answer").click()
        expect(wall.get_by_text("The right answer is 4, with 1 vote.")).to_be_attached()
        expect(second.get_by_text("The right answer is 4")).to_be_visible()  # by itself
