"""What a module hands to the browser, its script and a style if it has one, in files of its name beside it.

On every page three of them run without the server. Every picture that has a slider of its own has play, pause and
speed; one may ask to be played once without a click, as that of Home does. It asks by a signal that is bound to a range
(`pe_core.figures.looks.motion`): Vega draws that as a slider under the picture, and player.js adds the buttons. On a
telephone a swipe up or down that begins on a slider or in a picture scrolls the page, and changes nothing; a tap on a
mark of a picture shows its numbers, until the next touch (touch.js). Every page opens at its top (paging.js).
"""

import re
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from pe_core.figures.looks.motion import AT_ONCE, FLOWING, OF_PAGE, PLAYED, POINTED
from ui.language.words import _

_IMPORT = re.compile(r"^import .* from '\./(\w+\.js)';$", flags=re.MULTILINE)


def component(
    script: str | Path, name: str, *, html: str | None = None, isolate_styles: bool = False
) -> ComponentRenderer:
    """Return the component `name` that runs a script, here with any ending: visitor.js for visitor.py.

    One without `html` only listens, and takes no room on the page. The rest is as in Streamlit.
    """
    path = Path(script)
    style = path.with_suffix(".css")
    css = style.read_text(encoding="utf-8") if style.exists() else ""
    if html is None:
        css += f".st-key-{name} {{ display: none }}\n"
    js = _script(path.with_suffix(".js"))
    return st.components.v2.component(name, html=html, css=css, js=js, isolate_styles=isolate_styles)


def _script(path: Path) -> str:
    """Return a script with what it imports from files beside it: a browser gets it as one text, and finds no others."""
    text = path.read_text(encoding="utf-8")
    return _IMPORT.sub(lambda found: _script(path.with_name(found[1])), text)


FRAME = Path(__file__).parent
_PICTURES = component(FRAME / "player", "player")
_TOUCH = component(FRAME / "touch", "touch")
_TOP = component(FRAME / "paging", "paging")
# The file with which Streamlit's page draws charts, "" where there is none of this name.
_SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
_CHARTS = next((file.name for file in _SCRIPTS.glob("ArrowVegaLiteChart.*.js")), "")


def listen(page: str) -> None:
    """Let all this run on a page, by its path; it stands before the page, and stays where it is on the next one."""
    words = {"play": "Play", "pause": "Pause", "step": "One step", "speed": "Speed", "rate": "# a second"}
    told = {
        "flowing": FLOWING,
        "atOnce": AT_ONCE,
        "ofPage": OF_PAGE,
        "played": PLAYED,
        "pointed": POINTED,
        "charts": _CHARTS,
    }
    told.update({name: _(word) for name, word in words.items()})
    _PICTURES(key="player", data=told)
    _TOUCH(key="touch")
    _TOP(key="paging", data={"page": page})
