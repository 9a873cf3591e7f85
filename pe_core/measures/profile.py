r"""What an encoding says about positions, read off its three hooks; every measure of an encoding starts here.

`Effects` holds what the hooks make of a text without content of its own: zeros as embeddings, and the same unit vector
$u = (1, \dots, 1) / \sqrt{d}$ as query and key of every position. From it come

- the profile, a score of every pair of positions: with the vectors $p_m$ that are added to the embeddings, the turned
  queries $q_m$ and keys $k_n$ and the bias $B_{mn}$,
  $$P_{mn} = p_m \cdot p_n + (q_m \cdot k_n - u \cdot u) / \sqrt{d} + B_{mn}.$$
  The score $u \cdot u / \sqrt{d}$ of the content itself is taken off, so that no encoding gives 0, ALiBi its bias, and
  the sinusoid the Gram matrix of its table. An $-\infty$ of the bias stays; a key that the encoding's own mask
  hides has one, too;
- the codes, one vector per position: all that tells one key from another, seen from the last query, for any query.

An encoding that reads the layer's input gets the queries of all heads side by side, as if they were that input. Weights
are measured as they are. Those of an encoding that was only built are drawn from nothing: `initial` gives a copy with
initial weights. An encoding whose bias looks at q and k is measured on that one constant content only.
Source: the Gram matrix as the proximity of positions is that of Wang et al., "On Position Embeddings in BERT", ICLR
2021; that the other two hooks stand beside it is a definition of our own.
"""

import copy
import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pe_core.encodings.base import PositionalEncoding, Shape
from pe_core.parameters import require

SEED = 0  # of the initial weights
MAX_MASKED = 4096  # tokens of the longest text whose mask is built: 16 MB
CONTENT, PROJECTIONS = 1, 2  # seeds of their own: from one and the same, content would be parallel to weights


@dataclass(frozen=True)
class Effects:
    """What the hooks give at T positions, float64: `vectors` (T, D), `queries`, `keys` (H, T, d), `bias` (H, T, T).

    The bias is -inf where a key is not seen.
    """

    vectors: Tensor
    queries: Tensor
    keys: Tensor
    bias: Tensor

    @cached_property
    def scores(self) -> Tensor:
        """The scores of attention without the added vectors, (q . k) / sqrt(d) + bias, shape (H, T, T)."""
        return self.queries @ self.keys.mT / math.sqrt(self.keys.shape[-1]) + self.bias

    @property
    def finite(self) -> bool:
        """Whether all numbers are finite, but for an -inf of the bias."""
        exact = all(bool(part.isfinite().all()) for part in (self.vectors, self.queries, self.keys))
        return exact and bool((self.bias.isfinite() | self.bias.isneginf()).all())


def precise(encoding: PositionalEncoding) -> PositionalEncoding:
    """Return a copy in float64 with the same weights, which ask for no gradient."""
    return copy.deepcopy(encoding).double().requires_grad_(False)


def initial(encoding: PositionalEncoding) -> PositionalEncoding:
    """Return a copy with the learned weights drawn anew, always the same."""
    fresh = copy.deepcopy(encoding)
    fresh.reset_parameters(torch.Generator().manual_seed(SEED))
    return fresh


def unit_content(shape: Shape, length: int) -> Tensor:
    """Return the unit vector of ones / sqrt(d) at every position of every head, float64, shape (H, T, d)."""
    require(length >= 1, "length", "be at least 1", length)
    return torch.full((shape.n_heads, length, shape.head_dim), shape.head_dim**-0.5, dtype=torch.float64)


def random_content(shape: Shape, length: int) -> tuple[Tensor, Tensor]:
    """Return standard normal queries and keys, always the same, float64, shape (H, T, d) each."""
    require(length >= 1, "length", "be at least 1", length)
    size = (2, shape.n_heads, length, shape.head_dim)
    q, k = torch.randn(size, generator=torch.Generator().manual_seed(CONTENT), dtype=torch.float64)
    return q, k


