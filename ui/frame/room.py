"""How a page uses the room of its window: little above the first picture, its controls beside or below it.

The toolbar of a picture stands below it, where nothing else is.

Streamlit does not tell the server how wide a window is, so the browser decides, by these rules alone. `first_screen`
marks what they are about.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.language.words import _

SCREEN, BELOW = "first_screen", "first_screen_below"
PICTURE, LIST, CONTROLS = "first_picture", "first_list", "first_controls"
LOOK = "closer_look"
LINES, WALL = "lines_", "cat_wall_place"
AROUND = "picture_of_"  # begins the key of what stands around a picture
COURSE_HEAD, COURSE_WORDS, COURSE_LINE = "course_head", "course_words", "course_line"

# What stands above a picture, and below it where its main control does: the rest of the window is the picture's. One
# that gets less than its own height is drawn lower; one that is put together of several views keeps its sizes.
_BESIDE, _BELOW, _NARROW, _TELEPHONE = "15rem", "22.5rem", "19rem", "24.25rem"

# A block that is there on telephones only: as long as it is closed, the first control alone is shown.
_FOLD = "<details><summary>{}</summary></details>"

_MANY = f'[class*="st-key-{LINES}"] table:has(td:nth-child(4), td:nth-child(3) > code)'

_STYLE = f"""<style>
/* Chinese type has no italics; a browser would slant it. */
.stApp {{ font-synthesis-style: none }}
/* A line may break beside a formula's box, whatever stands there; a word joiner at its ends keeps ，and （ with it. */
:not(.katex-display) > .katex > .katex-html > .base:is(:first-child, :last-child) {{ display: inline }}
:not(.katex-display) > .katex > .katex-html > .base:first-child::before,
:not(.katex-display) > .katex > .katex-html > .base:last-child::after {{ content: "\\2060" }}
/* KaTeX's boxes are lower than its signs, and Streamlit cuts at their edge: room for the signs, out of the margin. */
.stMarkdown .katex-display {{ margin-block: 0.25rem; padding-block: 0.75rem }}
/* A formula of few parts goes to the next line as a whole; a longer one may be wider than a telephone, and breaks. */
:not(.katex-display) > .katex > .katex-html:not(:has(> .base:nth-child(5))) {{ white-space: nowrap }}
.stMainBlockContainer h1 {{ padding: 0 0 0.25rem }}
/* The place of a chapter in the course stands beside its title, or below it; pictures leave it the room. */
.stMain:has(.st-key-{COURSE_HEAD}) {{ --course: 1.25rem }}
.st-key-{COURSE_LINE} .stPageLink a {{ margin: 0; padding: 0 0.25rem; min-height: 0; line-height: 1.3 }}
.st-key-{COURSE_LINE} .stElementContainer {{ margin: 0 }}
.st-key-{COURSE_LINE} .stPageLink a :is(p, span) {{ font-size: 0.875rem }}
.st-key-{COURSE_WORDS} [data-testid="stCaptionContainer"] {{ margin: 0 }}
.st-key-{COURSE_WORDS} p {{ margin: 0; line-height: 1.3 }}
.st-key-{COURSE_WORDS} p + p {{ word-break: keep-all }} /* short names, also of Chinese */
/* Over a picture, its toolbar lies on the control above as soon as the pointer comes near, and takes its clicks and
   drags. The gap between two elements is 1 rem; with as much again, there is room for it below. A picture that fills
   the screen has it inside, where Streamlit puts it. */
