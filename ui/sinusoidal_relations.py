"""Parts of the sinusoidal page on what holds between positions: similarity, the shift matrix, and the three layouts."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import sinusoidal as pictures
from pe_core.chapters.sinusoidal import MOST_SHIFTED
from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS
from pe_core.measures.layouts import LayoutDifferences, compare
from pe_core.measures.shift import plain_angle_matrix, shift_error
from pe_core.measures.similarity import (
    complete_pairs,
    direction_gap,
    dot_products,
    first_rise,
    neighbour_cosine,
    neighbour_spread,
    rises,
)
from pe_core.parameters import Parameter
from ui.sinusoidal_table import Chosen
from ui.widgets.charts import show
from ui.widgets.controls import control
from ui.widgets.prose import fill, write

OTHER_BASES = (2, 10, 100, 10_000, 1_000_000)
OTHER_WIDTHS = (16, 64, 128, 512, 768)
MOST_LAID_OUT = 64  # positions of the layouts that are drawn and compared


def draw_similarity(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the similarity against the distance, in both directions."""
    pairs = complete_pairs(chosen.width, chosen.base, variant=chosen.layout)
    if not len(pairs) or chosen.length == 1:
        st.info(text["similarity-one-position" if len(pairs) else "similarity-no-pair"])
        return
    shares = dot_products(torch.arange(chosen.length), pairs) / len(pairs)
    rise = _rise_sentence(chosen, shares, text)
    facts = {"from": 1 - chosen.length, "to": chosen.length - 1, "rise": rise}
    facts |= {"neighbour": f"{shares[1]:.3f}", "lowest": f"{shares.min():.3f}"}
    picture = partial(
        pictures.similarity, length=chosen.length, width=chosen.width, base=chosen.base, layout=chosen.layout
    )
    show(picture, key="similarity", alternative=fill(text["similarity-alternative"], facts), height=320)
    write(rise)
    positions = torch.arange(chosen.length)
    precise = sinusoidal.table(positions, chosen.width, base=chosen.base, variant=chosen.layout, dtype=torch.float64)
    measured = {"gap": f"{direction_gap(precise):.1g}", "spread": f"{neighbour_spread(precise):.1g}"}
    lone_sine = chosen.width % 2 and chosen.layout != "tensor2tensor"
    write(text["similarity-odd" if lone_sine else "similarity-direction"], measured)
    _show_other_bases(chosen, text)


def _rise_sentence(chosen: Chosen, shares: torch.Tensor, text: Mapping[str, str]) -> str:
    first = first_rise(complete_pairs(chosen.width, chosen.base, variant=chosen.layout))
    facts: dict[str, object] = {"first": first, "steps": chosen.length - 1, "rising": len(rises(shares))}
    if first is None or first >= chosen.length:
        return fill(text["similarity-later"], facts)
    facts |= {"before": f"{shares[first - 1]:.4f}", "after": f"{shares[first]:.4f}"}
    return fill(text["similarity-first"], facts)


def _show_other_bases(chosen: Chosen, text: Mapping[str, str]) -> None:
    def pairs(width: int, base: int) -> torch.Tensor:
        return complete_pairs(width, base, variant=chosen.layout)

    cosines = {f"{base:,}": f"{neighbour_cosine(pairs(chosen.width, base)):.3f}" for base in OTHER_BASES}
    distances = {str(width): str(first_rise(pairs(width, chosen.base))) for width in OTHER_WIDTHS}
    for place, name, rows in zip(st.columns(2), ("bases", "widths"), (cosines, distances), strict=True):
        with place:
            write(text[f"similarity-{name}"])
            lines = (f"| {choice} | {measured} |" for choice, measured in rows.items())
            write("\n".join([text[f"similarity-{name}-head"], *lines]))


def draw_shift(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the matrix that moves every position by an offset, with its error and that of a common slip."""
    if chosen.width % 2:
        st.info(text["shift-odd"])
        return
    offset = int(control(Parameter("offset", "Offset k", 5, text["shift-help"], 0, 64)))
    matrix = sinusoidal.shift_matrix(offset, chosen.width, base=chosen.base)
    plain = plain_angle_matrix(offset, chosen.width)
    error, slip = (shift_error(each, offset, chosen.length, chosen.base) for each in (matrix, plain))
    shown = min(chosen.width, MOST_SHIFTED)
    degrees = (offset * sinusoidal.frequencies(chosen.width, chosen.base)[: shown // 2]).rad2deg()
    facts = {
        "last": chosen.length - 1,
        "error": f"{error:.1g}",
        "slip": f"{slip:.3g}",
        "offset": offset,
        "shown": shown,
        "first": f"{degrees[0]:.1f}",
        "final": f"{degrees[-1]:.2g}",
    }
    picture = partial(pictures.shift_matrix, offset=offset, width=chosen.width, base=chosen.base)
    show(picture, key="shift", alternative=fill(text["shift-alternative"], facts), height=420)
    write(text["shift-measured"], facts)
    if torch.equal(matrix, plain):
        write(text["shift-slip-right"])
    if shown < chosen.width:
        st.caption(fill(text["shift-part"], {"last": shown - 1, "width": chosen.width}))
    if chosen.layout != "paper":
        st.caption(text["shift-layout"])


def draw_layouts(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the three layouts of the same positions side by side, with what differs and what does not."""
    length = min(chosen.length, MOST_LAID_OUT)
    differences = []
    for column, variant in zip(st.columns(3), VARIANTS, strict=True):
        measured = compare(torch.arange(length), chosen.width, chosen.base, variant)
        if variant != "paper":
            differences.append(_differences(measured))
        facts = {
            "layout": variant,
            "length": length,
            "width": chosen.width,
            "stored": f"{measured.stored:.3g}",
            "reordered": f"{measured.reordered:.3g}",
        }
        with column:
            st.markdown(f"**{variant}**")
            picture = partial(pictures.one_layout, length=length, width=chosen.width, base=chosen.base, layout=variant)
            show(picture, key=f"layout_{variant}", alternative=fill(text["layouts-alternative"], facts), height=300)
    rows = zip(text["layouts-rows"].splitlines(), *differences, strict=True)
    write("\n".join([text["layouts-head"], *(f"| {' | '.join(cells)} |" for cells in rows)]))
    write(text["layouts-odd" if chosen.width % 2 else "layouts-even"], {"half": f"{chosen.width // 2}"})


def _differences(measured: LayoutDifferences) -> list[str]:
    values = (measured.stored, measured.reordered, measured.squared_norms, measured.dot_products)
    return [f"{value:.2g}" for value in values]
