r"""RoPE with scalable softmax (SSMax): the scores of a query that sees n keys are multiplied by $s \ln n$.

The weights become $n^{s z_j} / \sum_i n^{s z_i}$ for scores $z$: a softmax whose base is the number of keys. The more
keys there are, the smaller the largest weight of an ordinary softmax. Here a score that stands out by more than $1 / s$
keeps its weight however many keys there are. Written as a factor of the query, it needs no other softmax.

- s is learned. The paper has one for each head of each layer; here all layers share that of the head, as they share
  every learned number of an encoding.
- It starts near $1 / \ln L$: a query that sees a training length L of keys then begins as under an ordinary softmax.
  What the paper starts from was not found.
- n is counted in the mask: m + 1 under the causal one, at most W under a window of W keys. Where no mask is known, it
  is the query's position plus 1. The first query of a text has $\ln 1 = 0$; it sees one key, so its weight is 1 anyway.
- SSMax is about the softmax and says nothing about order. It is used with RoPE here, as in language models.
- `log_n` has the same logarithm without anything learned, from the training length on.

Reference: Nakanishi 2025, "Scalable-Softmax Is Superior for Attention", arXiv:2501.19399.
"""

import math

import torch
from torch import Tensor, nn

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.base import Chain, EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import beside, count_queries, of_queries
from pe_core.parameters import Paper, Parameter, require

INITIAL_SPREAD = 0.02  # of s, as a fraction: heads begin nearly alike


def factor(n_keys: Tensor, strength: Tensor) -> Tensor:
    """Return the factor of queries that see so many keys, shape (H, T) or (B, H, T), at least float32.

    `n_keys` (T,) or (B, 1, T), at least 1, and `strength` (H,), the s of each head.
    """
    dtype = torch.promote_types(strength.dtype, torch.float32)
    logarithm = n_keys.to(torch.float64).clamp(min=1).log().to(dtype)
    return strength.to(dtype)[:, None] * logarithm


class Scalable(PositionalEncoding):
    """Multiply the queries by s ln n, with one learned s per head, `strength` (H,).

    `n_keys` (T,), or (B, 1, T) where texts differ, are counted in a mask by `seeing`; without it a query sees all
    positions from 0 to its own.
    """

    def __init__(self, strength: nn.Parameter, *, start: float, n_keys: Tensor | None = None) -> None:
        super().__init__()
        self.strength = strength
        self.start = start
        self.n_keys = n_keys

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.strength, mean=self.start, std=INITIAL_SPREAD * self.start, generator=generator)

    def seeing(self, mask: Tensor) -> "Scalable":
        return Scalable(self.strength, start=self.start, n_keys=mask.sum(dim=-1))

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        precise = torch.promote_types(q.dtype, torch.float32)
        of_q = of_queries(positions, count_queries(q, k, positions))
        n_keys = beside(of_q[..., None] + 1, q)[..., 0] if self.n_keys is None else self.n_keys
        return (q.to(precise) * factor(n_keys, self.strength)[..., None].to(precise)).to(q.dtype), k


def initial_strength(train_length: int, times: float) -> float:
    """Return the s with which a query that sees a training length of keys has its scores multiplied by `times`."""
    require(train_length >= 2, "train_length", "be at least 2: the rule divides by its logarithm", train_length)
    return times / math.log(train_length)


START = Parameter(
    "start",
    "Initial factor",
    1.0,
    "Roughly what multiplies the scores of an untrained model where a query sees a training length of keys.",
    0.25,
    4.0,
    0.25,
)

SPEC = EncodingSpec(
    key="rope_ssmax",
    title="RoPE, scalable softmax",
    family="rotary",
    summary="RoPE whose scores grow with the logarithm of the number of keys, by a factor that each head learns.",
    paper=Paper("Scalable-Softmax Is Superior for Attention", "Nakanishi", 2025, "2501.19399"),
    make=lambda shape, params: Chain(
        rotary.rope(shape, params),
        Scalable(
            nn.Parameter(torch.empty(shape.n_heads)),
            start=initial_strength(max(2, shape.train_length), params["start"]),  # one token has no logarithm
        ),
    ),
    parameters=(sinusoidal.BASE, rotary.LAYOUT, START),
)
