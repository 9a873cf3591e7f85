"""Pages are drawn one at a time, so that many visitors are served sooner, and telephones that answer come last.

Python computes in one thread at a time anyway. Where twenty threads draw at once, each of them, and the server's loop
that sends what they have drawn, waits at every turn for the interpreter's lock: with a hundred visitors a slider step
took seconds while half of the processor had nothing to do. So who draws holds a lock, and the others wait for it.

When thirty telephones answer in the same moment nobody sees whether one of them is drawn a second later, but everybody
sees the slider on the wall. So telephones draw one after the other, each when nobody else waits, and after each of them
as much time is left to others as it has taken. What it draws is the smaller part of that: the rest of its thread's work
and of the messages, which the server's loop sends, comes before and after its turn.
"""

import functools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import ParamSpec

import streamlit as st

from ui.frame import limits
from ui.language.words import one_language

Drawn = ParamSpec("Drawn")

PATIENCE = 2.0  # seconds of waiting after which a page is drawn without the lock: no page can stop all others
LATE_PATIENCE = 10.0  # seconds that a telephone waits for the others, and for those who draw before it
MAX_REST = 0.1  # seconds that are left to others after a telephone
ALL_OF_IT = 4  # times what the thread of a telephone computes: thread and loop together, and as much for others


class Turns:
    """A lock that goes to who has waited longest, and to those who come later only if nobody else waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = False
        self._waiting: tuple[deque[threading.Lock], deque[threading.Lock]] = deque(), deque()

    def acquire(self, timeout: float, *, later: bool = False) -> bool:
        """Wait for the lock, so many seconds at most; return whether it is held now."""
        with self._lock:
            if not self._held:
                self._held = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting[later].append(mine)
        if mine.acquire(timeout=timeout):
            return True
        with self._lock:
            if mine not in self._waiting[later]:  # it was handed over in the meantime
                return True
            self._waiting[later].remove(mine)
            return False

    def release(self) -> None:
        """Hand the lock over."""
        with self._lock:
            for waiting in self._waiting:
                if waiting:
                    waiting.popleft().release()
                    return
            self._held = False

    def locked(self) -> bool:
        """Return whether somebody holds the lock."""
        return self._held


_lock = Turns()
_telephones = Turns()  # held by the telephone that draws, and while the others have their time


class _Thread(threading.local):
    """What a thread knows of itself: whether it draws, and whether it holds the lock."""

    draws = False
    has_turn = False

    def wait(self, *, later: bool = False) -> None:
        self.has_turn = _lock.acquire(LATE_PATIENCE if later else PATIENCE, later=later)

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
    with _one_after_the_other() if later else nullcontext():
        _thread.wait(later=later)
        began = time.perf_counter()
        _thread.draws = True
        try:
            with one_language():
                yield
        finally:
            _thread.draws = False
            _thread.give_away()
        if later:
            time.sleep(min(MAX_REST, max(time.perf_counter() - began, ALL_OF_IT * time.thread_time())))


@contextmanager
def _one_after_the_other() -> Iterator[None]:
    """Wait until no other telephone draws."""
    held = _telephones.acquire(LATE_PATIENCE)
    try:
        yield
    finally:
        if held:
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
        alone = not _thread.draws  # else it is a part of a page that has been let in
        if alone:
            limits.wait()
        with turn(later=later):
            function(*args, **kwargs)

    return st.fragment(in_turn, run_every=run_every)
