"""The words of the field where they are met: a term that is pointed at, focused or touched says what it means.

The terms stand in `content/<language>/glossary.md`. The browser marks each of them where it comes first in the prose of
a page: the server would have to know what else the page says.
"""

from dataclasses import dataclass
from functools import cache

import streamlit as st

from pe_core.translation import CONTENT, ENGLISH
from pe_core.wrapping import kept_together
from ui.language.words import _, language
from ui.widgets.prose import sections

LIST = "glossary"  # the place of the list, where no term is marked


@dataclass(frozen=True)
class Term:
    """A term, the forms under which prose has it, and what it means."""

    name: str
    forms: tuple[str, ...]
    meaning: str


# Text belongs to React, which changes the text of a node or takes it away, and knows nothing of what we put beside it.
# So what is marked is watched, a few paragraphs only, and put back as it was before it is painted with new words.
_MARKER = """
const PROSE = '[data-testid="stMain"] .stMarkdown [data-testid="stMarkdownContainer"]';
const LEFT_OUT = 'h1, h2, h3, h4, h5, h6, a, button, label, summary, code, pre, table, .katex, dfn';
const GAP = 6;  // pixels between a term and its box
const HIDE = 200;  // milliseconds in which the pointer may get into the box
const known = new WeakMap(), changes = new WeakMap(), marked = new Map();
const soon = work => window.requestIdleCallback?.(work, {timeout: 500}) ?? setTimeout(work, 100);
const KINDS = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
const outside = node => node.matches?.(LEFT_OUT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
let own, due, box, shownOf, timer;

function undo(prose) {
    for (const {node, before, text, added} of changes.get(prose) ?? []) {
        if (node.nodeValue === before) node.nodeValue = text;  // else it has new words already
        for (const one of added) one.remove();
    }
    changes.delete(prose);
    known.delete(prose);
}

// Where a term is marked further down, that mark is taken away: the look that goes on comes to it again.
function isFree(term, node) {
    const other = marked.get(term);
    if (!other?.isConnected) return true;
    if (!(node.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)) return false;
    undo(other.closest(PROSE));
    return true;
}

function mark(node, words) {
    const text = node.nodeValue, added = [], here = new Set();
    let before = null, last = 0;
    for (const found of text.matchAll(words.pattern)) {
        const term = words.of.get(found[0].toLowerCase());
        if (!term || here.has(term) || !isFree(term, node)) continue;
        here.add(term);
        const name = document.createElement('dfn');
        name.className = 'term';
        name.tabIndex = 0;
        name.textContent = found[0];
        name.term = term;
        marked.set(term, name);
        const between = text.slice(last, found.index);
        if (before === null) before = between;
        else added.push(document.createTextNode(between));
        added.push(name);
        last = found.index + found[0].length;
    }
    if (before === null) return null;
    added.push(document.createTextNode(text.slice(last)));
    node.nodeValue = before;
    node.after(...added);
    return {node, before, text, added};
}

function look(words, watching) {
    due = false;
    for (const prose of document.querySelectorAll(PROSE)) {
        if (known.get(prose) === prose.textContent) continue;
        undo(prose);
        const walker = document.createTreeWalker(prose, KINDS, outside), nodes = [];
        if (!prose.closest(words.list)) while (walker.nextNode()) nodes.push(walker.currentNode);
        const made = nodes.map(node => node.nodeValue && mark(node, words)).filter(Boolean);
        known.set(prose, prose.textContent);
        if (!made.length) continue;
        changes.set(prose, made);
        watching.observe(prose, {childList: true, characterData: true, subtree: true});
    }
    watching.takeRecords();
    if (shownOf && !shownOf.isConnected) hide();
}

function hide() {
    clearTimeout(timer);
    shownOf?.removeAttribute('aria-describedby');
    shownOf = null;
    box.hidden = true;
}

function show(name) {
    hide();
    shownOf = name;
    const {term, meaning} = name.term, head = document.createElement('strong');
    head.textContent = term;
    box.replaceChildren(head, document.createElement('br'), meaning);
    const style = getComputedStyle(document.querySelector('[data-testid="stApp"]'));
    box.style.background = style.backgroundColor;
    box.style.color = style.color;
    box.style.fontFamily = style.fontFamily;
    box.hidden = false;
    name.setAttribute('aria-describedby', box.id);
    const around = name.getClientRects()[0], {width, height} = box.getBoundingClientRect();
    const below = around.bottom + GAP, above = around.top - GAP - height;
    box.style.left = `${Math.max(GAP, Math.min(around.left, innerWidth - width - GAP))}px`;
    box.style.top = `${below + height > innerHeight && above > 0 ? above : below}px`;
}

export default function ({data}) {
    own?.abort();  // Streamlit calls this anew without ending what was before
    const mine = own = new AbortController(), listen = (type, listener) =>
        document.addEventListener(type, listener, {signal: mine.signal, capture: true, passive: true});
    const of = new Map(data.terms.flatMap(one => one.forms.map(form => [form.toLowerCase(), one])));
    const forms = [...of.keys(), ...data.others].sort((a, b) => b.length - a.length).join('|');
    const pattern = new RegExp(`(?<![\\\\w-])(?:${forms})(?![\\\\w-])`, 'gi');
    const words = {of, pattern, list: `.st-key-${data.list}`};

    box ??= document.createElement('div');
    box.id = 'term_box';
    box.setAttribute('role', 'tooltip');
    box.hidden = true;
    document.body.append(box);
    const termAt = event => event.target.closest?.('dfn.term');
    listen('pointerover', event => {
        if (termAt(event)) show(termAt(event));
        else if (box.contains(event.target)) clearTimeout(timer);
    });
    listen('pointerout', event => {
        if (event.pointerType !== 'touch' && (termAt(event) || box.contains(event.target))) {
            clearTimeout(timer);
            timer = setTimeout(hide, HIDE);
        }
    });
    listen('pointerdown', event => { if (!termAt(event) && !box.contains(event.target)) hide(); });
    listen('focusin', event => { if (termAt(event)) show(termAt(event)); });
    listen('focusout', event => { if (termAt(event)) hide(); });
    listen('keydown', event => { if (event.key === 'Escape') hide(); });
    listen('scroll', hide);

    const later = () => {
        if (due) return;
        due = true;
        soon(() => mine.signal.aborted || look(words, watching));
    };
    const watching = new MutationObserver(records => {
        const around = ({target}) => (target.closest ? target : target.parentElement)?.closest(PROSE);
        for (const prose of new Set(records.map(around))) if (prose) undo(prose);
        watching.takeRecords();
        later();
    });
    const pages = new MutationObserver(later);  // of pictures too: so it only asks for one look, at rest
    pages.observe(document.querySelector('[data-testid="stMain"]') ?? document.body, {childList: true, subtree: true});
    later();
    mine.signal.addEventListener('abort', () => {
        watching.disconnect();
        pages.disconnect();
        due = false;
        hide();
    });
    return () => mine.abort();
}
"""
_CSS = """
.st-key-terms {display: none}
dfn.term {font-style: inherit; text-decoration: underline dotted; text-underline-offset: 0.2em; cursor: help}
dfn.term:focus-visible {outline: 2px solid currentColor; outline-offset: 2px; border-radius: 2px}
#term_box {
    position: fixed; z-index: 1000000; max-width: min(22rem, calc(100vw - 12px)); padding: 0.5rem 0.75rem;
    border: 1px solid color-mix(in srgb, currentColor 40%, transparent); border-radius: 0.5rem;
    font-size: 0.9rem; line-height: 1.4; box-shadow: 0 2px 8px rgb(0 0 0 / 25%);
}
"""
_TERMS = st.components.v2.component("terms", css=_CSS, js=_MARKER, isolate_styles=False)


