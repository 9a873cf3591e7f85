"""Every page as visitors see it: each window and theme is set once, and all that is judged there is judged at once.

Then the judges themselves, what only a telephone does, and what only a browser does in Chinese.
"""

from contextlib import nullcontext

import pytest

from tests.browser import accessibility, layout
from tests.browser.looking import picture, picture_if_any, put_into
from tests.browser.visiting import HEIGHT, NARROWEST, TELEPHONE, finger

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
            yield from layout.missed(page, name)
            yield from layout.small_words(page, WORD_SIZES[width]) + layout.crowded(page)
            if width == TELEPHONE:
                yield from layout.too_wide(page) + layout.small_tags(page) + layout.cut(page) + layout.unannounced(page)
                page.set_viewport_size({"width": NARROWEST, "height": height})
                yield from layout.still_too_wide(page)
    if page.get_by_test_id("stVegaLiteChart").count():
        yield from layout.covered(page)
    yield from (f"out of reach of the Tab key: {what}" for what in accessibility.unreached(page))
    yield from accessibility.violations(accessibility.whole(page, "light"), accessibility.RULES)


def in_the_dark(page):
    """Yield what is wrong with a page in the dark theme, in the window that it has: places depend on no theme."""
    before = picture_if_any(page)
    put_into(page, "dark")
    if before and picture(page) == before:
        yield "its picture is the same in the light and in the dark"
    yield from accessibility.violations(page, accessibility.OF_THEME)


def test_every_page_in_every_window_and_theme(loaded, request):
    name = loaded.url.split("?")[0].rsplit("/", 1)[1] or "home"
    assert (name in layout.MAIN_CONTROLS) != (name in layout.WITHOUT)
    windows = (WIDE, *WINDOWS) if request.config.getoption("--explore") else WINDOWS
    assert [*in_the_light(loaded, name, windows), *in_the_dark(loaded)] == []


# The judges see what is wrong.


def test_the_judges_see_words_on_each_other_what_is_too_wide_and_what_is_swiped_without_an_arrow(visit):
    page = visit("/learned", width=TELEPHONE, fresh=True)
    picture(page)
    assert layout.unannounced(page) == layout.crowded(page) == []
    page.evaluate(ON_EACH_OTHER)
    assert layout.crowded(page)
    page.add_style_tag(content=".stHorizontalBlock::after { animation: none !important }")
    assert len(layout.unannounced(page)) == 1
    page.evaluate(SET_WIDTH, "500px")
    assert layout.too_wide(page)


def test_axe_sees_what_is_wrong(visit):
    page = accessibility.whole(visit("/why_position", fresh=True), "light")
    before = accessibility.violations(page)
    faint, nameless = '<p style="color:#eee;background:#fff">words</p>', '<button id="nameless"></button>'
    sign = "<span>cos</span>"
    formula = f'<div class="katex" style="color:#eee;background:#fff"><span>i</span>{sign}</div>'
    page.evaluate(f"html => {accessibility.MAIN}.insertAdjacentHTML('beforeend', html)", faint + nameless + formula)
    found = [f"button-name: {nameless}", f"color-contrast: {faint}", f"color-contrast: {sign}"]
    assert sorted(set(accessibility.violations(page)) - set(before)) == found


def test_the_walk_starts_at_the_top_and_sees_what_the_tab_key_cannot_reach_and_what_holds_it(visit):
    page = visit("/why_position", fresh=True)
    page.get_by_test_id("stMainBlockContainer").get_by_role("button").last.focus()
    assert accessibility.unreached(page) == []
    buttons = '<button id="trap">trap</button><button id="late">late</button>'
    page.evaluate(f"html => {accessibility.MAIN}.insertAdjacentHTML('beforeend', html)", buttons)
    page.evaluate("document.querySelector('#trap').addEventListener('keydown', event => event.preventDefault())")
    names = page.evaluate(accessibility.NUMBER_WHAT_CAN_BE_WORKED)
    assert names[-2:] == ["button trap", "button late"]
    with pytest.raises(AssertionError, match="never comes out again"):
        accessibility.walk(page, len(names) + 100)


