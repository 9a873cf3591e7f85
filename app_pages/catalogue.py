"""The catalogue: a wall of all encodings, scaling rules, masks and index remaps, then one with its formula and code."""

from functools import partial

import streamlit as st

from pe_core import standalone
from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.wrapping import kept_together
from ui.catalogue import choose, choose_values, documents, source_of
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import exercise, open_page
from ui.widgets.link import literal
from ui.widgets.prose import show_source

MAX_GUESS = 10_000_000

text = open_page("catalogue", "Catalogue", {"encodings": len(ENCODINGS)})
kind, entry = choose(text)
st.subheader(_(entry.title))
about = [_(entry.summary), text("source", {"source": source_of(entry, text)})]
if isinstance(entry, EncodingSpec):
    about.append(" ".join(text(f"hook-{hook}") for hook in entry.hooks or ("none",)))
st.markdown(kept_together("\n\n".join(about)))


@fragment
def one_entry() -> None:
    """Draw what an entry does, what the code says of it, and an exercise on it as it is shown."""
    facts = None
    values = choose_values(kind, entry)
    try:
        facts = kind.draw(entry, values, text)
    except ValueError as error:
        st.error(_(f"This cannot be shown: {literal(_(str(error)))}."))

    st.subheader(_("The mathematics"))
    maker, file = kind.maker(entry), f"{entry.key}.py"
    for paragraph in documents(maker, entry.key, map(kind.maker, kind.entries.values())):
        st.markdown(kept_together(_(paragraph)))
    show_source(*standalone.parts(maker, entry.key))
    made, told = partial(standalone.source, entry, maker), text("copy-help", {"name": file})
    st.download_button(text("copy"), made, file, "text/x-python", key="cat_copy", help=told, on_click="ignore")
    st.caption(text("wall-legend"))

    if facts is not None:
        why = {"why": text(f"exercise-{kind.name}-why", facts)}
        key, section, right = f"cat_guess_{kind.name}_{entry.key}", f"exercise-{kind.name}", facts["answer"]
        exercise(text, key, 0, MAX_GUESS, lambda guess: (guess == right, why), facts=facts, section=section)


one_entry()
