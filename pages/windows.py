"""Windows and sinks: who may look at whom, what comes through layers all the same, and what a softmax does about it."""

import streamlit as st

from pe_core import masks
from pe_core.chapters import windows
from pe_core.measures import entropy, masked
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

LOOKS = ("Layers", "Matrix M", "Entropy", "Sinks", "Cache")

text = open_page("windows", "Windows and sinks")


@fragment
def masks_and_layers() -> None:
    """Draw a mask and what comes through its layers, and a closer look."""
    above, controls = first_screen()
    with controls:
        kind = control(windows.MASK)
        own = windows.own(kind)
        settings = tuple(zip(own, row(*own.values(), columns=2), strict=True))
        layers, length, trained = row(windows.LAYERS, windows.LENGTH, windows.TRAINED)
    known = picture(windows.who_knows_whom, kind=kind, length=length, trained=trained, layers=layers, settings=settings)
    numbers = picture(
        windows.numbers_known, kind=kind, length=length, trained=trained, layers=layers, settings=settings
    )
    with above:
        left, right = st.columns(2)
        known.chart("win_mask_picture", text("mask-alternative", known.facts), height=400, place=left)
        numbers.chart("win_numbers", text("numbers-alternative", known.facts, numbers.facts), height=400, place=right)
    st.markdown(text("look"))
    st.markdown(text(known.facts["verdict"], known.facts, numbers.facts))
    st.markdown(text("about"))

    with closer_look("win_look", LOOKS, text) as look:
        match look:
            case "Layers":
                window = control(windows.SPAN)
                reach = picture(windows.reach_by_layer, window=window)
                conventions = facts_of(windows.conventions, window=window, layers=layers)
                reach.chart("win_reach", text("layers-alternative", conventions, reach.facts), height=400)
                st.markdown(text("layers", conventions, reach.facts))
                show_source(masked.through_layers, masked.rule, masks.chunked)
            case "Matrix M":
                window, head = row(windows.WINDOW, windows.HEAD)
                r1, r2 = row(windows.R1, windows.R2)
                matrix = picture(windows.subtracted_matrix, window=window, head=head, r1=r1, r2=r2)
                kept = picture(windows.weight_kept, window=window, head=head, r1=r1, r2=r2)
                left, right = st.columns(2)
                matrix.chart("win_matrix", text("matrix-alternative", matrix.facts), place=left)
                kept.chart("win_kept", text("kept-alternative", kept.facts), place=right)
                st.markdown(text("matrix", matrix.facts, kept.facts))
                st.markdown(text("matrices"))
                for column, member in zip(st.columns(len(windows.BESIDE)), windows.BESIDE, strict=True):
                    one = picture(windows.member_matrix, window=window, head=head, r1=r1, r2=r2, member=member)
                    with column:
                        st.caption(text(f"matrix-{member}", one.facts))
                        one.chart(f"win_matrix_{member.lower()}", text("matrices-alternative", one.facts), height=300)
                show_source(masked.family, masked.kept, masks.subtractive)
            case "Entropy":
                spread, head = row(windows.SPREAD, windows.ALIBI_HEAD)
                flat = picture(windows.spreading, spread=spread, trained=trained, head=head)
                flat.chart("win_entropy", text("entropy-alternative", flat.facts), height=400)
                st.markdown(text("entropy", flat.facts))
                show_source(entropy.by_number_of_keys, entropy.entropy, entropy.expected)
            case "Sinks":
                sink, n_others = row(windows.SINK, windows.N_OTHERS)
                gone = picture(windows.sink_gone, sink=sink, n_others=n_others)
                gone.chart("win_sink_picture", text("sinks-alternative", gone.facts), height=360)
                st.markdown(text("sinks", gone.facts))
                show_source(masked.sink_rows)
            case "Cache":
                step, window, n_sinks = row(windows.STEP, windows.RECENT, windows.N_SINKS)
                cache = picture(windows.cache_ids, step=step, window=window, n_sinks=n_sinks)
                cache.chart("win_cache", text("cache-alternative", cache.facts), height=260)
                st.markdown(text("cache", cache.facts))
                show_source(masked.cached)


masks_and_layers()
mathematics(text, masks.sliding_window, masks.sinks, masks.dilated, masks.prefix)
exercise(text, "win_guess", 0, windows.MAX_GUESS, windows.known_in_the_end)
close_page(text)
