"""The gallery: every encoding trained with several seeds, its file, and the order that follows."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.corpus import Corpus
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.settings import MULTIPLES, OF_MODEL, RunConfig
from pe_core.lab.results.record import TextFacts, text_facts
from pe_core.lab.results.statistics import NOT_LEARNED, Losses, mean_losses, paired
from pe_core.lab.results.verdicts import Verdict, ratio, verdict
from pe_core.parameters import Value, require

FORMAT = 1  # of the JSON file
KEPT = KEPT_RUNS / "gallery.json"
SHARED = tuple(name for name in OF_MODEL if name != "seed")  # settings that all models of one gallery have in common


@dataclass(frozen=True)
class Training:
    """One encoding trained with one seed: number of weights, losses by length, and those under each repair."""

    n_parameters: int
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
    shared = {name: value for name, value in settings.items() if name in SHARED}
    return Gallery(shared, text_facts(corpus), {"python": platform.python_version(), "torch": torch.__version__})


def to_json(gallery: Gallery) -> str:
    """Return the gallery with a line for each training and each repair; losses to six digits."""
    head = {
        "format": FORMAT,
        "settings": gallery.settings,
        "text": gallery.text.content(),
        "versions": gallery.versions,
    }
    rows = [
        {"encoding": encoding, "seed": seed, "repair": repair, "n_weights": training.n_parameters, **_columns(losses)}
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
                by_seed[seed] = Training(own.n_parameters, own.losses, {**own.repaired, named(repair).key: losses})
            else:
                by_seed[seed] = Training(row["n_weights"], losses)
        return Gallery(content["settings"], TextFacts.from_content(content["text"]), content["versions"], trainings)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"file must hold a gallery, got {type(error).__name__}: {error}") from None


def read(file: str | Path) -> Gallery:
    """Return the gallery in a file; raise `ValueError` for a file of anything else."""
    return from_json(Path(file).read_text(encoding="utf-8"))


BEYOND = MULTIPLES[1:]


@dataclass(frozen=True)
class Standing:
    """One system at one multiple of the training length.

    `ratios` are those of the losses with each seed; `trained` and `read` are the mean losses at the training length and
    at the multiple, in nats per character, `mean` is their ratio, from which the verdict follows; with `n_same` seeds
    alone it is the same.
    """

    key: str
    title: str
    group: str
    ratios: Mapping[int, float]
    trained: float
    read: float
    mean: float
    verdict: Verdict
    n_same: int

    @property
    def n(self) -> int:
        """How many seeds there are."""
        return len(self.ratios)


def standings(gallery: Gallery, multiple: int) -> list[Standing]:
    """Return every encoding at a multiple of the training length, the smallest ratio first, "not learned" last."""
    return _ordered(
        [
            _standing(gallery, key, spec.title, spec.family, _losses(gallery, key), multiple)
            for key, spec in ENCODINGS.items()
            if key in gallery.trainings
        ]
    )


def repaired(gallery: Gallery, encoding: str, multiple: int) -> list[Standing]:
    """Return one encoding as it was trained and under each repair, the smallest ratio first."""
    trainings = gallery.trainings[encoding]
    found = [_standing(gallery, AS_TRAINED.key, AS_TRAINED.title, "as trained", _losses(gallery, encoding), multiple)]
    for name in dict.fromkeys(name for training in trainings.values() for name in training.repaired):
        losses = {seed: one.repaired[name] for seed, one in trainings.items() if name in one.repaired}
        found.append(_standing(gallery, name, named(name).title, "repaired", losses, multiple))
    return _ordered(found)


def apart(first: Standing, second: Standing) -> bool:
    """Return whether the ratios of two systems differ by more than their seeds do; only common seeds count."""
    return paired(first.ratios, second.ratios).told == "yes"


def next_apart(found: Sequence[Standing]) -> list[bool | None]:
    """Return for each system whether it can be told apart from the next one; None where one has not learned.

    And None for the last.
    """
    learned = [standing.verdict != NOT_LEARNED for standing in found]
    neighbours = [
        apart(found[place], found[place + 1]) if learned[place] and learned[place + 1] else None
        for place in range(len(found) - 1)
    ]
    return [*neighbours, None]


def _losses(gallery: Gallery, encoding: str) -> dict[int, Losses]:
    return {seed: training.losses for seed, training in gallery.trainings[encoding].items()}


def _standing(
    gallery: Gallery, key: str, title: str, group: str, losses: Mapping[int, Losses], multiple: int
) -> Standing:
    require(multiple in BEYOND, "multiple", f"be one of {', '.join(map(str, BEYOND))}", multiple)
    upto = {seed: one[: MULTIPLES.index(multiple) + 1] for seed, one in losses.items()}
    mean = mean_losses(list(upto.values()))
    judged = verdict(mean, gallery.text.unigram_loss)
    return Standing(
        key,
        title,
        group,
        {seed: ratio(one) for seed, one in upto.items()},
        mean[0].loss,
        mean[-1].loss,
        ratio(mean),
        judged,
        sum(verdict(one, gallery.text.unigram_loss) == judged for one in upto.values()),
    )


def _ordered(found: Sequence[Standing]) -> list[Standing]:
    return sorted(found, key=lambda standing: (standing.verdict == NOT_LEARNED, standing.mean))
