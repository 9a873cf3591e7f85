r"""FIRE: a small network of the relative distance, $B_{mn} = f_\theta\big(\psi(m-n) / \psi(\max(L, m))\big)$.

$\psi(x) = \ln(c\,x + 1)$; f is a network with one input, 32 hidden units (ReLU) and one output per head. c, L and the
network are learned. The distance is divided by the largest one that this query can have, so the argument of f stays in
[0, 1] at every length: a longer text asks nothing new of f. The threshold L keeps the divisor of the first queries from
being 0, and leaves short texts with distances as they are.

- The bias depends on m and not on m - n only: it is not Toeplitz, and a shift of all positions changes it. A cache
  must keep m.
- With m <= L the divisor is constant, and f can be chosen to give KERPLE, ALiBi or T5.
- Defined for keys up to the query only; past it, the argument could exceed 1.

Reference: Li et al. 2023, "Functional Interpolation for Relative Positions Improves Long Context Transformers",
arXiv:2310.04418, and the code in its appendix (c = 0.1, L = 512 at the start).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import between, count_queries, heads_first, hide_future, pairs
from pe_core.parameters import Paper, Parameter

HIDDEN = 32
ROWS = 64  # queries at once: the hidden units of all pairs of 2,048 positions would take half a gigabyte


def interpolated(
    positions: Tensor, c: Tensor, threshold: Tensor, dtype: torch.dtype = torch.float32, *, n_queries: int | None = None
) -> Tensor:
    """Return psi(|m - n|) / psi(max(threshold, m)), in [0, 1] for keys up to the query, shaped as `between` has it.

    `c` and `threshold` (in tokens) are positive scalars.
    """
    distance = between(positions, dtype, n_queries=n_queries)
    query, _ = pairs(positions, n_queries)
    largest = torch.maximum(query.to(distance.dtype), threshold)
    return torch.log1p(c * distance.abs()) / torch.log1p(c * largest)


def bias(
    positions: Tensor,
    c: Tensor,
    threshold: Tensor,
    f: Callable[[Tensor], Tensor],
    *,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T) or (B, H, T_q, T), -inf for keys after the query.

    `f` takes the interpolated distances (..., rows, T, 1) and returns (..., rows, T, H). `positions` (T,) or (B, T) are
    those of the keys; the queries are the last `n_queries` of them, all for None.
    """
    arguments = interpolated(positions, c, threshold, dtype, n_queries=n_queries)[..., None]
    values = torch.cat([f(rows) for rows in torch.split(arguments, ROWS, dim=-3)], dim=-3)
    return hide_future(heads_first(values).to(dtype), positions)


class Fire(PositionalEncoding):
    """Add the network's value in every layer; c and L stay positive as a softplus of what is learned.

    They start within a tenth of 51.2 / `threshold` and of `threshold`: with 512, c is the paper's 0.1, and with any
    other the curve of the argument from 0 to L is the same.
    """

    def __init__(self, n_heads: int, *, threshold: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.learned_c = nn.Parameter(torch.empty(()))
        self.learned_threshold = nn.Parameter(torch.empty(()))
        self.hidden_weight = nn.Parameter(torch.empty(HIDDEN, 1))
        self.hidden_bias = nn.Parameter(torch.empty(HIDDEN))
        self.out_weight = nn.Parameter(torch.empty(n_heads, HIDDEN))
        self.out_bias = nn.Parameter(torch.empty(n_heads))

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator) -> None:
        for learned in (self.learned_c, self.learned_threshold):
            learned.copy_(learned.uniform_(0.9, 1.1, generator=generator).expm1().log())  # softplus, inverted
        for layer in ((self.hidden_weight, self.hidden_bias), (self.out_weight, self.out_bias)):
            bound = layer[0].shape[1] ** -0.5
            for parameter in layer:
                nn.init.uniform_(parameter, -bound, bound, generator=generator)

    def network(self, arguments: Tensor) -> Tensor:
        """Return f, (..., H), of `arguments` (..., 1), in their precision."""
        weights = (self.hidden_weight, self.hidden_bias, self.out_weight, self.out_bias)
        hidden_weight, hidden_bias, out_weight, out_bias = (weight.to(arguments.dtype) for weight in weights)
        return F.linear(F.relu(F.linear(arguments, hidden_weight, hidden_bias)), out_weight, out_bias)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        precise = torch.promote_types(q.dtype, torch.float32)
        c = 51.2 / self.threshold * F.softplus(self.learned_c.to(precise))
        threshold = self.threshold * F.softplus(self.learned_threshold.to(precise))
        n_queries = count_queries(q, k, positions)
        return bias(positions, c, threshold, self.network, n_queries=n_queries, dtype=q.dtype)


SPEC = EncodingSpec(
    key="fire",
    title="FIRE",
    family="bias",
    summary="A network turns log distance over log of the query's position (at least a threshold) into a bias.",
    paper=Paper(
        "Functional Interpolation for Relative Positions Improves Long Context Transformers",
        "Li et al.",
        2023,
        "2310.04418",
    ),
    make=lambda shape, params: Fire(shape.n_heads, threshold=params["threshold"] * shape.train_length),
    parameters=(
        Parameter("threshold", "Threshold", 0.5, "Approximate first threshold L, in training lengths.", 0.1, 2.0, 0.05),
    ),
)
