"""What a visitor sees and does: pictures that are drawn and drawn anew, and sliders moved with the keyboard."""

from playwright.sync_api import FloatRect, Locator, Page

from tests.browser.rest import settled
from tests.browser.serving import wait_until_idle
from tests.waiting import PATIENCE, until

CONTROLS = {
    "slider": '[data-testid="stSlider"]',
    "scrubber": '.vega-bind input[type="range"]',
    "picture": '[data-testid="stVegaLiteChart"] :is(svg, canvas)',
}

PICTURE = """number => {
    const chart = document.querySelectorAll('[data-testid="stVegaLiteChart"]')[number];
    if (!chart) return '';
    const canvas = chart.querySelector('canvas');
    if (canvas) return canvas.toDataURL();
    const drawn = chart.querySelector('svg.marks');
    return drawn ? drawn.outerHTML : '';
}"""

# Where a part of the page is, once nothing moves it; a picture that is drawn anew may have taken it away.
PLACE = """part => {
    if (!part.isConnected) return 'gone';
    if (part.getAnimations({subtree: true}).some(one => one.playState === 'running')) return null;
    const {x, y, width, height} = part.getBoundingClientRect();
    return {x, y, width, height};
}"""

LUMINANCE = """() => {
    const [red, green, blue] = getComputedStyle(document.querySelector('[data-testid="stApp"]'))
        .backgroundColor.match(/[0-9.]+/g).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}"""


def picture(page: Page, number: int = 0) -> str:
    """What the chart of that number shows, once it is drawn and has come to rest."""
    return str(settled(page, PICTURE, number, frames=5))


def picture_if_any(page: Page) -> str:
    """What the first chart of the page shows at rest, or nothing on a page without charts."""
    return picture(page) if page.get_by_test_id("stVegaLiteChart").count() else ""


def put_into(page: Page, scheme: str) -> None:
    """Ask for the light or the dark theme, and return once the page has it and its first chart, if any, is drawn."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"dark => (({LUMINANCE})() < 0.2) === dark", arg=scheme == "dark")
    picture_if_any(page)


def place(part: Locator) -> FloatRect:
    """Where a part of the page is in the window, once it is drawn and comes to rest."""
    found: FloatRect = until(
        lambda: (seen := settled(part.page, PLACE, part.element_handle(), frames=5)) != "gone" and seen,
        f"{part} does not stay",
    )
    return found


def middle(part: Locator) -> tuple[float, float]:
    """The middle of a part of the page in the window, once it is drawn and comes to rest."""
    box = place(part)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def in_the_middle(part: Locator) -> FloatRect:
    """Scroll a part of the page into the middle of the window, and return where it is then."""
    part.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    return place(part)


def wait_for_other_picture(page: Page, before: str, number: int = 0, *, timeout: float = 1_000 * PATIENCE) -> None:
    """Return once the chart of that number shows something else."""
    other = f"([number, before]) => {{ const now = ({PICTURE})(number); return now && now !== before; }}"
    page.wait_for_function(other, arg=[number, before], timeout=timeout)


def slider(page: Page, control: str) -> Locator:
    """The handle of a control's slider."""
    return page.locator(f".st-key-{control}").get_by_role("slider")


def press(page: Page, control: str, key: str) -> None:
    """Press a key on the slider of a control."""
    slider(page, control).press(key)
    wait_until_idle(page)


def value(page: Page, control: str) -> str | None:
    """The value of the slider of a control, as it is told to who cannot see it."""
    return slider(page, control).get_attribute("aria-valuetext")
