"""On the page of lectures the number beside a lecture starts it."""

from ui.frame.browser import component

START = "lecture_start"  # begins the key of what surrounds the way to present a lecture; its number ends it
_NAME = "lecture_keys"
_KEYS = component(__file__, _NAME)


def listen_for_numbers() -> None:
    """Let a digit follow the link in the container of its number; it stands before them."""
    _KEYS(key=_NAME, data=START)
