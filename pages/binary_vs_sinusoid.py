"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps."""

from functools import partial

import streamlit as st

from pe_core.chapters import binary_vs_sinusoid as chapter
from pe_core.encodings import binary, sinusoidal
from pe_core.figures import scrubbed_table
from pe_core.measures import jumps
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import show_source
from ui.widgets.remembered import result_of
from ui.widgets.tables import in_view, show_rows

LOOKS = ("Wave by wave", "Rates", "Jumps", "Overflow", "Bytes", "Exercise")

text = open_page("binary_vs_sinusoid", "Binary against sinusoid")


@fragment
def bits_and_waves() -> None:
    """Draw the bits of positions beside waves, and a closer look."""
    above, controls = first_screen()
    with controls:
        n_positions, n_bits, dim, base = row(chapter.N_POSITIONS, chapter.N_BITS, chapter.DIM, chapter.BASE)
    table = picture(chapter.twin_table, n_positions=n_positions, n_bits=n_bits, dim=dim, base=base)
    table.chart("bs_table", text("table-alternative", table.facts), height=580, place=above)
    st.markdown(text("look", table.facts))
    st.markdown(text("about", table.facts))

    with closer_look("bs_look", LOOKS, text) as look:
        match look:
            case "Wave by wave":
                waves = picture(chapter.lanes, n_positions=n_positions, n_bits=n_bits, dim=dim, base=base)
                st.markdown(text("lanes", waves.facts))
                waves.chart("bs_lanes", text("lanes-alternative", waves.facts), height=620)
                show_source(scrubbed_table.lanes, jumps.nearest_pair, jumps.bit_periods)
            case "Rates":
                speeds = picture(chapter.speeds, n_bits=n_bits, dim=dim, base=base)
                st.markdown(text("rates", speeds.facts))
                speeds.chart("bs_speeds", text("rates-alternative", speeds.facts), height=360)
                show_rows(result_of(chapter.speed_table, n_bits=n_bits, dim=dim, base=base), in_view("bit k"))
                show_source(chapter.speeds, jumps.flip_rates, sinusoidal.wavelengths)
            case "Jumps":
                steps = picture(chapter.steps, n_positions=n_positions, n_bits=n_bits, dim=dim, base=base)
                st.markdown(text("jumps", steps.facts))
                steps.chart("bs_steps", text("jumps-alternative", steps.facts), height=360)
                show_source(chapter.steps, jumps.hamming_steps, jumps.euclidean_steps)
            case "Overflow":
                st.markdown(text("overflow"))
                position, too_few = row(chapter.POSITION, chapter.TOO_FEW_BITS)
                earlier = picture(chapter.earlier, position=position, n_bits=too_few, dim=dim, base=base)
                st.markdown(text(earlier.facts["written"], earlier.facts))
                earlier.chart("bs_earlier", text("overflow-alternative", earlier.facts), height=360)
                st.markdown(text("overflow-wave", earlier.facts))
                show_source(chapter.earlier, jumps.overflow)
            case "Bytes":
                st.markdown(text("bytes", facts_of(chapter.memory, n_positions=n_positions, dim=dim)))
                show_source(chapter.memory, binary.bits_for)
            case "Exercise":
                answer = partial(chapter.flips_of_a_round, n_bits)
                exercise(text, "bs_guess", 0, chapter.MAX_FLIPS, answer, facts=facts_of(chapter.a_round, n_bits=n_bits))
                show_source(jumps.flip_rates)


bits_and_waves()
mathematics(text, binary.table, sinusoidal.table, scrubbed_table.twin_table)
close_page(text)
