"""Large models on one device, one after the other; what is complete is in a store, and is not trained again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from pe_core.lab.device import CPU
from pe_core.lab.experiment.run import repairs_of
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.process import Here
from pe_core.lab.queue.trainer import Trainer
from pe_core.lab.results.record import Progress, RunRecord, collect
from pe_core.lab.storage.store import RunStore
from pe_core.lab.sweeps.pool import Item, Runs, finished, under_bar
from pe_core.parameters import require
from pe_core.translation import Say


def alone(config: RunConfig) -> list[RunConfig]:
    """Return the runs of one model each that a run is made of, those of the first seed first."""
    return [
        replace(config.of_seed(seed), encodings=(key,), repairs=tuple(one.key for one in repairs_of(config, key)))
        for seed in config.seeds
        for key in config.encodings
    ]


def train_long(config: RunConfig, learned: Dataset, device: str, store: RunStore, say: Say = str) -> RunRecord:
    """Return the record of a run, under a progress bar; what the store has of its models is not trained again.

    Raises `ValueError` where the memory will not do, before anything is trained, and where models have failed: then the
    store has what is complete.
    """
    models = {f"{one.encodings[0]} with seed {one.seed}": (one, learned) for one in alone(config)}
    records = dict(finished(models, store, partial(in_turn, device=device, say=say)))
    return joined(config, [records[name] for name in models])


def in_turn(runs: Runs[Item], device: str, say: Say = str) -> Iterator[tuple[Item, RunRecord]]:
    """Yield each item with the record of its run, trained one after the other: a GPU has memory for one large model.

    Raises `ValueError` where the memory will not do, before anything is trained, and at the end where runs have failed.
    """
    if runs:
        check_memory(runs.values(), device)
        yield from under_bar(Here(Trainer(n_workers=1, device=device)), runs, say)


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
