"""What a module hands to the browser, its script and a style if it has one, in files of its name beside it."""

import re
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_IMPORT = re.compile(r"^import .* from '\./(\w+\.js)';$", flags=re.MULTILINE)


def component(
    script: str | Path, name: str, *, html: str | None = None, isolate_styles: bool = False
) -> ComponentRenderer:
    """Return the component `name` that runs a script, here with any ending: for the `__file__` of player.py player.js.

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
