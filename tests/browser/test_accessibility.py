"""Nobody is kept out: axe finds nothing serious on any page in either theme, and the keyboard alone works each page."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.looking import picture, put_into
from tests.browser.serving import wait_until_idle
from tests.browser.visiting import HEIGHT

pytestmark = pytest.mark.browser

WORST = {"serious", "critical"}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
OF_THEME = {"type": "rule", "values": ["color-contrast"]}  # the one rule that can find something in one theme only

# What Streamlit or Vega puts on a page, and no page can change: rule of axe, around which element, and why.
UPSTREAM = [
    ("list", '[data-testid="stSidebarNav"]', "sections of the navigation stand between the list and its items"),
    ("listitem", '[data-testid="stSidebarNav"]', "the same"),
    # In the dark that colour also writes the values of sliders on the ground: none is fit for both.
    ("color-contrast", '[data-testid="stMultiSelect"]', "white on the primary colour, whatever that is"),
    ("color-contrast", '[data-testid="stBaseButton-primary"]', "the same"),
    ("svg-img-alt", '[class*="_brush"]', "the rectangle of a selection, which no setting of marks reaches"),
]

MAIN = """document.querySelector('[data-testid="stMainBlockContainer"]')"""
# Of a group of radio buttons only the chosen one is on the way of the Tab key; arrow keys lead to the others.
NUMBER_WHAT_CAN_BE_WORKED = f"""() => {{
    const main = {MAIN};
    const kinds = 'button, input, textarea, select, a[href], summary, [role="slider"], [tabindex]';
    const found = [...main.querySelectorAll(kinds)].filter(one => one.tabIndex >= 0 && !one.disabled
        && one.checkVisibility({{visibilityProperty: true}}) && !one.matches('[role="radio"][aria-checked="false"]'));
    found.forEach((one, place) => one.dataset.walk = place);
    return found.map(one => one.tagName.toLowerCase() + ' ' + (one.getAttribute('aria-label') || one.innerText || ''));
}}"""
TABLE = '[data-testid="data-grid-canvas"]'
WITHIN = "(element, around) => element.closest(around) !== null"
# Without the focus, Tab goes on from where the focus was; where that element is gone, from its place.
TO_THE_TOP = """() => {
    const first = document.body.insertBefore(document.createElement('button'), document.body.firstChild);
    first.focus();
    first.remove();
}"""
FOCUSED = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return 'nowhere';
    return one.dataset.walk ?? 'elsewhere: ' + (one.getAttribute('aria-label') || one.innerText || one.tagName);
}"""


def violations(page, rules=RULES):
    """What axe finds on the page that is serious and not Streamlit's own: rule and element, one line each."""
    options = {"resultTypes": ["violations"], "runOnly": rules}
    found = Axe().run(page, options=options).response["violations"]
    nodes = [(rule["id"], node) for rule in found if rule["impact"] in WORST for node in rule["nodes"]]
    return [f"{rule}: {node['html'][:150]}" for rule, node in nodes if not from_streamlit(page, rule, node)]


def from_streamlit(page, rule, node):
    """Whether the list of what is not ours names the rule and what stands around the element."""
    target = page.locator(node["target"][0]).first
    return any(rule == known and target.evaluate(WITHIN, around) for known, around, _ in UPSTREAM)


def whole(page, scheme):
    """Put a page into a theme and a window as high as it is: axe judges no colours of what is scrolled out of sight."""
    put_into(page, scheme)
    page.set_viewport_size({"width": 1280, "height": page.evaluate(f"{MAIN}.scrollHeight") + 100})
    picture(page)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(loaded, scheme):
    assert violations(whole(loaded, scheme), RULES if scheme == "light" else OF_THEME) == []


def test_axe_sees_what_is_wrong(visit):
    page = whole(visit("/why_position"), "light")
    before = violations(page)
    faint, nameless = '<p style="color:#eee;background:#fff">words</p>', '<button id="nameless"></button>'
    page.evaluate(f"html => {MAIN}.insertAdjacentHTML('beforeend', html)", faint + nameless)
    assert sorted(set(violations(page)) - set(before)) == [f"button-name: {nameless}", f"color-contrast: {faint}"]


def walk(page, most):
    """Press Tab from the top of the page until the focus is back there; what had the focus, in that order."""
    page.evaluate(TO_THE_TOP)
    reached = []
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused == "nowhere" or (reached and focused == reached[0]):
            return reached
        reached.append(focused)
    raise AssertionError(f"the focus never comes out again: it goes on with {reached[-5:]}")


def unreached(page):
    """Names of what can be worked on the page and never gets the focus from the Tab key."""
    # A table chooses a cell when the focus comes in, and the page draws anew what depends on it: before it is numbered.
    for table in page.locator(TABLE).all():
        table.focus()
    wait_until_idle(page)
    names = page.evaluate(NUMBER_WHAT_CAN_BE_WORKED)
    assert names
    reached = set(walk(page, len(names) + 100))
    return [what for place, what in enumerate(names) if str(place) not in reached]


def test_the_tab_key_reaches_whatever_can_be_worked_and_comes_out_again(loaded):
    put_into(loaded, "light")
    loaded.set_viewport_size({"width": 1280, "height": HEIGHT})
    assert unreached(loaded) == []


def test_arrow_keys_go_through_a_group_of_radio_buttons_and_space_chooses(visit):
    page = visit("/rope")
    group = page.locator(".st-key-rope_look").get_by_role("radio")
    chosen, other = group.nth(0), group.nth(1)
    expect(chosen).to_be_checked()
    chosen.focus()
    page.keyboard.press("ArrowRight")
    expect(other).to_be_focused()
    page.keyboard.press("Space")
    expect(other).to_be_checked()
    expect(page).to_have_url(re.compile("rope_look="))


def test_the_walk_starts_at_the_top_wherever_the_focus_was(visit):
    page = visit("/why_position")
    page.get_by_test_id("stMainBlockContainer").get_by_role("button").last.focus()
    assert unreached(page) == []


def test_the_walk_sees_what_the_tab_key_cannot_reach_and_what_holds_it(visit):
    page = visit("/why_position")
    buttons = '<button id="trap">trap</button><button id="late">late</button>'
    page.evaluate(f"html => {MAIN}.insertAdjacentHTML('beforeend', html)", buttons)
    page.evaluate("document.querySelector('#trap').addEventListener('keydown', event => event.preventDefault())")
    names = page.evaluate(NUMBER_WHAT_CAN_BE_WORKED)
    assert names[-2:] == ["button trap", "button late"]
    with pytest.raises(AssertionError, match="never comes out again"):
        walk(page, len(names) + 100)
