"""A sweep: one run for every combination of task, training length, encoding and seed, and what came out of it.

Each is a run of the lab with one encoding, and is kept as such: a sweep that is made again trains only what is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from statistics import fmean
from typing import Any

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import BUILT_IN, DEFAULT_TEXT, built_in
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import OF_MODEL, RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.experiment.tasks import TASKS, own_defaults
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.results.record_file import csv_of, rounded
from pe_core.lab.results.statistics import MAX, MIN, compact
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.sweeps.pool import Runs
from pe_core.parameters import require

TEXT = "text"
# What `built_in` is called with, by the name in a sweep: `program-2` is the program text with its split 2.
TEXTS = {
    (TEXT if key == DEFAULT_TEXT else key) + (f"-{split}" if split else ""): (key, split)
    for key, split in BUILT_IN.values()
}
DATASETS = (*TEXTS, *TASKS)


@dataclass(frozen=True)
class Trial:
    """One run of a sweep: what is learned, a configuration of one encoding, and the hash of that run."""

    task: str
    config: RunConfig
    run: str

    @property
    def encoding(self) -> str:
        """The key of the encoding."""
        return self.config.encodings[0]

    def outcome(self, record: RunRecord) -> Outcome:
        """Return what came out of this run."""
        return record.outcomes[self.encoding][self.config.seed]

    def __str__(self) -> str:
        """Say which one it is, for a message."""
        config = self.config
        return f"{self.encoding} on {self.task}, training length {config.train_length}, seed {config.seed}"


def dataset(task: str) -> Dataset:
    """Return what is learned under this name: a built-in text, or a task; `ValueError` if there is none."""
    require(task in DATASETS, "tasks", f"be among {', '.join(DATASETS)}", task)
    return TASKS[task] if task in TASKS else built_in(*TEXTS[task])


def trials(
    tasks: Sequence[str],
    train_lengths: Sequence[int],
    encodings: Sequence[str],
    seeds: Sequence[int],
    shared: Mapping[str, Any],
) -> list[Trial]:
    """Return all combinations, those of the first seed first: a sweep that is stopped has whole comparisons.

    `shared` are the other fields of their `RunConfig`. Each task has its own defaults for what is not among them,
    also its own training length where none is named. Raises `ValueError` for what no run may have, and for a value
    that is named twice.
    """
    axes = {"tasks": tasks, "train_lengths": train_lengths, "encodings": encodings, "seeds": seeds}
    for name, values in axes.items():
        require(len(set(values)) == len(values), name, "be different", ", ".join(map(str, values)))
    found = []
    for seed, task in product(seeds, tasks):
        fields: dict[str, Any] = {**own_defaults(task), **shared, "seed": seed}
        one_each = product(train_lengths or [fields["train_length"]], encodings)
        found += planned(task, [RunConfig((key,), **{**fields, "train_length": length}) for length, key in one_each])
    return found


def planned(task: str, configs: Sequence[RunConfig]) -> list[Trial]:
    """Return the runs of these configurations, each of one encoding.

    Raises `ValueError` where a text is too short, or a length for a task.
    """
    learned = dataset(task)
    facts = text_facts(learned)
    for length in sorted({length for config in configs for length in config.lengths}):
        learned.check_length(length)
    return [Trial(task, config, run_hash(config, facts)) for config in configs]


def runs_of(trials: Sequence[Trial]) -> Runs[Trial]:
    """Return what is to be trained for these runs."""
    return {trial: (trial.config, dataset(trial.task)) for trial in trials}


Records = Mapping[Trial, RunRecord]


def to_csv(records: Records) -> str:
    """Return a row for every run and evaluated length as CSV with a header; numbers to six digits.

    Each row has the settings of its run, and its hash, under which the store has the run with text and versions.
    """
    rows = []
    for trial, record in records.items():
        outcome, settings = trial.outcome(record), {name: getattr(trial.config, name) for name in OF_MODEL}
        run = {"run": trial.run, "device": record.device, "n_weights": outcome.n_parameters}
        names = {"task": trial.task, "encoding": trial.encoding, **settings, **run}
        names["verdict"] = record.verdict(trial.encoding)
        for mark in outcome.lengths:
            numbers = {name: value for name, value in asdict(mark).items() if name != "blocks"}
            rows.append({**names, **rounded(numbers)})
    return csv_of(rows)


def means(records: Records) -> list[dict[str, str | float]]:
    """Return a row for each task, training length and encoding: the mean over the seeds at each multiple of the length.

    Of a text it is the loss, of a task the share of right answers; where there are several seeds, with the minimum
    and maximum of them.
    """
    groups: dict[tuple[str, int, str], list[Sequence[LengthLoss]]] = {}
    multiples = next(iter(records)).config.multiples  # the same of all
    for trial, record in sorted(records.items(), key=lambda one: one[0].config.seed):
        group = groups.setdefault((trial.task, trial.config.train_length, trial.encoding), [])
        group.append(trial.outcome(record).lengths)
    found = []
    for (task, train_length, encoding), seeds in groups.items():
        kind = "loss" if seeds[0][0].accuracy is None else "accuracy"
        names = {"Task": task, "Trained at": f"{train_length}", "Encoding": ENCODINGS[encoding].title}
        row: dict[str, str | float] = {**names, "Seeds": f"{len(seeds)}", "Mean of": kind}
        for multiple, marks in zip(multiples, zip(*seeds, strict=True), strict=True):
            values = [mark.loss if mark.accuracy is None else mark.accuracy for mark in marks]
            row[f"×{multiple}"] = fmean(values)
            if len(values) > 1:
                row |= {f"×{multiple}{MIN}": min(values), f"×{multiple}{MAX}": max(values)}
        found.append(compact(row))
    return found
