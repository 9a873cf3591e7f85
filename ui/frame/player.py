"""Play, pause and speed for every picture that has a slider of its own: it moves in the browser, without the server.

A picture may ask to be played once without a click, as the one of Home does.

A picture asks for it by a signal that is bound to a range (`pe_core.figures.looks.motion`): Vega draws that as a slider
under the picture, and this adds the buttons.
"""

from functools import cache
from pathlib import Path

import streamlit as st

from pe_core.figures.looks.motion import AT_ONCE, FLOWING, OF_PAGE, PLAYED, POINTED
from ui.frame.browser import component
from ui.language.words import _

_PICTURES = component(__file__, "player")


@cache
def _charts() -> str:
    """Return the file with which Streamlit's page draws charts, empty where there is none of this name."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return next((file.name for file in scripts.glob("ArrowVegaLiteChart.*.js")), "")


def play_pictures() -> None:
    """Let every picture of the page that has a slider of its own be played; it stands before the page."""
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
