"""Pictures of the chapter on RoPE: a query and a key turned pair by pair, and what their score then knows."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.encodings import rotary
from pe_core.figures import rotation as figures
from pe_core.figures import waves
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import heatmap
from pe_core.measures import rotation
from pe_core.measures.channels import evenly
from pe_core.measures.rotary_bounds import decay_bound

WIDEST = 128  # channels that are drawn at random; a narrower head has the first of them
REACH = 512  # distances of a curve: as far as the page lets a query stand from its key
OWN, EQUAL, BOUND = "this query and key", "a query and a key of equal content", "bound for smooth content, relative"


def content(head_dim: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return a random query and key of length 1 before any turn, float64, shape (head_dim,) each.

    Their pairs point anywhere; none is more than twice as long as another, so that every hand can be seen.
    """
    generator = torch.Generator().manual_seed(seed)
    lengths, turns = torch.rand(2, 2, WIDEST // 2, dtype=torch.float64, generator=generator)[:, :, : head_dim // 2]
    both = torch.view_as_real(torch.polar(1 + lengths, 2 * math.pi * turns)).flatten(1)
    q, k = both / both.norm(dim=-1, keepdim=True)
    return q, k


def by_distance(head_dim: int, base: float, seed: int) -> Mapping[str, Tensor]:
    """Return the score of the random query and key, of equal content, and the decay bound, (512,) each by its name."""
    (q, k), frequencies, distances = content(head_dim, seed), rotary.frequencies(head_dim, base), torch.arange(REACH)
    bound = decay_bound(distances, frequencies)
    return {
        OWN: rotation.scores(q, k, distances, frequencies),
        EQUAL: rotation.scores(q, q, distances, frequencies),
        BOUND: bound / bound[0],
    }


def dials(head_dim: int, base: float, query: int, key: int, shift: int, seed: int) -> Figure:
    """Return a dial for up to eight pairs: the query and the key before and after the turn, both moved on by `shift`.

    `query` and `key` are positions; `seed` says which random query and key are drawn.
    """
    (q, k), frequencies = content(head_dim, seed), rotary.frequencies(head_dim, base)
    pairs = evenly(len(frequencies), figures.MOST_DIALS)
    return figures.dials(q, k, query + shift, key + shift, frequencies, pairs)


def scores_by_distance(head_dim: int, base: float, seed: int, distance: int) -> Figure:
    """Return the score at distances 0 to 511 beside that of equal content and its bound, with a line at `distance`."""
    return figures.distance_curves(torch.arange(REACH), by_distance(head_dim, base, seed), distance)


def wavelengths(head_dim: int, base: float, length: int) -> Figure:
    """Return the wavelength of every pair, with a line at the training length."""
    return waves.wavelengths(rotary.frequencies(head_dim, base), length)


def rotation_matrix(head_dim: int, base: float, position: int, layout: rotary.Layout) -> Figure:
    """Return the heatmap of the rotation of a position, for channels in this layout."""
    channels = torch.eye(head_dim, dtype=torch.float64)[:, None]  # each a text of one token
    turned = rotary.rotate(channels, torch.tensor([position]), rotary.frequencies(head_dim, base), layout=layout)
    return heatmap(turned[:, 0].T, rows="To channel", columns="From channel", title="Value")
