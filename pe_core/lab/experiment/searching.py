"""The search of LongRoPE2 for one trained model, in short: factors scored by the loss of long windows of training text.

It is the search of `pe_core.rope_scaling.longrope2`, smaller, and not all of LongRoPE2: the paper scores by the answer
to a question about the beginning of the text alone, and trains the model on. Here every token that is asked counts, so
it is the paper's score in tasks only, where nothing but answers is asked. What is held out is never read.
"""

from collections.abc import Generator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from pe_core.encodings import PositionalEncoding, Shape
from pe_core.encodings.rope_scaled import ScaledRotary
from pe_core.encodings.rotary import Rotary
from pe_core.encodings.sinusoidal import BASE
from pe_core.lab.experiment.evaluation import answers_under
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import Repair
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.rope_scaling.base import ScalingSpec
from pe_core.rope_scaling.longrope import longrope
from pe_core.rope_scaling.longrope2 import Found, n_losses, proposals

POPULATION, ITERATIONS = 8, 4
N_TEXTS = 8  # windows of the longest length that every list of factors is scored by, the same ones
N_TRIED = n_losses(POPULATION, ITERATIONS)


def searched(
    model: Transformer, config: RunConfig, dataset: Dataset, repair: Repair
) -> Generator[None, None, tuple[Repair, Found | None]]:
    """Return a repair that can be read with, and what its search has found; yield None after each of `N_TRIED` losses.

    A repair that searches nothing is returned as it is, at once. Windows and search are drawn from the seed of the run.
    """
    if not repair.searches:
        return repair, None
    generator, length = torch.Generator().manual_seed(config.seed), max(config.lengths)
    examples = dataset.draw(N_TEXTS, length, generator)
    trying = proposals(
        config.shape.head_dim,
        float(BASE.default),
        train_length=config.train_length,
        target_length=length,
        generator=generator,
        population=POPULATION,
        iterations=ITERATIONS,
    )
    factors = next(trying)
    while True:
        # Random positions are drawn anew from the seed: they are the same for each list.
        found = answers_under(model, config, examples, _with(repair, factors))
        yield None
        try:
            factors = trying.send(float(found.losses.sum() / found.asked.sum()))
        except StopIteration as end:
            best: Found = end.value
            return _with(repair, best.factors), best


def _with(repair: Repair, factors: Tensor) -> Repair:
    """Return the repair that reads texts beyond the training length with these factors (d / 2,)."""
    return replace(repair, stand_in=partial(_scaled, factors), searches=False)


def _scaled(factors: Tensor, trained: PositionalEncoding, shape: Shape) -> PositionalEncoding:
    assert isinstance(trained, Rotary)
    rule = partial(longrope, long_factors=factors, attention=1.0)
    spec = ScalingSpec(key="searched", title="", summary="", rule=rule)
    of_length = partial(spec, trained.frequencies, base=float(BASE.default), train_length=shape.train_length)
    return ScaledRotary(of_length, layout=trained.layout, shortest=shape.train_length)
