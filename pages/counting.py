"""Counting: the position itself as an encoding, whole or as a fraction of the sentence, and what each breaks."""

from pe_core.chapters import counting, gallery
from pe_core.encodings import index
from pe_core.measures import index as measures
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import FirstScreen
from ui.parts import Controls, Exercise, Given, Heading, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "counting",
    Title("Counting"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(counting.SENTENCES),
            picture=Picture(
                counting.number_line,
                "cnt_integer",
                told="integer-alternative",
                height=280,
                fixed={"normalise": False},
            ),
        ),
        Text("look"),
        Text("[[integer]]"),
        Text("[[normalised]]"),
        Picture(
            counting.number_line,
            "cnt_normalised",
            told="normalised-alternative",
            height=280,
            fixed={"normalise": True},
        ),
    ),
    Looks(
        "cnt_look",
        {
            "Drowning": Look(
                Controls(counting.WIDTH),
                Text("drowning"),
                Picture(counting.drowning, "cnt_drowning", told="drowning-alternative"),
                code=(counting.drowning, counting.left, measures.left_of_token),
            ),
            "LayerNorm": Look(
                Controls(counting.WIDTH),
                Text("norms"),
                Picture(counting.norms, "cnt_norms", told="norms-alternative", height=420),
                code=(counting.norms, counting.norm_changes, measures.layer_norm, measures.rms_norm),
            ),
            "Rounding": Look(
                Controls(counting.NUMBERS),
                Text("[[rounding]]"),
                Picture(counting.rounding, "cnt_rounding", told="rounding-alternative"),
                code=(counting.rounding, measures.rounded, measures.different_so_far),
            ),
            "In training": Look(
                Given({"encodings": ("none", "integer", "normalised", "sinusoidal")}),
                Measured(gallery.whole_texts),
                Text("training"),
                code=(gallery.whole_texts,),
            ),
        },
    ),
    Mathematics(index.table, counting.number_line, measures.common_values),
    Heading("Exercise"),
    Exercise("cnt_guess", 0, counting.LONG - 1, counting.word_with_the_same_index),
)
