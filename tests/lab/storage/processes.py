"""Processes of the tests, forked from one that has imported what they need: an import of torch takes seconds."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver

from tests.waiting import PATIENCE

FORKED = multiprocessing.get_context("forkserver")
PRELOADED = ["pe_core.lab.sweeps.sweep", "tests.lab.running", "tests.lab.storage.test_store"]
FORKED.set_forkserver_preload([*PRELOADED, "torch._dynamo"])  # the last one is what the first optimiser imports


def get_ready():
    """Start the one that the others are forked from, with what it imports, if it does not run yet."""
    forkserver.ensure_running()


def begun(act, *arguments):
    """A process that does `act(told, *arguments)`, and the pipe out of which comes what it sends by `told`."""
    heard, told = FORKED.Pipe(duplex=False)
    process = FORKED.Process(target=act, args=(told, *arguments))
    process.start()
    told.close()
    return process, heard


def at_once(act, *arguments):
    """What `act(meet, argument)` returns in a process for each argument; none goes on after `meet()` before all do."""
    n = len(arguments)
    with ProcessPoolExecutor(n, FORKED, _share, (FORKED.Barrier(n),)) as processes:
        results = [processes.submit(_acted, act, argument) for argument in arguments]
        return [one.result(PATIENCE) for one in results]


def _share(barrier):
    globals()["barrier"] = barrier


def _acted(act, argument):
    return act(lambda: globals()["barrier"].wait(PATIENCE), argument)
