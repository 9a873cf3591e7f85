"""What must live is made once in a process, and its garbage is collected in rounds."""

import gc
import threading
import weakref

import pytest

from tests.waiting import PATIENCE, until
from ui.frame import process
from ui.frame.process import Once


def test_what_is_made_once_is_made_by_the_first_of_many_threads(threads):
    asked, made, got = [], [], []

    @Once
    def slow():
        until(lambda: len(asked) == 8, lambda: f"{len(asked)} of 8 threads have come")
        made.append(object())
        return made[-1]

    def ask():
        asked.append(1)
        got.append(slow())

    for thread in [threads(ask) for _ in range(8)]:
        thread.join()
    assert got == made * 8
    slow.forget()
    assert slow() is made[1] is not made[0]


def test_what_fails_is_tried_again():
    tries = iter((ValueError("bad limit"), 7))

    @Once
    def fragile():
        if isinstance(result := next(tries), ValueError):
            raise result
        return result

    with pytest.raises(ValueError, match=r"^bad limit$"):
        fragile()
    assert fragile() == 7


class _Cycle:
    def __init__(self):
        self.own = self


def test_a_round_frees_cycles_that_were_frozen_before():
    cycle = _Cycle()
    seen = weakref.ref(cycle)
    process.collect()
    del cycle
    assert seen() is not None
    process.collect()
    assert seen() is None
    assert gc.get_freeze_count() > 10_000
    gc.unfreeze()


def test_rounds_go_on_in_a_thread_of_their_own(monkeypatch):
    collected = threading.Event()
    calls = []

    def collect():
        calls.append(threading.current_thread().name)
        if len(calls) == 3:
            collected.set()
            threading.Event().wait()  # the thread is a daemon: it ends with the process

    before = gc.get_threshold()
    monkeypatch.setattr(process, "collect", collect)
    monkeypatch.setattr(process, "PERIOD", 0.01)
    try:
        process.collect_in_rounds()
        assert collected.wait(PATIENCE)
        assert calls == [threading.current_thread().name, "garbage", "garbage"]
        assert gc.get_threshold() == process.THRESHOLDS
    finally:
        gc.set_threshold(*before)