def effects_on(
    encoding: PositionalEncoding, shape: Shape, positions: Tensor, x: Tensor, q: Tensor, k: Tensor
) -> Effects:
    """Return what a float64 encoding makes of `x` (T, D) and of `q` and `k` (H, T, d), in its first layer.

    Raises the encoding's own `ValueError` for `positions` (T,) that it does not have.
    """
    vectors, length = encoding.embed(x[None], positions)[0], len(positions)
    turned_q, turned_k, added = applied(encoding.at_layer(0), q[None], k[None], positions)
    return Effects(vectors, turned_q[0], turned_k[0], added.expand(1, shape.n_heads, length, length)[0])


def applied(layer: PositionalEncoding, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return what the encoding of a layer makes of `q` and `k` (B, H, T, d), and what it adds to the scaled scores.

    That is broadcastable to (B, H, T, T), and -inf where the encoding's own mask hides a key.
    """
    layer = layer.reading(q.transpose(1, 2).flatten(2))
    q, k = layer.rotate(q, k, positions)
    bias, seen = layer.bias(q, k, positions), own_mask(layer, positions)
    added = q.new_zeros(1, 1) if bias is None else bias
    return q, k, added if seen is None else added.masked_fill(~seen, -torch.inf)


def own_mask(layer: PositionalEncoding, positions: Tensor) -> Tensor | None:
    """Return which keys each query sees by the mask of the encoding, bool (T, T); None for all.

    `positions` (T,) are taken for the places of some tokens of a text that begins at the first of them. Of a text of
    more than 4,096 tokens every key counts as seen: its mask would be too large.
    """
    places = (positions - positions.min()).long()
    length = int(places.max()) + 1
    seen = layer.mask(torch.arange(length)) if length <= MAX_MASKED else None
    return None if seen is None else seen[places][:, places]


def effects(encoding: PositionalEncoding, shape: Shape, positions: Tensor) -> Effects:
    """Return what the encoding makes of a text without content at `positions` (T,), in its first layer.

    Raises the encoding's own `ValueError` for positions that it does not have.
    """
    content = unit_content(shape, len(positions))
    nothing = content.new_zeros(len(positions), shape.d_model)
    return effects_on(precise(encoding), shape, positions, nothing, content, content)


def attempt(encoding: PositionalEncoding, shape: Shape, positions: Tensor) -> Effects | None:
    """Return the effects, or None where the encoding refuses the positions or gives numbers that are not finite."""
    try:
        found = effects(encoding, shape, positions)
    except ValueError:
        return None
    return found if found.finite else None


def profile(encoding: PositionalEncoding, shape: Shape, positions: Tensor) -> Tensor:
    """Return the score of every pair of `positions` (T,), row = query, column = key, float64, shape (H, T, T).

    Raises the encoding's own `ValueError` for positions that it does not have.
    """
    return profile_of(effects(encoding, shape, positions))


def profile_of(found: Effects) -> Tensor:
    """Return the profile (H, T, T) that belongs to the effects."""
    content = 1 / math.sqrt(found.keys.shape[-1])  # the score of a unit vector with itself
    return found.vectors @ found.vectors.T + (found.scores - content)


def codes(encoding: PositionalEncoding, shape: Shape, positions: Tensor) -> Tensor:
    """Return one code per position, float64, shape (T, D + H * d): added vector, and what the last query sees of a key.

    Of a key the last query sees its scores with d queries, the unit vectors of a head, so that two positions with equal
    codes are one and the same to it whatever it asks for: ReRoPE turns far keys by different angles, and corrects all
    scores to those of one distance. What is added to a score says how far away a key is, so for an encoding with
    nothing but a bias the codes are those of the distances. A key that a head does not see has the lowest score of
    those it sees. Raises the encoding's own `ValueError` for positions that it does not have.
    """
    own = precise(encoding)
    length = len(positions)
    nothing = torch.zeros(1, length, shape.d_model, dtype=torch.float64)
    asked = torch.eye(shape.head_dim, dtype=torch.float64)[:, None, None]
    q = asked.expand(-1, shape.n_heads, length, -1)
    q, k, added = applied(own.at_layer(0), q, unit_content(shape, length).expand_as(q), positions)
    scores = q[:, :, -1:] @ k.mT / math.sqrt(k.shape[-1]) + added[..., -1:, :]
    lowest = scores.masked_fill(~scores.isfinite(), torch.inf).amin(dim=-1, keepdim=True)
    return torch.cat([own.embed(nothing, positions)[0], scores.maximum(lowest).flatten(0, 2).T], dim=1)
