"""Training: the optimiser and its schedule, one step, a generator of steps, and a short fine-tuning."""

import copy
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.lab.experiment.datasets import NOT_ASKED, Examples
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import Repair
from pe_core.lab.experiment.settings import SMALL, RunConfig, build_encoding, build_mask, build_positions, conditions
from pe_core.lab.experiment.task import Dataset


@dataclass(frozen=True)
class TrainStep:
    """One step of training: whose model, the step from 1, and the loss of its batch in nats per character."""

    encoding: str
    step: int
    loss: float


def build_model(config: RunConfig, encoding: str, dataset: Dataset, device: torch.device | str = "cpu") -> Transformer:
    """Return the untrained model of an encoding on a device; what encodings share starts the same for all of them.

    Its parameters are drawn on the CPU, so that every device gets the same ones. Large models multiply in bfloat16 on a
    GPU that has it; small ones keep single precision, in which their losses are those of the CPU.
    """
    generator = torch.Generator().manual_seed(config.seed)
    built = build_encoding(config, encoding)
    model = Transformer(len(dataset.vocabulary), config.shape, config.n_layers, built, generator=generator)
    if config.size != SMALL and torch.device(device).type == "cuda" and torch.cuda.is_bf16_supported():
        model.multiplies_in = torch.bfloat16
    return model.to(device)


def scheduled(
    parameters: Iterable[Tensor], peak_learning_rate: float, steps: int
) -> tuple[torch.optim.AdamW, torch.optim.lr_scheduler.OneCycleLR]:
    """Return AdamW for these parameters and what sets its rate: up for three tenths of the steps, then down to 0.

    The rate rises and falls linearly, and squared gradients are averaged over some 50 steps instead of 1,000: in the
    few steps of a run both lower the loss.
    """
    optimiser = torch.optim.AdamW(parameters, lr=peak_learning_rate, betas=(0.9, 0.98), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, peak_learning_rate, total_steps=steps, anneal_strategy="linear"
    )
    return optimiser, schedule


def learn(
    model: Transformer, examples: Examples, positions: Tensor, mask: Tensor | None, optimiser: torch.optim.Optimizer
) -> float:
    """Take one optimiser step and return the loss of the examples before it, in nats per answer.

    Examples and positions may lie on the CPU, where they are drawn; the mask is where the model is. Of many examples
    the gradients are added up in parts of at most `AT_ONCE` tokens, so that a large batch needs no more memory.
    """
    if not model.training:  # whoever evaluated in between may have left another mode
        model.train()
    positions = positions.to(model.device)
    n_asked, loss_of_all = int(examples.asked.sum()), 0.0
    optimiser.zero_grad()
    for part in examples.split(texts_learned_at_once(examples.inputs.shape[1])):
        share = int(part.asked.sum()) / n_asked
        part = part.to(model.device)
        logits = model(part.inputs, positions=positions, mask=mask)
        loss = F.cross_entropy(logits.flatten(0, 1), part.targets.flatten(), ignore_index=NOT_ASKED)
        (share * loss).backward()  # type: ignore[no-untyped-call]
        loss_of_all += share * loss.item()
    torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]["params"], 1.0)  # a list: the model would search itself
    optimiser.step()
    return loss_of_all


AT_ONCE = 16_384  # tokens that go through the model together in training; small runs have at most half as many


def texts_learned_at_once(length: int) -> int:
    """Return how many texts of so many tokens go through the model together in training."""
    return max(1, AT_ONCE // length)


def train(model: Transformer, encoding: str, dataset: Dataset, config: RunConfig) -> Iterator[TrainStep]:
    """Train `model` in place and yield a `TrainStep` after each step; the same seed gives the same batches."""
    order = torch.Generator().manual_seed(config.seed)
    remaps = torch.Generator().manual_seed(config.seed)  # of their own: every remap trains on the same batches
    mask = build_mask(config, config.train_length, model.device)
    optimiser, schedule = scheduled(model.parameters(), config.peak_learning_rate, config.steps)
    for step in range(1, config.steps + 1):
        examples = dataset.draw(config.batch_size, config.train_length, order)
        positions = build_positions(config, config.train_length, remaps, training=True)
        loss = learn(model, examples, positions, mask, optimiser)
        schedule.step()
        yield TrainStep(encoding, step, loss)


TUNING_FRACTION = 0.1  # of the peak learning rate of training


def tuned_length(config: RunConfig, repair: Repair) -> int:
    """Return the length of the texts that a model is fine-tuned on under a repair."""
    return config.train_length if repair.recalibrates else max(config.lengths)


def texts_tuned_on(config: RunConfig, length: int) -> int:
    """Return how many texts of so many tokens a step of fine-tuning learns from: as many tokens as one of training."""
    return max(1, config.tokens_per_step // length)


def tune(
    model: Transformer, config: RunConfig, dataset: Dataset, repair: Repair
) -> Generator[None, None, tuple[Transformer, Repair]]:
    """Train a copy of a trained model under a repair, at its length of fine-tuning; yield None after each step.

    Position interpolation needs it: Chen et al. 2023 (arXiv:2306.15595) train 1,000 steps more. Where texts are of
    the longest length each step learns from fewer of them. Returns the copy, with the encoding of the repair, and what
    is left of the repair: its mask and its positions.
    """
    tuned = copy.deepcopy(model)
    tuned.encoding = repair.build(tuned.encoding, config.shape)
    length = tuned_length(config, repair)
    order = torch.Generator().manual_seed(config.seed)
    remaps = torch.Generator().manual_seed(config.seed)
    mask, positions = conditions(config, length, repair, model.device, remaps)
    rate = TUNING_FRACTION * config.peak_learning_rate
    optimiser = torch.optim.AdamW(tuned.parameters(), lr=rate, fused=True)
    for _ in range(config.tune_steps):
        examples = dataset.draw(texts_tuned_on(config, length), length, order)
        learn(tuned, examples, positions(), mask, optimiser)
        yield None
    return tuned, replace(repair, stand_in=None, log_n=False)
