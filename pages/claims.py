"""Claims, checked: predict first, then the computation runs and gives the verdict."""

from pe_core.chapters import claims
from pe_core.claims import CLAIMS
from ui.chapter import Live, draw_chapter
from ui.claims import choose, draw_origin, draw_overview, go_on, settle
from ui.parts import Code, Exercise, Heading, Mathematics, Own, Text, Title

draw_chapter(
    "claims",
    Title("Claims, checked"),
    Text("intro"),
    Own(choose),
    Live(Own(settle)),
    Own(go_on),
    Own(draw_origin, asks=False),
    Code(chosen=claims.code),
    Text("about"),
    Text("look"),
    Mathematics(),
    Heading("Exercise"),
    Exercise("clm_guess", 0, len(CLAIMS), claims.true_ones, question=claims.how_many),
    Own(draw_overview),
)
