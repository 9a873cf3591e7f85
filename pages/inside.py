"""Inside: what trained models attend to, how attention spreads, and what they write past their training length."""

from pe_core.chapters import inside as chapter
from pe_core.lab.experiment.model import Heads
from pe_core.lab.inspection import inside
from ui.chapter import Look, Looks, draw_chapter
from ui.inside.attention import draw_attention, draw_entropy
from ui.inside.run import choose_run, draw_hint, draw_origin
from ui.inside.written import draw_written
from ui.parts import Exercise, Heading, Mathematics, Own, Text, Title

draw_chapter(
    "inside",
    Title("Inside"),
    Text("intro"),
    Looks(
        "ins_look",
        {
            "Attention maps": Look(
                Own(draw_attention, asks=False),
                code=(inside.attention, chapter.attention),
            ),
            "Entropy": Look(
                Own(draw_entropy, asks=False),
                code=(inside.over_positions, inside.where_asked, inside.fraction_of_even, chapter.entropy),
            ),
            "What they write": Look(
                Own(draw_written, asks=False),
                code=(inside.written, inside.answered, inside.logits),
            ),
        },
    ),
    Own(choose_run),
    Own(draw_hint, asks=False),
    Text("about"),
    Mathematics(Heads.probabilities, inside.entropies),
    Heading("Exercise"),
    Exercise("ins_guess", 0, chapter.MAX_GUESS, chapter.first_faint),
    Own(draw_origin, asks=False),
)
