"""RoPE whose scores are corrected (`rotary.Corrected`): its scores as a model sees them, and by loops."""

import math

import torch

from pe_core.encodings.rotary import Corrected, rotate

F64 = torch.float64
SLOW = torch.tensor([0.01], dtype=F64)  # a pair that turns so slowly that its angle says the distance


def scores(q, k, positions, encoding):
    """The scaled scores, (T, T)."""
    turned_q, turned_k = encoding.rotate(q, k, positions)
    return turned_q @ turned_k.mT / math.sqrt(q.shape[-1]) + encoding.bias(turned_q, turned_k, positions)


def scores_by_loops(q, k, positions, omega, layout, seen):
    """One score at a time: the query turned by the distance `seen(m, n)` in place of m - n."""
    result = torch.zeros(len(q), len(k), dtype=F64)
    for row, m in enumerate(positions.tolist()):
        for column, n in enumerate(positions.tolist()):
            turned = rotate(q[row : row + 1], torch.tensor([seen(m, n)], dtype=F64), omega, layout=layout)
            result[row, column] = turned[0] @ k[column] / math.sqrt(q.shape[-1])
    return result


def distances_seen(length, correction):
    """The distance behind every score of a text of so many tokens, (T, T)."""
    ones = torch.tensor([[1.0, 0.0]], dtype=F64).expand(length, 2)
    encoding = Corrected(SLOW, layout="interleaved", correction=correction)
    return (scores(ones, ones, torch.arange(length), encoding) * math.sqrt(2)).clamp(-1, 1).acos() / SLOW