.stElementContainer:has(.stVegaLiteChart) {{ margin-bottom: 1rem }}
.stElementContainer:has(.stVegaLiteChart) .stElementToolbar:not(:has([aria-label^="Close fullscreen"])) {{
    top: 100%;
    height: 2rem;
    padding: 0.25rem 0 0;
}}
/* The sentence that says what is to be seen in a picture is for those who have the page read to them. */
[class*="st-key-{AROUND}"] .stText {{
    position: absolute; width: 1px; height: 1px; margin: 0;
    overflow: hidden; clip-path: inset(50%);
}}
[class*="st-key-{AROUND}"] .stText span {{ white-space: nowrap }}
.st-key-{CONTROLS} .stHorizontalBlock {{ flex-wrap: wrap }}
.st-key-{CONTROLS} .stColumn {{ min-width: 10rem }}
.st-key-{CONTROLS} .stElementContainer:has(details) {{ display: none }}
.stMain .stButtonGroup [role="radiogroup"] {{ flex-wrap: wrap }}
.st-key-{CONTROLS} summary {{ cursor: pointer; line-height: 1.75rem }}
/* A choice that is longer than its box goes on in a second line. */
.stMultiSelect [data-tag] {{ max-width: 100%; height: auto; min-height: 1.75rem }}
.stMultiSelect [data-tag] > span {{ white-space: normal }}
.stMultiSelect [data-tag] button {{ min-width: 24px; min-height: 24px; justify-content: center }}
/* Streamlit writes white on the primary colour, and that of the dark theme is pale: it also writes on the ground. So
   these words are black where the words around them are light, and white where those are dark. */
