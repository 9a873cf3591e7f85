r"""RoPE with scores that grow with the number of keys (log-n): $q_m$ is multiplied by $\max(1, \ln n / \ln L)$.

The more keys a query sees, the flatter the softmax over them. Scores that grow with the logarithm of their number n
keep its entropy about the same. A model counts n in its mask: m + 1 under the causal one, at most W under a window of
W keys, whatever position the query is told. Where no mask is known, n is the query's position plus 1. Trained without
the factor, a model gets it beyond its training length L only: that is what the maximum is for. It also guards a query
with a single key, whose logarithm is 0. The factor depends on the query, so scores are no longer a function of the
distance alone.
Reference: Su 2021, kexue.fm/archives/8823, and 2023, kexue.fm/archives/9706 (in Chinese). Related: Chiang &
Cholak 2022, "Overcoming a Theoretical Limitation of Self-Attention", arXiv:2202.12172.
"""

import math

import torch
from torch import Tensor

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import Chain, EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import beside, count_queries, of_queries
from pe_core.parameters import Paper, require


def factor(n_keys: Tensor, train_length: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return the factor of queries that see so many keys, `n_keys` (..., T), at least 1, same shape."""
    require(train_length >= 2, "train_length", "be at least 2: the rule divides by its logarithm", train_length)
    return (n_keys.to(torch.float64).clamp(min=1).log() / math.log(train_length)).clamp(min=1).to(dtype)


class LogN(PositionalEncoding):
    """Multiply the queries by the factor of the number of keys they see; they may have any width.

    `n_keys` (T,), or (B, 1, T) where texts differ, are counted in a mask by `seeing`; without it a query sees all
    positions from 0 to its own.
    """

    def __init__(self, train_length: int, n_keys: Tensor | None = None) -> None:
        super().__init__()
        self.train_length = train_length
        self.n_keys = n_keys

    def seeing(self, mask: Tensor) -> "LogN":
        return LogN(self.train_length, mask.sum(dim=-1))

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        precise = torch.promote_types(q.dtype, torch.float32)
        of_q = of_queries(positions, count_queries(q, k, positions))
        n_keys = beside(of_q[..., None] + 1, q) if self.n_keys is None else self.n_keys[..., None]
        return (q.to(precise) * factor(n_keys, self.train_length, dtype=precise)).to(q.dtype), k


SPEC = EncodingSpec(
    key="rope_log_n",
    title="RoPE, log-n",
    family="rotary",
    summary="RoPE whose scores grow with the logarithm of the number of keys, past the training length.",
    paper=Paper("The scale of attention from the invariance of entropy (in Chinese)", "Su", 2021, None),
    make=lambda shape, params: Chain(
        rotary.rope(shape, params),
        LogN(max(2, shape.train_length)),  # one token has no logarithm to divide by
    ),
    parameters=(sinusoidal.BASE, rotary.LAYOUT),
)
