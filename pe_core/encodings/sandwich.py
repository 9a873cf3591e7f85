r"""Sandwich: the similarity of two sinusoids as a bias, $B_h = (\sum_i \cos((m-n)\,\omega_i) - d/2) \cdot H / (8h)$.

Nothing is learned. Of the product of two embeddings with sinusoids only the middle is kept, the product of the two
sinusoids, which depends on the distance alone. d is the inner width, 128 by default whatever the width of
the model, and $\omega_i = b^{-2i/d}$ for d/2 indices i; heads $h = 1, \dots, H$ have strengths as 1/h. The subtracted
d/2 makes the bias 0 at distance 0; the softmax does not notice it. The bias is even in m - n and falls like a
logarithm, but not steadily: it ripples by a cosine.

Public code disagrees on the first index: $i = 1, \dots, d/2$ in NeMo, $i = 0, \dots, d/2 - 1$ in attention-gym. That
is another ladder of frequencies, and another bias after the softmax too; `first_index` offers both.
Reference: Chi et al. 2022, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
arXiv:2212.10356.
"""

import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.adapters import Biased
from pe_core.encodings.base import EncodingSpec
from pe_core.encodings.batch import DIRECTION, hide_future, rows_of_queries
from pe_core.parameters import Paper, Parameter, require

FIRST_INDICES = (1, 0)


def frequencies(inner_dim: int = 128, *, first_index: int = 1) -> Tensor:
    """Return the frequencies in radians per token, fastest first, float64, shape (inner_dim / 2,)."""
    require(inner_dim >= 2 and inner_dim % 2 == 0, "inner_dim", "be even and at least 2", inner_dim)
    require(first_index in FIRST_INDICES, "first_index", "be one of 1, 0", first_index)
    shift: float = 10_000.0 ** (-2 * first_index / inner_dim)
    return sinusoidal.frequencies(inner_dim) * shift


def bias(
    positions: Tensor,
    n_heads: int,
    *,
    inner_dim: int = 128,
    first_index: int = 1,
    causal: bool = True,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T) or (B, H, T_q, T), row = query, column = key.

    Causal: -inf for keys after the query. `positions` (T,) or (B, T) are those of the keys; the queries are the last
    `n_queries` of them, all for None. The sum of cosines is the product of two tables of sines and cosines, in float64,
    so no tensor (T, T, inner_dim / 2) is needed. Raises `ValueError` for fewer than one head, an odd
    `inner_dim` and an unknown `first_index`.
    """
    require(n_heads >= 1, "n_heads", "be at least 1", n_heads)
    angle = sinusoidal.angles(positions, frequencies(inner_dim, first_index=first_index))
    sinusoid = torch.cat([angle.sin(), angle.cos()], -1)
    sinusoid = sinusoid if positions.ndim == 1 else sinusoid[:, None]  # (B, 1, T, inner_dim): room for the heads
    similarity = rows_of_queries(sinusoid, n_queries) @ sinusoid.mT - inner_dim / 2
    heads = torch.arange(1, n_heads + 1, dtype=torch.float64, device=positions.device)
    added = (similarity * (n_heads / (8 * heads))[:, None, None]).to(dtype)
    return hide_future(added, positions) if causal else added


SPEC = EncodingSpec(
    key="sandwich",
    title="Sandwich",
    family="bias",
    summary="Each score gets the similarity of the two positions' sinusoids, weaker from head to head.",
    paper=Paper(
        "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
        "Chi et al.",
        2022,
        "2212.10356",
    ),
    make=lambda shape, params: Biased(
        bias,
        n_heads=shape.n_heads,
        inner_dim=params["inner_dim"],
        first_index=params["first_index"],
        causal=params["direction"] == "causal",
    ),
    parameters=(
        Parameter("inner_dim", "Inner width", 128, "Channels of the sinusoids that are compared.", 2, 512, 2),
        Parameter(
            "first_index",
            "First index",
            1,
            "Where the frequencies start: 1 as in NeMo, 0 as in attention-gym.",
            choices=FIRST_INDICES,
        ),
        DIRECTION,
    ),
)
