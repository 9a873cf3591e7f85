"""One encoding from the first step to the last number: train it, then measure it at every length."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, Dataset, is_task
from pe_core.lab.experiment.end_of_window import summarise_text
from pe_core.lab.experiment.evaluation import Answers, LengthLoss, answers, marked
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, Repair, named
from pe_core.lab.experiment.settings import RunConfig, conditions
from pe_core.lab.experiment.training import TrainStep, build_model, train, tune


@dataclass(frozen=True)
class Measurement:
    """What a model can do, evaluated in one way: loss by length, and loss by position at the longest length."""

    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]


@dataclass(frozen=True)
class Outcome:
    """A trained encoding, measured: number of parameters, its own losses, and those under each repair, by its key.

    `tuned` has the losses after a fine-tuning at the longest length: as it is, and under each repair, by its key.
    """

    n_parameters: int
    lengths: tuple[LengthLoss, ...]
    positions: tuple[float, ...]
    repaired: Mapping[str, Measurement] = field(default_factory=dict)
    tuned: Mapping[str, Measurement] = field(default_factory=dict)

    def evaluations(self) -> dict[str, Measurement]:
        """Return what it can do by the title of the repair: as trained first, then under each repair."""
        repaired = {titled(name): read for name, read in self.repaired.items()}
        return {AS_TRAINED.title: Measurement(self.lengths, self.positions), **repaired}

    def tuned_evaluations(self) -> dict[str, Measurement]:
        """Return what it can do after a fine-tuning, by the title of the repair: as trained first."""
        return {titled(name): read for name, read in self.tuned.items()}


def titled(repair: str) -> str:
    """Return the title of a repair, or of the model as it was trained, by its key."""
    return AS_TRAINED.title if repair == AS_TRAINED.key else named(repair).title


Event = TrainStep | Transformer | Outcome | None


def run_encoding(config: RunConfig, encoding: str, dataset: Dataset) -> Iterator[Event]:
    """Train with the seed of the run: yield a `TrainStep` after each step and the trained model.

    Then it is measured: None after each length, and the outcome at the end. Between two events lies little
    work, so that the caller can pause, stop, or let others have a turn.
    """
    model = build_model(config, encoding, dataset)
    yield from train(model, encoding, dataset, config)
    yield model
    own, within = yield from _measured(model, config, dataset, AS_TRAINED)
    repaired, tuned = {}, {}
    for repair in repairs_of(config, encoding):
        repaired[repair.key], _ = yield from _measured(model, config, dataset, repair, within)
    for repair in tuned_of(config, encoding):
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
        if is_task(dataset):
            lengths.append(marked(found, length, config.train_length))
        else:
            lengths.append(summarise_text(found, short))
        yield None
    assert short is not None  # there is at least one length
    return Measurement(tuple(lengths), tuple(found.by_place.tolist())), short


def repairs_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return the repairs of a run that are for the encoding of this key."""
    return [repair for repair in map(named, config.repairs) if repair.is_for(encoding)]


def tuned_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return what the model of this encoding is fine-tuned under: as it is, and each repair; nothing without steps."""
    return [AS_TRAINED, *repairs_of(config, encoding)] if config.tune_steps else []


@torch.inference_mode()
def measure(
    model: Transformer, config: RunConfig, dataset: Dataset, length: int, repair: Repair = AS_TRAINED
) -> Answers:
    """Return what a trained model answers to held-out examples, under the mask and with the positions of the run.

    A repair takes the place of what it changes. Random positions are drawn from the seed of the run for each length,
    and anew for each batch.
    """
    mask, positions = conditions(config, length, repair)
    encoding = repair.build(model.encoding, config.shape)
    return answers(model, dataset.held_out_examples(length), mask=mask, positions=positions, encoding=encoding)


def measurements(config: RunConfig, encoding: str) -> int:
    """Return how many events follow the training steps: one for each evaluated length, and each fine-tuning step."""
    n_evaluations = 1 + len(repairs_of(config, encoding))
    n_tuned = len(tuned_of(config, encoding))
    return len(config.lengths) * (n_evaluations + n_tuned) + config.tune_steps * n_tuned


def work(config: RunConfig, encoding: str, n_held_out: int = EVALUATED_CHARACTERS) -> float:
    """Return the work of one encoding with one seed in training steps: its steps, the fine-tuning, and the measuring.

    A step of fine-tuning learns from as many tokens as one of training. Measuring runs the model forward only over so
    many held-out tokens, which costs about a third of a step on the same number of them.
    """
    n_tuned = len(tuned_of(config, encoding))
    n_measured = len(config.lengths) * (1 + len(repairs_of(config, encoding)) + n_tuned)
    measuring = n_held_out * n_measured / config.tokens_per_step / 3
    return config.steps + config.tune_steps * n_tuned + measuring


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread: with two it adds in another order and rounds differently."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
