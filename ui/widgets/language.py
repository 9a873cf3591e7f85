"""In which language a visitor reads: as the link says, else as chosen before, else as the browser is set."""

import streamlit as st

from pe_core.parameters import MAX_SHOWN, Choice
from pe_core.translation import ENGLISH, LANGUAGES, nearest
from ui.frame.browser import component
from ui.language.words import CHOSEN, language
from ui.widgets.link import say_instead

IN_LINK = Choice("lang", "Language", LANGUAGES, ENGLISH)
COOKIE = "pe_language"
DAYS = 365  # that a browser keeps the choice
_FOUND = "_language_found"  # where a session notes that the language is that of the browser: no link names it
_KEY = "language"
_STORE_KEY = "language_store"
_BROWSER = component(__file__, _STORE_KEY)


def settle_language() -> None:
    """Note the language of this session, and name it in the link if somebody chose it: who gets the link reads it too.

    A language that there is not is named in a warning.
    """
    name = IN_LINK.name
    asked = st.query_params.get(name)
    if asked in LANGUAGES:
        _choose(asked)
    elif CHOSEN not in st.session_state:
        before = str(st.context.cookies.get(COOKIE, ""))
        if before in LANGUAGES:
            _choose(before)
        else:
            st.session_state[CHOSEN], st.session_state[_FOUND] = nearest(str(st.context.locale or "")), True
    if asked is not None and asked not in LANGUAGES:
        say_instead(f"{name} must be one of {', '.join(LANGUAGES)}, got {asked[:MAX_SHOWN]}", LANGUAGES[language()])
        st.query_params.pop(name)
    if not st.session_state.get(_FOUND):
        st.query_params[name] = language()


def offer_languages() -> None:
    """Draw the choice of the language at the foot of the sidebar."""
    st.session_state[_KEY] = language()
    with st.sidebar:
        st.segmented_control(
            "Language · 语言",
            list(LANGUAGES),
            format_func=LANGUAGES.__getitem__,
            required=True,
            key=_KEY,
            on_change=_take,
            label_visibility="collapsed",
        )


def tell_language(*, kept: bool = True) -> None:
    """Tell the browser which language the page is in, and let it remember one that was chosen if it is to be kept."""
    cookie = COOKIE if kept and not st.session_state.get(_FOUND) else ""
    _BROWSER(key=_STORE_KEY, data={"cookie": cookie, "language": language(), "seconds": DAYS * 86_400})


def _take() -> None:
    chosen = st.session_state[_KEY]
    if chosen in LANGUAGES:  # a client can send anything
        _choose(chosen)
        st.query_params[IN_LINK.name] = chosen


def _choose(asked: str) -> None:
    st.session_state[CHOSEN] = asked
    st.session_state.pop(_FOUND, None)
