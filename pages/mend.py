"""Mend it: listings with one wrong line each, what they make beside what is right, and code of one's own."""

from typing import get_args

import streamlit as st

from pe_core.chapters import mend
from pe_core.encodings import alibi, rotary
from pe_core.quiz import own_code, own_table
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.mend import ask_line, compare_alibi, compare_rope
from ui.page import open_page, row
from ui.widgets.charts import picture
from ui.widgets.prose import show_source
from ui.widgets.tables import write_lines

text = open_page("mend", "Mend it")
st.markdown(text("intro"))


@fragment
def one_listing() -> None:
    """Draw what a listing makes beside what is right, and ask for its wrong line."""
    above, controls = first_screen(below=True)
    with controls:
        [listing] = row(mend.LISTING)
    sides = {side: picture(mend.table, listing=listing, side=side) for side in get_args(mend.Side)}
    facts = {name: fact for one in sides.values() for name, fact in one.facts.items()}
    with above:
        for column, (side, one) in zip(st.columns(len(sides)), sides.items(), strict=True):
            with column:
                st.caption(text(side, facts, one.facts))
                one.chart(f"mend_{side}", text(f"{side}-alternative", facts, one.facts), height=300)
    st.markdown(text("look"))
    st.markdown(text("seen", facts))
    ask_line(listing, text)


@fragment
def own_numbers() -> None:
    """Ask for numbers that the visitor's own code gives, and compare them with ours."""
    [task] = row(mend.TASK)
    st.markdown(text(f"write {task}"))
    sizes = row(mend.sizes(task))
    if task == mend.ROPE:
        base, seed = sizes
        compare_rope(base, seed, text)
    else:
        [n_heads] = sizes
        compare_alibi(n_heads, text)


one_listing()
st.subheader(_("Mistakes with an error message"))
write_lines(text("stops"), "stops")
st.subheader(_("Write it yourself"))
st.markdown(text("write"))
own_numbers()
show_source(rotary.rotate, alibi.bias, own_table.compared, own_code.rope_mistakes, own_code.alibi_mistakes)
