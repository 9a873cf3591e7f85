"""Memory that runs have used and that is free goes back to the system, and when it does."""

import os
import platform
import sys
import threading
from pathlib import Path

import pytest
import torch

from pe_core.lab.queue import trainer
from pe_core.lab.queue.job import trim
from tests.cases import each
from tests.lab.running import until

MANY, SMALL = 4_000, 8_192  # tensors of 32 kB: smaller than what the allocator fetches and returns one by one
IS_GLIBC = platform.libc_ver()[0] == "glibc"


def resident():
    """The memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_is_free_below_something_that_is_used_goes_back_to_the_system():
    if not IS_GLIBC:
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

    thread = threading.Thread(target=work)  # as a worker of the lab
    thread.start()
    thread.join()
    half = MANY * SMALL * 4 / 2
    assert changes[0] < half < changes[1]


@each("platform_name", ["darwin", "win32"])
def test_elsewhere_nothing_happens(platform_name, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform_name)
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail("asked the C library"))
    trim()


def test_memory_is_given_back_when_a_run_ends_and_not_before(endless, manager, tiny, text, monkeypatch):
    trimmed = []
    monkeypatch.setattr(trainer, "trim", lambda: trimmed.append(1))
    job_id = manager.submit(tiny, text)
    until(lambda: manager.snapshot(job_id).steps > 3)
    assert not trimmed
    manager.cancel(job_id)
    until(lambda: trimmed)
