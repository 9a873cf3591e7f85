r"""Forget gates (data-dependent ALiBi): each token decides how much of the text before it is forgotten.

$$ B_{mn} = \sum_{t=n+1}^{m} \ln f_t, \qquad f_t = \sigma(w_h \cdot k_t + b_h) $$

for n up to m, and $-\infty$ after the query. A gate that never changes gives ALiBi with the slope $-\ln f$.

- The paper's gate reads the token x. The hook sees q and k only, so the gate reads the key: as k is a linear map of
  x, this is the paper's gate with weights restricted to the key space of its head. Behind a rotation the key, and
  with it the gate, would depend on the absolute position.
- Computed as the difference of two cumulative sums, in float32 at least: the sums grow with the text and half precision
  would lose the near keys.
- A gate of $\sigma(5)$, about what an untrained one is, forgets 0.7% of what came before: -1 after 149 tokens.
- It counts along the text and reads no `positions`; it is causal only.

Reference: Lin et al. 2025, "Forgetting Transformer: Softmax Attention with a Forget Gate", arXiv:2503.02130;
the start of the gates is that of x-transformers.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, hide_future, rows_of_queries
from pe_core.parameters import Paper, Parameter

INITIAL_SPREAD = 0.02


def log_gates(k: Tensor, weight: Tensor, offset: Tensor) -> Tensor:
    """Return the logarithm of what each token keeps, at most 0, shape (B, H, T), in float32 at least.

    `k` (B, H, T, d), `weight` (H, d) and `offset` (H,): one gate per head.
    """
    dtype = torch.promote_types(k.dtype, torch.float32)
    logits = torch.einsum("bhtd,hd->bht", k.to(dtype), weight.to(dtype)) + offset.to(dtype)[:, None]
    return logsigmoid(logits)


def bias(log_gates: Tensor, *, n_queries: int | None = None, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return what is added to the scores, (..., T_q, T), row = query, column = key, from `log_gates` (..., T).

    0 for the query itself and -inf for keys after it. The queries are the last `n_queries` tokens, all for None.
    """
    kept = log_gates.to(torch.promote_types(dtype, torch.float32)).cumsum(-1)
    between = rows_of_queries(kept[..., None], n_queries) - kept[..., None, :]
    return hide_future(between, torch.arange(kept.shape[-1], device=kept.device)).to(dtype)


class Forgetting(PositionalEncoding):
    """Add the logarithm of what is kept to the scores of every layer, with one learned gate per head.

    Weights are drawn from N(0, 1 / d), so that keys open the gates differently, offsets from N(start, 0.02^2).
    """

    def __init__(self, n_heads: int, head_dim: int, *, start: float) -> None:
        super().__init__()
        self.start = start
        self.weight = nn.Parameter(torch.empty(n_heads, head_dim))
        self.offset = nn.Parameter(torch.empty(n_heads))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.weight, std=1 / math.sqrt(self.weight.shape[-1]), generator=generator)
        nn.init.normal_(self.offset, mean=self.start, std=INITIAL_SPREAD, generator=generator)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        n_queries = count_queries(q, k, positions)
        return bias(log_gates(k, self.weight, self.offset), n_queries=n_queries, dtype=q.dtype)


START = Parameter(
    "start", "Initial gate", 5.0, "Offset of the untrained gates: the larger, the less is forgotten.", 0.0, 10.0, 0.5
)

SPEC = EncodingSpec(
    key="forgetting",
    title="Forget gates",
    family="bias",
    summary="Each token lowers the scores of all that came before it, by an amount that it decides itself.",
    paper=Paper("Forgetting Transformer: Softmax Attention with a Forget Gate", "Lin et al.", 2025, "2503.02130"),
    make=lambda shape, params: Forgetting(shape.n_heads, shape.head_dim, start=params["start"]),
    parameters=(START,),
)
