"""Self-test: questions with fresh numbers, the questions of an interview, and a check of a table of one's own."""

from pe_core.chapters import selftest
from pe_core.quiz import own_table
from ui.chapter import draw_chapter
from ui.groups import Apart
from ui.parts import Code, Controls, Heading, Own, Text, Title
from ui.selftest import ask, check_table, choose, draw_interview

draw_chapter(
    "selftest",
    Title("Self-test"),
    Text("intro"),
    Own(choose),
    Apart(Own(ask)),
    Code(chosen=selftest.code),
    Heading("The interview"),
    Text("interview"),
    Own(draw_interview),
    Heading("Write it yourself"),
    Text("write"),
    Apart(Controls(selftest.TABLE), Controls(selftest.SIZE), Own(check_table)),
    Text("write-look"),
    Code(own_table.right, own_table.mistakes, own_table.checked),
)
