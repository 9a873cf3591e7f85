"""The controls that live in a picture: where the link says that they start, and how the link hears where they stand.

A step of such a control is drawn by the browser alone. Once it rests, the browser writes it into the address, and tells
the server in one message, in a fragment of its own that draws nothing: else the next value that the server writes into
the address would take it out again. A picture may also have a control of the page itself dragged: the server then sets
that one, and draws the page anew.

Where a control of the page is played in a picture, that has all its choices, and goes through them in the browser. What
it holds is large and the same at every choice. So it is sent once: where the page's control stands is told beside it,
in a few bytes.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from pe_core.figures.looks import motion
from pe_core.figures.looks.motion import FLOWING, NOW, OF_PAGE, PLAYED, POINTED, page_controls
from pe_core.parameters import Parameter, Value
from ui.frame.browser import component
from ui.frame.turns import fragment
from ui.widgets.link import say_instead

Spec = dict[str, Any]

SHOWN = "_pictures"  # where a session keeps what the page shows
STARTS = "_starts_of_pictures"  # where a session keeps how pictures have begun, by key
_PAGE_MOVED = "_page_moved"  # where a session notes that a control of the page was dragged in a picture
_KEY = "picture_controls"
_WATCH = component(__file__, _KEY)
_FOLLOW = component(Path(__file__).with_name("played"), "played")


class _Start(NamedTuple):
    """With which spec a picture has begun, where its controls stood then, and the frame of one that is played."""

    spec: Spec
    values: Mapping[str, Value]
    now: Any


def watch_pictures() -> None:
    """Let the link hear of the controls in pictures; it stands before the page, which shows no picture yet."""
    still = st.session_state.get(SHOWN, {})
    st.session_state[STARTS] = {key: start for key, start in _starts().items() if key in still}
    st.session_state[SHOWN] = {}
    _listen()


@fragment
def _listen() -> None:
    _WATCH(key=_KEY, data={"flowing": FLOWING, "ofPage": OF_PAGE, "pointed": POINTED}, on_moved_change=_note)
    if st.session_state.pop(_PAGE_MOVED, False):
        st.rerun()  # the controls of the page stand outside of this fragment


def _note() -> None:
    """Write what has been moved into the link, or set the control of the page that it stands for.

    What no picture of the page has is passed over, and so is a value that the control may not have.
    """
    moved = st.session_state[_KEY].moved
    drawn: Mapping[str, Any] = st.session_state.get(SHOWN, {})
    known = {name for key, one in drawn.items() for name in _named(key, one.spec)}
    page = {name: control for one in drawn.values() for name, control in page_controls(one.spec).items()}
    for name, value in moved.items() if isinstance(moved, dict) else ():
        if name in known and isinstance(value, str):
            st.query_params[name] = value
        elif name in page and isinstance(value, str):
            with suppress(ValueError):
                st.session_state[page[name].name] = page[name].parse(value)
                st.session_state[_PAGE_MOVED] = True


def _starts() -> dict[str, _Start]:
    starts: dict[str, _Start] = st.session_state.setdefault(STARTS, {})
    return starts


def started(key: str, spec: Spec, frames: Mapping[str, Any]) -> tuple[Spec, Mapping[str, Any]]:
    """Return spec and frames of a picture with its controls where the link says, as they were when it was made.

    So the spec stays the same while they are moved, and so does the frame of a picture that is played. A value that is
    not allowed is named in a warning.
    """
    known, before = _named(key, spec), _starts().get(key)
    if not known and NOW not in frames:
        return spec, frames
    start = before
    if start is None or start.spec != spec:
        values = _checked(known, is_new=before is None)
        start = _starts()[key] = _Start(spec, values, before.now if before else frames.get(NOW))
    return motion.started(spec, start.values), {**frames, NOW: start.now} if NOW in frames else frames


def follow(key: str, spec: Spec, frames: Mapping[str, Any]) -> None:
    """Tell a picture that is played where the page's control stands; it is drawn beside the picture."""
    for name, control in page_controls(spec).items():
        if name.startswith(PLAYED):
            at = int(frames[NOW][control.name].iloc[0])
            _FOLLOW(key=f"played_of_{key}", data={"name": name, "at": at, "choices": list(map(str, control.choices))})


def moved(key: str, spec: Spec) -> dict[str, Value]:
    """Return where the controls of a picture stand that have been moved, by name."""
    values = {}
    for name, (control, parameter) in _named(key, spec).items():
        with suppress(ValueError, KeyError):
            values[control] = parameter.parse(st.query_params[name])
    return values


def _named(key: str, spec: Spec) -> dict[str, tuple[str, Parameter[Value]]]:
    """Return the controls of a picture, name and parameter, by their name in the link."""
    said = re.sub(r"[^\w-]", "-", key.strip(), flags=re.ASCII)  # as Streamlit makes a class of it
    found = motion.controls(spec)
    return {f"{said}_{name}": (name, replace(one, name=f"{said}_{name}")) for name, one in found.items()}


def _checked(known: Mapping[str, tuple[str, Parameter[Value]]], *, is_new: bool) -> dict[str, Value]:
    """Return the values that the link has for the controls of a picture that is made now.

    Where it was there before with another range, a value beyond the new one is brought down to its end.
    """
    values = {}
    for name, (control, parameter) in known.items():
        text = st.query_params.get(name)
        if text is None:
            continue
        try:
            values[control] = parameter.parse(text)
        except ValueError as error:
            if is_new or parameter.maximum is None:
                say_instead(str(error), str(parameter.default))
                st.query_params.pop(name, None)
            else:
                values[control] = type(parameter.default)(parameter.maximum)
                st.query_params[name] = str(values[control])
    return values
