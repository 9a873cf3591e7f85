r"""RoPE with scores that grow with the number of keys (log-n): $q_m$ is multiplied by $\max(1, \ln(m+1) / \ln L)$.

The more keys a query sees, the flatter the softmax over them. Scores that grow with the logarithm of the number of
keys, m + 1 under the causal mask, keep its entropy about the same. Trained without the factor, a model gets it beyond
its training length L only: that is what the maximum is for. It also guards the first query, whose logarithm is 0.
The factor depends on where the query stands, so scores are no longer a function of the distance alone.
Reference: Su 2021, kexue.fm/archives/8823, and 2023, kexue.fm/archives/9706 (in Chinese). Related: Chiang &
Cholak 2022, "Overcoming a Theoretical Limitation of Self-Attention", arXiv:2202.12172.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.rotary import Layout
from pe_core.parameters import require
from pe_core.registry import Paper


def factor(positions: Tensor, train_length: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the factor of the query at each of `positions` (T,), at least 1, shape (T,)."""
    require(train_length >= 2, "train_length", "be at least 2, for its logarithm divides", train_length)
    n_keys = positions.to(torch.float64).clamp(min=0) + 1
    return (n_keys.log() / math.log(train_length)).clamp(min=1).to(dtype)


class RotaryLogN(PositionalEncoding):
    """Turn queries and keys as RoPE does and multiply the queries by the factor of their position."""

    def __init__(self, frequencies: Tensor, *, train_length: int, layout: Layout) -> None:
        super().__init__()
        self.frequencies = frequencies  # not a buffer: a cast of the model would round it
        self.train_length = train_length
        self.layout = layout

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        precise = torch.promote_types(q.dtype, torch.float32)  # the query is rounded once, at the end
        turned_q = rotary.rotate(q.to(precise), positions, self.frequencies, layout=self.layout)
        scale = factor(positions, self.train_length, dtype=precise)[:, None]
        return (turned_q * scale).to(q.dtype), rotary.rotate(k, positions, self.frequencies, layout=self.layout)


SPEC = EncodingSpec(
    key="rope_log_n",
    title="RoPE, log-n",
    family="rotary",
    hooks=("rotate",),
    summary="RoPE whose scores grow with the logarithm of the position, past the training length.",
    paper=Paper("The scale of attention from the invariance of entropy (in Chinese)", "Su", 2021, None),
    make=lambda shape, params: RotaryLogN(
        rotary.frequencies(shape.head_dim, params["base"]),
        train_length=max(2, shape.train_length),  # one token has no logarithm to divide by
        layout=params["layout"],
    ),
    parameters=(sinusoidal.BASE, rotary.LAYOUT),
)
