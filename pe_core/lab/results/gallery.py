"""The gallery: every encoding trained with several seeds, its file, and the order that follows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.datasets import Corpus
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.settings import MULTIPLES, OF_MODEL, RunConfig
from pe_core.lab.results.record import TextFacts, judged, text_facts
from pe_core.lab.results.record_file import FORMAT, check_format, versions
from pe_core.lab.results.statistics import NOT_LEARNED, Losses, Summary, Verdict, grade, paired, ranked
from pe_core.parameters import Value, require

KEPT = KEPT_RUNS / "gallery.json"
SHARED = tuple(name for name in OF_MODEL if name != "seed")  # settings that all models of one gallery have in common


@dataclass(frozen=True)
class SeedRun:
    """One encoding trained with one seed: number of weights, losses by length, and those under each repair."""

    n_parameters: int
    losses: Losses
    repaired: Mapping[str, Losses] = field(default_factory=dict)


@dataclass(frozen=True)
class Gallery:
    """All runs of a sweep as far as it has come, by encoding and seed, with what they have in common."""

    settings: Mapping[str, Value]
    text: TextFacts
    versions: Mapping[str, str]
    runs: Mapping[str, Mapping[int, SeedRun]] = field(default_factory=dict)

    @property
    def train_length(self) -> int:
        """Characters that the models saw at once in training."""
        return int(self.settings["train_length"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that any encoding was trained with."""
        return tuple(sorted({seed for by_seed in self.runs.values() for seed in by_seed}))


def empty(steps: int, corpus: Corpus) -> Gallery:
    """Return the gallery before the first run, which will be one of so many steps, else with the lab's defaults.

    Its settings are those that all runs share.
    """
    settings: dict[str, Any] = RunConfig(steps=steps).settings()
    shared = {name: value for name, value in settings.items() if name in SHARED}
    return Gallery(shared, text_facts(corpus), versions())


def to_json(gallery: Gallery) -> str:
    """Return the gallery with a line for each run and each repair; losses to six digits."""
    head = {
        "format": FORMAT,
        "settings": gallery.settings,
        "text": gallery.text.content(),
        "versions": gallery.versions,
    }
    rows = [
        {"encoding": encoding, "seed": seed, "repair": repair, "n_weights": one.n_parameters, **_columns(losses)}
        for encoding, by_seed in gallery.runs.items()
        for seed, one in by_seed.items()
        for repair, losses in {"": one.losses, **one.repaired}.items()
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
        check_format(content)
        lengths = RunConfig(train_length=content["settings"]["train_length"]).lengths
        runs: dict[str, dict[int, SeedRun]] = {}
        for row in content["trainings"]:
            encoding, seed, repair = row["encoding"], row["seed"], row["repair"]
            require(encoding in ENCODINGS, "encoding", f"be among {', '.join(ENCODINGS)}", encoding)
            losses = tuple(LengthLoss(*loss) for loss in zip(lengths, row["loss"], row["last_quarter"], strict=True))
            by_seed = runs.setdefault(encoding, {})
            if repair:  # its line stands below that of the run
                own = by_seed[seed]
                by_seed[seed] = SeedRun(own.n_parameters, own.losses, {**own.repaired, named(repair).key: losses})
            else:
                by_seed[seed] = SeedRun(row["n_weights"], losses)
        return Gallery(content["settings"], TextFacts.from_content(content["text"]), content["versions"], runs)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"file must hold a gallery, got {type(error).__name__}: {error}") from None


def read(file: str | Path) -> Gallery:
    """Return the gallery in a file; raise `ValueError` for a file of anything else."""
    return from_json(Path(file).read_text(encoding="utf-8"))


BEYOND = MULTIPLES[1:]


@dataclass(frozen=True)
class Standing:
    """One system of the gallery at one multiple of the training length, by its losses up to there."""

    key: str
    group: str
    summary: Summary

    @property
    def title(self) -> str:
        """What it is called on a page."""
        return self.summary.title

    @property
    def n(self) -> int:
        """How many seeds there are."""
        return self.summary.n

    @property
    def ratios(self) -> Mapping[int, float]:
        """The ratio of the losses with each seed."""
        return self.summary.grades

    @property
    def trained(self) -> float:
        """The mean loss at the training length in nats per character."""
        return self.summary.mean[0].loss

    @property
    def read(self) -> float:
        """The mean loss at the multiple in nats per character."""
        return self.summary.mean[-1].loss

    @property
    def mean(self) -> float:
        """The ratio of the mean losses, from which the verdict follows."""
        return grade(self.summary.mean)

    @property
    def verdict(self) -> Verdict:
        """What became of the system in the mean."""
        return self.summary.verdict

    @property
    def n_same(self) -> int:
        """With how many seeds alone the verdict is the same."""
        return self.summary.n_same


def standings(gallery: Gallery, multiple: int) -> list[Standing]:
    """Return every encoding at a multiple of the training length, the smallest ratio first, "not learned" last."""
    found = [
        _standing(gallery, key, ENCODINGS[key].title, ENCODINGS[key].family, _losses(gallery, key), multiple)
        for key in gallery.runs
    ]
    return ranked(found, lambda one: one.summary)


def repaired(gallery: Gallery, encoding: str, multiple: int) -> list[Standing]:
    """Return one encoding as it was trained and under each repair, the smallest ratio first."""
    runs = gallery.runs[encoding]
    found = [_standing(gallery, AS_TRAINED.key, AS_TRAINED.title, "as trained", _losses(gallery, encoding), multiple)]
    for name in dict.fromkeys(name for one in runs.values() for name in one.repaired):
        losses = {seed: one.repaired[name] for seed, one in runs.items() if name in one.repaired}
        found.append(_standing(gallery, name, named(name).title, "repaired", losses, multiple))
    return ranked(found, lambda one: one.summary)


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
    return {seed: one.losses for seed, one in gallery.runs[encoding].items()}


def _standing(
    gallery: Gallery, key: str, title: str, group: str, losses: Mapping[int, Losses], multiple: int
) -> Standing:
    require(multiple in BEYOND, "multiple", f"be one of {', '.join(map(str, BEYOND))}", multiple)
    upto = {seed: one[: MULTIPLES.index(multiple) + 1] for seed, one in losses.items()}
    return Standing(key, group, Summary(title, upto, partial(judged, text=gallery.text)))