.stMultiSelect [data-tag], [data-testid="stBaseButton-primary"]:enabled {{
    color: oklch(from currentColor calc(1000 * (0.6 - l)) 0 0);
}}
.st-key-{LIST} {{ max-height: max(16rem, calc(100dvh - {_BELOW} - var(--course, 0rem))); overflow-y: auto }}
/* A slider of a picture and its buttons are rows below it, and large where a finger moves them. */
@media (pointer: coarse) {{
    .st-key-{PICTURE} .stElementContainer:has(.player):not(.stColumn *) {{ --least: 21.5rem }}
}}
@media (min-width: 768px) {{
    .stMainBlockContainer {{ padding-left: 2.5rem; padding-right: 2.5rem }}
}}
@media (min-width: 1200px) {{
    .st-key-{COURSE_HEAD} {{ flex-direction: row; align-items: center; gap: 2rem }}
    .st-key-{COURSE_HEAD} > :first-child {{ flex: 0 0 auto; width: auto; max-width: 60% }}
    .st-key-{COURSE_HEAD} > :last-child {{ flex: 1 1 0; min-width: 0 }}
    .st-key-{SCREEN} {{ flex-direction: row; align-items: flex-start; gap: 2rem }}
    .st-key-{SCREEN} > :first-child {{ flex: 1 1 0; min-width: 0 }}
    .st-key-{SCREEN} > :last-child {{ flex: 0 0 16rem; width: 16rem; min-width: 0 }}
    .st-key-{SCREEN} .st-key-{CONTROLS} .stColumn {{ flex: 1 1 100% }}
    .st-key-{SCREEN} .st-key-{PICTURE} .stElementContainer:has(.stVegaLiteChart) {{
        max-height: max(var(--least, 16rem), calc(100dvh - {_BESIDE} - var(--course, 0rem)))
    }}
    .st-key-{BELOW} .st-key-{PICTURE} .stElementContainer:has(.stVegaLiteChart) {{
        max-height: max(var(--least, 16rem), calc(100dvh - {_BELOW} - var(--course, 0rem)))
    }}
}}
@media (max-width: 1199px) {{
    .stMain:has(.st-key-{COURSE_HEAD}) {{ --course: 4.25rem }}
    /* Chart, controls, and what is said of the chart after them. */
    .st-key-{PICTURE}, [data-testid="stLayoutWrapper"]:has(> .st-key-{PICTURE}) {{ display: contents }}
    .st-key-{PICTURE} > .stElementContainer {{ order: 1 }}
}}
@media (min-width: 641px) and (max-width: 1199px) {{
    .st-key-{PICTURE} .stElementContainer:has(.stVegaLiteChart) {{
        max-height: max(var(--least, 16rem), calc(100dvh - {_NARROW} - var(--course, 0rem)))
    }}
}}
/* A space at the end of a line of code in a sentence would stand out beyond the line. */
.stMarkdown :is(p, li) > code {{ white-space: normal }}
[class*="st-key-{LINES}"] :is(th, td:not(:last-child)) {{ word-break: keep-all }}
/* The wall of the catalogue fades out at its lower edge, as long as more stands below. */
@keyframes more_below {{ from, 95% {{ mask-image: linear-gradient(#000 calc(100% - 5rem), transparent) }} }}
.st-key-{WALL} {{ animation: more_below linear both; animation-timeline: scroll(self) }}
/* An arrow below what is swiped, where no axis has its words, as long as more stands to the right; without scroll
   timelines there is none. */
@keyframes more_to_the_right {{ from, 90% {{ opacity: 1 }} }}
@media (max-width: 640px) {{
    .st-key-{PICTURE} .stHorizontalBlock::after {{
        content: "›" / "";
        position: sticky; right: 0; align-self: flex-end; flex: none; width: 2rem; margin-left: -3rem;
        border: 1px solid; border-radius: 50%; background: Canvas; color: CanvasText;
        font-size: 1.5rem; line-height: 1.75rem; text-align: center; pointer-events: none; opacity: 0;
        animation: more_to_the_right linear both; animation-timeline: scroll(inline);
    }}
    .stMain:has(.st-key-{COURSE_HEAD}) {{ --course: 7.25rem }}
    .stMainBlockContainer h1 {{ font-size: 1.5rem }}
    .stMarkdown td code {{ white-space: pre-wrap; overflow-wrap: anywhere }}
    /* Four columns, or three of code, are too many side by side: each cell is a line that begins with its head. */
    {_MANY} thead {{ display: none }}
    {_MANY}, {_MANY} :is(tbody, tr, td) {{ display: block; text-align: left !important }}
    {_MANY} td:not(:first-child) {{ border-top: none }}
    {_MANY} td:not(:last-child) {{ border-bottom: none }}
    {_MANY} td::before {{ content: var(--head); margin-inline-end: 0.75rem; opacity: 0.75 }}
    .stMarkdown :is(th, td) {{ padding-inline: 0.125rem; font-size: 0.8125rem }}
    .stMarkdown td:first-child {{ word-break: keep-all }}
    [class*="st-key-{LINES}"] :is(th, td) {{ padding-inline: 0.25rem }}
    [class*="st-key-{LINES}"] td:first-child {{ overflow-wrap: anywhere }} /* so that values are whole */
    .st-key-{PICTURE} .stElementContainer:has(.stVegaLiteChart) {{
        max-height: max(var(--least, 16rem), calc(100dvh - {_TELEPHONE} - var(--course, 0rem) - var(--choices, 0rem)))
    }}
    /* Pictures side by side stay so, and are swiped. Their toolbars hang below them: without room there, the row would
       scroll up and down too, and keep the page from doing so. */
    .st-key-{PICTURE} .stHorizontalBlock {{
        flex-wrap: nowrap; overflow: auto hidden; scroll-snap-type: x proximity;
        padding-bottom: 1.25rem; margin-bottom: -1.25rem;
    }}
    .st-key-{PICTURE} .stHorizontalBlock .stVegaLiteChart :is(svg, canvas) {{
        touch-action: pan-x pan-y pinch-zoom !important /* a picture that stands alone keeps what goes sideways */
    }}
    .st-key-{PICTURE} .stColumn {{ flex: 0 0 92%; min-width: 92%; scroll-snap-align: start }}
    /* Three rows of choices, for which the picture leaves room; half of a fourth one is seen: the box scrolls. */
    .stMain:has(.st-key-{CONTROLS} [data-tag]:nth-child(4)) {{ --choices: 2.5rem }}
    .st-key-{CONTROLS} [data-testid="stMultiSelectTagsContainer"] {{ max-height: 7.25rem; overflow-y: auto }}
    .st-key-{CONTROLS}:has(.stColumn:nth-child(2), > :nth-child(3)) .stElementContainer:has(details) {{
        display: block
    }}
    .st-key-{CONTROLS}:has(details:not([open])) > :nth-child(n + 3),
    .st-key-{CONTROLS}:has(details:not([open])) .stColumn:nth-child(n + 2) {{ display: none }}
}}
</style>"""


def first_screen(*, below: bool = False, rows: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw the places of a page's first picture and of the controls that change it, and return both; once a page.

    Wide windows have the controls beside the picture, or `below` it. A picture of many `rows` keeps its height, and is
    scrolled where it has not the room.
    """
    with st.container(key=BELOW if below else SCREEN):
        picture, controls = st.container(key=LIST if rows else PICTURE), st.container(key=CONTROLS)
    controls.html(_FOLD.format(_("More controls")))
    return picture, controls


def use_room() -> None:
    """Lay pages out so that the first picture and its main control stand on the first screen."""
    st.html(_STYLE)
