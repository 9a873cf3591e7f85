r"""DAPE (data-adaptive positional encoding): a small network corrects each score, seeing the scores of all heads.

$$ S' = S + B + f([S, B]), \qquad f(z) = W_2\,\mathrm{LeakyReLU}(W_1 z + b_1) + b_2 $$

S are the scaled scores of query m and key n in all H heads, B what a bias of the distance says to them: f sees these 2H
numbers of one pair and gives H. So what a distance means depends on the content, and heads hear of each other.

- The bias may be ALiBi, with nothing learned of its own, or logarithmic KERPLE.
- LeakyReLU keeps a hundredth of what is below 0. The network starts as linear layers do in PyTorch.
- All layers share one network; in the published code each has its own.
- Keys after the query are hidden after f, which could do nothing with $-\infty$.
- It needs all T x T scores of all heads, so no fused kernel.

Reference: Zheng et al. 2024, "DAPE: Data-Adaptive Positional Encoding for Length Extrapolation", arXiv:2405.14722, and
its published code.
"""

import math
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings import alibi, kerple
from pe_core.encodings.adapters import Biased
from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import hide_future
from pe_core.encodings.kerple import Kerple
from pe_core.parameters import Paper, Parameter, require

Prior = Literal["alibi", "kerple"]
PRIORS: tuple[Prior, ...] = get_args(Prior)
ROWS = 64  # queries at once: the hidden numbers of all pairs of a long text are many times its scores


def prior_of(name: Prior, n_heads: int) -> PositionalEncoding:
    """Return the bias of the distance that a name stands for, which hides no key."""
    require(name in PRIORS, "prior", f"be one of {', '.join(PRIORS)}", name)
    if name == "alibi":
        return Biased(alibi.bias, n_heads=n_heads, causal=False)
    return Kerple(n_heads, kernel=kerple.LOG, causal=False)


class DAPE(PositionalEncoding):
    """Add the bias of the distance, and what a network of `width` makes of it and of the scores, in every layer."""

    def __init__(self, prior: PositionalEncoding, n_heads: int, width: int) -> None:
        super().__init__()
        self.prior = prior
        self.hidden_weight = nn.Parameter(torch.empty(width, 2 * n_heads))
        self.hidden_bias = nn.Parameter(torch.empty(width))
        self.out_weight = nn.Parameter(torch.empty(n_heads, width))
        self.out_bias = nn.Parameter(torch.empty(n_heads))

    def reset_parameters(self, generator: torch.Generator) -> None:
        self.prior.reset_parameters(generator)
        for layer in ((self.hidden_weight, self.hidden_bias), (self.out_weight, self.out_bias)):
            bound = layer[0].shape[1] ** -0.5
            for parameter in layer:
                nn.init.uniform_(parameter, -bound, bound, generator=generator)

    def network(self, scores: Tensor, prior: Tensor) -> Tensor:
        """Return f, (..., H, T, T), of scaled `scores` (..., H, T, T) and of the bias `prior` (H, T, T), same dtype."""
        weights = (self.hidden_weight, self.hidden_bias, self.out_weight, self.out_bias)
        hidden_weight, hidden_bias, out_weight, out_bias = (weight.to(scores.dtype) for weight in weights)
        pairs = torch.cat([scores, prior.expand_as(scores)], dim=-3).movedim(-3, -1)
        hidden = (F.linear(rows, hidden_weight, hidden_bias) for rows in torch.split(pairs, ROWS, dim=-3))
        found = [F.linear(F.leaky_relu(rows, inplace=True), out_weight, out_bias) for rows in hidden]
        return torch.cat(found, dim=-3).movedim(-1, -3)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        dtype = torch.promote_types(q.dtype, torch.float32)
        query, key = q.to(dtype), k.to(dtype)
        prior = self.prior.bias(query, key, positions)
        assert prior is not None
        added = prior + self.network(query @ key.mT / math.sqrt(q.shape[-1]), prior)
        return hide_future(added.to(q.dtype), positions)


SPEC = EncodingSpec(
    key="dape",
    title="DAPE",
    family="bias",
    summary="A small network sees the scores of all heads and a bias of the distance, and corrects each score.",
    paper=Paper("DAPE: Data-Adaptive Positional Encoding for Length Extrapolation", "Zheng et al.", 2024, "2405.14722"),
    make=lambda shape, params: DAPE(prior_of(params["prior"], shape.n_heads), shape.n_heads, params["width"]),
    parameters=(
        Parameter("prior", "Bias", "kerple", "What is said of the distance before the network.", choices=PRIORS),
        Parameter("width", "Network", 32, "Hidden numbers of the network.", 1, 64),
    ),
)
