"""Requirements: what an encoding must do, and which encodings do it."""

from pe_core.chapters import requirements as chapter
from pe_core.measures import requirements as measures
from ui.chapter import Live, draw_chapter
from ui.groups import Columns, FirstScreen, Group
from ui.parts import Code, Controls, Exercise, Heading, Mathematics, Measured, Picture, Table, Text, Title

draw_chapter(
    "requirements",
    Title("What must an encoding do?"),
    Text("intro"),
    Live(
        Measured(chapter.told),
        FirstScreen(
            Controls(chapter.CHOSEN),
            picture=Columns(
                Group(
                    Text("fails"),
                    Picture(chapter.failing, "req_fails", told="fails-alternative", height=340),
                ),
                Group(
                    Text("meets"),
                    Picture(chapter.meeting, "req_meets", told="meets-alternative", height=340),
                ),
            ),
        ),
        Text("look"),
        Text("[[need]]", "[[seen]]"),
        Text("rule", "[[unjudged-section]]"),
        Code(chosen=chapter.proof),
    ),
    Heading("Which encoding meets which"),
    Table(chapter.table, stay=("Requirement",)),
    Text("table"),
    Mathematics(measures.read_out, measures.right_order, measures.relative_steps, measures.relative_cost),
    Heading("Exercise"),
    Exercise("req_guess", 0, len(chapter.COMPARED), chapter.how_many_meet_all),
)
