"""The polls that are open on this server: votes by device, in memory alone, all of it bounded.

A vote holds no name: it is the random number that a browser has made up, and the choice. Nothing is written to a file,
and a poll is forgotten some time after its last use.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pe_core.chapters.predictions import QUESTIONS
from pe_core.parameters import MAX_SHOWN, require
from ui.frame.process import Once

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like digits
CODE_LENGTH = 4
MAX_POLLS = 100
MAX_VOTES = 1_000
MAX_VOTER = 64  # characters of what a browser calls itself
LIFE = 2 * 3_600.0  # seconds after its last use that a poll is kept


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
            code = _code()
            while code in self._open:
                code = _code()
            self._open[code] = poll = Poll(code, question, self._now())
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
