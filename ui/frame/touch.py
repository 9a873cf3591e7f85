"""On a telephone, a swipe up or down that begins on a slider or in a picture scrolls the page, and changes nothing.

A tap on a mark of a picture shows its numbers, until the next touch.
"""

from ui.frame.browser import component

_TOUCH = component(__file__, "touch")


def scroll_over_controls() -> None:
    """Let a swipe up or down over a slider or a picture scroll the page; it stands before the page."""
    _TOUCH(key="touch")
