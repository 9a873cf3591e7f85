"""The wall of the catalogue: a small picture of every entry of a registry, computed at the sizes of the catalogue.

An encoding shows the table that it adds to the embeddings, else the scores of its first head, query by key; a scaling
rule how many times slower it makes each pair (columns) for each factor (rows); a mask who may attend to whom; a remap
which position (rows, the first at the foot) each token (columns) of a text in evaluation is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import wrap
from typing import Any

import altair as alt
import pandas as pd
import torch
from torch import Tensor

from pe_core.chapters import catalogue
from pe_core.encodings import ENCODINGS, EncodingSpec, rotary
from pe_core.figures.figure import Figure, built_once, chart_of, spec_of, tips
from pe_core.figures.image import data_uri
from pe_core.figures.looks.palette import CATEGORICAL, INK, SHADES
from pe_core.masks import MASKS
from pe_core.parameters import Entry
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS

REGISTRIES: Mapping[str, Mapping[str, Entry]] = {
    "encoding": ENCODINGS,
    "scaling": SCALINGS,
    "mask": MASKS,
    "remap": REMAPS,
}
GROUPS = {"scaling": "scaling rules", "mask": "masks", "remap": "index remaps"}  # of encodings, families are groups
UNNAMED = "no position"  # what the family "none" is called

_SIZES = catalogue.LENGTH | catalogue.TRAINED | catalogue.WIDTH | catalogue.HEADS | catalogue.FARTHEST
LENGTH, TRAINED, WIDTH, HEAD_DIM, HEADS, FARTHEST = (int(one.default) for one in _SIZES.values())
SCALED = {name: int(one.default) for name, one in catalogue.SCALED.items() if name != "factor"}
FACTORS = tuple(map(int, catalogue.SCALED["factor"].choices))

CHOSEN = "tile"  # the name of the selection: it brings the key of a tile
LETTERS, LINES = 15, 2  # of a label
# Pixels, on a narrow picture and on a wide one: from tile to tile, of a picture, of letters.
STEP, SIDE, SIZE = (116, 152), (72, 96), (13, 15)
HEAD, GAP, EDGE = 34, 12, 4  # pixels above a group, beside and below a tile, and for the outline of one at the edge
WIDE, TELEPHONE = 1_000, 500  # pixels of the whole; on a telephone a picture is as wide as its tile
_SAME = (CATEGORICAL[0], CATEGORICAL[0])


@dataclass(frozen=True)
class Tile:
    """A small picture: the key of its entry, its group, its title, a sentence, and what it shows.

    `values` (rows, columns) go from dark, the smallest, to light, the largest; what is not finite is left out. A
    picture of `True` and `False` has one colour where it is true.
    """

    key: str
    group: str
    title: str
    summary: str
    values: Tensor

    @property
    def url(self) -> str:
        """The picture as the data URI of a PNG with one pixel per value."""
        if not self.values.is_floating_point():
            return data_uri(self.values.double().log(), 1.0, colours=_SAME)
        finite = self.values[self.values.isfinite()].double()
        lowest, highest = (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 0.0)
        half = (highest - lowest) / 2
        return data_uri(self.values.double() - (lowest + half), half or 1.0, colours=SHADES[::-1])


def drawn(tiles: Sequence[Tile]) -> Figure:
    """Return the picture of all `tiles`, those of a group one after the other under the group's name."""
    groups = [(name, len(list(own))) for name, own in groupby(tiles, lambda tile: tile.group)]
    names = [name for name, _ in groups]
    rows = [
        {
            "key": tile.key,
            "group": names.index(tile.group),
            "title": tile.title,
            "label": "\n".join(wrap(tile.title, LETTERS, max_lines=LINES, placeholder=" …")),
            "summary": tile.summary,
            "url": tile.url,
        }
        for tile in tiles
    ]
    frame = pd.DataFrame(rows)
    frame["place"] = frame.groupby("group").cumcount()
    heads = pd.DataFrame({"group": range(len(names)), "place": 0, "words": [f"{name} ({n})" for name, n in groups]})
    text = pd.DataFrame(
        [(tile.title, tile.key, tile.group, tile.summary) for tile in tiles],
        columns=["Entry", "Key", "Group", "What it does"],
    )
    facts = {"count": len(tiles), "groups": ", ".join(f"{n} {name}" for name, n in groups)}
    spec = _wall_spec(tuple(n for _, n in groups))
    frames = {"tiles": frame, "heads": heads, "chosen": frame[["group", "place"]][:0]}
    return Figure(spec, frames, behind={"tiles": lambda: text}, facts=facts)


