"""Processes that do something with a store in the same moment, forked from one that has imported what they need."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from tests.waiting import PATIENCE

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["pe_core.lab.storage.store", "tests.lab.storage.test_store"])


def at_once(act, *arguments):
    """What `act(meet, argument)` returns in a process for each argument; none goes on after `meet()` before all do."""
    n = len(arguments)
    with ProcessPoolExecutor(n, FORKED, _share, (FORKED.Barrier(n),)) as processes:
        begun = [processes.submit(_acted, act, argument) for argument in arguments]
        return [one.result(PATIENCE) for one in begun]


def _share(barrier):
    globals()["barrier"] = barrier


def _acted(act, argument):
    return act(lambda: globals()["barrier"].wait(PATIENCE), argument)
