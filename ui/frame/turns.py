"""Pages are drawn one at a time, so that many visitors are served sooner.

Python computes in one thread at a time anyway. Where twenty threads draw at once, each of them, and the server's loop
that sends what they have drawn, waits at every turn for the interpreter's lock: with a hundred visitors a slider step
took seconds while half of the processor had nothing to do. So who draws holds a lock, and the others wait for it.
"""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import streamlit as st

from ui.frame import limits
from ui.frame.meters import measured

Drawn = ParamSpec("Drawn")

PATIENCE = 2.0  # seconds of waiting after which a page is drawn without the lock: no page can stop all others
_lock = threading.Lock()


class _Thread(threading.local):
    """What a thread knows of itself: whether it draws, and whether it holds the lock."""

    draws = False
    has_turn = False

    def wait(self) -> None:
        self.has_turn = _lock.acquire(timeout=PATIENCE)

    def give_away(self) -> None:
        if self.has_turn:
            self.has_turn = False
            _lock.release()


_thread = _Thread()


@contextmanager
def turn() -> Iterator[None]:
    """Wait for the turn of this thread and hold it; within another turn of the thread nothing happens."""
    if _thread.draws:
        yield
        return
    _thread.wait()
    _thread.draws = True
    try:
        yield
    finally:
        _thread.draws = False
        _thread.give_away()


@contextmanager
def others_first() -> Iterator[None]:
    """Give the turn away for work that takes seconds, and wait for it again afterwards."""
    _thread.give_away()
    try:
        yield
    finally:
        if _thread.draws:
            _thread.wait()


def fragment(function: Callable[Drawn, None], *, run_every: float | None = None) -> Callable[Drawn, None]:
    """Return a fragment of Streamlit that is drawn in turn, and anew every so many seconds where they are given."""

    @functools.wraps(function)
    def in_turn(*args: Drawn.args, **kwargs: Drawn.kwargs) -> None:
        if not _thread.draws:  # else it is a part of a page that has been let in
            limits.wait()
        with turn(), measured("fragment"):
            function(*args, **kwargs)

    return st.fragment(in_turn, run_every=run_every)
