"""What one browser and all together may ask for: with a clock of its own, and as a page says it."""

from types import SimpleNamespace

import pytest

from tests.app.opened import VISITOR, opened
from ui.frame import limits
from ui.frame.limits import BURST, MAX_WAIT, admit, seconds_to_wait


@pytest.fixture(autouse=True)
def nobody_before(monkeypatch):
    """No browser has asked for anything yet, and no page is open."""
    limits._done_at.clear()
    monkeypatch.setattr(limits, "_sessions", set())


def test_so_many_at_once_then_at_that_rate_up_to_the_longest_wait_and_each_browser_by_itself():
    n = int(5 * BURST)
    waits = [seconds_to_wait("a", 5, 100.0) for _ in range(n + 2)]
    assert waits == pytest.approx([0.0] * n + [0.2, 0.4], abs=1e-9)
    assert seconds_to_wait("a", 5, 100.4) == pytest.approx(0.2)
    assert seconds_to_wait("a", 5, 200.0) == 0.0
    assert max(seconds_to_wait("b", 1, 100.0) for _ in range(50)) == MAX_WAIT
    assert seconds_to_wait("b", 1, 110.0) == 0.0  # what it asked for beyond that is forgotten
    assert seconds_to_wait("c", 1, 100.0) == 0.0


def test_browsers_that_asked_longest_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(limits, "REMEMBERED", 10)
    for number in range(50):
        seconds_to_wait(str(number), 1, float(number))
    assert list(limits._done_at) == [str(number) for number in range(40, 50)]


def test_a_page_more_may_be_open_when_one_has_closed(monkeypatch):
    closed = set()
    monkeypatch.setenv(limits.MAX_SESSIONS.name, "2")
    monkeypatch.setattr(limits, "_is_open", lambda session: session not in closed)
    assert [admit(name) for name in ("1", "2", "3", "1")] == [True, True, False, True]  # an open one stays open
    closed.add("1")
    assert [admit(name) for name in ("3", "4")] == [True, False]


def test_a_page_too_many_is_a_sentence(monkeypatch):
    monkeypatch.setattr(limits, "_is_open", lambda session: True)
    monkeypatch.setenv(limits.MAX_SESSIONS.name, "1")
    admit("another one")
    at = opened("rope")
    assert not at.title
    [error] = at.error
    assert error.value == "This page is not shown: the server has 1 open pages already. Load it again in a while."


def test_who_asks_too_often_waits_and_is_told(monkeypatch):
    waited = []
    monkeypatch.setattr(limits, "time", SimpleNamespace(sleep=waited.append, monotonic=lambda: 100.0))
    monkeypatch.setenv(limits.MAX_RATE.name, "1")
    at = opened("privacy", visitor=VISITOR)
    for _ in range(8):
        at.run()
    assert at.title
    assert waited[:7] == [0.0] * 5 + [1.0, 2.0]
    assert set(waited[7:]) == {2.0}
    assert "asks for pages more than 1 times a second" in at.toast[0].value
