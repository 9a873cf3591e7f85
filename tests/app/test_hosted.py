"""Readiness, metrics, and the end of the process, for who hosts the app."""

from dataclasses import replace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from tests.app.opened import OWNER
from tests.waiting import PATIENCE
from ui import hosted
from ui.lab import jobs as lab

SHORT = RunConfig(encodings=("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
LONG = replace(SHORT, steps=5_000, n_seeds=10)  # of some minutes


def answer(route):
    """The status and the text of what a route answers."""
    said = route(None)  # neither looks at the request
    return said.status_code, said.body.decode()


def test_a_process_with_store_and_trainers_is_ready(store):
    assert answer(hosted.ready) == (200, "ready")


def test_what_is_missing_is_named(monkeypatch, tmp_path):
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
