"""One encoding from the first step to the last number: train it, then measure it at every length."""

from collections.abc import Generator, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from pe_core.lab.corpus import Corpus
from pe_core.lab.evaluation import EVALUATED_CHARACTERS, position_losses, summarise
from pe_core.lab.model import Transformer
from pe_core.lab.repair import AS_TRAINED, Repair, named
from pe_core.lab.results import Measurement, Outcome
from pe_core.lab.training import RunConfig, TrainStep, build_mask, build_model, build_positions, train


def run_encoding(config: RunConfig, encoding: str, corpus: Corpus) -> Iterator[TrainStep | Outcome | None]:
    """Yield a `TrainStep` after each step, None after each length that was measured, and then the outcome.

    Between two yields lies a small piece of work, so that the caller can pause, stop, or let others have a turn.
    """
    model = build_model(config, encoding, corpus)
    yield from train(model, encoding, corpus, config)
    own = yield from _measured(model, config, corpus, AS_TRAINED)
    repaired = {}
    for repair in repairs_of(config, encoding):
        repaired[repair.key] = yield from _measured(model, config, corpus, repair)
    n_weights = sum(weights.numel() for weights in model.parameters())
    yield Outcome(n_weights, own.lengths, own.positions, repaired)


def _measured(
    model: Transformer, config: RunConfig, corpus: Corpus, repair: Repair
) -> Generator[None, None, Measurement]:
    lengths = []
    for length in config.lengths:
        losses = measure(model, config, corpus, length, repair)
        lengths.append(summarise(losses))
        yield None
    return Measurement(tuple(lengths), tuple(losses.tolist()))


def repairs_of(config: RunConfig, encoding: str) -> list[Repair]:
    """Return the repairs of a run that are for the encoding of this key."""
    return [repair for repair in map(named, config.repairs) if repair.is_for(encoding)]


@torch.inference_mode()
def measure(model: Transformer, config: RunConfig, corpus: Corpus, length: int, repair: Repair = AS_TRAINED) -> Tensor:
    """Return the held-out loss at each position, (length,), under the mask and with the positions of the run.

    A repair takes the place of what it changes. Random positions are drawn from the seed of the run for each length,
    and anew for each batch.
    """
    generator = torch.Generator().manual_seed(config.seed)
    told = replace(config, remap=repair.remap, repairs=()) if repair.remap else config
    return position_losses(
        model,
        corpus.held_out,
        length,
        mask=repair.mask(length, config.train_length) if repair.mask else build_mask(config, length),
        positions=lambda: build_positions(told, length, generator, training=False),
        encoding=repair.build(model.encoding, config.shape),
    )


def measurements(config: RunConfig, encoding: str) -> int:
    """Return how many times a trained model is measured: at each length, as it is and under each repair."""
    return len(config.lengths) * (1 + len(repairs_of(config, encoding)))


def work(config: RunConfig, encoding: str, n_held_out: int = EVALUATED_CHARACTERS) -> float:
    """Return the work of one encoding in training steps: its steps, and the measuring in units of a step.

    Measuring runs the model forward only over the held-out characters, or as many of them as are taken, which costs
    about a third of a step on the same number of characters.
    """
    measured = min(EVALUATED_CHARACTERS, n_held_out) * measurements(config, encoding) / config.tokens_per_step
    return config.steps + measured / 3
