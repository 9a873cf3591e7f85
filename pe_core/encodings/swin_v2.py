r"""Swin V2: a small network of the difference of rows and columns, and scores that are cosines.

$$S_{mn} = \cos(q_m, k_n)\, e^{\min(\tau_h, \ln 100)} + 16\, \sigma(g(c_y, c_x)_h), \qquad
c = \mathrm{sign}(u) \log_2(1 + |u|) / 3, \quad u = 8 \Delta / (M - 1)$$

g has two inputs, 512 hidden units (ReLU) and one output per head; $\tau$ is learned. M is the size of the window that
was trained with, so c lies in [-1.06, 1.06] there. With M = 8 a window twice as large reaches 1.39 only, thanks to the
logarithm: what g has to answer past training is near to what it has seen, where a table has no row at all. The paper
writes $\log(1 + |\Delta|)$; the factors 8 and 3 and the base 2 stand in the published code.

The cosine keeps single pairs of large vectors from taking all attention. Here the normalised query is multiplied by
$\sqrt d\, e^\tau$, as a model divides scores by $\sqrt d$. As for Swin, there are no windows inside of the text, and
one network serves all layers.

Reference: Liu et al. 2021, "Swin Transformer V2: Scaling Up Capacity and Resolution", arXiv:2111.09883, sections 3.2
and 3.3, and its published code.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.encodings.batch import count_queries, heads_first
from pe_core.encodings.grid import GRID_WIDTH, apart
from pe_core.parameters import Paper, require

HIDDEN = 512
AT_ONCE = 4096  # differences: the hidden units of all of a long text with real positions would not fit into memory
MAX_TAU = math.log(100)
MAX_BIAS = 16  # the bias lies between 0 and this


def log_spaced(difference: Tensor, size: int) -> Tensor:
    """Return c of each difference in rows or columns, float64, same shape, for a trained window of that `size`.

    A window of a single row or column leaves the difference undivided. Raises `ValueError` for a size below 1.
    """
    require(size >= 1, "size", "be at least 1", size)
    u = 8 * difference.to(torch.float64) / max(size - 1, 1)
    return u.sign() * u.abs().log1p() / math.log(8)


def bias(
    positions: Tensor,
    g: Callable[[Tensor], Tensor],
    *,
    height: int,
    width: int,
    n_queries: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return what is added to the scores of each head, (H, T_q, T), from raster indices `positions` (T,).

    (B, H, T_q, T) for `positions` (B, T). The queries are the last `n_queries`, all for None.

    `height` and `width` are the rows and columns of training, the latter also those of the grid. `g` takes (n, 2), c of
    rows and of columns, in at least float32, and returns (n, H); it is asked once for each difference that there is.
    """
    down, right = apart(positions, width, n_queries=n_queries)
    stride = 4 * width  # columns differ by at most `width`, so that one number says both differences
    found, places = torch.unique(down * stride + right, return_inverse=True)
    rows = (found / stride).round()
    c = torch.stack([log_spaced(rows, height), log_spaced(found - rows * stride, width)], dim=-1)
    c = c.to(torch.promote_types(dtype, torch.float32))
    values = torch.cat([MAX_BIAS * g(some).sigmoid() for some in torch.split(c, AT_ONCE)])
    return heads_first(F.embedding(places, values)).to(dtype)


def cosines(q: Tensor, k: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """Return queries and keys whose product over sqrt(d) is the scaled cosine, same shapes, from `tau` (H,)."""
    precise = torch.promote_types(q.dtype, torch.float32)
    scale = math.sqrt(q.shape[-1]) * tau.to(precise).clamp(max=MAX_TAU).exp()[:, None, None]
    turned_q, turned_k = F.normalize(q.to(precise), dim=-1) * scale, F.normalize(k.to(precise), dim=-1)
    return turned_q.to(q.dtype), turned_k.to(k.dtype)


class SwinV2(PositionalEncoding):
    """Scale cosines and add the network's value in every layer, positions read as raster indices.

    `tau` starts as N(ln 10, 0.02^2), the network as linear layers of PyTorch do.
    """

    def __init__(self, n_heads: int, *, grid_height: int, grid_width: int) -> None:
        super().__init__()
        self.grid_height = grid_height
        self.grid_width = grid_width
        self.tau = nn.Parameter(torch.empty(n_heads))
        self.hidden_weight = nn.Parameter(torch.empty(HIDDEN, 2))
        self.hidden_bias = nn.Parameter(torch.empty(HIDDEN))
        self.out_weight = nn.Parameter(torch.empty(n_heads, HIDDEN))

    def reset_parameters(self, generator: torch.Generator) -> None:
        nn.init.normal_(self.tau, mean=math.log(10), std=0.02, generator=generator)
        for parameter, n_inputs in ((self.hidden_weight, 2), (self.hidden_bias, 2), (self.out_weight, HIDDEN)):
            nn.init.uniform_(parameter, -(n_inputs**-0.5), n_inputs**-0.5, generator=generator)

    def network(self, c: Tensor) -> Tensor:
        """Return g, (n, H), of `c` (n, 2), in its precision."""
        hidden = F.relu(F.linear(c, self.hidden_weight.to(c.dtype), self.hidden_bias.to(c.dtype)))
        return F.linear(hidden, self.out_weight.to(c.dtype))

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        count_queries(q, k, positions)
        return cosines(q, k, self.tau)

    def bias(self, q: Tensor, k: Tensor, positions: Tensor) -> Tensor:
        n_queries, sizes = count_queries(q, k, positions), {"height": self.grid_height, "width": self.grid_width}
        return bias(positions, self.network, n_queries=n_queries, dtype=q.dtype, **sizes)


SPEC = EncodingSpec(
    key="swin_v2",
    title="Swin V2 continuous bias",
    family="bias",
    hooks=("rotate", "bias"),
    summary="A network gives the bias from rows and columns in between, on a log scale; scores are cosines.",
    paper=Paper("Swin Transformer V2: Scaling Up Capacity and Resolution", "Liu et al.", 2021, "2111.09883"),
    make=lambda shape, params: SwinV2(
        shape.n_heads, grid_height=math.ceil(shape.train_length / params["grid_width"]), grid_width=params["grid_width"]
    ),
    parameters=(GRID_WIDTH,),
)
