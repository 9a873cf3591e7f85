"""Images and video: what an encoding knows of rows and columns, and how M-RoPE numbers text, images and videos."""

import math
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from pe_core.chapters import wording
from pe_core.encodings import mrope, rope_2d, rotary, sinusoidal
from pe_core.encodings.mrope import Allocation
from pe_core.figures import grids
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.grids import Colours
from pe_core.figures.looks.palette import SEQUENTIAL
from pe_core.measures import patches as patching
from pe_core.measures import sequence as sequences
from pe_core.measures.patches import DIM, MAX_SIDE, PATCH_CODES, Patches
from pe_core.measures.similarity import dot_products
from pe_core.parameters import Choice, Choices, Parameter, Words
from pe_core.wrapping import spelt

PUBLISHED = "published"
CHANNELS = (0, 2, 4, 8, 32, 34, 36, 40)  # sines of some fast pairs of each half: the slow ones hardly change
CLICKED = "patch"  # selection of the maps
SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"
FIRST_TOKEN = 9  # in the middle of the image of that sequence
EXERCISE = "text 5, image 6x9"  # as the question has it
SEQUENCE_WIDTH = 320  # pixels that a sequence needs to be legible
MIN_FALL = 1e-4  # of a score; less is drawn in the same colour
SIMILARITY = Colours("Similarity", (-0.4, 1.0), (-0.4, 0.0, 0.5, 1.0))  # no two patches are less alike than −0.33
VALUE = Colours("Value", (-1.0, 1.0), (-1.0, 0.0, 1.0))
FALL = Colours("Fall of the score", (MIN_FALL, 1.0), (1e-4, 1e-2, 1.0), SEQUENTIAL[::-1], log=True)
PLAIN, AXIAL = "Plain RoPE", "Axial RoPE"
ALLOCATIONS: dict[str, Allocation] = {"M-RoPE": "chunked", "M-RoPE, interleaved": "interleaved"}

ENCODINGS = Choices(
    "img_encodings",
    "Encodings",
    {key: code.title for key, code in PATCH_CODES.items()},
    ("flat", "mae", "axial", "mixed"),
)
N_ROWS = Parameter("img_rows", "Rows of patches", 14, "An image of 224 pixels has 14 patches of 16.", 2, MAX_SIDE)
N_COLUMNS = Parameter("img_columns", "Columns of patches", 14, "Patches from left to right.", 2, MAX_SIDE)
DEGREES = Parameter(
    "img_direction",
    "Direction of the head (°)",
    30,
    "Mixed RoPE draws one for each head before training; 0 is axial.",
    0,
    90,
    5,
)
BASES = Parameter(
    "img_base",
    "Base",
    PUBLISHED,
    "The base of the frequencies: what each paper has published, or one for all.",
    choices=(PUBLISHED, "10", "100", "10000"),
)
ADDED = Choice("img_added", "Encoding", {key: PATCH_CODES[key].title for key in ("mae", "detr")}, "mae")
HEAD_DIM = Parameter("img_head", "Head width", 128, "Channels of a head; two form a pair.", choices=(32, 64, 96, 128))
BASE = Parameter("img_rope_base", "Base of RoPE", 10_000, "Qwen2-VL has a million.", 1, 100_000_000)
PARTS = Words(
    "img_parts",
    "Sequence",
    SEQUENCE,
    "Up to eight parts with commas between them: text and its tokens, image rows x columns, "
    "video frames x rows x columns.",
    checked=sequences.parse,
)
TRAINED = Parameter("img_trained", "Patches in training", 14, "Patches along one side of the image.", 2, MAX_SIDE)
SIDE = Parameter("img_side", "Patches now", 24, "Patches along one side of the larger image.", MAX_SIDE, 2 * MAX_SIDE)


