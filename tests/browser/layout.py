"""What stands where it should not: out of a window, too small, on each other, under a toolbar, or below the fold."""

from contextlib import suppress

from playwright.sync_api import Page, TimeoutError

from tests.browser.rest import settled

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => `${part.tagName}: ${part.scrollWidth} in ${part.clientWidth}`)"""
# The words of every picture whose marks are elements, by their size, and how many pictures there are.
WORDS = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')].flatMap(drawn =>
    [...drawn.querySelectorAll('text')].filter(word => word.textContent.trim())
        .map(word => [parseFloat(getComputedStyle(word).fontSize), word.textContent]))"""
# Different words of one picture of which one lies on the other, and those that stand twice in its legends. The box of a
# word is higher than its letters.
CROWDED = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')].flatMap(drawn => {
    const words = [...drawn.querySelectorAll('text')]
        .filter(word => word.textContent.trim() && getComputedStyle(word).opacity !== '0')
        .map(word => [word.textContent, word.getBoundingClientRect()]);
    const shared = (one, other, start, end) => Math.min(one[end], other[end]) - Math.max(one[start], other[start]);
    const keys = [...drawn.querySelectorAll('.role-legend-label text')].map(word => word.textContent);
    const twice = keys.filter((word, place) => keys.indexOf(word) < place).map(word => [word, word]);
    return twice.concat(words.flatMap(([one, box], place) => words.slice(place + 1)
        .filter(([other, its]) => other !== one && shared(box, its, 'left', 'right') > 1
            && shared(box, its, 'top', 'bottom') > 4)
        .map(([other]) => [one, other])));
})"""
# What has been chosen and is not read in whole: neither where it was chosen nor elsewhere on the page.
CUT = """() => [...document.querySelectorAll('.stSelectbox input, [data-tag] > span')]
    .filter(one => one.scrollWidth > one.clientWidth)
    .map(one => one.value ?? one.innerText)
    .filter(words => !document.querySelector('[data-testid="stMain"]').innerText.includes(words))"""
# Pictures that are swiped, each with how well its arrow is seen at its start and at its end.
ARROWS = """async () => {
    const swiped = [...document.querySelectorAll('.stHorizontalBlock')].filter(one => one.scrollWidth > one.clientWidth
        && getComputedStyle(one).overflowX === 'auto');
    const frame = () => new Promise(requestAnimationFrame);
    const seen = async (one, left) => {
        one.scrollTo({left, behavior: 'instant'});
        await frame();
        await frame();
        return getComputedStyle(one, '::after').opacity;
    };
    const found = [];
    for (const one of swiped) found.push([await seen(one, one.scrollWidth), await seen(one, 0)]);
    return found;
}"""

# The signs that close, of Chinese, at which a line begins, each with what stands behind it; and how many there are.
BEGINNINGS = """() => {
    const main = document.querySelector('[data-testid="stMain"]'), found = [];
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT), range = document.createRange();
    let signs = 0;
    while (texts.nextNode()) for (const {index} of texts.currentNode.nodeValue.matchAll(/[，。；：、！？）》”]/g)) {
        const node = texts.currentNode;
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const [sign] = range.getClientRects();
        if (!sign?.width) continue;
        signs += 1;
        let block = node.parentElement;
        while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
        range.selectNodeContents(block);
        if (sign.left < Math.min(...[...range.getClientRects()].map(one => one.left)) + 1)
            found.push(node.nodeValue.slice(index, index + 12));
    }
    return {found, signs};
}"""

# The formulas in running text, of at most four parts, that stand on several lines; and how many there are.
BROKEN = """() => {
    const parts = one => [...one.querySelectorAll(':scope > .base')];
    const middles = one => parts(one).map(part => part.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2);
    const all = [...document.querySelectorAll('[data-testid="stMain"] .katex-html')]
        .filter(one => one.offsetParent && !one.closest('.katex-display') && parts(one).length < 5);
    return {
        found: all.filter(one => Math.max(...middles(one)) - Math.min(...middles(one)) > 20)
            .map(one => one.parentElement.querySelector('annotation').textContent),
        formulas: all.length,
    };
}"""


def too_wide(page: Page) -> list[str]:
    """Return what is wider than the window."""
    return [f"too wide: {part}" for part in page.evaluate(TOO_WIDE)]


def still_too_wide(page: Page) -> list[str]:
    """Return what is wider than a window that has become narrower and stays so: pictures adapt a moment later."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => !({TOO_WIDE})().length")
    return too_wide(page)


