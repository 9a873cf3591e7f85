"""What does not fit a window, words of pictures too small to be read, and lines that break where none may."""

from contextlib import suppress

from playwright.sync_api import Page, TimeoutError

TOO_WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
    .filter(part => part.scrollWidth > part.clientWidth)
    .map(part => `${part.tagName}: ${part.scrollWidth} in ${part.clientWidth}`)"""
# The words of every picture whose marks are elements, by their size, and how many pictures there are.
WORDS = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')].flatMap(drawn =>
    [...drawn.querySelectorAll('text')].filter(word => word.textContent.trim())
        .map(word => [parseFloat(getComputedStyle(word).fontSize), word.textContent]))"""
# Different words of one picture of which one lies on the other. The box of a word is higher than its letters.
CROWDED = """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')].flatMap(drawn => {
    const words = [...drawn.querySelectorAll('text')]
        .filter(word => word.textContent.trim() && getComputedStyle(word).opacity !== '0')
        .map(word => [word.textContent, word.getBoundingClientRect()]);
    const shared = (one, other, start, end) => Math.min(one[end], other[end]) - Math.max(one[start], other[start]);
    return words.flatMap(([one, box], place) => words.slice(place + 1)
        .filter(([other, its]) => other !== one && shared(box, its, 'left', 'right') > 1
            && shared(box, its, 'top', 'bottom') > 4)
        .map(([other]) => [one, other]));
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
