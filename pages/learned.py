"""Learned: a table of free vectors before, during and after training, and what lies past the rows that were trained."""

from pe_core.chapters import gallery, learned, learned_amounts
from pe_core.encodings.learned import rows
from pe_core.lab.inspection import amounts, learned_table
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen
from ui.parts import Controls, Exercise, Given, Heading, Link, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "learned",
    Title("Learned"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(learned.STEP),
            picture=Columns(
                Picture(learned.table, "lrn_table", told="table-alternative", height=420),
                Picture(learned.similarity, "lrn_similarity", told="similarity-alternative", height=420),
            ),
            below=True,
        ),
        Text("look"),
        Text("[[state]]"),
    ),
    Text("about"),
    Looks(
        "lrn_look",
        {
            "Past the end": Look(
                Text("[[verdict]]"),
                Picture(learned.past_end, "lrn_past_end", told="past-end-alternative", height=420),
                code=(learned.past_end, learned_table.measure),
            ),
            "One row": Look(
                Controls(learned.ROW),
                Text("row", "[[never]]", "row-waves"),
                Picture(learned.row, "lrn_row_cosines", told="row-alternative"),
                code=(learned.row, learned.cosines),
            ),
            "Lengths": Look(
                Text("lengths"),
                Picture(learned.lengths, "lrn_lengths", told="lengths-alternative"),
                code=(learned.lengths, learned.row_lengths),
            ),
            "Movement": Look(
                Text("[[verdict]]"),
                Picture(learned.movement, "lrn_movement", told="movement-alternative"),
                code=(learned.movement, learned.turned, learned.moved, learned_table.decay),
            ),
            "Data": Look(
                Given({"encodings": ("learned", "sinusoidal")}),
                Measured(gallery.whole_texts),
                Measured(learned.data),
                Text("data"),
                Text("amounts", "[[enough]]"),
                Picture(learned_amounts.by_amount, "lrn_amounts", told="amounts-alternative", height=360),
                Text("data-bert"),
                code=(learned_amounts.by_amount, amounts.train_amounts, amounts.part_of, gallery.whole_texts),
            ),
        },
    ),
    Mathematics(rows, learned_table.train_table, learned.table, learned.similarity),
    Heading("Exercise"),
    Exercise("lrn_guess", 0, learned.ASKED_LENGTH - 1, learned.row_of_a_squeezed_text),
    Measured(learned.origin),
    Text("origin"),
    Link("lab", "in-the-lab", ":material/science:", learned.in_the_lab),
)
