"""The table of the sinusoidal page: its controls, its picture, and the detail of a part that was pointed at."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st
from torch import Tensor

from pe_core.chapters import sinusoidal as pictures
from pe_core.chapters.sinusoidal import MOST_DETAIL
from pe_core.chapters.wording import number
from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS, Variant
from pe_core.measures.channels import unfinished
from pe_core.parameters import Parameter
from ui.widgets.charts import selected, show
from ui.widgets.controls import control
from ui.widgets.prose import fill

DRAGGED = "_dragged"  # set between a drag and the run that shows what was dragged over
BASES = (*(digit * 10**power for power in range(6) for digit in (1, 2, 5)), 10**6)


@dataclass(frozen=True)
class Chosen:
    """What the visitor has chosen, and what follows from it for every part of the page."""

    base: int
    width: int
    length: int
    layout: Variant

    @property
    def frequencies(self) -> Tensor:
        """The frequency of each pair; none where the only channel is a zero."""
        return sinusoidal.frequencies(self.width, self.base, variant=self.layout)


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
    facts = _facts(chosen)
    empty = "" if len(chosen.frequencies) else "-zero"
    show(
        partial(pictures.table, length=chosen.length, width=chosen.width, base=chosen.base, layout=chosen.layout),
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


def _facts(chosen: Chosen) -> dict[str, str]:
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
    down, across = st.columns(2)
    with down:
        position = _middle("detail_position", "Around position", chosen.length)
    with across:
        channel = _middle("detail_channel", "Around channel", chosen.width)
    rows, columns = pictures.part(position, channel, chosen.length, chosen.width)
    part = pictures.detail_values(rows, columns, chosen.width, chosen.base, chosen.layout)
    facts = {
        "top": rows.start,
        "bottom": rows.stop - 1,
        "left": columns.start,
        "right": columns.stop - 1,
        "lowest": f"{part.min():.5f}",
        "highest": f"{part.max():.5f}",
    }
    picture = partial(
        pictures.detail,
        position=position,
        channel=channel,
        length=chosen.length,
        width=chosen.width,
        base=chosen.base,
        layout=chosen.layout,
    )
    show(picture, key="table_detail", alternative=fill(text["detail-alternative"], facts), height=360)


def _middle(name: str, label: str, size: int) -> int:
    if size <= MOST_DETAIL:
        return 0
    if st.session_state.get(name, 0) >= size:  # the table has become smaller, and Streamlit would go back to 0
        st.session_state[name] = size - 1
    return int(control(Parameter(name, label, 0, "Middle of the part that is shown.", 0, size - 1)))
