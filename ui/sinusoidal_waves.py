"""Parts of the sinusoidal page on single channels and pairs: waves, wavelengths, clock hands, first positions."""

from collections.abc import Mapping
from functools import partial

import streamlit as st
import torch

from pe_core.chapters import sinusoidal as pictures
from pe_core.chapters.wording import number
from pe_core.encodings import sinusoidal
from pe_core.figures import dials
from pe_core.figures.waves import MAX_WAVES
from pe_core.measures.channels import Channel, channel, evenly, first_channels, unfinished
from pe_core.measures.layouts import spread
from ui.sinusoidal_table import Chosen
from ui.widgets.charts import show
from ui.widgets.controls import warn_of_link
from ui.widgets.prose import fill, write

FIRST_BASES = (1, 5, 10, 100)


def draw_waves(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw a few channels as waves over the position."""
    picked = _pick_channels(chosen.width, text) or first_channels(chosen.width, variant=chosen.layout)
    channels = [channel(index, chosen.width, chosen.base, variant=chosen.layout) for index in picked]
    said = [_describe(one, text) for one in channels]
    facts = {"last": chosen.length - 1, "channels": " ".join(said)}
    picture = partial(
        pictures.waves,
        channels=picked,
        length=chosen.length,
        width=chosen.width,
        base=chosen.base,
        layout=chosen.layout,
    )
    show(picture, key="waves", alternative=fill(text["waves-alternative"], facts), height=300)
    st.text("\n".join(said))


def _pick_channels(width: int, text: Mapping[str, str]) -> list[int]:
    offered = [str(index) for index in range(width)]
    asked = st.query_params.get_all("channels")
    if "channels" not in st.session_state and not set(asked) <= set(offered):
        unknown = [index for index in asked if index not in offered]
        warn_of_link(f"{fill(text['waves-link'], {'last': width - 1})}, got {unknown[0]!r}", text["waves-placeholder"])
    picked = st.multiselect(
        "Channels",
        range(width),
        key="channels",
        max_selections=MAX_WAVES,
        placeholder=text["waves-placeholder"],
        help=text["waves-help"],
        bind="query-params",
    )
    return sorted(picked)


def _describe(one: Channel, text: Mapping[str, str]) -> str:
    facts = {"channel": one.index, "wave": one.wave, "pair": one.pair, "wavelength": number(one.wavelength)}
    return fill(text["waves-zero" if one.wave == "zero" else "waves-wave"], facts)


def draw_wavelengths(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the wavelengths of all pairs against the length of the table."""
    frequencies = chosen.frequencies
    if not len(frequencies):
        st.info(text["no-pairs"])
        return
    turns = sinusoidal.wavelengths(frequencies)
    never = unfinished(frequencies, chosen.length)
    facts = {
        "length": chosen.length,
        "pairs": len(frequencies),
        "unfinished": never,
        "complete": len(frequencies) - never,
        "fastest": number(turns[0].item()),
        "slowest": number(turns[-1].item()),
    }
    write(text["wavelengths-measured"], facts)
    picture = partial(
        pictures.wavelengths, length=chosen.length, width=chosen.width, base=chosen.base, layout=chosen.layout
    )
    show(picture, key="wavelengths", alternative=fill(text["wavelengths-alternative"], facts), height=340)


def draw_clocks(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the pairs as clock hands; the position is moved in the browser."""
    frequencies = chosen.frequencies
    if not len(frequencies):
        st.info(text["no-pairs"])
        return
    pairs = evenly(len(frequencies), dials.MAX_CLOCKS)
    degrees, turns = frequencies.rad2deg(), dials.START / sinusoidal.wavelengths(frequencies)
    facts = {
        "shown": len(pairs),
        "pairs": len(frequencies),
        "position": dials.START,
        "fastest": f"{degrees[0]:.1f}",
        "slowest": f"{degrees[-1]:.2g}",
        "most": f"{turns[0]:.2f}",
        "least": f"{turns[-1]:.2g}",
    }
    write(text["clocks-measured"], facts)
    if chosen.width % 2 and chosen.layout != "tensor2tensor":
        write(text["clocks-odd"])
    picture = partial(pictures.clock_hands, width=chosen.width, base=chosen.base, layout=chosen.layout)
    show(picture, key="clocks", alternative=fill(text["clocks-alternative"], facts), height=440)
    if len(pairs) < len(frequencies):
        st.caption(fill(text["clocks-some"], facts))


def draw_first(chosen: Chosen, text: Mapping[str, str]) -> None:
    """Draw the first five positions for four bases, where the base has no effect and where it has."""
    steps = [sinusoidal.frequencies(4, base)[1].rad2deg().item() for base in FIRST_BASES]
    facts = {
        "bases": ", ".join(str(base) for base in FIRST_BASES),
        "first": f"{spread(torch.stack(pictures.first_tables(FIRST_BASES, 2))):g}",
        "second": f"{spread(torch.stack(pictures.first_tables(FIRST_BASES, 4))):.2f}",
        "steps": ", ".join(f"{step:.1f}" for step in steps),
    }
    write(text["first-measured"], facts)
    picture = partial(pictures.first_positions, bases=FIRST_BASES)
    show(picture, key="first", alternative=fill(text["first-alternative"], facts), height=440)
