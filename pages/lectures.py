"""Lectures: those of the project, one of a file, and one that is put together from views of this app."""

from ui.chapter import draw_chapter
from ui.lecture.lectures import draw_collection, draw_own, draw_ready
from ui.parts import Heading, Own, Text, Title

draw_chapter(
    "lectures",
    Title("Lectures"),
    Text("intro"),
    Own(draw_ready, asks=False),
    Text("keys"),
    Heading("A lecture from a file"),
    Text("file"),
    Own(draw_own, asks=False),
    Heading("Your own lecture"),
    Text("own"),
    Own(draw_collection, asks=False),
)
