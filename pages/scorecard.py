"""Scorecard: every encoding against every criterion, each cell a measured number."""

from pe_core.chapters import scorecard
from pe_core.encodings import ENCODINGS
from ui.chapter import Live, draw_chapter
from ui.parts import Code, Controls, Exercise, Given, Heading, Measured, Own, Picture, Text, Title
from ui.scorecard import after_training, draw_table

draw_chapter(
    "scorecard",
    Title("Scorecard"),
    Text("intro"),
    Given(scorecard.size()),
    Own(draw_table, asks=False),
    Live(
        Controls(scorecard.CELL),
        Text("colours"),
        Own(after_training),
        Text("criterion", "[[better]]", "[[source]]"),
        Measured(scorecard.first_layer),
        Text("[[cell]]", "[[layers]]"),
        Picture(scorecard.ranking, "criterion_bars", told="alternative", height=scorecard.height),
        Text("best"),
        Text("table"),
        Code(chosen=scorecard.proof),
    ),
    Heading("Exercise"),
    Exercise("scorecard_guess", 0, len(ENCODINGS), scorecard.relative_and_together),
)
