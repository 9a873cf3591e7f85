"""What one browser, one network address and all visitors together may ask of the server.

A bound is a bucket of tokens: each request takes one, and so many come back in a second. Who asks too often waits and
is told so; nothing that was set is lost. Buckets belong to this module, since any client can empty Streamlit's caches.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pe_core.parameters import Parameter
from ui.frame import visitor
from ui.language.words import _

MAX_RATE = Parameter("PE_MAX_RATE", "Runs of pages", 20, "Of one browser, a second.", 1, 1_000)
MAX_TEXTS = Parameter("PE_MAX_TEXTS", "Own texts", 10, "Of one browser, a minute.", 1, 1_000)
MAX_EXPORTS = Parameter("PE_MAX_EXPORTS", "Files of pictures", 30, "Made for one browser, a minute.", 1, 1_000)
MAX_SESSIONS = Parameter("PE_MAX_SESSIONS", "Open pages", 1_000, "Of all visitors.", 1, 100_000)
MAX_OWN_SESSIONS = Parameter("PE_MAX_OWN_SESSIONS", "Open pages", 40, "Of one browser.", 1, 100_000)
MAX_ADDRESS_SESSIONS = Parameter("PE_MAX_ADDRESS_SESSIONS", "Open pages", 400, "Of one address.", 1, 100_000)

MINUTE = 60.0
BURST = 5.0  # seconds of runs that may come at once: the pages of several windows are opened together
ALL = 25  # browsers that may use up all that one may, at the same time
FORGOTTEN = 600.0  # seconds after which a browser that has asked for nothing has all of its tokens
MAX_WAIT = 2.0  # seconds that a run of a page waits at most
TOLD_FROM = 0.5  # seconds of waiting that a visitor is told of
_TOGETHER = ""  # the name of all visitors


def limit(parameter: Parameter) -> int:
    """Return a limit, from the environment if it is set there; `ValueError` for a value not allowed."""
    value = parameter.parse(os.environ.get(parameter.name, str(parameter.default)))
    assert isinstance(value, int)
    return value


@dataclass
class Bucket:
    """Tokens, of which `rate` come back in a second until there are `most` of them."""

    rate: float
    most: float
    tokens: float
    at: float

    def wait(self, now: float) -> float:
        """Take a token, one of the future if there is none, and return the seconds until it is there."""
        self.tokens = min(self.most, self.tokens + (now - self.at) * self.rate)
        self.at = now
        self.tokens -= 1
        return max(0.0, -self.tokens / self.rate)

    def give_back(self) -> None:
        """Put a token back that was not used."""
        self.tokens += 1


class Rates:
    """A bucket for each browser, by its name, and one for all of them; those of browsers that have left vanish.

    As much as comes back in `burst` seconds may be asked for at once.
    """

    def __init__(self, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, name: str, rate: float, longest: float) -> float | None:
        """Take a token of a browser and of all; return the seconds to wait, None if they are more than the longest."""
        with self._lock:
            now = self._clock()
            while self._buckets and now - next(iter(self._buckets.values())).at > FORGOTTEN:
                self._buckets.popitem(last=False)
            asked = [self._bucket(name, rate, now), self._bucket(_TOGETHER, ALL * rate, now)]
            seconds = max(bucket.wait(now) for bucket in asked)
            if seconds <= longest:
                return seconds
            for bucket in asked:
                bucket.give_back()
            return None

    def _bucket(self, name: str, rate: float, now: float) -> Bucket:
        most = max(1.0, self._burst * rate)
        bucket = self._buckets.pop(name, None) or Bucket(rate, most, most, now)
        self._buckets[name] = bucket  # the one that was used last is the last
        return bucket


class Sessions:
    """The pages that are open, with the browser and the network address of each."""

    def __init__(self, is_open: Callable[[str], bool]) -> None:
        self._is_open = is_open
        self._sessions: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()

    def admit(self, session: str, browser: str, address: str) -> str:
        """Note a session that asks; return why it is one too many, nothing if it is not. A known one never is."""
        with self._lock:
            if session not in self._sessions:
                self._sessions = {name: one for name, one in self._sessions.items() if self._is_open(name)}
                if problem := self._too_many(browser, address):
                    return problem
            self._sessions[session] = browser, address
            return ""

    def _too_many(self, browser: str, address: str) -> str:
        browsers, addresses = zip(*self._sessions.values(), strict=True) if self._sessions else ((), ())
        counts = (
            ("this browser", MAX_OWN_SESSIONS, browsers.count(browser)),
            ("your network address", MAX_ADDRESS_SESSIONS, addresses.count(address) if address else 0),
            ("this server", MAX_SESSIONS, len(browsers)),
        )
        for whose, parameter, n in counts:
            if n >= limit(parameter):
                return f"open pages of {whose} must be fewer than {limit(parameter)}, got {n}"
        return ""


def _is_open(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


_runs, _texts, _exports, _sessions = Rates(BURST), Rates(MINUTE), Rates(MINUTE), Sessions(_is_open)


def enter() -> None:
    """Hold up a run of a page or of a part of it whose browser asks too often, and refuse a session too many.

    The refused one sees a sentence in the place of the page.
    """
    context = get_script_run_ctx()
    browser = visitor.owner()
    if problem := _sessions.admit(context.session_id if context else "", browser, st.context.ip_address or ""):
        st.error(_(f"This page is not shown: {problem}. Close some, then load it again."))
        st.stop()
    wait()


def wait() -> None:
    """Hold up a run whose browser asks too often, and say so; it waits without the turn of a page."""
    rate = limit(MAX_RATE)
    seconds = _runs.wait(visitor.owner(), rate, MAX_WAIT)
    if seconds is None or seconds > TOLD_FROM:
        st.toast(_(f"This browser asks for pages more than {rate} times a second, so it has to wait. Nothing is lost."))
    time.sleep(MAX_WAIT if seconds is None else seconds)


def check_text() -> None:
    """Raise `ValueError` where this browser, or all together, have brought too many texts of their own lately."""
    _check(_texts, limit(MAX_TEXTS), "own texts", visitor.owner())


def check_export(browser: str) -> None:
    """Raise `ValueError` where a browser, or all together, have had too many files made lately."""
    _check(_exports, limit(MAX_EXPORTS), "files of pictures", browser)


def _check(rates: Rates, in_a_minute: int, what: str, browser: str) -> None:
    if rates.wait(browser, in_a_minute / MINUTE, 0.0) is None:
        raise ValueError(f"{what} must be at most {in_a_minute} a minute, got one more. Wait a moment, then try again")
