"""A sweep: one training for every combination of task, training length, encoding and seed.

Each is a run of the lab with one encoding, and is kept as such: a sweep that is made again trains only what is missing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pe_core.lab.corpus import built_in
from pe_core.lab.examples import Material
from pe_core.lab.repeat import repeat
from pe_core.lab.results import RunRecord, text_facts
from pe_core.lab.run_hash import run_hash
from pe_core.lab.store import RunStore
from pe_core.lab.tasks import TASKS, own_defaults
from pe_core.lab.training import RunConfig
from pe_core.parameters import require

TEXT = "text"
MATERIALS = (TEXT, *TASKS)


@dataclass(frozen=True)
class Trial:
    """One training of a sweep: what is learned, a configuration of one encoding, and the hash of that run."""

    task: str
    config: RunConfig
    run: str

    @property
    def encoding(self) -> str:
        """The key of the encoding."""
        return self.config.encodings[0]

    def __str__(self) -> str:
        """Say which one it is, for a message."""
        config = self.config
        return f"{self.encoding} on {self.task}, training length {config.train_length}, seed {config.seed}"


Pool = Callable[[Callable[[Trial], RunRecord], Sequence[Trial]], Iterator[tuple[Trial, RunRecord]]]


def material(task: str) -> Material:
    """Return what is learned under this name: the built-in text, or a task; `ValueError` if there is none."""
    require(task in MATERIALS, "tasks", f"be among {', '.join(MATERIALS)}", task)
    return TASKS[task] if task in TASKS else built_in()


def trials(
    tasks: Sequence[str],
    train_lengths: Sequence[int],
    encodings: Sequence[str],
    seeds: Sequence[int],
    shared: Mapping[str, Any],
) -> list[Trial]:
    """Return all combinations, those of the first seed first: a sweep that is stopped has whole comparisons.

    `shared` are the other fields of their `RunConfig`. Each task has its own of `SUITED` that are not among them, and
    its own training length where none is named. Raises `ValueError` for what no run may have, and for a value that is
    named twice.
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
    """Return the trainings of these configurations, each of one encoding.

    Raises `ValueError` where a text is too short, or a length for a task.
    """
    learned = material(task)
    facts = text_facts(learned)
    for length in sorted({length for config in configs for length in config.lengths}):
        learned.check_length(length)
    return [Trial(task, config, run_hash(config, facts)) for config in configs]


def trained(trial: Trial) -> RunRecord:
    """Return the record of a training, made here and now.

    Raises `ValueError` on a machine whose code, torch or text is another than where the sweep was planned: its numbers
    would not be those of the run.
    """
    learned = material(trial.task)
    here = run_hash(trial.config, text_facts(learned))
    require(here == trial.run, "code, torch and text of a worker", f"be those of run {trial.run}", here)
    return repeat(trial.config, learned)


def finished(trials: Sequence[Trial], store: RunStore, pool: Pool) -> Iterator[tuple[Trial, RunRecord]]:
    """Yield each training with its record: first those that the store has, then the others as they get ready.

    A record is in the store before it is yielded, and only this process writes there. Raises `StoreError` where it
    cannot, and `ValueError` at the end where trainings have failed.
    """
    missing = []
    for trial in trials:
        kept = store.get(trial.run)
        if kept is None:
            missing.append(trial)
        else:
            yield trial, kept
    for trial, record in pool(trained, missing):
        store.put(record)
        yield trial, record
