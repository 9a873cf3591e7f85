"""Mend it: listings with one wrong line each, what they make beside what is right, and code of one's own."""

from functools import partial

import streamlit as st

from pe_core.chapters import mend
from pe_core.encodings import alibi, rotary
from pe_core.parameters import Parameter
from pe_core.quiz import own_table
from pe_core.quiz.mending import LISTINGS
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import draw_difference, open_page, pasted_numbers
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.link import recall, remember
from ui.widgets.prose import show_source
from ui.widgets.tables import write_lines

SIDES: tuple[mend.Side, ...] = ("wrong", "right")

text = open_page("mend", "Mend it")


@fragment
def one_listing() -> None:
    """Draw a listing beside where its result is wrong, and ask for its wrong line; below are both results."""
    listing = control(mend.LISTING)
    seen, asked = st.columns([1, 2], gap="medium")
    with seen:
        difference = picture(mend.table, listing=listing, side="difference")
        difference.chart("mend_difference", text("difference-alternative", difference.facts), height=300)
    with asked:
        guess = ask_line(listing)
    if guess is not None:
        judge_line(listing, guess)
    st.markdown(text("look"))
    st.markdown(text("seen", difference.facts))
    for column, side in zip(st.columns(2), SIDES, strict=True):
        with column:
            one = picture(mend.table, listing=listing, side=side)
            st.caption(text(side))
            one.chart(f"mend_{side}", text(f"{side}-alternative", one.facts), height=300)


def ask_line(listing: str) -> int | None:
    """Show a listing and ask for its wrong line; return the guess, None before there is one."""
    # Plain: the colours of highlighted words, and of numbers beside the lines, have too little contrast.
    st.code(mend.code(listing), language=None, wrap_lines=True)
    key, offered = f"mend_{listing}_guess", LISTINGS[listing].offered
    for other in LISTINGS:
        if other != listing:
            remember(f"mend_{other}_guess", [])  # only the answer to the listing that is shown stands in the link
    recall(key, Parameter(key, text("line"), offered[0], "", choices=tuple(offered)).parse)
    guess: int | None = st.segmented_control(text("line"), offered, key=key, persist_state="session")
    remember(key, [] if guess is None else [str(guess)])
    return guess


def judge_line(listing: str, guess: int) -> None:
    """Say whether a guess is the wrong line, which it is, and what mends it."""
    facts = mend.judged(listing, guess)
    show = st.success if facts["guess"] == facts["line"] else st.warning
    show(text(facts["found"], facts))
    st.code(str(facts["mended"]), language=None, wrap_lines=True)
    st.markdown(text(f"mended {listing}", mend.table(listing, "difference").facts))


@fragment
def own_numbers() -> None:
    """Ask for numbers that the visitor's own code gives, and compare them with ours."""
    task = control(mend.TASK)
    st.markdown(text(f"write {task}"))
    key = f"mend_{task}_pasted"
    if task == mend.ROPE:
        base, seed = row(mend.BASE, mend.SEED)
        st.code(mend.vectors(seed), language=None)
        found = pasted_numbers(text("paste-rope"), key, partial(mend.own_rope, base=base, seed=seed))
    else:
        n_heads = control(mend.N_HEADS)
        label = text("paste-alibi", {"n_heads": n_heads})
        found = pasted_numbers(label, key, partial(mend.own_alibi, n_heads=n_heads))
    draw_difference(found, f"{key}_difference", text, 300)


one_listing()
st.subheader(_("Mistakes with an error message"))
write_lines(text("stops"), "stops")
st.subheader(_("Write it yourself"))
st.markdown(text("write"))
own_numbers()
show_source(rotary.rotate, alibi.bias, own_table.compared, own_table.rope_mistakes, own_table.alibi_mistakes)
