"""From page to page: the buttons at the foot, the keys of a presenter, and the top, where every page opens."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

# What keeps its keys where it has the focus, and what keeps all keys as long as it is open.
OTHERS_KEYS = """
const OWN_KEYS = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], '
    + '[role="slider"], [role="spinbutton"], [role="combobox"], [role="grid"], [data-testid="stDataFrame"]';
const OPEN = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [data-testid="stPopoverBody"]';
"""
# The keys scroll as on any page of the web and leave a page at its end only, so a browser's own part is told apart from
# ours: it scrolls where the focus is, which right after a page has opened is nowhere.
_LISTENER = (
    OTHERS_KEYS
    + """
const CLOSE = 4;  // pixels from an end that count as its being reached
const still = matchMedia('(prefers-reduced-motion: reduce)');
let path = location.pathname, listening, turned;  // outlive the element: the browser loads this module once

const mainOf = () => document.querySelector('[data-testid="stMain"]');
const left = (box, down) => down ? box.scrollHeight - box.clientHeight - box.scrollTop : box.scrollTop;

function scrollsWithin(box, main, down) {
    for (; box && box !== main; box = box.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(box).overflowY) && left(box, down) > CLOSE) return true;
    }
    return false;
}

function pressed(event, ways) {
    const down = event.key === 'PageDown', focused = document.activeElement ?? document.body;
    if (!down && event.key !== 'PageUp') return;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const main = mainOf();
    if (focused.closest(OWN_KEYS) || document.querySelector(OPEN)) return;
    if (!event.repeat) turned = false;
    if (turned) return event.preventDefault();  // a key held down stays at the top of the page that it has opened
    const inside = main.contains(focused);
    if (left(main, down) > CLOSE) {
        if (inside) return;
        event.preventDefault();
        const far = 0.9 * main.clientHeight;
        main.scrollBy({top: down ? far : -far, behavior: still.matches ? 'instant' : 'smooth'});
    } else if (!event.repeat && !(inside && scrollsWithin(focused, main, down))) {
        const way = document.querySelector(`.st-key-${down ? ways.after : ways.before} button`);
        if (!way) return;  // the first page, the last one, or one that is still being drawn
        event.preventDefault();
        turned = true;
        way.click();
    }
}

function toTheTop() {
    if (path === location.pathname) return;
    path = location.pathname;
    mainOf().scrollTop = 0;
}

export default function ({data}) {
    listening?.abort();  // Streamlit calls this anew without ending what was before, as for other data
    const mine = listening = new AbortController(), signal = mine.signal;
    document.addEventListener('keydown', event => pressed(event, data), {signal});
    // Before the page is painted where the browser tells of its new address, else once it has begun to be drawn.
    window.navigation?.addEventListener('currententrychange', toTheTop, {signal});
    toTheTop();
    return () => mine.abort();
}
"""
)
_KEYS = st.components.v2.component("presenters_keys", js=_LISTENER)
# No room, nor a gap above the title; and a telephone, which has no such keys, does not name them.
_STYLE = """<style>
.st-key-presenters_keys {display: none}
@media (max-width: 640px) { [class*="st-key-to_"] button p > span[style*="font-size"] {display: none} }
</style>"""


def _key(page: StreamlitPage) -> str:
    # One for each page to go to: with one for all, the press would be seen by the next page too, and so on.
    return f"to_{page.url_path or 'home'}"


def neighbours(page: StreamlitPage, pages: Mapping[str, Sequence[StreamlitPage]]) -> Mapping[str, StreamlitPage]:
    """Return the page "before" a page and the one "after" it, where there is one, out of the pages by section."""
    row = [other for section in pages.values() for other in section]
    place = [other.url_path for other in row].index(page.url_path)
    named = {"before": place - 1, "after": place + 1}
    return {name: row[other] for name, other in named.items() if 0 <= other < len(row)}


def open_page(ways: Mapping[str, StreamlitPage]) -> None:
    """Open a page at its top, and let PageUp and PageDown scroll it, and leave it for its `neighbours` at its ends.

    It stands before the page, so that it stays where it is when the visitor goes to another one.
    """
    st.html(_STYLE)
    keys = {name: _key(other) for name, other in ways.items()}
    _KEYS(key="presenters_keys", data=keys)


def turn_pages(ways: Mapping[str, StreamlitPage], between: Callable[[], None]) -> None:
    """Draw the ways to the `neighbours` of a page, and between them what `between` draws."""
    before, middle, after = st.columns(3)
    with middle:
        between()
    if "before" in ways:
        with before:
            _way(ways["before"], "PageUp", ":material/arrow_back:")
    if "after" in ways:
        with after:
            _way(ways["after"], "PageDown", ":material/arrow_forward:")


def _way(page: StreamlitPage, key: str, icon: str) -> None:
    if st.button(f"{page.title} :small[:gray[{key}]]", key=_key(page), icon=icon, type="tertiary"):
        st.switch_page(page, query_params={})  # None would ask to clear what is bound to controls, and is refused
