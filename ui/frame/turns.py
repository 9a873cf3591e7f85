"""Pages are drawn one at a time, so that many visitors are served sooner.

Python computes in one thread at a time anyway. Where twenty threads draw at once, each of them, and the server's loop
that sends what they have drawn, waits at every turn for the interpreter's lock: with a hundred visitors a slider step
took seconds while half of the processor had nothing to do. So who draws holds a lock, and the others wait for it.
"""

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import ParamSpec

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.frame import limits
from ui.frame.meters import measured

Drawn = ParamSpec("Drawn")

PATIENCE = 2.0  # seconds of waiting after which a page is drawn without the lock: no page can stop all others
TOGETHER = 0.1  # seconds for which the parts of a step wait for each other
_lock = threading.Lock()


class _Thread(threading.local):
    """What a thread knows of itself: whether it draws, and whether it holds the lock."""

    draws = False
    has_turn = False
    held: "_Held | None" = None

    def wait(self) -> None:
        self.has_turn = _lock.acquire(timeout=PATIENCE)

    def give_away(self) -> None:
        if self.held:
            self.held.send()
        if self.has_turn:
            self.has_turn = False
            _lock.release()


class _Held:
    """The parts of a step that are drawn but not yet sent; after some time each part is sent as it comes."""

    def __init__(self, send: Callable[[ForwardMsg], None]) -> None:
        self._send = send
        self._parts: list[ForwardMsg] = []
        self._end = time.monotonic() + TOGETHER

    def take(self, part: ForwardMsg) -> None:
        self._parts.append(part)
        if time.monotonic() > self._end:
            self.send()

    def send(self) -> None:
        parts, self._parts = self._parts, []
        for part in parts:
            self._send(part)


_thread = _Thread()


@contextmanager
def _together() -> Iterator[None]:
    """Send what a step draws at its end, in one go.

    For each lot of parts that comes by itself, the browser goes over the whole page, the list of pages included.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        yield
        return
    send = context._enqueue  # Streamlit has no public name for it
    held = _thread.held = _Held(send)
    context._enqueue = held.take
    try:
        yield
    finally:
        context._enqueue, _thread.held = send, None
        held.send()


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
        alone = not _thread.draws  # else it is a part of a page that has been let in
        if alone:
            limits.wait()
        with turn(), measured("fragment"), _together() if alone else nullcontext():
            function(*args, **kwargs)

    return st.fragment(in_turn, run_every=run_every)
