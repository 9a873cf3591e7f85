"""Write your own: a formula becomes an encoding, with its picture, its row in the scorecard, and a way into the lab."""

from pe_core.chapters import own
from pe_core.encodings.own import OwnAngle, OwnBias, OwnEmbedding
from pe_core.expression import evaluate, parse
from ui.chapter import Live, draw_chapter
from ui.groups import Columns, FirstScreen
from ui.own import choose
from ui.parts import Code, Controls, Exercise, Heading, Lines, Link, Mathematics, Measured, Own, Picture, Text, Title

draw_chapter(
    "own",
    Title("Write your own"),
    Text("intro"),
    Live(
        FirstScreen(
            Own(choose),
            Controls(own.VIEW, columns=4),
            picture=Columns(
                Picture(own.values, "own_values", told="values-alternative", height=420),
                Picture(own.scores, "own_scores", told="scores-alternative", height=420),
            ),
            below=True,
        ),
        Text("read"),
        Measured(own.verdict),
        Text("verdict"),
        Lines(own.required),
        Text("row"),
        Lines(own.row),
        Text("lab"),
        Link("lab", "to-lab", ":material/science:", own.to_lab),
    ),
    Text("about"),
    Text("look"),
    Text("language"),
    Mathematics(own.values, own.met),
    Code(parse, evaluate, OwnEmbedding.embed, OwnAngle.angles, OwnBias.bias),
    Heading("Exercise"),
    Exercise("own_guess", 0, own.MAX_GUESS, own.bias_of_head),
)
