"""The table of the sinusoidal page: its controls, its picture, and the detail of a part that was pointed at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS, Variant
from pe_core.figures.heatmap import heatmap, part_around, picture
from pe_core.measures.channels import unfinished
from pe_core.parameters import Parameter
from ui.charts import selected, show, show_with_selection
from ui.controls import control
from ui.prose import fill, number

DRAGGED = "_dragged"  # set between a drag and the run that shows what was dragged over
MOST_DETAIL = 16  # cells a side: each is then wide enough to be pointed at
BASES = (*(digit * 10**power for power in range(6) for digit in (1, 2, 5)), 10**6)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen, and what follows from it for every part of the page."""

    base: int
    width: int
    length: int
    layout: Variant

    @property
    def positions(self) -> Tensor:
        """The positions of the table, shape (length,)."""
        return torch.arange(self.length)

    @property
    def frequencies(self) -> Tensor:
        """The frequency of each pair; none where the only channel is a zero."""
        return sinusoidal.frequencies(self.width, self.base, variant=self.layout)

    @property
    def table(self) -> Tensor:
        """The table itself, shape (length, width)."""
        return sinusoidal.table(self.positions, self.width, base=self.base, variant=self.layout)


@dataclass(frozen=True)
class Topic:
    """A part of the page beyond the table: the section that opens it, what draws it, and the functions to be shown."""

    section: str
    draw: Callable[[Chosen, Mapping[str, str]], None]
    sources: tuple[Callable[..., Any], ...]


def choose(text: Mapping[str, str]) -> Chosen:
    """Draw the four controls and return what they say."""
    base, width, length, layout = st.columns([2, 2, 2, 4])
    with base:
        chosen_base = control(
            Parameter("base", "Base", 10_000, "Nearly the ratio of the slowest to the fastest wave.", choices=BASES)
        )
    with width:
        chosen_width = control(Parameter("width", "Width", 64, "Number of channels.", 1, 768))
    with length:
        chosen_length = control(Parameter("length", "Length", 64, "Number of positions.", 1, 512))
    with layout:
        name = control(Parameter("layout", "Layout", "paper", text["layout-help"], choices=VARIANTS))
    variant = next(variant for variant in VARIANTS if variant == name)
    return Chosen(int(chosen_base), int(chosen_width), int(chosen_length), variant)


def show_table(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the table, and what can be said of it in numbers."""
    table = chosen.table
    facts = _facts(chosen, table)
    empty = "" if len(chosen.frequencies) else "-zero"
    show_with_selection(
        picture(table, rows="Position", columns="Channel", title="Value", selection="part"),
        key="table",
        alternative=fill(text[f"table-alternative{empty}"], facts),
        on_select=_look_where_dragged,
        height=420,
    )
    if st.session_state.pop(DRAGGED, False):
        st.rerun()  # the choice of the topic stands outside of the fragment that the drag has run
    sentences = [text[f"facts{empty}"]]
    if chosen.length == 1 and not empty:
        sentences.append(text["facts-one-position"])
    if chosen.width % 2 and not empty:
        sentences.append(text["facts-odd-zero" if chosen.layout == "tensor2tensor" else "facts-odd-sine"])
    st.text(fill(" ".join(sentences).replace("\n", " "), facts))


def _facts(chosen: Chosen, table: Tensor) -> dict[str, str]:
    waves = sinusoidal.wavelengths(chosen.frequencies)
    fastest, slowest = (number(waves[end].item()) for end in (0, -1)) if len(waves) else ("", "")
    return {
        "base": str(chosen.base),
        "width": str(chosen.width),
        "length": str(chosen.length),
        "layout": chosen.layout,
        "pairs": str(len(waves)),
        "unfinished": str(unfinished(chosen.frequencies, chosen.length)),
        "fastest": fastest,
        "slowest": slowest,
        "lowest": f"{table.min():.2f}",
        "highest": f"{table.max():.2f}",
    }


def _look_where_dragged() -> None:
    ranges = selected("table", "part")
    if ranges:
        st.session_state["topic"] = "Detail"
        st.session_state["detail_position"] = round(sum(ranges["top"]) / 2)
        st.session_state["detail_channel"] = round(sum(ranges["left"]) / 2)
        st.session_state[DRAGGED] = True


def draw_detail(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the cells around one position and one channel, each with its value."""
    table = chosen.table
    down, across = st.columns(2)
    with down:
        rows = _part("detail_position", "Around position", chosen.length)
    with across:
        columns = _part("detail_channel", "Around channel", chosen.width)
    part = table[rows, columns]
    facts = {
        "top": rows.start,
        "bottom": rows.stop - 1,
        "left": columns.start,
        "right": columns.stop - 1,
        "lowest": f"{part.min():.5f}",
        "highest": f"{part.max():.5f}",
    }
    first = {"first_row": rows.start, "first_column": columns.start}
    figure = heatmap(part, rows="Position", columns="Channel", title="Value", **first)
    show(figure, key="table_detail", alternative=fill(text["detail-alternative"], facts), height=360)


def _part(name: str, label: str, size: int) -> slice:
    if size <= MOST_DETAIL:
        return slice(0, size)
    centre = int(control(Parameter(name, label, 0, "Middle of the part that is shown.", 0, size - 1)))
    return part_around(centre, MOST_DETAIL, size)
