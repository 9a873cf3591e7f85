"""What a presented page looks like (look.css), and which of its controls are seen."""

import re
from collections.abc import Sequence
from pathlib import Path

from ui.frame.room import BELOW, CONTROLS, LOOK, SCREEN
from ui.lecture.scenes import MAX_CONTROLS

_KEY = re.compile(r"[^\w-]", flags=re.ASCII)

STYLE = Path(__file__).with_name("look.css")


def view_style(*, closer_look: bool) -> str:
    """Return the style that shows the picture of the closer look, or else that of the first screen if there is one."""
    first, chart = f".st-key-{SCREEN}, .st-key-{BELOW}", ".stElementContainer:has(.stVegaLiteChart)"
    if closer_look:
        return f".stMain {chart}:not(.st-key-{LOOK} *) {{ display: none }}"
    return f".stMain:has({first}) {chart}:not(:is({first}) *) {{ display: none }}"


# The first control of a page, after the block that folds the others on a telephone.
_FIRST = [
    f".st-key-{CONTROLS} > .stElementContainer:nth-child(2)",
    f".st-key-{CONTROLS} > :nth-child(2) .stColumn:first-child .stElementContainer:first-child",
]


def controls_style(names: Sequence[str]) -> str:
    """Return the style that shows the first controls of these names, without names the first one of the first screen.

    It leaves room for them.
    """
    shown = [f'.stElementContainer[class*="st-key-{_KEY.sub("-", name)}"]' for name in names[:MAX_CONTROLS]] or _FIRST
    seen = ", ".join([*shown, ".stVegaLiteChart", ".stDataFrame", ".lecture"])
    return f"""
.stMain :is({", ".join(shown)}) {{ display: flex !important }}
.stMain :is({", ".join(shown)}) > .stSelectbox {{ width: min(36rem, 100%) }}
.stMain .stColumn:not(:has({seen})) {{ display: none }}
:root {{ --lecture-controls: 4.5rem }}
"""
