"""The glossary: the words of the field with what they mean, one click away on every page.

The terms stand in `content/<language>/glossary.md`.
"""

from dataclasses import dataclass
from functools import cache

import streamlit as st

from pe_core.translation import ENGLISH
from pe_core.wrapping import kept_together
from ui.language.words import _, language
from ui.widgets.prose import sections


@dataclass(frozen=True)
class Term:
    """A term, and what it means."""

    name: str
    meaning: str


def terms() -> tuple[Term, ...]:
    """Return the terms in the visitor's language, in the order of the file."""
    return _terms(language())


@cache
def _terms(language: str) -> tuple[Term, ...]:
    """Return the terms of a language. In another one than English the meaning begins with the term and a colon."""
    found = []
    for name, meaning in sections("glossary", language).items():
        if language != ENGLISH:
            own, meaning = meaning.split("：", 1)
            name = name if own == name else f"{own}（{name}）"
        found.append(Term(name, kept_together(meaning)))
    return tuple(found)


def offer_glossary() -> None:
    """Draw in the sidebar what opens the list of all terms; as long as it is closed, the list is not there."""
    with st.sidebar:
        block = st.popover(_("Glossary"), icon=":material/menu_book:", key="glossary", on_change="rerun")
        if block.open:
            block.markdown("\n\n".join(f"**{one.name}**{_(': ')}{one.meaning}" for one in terms()))
