"""The ballot on a telephone: a button for each choice, which the browser draws; a vote says which device it comes from.

A device is a random number that the browser makes up once and keeps, so that each has one vote. It comes with the vote
itself: told before it, it would cost thirty telephones that open a poll a second run of their page each. Only a browser
that has voted in this poll before says so when it opens it again.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from ui.frame.browser import component
from ui.language.words import _
from ui.poll.polls import MAX_VOTER

DEVICE = "_poll_device"  # where a session keeps the device, once it has said so
_KEY = "ballot"
_BALLOT = component(__file__, _KEY, html='<div class="ballot"></div>', isolate_styles=True)


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
