"""The parts of the page on images and video: the maps of one patch, and the closer looks below them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import images as pictures
from pe_core.chapters.wording import number
from pe_core.encodings import mrope, rope_2d, sinusoidal
from pe_core.measures import patches as patching
from pe_core.measures.patches import DIM, MOST_SIDE, PATCH_CODES, Patches
from pe_core.measures.similarity import dot_products
from pe_core.parameters import Parameter
from ui.widgets.charts import clicked, show
from ui.widgets.controls import choose_many, choose_one, side_by_side
from ui.widgets.prose import fill, write

PUBLISHED = "published"
FIRST_ENCODINGS = ("flat", "mae", "axial", "mixed")
ADDED = {key: PATCH_CODES[key].title for key in ("mae", "detr")}

ROWS = Parameter("img_rows", "Rows of patches", 14, "An image of 224 pixels has 14 patches of 16.", 2, MOST_SIDE)
COLUMNS = Parameter("img_columns", "Columns of patches", 14, "Patches from left to right.", 2, MOST_SIDE)
DEGREES = Parameter(
    "img_direction", "Direction of the head (°)", 30, "Mixed RoPE draws one for each head; 0 is axial.", 0, 90, 5
)
BASE = Parameter(
    "img_base",
    "Base",
    PUBLISHED,
    "The base of the frequencies: what each paper has published, or one for all.",
    choices=(PUBLISHED, "10", "100", "10000"),
)
HEAD_DIM = Parameter("img_head", "Head width", 128, "Channels of a head; two form a pair.", choices=(32, 64, 96, 128))
ROPE_BASE = Parameter(
    "img_rope_base", "Base of RoPE", 10_000, "Qwen2-VL has a million.", choices=(100, 1_000, 10_000, 100_000, 1_000_000)
)
TRAINED = Parameter("img_trained", "Patches in training", 14, "Patches along one side of the image.", 2, MOST_SIDE)
SIDE = Parameter("img_side", "Patches now", 24, "Patches along one side of the larger image.", MOST_SIDE, 2 * MOST_SIDE)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen for the maps."""

    encodings: tuple[str, ...]
    patches: Patches
    row: int
    column: int
    degrees: int
    base: str

    def base_of(self, key: str) -> float:
        """The base of an encoding: that of its paper, or the one for all."""
        return PATCH_CODES[key].base if self.base == PUBLISHED else float(self.base)

    @property
    def bases(self) -> tuple[float, ...]:
        """The base of each encoding."""
        return tuple(map(self.base_of, self.encodings))


def choose_encodings(text: Mapping[str, str]) -> tuple[str, ...]:
    """Draw the choice of encodings and return their keys; without any, the first ones."""
    titles = {key: code.title for key, code in PATCH_CODES.items()}
    chosen = tuple(choose_many("img_encodings", "Encodings", titles, FIRST_ENCODINGS))
    if not chosen:
        st.info(text["encodings-none"])
    return chosen or FIRST_ENCODINGS


