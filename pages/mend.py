"""Mend it: listings with one wrong line each, what they make beside what is right, and code of one's own."""

from typing import get_args

from pe_core.chapters import mend
from pe_core.encodings import alibi, rotary
from pe_core.quiz import own_code, own_table
from ui import mend as own
from ui.chapter import Live, draw_chapter
from ui.groups import Apart, Columns, FirstScreen, Group
from ui.parts import Code, Controls, Heading, Own, Picture, Text, Title

draw_chapter(
    "mend",
    Title("Mend it"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(mend.LISTING),
            picture=Columns(
                *(
                    Group(
                        Text(side, how="caption"),
                        Picture(
                            mend.table,
                            f"mend_{side}",
                            told=f"{side}-alternative",
                            height=300,
                            fixed={"side": side},
                        ),
                    )
                    for side in get_args(mend.Side)
                )
            ),
            below=True,
        ),
        Text("look"),
        Text("seen"),
        Own(own.ask_line, asks=False),
    ),
    Heading("Mistakes with an error message"),
    Own(own.write_stops, asks=False),
    Heading("Write it yourself"),
    Text("write"),
    Apart(
        Controls(mend.TASK),
        Text("write [[task]]"),
        Controls(mend.sizes),
        Own(own.check, asks=False),
    ),
    Code(rotary.rotate, alibi.bias, own_table.compared, own_code.rope_mistakes, own_code.alibi_mistakes),
)
