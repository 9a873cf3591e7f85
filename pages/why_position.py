"""Why position: attention without an encoding gives a word the same output wherever it stands."""

from pe_core.chapters import why_position
from pe_core.measures import order
from ui.chapter import Live, draw_chapter
from ui.groups import FirstScreen
from ui.parts import Code, Controls, Exercise, Heading, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "why_position",
    Title("Why position"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(why_position.SENTENCE),
            Controls(why_position.order_and_encoding),
            main=1,
            picture=Picture(why_position.changes, "order_changes", told="changes-alternative", height=340),
        ),
        Text("look"),
        Text("orders"),
        Text("[[verdict]]"),
    ),
    Text("more"),
    Live(Measured(why_position.pooled), Text("equivariant")),
    Code(order.attention, order.recurrent, order.convolution, order.change),
    Mathematics(),
    Heading("Exercise"),
    Exercise("why_guess", 0, len(why_position.ASKED), why_position.words_that_notice),
)
