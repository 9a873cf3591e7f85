"""Runs under one bar on the trainers of a pool: the one of this process, one for each core, or those of a cluster."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TypeVar

from tqdm import tqdm

from pe_core.lab.device import CPU, first_line
from pe_core.lab.experiment.run import plan
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.cluster import Cluster
from pe_core.lab.queue.job import LIVE
from pe_core.lab.queue.jobs import LOST, JobManager, Pool
from pe_core.lab.queue.process import Processes
from pe_core.lab.queue.time_left import weight
from pe_core.lab.queue.trainer import TrainerOptions
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.translation import Say

Item = TypeVar("Item")
Runs = Mapping[Item, tuple[RunConfig, Dataset]]

BETWEEN_LOOKS = 0.2  # seconds


def finished(
    runs: Runs[Item], store: RunStore, train: Callable[[Runs[Item]], Iterator[tuple[Item, RunRecord]]]
) -> Iterator[tuple[Item, RunRecord]]:
    """Yield each item with the record of its run: first those that the store has, then the others as they get ready.

    What the store has is taken from there, whatever device it was made on. A record is in the store before it is
    yielded, and only this process writes there. Raises `StoreError` where it cannot, before anything is trained, and
    `ValueError` at the end where runs have failed.
    """
    missing = {}
    for item, (config, learned) in runs.items():
        kept = store.get(run_hash(config, text_facts(learned)))
        if kept is None:
            missing[item] = config, learned
        else:
            yield item, kept
    if missing:
        store.check()
    for item, record in train(missing):
        store.put(record)
        yield item, record


def under_bar(pool: Pool, runs: Runs[Item], say: Say = str) -> Iterator[tuple[Item, RunRecord]]:
    """Yield each item with the record of its run as they get ready, and close the pool, whose trainers have one each.

    What is left takes its time at the pace of what was done so far. A run that fails keeps no other from its turn, and
    one whose trainer has died is given to another one, once. Raises `ValueError` at the end, which says how many have
    failed and why the first one did.
    """
    waiting, live, again, problems = [*runs], dict[str, Item](), set[Item](), list[str]()
    work, done = {item: _work(*run) for item, run in runs.items()}, dict.fromkeys(runs, 0)
    layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    with (
        closing(JobManager(pool)) as manager,
        tqdm(total=sum(work.values()), smoothing=0, bar_format=layout) as bar,  # at the pace of all, not of the last
    ):
        while waiting or live:
            while waiting and len(live) < len(pool.trainers()):
                item = waiting.pop(0)
                live[manager.submit(*runs[item])] = item
            time.sleep(BETWEEN_LOOKS)
            seen = {job_id: manager.snapshot(job_id) for job_id in live}
            for job_id, snapshot in seen.items():
                before, done[live[job_id]] = done[live[job_id]], round(snapshot.done * work[live[job_id]])
                bar.update(done[live[job_id]] - before)
            if speed := sum(snapshot.tokens_per_second or 0 for snapshot in seen.values()):
                steps = sum(snapshot.steps for snapshot in seen.values())
                bar.set_postfix_str(say(f"{steps} steps, {speed:,.0f} tokens/s"))
            for job_id, snapshot in seen.items():
                if snapshot.state in LIVE:
                    continue
                item = live.pop(job_id)
                if snapshot.state == "finished":
                    yield item, snapshot.record
                elif snapshot.message == LOST and item not in again:
                    again.add(item)
                    waiting.append(item)
                else:
                    problems.append(first_line(snapshot.message if len(runs) == 1 else f"{item}: {snapshot.message}"))
    if problems and len(runs) == 1:
        raise ValueError(problems[0])
    if problems:
        raise ValueError(f"{len(problems)} of {len(runs)} runs failed, the first one {problems[0]}")


def _work(config: RunConfig, learned: Dataset) -> int:
    units = (one for key in config.encodings for one in plan(config, key, n_held_out=learned.n_held_out))
    return round(config.n_seeds * sum(weight(config, unit, len(learned.vocabulary)) * times for unit, times in units))


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def on_all_cores(runs: Runs[Item], device: str = CPU, say: Say = str) -> Iterator[tuple[Item, RunRecord]]:
    """Yield what `under_bar` does, of a process for each core. Whoever closes the iterator, or ends, ends them too."""
    if runs:
        pool = Processes(TrainerOptions(n_workers=1, device=device), min(cores(), len(runs)))
        yield from under_bar(pool, runs, say)


def on_cluster(address: str, runs: Runs[Item], device: str = CPU, say: Say = str) -> Iterator[tuple[Item, RunRecord]]:
    """Yield what `under_bar` does, of the workers of a Dask scheduler; `ValueError` where none answers.

    A worker needs this project, of the same version, at the place where Python looks for it.
    """
    if runs:
        yield from under_bar(Cluster(address, TrainerOptions(n_workers=1, device=device)), runs, say)
