"""The part of a presented page that lives in the browser: keys, the sentence, the timer, and the window of notes.

The server draws a scene as it draws any link; from scene to scene the browser goes by its own history, so that what a
link says wins over what the session has set. What was set on a scene is in its address when it is left, and is kept
with the window. All texts of a lecture are put in as text, never as HTML.
"""

from typing import TypedDict

import streamlit as st

from ui.frame.turns import fragment
from ui.language.words import _


class ToldScene(TypedDict):
    """What the browser knows of a scene."""

    link: str
    sentence: str
    reveals: list[str]
    notes: str
    minutes: float


class Told(TypedDict):
    """What the browser knows of a lecture; what it says itself is `said`, in the visitor's language."""

    name: str
    title: str
    minutes: float
    scenes: list[ToldScene]
    said: dict[str, str]


def words() -> dict[str, str]:
    """Return what the browser says itself, in the visitor's language."""
    said = {
        "clock": "# of #",
        "begun": "not begun",
        "ends": "# of #; this scene ends at #",
        "waiting": "Waiting for the window that presents this lecture.",
        "next": "Next: #",
        "last": "This is the last scene.",
    }
    return {name: _(one) for name, one in said.items()}


COMMON = """
const clock = ms => {
    const all = Math.max(0, Math.floor(ms / 1000)), seconds = String(all % 60).padStart(2, '0');
    return `${Math.floor(all / 60)}:${seconds}`;
};
const filled = (words, ...gaps) => gaps.reduce((said, gap) => said.replace('#', () => gap), words);
const part = (kind, name, words = '') => {
    const made = document.createElement(kind);
    made.className = name;
    made.textContent = words;
    return made;
};
"""
_PRESENTER = (
    COMMON
    + """
const OWN_KEYS = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, button, '
    + '[contenteditable="true"], [role="slider"], [role="combobox"], [role="grid"], [data-testid="stDataFrame"]';
const OPEN = '[role="dialog"], [role="listbox"], [role="menu"]';
const PATIENCE = 3000;  // milliseconds after which a scene does not wait for the one before it to be drawn
const BEGIN = 300;  // until the server has begun to draw what it was told last
let at, told, tell, listening, ticking, channel, due, gone = 0;  // outlive the element: this module is loaded once

const store = () => `lecture ${told.name}`;
const read = () => JSON.parse(sessionStorage.getItem(store()) ?? '{}');
const write = more => sessionStorage.setItem(store(), JSON.stringify({...read(), ...more}));
const asked = name => new URLSearchParams(location.search).get(name);
const numbered = (text, last) => Math.min(Math.max(/^[0-9]{1,4}$/.test(text ?? '') ? +text : 0, 0), last);
const scene = () => told.scenes[at.place];

function ofAddress() {
    const place = numbered(String(+(asked('scene') ?? 1) - 1), told.scenes.length - 1);
    return {name: told.name, place, reveal: numbered(asked('reveal'), told.scenes[place].reveals.length)};
}

// The address of a scene, with what was set on it. One that is still on its way has none of its own yet.
function keep() {
    if (due || asked('present') !== told.name || asked('scene') !== String(at.place + 1)) return;
    const url = new URL(location.href);
    if (at.reveal) url.searchParams.set('reveal', at.reveal);
    else url.searchParams.delete('reveal');
    write({kept: {...read().kept, [at.place]: url.pathname + url.search}});
}

function follow(link, replace) {
    history[replace ? 'replaceState' : 'pushState'](null, '', link);
    dispatchEvent(new PopStateEvent('popstate'));
}

// The server writes into the address what it draws, so a scene begins when the one before it is there.
function arrive(since) {
    clearTimeout(due);
    due = undefined;
    const now = performance.now(), idle = document.querySelector('[data-test-script-state="notRunning"]');
    if (now - since < PATIENCE && (now - gone < BEGIN || !idle)) {
        due = setTimeout(arrive, 50, since);
        return;
    }
    const url = new URL(read().kept?.[at.place] ?? scene().link, location.href);
    if (at.reveal) url.searchParams.set('reveal', at.reveal);
    else url.searchParams.delete('reveal');
    gone = now;
    follow(url.pathname + url.search);
}

function go(place) {
    if (place < 0 || place >= told.scenes.length) return;
    keep();
    const link = read().kept?.[place] ?? told.scenes[place].link;
    const reveal = new URL(link, location.href).searchParams.get('reveal');
    at = {name: told.name, place, reveal: numbered(reveal, told.scenes[place].reveals.length)};
    draw();
    arrive(performance.now());
}

function step(way) {
    const reveal = at.reveal + way;
    if (reveal < 0 || reveal > scene().reveals.length) return go(at.place + way);
    at.reveal = reveal;
    draw();
    if (due) return;  // it goes with the scene
    const url = new URL(location.href);
    if (reveal) url.searchParams.set('reveal', reveal);
    else url.searchParams.delete('reveal');
    history.replaceState(history.state, '', url);
    tell(reveal);
    gone = performance.now();  // the server draws for this too, and a scene that came meanwhile would stay empty
}

function leave() {
    const url = new URL(location.href);
    for (const name of ['present', 'scene', 'reveal', 'notes']) url.searchParams.delete(name);
    sessionStorage.removeItem(store());
    clearTimeout(due);
    at = due = undefined;
    document.querySelector('.lecture-black')?.remove();
    follow(url.pathname + url.search);
}

function black() {
    const cover = document.querySelector('.lecture-black');
    if (cover) cover.remove();
    else document.body.append(part('div', 'lecture-black'));
}

function pressed(event) {
    if (!at || event.ctrlKey || event.altKey || event.metaKey) return;
    const focused = document.activeElement ?? document.body, key = event.key;
    const own = focused.closest(OWN_KEYS) || document.querySelector(OPEN);
    const does = {
        PageDown: () => step(1), PageUp: () => step(-1), Escape: leave,
        ...own ? {} : {
            ArrowRight: () => step(1), ArrowLeft: () => step(-1), ' ': () => step(1),
            b: black, B: black, '.': black,
        },
    }[key];
    if (!does || (key === 'Escape' && document.querySelector(OPEN))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) does();
}

const announce = () => channel.postMessage({place: at.place, reveal: at.reveal, start: read().start, lecture: told});

function draw() {
    const box = document.querySelector('.lecture-words');
    if (!box || !at) return;
    const shown = scene().reveals.slice(0, at.reveal).map(words => part('li', '', words));
    const list = part('ul', 'lecture-reveals');
    list.append(...shown);
    box.replaceChildren(part('h1', 'lecture-sentence', scene().sentence), ...shown.length ? [list] : []);
    tick();
    announce();
}

// How much of the window the sentence takes; the picture has the rest. What stands above it may come and go unseen.
function measure() {
    const words = document.querySelector('.lecture-words');
    if (!words) return;
    const top = Math.round(words.getBoundingClientRect().bottom + document.querySelector('.stMain').scrollTop);
    document.documentElement.style.setProperty('--lecture-top', `${Math.max(top, 0)}px`);
}

function tick() {
    measure();
    const foot = document.querySelector('.lecture-foot');
    if (!foot || !at) return;
    const gone = clock(Date.now() - read().start), whole = clock(told.minutes * 60_000);
    foot.textContent = `${at.place + 1} / ${told.scenes.length}, ${filled(told.said.clock, gone, whole)}`;
}

export default function ({data, parentElement, setStateValue}) {
    listening?.abort();  // Streamlit calls this anew without ending what was before
    const mine = listening = new AbortController(), signal = mine.signal;
    clearInterval(ticking);
    channel?.close();
    told = data;
    tell = reveal => setStateValue('reveal', reveal);
    channel = new BroadcastChannel(store());
    channel.onmessage = ({data}) => { if (data === 'where' && at) announce(); };
    if (!read().start) write({start: Date.now()});
    if (!due && (at?.name !== told.name || String(at.place + 1) !== asked('scene'))) at = ofAddress();
    const sizes = new ResizeObserver(measure);
    for (const box of [parentElement, document.body]) sizes.observe(box);
    addEventListener('keydown', pressed, {signal, capture: true});
    addEventListener('popstate', () => {
        if (asked('present') !== told.name) return;
        at = ofAddress();
        draw();
    }, {signal});
    ticking = setInterval(tick, 1000);
    // A link such as /?present=45&scene=7 names the scene only: its page and state are in the lecture.
    const link = new URL(scene().link, location.href), here = new URL(location.href);
    const named = [...here.searchParams.keys()].some(name => !['present', 'scene', 'reveal'].includes(name));
    if (link.pathname !== here.pathname || (!named && link.searchParams.size > 2) || !here.searchParams.has('scene')) {
        if (at.reveal) link.searchParams.set('reveal', at.reveal);
        follow(link.pathname + link.search, true);
    }
    draw();
    return () => { mine.abort(); clearInterval(ticking); };
}
"""
)
CSS = """
.lecture-head {display: flex; gap: 1.5rem; align-items: baseline}
.lecture-words {flex: 1; min-width: 0}
.lecture-sentence {font-size: 1.9rem; line-height: 1.2; font-weight: 600; margin: 0; padding: 0.25rem 0; color: inherit}
.lecture-reveals {margin: 0.25rem 0 0; padding-left: 1.5rem; font-size: 1.3rem; line-height: 1.3}
.lecture-foot {font-size: 0.9rem; font-variant-numeric: tabular-nums; white-space: nowrap}
.lecture-black {position: fixed; inset: 0; z-index: 2000000; background: black}
.lecture-notes {max-width: 40rem; font-size: 1.1rem; line-height: 1.5; color: inherit}
.lecture-notes h1 {font-size: 1.5rem; padding: 0; color: inherit}
.lecture-time, .lecture-next {font-weight: 600}
.lecture-told {text-decoration: line-through}
"""
_KEY = "lecture_remote"
_HEAD = '<div class="lecture lecture-head"><div class="lecture-words"></div><div class="lecture-foot"></div></div>'
_REMOTE = st.components.v2.component(_KEY, html=_HEAD, css=CSS, js=_PRESENTER, isolate_styles=False)


def draw(told: Told) -> None:
    """Draw the sentence of the scene and let the presenter's keys lead through the lecture; it stands before the page.

    It is in a fragment of its own, so that a further sentence leaves the picture as it is.
    """

    @fragment
    def remote() -> None:
        _REMOTE(key=_KEY, data=told, on_reveal_change=_note)

    remote()


def _note() -> None:
    """Write into the link how many further sentences are shown; the browser has done so already."""
    reveal = st.session_state[_KEY].reveal
    if isinstance(reveal, int) and not isinstance(reveal, bool) and 0 < reveal < 100:
        st.query_params["reveal"] = str(reveal)
    else:
        st.query_params.pop("reveal", None)
