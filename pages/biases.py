"""Relative biases: a number per distance that is added to the scores, and what it makes of attention."""

import streamlit as st

from pe_core.chapters import alibi_and_t5, biases
from pe_core.encodings import alibi, fire, kerple, sandwich, t5
from pe_core.measures import biases as measures
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

# The first look is one that the controls above it leave as it is: their steps redraw the curves and nothing else.
LOOKS = ("Sign slip", "Matrix", "Softmax row", "T5 buckets", "Slopes", "Key index")

text = open_page("biases", "Relative biases")


@fragment
def curves() -> None:
    """Draw the biases over the distance, and a closer look."""
    above, controls = first_screen()
    with controls:
        systems = control(biases.COMPARED)
        head, train_length = row(biases.HEAD, biases.TRAIN_LENGTH)
    model = biases.Model(head=head, train_length=train_length)
    with above:
        if systems:
            shapes = picture(biases.shapes, systems=systems, **model)
            shapes.chart("bias_shapes", text("shapes-alternative", shapes.facts))
            st.markdown(text.paragraph((shapes.facts["verdict"], shapes.facts["thinned"]), shapes.facts))
        else:
            st.markdown(text("nobody"))
    st.markdown(text("look"))
    st.markdown(text("about"))
    st.markdown(text("trained", facts_of(biases.trained_with)))

    with closer_look("bias_look", LOOKS, text) as look:
        match look:
            case "Sign slip":
                n_keys, slope = row(alibi_and_t5.ROW_LENGTH, alibi_and_t5.SLOPE)
                found = picture(alibi_and_t5.mistakes, n_keys=n_keys, slope=slope)
                st.markdown(text("mistakes", found.facts))
                found.chart("bias_slips", text("mistakes-alternative", found.facts), height=420)
                st.markdown(text("mistakes-after", found.facts))
                show_source(measures.right_row, measures.mistaken_row, measures.row_added_after)
            case "Matrix":
                system = control(biases.ONE)
                bias = picture(biases.bias_matrix, system=system, **model)
                attention = picture(biases.attention_matrix, system=system, **model)
                st.markdown(text("matrix", bias.facts, attention.facts))
                left, right = st.columns(2)
                bias.chart("bias_matrix", text("matrix-alternative", bias.facts), height=360, place=left)
                attention.chart(
                    "bias_attention",
                    text("attention-alternative", bias.facts, attention.facts),
                    height=360,
                    place=right,
                )
                show_source(measures.attention, biases.bias_matrix)
            case "Softmax row":
                n_keys, window = row(biases.N_KEYS, biases.WINDOW)
                weights = picture(biases.weights_by_distance, systems=systems, **model, n_keys=n_keys)
                spread = picture(biases.effective_keys, systems=systems, **model, n_keys=n_keys)
                st.markdown(text("row", weights.facts))
                left, right = st.columns(2)
                weights.chart("bias_weights", text("weights-alternative", weights.facts), height=400, place=left)
                spread.chart("bias_effective", text("effective-alternative", spread.facts), height=400, place=right)
                nearest = facts_of(biases.nearest, systems=systems, **model, n_keys=n_keys, window=window)
                st.markdown(text("row-table", nearest))
                show_source(biases.effective_keys, measures.effective_keys, measures.fraction_within)
            case "T5 buckets":
                n_buckets, max_distance = row(alibi_and_t5.N_BUCKETS, alibi_and_t5.MAX_DISTANCE)
                buckets = picture(
                    alibi_and_t5.buckets, n_buckets=n_buckets, max_distance=max_distance, train_length=train_length
                )
                followed = picture(
                    alibi_and_t5.followed_table,
                    n_buckets=n_buckets,
                    max_distance=max_distance,
                    train_length=train_length,
                    head=head,
                )
                st.markdown(text.paragraph(("buckets", buckets.facts["begins"]), buckets.facts))
                left, right = st.columns(2)
                buckets.chart("bias_bucket", text("buckets-alternative", buckets.facts), place=left)
                followed.chart("bias_table", text("table-alternative", buckets.facts, followed.facts), place=right)
                st.markdown(text(buckets.facts["outcome"], buckets.facts, followed.facts))
                show_source(t5.bucket, measures.met, alibi_and_t5.followed, measures.following)
            case "Slopes":
                slopes = picture(alibi_and_t5.slopes, n_heads=control(alibi_and_t5.HEADS))
                st.markdown(text(slopes.facts["verdict"], slopes.facts))
                slopes.chart("bias_slopes", text("slopes-alternative", slopes.facts))
                show_source(alibi.slopes, measures.geometric)
            case "Key index":
                n_keys, precision = row(alibi_and_t5.TEXT_LENGTH, alibi_and_t5.PRECISION)
                forms = picture(alibi_and_t5.rounded_forms, n_keys=n_keys, head=head, precision=precision)
                errors = facts_of(alibi_and_t5.form_errors, n_keys=n_keys, head=head, precision=precision)
                st.markdown(text("forms", forms.facts, errors))
                forms.chart("bias_forms", text("forms-alternative", forms.facts, errors))
                st.markdown(text("forms-table", forms.facts, errors))
                show_source(measures.forms, measures.error)


curves()
mathematics(text, alibi.bias, t5.bias, kerple.log_bias, kerple.power_bias, sandwich.bias, fire.bias, biases.shapes)
exercise(text, "bias_guess", 1, biases.MAX_GUESS, biases.first_below_a_thousandth)
close_page(text)
