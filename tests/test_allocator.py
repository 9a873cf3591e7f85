"""Memory goes back to the system, and threads share where they take it from."""

import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from pe_core.allocator import ARENAS, share_arenas, trim

ROOT = Path(__file__).parents[1]
MANY, SMALL = 4_000, 8_192  # tensors of 32 kB: smaller than what the allocator fetches and returns one by one
IS_GLIBC = platform.libc_ver()[0] == "glibc"
COUNT_ARENAS = """
import ctypes, sys, threading
from pe_core.allocator import share_arenas
if sys.argv[1] == "shared":
    share_arenas()
libc, barrier = ctypes.CDLL(None), threading.Barrier(6)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
def work():
    libc.malloc(10_000)
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def resident():
    """The memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def arenas(how):
    """How many arenas a new process has after six threads took memory at the same time."""
    command = [sys.executable, "-c", COUNT_ARENAS, how]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.count("<heap nr=")


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


def test_threads_share_arenas():
    if IS_GLIBC:
        assert arenas("shared") <= ARENAS < arenas("apart")
    else:
        share_arenas()


@pytest.mark.parametrize("platform_name", ["darwin", "win32"])
def test_elsewhere_nothing_happens(platform_name, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform_name)
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail("asked the C library"))
    share_arenas()
    trim()
