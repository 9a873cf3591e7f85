"""What only a browser does in Chinese: lines break as they may, and nothing is cut."""

import pytest

from tests.browser.layout import BEGINNINGS, BROKEN
from tests.browser.visiting import HEIGHT, TELEPHONE

pytestmark = pytest.mark.browser

# Streamlit's elements of HTML, which hold the rules of the app, may come a moment after a page is at rest.
STYLED = "getComputedStyle(document.querySelector('.stApp')).fontSynthesisStyle === 'none'"


def test_no_line_begins_with_a_sign_that_closes_and_no_short_formula_is_broken(visit):
    page, found = visit("/rope?lang=zh", width=440), set()
    page.wait_for_function(STYLED)
    for width in range(440, 320, -6):  # each breaks lines in other places
        page.set_viewport_size({"width": width, "height": HEIGHT})
        read = page.evaluate(BEGINNINGS)
        formulas = page.evaluate(BROKEN)
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
    page, whole = visit("/models?lang=zh", width=TELEPHONE), "overflow: visible !important"
    page.wait_for_function(STYLED)
    given, without_room = "", "padding-block: 0 !important; margin-block: 1rem !important;"
    assert len(pictures_of_formulas(page, given)) == 2
    assert pictures_of_formulas(page, given) == pictures_of_formulas(page, given + whole)
    assert pictures_of_formulas(page, without_room) != pictures_of_formulas(page, without_room + whole)
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
