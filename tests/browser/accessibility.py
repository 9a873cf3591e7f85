"""Nobody is kept out: what axe finds on a page, and what the keyboard alone cannot reach."""

from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.looking import picture_if_any, put_into
from tests.browser.serving import wait_until_idle

WORST = {"serious", "critical"}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
OF_THEME = {"type": "rule", "values": ["color-contrast"]}  # the one rule that can find something in one theme only

# What Streamlit or Vega puts on a page, and no page can change: rule of axe, around which element, and why.
UPSTREAM = [
    ("list", '[data-testid="stSidebarNav"]', "the list of pages has the heads of its sections beside its lines"),
    ("listitem", '[data-testid="stSidebarNav"]', "and the lines of a section stand in no list of their own"),
    ("svg-img-alt", '[class*="_brush"]', "the rectangle of a selection, which no setting of marks reaches"),
]

MAIN = """document.querySelector('[data-testid="stMainBlockContainer"]')"""
# Of a group of radio buttons one is on the way of the Tab key, the first one or the last that was chosen; arrow keys
# lead to the others. So a group is one place, as is a button outside of them.
NUMBER_WHAT_CAN_BE_WORKED = f"""() => {{
    const main = {MAIN}, radio = '[role="radio"]';
    const kinds = 'button, input, textarea, select, a[href], summary, [role="slider"], [tabindex]';
    const of_group = one =>
        one.matches(radio) ? [...one.closest('[role="radiogroup"]').querySelectorAll(radio)] : [one];
    const found = [...main.querySelectorAll(kinds)].filter(one => one.tabIndex >= 0 && !one.disabled
        && one.checkVisibility({{visibilityProperty: true}}) && of_group(one)[0] === one);
    found.forEach((one, place) => of_group(one).forEach(button => button.dataset.walk = place));
    return found.map(one => one.tagName.toLowerCase() + ' ' + (one.getAttribute('aria-label') || one.innerText || ''));
}}"""
TABLE = '[data-testid="data-grid-canvas"]'
WITHIN = "(element, around) => element.closest(around) !== null"
# Without the focus, Tab goes on from where the focus was; where that element is gone, from its place.
TO_THE_TOP = f"""() => {{
    const main = {MAIN}, first = main.insertBefore(document.createElement('button'), main.firstChild);
    first.focus();
    first.remove();
}}"""
FOCUSED = f"""() => {{
    const one = document.activeElement;
    if (!{MAIN}.contains(one)) return 'outside';
    return one.dataset.walk ?? 'elsewhere: ' + (one.getAttribute('aria-label') || one.innerText || one.tagName);
}}"""


# Notes what has the focus after each press of a key, so that many can be pressed before anybody asks.
NOTE_FOCUS = f"""() => {{
    window.walking?.abort();
    window.walking = new AbortController();
    window.walked = [];
    addEventListener('keyup', () => walked.push(({FOCUSED})()), {{capture: true, signal: walking.signal}});
}}"""
AT_ONCE = 10  # presses


# Texts of the same colours, type and classes, in elements of the same classes, have the same contrast: axe takes long
# for that of each, so it judges one of each kind. The signs of a formula are of one kind. Axe says nothing of
# a single character, so none stands for others.
MARK_KINDS = """() => {
    const ground = one => {
        for (; one; one = one.parentElement) {
            const {backgroundColor, backgroundImage} = getComputedStyle(one);
            if (backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none')
                return backgroundColor + backgroundImage;
        }
    };
    const opacity = one => one ? getComputedStyle(one).opacity * opacity(one.parentElement) : 1;
    const kinds = new Map();
    for (const one of document.body.querySelectorAll('*')) {
        delete one.dataset.kind;
        if (one.matches('svg *, script, style, .katex-mathml *')) continue;
        const own = [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('').trim();
        if (!one.value && own.length < 2 || !one.checkVisibility({visibilityProperty: true})) continue;
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(one), around = one.parentElement;
        const classes = one.closest('.katex') ? 'katex' : [one.tagName, one.className, around.className];
        const kind = JSON.stringify([color, fontSize, fontWeight, textShadow, classes, ground(one), opacity(one)]);
        if (!kinds.has(kind)) one.dataset.kind = '';
        kinds.set(kind, [...kinds.get(kind) ?? [], one]);
    }
    window.kinds = [...kinds.values()];
}"""
# Where axe is not sure of the first of a kind, it judges all of that kind.
JUDGE = """async rules => {
    axe.configure({rules: [{id: 'color-contrast', selector: '[data-kind]'}]});
    let {violations, incomplete} = await axe.run({resultTypes: ['violations', 'incomplete'], runOnly: rules});
    const isContrast = ({id}) => id === 'color-contrast';
    const unsure = incomplete.filter(isContrast).flatMap(({nodes}) => nodes.map(({target}) => target[0]));
    const others = kinds.filter(([first]) => unsure.some(one => first.matches(one))).flatMap(([, ...rest]) => rest);
    if (others.length) {
        for (const one of others) one.dataset.kind = '';
        const again = await axe.run({resultTypes: ['violations'], runOnly: ['color-contrast']});
        violations = [...violations.filter(one => !isContrast(one)), ...again.violations];
    }
    return violations.flatMap(({id, impact, nodes}) => nodes.map(({html, target}) => (
        {id, impact, html: html.replace(' data-kind=""', ''), target})));
}"""


def violations(page, rules=RULES):
    """What axe finds on the page that is serious and not Streamlit's own: rule and element, one line each."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    page.evaluate(MARK_KINDS)
    found = [one for one in page.evaluate(JUDGE, rules) if one["impact"] in WORST]
    return [f"{one['id']}: {one['html'][:150]}" for one in found if not from_streamlit(page, one["id"], one)]


def from_streamlit(page, rule, node):
    """Whether the list of what is not ours names the rule and what stands around the element."""
    target = page.locator(node["target"][0]).first
    return any(rule == known and target.evaluate(WITHIN, around) for known, around, _ in UPSTREAM)


def whole(page, scheme):
    """Put a page into a theme and a window as high as it is: axe judges no colours of what is scrolled out of sight."""
    put_into(page, scheme)
    page.set_viewport_size({"width": 1280, "height": page.evaluate(f"{MAIN}.scrollHeight") + 100})
    picture_if_any(page)
    return page


def walk(page, most):
    """Press Tab from the top of the page's own part until the focus leaves it; what had the focus, in that order."""
    page.evaluate(NOTE_FOCUS)
    page.evaluate(TO_THE_TOP)
    reached = []
    while len(reached) < most:
        for _ in range(AT_ONCE):
            page.keyboard.press("Tab")
        for focused in page.evaluate("walked.splice(0)"):
            if focused == "outside":
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
