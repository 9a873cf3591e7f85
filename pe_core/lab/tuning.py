"""A short fine-tuning at the longest length, so that a rule which needs one can show what it is worth.

Position interpolation is such a rule: Chen et al. 2023 (arXiv:2306.15595) train 1,000 steps more with it.
"""

import copy
from collections.abc import Generator
from dataclasses import replace

import torch

from pe_core.lab.examples import Material
from pe_core.lab.learning import learn
from pe_core.lab.model import Transformer
from pe_core.lab.repair import Repair
from pe_core.lab.settings import MULTIPLES
from pe_core.lab.training import RunConfig, conditions

TUNING_SHARE = 0.1  # of the peak learning rate of training


def tune(
    model: Transformer, config: RunConfig, material: Material, repair: Repair
) -> Generator[None, None, tuple[Transformer, Repair]]:
    """Train a copy of a trained model as a repair reads it; yield None after each step.

    Every step learns from as many tokens as one of the training: fewer texts, each of the longest length. Returns the
    copy, with the encoding of the repair, and what is left of the repair: its mask and its positions.
    """
    tuned = copy.deepcopy(model)
    tuned.encoding = repair.build(tuned.encoding, config.shape)
    length = max(config.lengths)
    order = torch.Generator().manual_seed(config.seed)
    mask, positions = conditions(config, length, repair)
    rate = TUNING_SHARE * config.peak_learning_rate
    optimiser = torch.optim.AdamW(tuned.parameters(), lr=rate, fused=True)
    for _ in range(config.tune_steps):
        examples = material.draw(config.batch_size // max(MULTIPLES), length, order)
        learn(tuned, examples, positions(), mask, optimiser)
        yield None
    return tuned, replace(repair, stand_in=None, log_n=False)
