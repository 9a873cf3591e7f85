"""Large models on one device, one after the other; what is complete is in a store, and is not trained again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TypeVar

import torch
from tqdm import tqdm

from pe_core.lab.device import CPU, first_line
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Event, Outcome, Unit, plan, repairs_of
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.time_left import Remaining, weight
from pe_core.lab.results.record import Progress, RunRecord, collect, text_facts
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.store import RunStore
from pe_core.parameters import require
from pe_core.translation import Say

Item = TypeVar("Item")

SHOWN = 1.0  # seconds between two numbers of the bar


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
    with Bar([*runs.values()], say) as bar:
        for item, (config, learned) in runs.items():
            bar.begin()
            try:
                record = repeat(config, learned, device, bar.advance)
            except RuntimeError as error:  # out of memory, too
                where = f"{config.encodings[0]} was trained with seed {config.seed}"
                then = "the same command goes on with this model"
                raise ValueError(f"{device} failed while {where} ({first_line(error)}); {then}") from None
            yield item, record


def joined(config: RunConfig, models: Sequence[RunRecord]) -> RunRecord:
    """Return the record of a run from those of its models."""
    progress = {}
    for one in models:
        [encoding], seed = one.config.encodings, one.config.seed
        curve, outcome = one.curves[encoding][seed], one.outcomes[encoding][seed]
        progress[encoding, seed] = Progress(list(curve), outcome=outcome)
    return collect(config, models[0].text, progress, models[0].device)


class Bar:
    """A progress bar over models that are trained one after the other: steps, tokens per second, and the time left.

    Work counts as `weight` weighs it, and what is left takes its time at the pace of what was done so far.
    """

    def __init__(self, models: Sequence[tuple[RunConfig, Dataset]], say: Say) -> None:
        self._say = say
        self._config, learned = models[0]
        self._vocab_size = len(learned.vocabulary)
        self._ahead = [plan(one, one.encodings[0], n_held_out=text.n_held_out) for one, text in models]
        self._now = Remaining([])
        total = sum(self._weight(unit) * times for units in self._ahead for unit, times in units)
        layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(total=total, smoothing=0, bar_format=layout)  # of all that was done, not of the last moments
        self._since, self._tokens, self._steps = monotonic(), 0, 0

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def _weight(self, unit: Unit) -> int:
        return round(weight(self._config, unit, self._vocab_size))

    def begin(self) -> None:
        """Take in that the next model begins."""
        self._now = Remaining(self._ahead.pop(0))

    def advance(self, event: Event) -> None:
        """Take in what the training of the model has yielded; the model itself and the outcome are no work."""
        if isinstance(event, Transformer | Outcome):
            return
        unit = self._now.take()
        assert unit is not None  # a run has the events of its plan
        self._bar.update(self._weight(unit))
        self._tokens += unit.tokens
        if isinstance(event, TrainStep):
            self._steps = event.step
        now = monotonic()
        if (taken := now - self._since) >= SHOWN:
            self._bar.set_postfix_str(self._say(f"{self._steps} steps, {self._tokens / taken:,.0f} tokens/s"))
            self._since, self._tokens = now, 0


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
