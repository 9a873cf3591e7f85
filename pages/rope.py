"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

import streamlit as st

from pe_core.chapters import gallery, rope
from pe_core.encodings import rotary
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page, step_of
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

LOOKS = {
    "See it": ("Turns", "One dial, then eight", "Distance"),
    "Derive it": ("Derivation", "Four steps of attention", "Three forms"),
    "Write it": ("Line by line", "Layouts", "Exercise"),
}

text = open_page("rope", "RoPE")


@fragment
def query_and_key() -> None:
    """Draw the dials of a query and a key, and a closer look."""
    above, controls = first_screen()
    with controls:
        query, key = row(rope.QUERY, rope.KEY)
        head_dim, base, seed = row(rope.HEAD_DIM, rope.BASE, rope.SEED)
    dials = picture(rope.dials, head_dim=head_dim, base=base, query=query, key=key, shift=0, seed=seed)
    dials.chart("rope_dials", text("dials-alternative", dials.facts), height=460, place=above)
    st.markdown(text("look"))
    st.markdown(text("measured", dials.facts))
    if dials.facts["some"]:
        st.caption(text("some", dials.facts))

    with closer_look("rope_look", LOOKS, text) as look:
        match look:
            case "Distance":
                scores = picture(rope.scores_by_distance, head_dim=head_dim, base=base, seed=seed, query=query, key=key)
                st.markdown(text("distance", scores.facts))
                scores.chart("rope_distance", text("distance-alternative", scores.facts), height=440)
                show_source(rope.by_distance, rotation.scores, rotation.decay_bound, rotation.partial_sums)
            case "Turns":
                waves = picture(rope.wavelengths, head_dim=head_dim, base=base, length=control(rope.LENGTH))
                st.markdown(text("turns", waves.facts))
                waves.chart("rope_turns", text("turns-alternative", waves.facts), height=360)
                show_source(rope.wavelengths, unfinished, rotation.turned_through)
            case "Three forms":
                forms = facts_of(rope.forms, head_dim=head_dim, base=base, query=query, seed=seed)
                st.markdown(text("forms", forms))
                st.markdown(text("forms-table", forms))
                show_source(rotation.real_form, rotation.complex_form, rotation.matrix, rotation.without_minus)
            case "Layouts":
                found = facts_of(rope.layouts, head_dim=head_dim, base=base, query=query, key=key, seed=seed)
                st.markdown(text("layouts", found))
                for column, layout in zip(st.columns(2), rotary.LAYOUTS, strict=True):
                    matrix = picture(rope.rotation_matrix, head_dim=head_dim, base=base, query=query, layout=layout)
                    with column:
                        st.markdown(text(layout, matrix.facts))
                        matrix.chart(f"rope_{layout}", text("layouts-alternative", matrix.facts), height=320)
                st.markdown(text("layouts-measured", found))
                show_source(rope.rotation_matrix, rotary.rotate, rotation.half_order)
            case "Derivation":
                step = step_of(rope.DERIVATION)
                found = facts_of(rope.derivation, head_dim=head_dim, base=base, query=query, key=key, seed=seed)
                st.markdown(text(f"step rope {step}", found))
                if step == 1:
                    goal = picture(rope.goal, head_dim=head_dim, base=base, seed=seed)
                    goal.chart("rope_goal", text("goal-alternative", goal.facts), height=340)
                if step == 7:
                    matrix = picture(
                        rope.rotation_matrix, head_dim=head_dim, base=base, query=query, layout="interleaved"
                    )
                    matrix.chart("rope_blocks", text("layouts-alternative", matrix.facts), height=320)
                show_source(rope.derivation, rotation.complex_form, rotation.matrix, rotation.pair_scores)
            case "One dial, then eight":
                step = step_of(rope.DIALS)
                pair = facts_of(rope.one_pair, head_dim=head_dim, base=base, query=query, key=key, seed=seed)
                at, to, by = {1: (0, 0, 0), 2: (query, key, 0)}.get(step, (query, key, rope.FAR))  # places of the dials
                make = rope.dials if step == 4 else rope.one_dial
                dial = picture(make, head_dim=head_dim, base=base, query=at, key=to, shift=by, seed=seed)
                st.markdown(text(f"step dial {step}", pair, dial.facts, {"query": query, "key": key}))
                told = "dials-alternative" if step == 4 else "dial-alternative"
                dial.chart(f"rope_dial_{step}", text(told, dial.facts), height=400 if step == 4 else 320)
                show_source(rope.one_dial, rotation.score)
            case "Four steps of attention":
                step = step_of(rope.ATTENTION)
                example = facts_of(rope.attention, base=base, seed=seed, sentence=_(rope.SENTENCE))
                st.markdown(text(f"step attention {step}", example))
                if step == 4:
                    products = picture(rope.example_scores, base=base, seed=seed)
                    products.chart("rope_example", text("example-scores-alternative", products.facts), height=300)
                show_source(rope.example, rope.example_scores, rotary.rotate_both)
            case "Line by line":
                lines = facts_of(rope.line_by_line, head_dim=head_dim, base=base, query=query, seed=seed)
                st.markdown(text("lines", lines))
                trained = facts_of(gallery.whole_texts, encodings=("none", "sinusoidal", "rope", "alibi"))
                st.markdown(text("lines-trained", trained))
                show_source(rotation.real_form, gallery.whole_texts)
            case "Exercise":
                exercise(text, "rope_guess", 0, rope.MAX_GUESS, rope.lowest_score)
                show_source(rotation.scores)


query_and_key()
mathematics(text, rope.dials, rotary.frequencies, rotary.rotate, rotation.score)
close_page(text)
