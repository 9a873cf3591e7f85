"""What a listener's telephone shows: the question, a button for each choice, and later the answer."""

from functools import partial
from pathlib import Path

import streamlit as st

from pe_core.chapters import predictions
from ui.frame.turns import fragment
from ui.language.words import _
from ui.poll.ballot import device, draw_ballot
from ui.poll.polls import Poll, polls
from ui.widgets.link import literal
from ui.widgets.prose import Text

EVERY = 10.0  # seconds after which a telephone sees that the answer is shown
_REFUSED = "_vote_refused"
_STYLE = Path(__file__).with_name("phone.css")


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
    chosen = poll.choices.get(device(), "")
    if poll.revealed:
        right, facts = predictions.answer(poll.question)
        said = "phone-unasked" if not chosen else "phone-right" if chosen == right else "phone-wrong"
        st.markdown(text(said, {"right": question.choices[right], "chosen": question.choices.get(chosen, "")}))
        st.markdown(text(f"answer {poll.question}", facts))
        return
    draw_ballot(poll.code, question.choices, chosen, partial(_vote, poll.code))
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(text("phone-refused", {"problem": literal(refused)}))
    st.markdown(text("phone-voted" if chosen else "phone-open", {"chosen": question.choices.get(chosen, "")}))


def _vote(code: str, voter: str, choice: str) -> None:
    try:
        polls().vote(code, voter, choice)
    except ValueError as error:
        st.session_state[_REFUSED] = str(error)
