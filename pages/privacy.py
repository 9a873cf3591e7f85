"""Privacy: what this server keeps of a visitor, for how long, and how to remove it."""

from ui.chapter import draw_chapter
from ui.parts import Heading, Own, Text, Title
from ui.privacy import draw_kept, draw_operator, draw_own

draw_chapter(
    "privacy",
    Title("Privacy"),
    Text("intro"),
    Own(draw_kept, asks=False),
    Heading("Your runs"),
    Own(draw_own, asks=False),
    Own(draw_operator, asks=False),
)
