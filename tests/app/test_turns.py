"""Many visitors in one process: pages are drawn in turn, what must live or is known is made once, and garbage."""

import gc
import sys
import threading
import time
import weakref
from types import SimpleNamespace

import pytest

from tests.app.opened import ROOT
from tests.cases import each
from tests.lab.storage.test_store import RECORD
from tests.waiting import PATIENCE, until
from ui import home
from ui.frame import process, turns
from ui.frame.process import Once
from ui.frame.turns import fragment, others_first, turn
from ui.widgets.remembered import MAX_TEXT, forget, result_of

MOMENT = 0.05  # seconds in which who may draw has drawn


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Nobody draws out of turn because the machine is busy."""
    monkeypatch.setattr(turns, "PATIENCE", PATIENCE)


@pytest.fixture
def other(threads):
    """Lets another thread draw; returns what is set when it has drawn."""

    def come(*, later=False):
        drawn = threading.Event()

        def draw():
            with turn(later=later):
                drawn.set()

        threads(draw)
        return drawn

    return come


def test_one_thread_draws_at_a_time(threads):
    drawing, most = [], []

    def draw():
        with turn():
            drawing.append(1)
            most.append(len(drawing))
            time.sleep(0.002)  # in which the others would come in
            drawing.pop()

    for thread in [threads(draw) for _ in range(20)]:
        thread.join()
    assert most == [1] * 20


def test_a_fragment_within_a_page_is_drawn_at_once_and_the_page_goes_on(other):
    with turn():
        with turn():
            pass
        came = other()
        assert not came.wait(MOMENT)
    assert came.wait(PATIENCE)


def test_a_page_that_fails_gives_its_turn_away_and_outside_of_a_turn_there_is_none_to_give(other):
    with pytest.raises(RuntimeError, match=r"^no$"), turn():
        raise RuntimeError("no")
    with others_first():
        assert other().wait(PATIENCE)
    assert other().wait(PATIENCE)


def test_who_works_for_long_lets_others_in_and_has_the_turn_again_afterwards(other):
    with turn():
        first = other()
        assert not first.wait(MOMENT)
        with others_first():
            assert first.wait(PATIENCE)
        second = other()
        assert not second.wait(MOMENT)
    assert second.wait(PATIENCE)


def test_home_lets_others_draw_while_a_fresh_server_waits(monkeypatch, other):
    monkeypatch.delitem(sys.modules, "torch")
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        assert other().wait(PATIENCE)

    monkeypatch.setattr(home, "time", SimpleNamespace(sleep=sleep))
    with turn():
        home.let_draw()
    assert slept == [home.MOMENT]


@pytest.mark.parametrize("later", [False, True])
def test_nobody_waits_for_ever(later, threads, other, monkeypatch):
    with turn(later=later):
        monkeypatch.setattr(turns, "PATIENCE", MOMENT)
        assert other(later=later).wait(PATIENCE)
        monkeypatch.setattr(turns, "PATIENCE", PATIENCE)
        came = other()
        assert not came.wait(MOMENT)  # who has lost patience has not given the turn of the first one away
    assert came.wait(PATIENCE)


def test_of_telephones_one_at_most_waits_beside_the_others(other):
    with turn(later=True), others_first():
        phone = other(later=True)
        assert other().wait(PATIENCE)
        assert not phone.is_set()
    assert phone.wait(PATIENCE)


def test_after_a_telephone_others_draw_before_the_next_one(other, monkeypatch):
    came = []

    def rest(seconds):
        if not came:
            came.append(other(later=True))
            assert other().wait(PATIENCE)
            assert not came[0].is_set()

    monkeypatch.setattr(turns, "time", SimpleNamespace(sleep=rest))
    with turn(later=True):
        pass
    assert came[0].wait(PATIENCE)


def test_every_fragment_is_drawn_in_turn(monkeypatch, other):
    """Streamlit runs a fragment without the page around it, so the page's turn does not reach it."""
    files = [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    assert [file.name for file in files if "st.fragment" in file.read_text(encoding="utf-8")] == ["turns.py"]
    monkeypatch.setattr(turns.st, "fragment", lambda function, run_every: function)
    came = []

    def draw():
        came.append(other())
        assert not came[0].wait(MOMENT)

    fragment(draw)()
    assert came[0].wait(PATIENCE)


# What is made once, and garbage.


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


# What functions have returned is computed once, for the same values only.


@pytest.fixture
def nothing_is_known():
    forget()
    yield
    forget()


@pytest.fixture
def counted(nothing_is_known):
    """A function that says how often it was called."""
    calls = []

    def function(**values):
        calls.append(values)
        return {"calls": len(calls)}

    return function


def test_the_same_values_are_computed_once(counted):
    first = result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": None})
    assert result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": None}) is first
    assert result_of(counted, a=1, b=("x", [3.0]), c={"d": 1, "e": None}) is not first
    assert result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": 0}) is not first


@each("others", [(1, 1.0), (1, True), ((1,), (1.0,)), ({"a": 1}, {"a": 1.0}), ("1", 1), (None, 0), ({}, ())])
def test_values_that_are_equal_and_not_the_same_are_told_apart(others, counted):
    forget()
    one, other = (result_of(counted, value=value) for value in others)
    assert other["calls"] == one["calls"] + 1


@each("value", [RECORD, "x" * (MAX_TEXT + 1), ("x" * (MAX_TEXT + 1),), {"x" * (MAX_TEXT + 1): 1}, object()])
def test_what_may_change_and_what_a_visitor_has_brought_is_not_remembered(value, counted):
    first, second = (result_of(counted, value=value)["calls"] for _ in range(2))
    assert second == first + 1
