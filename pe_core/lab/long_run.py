"""Runs under a bar; large models one after the other, where what is complete is in a store and not trained again."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import torch
from tqdm import tqdm

from pe_core.lab.device import CPU, first_line
from pe_core.lab.experiment.run import plan, repairs_of
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.job import LIVE, submission
from pe_core.lab.queue.time_left import weight
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.results.record import Progress, RunRecord, collect, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.parameters import require
from pe_core.translation import Say

Item = TypeVar("Item")

BETWEEN_LOOKS = 0.2  # seconds


def alone(config: RunConfig) -> list[RunConfig]:
    """Return the runs of one model each that a run is made of, those of the first seed first."""
    return [
        replace(config.of_seed(seed), encodings=(key,), repairs=tuple(one.key for one in repairs_of(config, key)))
        for seed in config.seeds
        for key in config.encodings
    ]


def train_long(config: RunConfig, learned: Dataset, device: str, store: RunStore, say: Say = str) -> RunRecord:
    """Return the record of a run, under a progress bar; what the store has of its models is not trained again.

    Raises `ValueError` where the memory will not do, before anything is trained, and where the device fails: then the
    store has what is complete.
    """
    learned.check_length(max(config.lengths))
    facts = text_facts(learned)
    records = {one: store.get(run_hash(one, facts)) for one in alone(config)}
    missing = [one for one, record in records.items() if record is None]
    store.check()
    for one, record in in_turn({one: (one, learned) for one in missing}, device, say):
        store.put(record)
        records[one] = record
    return joined(config, [record for record in records.values() if record is not None])  # that is all of them


def in_turn(
    runs: Mapping[Item, tuple[RunConfig, Dataset]], device: str, say: Say = str
) -> Iterator[tuple[Item, RunRecord]]:
    """Yield each item with the record of its run, trained one after the other: a GPU has memory for one large model.

    Raises `ValueError` where the memory will not do, before anything is trained, and where the device fails.
    """
    if not runs:
        return
    check_memory(runs.values(), device)
    try:
        yield from under_bar(runs, device, say)
    except ValueError as error:
        raise ValueError(f"{error}; the same command goes on with this model") from None


def under_bar(
    runs: Mapping[Item, tuple[RunConfig, Dataset]], device: str, say: Say = str, n_workers: int = 1
) -> Iterator[tuple[Item, RunRecord]]:
    """Yield each item with the record of its run, one run after the other under one bar, its models by so many workers.

    What is left takes its time at the pace of what was done so far. Raises `ValueError` where a run fails.
    """
    work = {
        item: sum(
            weight(config, unit, len(learned.vocabulary)) * times * config.n_seeds
            for key in config.encodings
            for unit, times in plan(config, key, n_held_out=learned.n_held_out)
        )
        for item, (config, learned) in runs.items()
    }
    layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    with (
        closing(Trainer(n_workers=n_workers, device=device)) as trainer,
        tqdm(total=sum(work.values()), smoothing=0, bar_format=layout) as bar,  # at the pace of all, not of the last
    ):
        for item, (config, learned) in runs.items():
            new, before = submission(config, learned), bar.n
            snapshot = trainer.submit(new)
            while snapshot.state in LIVE:
                time.sleep(BETWEEN_LOOKS)
                snapshot = trainer.snapshot(new.job_id)
                bar.update(before + snapshot.done * work[item] - bar.n)
                if snapshot.tokens_per_second:
                    bar.set_postfix_str(say(f"{snapshot.steps} steps, {snapshot.tokens_per_second:,.0f} tokens/s"))
            if snapshot.state != "finished":
                raise ValueError(first_line(snapshot.message))
            yield item, snapshot.record


def joined(config: RunConfig, models: Sequence[RunRecord]) -> RunRecord:
    """Return the record of a run from those of its models."""
    progress = {}
    for one in models:
        [encoding], seed = one.config.encodings, one.config.seed
        curve, outcome = one.curves[encoding][seed], one.outcomes[encoding][seed]
        progress[encoding, seed] = Progress(list(curve), outcome=outcome)
    return collect(config, models[0].text, progress, models[0].device)


def check_memory(runs: Iterable[tuple[RunConfig, Dataset]], device: str) -> None:
    """Raise `ValueError` where the largest model of runs needs more memory than the device has free."""
    free = free_bytes(device)
    if free is None:
        return
    calibration = calibrate()
    models = {(model, len(learned.vocabulary)) for one, learned in runs for model in alone(one.of_seed(0))}
    needed, largest = max(
        (need(model, vocab_size, calibration, n_workers=1).bytes, model.encodings[0]) for model, vocab_size in models
    )
    rule = f"be at least {needed / 1e9:.1f} GB for {largest} in this run"
    require(needed <= free, f"free memory of {device}", rule, f"{free / 1e9:.1f} GB")


def free_bytes(device: str) -> int | None:
    """Return how much memory of a device is free, None where that is not known: on systems that do not tell it."""
    if device != CPU:
        return int(torch.accelerator.get_memory_info(torch.device(device))[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1_024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
