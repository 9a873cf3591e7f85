"""What a gallery holds, and its file: every encoding trained with several seeds, the losses by length of each."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab.corpus import Corpus
from pe_core.lab.evaluation import LengthLoss
from pe_core.lab.repair import named
from pe_core.lab.results import TextFacts, text_facts
from pe_core.lab.seeds import Losses
from pe_core.lab.training import RunConfig
from pe_core.parameters import Value, require

FORMAT = 1  # of the JSON file
KEPT = KEPT_RUNS / "gallery.json"
# Settings that differ between the trainings of one gallery, or that it has no use for.
OWN = ("encodings", "seed", "n_seeds", "tune_steps", "repairs")


@dataclass(frozen=True)
class Training:
    """One encoding trained with one seed: number of weights, losses by length, and those under each repair."""

    n_weights: int
    losses: Losses
    repaired: Mapping[str, Losses] = field(default_factory=dict)


@dataclass(frozen=True)
class Gallery:
    """All trainings of a sweep as far as it has come, by encoding and seed, with what they have in common."""

    settings: Mapping[str, Value]
    text: TextFacts
    versions: Mapping[str, str]
    trainings: Mapping[str, Mapping[int, Training]] = field(default_factory=dict)

    @property
    def train_length(self) -> int:
        """Characters that the models saw at once in training."""
        return int(self.settings["train_length"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that any encoding was trained with."""
        return tuple(sorted({seed for by_seed in self.trainings.values() for seed in by_seed}))


def empty(steps: int, corpus: Corpus) -> Gallery:
    """Return the gallery before the first training, which will be one of so many steps, else with the lab's defaults.

    Its settings are those that all trainings share.
    """
    settings: dict[str, Any] = RunConfig(steps=steps).settings()
    shared = {name: value for name, value in settings.items() if name not in OWN}
    return Gallery(shared, text_facts(corpus), {"python": platform.python_version(), "torch": torch.__version__})


def to_json(gallery: Gallery) -> str:
    """Return the gallery with a line for each training and each repair; losses to six digits."""
    head = {"format": FORMAT, "settings": gallery.settings, "text": asdict(gallery.text), "versions": gallery.versions}
    rows = [
        {"encoding": encoding, "seed": seed, "repair": repair, "n_weights": training.n_weights, **_columns(losses)}
        for encoding, by_seed in gallery.trainings.items()
        for seed, training in by_seed.items()
        for repair, losses in {"": training.losses, **training.repaired}.items()
    ]
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{json.dumps(head, indent=1, ensure_ascii=False)[:-2]},\n "trainings": [\n{lines}\n ]\n}}\n'


def _columns(losses: Losses) -> dict[str, list[float]]:
    columns = {"loss": [one.loss for one in losses], "last_quarter": [one.last_quarter for one in losses]}
    return {name: [float(f"{value:.6g}") for value in values] for name, values in columns.items()}


def from_json(text: str) -> Gallery:
    """Return the gallery that `to_json` wrote; raise `ValueError` for anything else."""
    try:
        content = json.loads(text)
        require(content["format"] == FORMAT, "format", f"be {FORMAT}", content["format"])
        lengths = RunConfig(train_length=content["settings"]["train_length"]).lengths
        trainings: dict[str, dict[int, Training]] = {}
        for row in content["trainings"]:
            encoding, seed, repair = row["encoding"], row["seed"], row["repair"]
            require(encoding in ENCODINGS, "encoding", f"be among {', '.join(ENCODINGS)}", encoding)
            losses = tuple(LengthLoss(*loss) for loss in zip(lengths, row["loss"], row["last_quarter"], strict=True))
            by_seed = trainings.setdefault(encoding, {})
            if repair:  # its line stands below that of the training
                own = by_seed[seed]
                by_seed[seed] = Training(own.n_weights, own.losses, {**own.repaired, named(repair).key: losses})
            else:
                by_seed[seed] = Training(row["n_weights"], losses)
        return Gallery(content["settings"], TextFacts(**content["text"]), content["versions"], trainings)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"file must hold a gallery, got {type(error).__name__}: {error}") from None


def read(file: str | Path) -> Gallery:
    """Return the gallery in a file; raise `ValueError` for a file of anything else."""
    return from_json(Path(file).read_text(encoding="utf-8"))