def with_chosen(figure: Figure, key: str) -> Figure:
    """Return the picture with an outline around the tile of this key."""
    tiles = figure.frames["tiles"]
    own = tiles.loc[tiles.key == key, ["group", "place"]]
    return replace(figure, frames={**figure.frames, "chosen": own})


@built_once
def _wall_spec(counts: tuple[int, ...]) -> dict[str, Any]:
    wide = f"(width > {WIDE})"
    step, side, size = (f"({wide} ? {large} : {small})" for small, large in (STEP, SIDE, SIZE))
    columns = f"floor(width / {step})"
    side = f"(width < {TELEPHONE} ? floor(width / {columns}) - {GAP} : {side})"
    high = f"({side} + {LINES} * ({size} + 3) + {GAP} + 4)"
    before = [" + ".join([f"ceil({n} / {columns})" for n in counts[:place]]) or "0" for place in range(len(counts) + 1)]
    above = f"[{', '.join(before)}][datum.group]"
    left = f"{EDGE} + datum.place % {columns} * width / {columns}"
    top = f"({above} + floor(datum.place / {columns})) * {high} + (datum.group + 1) * {HEAD}"
    words: dict[str, Any] = {"align": "left", "baseline": "top", "color": alt.ExprRef(INK)}
    at: dict[str, Any] = {"x": {"expr": "datum.left"}, "y": {"expr": "datum.top"}}
    square = {**at, "x2": {"expr": f"datum.left + {side}"}, "y2": {"expr": f"datum.top + {side}"}}
    right, bottom = f"datum.left + width / {columns} - {GAP}", f"datum.top + {high} - {GAP}"
    tooltip = tips(("title:N", "Entry"), ("summary:N", "What it does"))
    sized: Any = {"width": {"expr": side}, "height": {"expr": side}, "aspect": False, "smooth": False}
    tiles, heads, chosen = (
        chart_of(data).transform_calculate(left=left, top=top) for data in ("tiles", "heads", "chosen")
    )
    layers = [
        heads.mark_text(
            **{**words, "baseline": "bottom"},
            x=EDGE,
            y={"expr": "datum.top - 6"},
            fontWeight="bold",
            fontSize={"expr": f"{size} + 1"},
        ).encode(text="words:N"),
        tiles.mark_image(**at, align="left", baseline="top", **sized).encode(url="url:N"),
        tiles.mark_rect(filled=False, stroke="#7F7F7F", strokeWidth=1, **square),
        tiles.mark_text(
            **words,
            x={"expr": "datum.left"},
            y={"expr": f"datum.top + {side} + 4"},
            lineBreak="\n",
            fontSize={"expr": size},
            lineHeight={"expr": f"{size} + 3"},
        ).encode(text="label:N"),
        *(
            chosen.mark_rect(filled=False, stroke=stroke, strokeWidth=width, **square)
            for stroke, width in (("#000000", 6), ("#FFFFFF", 3))
        ),
        # On top, since a mark without a fill is found by a pointer at its edge only.
        tiles.mark_rect(fill="#7F7F7F", fillOpacity=0, cursor="pointer", **at, x2={"expr": right}, y2={"expr": bottom})
        .encode(tooltip=tooltip)
        .add_params(alt.selection_point(name=CHOSEN, fields=["key"], toggle=False)),
    ]
    height = f"({before[-1]}) * {high} + {len(counts) * HEAD}"
    chart = alt.layer(*layers).add_params(alt.param(name="height", expr=height))
    chart = chart.properties(height=sum(counts), autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    return spec_of(chart, framed=False, canvas=True)


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


def tiles(registry: str) -> list[Tile]:
    """Return a small picture of every entry of the registry of this key, encodings by family, no position last."""
    found = [
        Tile(key, _group(registry, entry), entry.title, entry.summary, VALUES[registry](key))
        for key, entry in REGISTRIES[registry].items()
    ]
    groups = list(dict.fromkeys(tile.group for tile in found))
    return sorted(found, key=lambda tile: (tile.group == UNNAMED, groups.index(tile.group)))


def of_registry(registry: str) -> Figure:
    """Return the wall of the registry of this key, no entry of it chosen."""
    return drawn(tiles(registry))


def wall(registry: str, entry: str) -> Figure:
    """Return the wall with an outline around an entry; `registry` and `entry` are keys."""
    return with_chosen(of_registry(registry), entry)


def _group(kind: str, entry: Entry) -> str:
    if isinstance(entry, EncodingSpec):
        return UNNAMED if entry.family == "none" else entry.family
    return GROUPS[kind]
