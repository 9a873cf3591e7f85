"""One encoding from the first step to the last number: train it, then measure it at every length."""

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS
from pe_core.lab.experiment.evaluation import (
    Answers,
    Glance,
    LengthLoss,
    answers_under,
    glance,
    glanced_tokens,
    marked,
    summarise_text,
)
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, Repair, named
from pe_core.lab.experiment.searching import N_TEXTS, N_TRIED, searched
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset, Task
from pe_core.lab.experiment.training import TrainStep, build_model, texts_tuned_on, train, tune, tuned_length


@dataclass(frozen=True)
class Measurement:
    """What a model can do, evaluated in one way: loss by length, and loss by position at the longest length."""

    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """A trained encoding, measured: number of parameters, its own losses, and those under each repair, by its key.

    `tuned` has the losses after a fine-tuning, as it is and under each repair, by its key; see `tuned_length`.
    """

    n_parameters: int
    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]
    repaired: Mapping[str, Measurement] = field(default_factory=dict)
    tuned: Mapping[str, Measurement] = field(default_factory=dict)

    @property
    def as_trained(self) -> Measurement:
        """What it can do as it was trained."""
        return Measurement(self.lengths, self.positions)

    def first_lengths(self, n: int) -> "Outcome":
        """Return the outcome with the losses of the first `n` lengths alone."""
        repaired, tuned = (
            {name: replace(read, lengths=read.lengths[:n]) for name, read in kind.items()}
            for kind in (self.repaired, self.tuned)
        )
        return replace(self, lengths=self.lengths[:n], repaired=repaired, tuned=tuned)

    def evaluations(self, *, tuned: bool = False) -> dict[str, Measurement]:
        """Return what it can do, or can after a fine-tuning, by the title of the repair: as trained first."""
        read = self.tuned if tuned else {AS_TRAINED.key: self.as_trained, **self.repaired}
        return {AS_TRAINED.title if key == AS_TRAINED.key else named(key).title: one for key, one in read.items()}


Event = TrainStep | Glance | Transformer | Outcome | None


def run_encoding(
    config: RunConfig,
    encoding: str,
    dataset: Dataset,
    device: torch.device | str = "cpu",
    *,
    glanced: Collection[int] = (),
) -> Iterator[Event]:
    """Train with the seed of the run: yield a `TrainStep` after each step and the trained model, on its device.

    After the steps of `glanced` come glances, one for each length; they change nothing of what follows. The first time
    there are also those under repairs, which tell what their evaluation will take. At the end the model is measured:
    None after each length and each loss of a search, and the outcome. Between two events lies little work, so that the
    caller can pause, stop, or let others have a turn. `plan` says what the events cost.
    """
    model = build_model(config, encoding, dataset, device)
    for step in train(model, encoding, dataset, config):
        yield step
        if step.step in glanced:
            first = step.step == min(glanced)
            yield from glance(model, config, dataset, step.step, _glanced_under(config, encoding) if first else ())
    yield model
    own, within = yield from _measured(model, config, dataset, AS_TRAINED)
    repaired, tuned, ready = {}, {}, {}
    for repair in repairs_of(config, encoding):
        ready[repair.key], _ = yield from searched(model, config, dataset, repair)
        repaired[repair.key], _ = yield from _measured(model, config, dataset, ready[repair.key], within)
    for repair in (ready.get(one.key, one) for one in tuned_of(config, encoding)):
        further, rest = yield from tune(model, config, dataset, repair)
        tuned[repair.key], _ = yield from _measured(further, config, dataset, rest, within)
    n_parameters = sum(weights.numel() for weights in model.parameters())
    yield Outcome(n_parameters, own.lengths, own.positions, repaired, tuned)


