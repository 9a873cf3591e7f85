"""The wall of the catalogue: a small picture of every entry of every registry, computed at the sizes of the catalogue.

An encoding shows the table that it adds to the embeddings, else the scores of its first head, query by key; a scaling
rule how many times slower it makes each pair (columns) for each factor (rows); a mask who may attend to whom; a remap
which position (rows, the first at the foot) each token (columns) of a text in evaluation is told.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from pe_core.chapters import catalogue
from pe_core.encodings import ENCODINGS, EncodingSpec, rotary
from pe_core.figures.figure import Figure
from pe_core.figures.wall import Tile, with_chosen
from pe_core.figures.wall import wall as drawn
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.registry import Entry
from pe_core.rope_scaling import SCALINGS

REGISTRIES: Mapping[str, Mapping[str, Entry]] = {
    "encoding": ENCODINGS,
    "scaling": SCALINGS,
    "mask": MASKS,
    "remap": REMAPS,
}
GROUPS = {"scaling": "scaling rules", "mask": "masks", "remap": "index remaps"}  # of encodings, families are groups
UNNAMED = "no position"  # what the family "none" is called

LENGTH, TRAINED, WIDTH, HEAD_DIM, HEADS, FARTHEST = (
    int(row[name].default)
    for row, name in (
        (catalogue.LENGTH, "length"),
        (catalogue.TRAINED, "train_length"),
        (catalogue.WIDTH, "d_model"),
        (catalogue.HEADS, "head_dim"),
        (catalogue.HEADS, "n_heads"),
        (catalogue.FARTHEST, "max_length"),
    )
)
SCALED = {name: int(one.default) for name, one in catalogue.SCALED.items() if name != "factor"}
FACTORS = tuple(map(int, catalogue.SCALED["factor"].choices))


def encoding(key: str) -> Tensor:
    """Return the table (T, D) that an encoding adds to the embeddings; else the scores (T, T) of its first head."""
    if "embed" in ENCODINGS[key].hooks:
        return catalogue.vectors(key, {}, LENGTH, TRAINED, WIDTH)
    return catalogue.effects_of(key, {}, LENGTH, TRAINED, HEAD_DIM, HEADS, 0).scores[0]


def scaling(key: str) -> Tensor:
    """Return by which power of two each pair turns slower, for each factor, (F, P); infinity where it stops."""
    before = rotary.frequencies(SCALED["head_dim"], SCALED["base"])
    return torch.stack(
        [(before / catalogue.scaled(key, {}, factor, **SCALED).frequencies).log2() for factor in FACTORS]
    )


def mask(key: str) -> Tensor:
    """Return who may attend to whom, bool (T, T)."""
    return MASKS[key].build(LENGTH, TRAINED, {})


def remap(key: str) -> Tensor:
    """Return where the position that each token is told lies, bool (T, T): row 0 is the largest that one is told."""
    told = catalogue.told(key, {}, LENGTH, TRAINED, FARTHEST)[1].double()
    rows = (told / max(LENGTH - 1, float(told.max())) * (LENGTH - 1)).round().long()
    return torch.arange(LENGTH).flip(0)[:, None] == rows


VALUES = {"encoding": encoding, "scaling": scaling, "mask": mask, "remap": remap}


def tiles() -> list[Tile]:
    """Return a small picture of every entry of every registry, encodings by family, no position last."""
    found = [
        Tile(kind, key, _group(kind, entry), entry.title, entry.summary, VALUES[kind](key))
        for kind, entries in REGISTRIES.items()
        for key, entry in entries.items()
    ]
    kinds, groups = list(REGISTRIES), list(dict.fromkeys(tile.group for tile in found))
    return sorted(found, key=lambda tile: (kinds.index(tile.kind), tile.group == UNNAMED, groups.index(tile.group)))


def of_all() -> Figure:
    """Return the wall of all small pictures, none of them chosen."""
    return drawn(tiles())


def wall(registry: str, entry: str) -> Figure:
    """Return the wall with an outline around an entry; `registry` and `entry` are keys."""
    return with_chosen(of_all(), registry, entry)


def _group(kind: str, entry: Entry) -> str:
    if isinstance(entry, EncodingSpec):
        return UNNAMED if entry.family == "none" else entry.family
    return GROUPS[kind]
