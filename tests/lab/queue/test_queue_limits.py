"""How many runs there may be: in the queue, paused, and of one owner, whose runs nobody else changes."""

from dataclasses import replace

import pytest

from pe_core.lab.queue import trainer
from pe_core.lab.queue.jobs import OPERATOR, NotYours
from tests.cases import refuses
from tests.lab.running import ended


def full(n_runs):
    return f"queue must have fewer than {n_runs} runs to take another, got {n_runs}"


def test_the_queue_is_bounded_and_as_many_runs_may_be_paused_which_give_up_their_place(open_lab, endless, tiny, text):
    manager = open_lab(n_workers=1, max_live=2)
    first, second = (manager.submit(tiny, text) for _ in range(2))
    refuses(lambda: manager.submit(tiny, text), full(2))
    manager.pause(second)
    third = manager.submit(tiny, text)
    refuses(lambda: manager.resume(second), full(2))
    assert manager.snapshot(second).state == "paused"
    manager.pause(first)
    refuses(lambda: manager.pause(third), "paused runs must be fewer than 2 to pause another, got 2")
    assert manager.snapshot(third).state in {"queued", "running"}
    manager.resume(second)
    assert manager.snapshot(second).state == "queued"


def test_a_paused_run_expires_though_it_is_watched(open_lab, endless, clock, tiny, text, monkeypatch):
    monkeypatch.setattr(trainer, "PAUSE", 120.0)
    manager = open_lab(n_workers=1, unwatched=75)
    job_id = manager.submit(tiny, text)
    manager.pause(job_id)
    for _ in range(2):
        clock.now += 50
        assert manager.snapshot(job_id).state == "paused"
    clock.now += 50
    manager.snapshot(job_id)
    manager.submit(replace(tiny, seed=1), text)  # a worker that is woken looks at once, and else once a second
    assert ended(manager, job_id).message == "Stopped, because it was paused for more than 2 minutes."


def test_an_owner_has_two_live_runs_and_nobody_else_changes_them(endless, manager, tiny, text):
    first, second = (manager.submit(tiny, text, "a") for _ in range(2))
    refuses(lambda: manager.submit(tiny, text, "a"), "your live runs must be fewer than 2 to start another, got 2")
    other = manager.submit(tiny, text, "b")
    for change in (manager.pause, manager.resume, manager.cancel):
        for by in ("b", ""):
            with pytest.raises(NotYours, match=r"^run must be your own to be changed, got one of another visitor$"):
                change(first, by)
    assert {manager.snapshot(job_id).state for job_id in (first, second, other)} <= {"queued", "running"}
    assert [manager.snapshot(job_id).owner for job_id in (first, other)] == ["a", "b"]
    manager.pause(first, "a")
    assert manager.snapshot(first).state == "paused"
    with pytest.raises(ValueError, match="fewer than 2"):  # a paused run is a live one
        manager.submit(tiny, text, "a")
    manager.cancel(first, OPERATOR)
    assert manager.snapshot(first).state == "stopped"
    manager.submit(tiny, text, "a")
