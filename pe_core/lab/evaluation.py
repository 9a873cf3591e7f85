"""What a trained model can do at its training length and beyond it, and the verdict that follows from the numbers."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings import PositionalEncoding
from pe_core.lab.model import Transformer
from pe_core.parameters import require

EVALUATED_CHARACTERS = (
    32_768  # of the held-out text: the same ones at every length, but for less than a window at the end
)
BATCH_CHARACTERS = 4_096

Verdict = Literal["not learned", "holds", "degrades", "breaks"]
HOLDS_UP_TO = 1.1  # times the loss at the training length
BREAKS_FROM = 1.5


@dataclass(frozen=True)
class LengthLoss:
    """Held-out loss at one length in nats per character: mean over all positions, and over the last quarter of them."""

    length: int
    loss: float
    last_quarter: float


@torch.inference_mode()
def position_losses(
    model: Transformer,
    tokens: Tensor,
    length: int,
    *,
    mask: Tensor | None = None,
    positions: Callable[[], Tensor] | None = None,
    encoding: PositionalEncoding | None = None,
) -> Tensor:
    """Return the mean loss at each position in nats per character, float64, shape (length,).

    The text is cut into windows that do not overlap; each starts without context. `mask` (length, length) is causal
    unless given; `positions` returns what the model is told for a batch, (length,), so that random ones are drawn anew,
    else it counts from 0; another `encoding` can stand in for the trained one. Raises `ValueError` if no window fits.
    """
    n_windows = min(len(tokens) - 1, EVALUATED_CHARACTERS) // length
    require(n_windows >= 1, "length", f"be less than the number of tokens ({len(tokens)})", length)
    inputs = tokens[: n_windows * length].view(n_windows, length)
    targets = tokens[1 : n_windows * length + 1].view(n_windows, length)
    at_once = max(1, BATCH_CHARACTERS // length)
    total = torch.zeros(length, dtype=torch.float64)
    with evaluation_mode(model):
        for first in range(0, n_windows, at_once):
            told = positions() if positions else None
            scores = model(inputs[first : first + at_once], positions=told, mask=mask, encoding=encoding).transpose(
                1, 2
            )
            losses = F.cross_entropy(scores, targets[first : first + at_once], reduction="none")
            total += losses.double().sum(0)
    return total / n_windows


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Put the model into evaluation mode, and back into the mode it had."""
    before = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(before)


def summarise(losses: Tensor) -> LengthLoss:
    """Return the summary of the losses by position, shape (length,)."""
    last = losses[-max(1, len(losses) // 4) :]
    return LengthLoss(len(losses), float(losses.mean()), float(last.mean()))


def ratio(losses: Sequence[LengthLoss]) -> float:
    """Return the loss at the longest length over that at the training length, which comes first."""
    first, last = losses[0].loss, losses[-1].loss
    if first == 0:  # a text that can be known by heart
        return 1.0 if last == 0 else math.inf
    return last / first


def verdict(losses: Sequence[LengthLoss], unigram_loss: float) -> Verdict:
    """Return what became of a model: the training length comes first in `losses`, the longest length last.

    A model that is not better than guessing by frequency has learned nothing, so its ratio says nothing.
    """
    if not losses[0].loss < unigram_loss:
        return "not learned"
    if ratio(losses) <= HOLDS_UP_TO:
        return "holds"
    return "degrades" if ratio(losses) < BREAKS_FROM else "breaks"
