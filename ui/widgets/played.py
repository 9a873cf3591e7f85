"""Pictures in which a control of the page is played: they have all its choices, and go through them in the browser.

What such a picture holds is large and the same at every choice. So it is sent once: where the page's control stands is
told beside it, in a few bytes.
"""

from collections.abc import Container, Mapping
from typing import Any

import streamlit as st

from pe_core.figures.looks.motion import NOW, PLAYED, page_controls
from ui.frame.browser import component

_BEGUN = "_frames_of_played"  # where a session keeps with which choice a picture has begun, by key

_FOLLOW = component(__file__, "played")


def as_begun(key: str, frames: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the frames of a picture, of one that is played as they were when it came to the page."""
    if NOW not in frames:
        return frames
    begun: dict[str, Any] = st.session_state.setdefault(_BEGUN, {})
    return {**frames, NOW: begun.setdefault(key, frames[NOW])}


def forget_others(shown: Container[str]) -> None:
    """Forget how pictures have begun that are not `shown` any more, by key."""
    begun: dict[str, Any] = st.session_state.get(_BEGUN, {})
    st.session_state[_BEGUN] = {key: frame for key, frame in begun.items() if key in shown}


def follow(key: str, spec: Mapping[str, Any], frames: Mapping[str, Any]) -> None:
    """Tell a picture that is played where the page's control stands; it is drawn beside the picture."""
    for name, control in page_controls(spec).items():
        if name.startswith(PLAYED):
            at = int(frames[NOW][control.name].iloc[0])
            _FOLLOW(key=f"played_of_{key}", data={"name": name, "at": at, "choices": list(map(str, control.choices))})
