"""The catalogue: a wall of all encodings, scaling rules, masks and index remaps, then one with its formula and code."""

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
    Text("wall-legend", how="caption"),
    Heading("Exercise"),
    Live(Own(draw_exercise, asks=False)),
)
