"""Pages are drawn one at a time, nobody waits for ever, and a step is sent in one go."""

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


class Sending:
    """What Streamlit knows of a run: how its parts are sent, here into a list."""

    def __init__(self):
        self.sent = []
        self._enqueue = self.sent.append


@pytest.fixture
def sending(monkeypatch):
    """A step of a fragment whose parts are seen as they are sent."""
    run = Sending()
    monkeypatch.setattr(turns, "get_script_run_ctx", lambda suppress_warning: run)
    monkeypatch.setattr(turns.limits, "wait", lambda: None)
    monkeypatch.setattr(turns.st, "fragment", lambda function, run_every: function)
    return run


def test_the_parts_of_a_step_are_sent_in_one_go(sending, monkeypatch):
    monkeypatch.setattr(turns, "TOGETHER", SOON)
    seen = []

    def step():
        for part in "abc":
            sending._enqueue(part)
            seen.append(list(sending.sent))

    fragment(step)()
    assert seen == [[], [], []]
    assert sending.sent == ["a", "b", "c"]
    sending._enqueue("d")
    assert sending.sent[-1] == "d"


def test_what_was_drawn_before_a_step_failed_is_sent(sending):
    def step():
        sending._enqueue("a")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match=r"^no$"):
        fragment(step)()
    assert sending.sent == ["a"]


def test_a_step_that_takes_long_is_seen_as_it_is_drawn(sending, monkeypatch):
    monkeypatch.setattr(turns, "TOGETHER", 0.0)
    seen = []

    def step():
        for part in "ab":
            time.sleep(0.001)
            sending._enqueue(part)
            seen.append(list(sending.sent))

    fragment(step)()
    assert seen == [["a"], ["a", "b"]]


def test_who_lets_others_in_shows_first_what_is_drawn(sending):
    seen = []

    def step():
        sending._enqueue("a")
        with others_first():
            seen.append(list(sending.sent))
        sending._enqueue("b")

    fragment(step)()
    assert seen == [["a"]]
    assert sending.sent == ["a", "b"]


def test_a_fragment_within_a_page_is_sent_as_it_is_drawn(sending):
    seen = []

    def part():
        sending._enqueue("a")
        seen.append(list(sending.sent))

    with turn():
        fragment(part)()
    assert seen == [["a"]]
