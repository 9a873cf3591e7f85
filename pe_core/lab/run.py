"""One encoding from the first step to the last number: train it, then measure it at every length."""

from collections.abc import Generator, Iterator

import torch

from pe_core.lab.corpus import EVALUATED_CHARACTERS
from pe_core.lab.evaluation import Answers, answers, marked, summarise
from pe_core.lab.examples import Material, is_task
from pe_core.lab.model import Transformer
from pe_core.lab.repair import AS_TRAINED, Repair, named
from pe_core.lab.results import Measurement, Outcome
from pe_core.lab.training import RunConfig, TrainStep, build_model, conditions, train
from pe_core.lab.tuning import tune

Piece = TrainStep | Transformer | Outcome | None


def run_encoding(config: RunConfig, encoding: str, material: Material) -> Iterator[Piece]:
    """Train with the seed of the run: yield a `TrainStep` after each step and the trained model.

    Then it is measured: None after each length, and the outcome at the end. Between two yields lies a small piece of
    work, so that the caller can pause, stop, or let others have a turn.
    """
    model = build_model(config, encoding, material)
    yield from train(model, encoding, material, config)
    yield model
    own = yield from _measured(model, config, material, AS_TRAINED)
    repaired, tuned = {}, {}
    for repair in repairs_of(config, encoding):
        repaired[repair.key] = yield from _measured(model, config, material, repair)
    for repair in tuned_of(config, encoding):
        further, rest = yield from tune(model, config, material, repair)
        tuned[repair.key] = yield from _measured(further, config, material, rest)
    n_weights = sum(weights.numel() for weights in model.parameters())
    yield Outcome(n_weights, own.lengths, own.positions, repaired, tuned)


def _measured(
    model: Transformer, config: RunConfig, material: Material, repair: Repair
) -> Generator[None, None, Measurement]:
    lengths = []
    for length in config.lengths:
        found = measure(model, config, material, length, repair)
        lengths.append(marked(found, length) if is_task(material) else summarise(found.by_place))
        yield None
    return Measurement(tuple(lengths), tuple(found.by_place.tolist()))


def repairs_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return the repairs of a run that are for the encoding of this key."""
    return [repair for repair in map(named, config.repairs) if repair.is_for(encoding)]


def tuned_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return what the model of this encoding is fine-tuned under: as it is, and each repair; nothing without steps."""
    return [AS_TRAINED, *repairs_of(config, encoding)] if config.tune_steps else []


@torch.inference_mode()
def measure(
    model: Transformer, config: RunConfig, material: Material, length: int, repair: Repair = AS_TRAINED
) -> Answers:
    """Return what a trained model answers to held-out examples, under the mask and with the positions of the run.

    A repair takes the place of what it changes. Random positions are drawn from the seed of the run for each length,
    and anew for each batch.
    """
    mask, positions = conditions(config, length, repair)
    encoding = repair.build(model.encoding, config.shape)
    return answers(model, material.held_out_examples(length), mask=mask, positions=positions, encoding=encoding)


def measurements(config: RunConfig, encoding: str) -> int:
    """Return into how many pieces all that comes after the training falls: measuring, and fine-tuning."""
    n_readings = 1 + len(repairs_of(config, encoding))
    n_tuned = len(tuned_of(config, encoding))
    return len(config.lengths) * (n_readings + n_tuned) + config.tune_steps * n_tuned


def work(config: RunConfig, encoding: str, n_held_out: int = EVALUATED_CHARACTERS) -> float:
    """Return the work of one encoding with one seed in training steps: its steps, the fine-tuning, and the measuring.

    A step of fine-tuning learns from as many tokens as one of training. Measuring runs the model forward only over so
    many held-out tokens, which costs about a third of a step on the same number of them.
    """
    n_tuned = len(tuned_of(config, encoding))
    n_measured = len(config.lengths) * (1 + len(repairs_of(config, encoding)) + n_tuned)
    measuring = n_held_out * n_measured / config.tokens_per_step / 3
    return config.steps + config.tune_steps * n_tuned + measuring
