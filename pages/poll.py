"""The room answers: a question on the wall, and votes from telephones."""

from pe_core.chapters import predictions
from ui.chapter import draw_chapter
from ui.parts import Code, Controls, Own, Text, Title
from ui.poll import wall

draw_chapter(
    "poll",
    Title("The room answers"),
    Controls(predictions.QUESTION),
    Own(wall.draw),
    Text("intro"),
    Text("how"),
    Code(*(one.answer for one in predictions.QUESTIONS.values())),
)
