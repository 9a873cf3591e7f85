"""What stays of runs that have ended: the last of them, and the trained weights of the very last ones."""

from collections.abc import Iterable

from pe_core.lab.job import LIVE, Job
from pe_core.lab.run_hash import run_hash
from pe_core.lab.store import RunStore

KEPT = 64  # ended runs that can still be looked at
KEPT_BYTES = 64 * 2**20  # of weights: of one run in a store, and of all ended runs together that are in memory


def remember(jobs: dict[str, Job], job_id: str, job: Job) -> None:
    """Note a run under its id, and forget the oldest ones that have ended."""
    ended = [old for old, job in jobs.items() if job.state not in LIVE]
    for old in ended[: max(0, len(ended) - KEPT + 1)]:
        del jobs[old]
    jobs[job_id] = job


def keep(job: Job, store: RunStore | None) -> str:
    """Put a complete run into a store, its weights too unless they are too large; return its hash there, or nothing."""
    record, run, weights = job.record(), run_hash(job.config, job.text), job.weights()
    fitting = weights if sum(map(len, weights.values())) <= KEPT_BYTES else {}
    return run if job.ask(store, lambda store: store.put(record, fitting)) else ""


def drop_weights(jobs: Iterable[Job]) -> None:
    """Drop weights of runs that have ended, those of the oldest first, until all have at most `KEPT_BYTES`."""
    room = KEPT_BYTES
    for job in reversed([job for job in jobs if job.state not in LIVE]):
        room -= sum(map(len, job.weights().values()))
        if room < 0:
            job.drop_weights()
