"""Pages are drawn one at a time, and nobody waits for ever."""

import sys
import threading
import time
from functools import partial
from itertools import pairwise

import pytest

from tests.app.conftest import SOON
from tests.app.opened import ROOT
from ui import home
from ui.frame import turns
from ui.frame.turns import fragment, others_first, turn


def test_one_thread_draws_at_a_time(threads):
    drawing, most = [], []

    def draw():
        with turn():
            drawing.append(1)
            most.append(len(drawing))
            time.sleep(0.01)
            drawing.pop()

    for thread in [threads(draw) for _ in range(20)]:
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
        assert not came.wait(0.1)
        with others_first():
            assert came.wait(SOON)
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
        assert drawn.wait(SOON)
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
            end = time.monotonic() + SOON
            while sum(map(len, turns._lock._waiting)) <= number:
                assert time.monotonic() < end
                time.sleep(0.001)
    end = time.monotonic() + SOON
    while len(order) < 3:
        assert time.monotonic() < end
        time.sleep(0.001)
    assert order == ["wall", "slider", "phone"]


def test_after_a_telephone_as_much_time_is_left_to_others_as_it_has_taken(threads):
    drawn = []

    def telephone():
        with turn(later=True):
            drawn.append(time.monotonic())
            time.sleep(0.03)

    for thread in [threads(telephone) for _ in range(3)]:
        thread.join()
    assert all(after - before >= 0.06 for before, after in pairwise(drawn))
    assert not turns._telephones.locked()


def test_a_telephone_that_hangs_stops_no_other_one_for_ever(threads, monkeypatch):
    monkeypatch.setattr(turns, "LATE_PATIENCE", 0.05)
    order = []
    with turn(later=True):
        threads(partial(_draw, order, "other", later=True)).join(timeout=SOON)
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
