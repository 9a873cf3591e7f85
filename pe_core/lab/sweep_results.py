"""What came out of a sweep: a row for every training and evaluated length, as JSON and CSV, and the means of seeds."""

import csv
import io
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.evaluation import LengthLoss
from pe_core.lab.results import RunRecord
from pe_core.lab.seeds import GREATEST, LEAST, compact
from pe_core.lab.settings import MULTIPLES
from pe_core.lab.sweep import Trial

FORMAT = 1  # of the JSON file
# Settings that differ between the trainings of a sweep, or that none of them uses.
OWN = ("encodings", "train_length", "seed", "n_seeds", "tune_steps", "repairs")

Records = Mapping[Trial, RunRecord]


def rows(records: Records) -> list[dict[str, Any]]:
    """Return a row for every training and evaluated length; numbers to six digits."""
    return [
        {**_names(trial), **_rounded(asdict(mark))}
        for trial, record in records.items()
        for mark in record.outcomes[trial.encoding].lengths
    ]


def to_csv(records: Records) -> str:
    """Return the rows as CSV with a header."""
    table = rows(records)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def to_json(records: Records) -> str:
    """Return the settings and versions that all share, what was learned, and a line for each training."""
    settings = next(iter(records)).config.settings()
    head = {
        "format": FORMAT,
        "settings": {name: value for name, value in settings.items() if name not in OWN},
        "texts": {trial.task: asdict(record.text) for trial, record in records.items()},
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
    }
    lines = ",\n".join(f"  {json.dumps(_training(trial, record))}" for trial, record in records.items())
    return f'{json.dumps(head, indent=1, ensure_ascii=False)[:-2]},\n "trainings": [\n{lines}\n ]\n}}\n'


def means(records: Records) -> list[dict[str, str | float]]:
    """Return a row for each task, training length and encoding: the mean over the seeds at each multiple of the length.

    Of a text it is the loss, of a task the share of right answers; where there are several seeds, with the least and
    the greatest of them.
    """
    groups: dict[tuple[str, int, str], list[Sequence[LengthLoss]]] = {}
    for trial, record in sorted(records.items(), key=lambda one: one[0].config.seed):
        group = groups.setdefault((trial.task, trial.config.train_length, trial.encoding), [])
        group.append(record.outcomes[trial.encoding].lengths)
    found = []
    for (task, train_length, encoding), seeds in groups.items():
        names = {"Task": task, "Trained at": f"{train_length}", "Encoding": ENCODINGS[encoding].title}
        row: dict[str, str | float] = {**names, "Seeds": f"{len(seeds)}", "Mean of": _kind(seeds[0][0])}
        for multiple, marks in zip(MULTIPLES, zip(*seeds, strict=True), strict=True):
            row |= _spread(f"×{multiple}", [_figure(mark) for mark in marks])
        found.append(compact(row))
    return found


def _figure(mark: LengthLoss) -> float:
    return mark.loss if mark.accuracy is None else mark.accuracy


def _kind(mark: LengthLoss) -> str:
    return "loss" if mark.accuracy is None else "accuracy"


def _names(trial: Trial) -> dict[str, str | int]:
    config = trial.config
    return {
        "task": trial.task,
        "encoding": trial.encoding,
        "train_length": config.train_length,
        "seed": config.seed,
    }


def _training(trial: Trial, record: RunRecord) -> dict[str, Any]:
    outcome = record.outcomes[trial.encoding]
    return {
        **_names(trial),
        "run": trial.run,
        "n_weights": outcome.n_weights,
        "verdict": record.verdict(trial.encoding),
        "lengths": [_rounded(asdict(mark)) for mark in outcome.lengths],
    }


def _rounded(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in numbers.items()}


def _spread(name: str, values: Sequence[float]) -> dict[str, str | float]:
    ends = {f"{name}{LEAST}": min(values), f"{name}{GREATEST}": max(values)} if len(values) > 1 else {}
    return {name: fmean(values), **ends}
