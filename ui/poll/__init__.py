"""A room answers: a question on the wall, votes from telephones, and the computed answer.

The polls that are open on this server stand in memory alone, all of it bounded. A vote holds no name: it is the random
number that a browser has made up, and the choice. Nothing is written to a file, and a poll is forgotten some time after
its last use.

A telephone shows the question, a button for each choice, and later the answer. The browser draws the buttons, and a
vote says which device it comes from: a random number that the browser makes up once and keeps, so that each device has
one vote. It comes with the vote itself: told before it, it would cost thirty telephones that open a poll a second run
of their page each. Only a browser that has voted in this poll before says so when it opens it again.
"""

import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from pe_core.chapters.predictions import QUESTIONS, answer
from pe_core.parameters import MAX_SHOWN, require
from ui.frame.browser import component
from ui.frame.process import Once
from ui.frame.turns import fragment
from ui.language.words import _
from ui.widgets.link import literal
from ui.widgets.prose import Text

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like digits
CODE_LENGTH = 4
MAX_POLLS = 100
MAX_VOTES = 1_000
MAX_VOTER = 64  # characters of what a browser calls itself
LIFE = 2 * 3_600.0  # seconds after its last use that a poll is kept

OUTSIDE = ("192.0.2.1", 9)  # an address for examples (RFC 5737): asking for the way there sends nothing
EVERY = 10.0  # seconds after which a telephone sees that the answer is shown
DEVICE = "_poll_device"  # where a session keeps what the browser calls this device, once it has said so
_REFUSED = "_vote_refused"
_KEY = "ballot"
_STYLE = Path(__file__).with_name("phone.css")
_BALLOT = component(Path(__file__).with_name("ballot"), _KEY, html='<div class="ballot"></div>', isolate_styles=True)


@dataclass
class Poll:
    """One question that is open: its code, the choice of each device, and whether the answer is shown."""

    code: str
    question: str
    used: float
    choices: dict[str, str] = field(default_factory=dict)
    revealed: bool = False

    @property
    def counts(self) -> tuple[int, ...]:
        """How many devices have chosen each choice, in the order of the choices."""
        chosen = list(self.choices.copy().values())
        return tuple(chosen.count(key) for key in QUESTIONS[self.question].choices)

    def reveal(self) -> None:
        """Show the answer; from now on nobody votes."""
        self.revealed = True

    def begin_anew(self) -> None:
        """Let the room vote anew, under the same address."""
        self.choices.clear()
        self.revealed = False


class Polls:
    """All polls of a server, for threads at once; `now` tells the seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._open: dict[str, Poll] = {}

    def open(self, question: str) -> Poll:
        """Return a new poll; `ValueError` where as many as there may be are in use."""
        require(question in QUESTIONS, "question", f"be one of {', '.join(QUESTIONS)}", question)
        with self._lock:
            self._forget_old()
            free = len(self._open) < MAX_POLLS
            require(free, "open polls", f"be fewer than {MAX_POLLS} to open one", f"{len(self._open)}; try again later")
            unused = (code for code in iter(_code, "") if code not in self._open)
            poll = Poll(next(unused), question, self._now())
            self._open[poll.code] = poll
            return poll

    def find(self, code: str) -> Poll:
        """Return the poll of a code, in letters of either case; `ValueError` where there is none."""
        with self._lock:
            self._forget_old()
            poll = self._open.get(code.strip().upper())
            if poll is None:
                raise ValueError(f"poll must be one that is open, got {code[:MAX_SHOWN]!r}")
            poll.used = self._now()
            return poll

    def vote(self, code: str, voter: str, choice: str) -> None:
        """Take the choice of a device in place of the one that it made before.

        Raises `ValueError` for a poll that is not open, a choice that it does not have, a device without a name that
        can be told, a vote after the answer, and one above the most that are counted.
        """
        poll = self.find(code)
        choices = QUESTIONS[poll.question].choices
        require(choice in choices, "choice", f"be one of {', '.join(choices)}", repr(choice[:MAX_SHOWN]))
        named = 0 < len(voter) <= MAX_VOTER and voter.isalnum()
        require(named, "device", f"be 1 to {MAX_VOTER} letters and digits", repr(voter[:MAX_SHOWN]))
        with self._lock:
            require(not poll.revealed, "vote", "come before the answer is shown", "one after it")
            room = voter in poll.choices or len(poll.choices) < MAX_VOTES
            require(room, "votes", f"be fewer than {MAX_VOTES:,} to add one", f"{len(poll.choices):,}")
            poll.choices[voter] = choice

    def _forget_old(self) -> None:
        last = self._now() - LIFE
        for code in [code for code, poll in self._open.items() if poll.used < last]:
            del self._open[code]


def _code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


polls = Once(Polls)


def of_this_machine() -> str | None:
    """Return the address of this machine in its network; None where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(OUTSIDE)
        except OSError:
            return None
        found: str = asked.getsockname()[0]
    return None if is_local(found) else found


def is_local(host: str) -> bool:
    """Return whether a host name means the machine itself, which no telephone can reach under it."""
    return host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost")


def answer_address(shown: str, page: str, said: Mapping[str, str]) -> str | None:
    """Return the link with the parameters `said` for telephones, given what the wall itself is `shown` under.

    `page` is the path of the wall's page within the app. A wall that is shown on the machine that serves it has the
    machine's address in its network instead; None where it is in none.
    """
    parts = urlsplit(shown)
    host, port = parts.hostname or "localhost", f":{parts.port}" if parts.port else ""
    if is_local(host):
        found = of_this_machine()
        if found is None:
            return None
        host = found
    elif ":" in host:
        host = f"[{host}]"
    base = parts.path.rstrip("/").removesuffix(page).rstrip("/")
    return f"{parts.scheme or 'http'}://{host}{port}{base}/?{urlencode(said)}"


def scanned(address: str) -> str:
    """Return the QR code of an address as a picture in a data URI, dark on white in either theme."""
    picture: str = segno.make(address, error="m").svg_data_uri(dark="#000", light="#fff", border=3)
    return picture


def draw(code: str) -> None:
    """Draw the poll of a code, or say that there is none."""
    text = Text("poll")
    try:
        poll = polls().find(code)
    except ValueError as error:
        st.error(text("phone-none", {"problem": literal(_(str(error)))}))
        return
    st.html(_STYLE)
    st.markdown(f"### {_(QUESTIONS[poll.question].asked)}")
    fragment(_draw_choices, run_every=EVERY, later=True)(poll, text)


def _draw_choices(poll: Poll, text: Text) -> None:
    question = QUESTIONS[poll.question]
    chosen = poll.choices.get(_device(), "")
    if poll.revealed:
        right, facts, _settings = answer(poll.question)
        said = "phone-unasked" if not chosen else "phone-right" if chosen == right else "phone-wrong"
        st.markdown(text(said, {"right": question.choices[right], "chosen": question.choices.get(chosen, "")}))
        st.markdown(text(f"answer {poll.question}", facts))
        return
    _draw_ballot(poll.code, question.choices, chosen)
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(text("phone-refused", {"problem": literal(_(refused))}))
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
