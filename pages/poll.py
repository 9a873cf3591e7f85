"""The room answers: a question on the wall, its address and QR code, the votes as they come, and the answer."""

from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.chapters import predictions
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.language.words import _
from ui.poll import Poll, answer_address, polls, scanned
from ui.widgets.charts import picture
from ui.widgets.controls import control
from ui.widgets.language import IN_LINK
from ui.widgets.link import literal
from ui.widgets.prose import Text, show_source

EVERY = 1.0  # seconds after which new votes are on the wall
HEIGHT = 320  # pixels
CODES = "_polls_of_session"  # where a session keeps the code of its poll for each question
STYLE = Path(__file__).parents[1] / "ui/poll/wall.css"
ADDRESS = '<div class="poll-address" style="--letters: {letters}"><div>{address}</div></div>'
CODE = '<img class="poll-code" alt="{alternative}" src="{picture}">'

ensure_shell()
text = Text("poll")
title = st.container()
question = control(predictions.QUESTION)
title.title(_(predictions.QUESTIONS[question].asked), anchor=False)


def poll_of_session() -> Poll:
    """Return the poll of this session, or a new one where there is none or where it was forgotten."""
    codes: dict[str, str] = st.session_state.setdefault(CODES, {})
    try:
        return polls().find(codes[question])
    except (KeyError, ValueError):
        poll = polls().open(question)
        codes[question] = poll.code
        return poll


def draw_address(poll: Poll, above: DeltaGenerator, beside: DeltaGenerator) -> None:
    """Draw the address of a poll in one line above, and its QR code beside the votes."""
    # Where the wall's link says what is read, a telephone reads it too, else each what its browser is set to.
    language = {name: said for name, said in st.query_params.items() if name == IN_LINK.name}
    address = answer_address(st.context.url or "", "poll", {"answer": poll.code, **language})
    if address is None:
        above.warning(text("no-network"))
        return
    shown = address.removeprefix("http://").removeprefix("https://")
    above.html(STYLE)
    above.html(ADDRESS.format(letters=len(shown), address=escape(shown)))
    beside.html(CODE.format(alternative=escape(text("scan", {"address": address})), picture=scanned(address)))


def draw_votes(poll: Poll) -> None:
    """Draw the votes so far, and the answer once it is asked for."""
    try:
        polls().find(poll.code)  # it stays open as long as it is on a wall
    except ValueError:
        st.info(text("gone"))
        return
    votes = picture(predictions.votes, question=question, counts=poll.counts, revealed=poll.revealed)
    votes.chart("poll_votes", text(votes.facts["section"], votes.facts), height=HEIGHT)
    if poll.revealed:
        st.markdown(text(f"answer {question}", predictions.answer(question)[1]))
        st.button(_("Vote again"), key="poll_again", icon=":material/replay:", on_click=poll.begin_anew)
    else:
        st.button(_("Show the answer"), key="poll_reveal", icon=":material/visibility:", on_click=poll.reveal)


try:
    asked = poll_of_session()
except ValueError as error:
    st.error(_(f"No poll can be opened: {literal(str(error))}."))
else:
    above = st.container()
    beside, votes = st.columns([1, 2], vertical_alignment="center")
    draw_address(asked, above, beside)
    with votes:
        fragment(draw_votes, run_every=EVERY)(asked)
st.markdown(text("intro"))
st.markdown(text("how"))
show_source(*(one.answer for one in predictions.QUESTIONS.values()))
