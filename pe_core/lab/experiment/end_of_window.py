"""What length costs, measured where it is paid: at the end of long windows, against the same characters within L.

A window of N training lengths L begins within the training length: there it reads what every window of L reads, and
costs nothing more. The mean over the whole window, as in Press et al. 2021 (arXiv:2108.12409), has that part in it: a
half at 2L. All windows are cut from the same place of the text, so each long one ends where a window of L ends. Both
give a loss for the last L/2 characters there: in the long window after (N - 1/2) L to N L characters, in the window of
L after L/2 to L.
"""

from dataclasses import replace

import torch
from torch import Tensor

from pe_core.lab.experiment.evaluation import Answers, LengthLoss, summarise


def end_loss(losses: Tensor, within: Tensor, max_multiple: int) -> tuple[float, float, tuple[float, ...]]:
    """Return what the last half training length of windows costs, the same within the training length, and by block.

    All in nats per character; the last are the differences by block of the text, whose mean is that of the first two.
    `losses` (n, N L) are those of windows of N training lengths, `within` (m, L) those of the same text in windows of
    L. A block is one window of the longest length, of `max_multiple` training lengths. Only whole blocks count, so that
    all lengths are compared over the same ones. A window belongs to the block that it ends in. Where N does not divide
    `max_multiple` blocks hold unequal numbers of windows, and each weighs as much as it holds.
    """
    length = within.shape[1]
    multiple, last = losses.shape[1] // length, length // 2
    n_blocks = len(within) // max_multiple
    n_windows = n_blocks * max_multiple // multiple
    ends = torch.arange(1, n_windows + 1) * multiple - 1  # the window of L that ends where the long one does
    long, short = losses[:n_windows, -last:].mean(1), within[ends, -last:].mean(1)
    blocks = torch.zeros(n_blocks, dtype=losses.dtype).index_add(0, ends // max_multiple, long - short)
    return float(long.mean()), float(short.mean()), tuple((blocks * n_blocks / n_windows).tolist())


def summarise_text(found: Answers, within: Tensor, max_multiple: int) -> LengthLoss:
    """Return the summary of what a model does with a text at one length; the rest is as `end_loss` has it."""
    end, same, blocks = end_loss(found.losses, within, max_multiple)
    return replace(summarise(found.by_place), end=end, within=same, blocks=blocks)
