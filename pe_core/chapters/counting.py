"""Pictures of the chapter on counting: the position itself as an encoding, and what it breaks."""

import torch
from torch import Tensor

from pe_core.encodings import index
from pe_core.figures import index_lines
from pe_core.figures.figure import Figure
from pe_core.figures.index_lines import Axes
from pe_core.measures import index as measures
from pe_core.parameters import require

N_TOKENS = 32
LARGEST = 4_096  # positions of the picture of the norms
MOST_POINTS = 512  # of a line
PRECISIONS = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
EVERYWHERE, ALONG_ONE, ROUNDED = "LayerNorm", "LayerNorm, index along one direction", "LayerNorm, sum kept in bfloat16"
EXACT = "a value for every position"


def indices(length: int, normalise: bool) -> Tensor:
    """Return the index of each word of a sentence, float64, shape (length,)."""
    return index.table(torch.arange(length), normalise=normalise, dtype=torch.float64)[:, 0]


def followed(first: int, second: int) -> int:
    """Return a word in the middle of the shorter of two sentences, which both of them have."""
    return min(first, second) // 2


def number_line(first: int, second: int, normalise: bool) -> Figure:
    """Return the words of sentences of `first` and `second` words by their index, integer or normalised."""
    values = {"First": indices(first, normalise), "Second": indices(second, normalise)}
    title = "Normalised index m / (T − 1)" if normalise else "Integer index m"
    return index_lines.number_line(values, followed(first, second), title)


def left(length: int, dim: int) -> dict[str, Tensor]:
    """Return the mean share of random unit tokens in the length of what the model gets, (length,) for each index."""
    tokens = measures.unit_tokens(N_TOKENS, dim)
    kinds = {"integer index": False, "normalised index": True}
    return {name: measures.left_of_token(tokens, indices(length, kind)).mean(0) for name, kind in kinds.items()}


def drowning(length: int, dim: int) -> Figure:
    """Return what is left of a token of `dim` channels at each position of a sentence of `length` words."""
    axes = Axes("Position", "Share of the token", (1e-5, 2), log_y=True, y_format="~%")
    return index_lines.curves(torch.arange(length), left(length, dim), axes)


def norm_changes(dim: int) -> tuple[Tensor, dict[str, Tensor]]:
    """Return positions 1, 2, 4 ... 4,096, shape (P,), and how much an index there changes what comes out of a norm.

    The changes (P,) are means over random unit tokens of `dim` channels, in lengths of the output without an index.
    """
    positions = 2 ** torch.arange(LARGEST.bit_length())
    *tokens, direction = measures.unit_tokens(N_TOKENS // 2 + 1, dim)
    x, m = torch.stack(tokens), positions[:, None, None].double()
    everywhere = x + m
    layer, rms = measures.layer_norm(x), measures.rms_norm(x)
    rounded = measures.rounded(everywhere, torch.bfloat16)
    return positions, {
        EVERYWHERE: measures.change(layer, measures.layer_norm(everywhere)),
        "RMSNorm": measures.change(rms, measures.rms_norm(everywhere)),
        ALONG_ONE: measures.change(layer, measures.layer_norm(x + m * direction)),
        ROUNDED: measures.change(layer, measures.layer_norm(rounded)),
    }


def norms(dim: int) -> Figure:
    """Return how much an index changes what comes out of a norm, for tokens of `dim` channels, by position."""
    positions, lines = norm_changes(dim)
    axes = Axes("Position", "Change, in lengths of the output", (1e-16, 100), log_x=True, log_y=True, y_format=".0e")
    return index_lines.curves(positions, lines, axes)


def different(length: int, precision: str) -> dict[str, Tensor]:
    """Return how many different values a text has up to each position, (length,) for each index, at a precision."""
    require(precision in PRECISIONS, "precision", f"be one of {', '.join(PRECISIONS)}", precision)
    kinds = {"integer index": False, "normalised index": True}
    return {
        name: measures.different_so_far(measures.rounded(indices(length, kind), PRECISIONS[precision]))
        for name, kind in kinds.items()
    }


def rounding(length: int, precision: str) -> Figure:
    """Return how many different values the positions of a text of `length` tokens have at a precision."""
    where = torch.arange(0, length, -(-length // MOST_POINTS))
    lines = {name: counts[where] for name, counts in different(length, precision).items()}
    return index_lines.curves(where, {EXACT: where + 1, **lines}, Axes("Position", "Different values so far"))
