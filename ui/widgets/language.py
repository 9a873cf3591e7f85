"""Which language a visitor reads: that of the link, else the one chosen before."""

import streamlit as st

from pe_core.parameters import Choice
from ui.language.words import CHOSEN, ENGLISH, LANGUAGES
from ui.widgets.link import warn_of_link

IN_LINK = Choice("lang", "Language", LANGUAGES, ENGLISH)


def settle_language() -> None:
    """Note the language of this session; the link then names it, so that who gets the link reads the same.

    A language that there is not is named in a warning.
    """
    name = IN_LINK.name
    asked = st.query_params.get(name)
    if asked in LANGUAGES:
        st.session_state[CHOSEN] = asked
    elif asked is not None:
        warn_of_link(f"{name} must be one of {', '.join(LANGUAGES)}, got {asked[:40]}", ENGLISH)
        st.query_params.pop(name)
    if CHOSEN in st.session_state:
        st.query_params[name] = st.session_state[CHOSEN]
