"""When memory that runs have used goes back to the system."""

import pytest

from pe_core.lab.queue import jobs
from tests.lab.running import ended, until


@pytest.fixture
def trimmed(monkeypatch):
    calls = []
    monkeypatch.setattr(jobs, "trim", lambda: calls.append(1))
    return calls


def test_memory_is_given_back_when_a_run_ends_and_not_before(open_lab, endless, tiny, text, trimmed):
    manager = open_lab(n_workers=1)
    job_id = manager.submit(tiny, text)
    until(lambda: manager.snapshot(job_id).steps > 3)
    assert not trimmed
    manager.cancel(job_id)
    until(lambda: trimmed)


def test_memory_is_given_back_after_a_run_that_finishes(open_lab, tiny, text, trimmed):
    manager = open_lab(n_workers=1)
    assert ended(manager, manager.submit(tiny, text)).state == "finished"
    until(lambda: trimmed)
