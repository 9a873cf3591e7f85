"""Relative biases: a number per distance that is added to the scores, and what it makes of attention."""

import streamlit as st

from pe_core.chapters import bias_details as details
from pe_core.chapters import biases as pictures
from pe_core.encodings import alibi, fire, kerple, sandwich, t5
from pe_core.measures import bias_buckets, bias_forms, bias_rows
from ui import bias_attention, bias_details
from ui import biases as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

# The first look is one that the controls above it leave as it is: their steps redraw the curves and nothing else.
LOOKS = {
    "Sign slip": Look(bias_details.draw_slips, (bias_rows.right_row, bias_rows.slipped_row, bias_rows.row_added_after)),
    "Matrix": Look(bias_attention.draw_matrix, (bias_rows.attention, pictures.bias_matrix)),
    "Softmax row": Look(
        bias_attention.draw_row, (pictures.effective_keys, bias_rows.effective_keys, bias_rows.share_within)
    ),
    "T5 buckets": Look(
        bias_details.draw_buckets, (t5.bucket, bias_buckets.met, details.followed, bias_buckets.following)
    ),
    "Slopes": Look(bias_details.draw_slopes, (alibi.slopes, bias_forms.geometric)),
    "Key index": Look(bias_details.draw_forms, (bias_forms.forms, bias_forms.error)),
}
text = sections("biases")

st.title("Relative biases")
write(text["intro"])
shapes_place = st.container()
write(text["look"])

look = choose_look("bias_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(alibi.bias, t5.bias, kerple.log_bias, kerple.power_bias, sandwich.bias, fire.bias, pictures.shapes)

st.subheader("Exercise")
draw.draw_exercise(text)


@fragment
def moving() -> None:
    """All that controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with shapes_place:
        chosen = draw.choose()
        draw.draw_shapes(chosen, text)
    with look_place:
        look.draw(chosen, text)


moving()
