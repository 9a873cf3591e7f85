"""Memory that a run has used: it goes back to the system."""

import os
import platform
import threading
from pathlib import Path

import pytest
import torch

from pe_core.lab import jobs
from pe_core.lab.memory import trim
from tests.lab.running import ended, until

MANY, SMALL = 4_000, 8_192  # tensors of 32 kB: smaller than what the allocator fetches and returns one by one


def resident():
    """The memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def trimmed(monkeypatch):
    calls = []
    monkeypatch.setattr(jobs, "trim", lambda: calls.append(1))
    return calls


def test_what_is_free_below_something_that_is_used_goes_back_to_the_system():
    if platform.libc_ver()[0] != "glibc":
        trim()  # nothing to do, and nothing fails
        return
    changes = []

    def work():
        blocks = [torch.ones(SMALL) for _ in range(MANY)]
        last = blocks[-1]
        before = resident()
        blocks.clear()
        kept = resident()
        trim()
        changes.extend((before - kept, kept - resident()))
        assert last.sum() == SMALL

    thread = threading.Thread(target=work)  # an arena of its own, as a worker has it
    thread.start()
    thread.join()
    half = MANY * SMALL * 4 / 2
    assert changes[0] < half < changes[1]


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
