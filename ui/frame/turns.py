"""Pages are drawn one at a time, so that many visitors are served sooner, and telephones that answer come last.

Python computes in one thread at a time anyway. Where twenty threads draw at once, each of them, and the server's loop
that sends what they have drawn, waits again and again for the interpreter's lock. So who draws holds a lock, and the
others wait for it (record 16).

When thirty telephones answer in the same moment nobody sees whether one of them is drawn a second later, but everybody
sees the slider on the wall. So one telephone at most waits for the lock; the others wait for that one and for a rest
after it: what it draws is the smaller part of what it costs, the loop and Streamlit's messages are the larger one.
"""

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import streamlit as st

from ui.frame import limits

Drawn = ParamSpec("Drawn")

PATIENCE = 2.0  # seconds of waiting after which a page is drawn without the lock: no page can stop all others

REST = 0.03  # seconds that are left to others after a telephone

_lock = threading.Lock()
_telephones = threading.Lock()


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
def turn(*, later: bool = False) -> Iterator[None]:
    """Wait for the turn of this thread and hold it; within another turn of the thread nothing happens.

    Telephones come `later`.
    """
    if _thread.draws:
        yield
        return
    alone = later and _telephones.acquire(timeout=PATIENCE)
    _thread.wait()
    _thread.draws = True
    try:
        yield
    finally:
        _thread.draws = False
        _thread.give_away()
        if alone:
            time.sleep(REST)
            _telephones.release()


@contextmanager
def others_first() -> Iterator[None]:
    """Give the turn away for work that takes seconds, and wait for it again afterwards."""
    _thread.give_away()
    try:
        yield
    finally:
        if _thread.draws:
            _thread.wait()


def fragment(
    function: Callable[Drawn, None], *, run_every: float | None = None, later: bool = False
) -> Callable[Drawn, None]:
    """Return a fragment of Streamlit that is drawn in turn, and anew every so many seconds where they are given.

    Those of telephones come `later`.
    """

    @functools.wraps(function)
    def in_turn(*args: Drawn.args, **kwargs: Drawn.kwargs) -> None:
        if not _thread.draws:  # else it is a part of a page that has been let in
            limits.wait()
        with turn(later=later):
            function(*args, **kwargs)

    return st.fragment(in_turn, run_every=run_every)
