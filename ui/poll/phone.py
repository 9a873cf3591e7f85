"""What a listener's telephone shows: the question, a button for each choice, and later the answer.

The browser draws the buttons, and a vote says which device it comes from: a random number that the browser makes up
once and keeps, so that each device has one vote. It comes with the vote itself: told before it, it would cost thirty
telephones that open a poll a second run of their page each. Only a browser that has voted in this poll before says so
when it opens it again.
"""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pe_core.chapters import predictions
from ui.frame.browser import component
from ui.frame.turns import fragment
from ui.language.words import _
from ui.poll.polls import MAX_VOTER, Poll, polls
from ui.widgets.link import literal
from ui.widgets.prose import Text

EVERY = 10.0  # seconds after which a telephone sees that the answer is shown
DEVICE = "_poll_device"  # where a session keeps what the browser calls this device, once it has said so
_REFUSED = "_vote_refused"
_KEY = "ballot"
_STYLE = Path(__file__).with_name("phone.css")
_BALLOT = component(Path(__file__).with_name("ballot"), _KEY, html='<div class="ballot"></div>', isolate_styles=True)


def draw(code: str) -> None:
    """Draw the poll of a code, or say that there is none."""
    text = Text("poll")
    try:
        poll = polls().find(code)
    except ValueError as error:
        st.error(text("phone-none", {"problem": literal(str(error))}))
        return
    st.html(_STYLE)
    st.markdown(f"### {_(predictions.QUESTIONS[poll.question].asked)}")
    fragment(_draw_choices, run_every=EVERY, later=True)(poll, text)


def _draw_choices(poll: Poll, text: Text) -> None:
    question = predictions.QUESTIONS[poll.question]
    chosen = poll.choices.get(_device(), "")
    if poll.revealed:
        right, facts = predictions.answer(poll.question)
        said = "phone-unasked" if not chosen else "phone-right" if chosen == right else "phone-wrong"
        st.markdown(text(said, {"right": question.choices[right], "chosen": question.choices.get(chosen, "")}))
        st.markdown(text(f"answer {poll.question}", facts))
        return
    _draw_ballot(poll.code, question.choices, chosen)
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(text("phone-refused", {"problem": literal(refused)}))
    st.markdown(text("phone-voted" if chosen else "phone-open", {"chosen": question.choices.get(chosen, "")}))


def _draw_ballot(code: str, choices: Mapping[str, str], chosen: str) -> None:
    """Draw the choices of a poll, and take the vote of the browser: a device and its choice."""

    def take() -> None:
        said = st.session_state[_KEY].vote
        if isinstance(said, Mapping):  # a client can send anything
            _know(said.get("device"))
            try:
                polls().vote(code, _device(), str(said.get("choice")))
            except ValueError as error:
                st.session_state[_REFUSED] = str(error)

    told = {"poll": code, "chosen": chosen, "known": bool(_device())}
    told["choices"] = [[key, _(title)] for key, title in choices.items()]
    _BALLOT(key=_KEY, data=told, on_vote_change=take, on_device_change=lambda: _know(st.session_state[_KEY].device))


def _device() -> str:
    said: str = st.session_state.get(DEVICE, "")
    return said


def _know(said: object) -> None:
    if isinstance(said, str) and len(said) <= MAX_VOTER:
        st.session_state[DEVICE] = said
