"""Who a visitor is: a random key that the browser keeps in a cookie. There are no accounts and no names.

A run belongs to the browser that has started it. The key is known to that browser and, while it is open, to the server;
what the server keeps of it is its hash, from which nobody gets the key back.
"""

import hashlib
import hmac
import os
import re
import secrets

import streamlit as st

from ui.frame.browser import component

COOKIE = "pe_visitor"
DAYS = 365  # that a browser keeps it
OPERATOR_KEY = "PE_OPERATOR_KEY"  # the environment variable; without it nobody is the operator
# Where a session keeps the key, the one that the browser is to forget, and whether it has shown the operator's.
KEY, _REPLACED, _OPERATOR = "_visitor", "_visitor_before", "_operator"
_VALID = re.compile(r"[0-9a-f]{32}")
_COMPONENT = "visitor"
_BROWSER = component(__file__, _COMPONENT)


def introduce() -> None:
    """Give the browser its key, if it has none yet."""
    if st.context.cookies.get(COOKIE) != key():
        replaces = st.session_state.get(_REPLACED, "")
        told = {"cookie": COOKIE, "key": key(), "replaces": replaces, "seconds": DAYS * 86_400}
        _BROWSER(key=_COMPONENT, data=told, on_key_change=_take)


def key() -> str:
    """Return the key of this browser: that of its cookie, or a new one."""
    if KEY not in st.session_state:
        said = str(st.context.cookies.get(COOKIE, ""))
        st.session_state[KEY] = said if _VALID.fullmatch(said) else secrets.token_hex(16)
    known: str = st.session_state[KEY]
    return known


def forget() -> None:
    """Make this browser another visitor."""
    st.session_state[_REPLACED] = key()
    st.session_state[KEY] = secrets.token_hex(16)


def owner() -> str:
    """Return whose the runs are that this session starts, as 64 hexadecimal digits that tell nothing of the key."""
    return hashlib.sha256(key().encode()).hexdigest()


def is_operator() -> bool:
    """Return whether this session has shown the operator's key."""
    return bool(st.session_state.get(_OPERATOR))


def has_operator() -> bool:
    """Return whether this server has an operator's key."""
    return bool(os.environ.get(OPERATOR_KEY))


def show_operator_key(shown: str) -> bool:
    """Take a key that somebody has typed; return whether it is the operator's."""
    known = os.environ.get(OPERATOR_KEY, "")
    is_right = bool(known) and hmac.compare_digest(shown.encode(), known.encode())
    st.session_state[_OPERATOR] = is_right
    return is_right


def _take() -> None:
    said = st.session_state[_COMPONENT].key
    if isinstance(said, str) and _VALID.fullmatch(said):
        st.session_state[KEY] = said