def test_the_tab_key_comes_through_the_sidebar_to_the_page(visit):
    page = visit("/why_position")
    sidebar = page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link").first.focus()

    def reached():
        page.keyboard.press("Tab")
        return page.evaluate(f"{accessibility.MAIN}.contains(document.activeElement)")

    assert any(reached() for _ in range(sidebar.locator("a, button, input").count() + 10))


def test_lines_of_colours_alike_and_two_guesses_stand_once_in_the_legends(visit):
    page = visit("/claims?clm=sinusoid_far&clm_shown=at+once")
    assert "Learned table" in picture(page)
    assert layout.crowded(page) == []


# On a telephone.


def test_a_picture_with_buttons_below_it_keeps_its_height_on_a_low_telephone(visit):
    page = visit("/binary_vs_sinusoid", width=TELEPHONE)
    page.set_viewport_size({"width": TELEPHONE, "height": 660})  # what the bars of a browser leave of 844
    picture(page)
    with finger(page):
        *_, drawn = layout.at_rest(page, "binary_vs_sinusoid")
        assert drawn >= layout.LOW
        assert layout.crowded(page) == []


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


# In Chinese: lines break as they may, and nothing is cut.

# Streamlit's elements of HTML, which hold the rules of the app, may come a moment after a page is at rest.
STYLED = "getComputedStyle(document.querySelector('.stApp')).fontSynthesisStyle === 'none'"


def test_no_line_begins_with_a_sign_that_closes_and_no_short_formula_is_broken(visit):
    page, found = visit("/rope?lang=zh", width=440), set()
    page.wait_for_function(STYLED)
    for width in range(440, 320, -6):  # each breaks lines in other places
        page.set_viewport_size({"width": width, "height": HEIGHT})
        read = page.evaluate(layout.BEGINNINGS)
        formulas = page.evaluate(layout.BROKEN)
        found.update(read["found"], formulas["found"])
        assert read["signs"] > 50
        assert formulas["formulas"] > 3
    assert found == set()


def pictures_of_formulas(page, style):
    """How the formulas of a page look under a further style, with what stands out above and below them."""
    added, found = page.add_style_tag(content=f".stMarkdown .katex-display {{ {style} }}"), []
    for formula in page.locator(".katex-display").all():
        formula.scroll_into_view_if_needed()
        box = formula.bounding_box()
        around = {"x": box["x"], "y": box["y"] - 12, "width": box["width"], "height": box["height"] + 24}
        found.append(page.screenshot(clip=around))
    added.evaluate("one => one.remove()")
    return found


def test_no_sign_of_a_formula_is_cut_and_a_wide_one_is_scrolled_to_the_side_only(visit):
    page, uncut = visit("/models?lang=zh", width=TELEPHONE), "overflow: visible !important"
    page.wait_for_function(STYLED)
    given, without_room = "", "padding-block: 0 !important; margin-block: 1rem !important;"
    assert len(pictures_of_formulas(page, given)) == 2
    assert pictures_of_formulas(page, given) == pictures_of_formulas(page, given + uncut)
    assert pictures_of_formulas(page, without_room) != pictures_of_formulas(page, without_room + uncut)
    page.set_viewport_size({"width": 240, "height": HEIGHT})
    formula = page.locator(".katex-display").first
    assert formula.evaluate("one => one.scrollWidth > one.clientWidth && one.scrollHeight === one.clientHeight")


def test_a_telephone_shows_small_tables_whole_and_each_line_of_a_wide_one_begins_with_its_head(visit):
    for name, head in (("models", "层数"), ("own", "阈值"), ("mend", "改正后")):
        page = visit(f"/{name}?lang=zh", width=TELEPHONE)
        page.wait_for_function(STYLED)
        cells = page.locator("[class*=st-key-lines_] td")
        edges = "all => all.map(one => one.getBoundingClientRect()).flatMap(box => [box.left, box.right])"
        assert 0 < min(cells.evaluate_all(edges)) < max(cells.evaluate_all(edges)) < TELEPHONE
        heads = cells.evaluate_all("all => all.map(one => getComputedStyle(one, '::before').content)")
        assert f'"{head}"' in heads
