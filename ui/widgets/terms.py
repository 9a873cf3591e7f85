"""The glossary: the words of the field with what they mean, one click away on every page.

The terms stand in `content/<language>/glossary.md`.
"""

import streamlit as st

from pe_core.wrapping import kept_together
from ui.language.words import _
from ui.widgets.prose import sections


def terms() -> dict[str, str]:
    """Return what each term means by its name, in the visitor's language and in the order of the file.

    A meaning that is not in English begins with its own term and a wide colon.
    """
    found = {}
    for name, text in sections("glossary").items():
        own, colon, meaning = text.partition("：")
        if not colon:
            own, meaning = name, text
        found[name if own == name else f"{own}（{name}）"] = kept_together(meaning)
    return found


def offer_glossary() -> None:
    """Draw in the sidebar what opens the list of all terms; as long as it is closed, the list is not there."""
    with st.sidebar:
        block = st.popover(_("Glossary"), icon=":material/menu_book:", key="glossary", on_change="rerun")
        if block.open:
            block.markdown("\n\n".join(f"**{name}**{_(': ')}{meaning}" for name, meaning in terms().items()))
