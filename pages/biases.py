"""Relative biases: a number per distance that is added to the scores, and what it makes of attention."""

from pe_core.chapters import alibi_and_t5, biases
from pe_core.encodings import alibi, fire, kerple, sandwich, t5
from pe_core.measures import biases as measures
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen, Unless
from ui.parts import Controls, Exercise, Heading, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "biases",
    Title("Relative biases"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(biases.COMPARED),
            Controls(biases.MODEL),
            picture=Unless(
                biases.nobody,
                Picture(biases.shapes, "bias_shapes", told="shapes-alternative", height=biases.height),
                Text("[[verdict]]", "[[thinned]]"),
                how="markdown",
            ),
        ),
    ),
    Text("look"),
    Text("about"),
    # The first look is one that the controls above it leave as it is: their steps redraw the curves and nothing else.
    Looks(
        "bias_look",
        {
            "Sign slip": Look(
                Controls(alibi_and_t5.MISTAKES),
                Text("mistakes"),
                Picture(alibi_and_t5.mistakes, "bias_slips", told="mistakes-alternative", height=420),
                Text("mistakes-after"),
                code=(measures.right_row, measures.mistaken_row, measures.row_added_after),
            ),
            "Matrix": Look(
                Controls(biases.ONE),
                Text("matrix"),
                Columns(
                    Picture(biases.bias_matrix, "bias_matrix", told="matrix-alternative", height=360),
                    Picture(biases.attention_matrix, "bias_attention", told="attention-alternative", height=360),
                ),
                code=(measures.attention, biases.bias_matrix),
            ),
            "Softmax row": Look(
                Controls(biases.ROW),
                Text("row"),
                Columns(
                    Picture(biases.weights_by_distance, "bias_weights", told="weights-alternative", height=400),
                    Picture(biases.effective_keys, "bias_effective", told="effective-alternative", height=400),
                ),
                Measured(biases.nearest),
                Text("row-table"),
                code=(biases.effective_keys, measures.effective_keys, measures.fraction_within),
            ),
            "T5 buckets": Look(
                Controls(alibi_and_t5.BUCKETS),
                Text("buckets", "[[begins]]"),
                Columns(
                    Picture(alibi_and_t5.buckets, "bias_bucket", told="buckets-alternative"),
                    Picture(alibi_and_t5.followed_table, "bias_table", told="table-alternative"),
                ),
                Text("[[outcome]]"),
                code=(t5.bucket, measures.met, alibi_and_t5.followed, measures.following),
            ),
            "Slopes": Look(
                Controls(alibi_and_t5.HEADS),
                Text("[[verdict]]"),
                Picture(alibi_and_t5.slopes, "bias_slopes", told="slopes-alternative"),
                code=(alibi.slopes, measures.geometric),
            ),
            "Key index": Look(
                Controls(alibi_and_t5.TEXT),
                Measured(alibi_and_t5.form_errors),
                Text("forms"),
                Picture(alibi_and_t5.rounded_forms, "bias_forms", told="forms-alternative"),
                Text("forms-table"),
                code=(measures.forms, measures.error),
            ),
        },
    ),
    Mathematics(alibi.bias, t5.bias, kerple.log_bias, kerple.power_bias, sandwich.bias, fire.bias, biases.shapes),
    Heading("Exercise"),
    Exercise("bias_guess", 1, biases.MAX_GUESS, biases.first_below_a_thousandth),
)
