"""How weights change: the optimiser with the schedule of its rate, and one step of learning."""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.lab.examples import NOT_ASKED, Examples
from pe_core.lab.model import Transformer


def scheduled(
    parameters: Iterable[Tensor], peak_learning_rate: float, steps: int
) -> tuple[torch.optim.AdamW, torch.optim.lr_scheduler.OneCycleLR]:
    """Return AdamW for these parameters and what sets its rate: up for three tenths of the steps, then down to 0.

    Both ways are straight lines, and squared gradients are averaged over some 50 steps instead of 1,000: with the few
    steps of a run the loss is lower so.
    """
    optimiser = torch.optim.AdamW(parameters, lr=peak_learning_rate, betas=(0.9, 0.98), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, peak_learning_rate, total_steps=steps, anneal_strategy="linear"
    )
    return optimiser, schedule


def learn(
    model: Transformer, examples: Examples, positions: Tensor, mask: Tensor | None, optimiser: torch.optim.Optimizer
) -> float:
    """Change the weights by one step and return the loss of the examples before it, in nats per answer."""
    model.train()  # whoever evaluated in between may have left another mode
    scores = model(examples.inputs, positions=positions, mask=mask)
    loss = F.cross_entropy(scores.flatten(0, 1), examples.targets.flatten(), ignore_index=NOT_ASKED)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return loss.item()
