"""Architectures of timm whose stages have places of their own, by their names; the plain ones are in `timm.py`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Clause, Other, says
from pe_core.models.kinds.images import COUNTED, COUNTS, NEVER, in_pixels, sides_in_pixels
from pe_core.models.kinds.windows import OFFSETS
from pe_core.models.reading import Json, is_whole, refuse

CONVOLVED = "its convolutions tell where things are, too"
PLACES = COUNTS % "places"
WAVES = "what a learned layer makes of 32 sinusoids each of the row and the column of a patch, of base 10,000, "
WAVES += "which run to 2 pi at the end of an image of any size"
BETWEEN_CHANNELS = "its attention is between channels"
NAMES: Mapping[str, str] = {  # beginnings of names, by type
    "timm_maxvit": "maxvit_ maxxvit_ maxxvitv2_",
    "timm_coatnet": "coatnet_ coatnext_",
    "timm_gcvit": "gcvit_",
    "timm_tiny_vit": "tiny_vit_",
    "timm_mvitv2": "mvitv2_",
    "timm_relpos": "vit_relpos_ vit_srelpos_",
    "timm_xcit": "xcit_",
    "timm_edgenext": "edgenext_",
    "timm_efficientformer": "efficientformer_",
    "timm_mixer": "mixer_ gmixer_ gmlp_ resmlp_",
    "timm_crossvit": "crossvit_",
    "timm_pit": "pit_",
    "timm_visformer": "visformer_",
}
WIDTHS_OF_MAXVIT = {"tiny": 64, "small": 96, "base": 96, "large": 128, "xlarge": 192}  # of its first stage
WIDTHS_OF_PIT = {"ti": 64, "xs": 96, "s": 144, "b": 256}
WIDTHS_OF_CROSSVIT = {
    "9": [128, 256], "15": [192, 384], "18": [224, 448], "base": [384, 768], "small": [192, 384], "tiny": [96, 192],
}  # fmt: skip
HEADS_OF_GCVIT = {"small": [3, 6, 12, 24], "base": [4, 8, 16, 32]}
HEADS_OF_TINY = {"5m": [4, 5, 10], "11m": [4, 8, 14], "21m": [6, 12, 18]}
HEADS_OF_RELPOS = {"small": 6, "medium": 8, "plus": 14, "base": 12}


def in_stages(name: str, side: Any, width: Any) -> Json | None:
    """Return the settings of an architecture, for images `side` pixels wide; None for one that is not known here."""
    words = name.split("_")
    kind = next((kind for kind, starts in NAMES.items() if name.startswith(tuple(starts.split()))), None)
    if kind is None:
        return None
    found: Json = {"model_type": kind, "image_size": side, "computed": "rmlp" in words}
    match kind:
        case "timm_maxvit":
            found["blocks"] = not name.startswith("maxxvitv2_")
            if not is_whole(width) and "tf" in words:
                width = next((8 * one for size, one in WIDTHS_OF_MAXVIT.items() if size in words), None)
            if is_whole(width) and width % 256 == 0:
                found["num_heads"] = [width // 256, width // 128, width // 64, width // 32]
        case "timm_gcvit":
            found["num_heads"] = next((HEADS_OF_GCVIT[one] for one in words if one in HEADS_OF_GCVIT), [2, 4, 8, 16])
        case "timm_tiny_vit":
            found["num_heads"] = HEADS_OF_TINY.get(words[2])
        case "timm_mvitv2":
            found["head_dim"] = {"large": 72, "huge": 64}.get(words[1])
        case "timm_relpos":
            found["num_heads"] = next((heads for one, heads in HEADS_OF_RELPOS.items() if one in words), None)
            patch = re.search(r"patch(\d{1,3})", name)
            found |= {"patch_size": int(patch[1]) if patch else 16, "shared": name.startswith("vit_srelpos_")}
        case "timm_mixer":  # the size of a patch stands behind a letter, as in mixer_b16_224
            patch = re.search(r"_[a-z](\d{1,2})_", name)
            found["patch_size"] = int(patch[1]) if patch else 8 if name.startswith("resmlp_big_") else 16
        case "timm_pit":
            found |= {"hidden_size": WIDTHS_OF_PIT.get(words[1]), "patch_size": 14 if words[1] == "b" else 16}
        case "timm_crossvit":
            found["widths"] = WIDTHS_OF_CROSSVIT.get(words[1])
        case "timm_xcit":
            found["hidden_size"] = width
    return {name: value for name, value in found.items() if value is not None}


def squares(sides: list[int], *, doubled: bool = True) -> str:
    """Return how many offsets windows of these sides have, stage by stage: with their signs, or without."""
    return ", ".join(f"{(2 * one - 1 if doubled else one) ** 2:,}" for one in sides)


def listed(sides: list[int]) -> str:
    """Return sides in words."""
    return ", ".join(map(str, sides))


def by_side(clause: Callable[[Fields, int], str]) -> Clause:
    """Return a clause that is made of the side of an image, in pixels; one of less than 32 has no place to tell."""

    def told(top: Fields) -> str:
        side = top.whole("image_size", maximum=MAX_SIZE)
        if side < 32:
            refuse(top.place("image_size"), f"be a whole number from 32 to {MAX_SIZE:,}", side)
        return f"{clause(top, side)}; {sides_in_pixels(top)}"

    return told


def _bias(top: Fields) -> str:
    return "adds a bias that a small network computes" if top.flag("computed", False) else "adds a learned bias"


def _maxvit(top: Fields, side: int) -> str:
    window = side // 32
    clause = f"{_bias(top)} for each of {squares([window])} offsets in "
    clause += f"windows of {window} x {window} places and in " if top.flag("blocks", True) else ""
    clause += f"grids of {window} x {window} places spread over the image"
    return f"{clause}; {CONVOLVED}; an image must have whole windows in each stage"


def _coatnet(top: Fields, side: int) -> str:
    sides = [side // 16, side // 32]
    clause = f"{_bias(top)} for each of {squares(sides)} offsets in its last two stages, of {listed(sides)} places a "
    return f"{clause}side, where a place sees all others; {CONVOLVED}; {PLACES}"


def _gcvit(top: Fields, side: int) -> str:
    sides = [side // 32, side // 32, side // 16, side // 32]
    clause = f"adds a learned bias for each of {squares(sides)} offsets, stage by stage, in windows of {listed(sides)} "
    return f"{clause}places a side; every second layer takes its queries from the whole image; {CONVOLVED}; {PLACES}"


def _tiny_vit(top: Fields, side: int) -> str:
    sides = [side // 32, side // 16, side // 32]
    clause = f"adds a learned bias for each of {squares(sides, doubled=False)} offsets of rows and columns, in windows "
    clause += f"of {listed(sides)} places a side in its last three stages; an offset counts whatever its sign"
    return f"{clause}; {CONVOLVED}; an image may have any size: places are added until whole windows cover it"


def _mvitv2(top: Fields, side: int) -> str:
    counts = listed([2 * (side // step) - 1 for step in (4, 8, 16, 32)])
    clause = f"{OFFSETS}; it has {counts} of each, stage by stage, of {top['head_dim']} channels; {CONVOLVED}"
    return f"{clause}; a smaller image takes the first of them, and a larger one is refused"


def _relpos(top: Fields, side: int) -> str:
    across = side // top.whole("patch_size", maximum=side)
    clause = f"adds a bias that a small network computes for each of {squares([across])} offsets of {across} x {across}"
    return f"{clause} patches{'; all layers share it' * top.flag('shared', False)}; {NEVER}"


def _efficientformer(top: Fields, side: int) -> str:
    across = -(-side // 32)
    clause = f"adds a learned bias for each of {squares([across], doubled=False)} offsets of rows and columns in its "
    clause += f"last layers, which attend over {across} x {across} places; an offset counts whatever its sign"
    return f"{clause}; {CONVOLVED}; {PLACES}"


def _crossvit(top: Fields, side: int) -> str:
    narrower = side * 384 // 408 if side == 408 else side * 224 // 240
    sides, widths = [side // 12, narrower // 16], top.value("widths")
    rows = ", and of ".join(f"{one} x {one} patches and 1 more, {one * one + 1:,} rows" for one in sides)
    wide = f"; its vectors of positions have {listed(widths)} channels" if isinstance(widths, list) else ""
    return (
        f"adds a learned vector in each of two branches, of {rows}{wide}; an image of another size is scaled to its own"
    )


def _pit(top: Fields, side: int) -> str:
    patch = top.whole("patch_size", maximum=side)
    across = (side - patch) // (patch // 2 or 1) + 1
    clause = f"adds a learned vector for each of {across} x {across} patches, {across * across:,} rows; these overlap "
    return f"{clause}by half; {COUNTED}; {CONVOLVED}"


def _visformer(top: Fields, side: int) -> str:
    sides = [side // step for step in (8, 16, 32)]
    tables = ", ".join(f"{one} x {one}" for one in sides)
    return f"adds a table of learned vectors in each stage, of {tables} places; {CONVOLVED}; {PLACES}"


SIDE = {"image_size": 224, "computed": False}
OF_STAGES: Mapping[str, Other] = {
    "timm_maxvit": says("relative", by_side(_maxvit), **SIDE, blocks=True),
    "timm_coatnet": says("relative", by_side(_coatnet), **SIDE),
    "timm_gcvit": says("relative", by_side(_gcvit), **SIDE),
    "timm_tiny_vit": says("relative", by_side(_tiny_vit), **SIDE),
    "timm_mvitv2": says("relative", by_side(_mvitv2), **SIDE, head_dim=96),
    "timm_relpos": says("relative", by_side(_relpos), **SIDE, patch_size=16, shared=False),
    "timm_efficientformer": says("relative", by_side(_efficientformer), **SIDE),
    "timm_crossvit": says("learned", by_side(_crossvit), **SIDE, widths=None),
    "timm_pit": says("learned", by_side(_pit), **SIDE, patch_size=16),
    "timm_visformer": says("learned", by_side(_visformer), **SIDE),
    "timm_xcit": says("sinusoidal", f"adds {WAVES}; {BETWEEN_CHANNELS}; {CONVOLVED}"),
    "timm_edgenext": says("sinusoidal", f"adds, in its second stage, {WAVES}; {BETWEEN_CHANNELS}; {CONVOLVED}"),
    "timm_mixer": says(
        "none", "has no positional encoding: it mixes patches by weights that each place has of its own"
    ).also(in_pixels, NEVER, image_size=224, patch_size=16),
}
