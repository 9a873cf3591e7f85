"""What came out of a run: its settings and text, curves and outcomes of each seed, and the verdicts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pe_core.lab.device import CPU
from pe_core.lab.experiment.datasets import Corpus, named
from pe_core.lab.experiment.evaluation import Glance, LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Event, Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset, Task
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.results.statistics import Verdict, mean_losses, task_verdict, verdict


@dataclass(frozen=True)
class TextFacts:
    """What a result has to remember of its text: enough to recognise it and to draw the lines of guessing."""

    name: str
    characters: int
    symbols: int  # of the vocabulary
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
class RunRecord:
    """A run as far as it has come: by encoding and seed the loss after each step, and the outcome of what is done.

    `device` is where it was computed, as torch names it. `glances` are the newest ones of what is not done yet, at
    every length; files do not have them.
    """

    config: RunConfig
    text: TextFacts
    curves: Mapping[str, Mapping[int, tuple[float, ...]]] = field(default_factory=dict)
    outcomes: Mapping[str, Mapping[int, Outcome]] = field(default_factory=dict)
    device: str = CPU
    glances: Mapping[str, Mapping[int, tuple[Glance, ...]]] = field(default_factory=dict)

    def verdict(self, encoding: str) -> Verdict:
        """Return the verdict that follows from the mean losses of an encoding."""
        return judged(self.mean(encoding).lengths, self.text)

    def mean(self, encoding: str) -> Outcome:
        """Return the mean outcome of an encoding over the seeds that are done; `KeyError` where none is."""
        return self._mean_outcomes[encoding]

    @cached_property
    def _mean_outcomes(self) -> dict[str, Outcome]:
        """The means of all encodings: a page asks for each of them a dozen times."""
        return {key: _mean_outcome([*by_seed.values()]) for key, by_seed in self.outcomes.items()}

    @property
    def done(self) -> tuple[str, ...]:
        """The encodings that are done with at least one seed, in the order of the run."""
        return tuple(key for key in self.config.encodings if key in self.outcomes)

    def of_seed(self, seed: int) -> "RunRecord":
        """Return the run with one of its seeds alone."""
        curves = {key: {seed: own[seed]} for key, own in self.curves.items() if seed in own}
        outcomes = {key: {seed: own[seed]} for key, own in self.outcomes.items() if seed in own}
        return RunRecord(self.config.of_seed(seed), self.text, curves, outcomes, self.device)

    def up_to(self, max_multiple: int) -> "RunRecord":
        """Return the run without what was evaluated at more training lengths than that."""
        config = replace(self.config, max_multiple=max_multiple)
        outcomes = {
            key: {seed: one.first_lengths(len(config.lengths)) for seed, one in by_seed.items()}
            for key, by_seed in self.outcomes.items()
        }
        return replace(self, config=config, outcomes=outcomes)

    def of_encodings(self, encodings: Sequence[str]) -> "RunRecord":
        """Return the run as it is with these of its encodings alone, in this order: each is trained by itself."""
        config = replace(self.config, encodings=tuple(encodings))
        curves = {key: self.curves[key] for key in encodings if key in self.curves}
        outcomes = {key: self.outcomes[key] for key in encodings if key in self.done}
        return RunRecord(config, self.text, curves, outcomes, self.device)


@dataclass(eq=False)
class Progress:
    """What has come of one encoding with one seed so far: the loss after each step, glances, then the outcome."""

    curve: list[float] = field(default_factory=list)
    glances: list[Glance] = field(default_factory=list)
    outcome: Outcome | None = None

    def newest(self, n_lengths: int) -> tuple[Glance, ...]:
        """Return the newest glances that are there for every length, none before the first."""
        whole = len(self.glances) // n_lengths * n_lengths
        return tuple(self.glances[max(0, whole - n_lengths) : whole])

    def note(self, event: Event) -> None:
        """Take in what `run_encoding` has yielded; the trained model is left to whoever wants it."""
        if isinstance(event, TrainStep):
            self.curve.append(event.loss)
        elif isinstance(event, Outcome):
            self.outcome = event
        elif isinstance(event, Glance) and event.repair == AS_TRAINED.key:
            self.glances.append(event)


def collect(
    config: RunConfig, text: TextFacts, progress: Mapping[tuple[str, int], Progress], device: str = CPU
) -> RunRecord:
    """Return the record of a run on a device from what has come so far of its encodings and seeds."""
    curves: dict[str, dict[int, tuple[float, ...]]] = {}
    outcomes: dict[str, dict[int, Outcome]] = {}
    glances: dict[str, dict[int, tuple[Glance, ...]]] = {}
    for (encoding, seed), one in progress.items():
        if one.curve:
            curves.setdefault(encoding, {})[seed] = tuple(one.curve)
        if one.outcome is not None:
            outcomes.setdefault(encoding, {})[seed] = one.outcome
        elif newest := one.newest(len(config.lengths)):
            glances.setdefault(encoding, {})[seed] = newest
    return RunRecord(config, text, curves, outcomes, device, glances)


def _mean_outcome(done: Sequence[Outcome]) -> Outcome:
    own = _mean([outcome.as_trained for outcome in done])
    repaired, tuned = _means([outcome.repaired for outcome in done]), _means([outcome.tuned for outcome in done])
    return Outcome(done[0].n_parameters, own.lengths, own.positions, repaired, tuned)


def _mean(read: Sequence[Measurement]) -> Measurement:
    positions = zip(*(one.positions for one in read), strict=True)
    return Measurement(
        mean_losses([one.lengths for one in read]), tuple(sum(losses) / len(read) for losses in positions)
    )


def _means(measured: Sequence[Mapping[str, Measurement]]) -> dict[str, Measurement]:
    return {name: _mean([read[name] for read in measured if name in read]) for name in measured[0]}


def judged(lengths: Sequence[LengthLoss], text: TextFacts) -> Verdict:
    """Return the verdict that follows from what a model does at each length, for a text or a task."""
    return task_verdict(lengths, text.chance) if text.is_task else verdict(lengths, text.unigram_loss)


def text_facts(dataset: Dataset) -> TextFacts:
    """Return the facts of a text or a task."""
    return TextFacts(
        dataset.name,
        dataset.n_characters,
        len(dataset.vocabulary),
        dataset.chance_loss,
        dataset.unigram_loss,
        dataset.sha256,
    )


def built_in(text: TextFacts) -> Corpus | Task | None:
    """Return the built-in text with its split, or the task, that the facts are of; None for an own text."""
    known = named(text.name) or next((task for task in TASKS.values() if task.name == text.name), None)
    return known if known is not None and known.sha256 == text.sha256 else None


def is_own(text: TextFacts) -> bool:
    """Return whether somebody has brought a text along, so that it is nobody else's to read."""
    return not text.is_task and built_in(text) is None
