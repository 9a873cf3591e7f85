"""Walk a lecture by keys, forwards and back, and read its smallest type.

The tests do so with one lecture; `python -m tests.browser.walking 10 90` does so with those that it names.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence

from playwright.sync_api import Page

from tests.browser.looking import DEADLINE
from tests.browser.serving import launched, served, wait_until_idle
from ui.lecture.scenes import MAX_REVEALS, Lecture, load

MIN_TYPE = 24  # pixels at 1920 x 1080
HALL = {"width": 1920, "height": 1080}
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


def go(page: Page, lecture: Lecture, key: str, number: int) -> None:
    """Press a key until the scene of this number is there, and return once the server has drawn it."""
    sentence, wanted = page.locator(".lecture-sentence"), lecture.scenes[number - 1].sentence
    for _ in range(MAX_REVEALS + 1):
        if sentence.text_content() == wanted:
            break
        page.keyboard.press(key)
    page.wait_for_function(PLACE, arg=str(number))
    wait_until_idle(page)


def state(page: Page) -> str:
    """Return the address of the page without the number of sentences that are shown, once the server has written it."""
    before = None
    while (now := re.sub(r"&reveal=[0-9]+", "", page.url)) != before:
        before = now
        page.wait_for_timeout(500)
        wait_until_idle(page)
    return now


def path_of(page: Page) -> str:
    """Return the name of the page that the address names."""
    return page.url.split("?")[0].rsplit("/", 1)[1] or "home"


def forwards(page: Page, lecture: Lecture, on_scene: Callable[[int], None]) -> Mapping[int, str]:
    """Walk to the last scene, call `on_scene` with the number of each, and return the address of each as it is left."""
    addresses = {}
    for number in range(1, len(lecture.scenes) + 1):
        go(page, lecture, "PageDown", number)
        assert path_of(page) == lecture.scenes[number - 1].page
        on_scene(number)
        addresses[number] = state(page)
    return addresses


def backwards(page: Page, lecture: Lecture, addresses: Mapping[int, str], on_scene: Callable[[int], None]) -> None:
    """Walk from the last scene to the first, wait until each has its address again, and call `on_scene`."""
    for number in range(len(lecture.scenes) - 1, 0, -1):
        go(page, lecture, "PageUp", number)
        page.wait_for_function(STATE, arg=addresses[number])
        on_scene(number)


def small_type(page: Page) -> tuple[float, str] | None:
    """Return the size in pixels and the words of the smallest type of the scene; None if it has 24 or more."""
    page.locator(".stVegaLiteChart :is(canvas, svg.marks)").first.wait_for()
    size, words = page.evaluate(MIN_SEEN)
    return (size, words) if size < MIN_TYPE else None


def walk(page: Page, address: str, name: str) -> bool:
    """Walk a lecture of the project forwards and back, print what is wrong, and return whether nothing is."""
    lecture, small = load(name), {}

    def look(number: int) -> None:
        if found := small_type(page):
            small[number] = found

    page.set_viewport_size(HALL)
    page.goto(f"{address}/?present={name}")
    wait_until_idle(page)
    addresses = forwards(page, lecture, look)
    backwards(page, lecture, addresses, look)
    print(f"{name}: {len(lecture.scenes)} scenes forwards and back, type below {MIN_TYPE} px: {small or 'none'}")
    return not small


def main(names: Sequence[str]) -> int:
    """Walk the lectures of these names, and return 1 where type is too small."""
    with served() as address, launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(1_000 * DEADLINE)
        found = [walk(page, address, name) for name in names]
        return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
