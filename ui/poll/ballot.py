"""The ballot on a telephone: a button for each choice, which the browser draws; a vote says which device it comes from.

A device is a random number that the browser makes up once and keeps, so that each has one vote. It comes with the vote
itself: told before it, it would cost thirty telephones that open a poll a second run of their page each. Only a browser
that has voted in this poll before says so when it opens it again.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from ui.language.words import _
from ui.poll.polls import MAX_VOTER

DEVICE = "_poll_device"  # where a session keeps the device, once it has said so
# `crypto.randomUUID` is missing where a page has no certificate, as on a laptop in a lecture hall.
_JS = """
const NAME = 'poll device', VOTED = 'poll voted';
let device;  // outlives the element; a browser that keeps nothing votes as long as its window is open

const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
const keep = (name, value) => { try { localStorage.setItem(name, value); } catch {} };

function made() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

export default function ({data, parentElement, setTriggerValue}) {
    device ??= kept(NAME);
    if (!/^[0-9a-f]{32}$/.test(device ?? '')) keep(NAME, device = made());
    if (!data.known && kept(VOTED) === data.poll) setTriggerValue('device', device);
    const ballot = parentElement.querySelector('.ballot');
    data.choices.forEach(([choice, title], place) => {
        const button = ballot.children[place] ?? ballot.appendChild(document.createElement('button'));
        button.type = 'button';
        button.textContent = title;
        button.setAttribute('aria-pressed', choice === data.chosen);
        button.onclick = () => {
            keep(VOTED, data.poll);
            setTriggerValue('vote', {device, choice});
        };
    });
}
"""
_CSS = """
.ballot {display: grid; gap: 1rem}
button {
    min-height: 3.5rem; padding: 0.25rem 0.75rem; font: 400 1.25rem/1.6 var(--st-font); cursor: pointer;
    color: var(--st-text-color); background: var(--st-background-color);
    border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
}
button:hover {border-color: var(--st-primary-color); color: var(--st-primary-color)}
button[aria-pressed=true] {
    color: var(--st-background-color); background: var(--st-primary-color); border-color: var(--st-primary-color);
}
button:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px}
"""
_KEY = "ballot"
_BALLOT = st.components.v2.component(_KEY, html='<div class="ballot"></div>', css=_CSS, js=_JS)


def device() -> str:
    """Return what the browser calls this device, as it says; empty before it has said so."""
    said: str = st.session_state.get(DEVICE, "")
    return said


def draw_ballot(poll: str, choices: Mapping[str, str], chosen: str, vote: Callable[[str, str], None]) -> None:
    """Draw the choices of a poll with this code; `vote` is called with the device and the choice that it makes."""

    def take() -> None:
        said = st.session_state[_KEY].vote
        if isinstance(said, Mapping):  # a client can send anything
            _know(said.get("device"))
            vote(device(), str(said.get("choice")))

    told = {"poll": poll, "chosen": chosen, "known": bool(device())}
    told["choices"] = [[key, _(title)] for key, title in choices.items()]
    _BALLOT(key=_KEY, data=told, on_vote_change=take, on_device_change=lambda: _know(st.session_state[_KEY].device))


def _know(said: object) -> None:
    if isinstance(said, str) and len(said) <= MAX_VOTER:
        st.session_state[DEVICE] = said
