"""The first picture of a page and its main control stand on the first screen, in windows of every kind."""

from playwright.sync_api import Page

from tests.browser.rest import settled

MAIN_CONTROLS = {
    "why_position": "order_word",
    "requirements": "requirement",
    "counting": "cnt_first",
    "binary_vs_sinusoid": "positions",
    "sinusoidal": "base",
    "learned": "lrn_step",
    "rope": "query",
    "biases": "bias_systems",
    "windows": "win_mask",
    "extension": "ext_factor",
    "models": "model",
    "images": "img_encodings",
    "gallery": "gal_multiple",
    "own": "own_text",
    "inside": "ins_encoding",
    "claims": "clm",
    "lab": "train",
    "scorecard": "criterion",
    "mend": "mend_listing",
    "catalogue": "cat_registry",
    "poll": "question",
    "home": "",  # its picture is of a kept run, which no control changes
}
FIRST = ".st-key-first_picture .stVegaLiteChart"
PICTURES = {
    "lab": ".stVegaLiteChart",
    "scorecard": ".stDataFrame",
    "catalogue": ".st-key-cat_wall_place",
    "mend": ".stVegaLiteChart",
    "poll": ".stVegaLiteChart",
}
WITHOUT = {
    "selftest": "asks questions, and says where the pictures are",
    "lectures": "lists lectures, whose pictures are on other pages",
    "privacy": "says what is kept, in words",
}
TOP_AND_BOTTOM = """([control, pictures]) => {
    document.querySelector('[data-testid="stMain"]').scrollTop = 0;
    const header = document.querySelector('[data-testid="stHeader"]').getBoundingClientRect().bottom;
    const top = part => part.getBoundingClientRect().top;
    const [chart] = [...document.querySelectorAll(pictures)].sort((a, b) => top(a) - top(b));
    const widget = control ? document.querySelector(`[class~="st-key-${control}"]`) : chart;
    const ends = part => { const box = part.getBoundingClientRect(); return [box.top, box.bottom, box.height]; };
    if (!chart || !widget) return null;
    const drawn = chart.querySelector('.marks') ?? chart;
    return [header, ends(chart), ends(widget), drawn.getBoundingClientRect().height];
}"""
LOW = 200  # pixels: what is drawn lower shows nothing
SMALL_TAGS = """() => [...document.querySelectorAll('[data-tag] button')].map(tag => tag.getBoundingClientRect())
    .filter(box => box.width && (box.width < 24 || box.height < 24)).length"""


def at_rest(page, name):
    """Return the lower edge of the header, the ends and heights of picture and control, and how high is what is drawn.

    All are as they stand once they have settled.
    """
    asked = [MAIN_CONTROLS[name], PICTURES.get(name, FIRST)]
    return settled(page, TOP_AND_BOTTOM, asked, frames=5)


def missed(page: Page, name: str) -> list[str]:
    """Return the picture and the main control of a page if they do not stand in its window together."""
    if name in WITHOUT:
        return []
    window = page.viewport_size
    assert window
    header, chart, control, drawn = at_rest(page, name)
    places = f"picture {chart[0]:.0f} to {chart[1]:.0f}, {drawn:.0f} of it drawn, control to {control[1]:.0f}"
    print(f"{name} {window['width']} x {window['height']}: {places}")
    inside = all(header <= top and bottom <= window["height"] and tall for top, bottom, tall in (chart, control))
    return [] if inside and drawn >= LOW else [f"not on the first screen: {places}"]


def small_tags(page: Page) -> list[str]:
    """Return how many tags of choices are too small for a finger, if any are."""
    small = page.evaluate(SMALL_TAGS)
    return [f"{small} tags below 24 pixels"] if small else []
