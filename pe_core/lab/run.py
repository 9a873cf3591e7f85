"""One encoding from the first step to the last number: train it, then measure it at every length."""

from collections.abc import Iterator

import torch
from torch import Tensor

from pe_core.lab.corpus import Corpus
from pe_core.lab.evaluation import EVALUATED_CHARACTERS, position_losses, summarise
from pe_core.lab.model import Transformer
from pe_core.lab.results import Outcome
from pe_core.lab.training import RunConfig, TrainStep, build_mask, build_model, build_positions, train


def run_encoding(config: RunConfig, encoding: str, corpus: Corpus) -> Iterator[TrainStep | Outcome | None]:
    """Yield a `TrainStep` after each step, None after each length but the last that was measured, and then the outcome.

    Between two yields lies a small piece of work, so that the caller can pause, stop, or let others have a turn.
    """
    model = build_model(config, encoding, corpus)
    yield from train(model, encoding, corpus, config)
    lengths = []
    for length in config.lengths[:-1]:
        lengths.append(summarise(measure(model, config, corpus, length)))
        yield None
    longest = measure(model, config, corpus, config.lengths[-1])
    n_weights = sum(weights.numel() for weights in model.parameters())
    yield Outcome(n_weights, (*lengths, summarise(longest)), tuple(longest.tolist()))


def measure(model: Transformer, config: RunConfig, corpus: Corpus, length: int) -> Tensor:
    """Return the held-out loss at each position, (length,), under the mask and with the positions of the run.

    Random positions are drawn from the seed of the run for each length, and anew for each batch.
    """
    generator = torch.Generator().manual_seed(config.seed)
    return position_losses(
        model,
        corpus.held_out,
        length,
        mask=build_mask(config, length),
        positions=lambda: build_positions(config, length, generator, training=False),
    )


def work(config: RunConfig, n_held_out: int = EVALUATED_CHARACTERS) -> float:
    """Return the work of one encoding in training steps: its steps, and the measuring in units of a step.

    Measuring runs the model forward only over the held-out characters, or as many of them as are taken, which costs
    about a third of a step on the same number of characters.
    """
    measured = min(EVALUATED_CHARACTERS, n_held_out) * len(config.lengths) / config.tokens_per_step
    return config.steps + measured / 3
