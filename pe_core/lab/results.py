"""What came out of a run: curves, losses by position and length, verdicts, and rows of a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pe_core.encodings import ENCODINGS
from pe_core.lab.evaluation import LengthLoss, Verdict, ratio, task_verdict, verdict
from pe_core.lab.examples import Material
from pe_core.lab.repair import AS_TRAINED, named
from pe_core.lab.seeds import GREATEST, LEAST, Losses, Summary, mean_losses, next_told, ordered
from pe_core.lab.training import RunConfig


@dataclass(frozen=True)
class TextFacts:
    """What a result has to remember of its text: enough to recognise it and to draw the lines of guessing."""

    name: str
    characters: int
    symbols: int
    chance_loss: float
    unigram_loss: float
    sha256: str

    @property
    def is_task(self) -> bool:
        """Whether it is no text but a task, whose answers are right or wrong."""
        return self.characters == 0

    @property
    def chance(self) -> float:
        """The accuracy of a uniform guess."""
        return math.exp(-self.chance_loss)


@dataclass(frozen=True)
class Measurement:
    """What a model can do, read in one way: loss by length, and loss by position at the longest length."""

    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """A trained encoding, measured: number of weights, its own losses, and those under each repair, by its key.

    `tuned` has the losses after a fine-tuning at the longest length: as it is, and under each repair, by its key.
    """

    n_weights: int
    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]
    repaired: Mapping[str, Measurement] = field(default_factory=dict)
    tuned: Mapping[str, Measurement] = field(default_factory=dict)

    def readings(self) -> dict[str, Measurement]:
        """Return what it can do by the title of how it is read: as trained first, then under each repair."""
        repaired = {titled(name): read for name, read in self.repaired.items()}
        return {AS_TRAINED.title: Measurement(self.lengths, self.positions), **repaired}

    def tuned_readings(self) -> dict[str, Measurement]:
        """Return what it can do after a fine-tuning, by the title of how it is read, as it is first."""
        return {titled(name): read for name, read in self.tuned.items()}


def titled(repair: str) -> str:
    """Return the title of a repair, or of the model as it was trained, by its key."""
    return AS_TRAINED.title if repair == AS_TRAINED.key else named(repair).title


@dataclass(frozen=True)
class RunRecord:
    """A run as far as it has come: training loss after each step, and an outcome for each encoding that is done.

    Curves and outcomes are those of its first seed; `again` has a record for each of the next ones.
    """

    config: RunConfig
    text: TextFacts
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    again: tuple["RunRecord", ...] = ()

    def verdict(self, encoding: str) -> Verdict:
        """Return the verdict that follows from the mean losses of an encoding."""
        return judged(self.mean(encoding).lengths, self.text)

    def mean(self, encoding: str) -> Outcome:
        """Return the mean outcome of an encoding over the seeds that are done; `KeyError` where none is."""
        done = list(self.seeds_of(encoding).values())
        if not done:
            raise KeyError(encoding)
        own = _mean([Measurement(outcome.lengths, outcome.positions) for outcome in done])
        repaired = _means([outcome.repaired for outcome in done])
        tuned = _means([outcome.tuned for outcome in done])
        return Outcome(done[0].n_weights, own.lengths, own.positions, repaired, tuned)

    @property
    def done(self) -> tuple[str, ...]:
        """The encodings that are done with at least one seed, in the order of the run."""
        return tuple(key for key in self.config.encodings if self.seeds_of(key))

    @property
    def by_seed(self) -> Mapping[int, "RunRecord"]:
        """The record of each seed, the first one's first."""
        return {record.config.seed: record for record in (self, *self.again)}

    def seeds_of(self, encoding: str) -> Mapping[int, Outcome]:
        """Return the outcomes of an encoding by seed, as far as it is done."""
        found = {seed: record.outcomes.get(encoding) for seed, record in self.by_seed.items()}
        return {seed: outcome for seed, outcome in found.items() if outcome is not None}


def _mean(read: Sequence[Measurement]) -> Measurement:
    positions = zip(*(one.positions for one in read), strict=True)
    return Measurement(
        mean_losses([one.lengths for one in read]), tuple(sum(losses) / len(read) for losses in positions)
    )


def _means(readings: Sequence[Mapping[str, Measurement]]) -> dict[str, Measurement]:
    return {name: _mean([read[name] for read in readings if name in read]) for name in readings[0]}


def judged(lengths: Sequence[LengthLoss], text: TextFacts) -> Verdict:
    """Return the verdict that follows from what a model does at each length, for a text or a task."""
    return task_verdict(lengths, text.chance) if text.is_task else verdict(lengths, text.unigram_loss)


def text_facts(material: Material) -> TextFacts:
    """Return the facts of a text or a task."""
    return TextFacts(
        material.name,
        material.n_characters,
        len(material.symbols),
        material.chance_loss,
        material.unigram_loss,
        material.sha256,
    )


def summaries(record: RunRecord) -> list[Summary]:
    """Return every encoding that is done, and every other reading of it, over its seeds.

    They stand in the order of the run; with several trainings the best one comes first and "not learned" last.
    """
    found = []
    for key in record.done:
        readings = {seed: _readings(outcome) for seed, outcome in record.seeds_of(key).items()}
        for how in dict.fromkeys(how for read in readings.values() for how in read):
            title = ENCODINGS[key].title if how == AS_TRAINED.title else f"{ENCODINGS[key].title}, {how}"
            by_seed = {seed: read[how].lengths for seed, read in readings.items() if how in read}
            found.append(Summary(title, by_seed, partial(judged, text=record.text)))
    return found if record.config.n_seeds == 1 else ordered(found)


def _readings(outcome: Outcome) -> dict[str, Measurement]:
    tuned = {f"{how}, fine-tuned": read for how, read in outcome.tuned_readings().items()}
    return {**outcome.readings(), **tuned}


def rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return one row per summary: title, number of trainings, means, verdict, and whether it is told from the next one.

    The ratio is that of the mean losses. With several trainings the least and the greatest stand beside each mean, and
    how many of the trainings have the verdict alone.
    """
    found = summaries(record)
    row = _row if record.config.n_seeds == 1 else _spread_row
    return [
        {**row(one), "Told apart from the next": told or ""} for one, told in zip(found, next_told(found), strict=True)
    ]


def _row(one: Summary) -> dict[str, str | float]:
    return {"Encoding": one.title, "n": one.n, **_measured(one.mean), "Verdict": one.verdict}


def _spread_row(one: Summary) -> dict[str, str | float]:
    row: dict[str, str | float] = {"Encoding": one.title, "n": one.n}
    each = [_measured(losses) for losses in one.by_seed.values()]
    for name, mean in _measured(one.mean).items():
        values = [measured[name] for measured in each]
        row |= {name: mean, f"{name}{LEAST}": min(values), f"{name}{GREATEST}": max(values)}
    return {**row, "Verdict": one.verdict, "Trainings of that verdict": one.n_same}


def _measured(lengths: Losses) -> dict[str, float]:
    """Return the numbers of a row by their names: of a task the shares of what is right, of a text the losses."""
    right = {f"Right at {one.length:,}": one.accuracy for one in lengths if one.accuracy is not None}
    whole = {f"All right at {one.length:,}": one.exact for one in lengths if one.exact is not None}
    losses = {f"Loss at {one.length:,}": one.loss for one in lengths}
    return {**right, **whole} if right else {**losses, "Ratio": ratio(lengths)}
