"""The first picture of a page and its main control stand on the first screen, in windows of every kind."""

import pytest

from tests.browser.looking import picture
from tests.browser.visiting import HEIGHT, TELEPHONE

pytestmark = pytest.mark.browser

WINDOWS = ((1920, 1080), (1280, 720), (1024, 768), (TELEPHONE, 844))
MAIN_CONTROLS = {
    "why_position": "order_words",
    "counting": "cnt_first",
    "binary_vs_sinusoid": "positions",
    "sinusoidal": "base",
    "learned": "lrn_step",
    "rope": "query",
    "biases": "bias_systems",
    "windows": "win_mask",
    "extension": "rules",
    "models": "model",
    "images": "img_encodings",
    "gallery": "gal_multiple",
    "own": "own_text",
    "inside": "ins_encoding",
    "claims": "clm",
    "lab": "train",
    "scorecard": "criterion",
    "catalogue": "cat_registry",
    "home": "",  # its picture is of a kept run, which no control changes
}
FIRST = ".st-key-first_picture .stVegaLiteChart, .st-key-first_list"
PICTURES = {"lab": ".stVegaLiteChart", "scorecard": ".stDataFrame", "catalogue": ".st-key-cat_wall_place"}
WITHOUT = {
    "selftest": "asks questions, and says where the pictures are",
    "lectures": "lists lectures, whose pictures are on other pages",
}
TOP_AND_BOTTOM = """([control, pictures]) => {
    document.querySelector('[data-testid="stMain"]').scrollTop = 0;
    const header = document.querySelector('[data-testid="stHeader"]').getBoundingClientRect().bottom;
    const top = part => part.getBoundingClientRect().top;
    const [chart] = [...document.querySelectorAll(pictures)].sort((a, b) => top(a) - top(b));
    const widget = control ? document.querySelector(`[class~="st-key-${control}"]`) : chart;
    const ends = part => { const box = part.getBoundingClientRect(); return [box.top, box.bottom, box.height]; };
    return [header, ends(chart), ends(widget)];
}"""
LOW = 220  # pixels: a picture that is lower shows nothing
SMALL_TAGS = """() => [...document.querySelectorAll('[data-tag] button')].map(tag => tag.getBoundingClientRect())
    .filter(box => box.width && (box.width < 24 || box.height < 24)).length"""


def at_rest(page, name):
    """Return the lower edge of the header, and the ends and heights of picture and control, once they have settled."""
    asked = [MAIN_CONTROLS[name], PICTURES.get(name, FIRST)]
    before, now = None, page.evaluate(TOP_AND_BOTTOM, asked)
    while before != now:
        page.wait_for_timeout(300)
        before, now = now, page.evaluate(TOP_AND_BOTTOM, asked)
    return now


def test_the_first_picture_and_its_main_control_stand_on_the_first_screen(loaded):
    name = loaded.url.split("?")[0].rsplit("/", 1)[1] or "home"
    if name in WITHOUT:
        assert name not in MAIN_CONTROLS
        return
    picture(loaded)
    missed = []
    for width, height in WINDOWS:
        loaded.set_viewport_size({"width": width, "height": height})
        header, chart, control = at_rest(loaded, name)
        print(f"{name} {width} x {height}: picture {chart[0]:.0f} to {chart[1]:.0f}, control to {control[1]:.0f}")
        inside = all(header <= top and bottom <= height and tall for top, bottom, tall in (chart, control))
        if not inside or chart[2] < LOW:
            missed.append((width, height, chart, control))
    small = loaded.evaluate(SMALL_TAGS)
    loaded.set_viewport_size({"width": TELEPHONE, "height": HEIGHT})
    assert missed == []
    assert small == 0


def test_a_telephone_folds_all_controls_but_the_first(visit):
    page = visit("/rope", width=TELEPHONE)
    picture(page)
    others = [page.locator(f".st-key-{name}") for name in ("key", "rope_shift", "rope_width", "rope_seed")]
    assert page.locator(".st-key-query").is_visible()
    assert not any(other.is_visible() for other in others)
    page.get_by_text("More controls").click()
    assert all(other.is_visible() for other in others)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_text("More controls").wait_for(state="hidden")
    assert all(other.is_visible() for other in others)
