"""Readiness, metrics, and the end of the process, for who operates the app."""

import socket
import sys
import urllib.error
import urllib.request
from dataclasses import replace

import pytest

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import RunConfig
from tests.app.opened import OWNER
from tests.waiting import PATIENCE
from ui import operations
from ui.frame import meters
from ui.lab import jobs as lab

SHORT = RunConfig(encodings=("none",), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
LONG = replace(SHORT, steps=5_000, n_seeds=10)  # of some minutes


@pytest.fixture
def asked(own_queue, monkeypatch):
    """Asks the port of operations for a path; returns the status and the text."""
    reserved = socket.socket()  # nobody else gets its port, while the server itself may listen there
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    port = reserved.getsockname()[1]
    monkeypatch.setenv(meters.PORT, str(port))
    meters.meters.forget()
    operations.serve.forget()

    def ask(path):
        operations.serve()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    yield ask
    if server := operations.serve():
        server.shutdown()
        server.server_close()
    reserved.close()
    operations.serve.forget()
    meters.meters.forget()


def test_a_process_with_store_and_trainers_is_ready(asked, store):
    assert asked("/ready") == (200, "ready")


def test_what_is_missing_is_named(asked, monkeypatch, tmp_path):
    monkeypatch.setenv(lab.STORE, f"sqlite:///{tmp_path}")  # a folder is no database
    assert asked("/ready") == (503, "the store does not answer")


def test_metrics_count_pages_refusals_and_errors_of_the_store(asked, monkeypatch, tmp_path):
    monkeypatch.setattr(operations, "_sessions", lambda: 3)
    monkeypatch.setenv(lab.STORE, f"sqlite:///{tmp_path}")
    asked("/ready")
    meters.enter_page("rope")
    with meters.measured("page"), meters.measured("fragment"):
        meters.refuse("queue")
    lab.job_manager().submit(LONG, built_in())
    status, text = asked("/metrics")
    assert status == 200
    lines = text.splitlines()
    assert "pe_sessions 3.0" in lines
    assert "pe_queue_length 1.0" in lines
    assert 'pe_refused_total{kind="queue"} 1.0' in lines
    for part in ("page", "fragment"):
        assert f'pe_page_run_seconds_count{{page="rope",part="{part}"}} 1.0' in lines
    assert float(next(line for line in lines if line.startswith("pe_store_errors_total ")).split()[1]) >= 1
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    assert any(line.startswith("process_cpu_seconds_total ") for line in lines)


def test_without_the_library_the_port_says_what_to_install(asked, monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    assert asked("/metrics") == (501, meters.MISSING)
    assert asked("/ready") == (200, "ready")


def test_without_a_port_nothing_is_served_or_counted(monkeypatch):
    monkeypatch.delenv(meters.PORT, raising=False)
    meters.meters.forget()
    operations.serve.forget()
    assert operations.serve() is None
    assert meters.meters() is None


def test_at_the_end_a_long_run_is_ended_and_stays_unfinished(store, monkeypatch):
    monkeypatch.setattr(operations, "GRACE", 0.2)
    run = lab.job_manager().submit(LONG, built_in(), OWNER)
    operations.shut_down()
    assert lab.job_manager().snapshot(run).state == "stopped"
    assert [kept.state for kept in store.owned(OWNER)] == ["unfinished"]
    with pytest.raises(ValueError, match="closed"):
        lab.job_manager().submit(LONG, built_in())


def test_at_the_end_a_short_run_is_finished(store, monkeypatch):
    monkeypatch.setattr(operations, "GRACE", PATIENCE)
    run = lab.job_manager().submit(SHORT, built_in())
    operations.shut_down()
    assert lab.job_manager().snapshot(run).state == "finished"
    assert [kept.state for kept in store.listing()] == ["finished"]


def test_a_process_that_has_no_queue_makes_none_to_end_it(own_queue):
    operations.shut_down()
    assert not lab.job_manager.is_made
