"""The window of the lecturer's notes: it follows the window that presents, in the browser and without the server."""

from collections.abc import Mapping
from typing import Any

from ui.frame.browser import component

_NOTES_KEY = "lecture_notes"
_NOTES_WINDOW = component(__file__, _NOTES_KEY, html='<div class="lecture lecture-notes"></div>')


def draw_notes(told: Mapping[str, Any]) -> None:
    """Draw the notes of the scene that another window of this browser presents."""
    _NOTES_WINDOW(key=_NOTES_KEY, data=told)
