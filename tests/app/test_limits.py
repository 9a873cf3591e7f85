"""What one browser and all together may ask for: with a clock of its own, and as a page says it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.opened import VISITOR, opened
from ui.frame import limits
from ui.frame.limits import ALL, Rates, Sessions


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_so_many_at_once_then_at_that_rate():
    clock = Clock()
    rates = Rates(2.0, clock)
    assert [rates.wait("a", 5, 10.0) for _ in range(12)] == pytest.approx([0.0] * 10 + [0.2, 0.4])
    clock.now = 0.4
    assert rates.wait("a", 5, 10.0) == pytest.approx(0.2)
    clock.now = 60.0
    assert rates.wait("a", 5, 10.0) == 0.0


def test_who_would_wait_too_long_is_refused_and_loses_nothing():
    clock = Clock()
    rates = Rates(1.0, clock)
    assert [rates.wait("a", 2, 0.0) for _ in range(4)] == [0.0, 0.0, None, None]
    clock.now = 0.5  # one token has come back, whatever was refused
    assert [rates.wait("a", 2, 0.0) for _ in range(2)] == [0.0, None]


def test_one_browser_does_not_hold_up_another_and_many_hold_up_all():
    rates = Rates(1.0, Clock())
    assert [rates.wait("a", 1, 0.0) for _ in range(2)] == [0.0, None]
    assert rates.wait("b", 1, 0.0) == 0.0
    answers = [rates.wait(str(number), 1, 0.0) for number in range(ALL)]
    assert answers.count(None) == 2  # two of the tokens of all were taken before


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.0, 2.0)), min_size=1, max_size=60))
def test_no_browser_ever_gets_more_than_its_rate_and_its_burst(asked):
    clock, taken = Clock(), {}
    rates = Rates(3.0, clock)
    for name, passed in asked:
        clock.now += passed
        if rates.wait(name, 2, 0.0) is not None:
            taken[name] = taken.get(name, 0) + 1
    assert all(n <= 2 * (3.0 + clock.now) for n in taken.values())


def test_buckets_of_browsers_that_have_left_vanish():
    clock = Clock()
    rates = Rates(1.0, clock)
    for number in range(50):
        rates.wait(str(number), 1, 0.0)
    clock.now = limits.FORGOTTEN + 1
    rates.wait("late", 1, 0.0)
    assert len(rates._buckets) == 2  # its own, and that of all


def test_open_pages_are_counted_by_browser_address_and_server(monkeypatch):
    for parameter, n in ((limits.MAX_OWN_SESSIONS, 2), (limits.MAX_ADDRESS_SESSIONS, 3), (limits.MAX_SESSIONS, 4)):
        monkeypatch.setenv(parameter.name, str(n))
    closed = set()
    sessions = Sessions(lambda name: name not in closed)
    assert [sessions.admit(name, "a", "here") for name in "12"] == ["", ""]
    assert sessions.admit("3", "a", "here") == "open pages of this browser must be fewer than 2, got 2"
    assert sessions.admit("1", "a", "here") == ""  # one that is open stays open
    assert sessions.admit("3", "b", "here") == ""
    assert sessions.admit("4", "c", "here") == "open pages of your network address must be fewer than 3, got 3"
    assert sessions.admit("4", "c", "") == ""
    assert sessions.admit("5", "d", "") == "open pages of this server must be fewer than 4, got 4"
    closed.add("1")
    assert sessions.admit("5", "a", "here") == ""


def test_a_page_too_many_is_a_sentence(monkeypatch):
    monkeypatch.setattr(limits, "_sessions", Sessions(lambda name: True))
    monkeypatch.setenv(limits.MAX_SESSIONS.name, "1")
    limits._sessions.admit("another one", "a", "")
    at = opened("rope")
    assert not at.title
    [error] = at.error
    assert error.value == (
        "This page is not shown: open pages of this server must be fewer than 1, got 1. Close some, then load it again."
    )


def test_texts_too_many_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(limits, "_texts", Rates(limits.MINUTE, Clock()))
    monkeypatch.setenv(limits.MAX_TEXTS.name, "1")
    at = opened("lab", visitor=VISITOR, text="paste")
    for number in range(2):
        at.text_area(key="pasted").set_value(f"the text number {number} is as long as it has to be. " * 200).run()
        assert not at.exception
    [error] = at.error
    assert "own texts must be at most 1 a minute, got one more." in error.value


def test_who_asks_too_often_waits_and_is_told(monkeypatch):
    waited = []
    monkeypatch.setattr(limits, "_runs", Rates(limits.BURST, Clock()))
    monkeypatch.setattr(limits.time, "sleep", waited.append)
    monkeypatch.setenv(limits.MAX_RATE.name, "1")
    at = opened("privacy", visitor=VISITOR)
    for _ in range(8):
        at.run()
    assert at.title
    assert waited == [0.0] * 5 + [1.0] + [2.0] * 12  # nine runs of the page and of a part of its frame
    assert "asks for pages more than 1 times a second" in at.toast[0].value