def place(n_rows: int, n_columns: int) -> tuple[Parameter[int], Parameter[int]]:
    """Return the controls of the row and column of the patch that is looked at, of their own for each size."""
    return (
        Parameter(f"img_row_of_{n_rows}", "Row of the patch", n_rows // 2 - 1, "", 0, n_rows - 1),
        Parameter(f"img_column_of_{n_columns}", "Column of the patch", n_columns // 2 - 1, "", 0, n_columns - 1),
    )


def clicked(n_rows: int, n_columns: int, selected: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    """Return where the controls of the patch stand once the first of the `selected` marks of the maps is chosen."""
    names = (one.name for one in place(n_rows, n_columns))
    return dict(zip(names, divmod(selected[0]["index"], n_columns), strict=True))


def base_of(encoding: str, bases: str) -> float:
    """Return the base of an encoding of patches: that of its paper where `bases` says so, else the one for all."""
    return PATCH_CODES[encoding].base if bases == PUBLISHED else float(bases)


def distance_maps(
    encodings: Sequence[str], n_rows: int, n_columns: int, degrees: float, row: int, column: int, bases: str
) -> Figure:
    """Return one map per encoding of how alike the patch at `row` and `column` finds all patches of the image."""
    patches, direction = Patches(n_rows, n_columns), math.radians(degrees)
    patch = patches.index(row, column)
    next_row = row + 1 if row + 1 < n_rows else row - 1
    next_column = column + 1 if column + 1 < n_columns else column - 1
    below, beside = patches.index(next_row, column), patches.index(row, next_column)
    corner = patches.index(next_row, next_column)
    maps = {
        PATCH_CODES[key].title: patching.similarity(
            PATCH_CODES[key].codes(patches, base_of(key, bases), direction), patch
        )
        for key in encodings
    }
    notes = [f"base {base_of(key, bases):,.0f}" for key in encodings]
    neighbours = (
        (
            title,
            *(wording.formatted(float(values[other]), ".3f") for other in (beside, below, corner)),
            patching.nearer_than(values, patch, below),
        )
        for title, values in maps.items()
    )
    facts = {
        "lowest": wording.listed({title: float(values.min()) for title, values in maps.items()}, ".3f"),
        "neighbours": wording.rows(neighbours),
    }
    return grids.grids(
        maps, patches.places, colours=SIMILARITY, notes=notes, marked=patch, across=(5, 2), selection=CLICKED
    ).with_facts(facts)


def channel_maps(encoding: str, n_rows: int, n_columns: int, bases: str) -> Figure:
    """Return some channels of an encoding that is added, half of them from each half of its width, as images."""
    patches = Patches(n_rows, n_columns)
    codes = PATCH_CODES[encoding].codes(patches, base_of(encoding, bases), 0.0)
    axes = {channel: patching.depends_on(codes[:, channel], patches) for channel in CHANNELS}
    facts = {
        "title": PATCH_CODES[encoding].title,
        "dim": DIM,
        "by-column": _listed(channel for channel, axis in axes.items() if axis == "column"),
        "by-row": _listed(channel for channel, axis in axes.items() if axis == "row"),
    }
    maps = {f"Channel {channel}": codes[:, channel] for channel in CHANNELS}
    notes = [f"by {axis}" for axis in axes.values()]
    return grids.grids(maps, patches.places, colours=VALUE, notes=notes, narrowest=80, across=(4, 4)).with_facts(facts)


def _listed(channels: Iterable[int]) -> str:
    return ", ".join(map(str, channels)) or "none"


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
    found = allocations(head_dim, base)
    facts: dict[str, object] = {"pairs": head_dim // 2, "side": MAX_SIDE}
    for name, key in ALLOCATIONS.items():
        frequencies, axes = found[name]
        assert axes is not None  # only plain RoPE has none
        waves = sinusoidal.wavelengths(frequencies)
        fastest = float(waves[axes == mrope.WIDTH].min())
        facts[f"{key}-counts"] = " : ".join(str(int((axes == axis).sum())) for axis in range(3))
        facts[f"{key}-time"] = float(waves[axes == mrope.TIME].max())
        facts[f"{key}-column"] = fastest
        facts[f"{key}-turns"] = MAX_SIDE / fastest
    return grids.pairs(found).with_facts(facts)


def sequence_ids(parts: str) -> Figure:
    """Return the ids of M-RoPE over the tokens of a sequence such as "text 4, image 3x4, video 2x3x4"."""
    pieces = sequences.parse(parts)
    ids, found, following = mrope.position_ids(pieces), sequences.parts(pieces), sequences.next_id(pieces)
    rows = (
        (number, part.kind, part.last - part.first + 1, _spelt(part.first_ids), _spelt(part.last_ids))
        for number, part in enumerate(found, 1)
    )
    facts = {
        "tokens": len(ids),
        "last": len(ids) - 1,
        "n-parts": len(found),
        "next": following,
        "max-id": following - 1,
        "rows": wording.rows(rows),
    }
    return grids.ids(ids, found).with_facts(facts)


def _spelt(ids: Iterable[int]) -> str:
    return f"({', '.join(map(str, ids))})"


def token_of(parts: str) -> Parameter[int]:
    """Return the control of the token of a sequence that looks at all others."""
    last = sum(map(sequences.size, sequences.parse(parts))) - 1
    return Parameter(f"img_token_to_{last}", "Token", min(FIRST_TOKEN, last), "", 0, last)


def score_maps(parts: str, token: int, head_dim: int, base: float) -> Figure:
    """Return the scores of a token of a sequence, which is laid out as text in lines, images and frames as grids."""
    pieces = sequences.parse(parts)
    ids, (places, words) = mrope.position_ids(pieces), grids.laid_out(pieces)
    scores = {
        PLAIN: sequences.plain_scores(len(ids), token, head_dim, base),
        **{name: sequences.scores(ids, token, head_dim, base, allocation) for name, allocation in ALLOCATIONS.items()},
    }
    falls = (
        (name, *(spelt(fall, ".2g") for fall in reversed(sequences.falls(head_dim, base, allocation))))
        for name, allocation in ALLOCATIONS.items()
    )
    facts = {
        "ids": _spelt(ids[token].tolist()),
        "lowest": wording.listed({name: float(found.min()) for name, found in scores.items()}, ".3f"),
        "min-fall": MIN_FALL,
        "falls": wording.rows(falls),
    }
    maps = {name: (1 - found).clamp(min=MIN_FALL) for name, found in scores.items()}
    notes = [f"scores from {wording.formatted(float(found.min()), '.3f')} to 1" for found in scores.values()]
    return grids.grids(
        maps, places, colours=FALL, notes=notes, narrowest=SEQUENCE_WIDTH, marked=token, words=words
    ).with_facts(facts)


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
    found, step = coordinates(trained, side), trained / side
    alike = dot_products(torch.tensor([1.0, step]), rope_2d.ladder(DIM, PATCH_CODES["axial"].base)) / (DIM // 4)
    facts = {
        "unseen": max(0, side - trained),
        "last": float(found["rescaled"][-1]),
        "step": step,
        "before": float(1 + alike[0]) / 2,
        "after": float(1 + alike[1]) / 2,
    }
    return grids.resized(found).with_facts(facts)


def id_after_image(guess: int) -> tuple[bool, Facts]:
    """Return whether the guess is the id of the text after the image of the exercise, with what is said of it."""
    pieces = sequences.parse(EXERCISE)
    last, following = mrope.position_ids(pieces)[-1].tolist(), sequences.next_id(pieces)
    plain = sum(map(sequences.size, pieces))
    return guess == following, {"next": following, "last": _spelt(last), "max-id": max(last), "plain": plain}