def choose(encodings: tuple[str, ...]) -> Chosen:
    """Draw the controls of the maps and return what they say; each size of the image has sliders of its own."""
    n_rows, n_columns, degrees = map(int, side_by_side(ROWS, COLUMNS, DEGREES))
    names = _names_of_place(n_rows, n_columns)
    row = Parameter(names[0], "Row of the patch", n_rows // 2 - 1, "", 0, n_rows - 1)
    column = Parameter(names[1], "Column of the patch", n_columns // 2 - 1, "", 0, n_columns - 1)
    at_row, at_column, base = side_by_side(row, column, BASE)
    return Chosen(encodings, Patches(n_rows, n_columns), int(at_row), int(at_column), degrees, str(base))


def _names_of_place(n_rows: int, n_columns: int) -> tuple[str, str]:
    return f"img_row_of_{n_rows}", f"img_column_of_{n_columns}"


def _choose_clicked(patches: Patches) -> None:
    """Put the sliders of row and column where the visitor has clicked."""
    mark = clicked("img_maps", pictures.CLICKED)
    if mark is not None:
        place = divmod(mark["index"], patches.n_columns)
        for name, value in zip(_names_of_place(patches.n_rows, patches.n_columns), place, strict=True):
            st.session_state[name] = value


def draw_maps(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the map of each encoding, and a table of what it makes of the neighbours of the patch."""
    patches, row, column = chosen.patches, chosen.row, chosen.column
    patch = patches.index(row, column)
    next_row = row + 1 if row + 1 < patches.n_rows else row - 1
    next_column = column + 1 if column + 1 < patches.n_columns else column - 1
    below, beside = patches.index(next_row, column), patches.index(row, next_column)
    found = pictures.similarities(chosen.encodings, chosen.bases, patches, patch, chosen.degrees)
    rows = [
        f"| {title} | {float(values[beside]):.3f} | {float(values[below]):.3f} "
        f"| {float(values[patches.index(next_row, next_column)]):.3f} | {patching.nearer_than(values, patch, below)} |"
        for title, values in found.items()
    ]
    lowest = ", ".join(f"{title} {float(values.min()):.3f}" for title, values in found.items())
    facts = {"row": row, "column": column, "rows": patches.n_rows, "columns": patches.n_columns, "lowest": lowest}
    picture = partial(
        pictures.distance_maps,
        encodings=chosen.encodings,
        bases=chosen.bases,
        n_rows=patches.n_rows,
        n_columns=patches.n_columns,
        row=row,
        column=column,
        degrees=chosen.degrees,
    )
    show(
        picture,
        key="img_maps",
        alternative=fill(text["maps-alternative"], facts),
        on_select=partial(_choose_clicked, patches),
        height=380,
    )
    write("\n".join([text["neighbours-head"], *rows]))


def draw_channels(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw channels of an encoding that is added, as images."""
    key = choose_one("img_added", "Encoding", ADDED, "mae")
    patches, base = chosen.patches, chosen.base_of(key)
    axes = {channel: axis for channel, (_, axis) in pictures.channels(key, base, patches).items()}
    facts = {
        "title": PATCH_CODES[key].title,
        "dim": DIM,
        "by_column": _listed(channel for channel, axis in axes.items() if axis == "column"),
        "by_row": _listed(channel for channel, axis in axes.items() if axis == "row"),
    }
    write(text["channels"], facts)
    picture = partial(
        pictures.channel_maps, encoding=key, base=base, n_rows=patches.n_rows, n_columns=patches.n_columns
    )
    show(picture, key="img_channels", alternative=fill(text["channels-alternative"], facts), height=420)


def _listed(channels: Iterable[int]) -> str:
    return ", ".join(map(str, channels)) or "none"


def draw_pairs(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw which pairs of RoPE follow which axis."""
    head_dim, base = map(int, side_by_side(HEAD_DIM, ROPE_BASE))
    found = pictures.allocations(head_dim, base)
    facts: dict[str, object] = {"width": head_dim, "pairs": head_dim // 2, "side": MOST_SIDE}
    for name, key in pictures.ALLOCATIONS.items():
        frequencies, axes = found[name]
        assert axes is not None  # only plain RoPE has none
        waves = sinusoidal.wavelengths(frequencies)
        facts[f"{key}_counts"] = " : ".join(str(int((axes == axis).sum())) for axis in range(3))
        facts[f"{key}_time"] = number(float(waves[axes == mrope.TIME].max()))
        facts[f"{key}_column"] = number(float(waves[axes == mrope.WIDTH].min()))
        facts[f"{key}_turn"] = f"{MOST_SIDE / float(waves[axes == mrope.WIDTH].min()):.2g}"
    write(text["pairs"], facts)
    picture = partial(pictures.pair_axes, head_dim=head_dim, base=float(base))
    show(picture, key="img_pairs", alternative=fill(text["pairs-alternative"], facts), height=380)


def draw_resizing(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the coordinates of an image that is larger than those of training."""
    trained, side = map(int, side_by_side(TRAINED, SIDE))
    found = pictures.coordinates(trained, side)
    step = trained / side
    alike = dot_products(torch.tensor([1.0, step]), rope_2d.ladder(DIM, PATCH_CODES["axial"].base)) / (DIM // 4)
    facts = {
        "trained": trained,
        "side": side,
        "unseen": max(0, side - trained),
        "last": f"{float(found['rescaled'][-1]):.4g}",
        "step": f"{step:.4g}",
        "before": f"{float(1 + alike[0]) / 2:.4f}",
        "after": f"{float(1 + alike[1]) / 2:.4f}",
    }
    show(
        partial(pictures.resized, trained=trained, side=side),
        key="img_resized",
        alternative=fill(text["resizing-alternative"], facts),
        height=240,
    )
    write(text["resizing"], facts)
