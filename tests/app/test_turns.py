"""Pages are drawn one at a time, and nobody waits for ever."""

import sys
import threading
from functools import partial
from types import SimpleNamespace

import pytest

from tests.app.opened import ROOT
from tests.waiting import PATIENCE, until
from ui import home
from ui.frame import turns
from ui.frame.turns import fragment, others_first, turn


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Nobody draws out of turn because the machine is busy."""
    for name in ("PATIENCE", "LATE_PATIENCE"):
        monkeypatch.setattr(turns, name, PATIENCE)


def n_waiting():
    return sum(map(len, turns._lock._waiting))


def wait_for(n):
    """Wait until so many threads wait for their turn."""
    until(lambda: n_waiting() == n, lambda: f"{n_waiting()} wait", every=0.001)


def test_one_thread_draws_at_a_time(threads):
    """Each draws until the test has seen that all others who have not drawn yet wait."""
    drawing, most, drawn = [], [], threading.Semaphore(0)

    def draw():
        with turn():
            drawing.append(1)
            most.append(len(drawing))
            assert drawn.acquire(timeout=PATIENCE)
            drawing.pop()

    all_of_them = [threads(draw) for _ in range(20)]
    for left in reversed(range(20)):
        until(lambda left=left: len(most) == 20 - left, "the next one draws", every=0.001)
        wait_for(left)
        drawn.release()
    for thread in all_of_them:
        thread.join()
    assert most == [1] * 20


def test_within_a_turn_a_fragment_is_drawn_at_once():
    with turn(), turn():
        assert turns._lock.locked()
    assert not turns._lock.locked()


def test_a_page_that_fails_gives_its_turn_away():
    with pytest.raises(RuntimeError, match=r"^no$"), turn():
        raise RuntimeError("no")
    assert not turns._lock.locked()


def test_who_works_for_long_lets_others_in(threads):
    came = threading.Event()

    def other():
        with turn():
            came.set()

    with turn():
        threads(other)
        wait_for(1)
        assert not came.is_set()
        with others_first():
            assert came.wait(PATIENCE)
        assert turns._lock.locked()
    assert not turns._lock.locked()


def test_home_lets_others_draw_while_a_fresh_server_waits(monkeypatch):
    held = []
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(home.time, "sleep", lambda seconds: held.append((seconds, turns._lock.locked())))
    with turn():
        home.let_draw()
        assert turns._lock.locked()
    assert held == [(home.MOMENT, False)]


def test_nobody_waits_for_ever(threads, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    drawn = threading.Event()

    def impatient():
        with turn():
            with others_first():  # there is none to give away
                pass
            drawn.set()

    with turn():
        threads(impatient)
        assert drawn.wait(PATIENCE)
        assert turns._lock.locked()  # still that of the first one
    assert not turns._lock.locked()


def _draw(order, name, *, later):
    with turn(later=later):
        order.append(name)


def test_telephones_draw_when_nobody_else_waits_each_group_in_its_order(threads):
    order = []
    with turn():
        for number, (name, later) in enumerate((("phone", True), ("wall", False), ("slider", False))):
            threads(partial(_draw, order, name, later=later))
            wait_for(number + 1)
    until(lambda: len(order) == 3, lambda: order)
    assert order == ["wall", "slider", "phone"]


@pytest.mark.parametrize(
    ("drawing", "computing", "rest"), [(0.03125, 0.0, 0.03125), (0.03125, 0.015625, 0.0625), (1.0, 1.0, turns.MAX_REST)]
)
def test_after_a_telephone_as_much_time_is_left_to_others_as_it_has_taken(
    drawing, computing, rest, threads, monkeypatch
):
    """By a clock that only telephones move: all of them together, and each by what it computes."""
    clock, own, happened = [0.0], threading.local(), []

    def sleep(seconds):
        happened.append((seconds, turns._lock.locked(), turns._telephones.locked()))

    clocks = {"perf_counter": lambda: clock[0], "thread_time": lambda: own.time}
    monkeypatch.setattr(turns, "time", SimpleNamespace(sleep=sleep, **clocks))

    def telephone():
        with turn(later=True):
            happened.append("drawn")
            clock[0] += drawing
            own.time = computing

    for thread in [threads(telephone) for _ in range(3)]:
        thread.join()
    assert happened == ["drawn", (rest, False, True)] * 3  # the others may draw, and no telephone does
    assert not turns._telephones.locked()


def test_a_telephone_that_hangs_stops_no_other_one_for_ever(threads, monkeypatch):
    monkeypatch.setattr(turns, "LATE_PATIENCE", 0.05)
    order = []
    with turn(later=True):
        threads(partial(_draw, order, "other", later=True)).join(PATIENCE)
        assert order == ["other"]
    assert not turns._telephones.locked()
    assert not turns._lock.locked()
    assert not any(turns._lock._waiting)


def test_outside_of_a_turn_there_is_none_to_give_away():
    with others_first():
        assert not turns._lock.locked()
    assert not turns._lock.locked()


def test_every_fragment_is_drawn_in_turn(monkeypatch):
    """Streamlit runs a fragment without the page around it, so the page's turn does not reach it."""
    files = [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    assert [file.name for file in files if "st.fragment" in file.read_text(encoding="utf-8")] == ["turns.py"]
    held = []
    monkeypatch.setattr(turns.st, "fragment", lambda function, run_every: function)
    fragment(lambda: held.append(turns._lock.locked()))()
    assert held == [True]
