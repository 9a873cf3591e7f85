"""Pictures of the catalogue: any encoding, scaling rule, mask or index remap, by the key of its registry.

`parameters` are those of the entry, by name; what is not named keeps its default.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape, rotary
from pe_core.figures import catalogue as figures
from pe_core.figures.figure import Figure
from pe_core.masks import MASKS
from pe_core.measures.profile import SEED, Effects, effects, initial
from pe_core.parameters import Value
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS, Scaled

Values = Mapping[str, Value]

LONGEST = 256  # tokens; what an encoding is built for, so that a longer text leaves the weights as they are


def shape_of(train_length: int, head_dim: int, n_heads: int) -> Shape:
    """Return the shape of a model for texts of at most 256 tokens."""
    return Shape(head_dim * n_heads, n_heads, train_length, LONGEST)


def built(encoding: str, parameters: Values, shape: Shape) -> PositionalEncoding:
    """Return an encoding with its initial weights."""
    return initial(ENCODINGS[encoding].build(shape, parameters))


def effects_of(
    encoding: str, parameters: Values, length: int, train_length: int, head_dim: int, n_heads: int, layer: int
) -> Effects:
    """Return what an encoding makes of a text without content, in one of its layers."""
    shape = shape_of(train_length, head_dim, n_heads)
    return effects(built(encoding, parameters, shape).at_layer(layer), shape, torch.arange(length))


def vectors(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Tensor:
    """Return what an encoding adds to the embeddings, float64, shape (length, d_model)."""
    return effects_of(encoding, parameters, length, train_length, d_model, 1, 0).vectors


def table(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Figure:
    """Return the heatmap of what an encoding adds to the embeddings."""
    values = vectors(encoding, parameters, length, train_length, d_model)
    return figures.matrix(values, rows="Position", columns="Channel", title="Value")


def similarity_by_distance(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Figure:
    """Return the dot product of two of the vectors that an encoding adds, against their distance."""
    values = vectors(encoding, parameters, length, train_length, d_model)
    return figures.against_distance((values @ values.T)[None], title="Dot product of two vectors")


def scores(
    encoding: str,
    parameters: Values,
    length: int,
    train_length: int,
    head_dim: int,
    n_heads: int,
    head: int,
    layer: int,
) -> Figure:
    """Return the heatmap of the scores that one head gives to tokens which are all alike."""
    found = effects_of(encoding, parameters, length, train_length, head_dim, n_heads, layer)
    return figures.matrix(found.scores[head], rows="Query", columns="Key", title="Score")


def scores_by_distance(
    encoding: str, parameters: Values, length: int, train_length: int, head_dim: int, n_heads: int, layer: int
) -> Figure:
    """Return the scores of all heads for tokens which are all alike, against the distance."""
    found = effects_of(encoding, parameters, length, train_length, head_dim, n_heads, layer)
    return figures.against_distance(found.scores, title="Score")


def scaled(scaling: str, parameters: Values, factor: int, train_length: int, head_dim: int, base: float) -> Scaled:
    """Return what a rule makes of the frequencies of a base, for a text `factor` times as long as those of training."""
    before, target = rotary.frequencies(head_dim, base), factor * train_length
    return SCALINGS[scaling](before, base=base, train_length=train_length, target_length=target, params=parameters)


def scaled_wavelengths(
    scaling: str, parameters: Values, factor: int, train_length: int, head_dim: int, base: float
) -> Figure:
    """Return the wavelength of every pair before and after a rule, with lines at the two lengths."""
    after = scaled(scaling, parameters, factor, train_length, head_dim, base).frequencies
    before = rotary.frequencies(head_dim, base)
    return figures.scaled_wavelengths(before, after, train_length, factor * train_length)


def may_attend(mask: str, parameters: Values, length: int, train_length: int) -> Figure:
    """Return the picture of a mask: who may attend to whom."""
    return figures.allowed(MASKS[mask].build(length, train_length, parameters))


def told(remap: str, parameters: Values, length: int, train_length: int, max_length: int) -> tuple[Tensor, Tensor]:
    """Return the positions told in training, (train_length,), and in evaluation, (length,); of random ones, a draw."""

    def drawn(n: int, training: bool) -> Tensor:
        return REMAPS[remap].build(
            n,
            train_length=train_length,
            max_length=max_length,
            generator=torch.Generator().manual_seed(SEED),
            training=training,
            params=parameters,
        )

    return drawn(train_length, True), drawn(length, False)


def positions_told(remap: str, parameters: Values, length: int, train_length: int, max_length: int) -> Figure:
    """Return which position each token is told, in training and in evaluation."""
    return figures.remapped(*told(remap, parameters, length, train_length, max_length))
