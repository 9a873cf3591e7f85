"""The wall of a poll: the address and its QR code, the votes as they come, and the answer."""

from html import escape
from pathlib import Path

import streamlit as st

from pe_core.chapters import predictions
from ui.frame.turns import fragment
from ui.language.words import _
from ui.poll.address import answer_address, scanned
from ui.poll.polls import Poll, polls
from ui.widgets.charts import picture
from ui.widgets.language import IN_LINK
from ui.widgets.link import literal
from ui.widgets.prose import Text

EVERY = 1.0  # seconds after which new votes are on the wall
HEIGHT = 360  # pixels
_CODES = "_polls_of_session"  # where a session keeps the code of its poll for each question
_STYLE = Path(__file__).with_name("wall.css")
_ADDRESS = """
<p class="poll-question">{question}</p>
<div class="lecture poll-address"><img alt="{alternative}" src="{picture}"><div>{address}</div></div>
"""


def draw(question: str, text: Text) -> None:
    """Draw the poll that this session has open for a question; the first time, open it."""
    try:
        poll = _poll(question)
    except ValueError as error:
        st.error(_(f"No poll can be opened: {literal(str(error))}."))
        return
    beside, votes = st.columns([1, 2], vertical_alignment="center")
    with beside:
        _draw_address(poll, text)
    with votes:
        fragment(_draw_votes, run_every=EVERY)(poll, text)


def _poll(question: str) -> Poll:
    """Return the poll of this session, or a new one where there is none or where it was forgotten."""
    codes: dict[str, str] = st.session_state.setdefault(_CODES, {})
    try:
        return polls().find(codes[question])
    except (KeyError, ValueError):
        poll = polls().open(question)
        codes[question] = poll.code
        return poll


def _draw_address(poll: Poll, text: Text) -> None:
    # Where the wall's link says what is read, a telephone reads it too, else each what its browser is set to.
    language = {name: said for name, said in st.query_params.items() if name == IN_LINK.name}
    address = answer_address(st.context.url or "", "poll", {"answer": poll.code, **language})
    if address is None:
        st.warning(text("no-network"))
        return
    alternative = text("scan", {"address": address})
    shown = address.removeprefix("http://").removeprefix("https://")
    said = {"question": _(predictions.QUESTIONS[poll.question].asked), "alternative": alternative, "address": shown}
    st.html(_STYLE)
    st.html(_ADDRESS.format(picture=scanned(address), **{name: escape(words) for name, words in said.items()}))


def _draw_votes(poll: Poll, text: Text) -> None:
    try:
        polls().find(poll.code)  # it stays open as long as it is on a wall
    except ValueError:
        st.info(text("gone"))
        return
    votes = picture(predictions.votes, question=poll.question, counts=poll.counts, revealed=poll.revealed)
    votes.chart("poll_votes", text(votes.facts["section"], votes.facts), height=HEIGHT)
    if poll.revealed:
        facts = predictions.answer(poll.question)[1]
        st.markdown(text(f"answer {poll.question}", facts))
        st.button(_("Vote again"), key="poll_again", icon=":material/replay:", on_click=_again, args=(poll,))
    else:
        st.button(_("Show the answer"), key="poll_reveal", icon=":material/visibility:", on_click=_reveal, args=(poll,))


def _reveal(poll: Poll) -> None:
    poll.revealed = True


def _again(poll: Poll) -> None:
    """Let the room vote anew, under the same address."""
    poll.choices.clear()
    poll.revealed = False
