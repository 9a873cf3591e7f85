"""The list of pages in the sidebar.

Streamlit's own list has some 590 components of React, and React goes over all of them at each step of a slider, several
times. This one is a single component; the rest is plain links.
"""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.language.words import _

_KEY = "menu"
_TEST_ID = "stSidebarNav"  # as Streamlit calls its own: what marks a page as read goes by it
# A click goes to the server, which keeps what was set on the page that is left; it is no page load. Other ways to open
# a link, as in a new tab, are the browser's.
_LINKS = """
const folded = new Set();  // sections that the visitor has folded
const TELEPHONE = '(max-width: 768px)', CLOSE = '[data-testid="stSidebarCollapseButton"] button';

const made = (kind, className, ...inside) => {
    const node = document.createElement(kind);
    if (className) node.className = className;
    node.append(...inside);
    return node;
};

function icon(name) {
    const node = made('span', 'icon', name);
    node.setAttribute('aria-hidden', 'true');
    node.translate = false;
    return node;
}

function link(page, current, go) {
    const node = made('a', '', icon(page.icon), made('span', 'name', page.title));
    node.href = new URL(page.path, location.origin + location.pathname.replace(/[^/]*$/, '')).href;
    if (page.path === current) node.setAttribute('aria-current', 'page');
    node.addEventListener('click', event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(page.path);
        if (matchMedia(TELEPHONE).matches) document.querySelector(CLOSE)?.click();
    });
    return made('li', '', node);
}

function section({title, pages}, current, go) {
    const list = made('ul', '', ...pages.map(page => link(page, current, go)));
    if (!title) return list;
    const box = made('details', '', made('summary', '', title, icon('expand_more')), list);
    box.open = !folded.has(title);
    box.addEventListener('toggle', () => box.open ? folded.delete(title) : folded.add(title));
    return box;
}

export default function ({data, parentElement, setTriggerValue}) {
    const nav = parentElement.querySelector('nav'), go = path => setTriggerValue('page', path);
    nav.setAttribute('aria-label', data.label);
    nav.replaceChildren(...data.sections.map(one => section(one, data.current, go)));
}
"""
_LOOK = f"""
.st-key-{_KEY} nav {{
    padding-bottom: 1rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent);
}}
.st-key-{_KEY} ul {{list-style: none; margin: 0; padding: 0}}
.st-key-{_KEY} li {{margin: 2px 0; padding: 0; height: 2rem}}
.st-key-{_KEY} details {{margin-top: 1rem}}
.st-key-{_KEY} summary {{
    display: flex; align-items: center; gap: 0.5rem; margin: 0.5rem 0 0.25rem; cursor: pointer; list-style: none;
    font-size: 0.875rem; font-weight: 500; line-height: 1.5; color: color-mix(in srgb, currentColor 80%, transparent);
}}
.st-key-{_KEY} summary::-webkit-details-marker {{display: none}}
.st-key-{_KEY} summary .icon {{font-size: 1.25rem; visibility: hidden}}
.st-key-{_KEY} :is(summary:hover, details:not([open]) summary) .icon {{visibility: visible}}
.st-key-{_KEY} details:not([open]) summary .icon {{transform: rotate(-90deg)}}
.st-key-{_KEY} a {{
    display: flex; align-items: center; gap: 0.5rem; margin: 2px 0; padding: 0 0.5rem; height: 1.75rem;
    border-radius: 0.25rem; font-size: 0.875rem; line-height: 2; text-decoration: none !important;
    color: color-mix(in srgb, currentColor 80%, transparent) !important;
}}
.st-key-{_KEY} li {{color: inherit}}
.st-key-{_KEY} a .name {{overflow: hidden; text-overflow: ellipsis; white-space: nowrap}}
.st-key-{_KEY} a:is(:hover, [aria-current]) {{background: rgb(151 181 195 / 15%)}}
.st-key-{_KEY} a[aria-current] {{background: rgb(151 181 195 / 25%); font-weight: 600; color: inherit !important}}
.st-key-{_KEY} :is(a, summary):focus-visible {{outline: 2px solid currentColor; outline-offset: -2px}}
.st-key-{_KEY} .icon {{
    font-family: "Material Symbols Rounded"; font-size: 1rem; line-height: 1; font-weight: 400; flex: none;
    width: 1em; height: 1em; overflow: hidden; user-select: none;
}}
"""
_MENU = st.components.v2.component(
    _KEY, html=f'<nav data-testid="{_TEST_ID}"></nav>', css=_LOOK, js=_LINKS, isolate_styles=False
)


def list_pages(pages: Mapping[str, Sequence[StreamlitPage]], page: StreamlitPage) -> None:
    """Draw the pages by section in the sidebar, with that one marked which is shown; go where a link leads."""
    told = {
        "label": _("Pages"),
        "current": page.url_path,
        "sections": tuple(
            {
                "title": title,
                "pages": [
                    {"path": one.url_path, "title": one.title, "icon": one.icon.removeprefix(":material/").rstrip(":")}
                    for one in row
                ],
            }
            for title, row in pages.items()
        ),  # no list: Streamlit would load pandas to see whether it is a table, and the first page waits
    }
    with st.sidebar:
        asked = _MENU(key=_KEY, data=told, on_page_change=_nothing).page
    if asked is not None:
        by_path = {one.url_path: one for row in pages.values() for one in row}
        if asked in by_path:  # a client can send anything
            st.switch_page(by_path[asked], query_params={})


def _nothing() -> None:
    """Say that the trigger is known."""
