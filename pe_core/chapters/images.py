"""Pictures of the chapter on images and video."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from pe_core.encodings import mrope, rope_2d, rotary
from pe_core.encodings.mrope import Allocation
from pe_core.figures import grids, tracks
from pe_core.figures.figure import Figure
from pe_core.figures.grids import Colours
from pe_core.figures.palette import DIVERGING
from pe_core.measures import patches as patching
from pe_core.measures import sequence as sequences
from pe_core.measures.patches import PATCH_CODES, Patches

CHANNELS = (0, 2, 4, 8, 32, 34, 36, 40)  # sines of some fast pairs of each half: the slow ones hardly change
CLICKED = "patch"  # selection of the maps
SEQUENCE_WIDTH = 320  # pixels that a sequence needs to be legible
LEAST_FALL = 1e-4  # of a score; less is drawn in the same colour
SIMILARITY = Colours("Similarity", (-1.0, 1.0), (-1.0, 0.0, 1.0))
VALUE = Colours("Value", (-1.0, 1.0), (-1.0, 0.0, 1.0))
FALL = Colours("Fall of the score", (LEAST_FALL, 1.0), (1e-4, 1e-2, 1.0), DIVERGING[:3:-1], log=True)
PLAIN, AXIAL = "Plain RoPE", "Axial RoPE"
ALLOCATIONS: dict[str, Allocation] = {"M-RoPE": "chunked", "M-RoPE, interleaved": "interleaved"}


def similarities(
    encodings: Sequence[str], bases: Sequence[float], patches: Patches, patch: int, degrees: float
) -> dict[str, Tensor]:
    """Return how alike `patch` finds each patch, (T,) by the title of the encoding, with a base for each."""
    direction = math.radians(degrees)
    return {
        PATCH_CODES[key].title: patching.similarity(PATCH_CODES[key].codes(patches, base, direction), patch)
        for key, base in zip(encodings, bases, strict=True)
    }


def distance_maps(
    encodings: Sequence[str],
    bases: Sequence[float],
    n_rows: int,
    n_columns: int,
    row: int,
    column: int,
    degrees: float,
) -> Figure:
    """Return one map per encoding of how alike the patch at `row` and `column` finds all patches of the image.

    `degrees` is the direction of the head of mixed RoPE.
    """
    patches = Patches(n_rows, n_columns)
    patch = patches.index(row, column)
    maps = similarities(encodings, bases, patches, patch, degrees)
    notes = [f"base {base:,.0f}" for base in bases]
    return grids.grids(
        maps, patches.places, colours=SIMILARITY, notes=notes, marked=patch, across=(5, 2), selection=CLICKED
    )


def channels(encoding: str, base: float, patches: Patches) -> dict[int, tuple[Tensor, str]]:
    """Return the values (T,) of some channels of an encoding that is added, and what each of them depends on."""
    codes = PATCH_CODES[encoding].codes(patches, base, 0.0)
    return {channel: (codes[:, channel], patching.depends_on(codes[:, channel], patches)) for channel in CHANNELS}


def channel_maps(encoding: str, base: float, n_rows: int, n_columns: int) -> Figure:
    """Return some channels of an encoding that is added, half of them from each half of its width, as images."""
    patches = Patches(n_rows, n_columns)
    found = channels(encoding, base, patches)
    maps = {f"Channel {channel}": values for channel, (values, _) in found.items()}
    notes = [f"by {axis}" for _, axis in found.values()]
    return grids.grids(maps, patches.places, colours=VALUE, notes=notes, narrowest=80, across=(4, 4))


def allocations(head_dim: int, base: float) -> dict[str, tuple[Tensor, Tensor | None]]:
    """Return the frequencies of the pairs and the axis of each, 0 time, 1 row, 2 column, None any, by encoding."""
    frequencies, n_pairs = rotary.frequencies(head_dim, base), head_dim // 2
    axial = rope_2d.axial_frequencies(head_dim, base)
    return {
        PLAIN: (frequencies, None),
        AXIAL: (axial.sum(dim=0), axial.argmax(dim=0) + mrope.HEIGHT),
        **{name: (frequencies, mrope.sections(n_pairs, allocation)) for name, allocation in ALLOCATIONS.items()},
    }


def pair_axes(head_dim: int, base: float) -> Figure:
    """Return the wavelengths of the pairs in a lane for each axis, for RoPE of one, two and three axes."""
    return tracks.pairs(allocations(head_dim, base))


def sequence_ids(parts: str) -> Figure:
    """Return the ids of M-RoPE over the tokens of a sequence such as "text 4, image 3x4, video 2x3x4"."""
    pieces = sequences.parse(parts)
    return tracks.ids(mrope.position_ids(pieces), sequences.parts(pieces))


def token_scores(parts: str, token: int, head_dim: int, base: float) -> dict[str, Tensor]:
    """Return the score of `token` with each token of equal content, (T,), for plain RoPE and both kinds of M-RoPE."""
    ids = mrope.position_ids(sequences.parse(parts))
    return {
        PLAIN: sequences.plain_scores(len(ids), token, head_dim, base),
        **{name: sequences.scores(ids, token, head_dim, base, allocation) for name, allocation in ALLOCATIONS.items()},
    }


def lines_of(parts: str) -> int:
    """Return how many lines of squares a sequence takes when it is laid out."""
    places, _ = grids.laid_out(sequences.parse(parts))
    return int(places[:, 0].max()) + 1


def score_maps(parts: str, token: int, head_dim: int, base: float) -> Figure:
    """Return the scores of a token of a sequence, which is laid out as text in lines, images and frames as grids."""
    places, words = grids.laid_out(sequences.parse(parts))
    found = token_scores(parts, token, head_dim, base)
    maps = {name: (1 - scores).clamp(min=LEAST_FALL) for name, scores in found.items()}
    notes = [f"scores from {float(scores.min()):.3f} to 1" for scores in found.values()]
    return grids.grids(maps, places, colours=FALL, notes=notes, narrowest=SEQUENCE_WIDTH, marked=token, words=words)


def coordinates(trained: int, side: int) -> dict[str, Tensor]:
    """Return the coordinates along one axis: of the `trained` patches, and of `side` patches counted on or rescaled."""
    counted = torch.arange(side, dtype=torch.float64)
    return {
        "in training": torch.arange(trained, dtype=torch.float64),
        "counted on": counted,
        "rescaled": counted * trained / side,
    }


def resized(trained: int, side: int) -> Figure:
    """Return the coordinates of `side` patches for a model trained on `trained`, counted on and rescaled."""
    return tracks.resized(coordinates(trained, side))
