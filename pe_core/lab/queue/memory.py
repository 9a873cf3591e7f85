"""What stays in memory of runs that have ended: the newest of them, and the trained weights of the very newest."""

import ctypes
import sys
from collections.abc import Iterable

from pe_core.lab.queue.job import Job
from pe_core.lab.queue.messages import LIVE
from pe_core.lab.results.record import is_own
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore, StoreError

KEPT = 64  # ended runs that can still be looked at
KEEP_OWN_WEIGHTS = 1_800.0  # seconds that the weights of an own text stay when nobody looks at its run
KEPT_BYTES = 64 * 2**20  # of weights: of one run in a store, and of all ended runs together that are in memory


def remember(jobs: dict[str, Job], job_id: str, job: Job) -> None:
    """Note a run under its id, and forget the oldest ones that have ended."""
    ended = [old for old, job in jobs.items() if job.state not in LIVE]
    for old in ended[: max(0, len(ended) - KEPT + 1)]:
        del jobs[old]
    jobs[job_id] = job


def keep(job: Job, store: RunStore) -> None:
    """Put a complete run into a store, and note the hash that it has there, or why that failed.

    Its weights go there too, unless they are too large. Those of an own text only do if the visitor who has brought it
    asks for it, as a model can repeat parts of it; else they stay with the run.
    """
    record, run, weights = job.record(), run_hash(job.config, job.text), job.weights()
    stored = job.keeps_weights or not is_own(job.text)
    fitting = weights if stored and sum(map(len, weights.values())) <= KEPT_BYTES else {}
    try:
        store.put(record, fitting, job.owner)
    except StoreError as error:
        job.unkept = str(error)
        return
    job.kept, job.unkept = run, ""
    if stored:
        job.drop_weights()


def drop_weights(jobs: Iterable[Job]) -> None:
    """Drop weights of runs that have ended, those of the oldest first, until all have at most `KEPT_BYTES`."""
    room = KEPT_BYTES
    for job in reversed([job for job in jobs if job.state not in LIVE]):
        room -= sum(map(len, job.weights().values()))
        if room < 0:
            job.drop_weights()


def trim() -> None:
    """Give memory that is no longer used back to the system.

    glibc keeps free memory for each thread apart, so that after a while a process holds twice as much as it uses. Other
    systems give memory back by themselves, so nothing happens there.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
