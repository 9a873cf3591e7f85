"""What runs in the browser on every page, without the server.

Every picture that has a slider of its own has play, pause and speed; one may ask to be played once without a click, as
that of Home does. It asks by a signal that is bound to a range (`pe_core.figures.looks.motion`): Vega draws that as a
slider under the picture, and player.js adds the buttons.

On a telephone a swipe up or down that begins on a slider or in a picture scrolls the page, and changes nothing. A tap
on a mark of a picture shows its numbers, until the next touch (touch.js).

Every page opens at its top (paging.js).
"""

from functools import cache
from pathlib import Path

import streamlit as st

from pe_core.figures.looks.motion import AT_ONCE, FLOWING, OF_PAGE, PLAYED, POINTED
from ui.frame.browser import component
from ui.language.words import _

FRAME = Path(__file__).parent
_PICTURES = component(__file__, "player")
_TOUCH = component(FRAME / "touch", "touch")
_TOP = component(FRAME / "paging", "paging")


@cache
def _charts() -> str:
    """Return the file with which Streamlit's page draws charts, empty where there is none of this name."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return next((file.name for file in scripts.glob("ArrowVegaLiteChart.*.js")), "")


def listen(page: str) -> None:
    """Let all this run on a page, by its path; it stands before the page, and stays where it is on the next one."""
    words = {"play": "Play", "pause": "Pause", "step": "Step", "speed": "Speed", "rate": "# a second"}
    told = {
        "flowing": FLOWING,
        "atOnce": AT_ONCE,
        "ofPage": OF_PAGE,
        "played": PLAYED,
        "pointed": POINTED,
        "charts": _charts(),
    }
    told.update({name: _(word) for name, word in words.items()})
    _PICTURES(key="player", data=told)
    _TOUCH(key="touch")
    _TOP(key="paging", data={"page": page})
