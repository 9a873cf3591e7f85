"""Every page as visitors see it: each window and theme is set once, and all that is judged there is judged at once."""

from contextlib import nullcontext

import pytest

from tests.browser.accessibility import OF_THEME, RULES, unreached, violations, whole
from tests.browser.first_screen import LOW, MAIN_CONTROLS, WITHOUT, at_rest, missed, small_tags
from tests.browser.layout import crowded, cut, small_words, still_too_wide, too_wide, unannounced
from tests.browser.looking import picture, picture_if_any, put_into
from tests.browser.toolbar import covered
from tests.browser.visiting import NARROWEST, TELEPHONE, finger

pytestmark = pytest.mark.browser

WORD_SIZES = {
    1920: 12.4,
    1280: 12,
    TELEPHONE: 12,
}  # pixels at least, of the words of pictures, by the width of the window
WINDOWS = ((TELEPHONE, 844), (1280, 720))
WIDE = (1920, 1080)  # what fits 1280 x 720 mostly fits this: `make verify` looks
ON_EACH_OTHER = """() => {
    const [one, other] = document.querySelectorAll('svg.marks .role-axis-label text');
    other.setAttribute('transform', one.getAttribute('transform'));
}"""
SET_WIDTH = "width => document.querySelector('[data-testid=stMainBlockContainer]').style.width = width"


def in_the_light(page, name, windows):
    """Yield what is wrong with a page in the light theme, in each of the windows, of which 1280 x 720 is the last."""
    for width, height in windows:
        page.set_viewport_size({"width": width, "height": height})
        put_into(page, "light")  # Streamlit may lose the last of several changes of a picture's height
        with finger(page) if width == TELEPHONE else nullcontext():
            yield from missed(page, name)
            yield from small_words(page, WORD_SIZES[width]) + crowded(page)
            if width == TELEPHONE:
                yield from too_wide(page) + small_tags(page) + cut(page) + unannounced(page)
                page.set_viewport_size({"width": NARROWEST, "height": height})
                yield from still_too_wide(page)
    if page.get_by_test_id("stVegaLiteChart").count():
        yield from covered(page)
    yield from (f"out of reach of the Tab key: {what}" for what in unreached(page))
    yield from violations(whole(page, "light"), RULES)


def in_the_dark(page):
    """Yield what is wrong with a page in the dark theme, in the window that it has: places depend on no theme."""
    before = picture_if_any(page)
    put_into(page, "dark")
    if before and picture(page) == before:
        yield "its picture is the same in the light and in the dark"
    yield from violations(page, OF_THEME)


def test_every_page_in_every_window_and_theme(loaded, request):
    name = loaded.url.split("?")[0].rsplit("/", 1)[1] or "home"
    assert (name in MAIN_CONTROLS) != (name in WITHOUT)
    windows = (WIDE, *WINDOWS) if request.config.getoption("--explore") else WINDOWS
    assert [*in_the_light(loaded, name, windows), *in_the_dark(loaded)] == []


def test_the_judges_see_words_on_each_other_what_is_too_wide_and_what_is_swiped_without_an_arrow(visit):
    page = visit("/learned", width=TELEPHONE, fresh=True)
    picture(page)
    assert unannounced(page) == crowded(page) == []
    page.evaluate(ON_EACH_OTHER)
    assert crowded(page)
    page.add_style_tag(content=".stHorizontalBlock::after { animation: none !important }")
    assert len(unannounced(page)) == 1
    page.evaluate(SET_WIDTH, "500px")
    assert too_wide(page)


def test_a_picture_with_buttons_below_it_keeps_its_height_on_a_low_telephone(visit):
    page = visit("/binary_vs_sinusoid", width=TELEPHONE)
    page.set_viewport_size({"width": TELEPHONE, "height": 660})  # what the bars of a browser leave of 844
    picture(page)
    with finger(page):
        *_, drawn = at_rest(page, "binary_vs_sinusoid")
        assert drawn >= LOW
        assert crowded(page) == []


def test_a_telephone_folds_all_controls_but_the_first(visit):
    page = visit("/rope", width=TELEPHONE)
    picture(page)
    others = [page.locator(f".st-key-{name}") for name in ("key", "rope_width", "rope_seed")]
    assert page.locator(".st-key-query").is_visible()
    assert not any(other.is_visible() for other in others)
    page.get_by_text("More controls").click()
    assert all(other.is_visible() for other in others)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_text("More controls").wait_for(state="hidden")
    assert all(other.is_visible() for other in others)