def terms() -> tuple[Term, ...]:
    """Return the terms in the visitor's language, in the order of the file."""
    return _terms(language())


@cache
def _terms(language: str) -> tuple[Term, ...]:
    """Return the terms of a language.

    A heading of the file has the English term and, after a slash, its forms. In another language the meaning begins
    with the term and a colon; one of a single character is not looked for, since it is part of many other words.
    """
    found = []
    for heading, meaning in sections(LIST, language).items():
        name, *said = heading.split(" / ")
        forms = tuple(said[0].split(", ")) if said else (name,)
        if language != ENGLISH:
            own, meaning = meaning.split("：", 1)
            name = own if own in (name, *forms) else f"{own}（{name}）"
            forms = (own,) if len(own) > 1 else ()
        found.append(Term(name, forms, kept_together(meaning)))
    return tuple(found)


@cache
def _others(language: str) -> tuple[str, ...]:
    """Return the words of a language that have a term within them and are none: Chinese has no spaces between words."""
    path = CONTENT / language / "compounds.txt"
    return tuple(path.read_text(encoding="utf-8").split()) if path.exists() else ()


def explain_terms() -> None:
    """Let each term say what it means where it comes first on a page; it stands before the page."""
    told = tuple({"term": one.name, "forms": one.forms, "meaning": one.meaning} for one in terms() if one.forms)
    _TERMS(key="terms", data={"terms": told, "others": _others(language()), "list": LIST})


def list_terms(n_columns: int) -> None:
    """Draw all terms with what they mean, in columns that are read from top to bottom."""
    lines = [f"**{one.name}**{_(': ')}{one.meaning}" for one in terms()]
    rows = -(-len(lines) // n_columns)
    with st.container(key=LIST):
        for place, column in enumerate(st.columns(n_columns)):
            column.markdown("\n\n".join(lines[place * rows : (place + 1) * rows]))
