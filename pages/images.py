"""Images and video: what an encoding knows of rows and columns, and how M-RoPE numbers text, images and videos."""

import streamlit as st

from pe_core.chapters import images as pictures
from pe_core.encodings import mrope, rope_2d, sincos_2d
from pe_core.measures import patches, sequence
from ui import image_sequence
from ui import images as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Channels": Look(draw.draw_channels, (sincos_2d.mae_table, sincos_2d.detr_table, pictures.channel_maps)),
    "Pairs by axis": Look(draw.draw_pairs, (mrope.sections, pictures.allocations)),
    "Ids of a sequence": Look(image_sequence.draw_ids, (mrope.position_ids, sequence.parse, pictures.sequence_ids)),
    "Scores in a sequence": Look(image_sequence.draw_scores, (mrope.rotate, sequence.scores, pictures.score_maps)),
    "Larger images": Look(draw.draw_resizing, (pictures.coordinates,)),
}
text = sections("images")

st.title("Images and video")
write(text["intro"])
encodings = draw.choose_encodings(text)
maps_place = st.container()
write(text["look"])

look = choose_look("img_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(patches.similarity, rope_2d.axial_frequencies, rope_2d.mixed_frequencies, pictures.distance_maps)

st.subheader("Exercise")
image_sequence.draw_exercise(text)


@fragment
def shown() -> None:
    """All that the controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with maps_place:
        chosen = draw.choose(encodings)
        draw.draw_maps(chosen, text)
    with look_place:
        look.draw(chosen, text)


shown()
