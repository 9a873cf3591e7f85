"""The catalogue: every encoding, scaling rule, mask and index remap, with its picture, its formula and its code."""

from ui.catalogue import choose, describe, draw_documents, draw_entry, draw_exercise
from ui.chapter import Live, draw_chapter
from ui.parts import Heading, Own, Text, Title

draw_chapter(
    "catalogue",
    Title("Catalogue"),
    Text("intro"),
    Own(choose),
    Own(describe, asks=False),
    Live(Own(draw_entry)),
    Heading("The mathematics"),
    Own(draw_documents, asks=False),
    Heading("Exercise"),
    Live(Own(draw_exercise, asks=False)),
)
