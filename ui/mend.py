"""What only the page of mending has: a listing whose wrong line is asked for, and numbers that are pasted."""

from functools import partial

import streamlit as st

from pe_core.chapters import mend
from pe_core.parameters import Parameter
from pe_core.quiz import own_table
from pe_core.quiz.mending import LISTINGS
from ui.language.words import _
from ui.widgets.charts import Call, picture_of
from ui.widgets.link import literal, recall, remember
from ui.widgets.prose import Text


def ask_line(listing: str, text: Text) -> None:
    """Show a listing and ask for its wrong line; say which it is, and what mends it, after a guess."""
    # Plain: the colours of highlighted words, and of numbers beside the lines, have too little contrast.
    st.code(mend.code(listing), language=None, wrap_lines=True)
    key, offered = f"mend_{listing}_guess", LISTINGS[listing].offered
    for other in LISTINGS:
        if other != listing:
            remember(f"mend_{other}_guess", [])  # only the answer to the listing that is shown stands in the link
    recall(key, Parameter(key, text("line"), offered[0], "", choices=tuple(offered)).parse)
    guess = st.segmented_control(text("line"), offered, key=key, persist_state="session")
    remember(key, [] if guess is None else [str(guess)])
    if guess is None:
        return
    facts = mend.judged(listing, guess)
    said = text(facts["found"], facts)
    if facts["guess"] == facts["line"]:
        st.success(said)
    else:
        st.warning(said)
    st.code(str(facts["mended"]), language=None, wrap_lines=True)
    st.markdown(text(f"mended {listing}", mend.table(listing, "difference").facts))


def compare_rope(base: int, seed: int, text: Text) -> None:
    """Show the vectors of a seed, ask for them turned by RoPE, and compare what is pasted with ours."""
    st.code(mend.vectors(seed), language=None)
    _compare(partial(mend.own_rope, base=base, seed=seed), f"mend_{mend.ROPE}_pasted", text(f"paste-{mend.ROPE}"), text)


def compare_alibi(n_heads: int, text: Text) -> None:
    """Ask for the bias of ALiBi in the first of so many heads, and compare what is pasted with ours."""
    label = text(f"paste-{mend.ALIBI}", {"n_heads": n_heads})
    _compare(partial(mend.own_alibi, n_heads=n_heads), f"mend_{mend.ALIBI}_pasted", label, text)


def _compare(compare: Call, key: str, label: str, text: Text) -> None:
    """Say and draw where pasted numbers differ from ours; they are read as numbers, and nothing of them is run."""
    pasted = st.text_area(label, key=key, max_chars=own_table.MAX_CHARACTERS, persist_state="session")
    if not pasted.strip():
        return
    try:
        found = picture_of(partial(compare, numbers=own_table.numbers_in(pasted)))
    except ValueError as error:
        st.warning(_(f"This cannot be compared: {literal(_(str(error)))}."))
        return
    st.markdown(text(found.facts["own-found"], found.facts))
    for mistake in str(found.facts["mistakes"]).split():
        st.markdown(text(mistake))
    found.chart(f"{key}_difference", text("own-picture", found.facts), height=300)
