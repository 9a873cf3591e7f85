"""What the server bears: so many open pages, and so many runs of pages of one browser a second.

Who asks too often waits and is told so; nothing that was set is lost. Connections and requests of one network address
are bounded by the proxy (deploy/nginx.conf).
"""

import os
import threading
import time
from collections import OrderedDict

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pe_core.parameters import Parameter
from ui.frame import visitor
from ui.language.words import _

MAX_RATE = Parameter("PE_MAX_RATE", "Runs of pages", 20, "Of one browser, a second.", 1, 1_000)
MAX_SESSIONS = Parameter("PE_MAX_SESSIONS", "Open pages", 1_000, "Of all visitors.", 1, 100_000)

BURST = 5.0  # seconds of runs that may come at once: the pages of several windows are opened together
REMEMBERED = 10_000  # browsers: of those that asked longest ago nothing is known
MAX_WAIT = 2.0  # seconds that a run of a page waits at most
TOLD_FROM = 0.5  # seconds of waiting that a visitor is told of


def limit(parameter: Parameter[int]) -> int:
    """Return a limit, from the environment if it is set there; `ValueError` for a value not allowed."""
    return parameter.parse(os.environ.get(parameter.name, str(parameter.default)))


# Of each browser, the time at which all that it has asked for would be done at its rate. They belong to this module,
# since any client can empty Streamlit's caches.
_done_at: OrderedDict[str, float] = OrderedDict()
_sessions: set[str] = set()
_lock = threading.RLock()


def seconds_to_wait(browser: str, rate: float, now: float) -> float:
    """Note that a browser asks for one more run and return how long it has to wait for that, at most `MAX_WAIT`."""
    with _lock:
        done = max(_done_at.pop(browser, 0.0), now - BURST) + 1 / rate
        wait = min(max(0.0, done - now), MAX_WAIT)
        _done_at[browser] = min(done, now + MAX_WAIT)
        if len(_done_at) > REMEMBERED:
            _done_at.popitem(last=False)
    return wait


def open_sessions() -> int:
    """Return how many sessions are open."""
    with _lock:
        _sessions.intersection_update([one for one in _sessions if _is_open(one)])
        return len(_sessions)


def admit(session: str) -> bool:
    """Return whether a session may be open: it is, or fewer are than may be."""
    with _lock:
        if session not in _sessions and open_sessions() >= limit(MAX_SESSIONS):
            return False
        _sessions.add(session)
        return True


def _is_open(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def enter() -> None:
    """Hold up a run of a page whose browser asks too often, and refuse a page too many with a sentence in its place."""
    context = get_script_run_ctx()
    if context and not admit(context.session_id):
        most = limit(MAX_SESSIONS)
        st.error(_(f"This page is not shown: the server has {most:,} open pages already. Load it again in a while."))
        st.stop()
    wait()


def wait() -> None:
    """Hold up a run whose browser asks too often, and say so; it waits without the turn of a page."""
    rate = limit(MAX_RATE)
    seconds = seconds_to_wait(visitor.owner(), rate, time.monotonic())
    if seconds > TOLD_FROM:
        st.toast(_(f"This browser asks for pages more than {rate} times a second, so it has to wait. Nothing is lost."))
    time.sleep(seconds)
