"""What a presented page looks like: the sentence above, the picture in the rest of the window, large type.

Streamlit measures in rem, so the size of a rem is the size of everything. In a window of 1,920 pixels its smallest
words, of 0.875 rem, have 24 pixels. The sizes within pictures are those of `ui/frame/hall.py`.
"""

import re
from collections.abc import Sequence

from ui.frame.room import BELOW, CONTROLS, LIST, LOOK, PICTURE, SCREEN
from ui.lecture.scenes import MAX_CONTROLS

_KEY = re.compile(r"[^\w-]", flags=re.ASCII)

STYLE = f"""
html {{ font-size: clamp(18px, 1.4324vw, 36px) !important }}
.stAppHeader, .stSidebar, [data-testid="stStatusWidget"] {{ display: none !important }}
.stMainBlockContainer {{ padding: 0.5rem 1.5rem 2.5rem !important }}
.stMainBlockContainer .stVerticalBlock {{ gap: 0.5rem }}
.stMain {{ overflow: hidden auto }}
.stMain :is(.stHeading, .stExpander, .stPageLink, .stText, .stMetric),
.stMain .stElementContainer:has(> .stMarkdown),
.stMain .stElementContainer:has(> :is(.stHeading, .stExpander, .stPageLink, .stText)),
.stMain .st-key-{CONTROLS} .stElementContainer:has(details) {{ display: none !important }}
.stMain .stElementContainer[class*="st-key-"]:not(:has(.stDataFrame, .stVegaLiteChart, .lecture)) {{ display: none }}
.stMain .st-key-{SCREEN}, .stMain .st-key-{BELOW} {{ flex-direction: column !important; gap: 0 !important }}
.stMain :is(.st-key-{SCREEN}, .st-key-{BELOW}) > * {{ width: 100% !important; flex: 0 0 auto !important }}
.stMain .st-key-{CONTROLS} .stHorizontalBlock {{ flex-wrap: nowrap !important }}
.stMain .st-key-{CONTROLS} .stColumn {{ min-width: 0 !important; flex: 1 1 0 !important }}
.stMain .stElementContainer:has(.stVegaLiteChart):not(.st-key-{LIST} *) {{
    margin-bottom: 0 !important;
    flex: none !important;
    height: max(12rem, calc(100dvh - var(--lecture-top, 5rem) - var(--lecture-controls, 0rem) - 2rem)) !important;
    max-height: none !important;
}}
.stMain .st-key-{PICTURE} .stHorizontalBlock {{ flex-wrap: nowrap !important }}
.stMain .st-key-{PICTURE} .stColumn {{ min-width: 0 !important; flex: 1 1 0 !important }}
.stElementToolbar {{ display: none !important }}
.vega-bind, .vega-bind * {{ font-size: 0.9rem !important }}
#vg-tooltip-element, #vg-tooltip-element * {{ font-size: 0.9rem !important }}
"""


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