def _measured(
    model: Transformer, config: RunConfig, dataset: Dataset, repair: Repair, within: Tensor | None = None
) -> Generator[None, None, tuple[Measurement, Tensor]]:
    """Return what a model can do under a repair, and its losses at the training length.

    `within` are the losses at the training length that a text's end is compared with: those of the model as trained,
    also under a repair and after a fine-tuning, so that all ways to read one model are held against the same number,
    and none looks better by being worse on short texts. None where it is the model as trained that is measured.
    """
    lengths, short = [], within
    for length in config.lengths:
        found = measure(model, config, dataset, length, repair)
        short = found.losses if short is None else short
        if isinstance(dataset, Task):
            lengths.append(marked(found, length, config.train_length))
        else:
            lengths.append(summarise_text(found, short, config.max_multiple))
        yield None
    assert short is not None  # there is at least one length
    return Measurement(tuple(lengths), tuple(found.by_place.tolist())), short


def repairs_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return the repairs of a run that are for the encoding of this key."""
    return [repair for repair in map(named, config.repairs) if repair.is_for(encoding)]


def tuned_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return what the model of this encoding is fine-tuned under: as it is, and each repair; nothing without steps."""
    return [AS_TRAINED, *repairs_of(config, encoding)] if config.tune_steps else []


def measure(
    model: Transformer, config: RunConfig, dataset: Dataset, length: int, repair: Repair = AS_TRAINED
) -> Answers:
    """Return what a trained model answers to held-out examples, under the mask and with the positions of the run.

    A repair takes the place of what it changes. Random positions are drawn from the seed of the run for each length,
    and anew for each batch.
    """
    return answers_under(model, config, dataset.held_out_examples(length), repair)


def _glanced_under(config: RunConfig, encoding: str) -> tuple[Repair, ...]:
    """Return the repairs that a model in training can be read with: none that is first searched for."""
    return tuple(repair for repair in repairs_of(config, encoding) if not repair.searches)


Doing = Literal["training", "glance", "evaluation", "search", "tuning"]


@dataclass(frozen=True)
class Unit:
    """What is done up to one event of `run_encoding`: so many tokens in texts of this length, learned from or read.

    `repair` is the key under which it is done.
    """

    doing: Doing
    length: int
    tokens: int
    repair: str = AS_TRAINED.key

    @property
    def learns(self) -> bool:
        """Whether there is a backward pass."""
        return self.doing in {"training", "tuning"}


def plan(
    config: RunConfig, encoding: str, glanced: Collection[int] = (), n_held_out: int = EVALUATED_CHARACTERS
) -> list[tuple[Unit, int]]:
    """Return the work of one encoding with one seed in the order of its events, each unit with how often it is done.

    The trained model and the outcome, which are events too, are no work and not named.
    """
    training = Unit("training", config.train_length, config.tokens_per_step)
    longest = max(config.lengths)

    def glances(*ways: Repair) -> list[tuple[Unit, int]]:
        sizes = [(one, length, glanced_tokens(config, length, one)) for one in ways for length in config.lengths]
        return [(Unit("glance", length, min(tokens, n_held_out), one.key), 1) for one, length, tokens in sizes]

    def evaluations(*ways: Repair) -> list[tuple[Unit, int]]:
        return [(Unit("evaluation", length, n_held_out, one.key), 1) for one in ways for length in config.lengths]

    parts, before = [], 0
    for step in sorted(glanced):
        repairs = () if before else _glanced_under(config, encoding)
        parts += [(training, step - before), *glances(AS_TRAINED, *repairs)]
        before = step
    parts += [(training, config.steps - before), *evaluations(AS_TRAINED)]
    for repair in repairs_of(config, encoding):
        if repair.searches:
            parts.append((Unit("search", longest, N_TEXTS * longest, repair.key), N_TRIED))
        parts += evaluations(repair)
    for repair in tuned_of(config, encoding):
        length = tuned_length(config, repair)
        tuning = Unit("tuning", length, texts_tuned_on(config, length) * length, repair.key)
        parts += [(tuning, config.tune_steps), *evaluations(repair)]
    return parts


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread: with two it adds in another order and rounds differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
