"""For who hosts the app: readiness, metrics, the end of the process, a log without texts of visitors, and limits."""

import json
import logging
import sys
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from tests.app.opened import OWNER, VISITOR, opened
from tests.cases import each
from tests.waiting import PATIENCE
from ui import hosted
from ui.frame import limits
from ui.frame.limits import BURST, MAX_WAIT, admit, seconds_to_wait
from ui.lab import jobs as lab

SHORT = RunConfig(encodings=("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
LONG = replace(SHORT, steps=5_000, n_seeds=10)  # of some minutes


def answer(route):
    """The status and the text of what a route answers."""
    said = route(None)  # neither looks at the request
    return said.status_code, said.body.decode()


def test_a_process_with_store_and_trainers_is_ready_and_what_is_missing_is_named(store, monkeypatch, tmp_path):
    assert answer(hosted.ready) == (200, "ready")
    lab.run_store.forget()
    monkeypatch.setenv(lab.STORE, f"sqlite:///{tmp_path}")  # a folder is no database
    assert answer(hosted.ready) == (503, "the store does not answer")


def test_metrics_count_runs_and_errors_of_pages_by_their_kind():
    def errors():
        return hosted.ERRORS.labels("ZeroDivisionError")._value.get()

    before = errors()
    hosted.count_error(ZeroDivisionError("secret4711"))
    assert errors() == before + 1
    lab.job_manager().submit(LONG, built_in())
    status, text = answer(hosted.metrics)
    assert status == 200
    lines = text.splitlines()
    live = [line for line in lines if line.startswith(('pe_runs{state="queued"}', 'pe_runs{state="running"}'))]
    assert sorted(line.split()[1] for line in live) == ["0.0", "1.0"]
    assert f'pe_script_errors_total{{kind="ZeroDivisionError"}} {before + 1}' in lines
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    assert "secret4711" not in text


def test_at_the_end_a_long_run_is_ended_and_stays_unfinished(store, monkeypatch):
    monkeypatch.setattr(hosted, "GRACE", 0.2)
    run = lab.job_manager().submit(LONG, built_in(), OWNER)
    hosted.shut_down()
    assert lab.job_manager().snapshot(run).state == "stopped"
    assert [kept.state for kept in store.owned(OWNER)] == ["unfinished"]
    with pytest.raises(ValueError, match="closed"):
        lab.job_manager().submit(LONG, built_in())


def test_at_the_end_a_short_run_is_finished(store, monkeypatch):
    monkeypatch.setattr(hosted, "GRACE", PATIENCE)
    run = lab.job_manager().submit(SHORT, built_in())
    hosted.shut_down()
    assert lab.job_manager().snapshot(run).state == "finished"
    assert [kept.state for kept in store.listing()] == ["finished"]


def test_a_process_that_has_no_queue_makes_none_to_end_it():
    hosted.shut_down()
    assert not lab.job_manager.is_made


# The log.

SECRETS = ("hunter2 and a diary", "diary of 2026.txt", "/lab?run=kept-4711")


def line(name, message, *args, error=None):
    """What is written of one message, as the object that it is."""
    record = logging.getLogger(name).makeRecord(name, logging.ERROR, __file__, 1, message, args, error)
    text = hosted.JsonLines().format(record)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_says_when_how_grave_who_and_what():
    found = line("pe_core.lab", "run %s took %d steps", "kept-4711", 300)
    assert found.pop("time").endswith("+00:00")
    assert found == {"level": "error", "logger": "pe_core.lab", "message": "run %s took %d steps"}


@each(("secret", "name"), product(SECRETS, ("pe_core.lab", "streamlit.runtime", "uvicorn.error")))
def test_what_a_visitor_wrote_is_in_no_line(secret, name):
    try:
        raise ValueError(f"must be short, got {secret!r}")
    except ValueError:
        error = sys.exc_info()
    found = line(name, "the text %s was refused", secret, error=error)
    assert secret not in json.dumps(found)
    assert found["error"] == "ValueError"
    assert found["where"] == [f"test_hosted.py:{error[2].tb_lineno}"]
    other = line("streamlit.runtime", f"cannot open {secret}")  # libraries put values into their messages
    assert secret not in json.dumps(other)


# What one browser and all together may ask for: with a clock of its own, and as a page says it.


@pytest.fixture
def nobody_before(monkeypatch):
    """No browser has asked for anything yet, and no page is open."""
    limits._done_at.clear()
    monkeypatch.setattr(limits, "_sessions", set())


@pytest.mark.usefixtures("nobody_before")
def test_so_many_at_once_then_at_that_rate_up_to_the_longest_wait_and_each_browser_by_itself():
    n = int(5 * BURST)
    waits = [seconds_to_wait("a", 5, 100.0) for _ in range(n + 2)]
    assert waits == pytest.approx([0.0] * n + [0.2, 0.4], abs=1e-9)
    assert seconds_to_wait("a", 5, 100.4) == pytest.approx(0.2)
    assert seconds_to_wait("a", 5, 200.0) == 0.0
    assert max(seconds_to_wait("b", 1, 100.0) for _ in range(50)) == MAX_WAIT
    assert seconds_to_wait("b", 1, 110.0) == 0.0  # what it asked for beyond that is forgotten
    assert seconds_to_wait("c", 1, 100.0) == 0.0


@pytest.mark.usefixtures("nobody_before")
def test_browsers_that_asked_longest_ago_are_forgotten(monkeypatch):
    monkeypatch.setattr(limits, "REMEMBERED", 10)
    for number in range(50):
        seconds_to_wait(str(number), 1, float(number))
    assert list(limits._done_at) == [str(number) for number in range(40, 50)]


@pytest.mark.usefixtures("nobody_before")
def test_a_page_more_may_be_open_when_one_has_closed(monkeypatch):
    closed = set()
    monkeypatch.setenv(limits.MAX_SESSIONS.name, "2")
    monkeypatch.setattr(limits, "_is_open", lambda session: session not in closed)
    assert [admit(name) for name in ("1", "2", "3", "1")] == [True, True, False, True]  # an open one stays open
    closed.add("1")
    assert [admit(name) for name in ("3", "4")] == [True, False]


@pytest.mark.usefixtures("nobody_before")
def test_a_page_too_many_is_a_sentence(monkeypatch):
    monkeypatch.setattr(limits, "_is_open", lambda session: True)
    monkeypatch.setenv(limits.MAX_SESSIONS.name, "1")
    admit("another one")
    at = opened("rope")
    assert not at.title
    [error] = at.error
    assert error.value == "This page is not shown: the server has 1 open pages already. Load it again in a while."


@pytest.mark.usefixtures("nobody_before")
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
