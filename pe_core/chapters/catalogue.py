"""Pictures of the catalogue: any encoding, scaling rule, mask or index remap, by the key of its registry.

`parameters` are those of the entry, by name; what is not named keeps its default.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape, rotary, sinusoidal
from pe_core.figures import image
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import matrix
from pe_core.figures.lines import Axes, banded
from pe_core.figures.palette import CATEGORICAL, GREY
from pe_core.figures.points import Kind, points
from pe_core.masks import MASKS
from pe_core.measures.distances import by_distance
from pe_core.measures.profile import SEED, Effects, effects, initial
from pe_core.parameters import Value
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS, Scaled

Values = Mapping[str, Value]

BEFORE, AFTER = "as trained", "after the rule"
TRAINING, EVALUATION = "in training", "in evaluation"
MAY = "may attend"
RULES = Kind(BEFORE, GREY, size=70, filled=False), Kind(AFTER, CATEGORICAL[4], size=22)
POSITIONS = Kind(TRAINING, CATEGORICAL[1], "diamond", 36), Kind(EVALUATION, CATEGORICAL[0], size=36)
WAVES = Axes(
    "Pair",
    "Wavelength (positions)",
    log_y=True,
    y_ticks=tuple(10.0**power for power in range(13)),
    y_format="~s",
    line="Frequencies",
)
REMAPPED = Axes("Index of the token in its text", "Position that the model is told", line="Told")

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
    return matrix(values, rows="Position", columns="Channel", title="Value")


def similarity_by_distance(encoding: str, parameters: Values, length: int, train_length: int, d_model: int) -> Figure:
    """Return the dot product of two of the vectors that an encoding adds, against their distance."""
    values = vectors(encoding, parameters, length, train_length, d_model)
    return _against_distance((values @ values.T)[None], "Dot product of two vectors")


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
    return matrix(found.scores[head], rows="Query", columns="Key", title="Score")


def scores_by_distance(
    encoding: str, parameters: Values, length: int, train_length: int, head_dim: int, n_heads: int, layer: int
) -> Figure:
    """Return the scores of all heads for tokens which are all alike, against the distance."""
    found = effects_of(encoding, parameters, length, train_length, head_dim, n_heads, layer)
    return _against_distance(found.scores, "Score")


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
    lengths = [("training length", train_length), ("target length", factor * train_length)]
    if factor == 1:
        lengths = [("training and target length", train_length)]
    pairs = torch.arange(len(before)).repeat(2)
    waves = sinusoidal.wavelengths(torch.cat([before.double(), after.double()]))
    kind_of = [BEFORE] * len(before) + [AFTER] * len(after)
    return points(pairs, waves, kind_of, RULES, WAVES, levels=lengths)


def may_attend(mask: str, parameters: Values, length: int, train_length: int) -> Figure:
    """Return the picture of a mask: who may attend to whom."""
    seen = MASKS[mask].build(length, train_length, parameters)
    words = image.Words("Query", "Key", none="may not attend", meanings=(MAY,))
    values = torch.where(seen, 0.0, torch.nan)
    colours = {MAY: CATEGORICAL[0]}
    return image.categories(values, colours, rows="Query", columns="Key", words=words)


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
    training, evaluation = told(remap, parameters, length, train_length, max_length)
    index = torch.cat([torch.arange(train_length), torch.arange(length)])
    positions = torch.cat([training.double(), evaluation.double()])
    kind_of, both = [TRAINING] * train_length + [EVALUATION] * length, torch.tensor([0, max(train_length, length) - 1])
    return points(index, positions, kind_of, POSITIONS, REMAPPED, under=("", both, both))


def _against_distance(scores: Tensor, title: str) -> Figure:
    """Return the mean of `scores` (H, T, T) at each distance query minus key, a line per head, with its whole range.

    Heads with the same scores share a line; -inf is left out.
    """
    curves = {}
    for heads in same_heads(scores):
        found = by_distance(scores[heads[0]])
        name = _heads_in_words(heads, len(scores))
        curves[name] = (found.distances, found.means, found.lowest, found.highest)
    return banded(curves, Axes("Distance m − n, query minus key", title, zero=False, columns=4, line="Head"))


def same_heads(scores: Tensor) -> list[list[int]]:
    """Return the heads of `scores` (H, T, T) in groups with equal scores, up to rounding."""
    groups: list[list[int]] = []
    for head, own in enumerate(scores):
        twin = next((group for group in groups if _same(scores[group[0]], own)), None)
        if twin is None:
            groups.append([head])
        else:
            twin.append(head)
    return groups


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two matrices are equal up to rounding; most that are not differ in their last row already."""
    parts = slice(-1, None), slice(None)
    return all(torch.allclose(one[part], other[part], rtol=0, atol=1e-12) for part in parts)


def _heads_in_words(heads: list[int], n_heads: int) -> str:
    if len(heads) == n_heads:
        return "all heads" if n_heads > 1 else "mean and range"
    return f"head{'s' if len(heads) > 1 else ''} {', '.join(map(str, heads))}"