def small_words(page: Page, smallest: float) -> list[str]:
    """Return the words of pictures below a size in pixels; of those on a canvas test_palette reads the specs."""
    return [f"too small: {word}" for word in page.evaluate(WORDS) if word[0] < smallest - 0.01]


def crowded(page: Page) -> list[str]:
    """Return which words of pictures lie on each other; those on a canvas are not seen here."""
    return [f"on each other: {one} and {other}" for one, other in page.evaluate(CROWDED)]


def cut(page: Page) -> list[str]:
    """Return what has been chosen and is read in part only."""
    return [f"cut: {words}" for words in page.evaluate(CUT)]


def unannounced(page: Page) -> list[str]:
    """Return which pictures are swiped without an arrow that says so at the start, and only there."""
    return [
        f"swiped, arrow seen at its end and at its start: {seen}"
        for seen in page.evaluate(ARROWS)
        if seen != ["0", "1"]
    ]


# The first picture of a page and its main control stand on the first screen, in windows of every kind.

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


# No toolbar of a picture lies on a control: neither above the picture nor below it, pointed at or not.

# Every control that a toolbar touches, and every picture.
COVERED = """() => {
    const kinds = ['button', 'input', 'label', '[role=slider]', '[role=radio]', '.stSlider', '.vega-bindings *'];
    const bars = document.querySelectorAll('.stElementContainer:has(.stVegaLiteChart) .stElementToolbar');
    const others = document.querySelectorAll(`.stMain :is(${kinds}), .stVegaLiteChart`);
    // What is left of a part where it is scrolled, and nothing of one that is folded.
    const seen = part => {
        const box = part.getBoundingClientRect();
        let {left, right, top, bottom} = part.checkVisibility() ? box : {left: 0, right: 0, top: 0, bottom: 0};
        for (let around = part.parentElement; !around.matches('.stMain'); around = around.parentElement) {
            if (getComputedStyle(around).overflowY === 'visible') continue;
            const window = around.getBoundingClientRect();
            [left, right] = [Math.max(left, window.left), Math.min(right, window.right)];
            [top, bottom] = [Math.max(top, window.top), Math.min(bottom, window.bottom)];
        }
        return {part, left, right, top, bottom};
    };
    const meet = (a, b) => Math.max(a.left, b.left) < Math.min(a.right, b.right)
        && Math.max(a.top, b.top) < Math.min(a.bottom, b.bottom);
    const boxes = [...others].map(seen);
    return [...bars].map(seen).flatMap(bar => boxes.filter(one => !bar.part.contains(one.part) && meet(bar, one))
        .map(({part}) => `${part.tagName} ${part.className} ${part.textContent}`.slice(0, 80)));
}"""
# Where the toolbars are, once none of them moves or fades any more.
TOOLBARS = """() => {
    const bars = [...document.querySelectorAll('.stElementContainer:has(.stVegaLiteChart) .stElementToolbar')];
    const moves = one => one.playState === 'running' || one.pending;
    if (bars.some(bar => bar.getAnimations({subtree: true}).some(moves))) return null;
    const places = bars.map(bar => [bar.getBoundingClientRect(), getComputedStyle(bar).opacity]);
    return places.length ? places : null;
}"""
# A point of the rightmost control that stands above the first picture, once the picture has been pointed at.
ABOVE = """() => {
    const chart = document.querySelector('.stVegaLiteChart').getBoundingClientRect();
    const boxes = [...document.querySelectorAll(
        '.stMain :is(.stSlider, .stSelectbox, .stRadio, .stButtonGroup, .stCheckbox, .stMultiSelect, .stButton)')]
        .map(one => ({one, box: one.getBoundingClientRect()}))
        .filter(({box}) => box.width && box.bottom <= chart.top + 1 && box.top >= 0);
    if (!boxes.length) return null;
    const {one, box} = boxes.reduce((a, b) => b.box.right + b.box.bottom > a.box.right + a.box.bottom ? b : a);
    const ends = [0.5, 0.98].flatMap(x => [0.5, 0.95].map(y => [box.left + x * box.width, box.top + y * box.height]));
    return ends.every(([x, y]) => !document.elementFromPoint(x, y)?.closest('.stElementToolbar'));
}"""


def covered(page: Page) -> list[str]:
    """Point at the first picture, and return the controls that its toolbar or another one lies on."""
    chart = page.get_by_test_id("stVegaLiteChart").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 30, max(box["y"], 0) + 20)
    assert settled(page, TOOLBARS, frames=5)  # they move in
    found = [f"under a toolbar: {control}" for control in page.evaluate(COVERED)]
    if page.evaluate(ABOVE) is False:
        found.append("a toolbar lies on the control above the first picture")
    page.mouse.move(1, 1)
    return found
