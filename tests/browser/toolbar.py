"""No toolbar of a picture lies on a control: neither above the picture nor below it, pointed at or not."""

from playwright.sync_api import Page

from tests.browser.rest import settled

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
