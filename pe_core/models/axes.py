"""Which pairs of a multimodal RoPE (M-RoPE) count time, height and width: what `mrope_section` says.

The class of a model has an order, which no field changes: `chunked` gives the fastest pairs to the first section, the
next to the second, as Qwen2-VL does; `interleaved` goes round the axes, as Qwen3-VL does; `time_last` has height and
width in turn and then time, and its sections are those of height, width and time, as in ERNIE 4.5 VL.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from pe_core.encodings.mrope import HEIGHT, TIME, WIDTH
from pe_core.models.classes import ModelClass
from pe_core.models.fields import Fields
from pe_core.models.reading import is_whole, refuse

AXES = ("time", "height", "width")
SECTIONS, INTERLEAVED = "mrope_section", "mrope_interleaved"
OLDER = "xdrope_section"  # what the files of HunyuanOCR have
MAX_SECTIONS = 16


def axes(rope: Fields, model_type: str, model: ModelClass, n_pairs: int) -> Tensor | None:
    """Return the axis of each pair, 0 time, 1 height, 2 width, (n_pairs,); None where all count alike, or it fails.

    Sections that do not fit the pairs, and fields that the class does not read, are warned of. Raises `ConfigError` for
    sections that are no list of whole numbers.
    """
    split: Mapping[str, Any] | None = model.multimodal
    if split is None:
        for name in filter(rope.says, (SECTIONS, OLDER)):
            own = model_type == "hunyuan_vl_text"
            rope.warn(f"{rope.place(name)} {_by_channels(rope, name) if own else 'is ignored by this model'}.")
        return None
    if model.needs_sections and set(rope.given) - set(rope.places) and not rope.says(SECTIONS):
        refuse(rope.place(SECTIONS), "be given for this model", None)
    sizes = rope.value(SECTIONS, split["sizes"])
    if (
        not isinstance(sizes, list)
        or not 3 <= len(sizes) <= MAX_SECTIONS
        or any(not is_whole(one, 0, 2**20) for one in sizes)
    ):
        refuse(rope.place(SECTIONS), "be a list of whole numbers of pairs, for time, height and width", sizes)
    order, total = split["order"], sum(sizes)
    if rope.value(INTERLEAVED) not in (None, order == "interleaved"):
        how = {"chunked": "stretch by stretch", "interleaved": "in turn", "time_last": "with time last"}[order]
        rope.warn(f"{rope.place(INTERLEAVED)} is not read: this model gives pairs to the axes {how}.")
    if total != n_pairs and model_type == "cosmos3_edge_text":
        refuse(rope.place(SECTIONS), f"add up to {n_pairs}, half of the width of a head", sizes)
    if total != n_pairs:
        told = f"The sections {' + '.join(map(str, sizes))} = {total} are not the {n_pairs} pairs that turn"
        then = "time has the others" if order == "interleaved" else "transformers fails when the model reads"
        rope.warn(f"{told}: {then}.")
    elif order == "time_last" and (sizes[0] != sizes[1] or len(sizes) != len(AXES)):
        rope.warn(f"The sections of height and width, {sizes[0]} and {sizes[1]}, must be equal in this model.")
        return None
    if order == "interleaved":
        rope.warn("M-RoPE interleaves here: the axes take pairs in turn, and time has those that are left.")
    return allocated(order, sizes, n_pairs) if total == n_pairs or order == "interleaved" else None


def _by_channels(rope: Fields, name: str) -> str:
    """Return what sections of HunYuan-VL do, which cut the channels of a head, so that a pair may have two axes."""
    sizes, places = rope.value(name), ("position", "width", "height", "image")
    if not isinstance(sizes, list) or len(sizes) not in (3, 4) or any(not is_whole(one, 0, 2**20) for one in sizes):
        refuse(rope.place(name), "be a list of 3 or 4 whole numbers", sizes)
    told = " : ".join(f"{2 * one}" for one in sizes)
    return f"gives channels of a head to {', '.join(places[-len(sizes) :])}, {told}, and the two of a pair may differ"


def allocated(order: str, sizes: Sequence[int], n_pairs: int) -> Tensor:
    """Return the axis of each of `n_pairs` pairs, the fastest first, int64; `sizes` are the sections of the file."""
    found = torch.full((n_pairs,), TIME)
    if order == "interleaved":
        for axis in (HEIGHT, WIDTH):
            found[axis : 3 * sizes[axis] : 3] = axis
        return found
    if order == "chunked":
        return torch.cat([torch.full((size,), i % len(AXES)) for i, size in enumerate(sizes)])
    found[: 2 * sizes[0] : 2] = HEIGHT
    found[1 : 2 * sizes[0] : 2] = WIDTH
    return found


def in_words(found: Tensor) -> str:
    """Return which pairs count what, as in "time 0 to 15; height 16 to 39; width 40 to 63"."""
    return "; ".join(f"{name} {_runs((found == axis).nonzero().flatten().tolist())}" for axis, name in enumerate(AXES))


def _runs(numbers: list[int]) -> str:
    """Return numbers in words, those of equal steps together: "0, 3 ... 60, 61 to 63"."""
    told: list[str] = []
    at = 0
    while at < len(numbers):
        end, step = at, numbers[at + 1] - numbers[at] if at + 1 < len(numbers) else 1
        while end + 1 < len(numbers) and numbers[end + 1] - numbers[end] == step:
            end += 1
        first, last = numbers[at], numbers[end]
        if end - at < 2:  # two are no row
            end, told = at, [*told, str(first)]
        else:
            told.append(f"{first} to {last}" if step == 1 else f"{first}, {first + step} ... {last}")
        at = end + 1
    return ", ".join(told) or "none"
