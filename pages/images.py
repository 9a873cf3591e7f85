"""Images and video: what an encoding knows of rows and columns, and how M-RoPE numbers text, images and videos."""

from functools import partial

import streamlit as st

from pe_core.chapters import images
from pe_core.encodings import mrope, rope_2d, sincos_2d
from pe_core.measures import patches, sequence
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, mathematics, open_page, set_controls, some_of
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

LOOKS = ("Channels", "Pairs by axis", "Ids of a sequence", "Scores in a sequence", "Larger images")

text = open_page("images", "Images and video")


@fragment
def patches_and_sequences() -> None:
    """Draw how alike patches are, and a closer look."""
    above, controls = first_screen(below=True)
    with controls:
        encodings = some_of(images.ENCODINGS, "encodings", text)
        n_rows, n_columns, degrees = row(images.N_ROWS, images.N_COLUMNS, images.DEGREES)
        y, x, bases = row(*images.place(n_rows, n_columns), images.BASES)
    maps = picture(
        images.distance_maps,
        encodings=encodings,
        n_rows=n_rows,
        n_columns=n_columns,
        degrees=degrees,
        row=y,
        column=x,
        bases=bases,
    )
    maps.chart(
        "img_maps",
        text("maps-alternative", maps.facts),
        on_select=partial(set_controls, "img_maps", images.CLICKED, partial(images.clicked, n_rows, n_columns)),
        place=above,
    )
    st.markdown(text("look"))
    st.markdown(text("neighbours", maps.facts))
    st.markdown(text("about"))

    with closer_look("img_look", LOOKS, text) as look:
        match look:
            case "Channels":
                encoding = control(images.ADDED)
                channels = picture(
                    images.channel_maps, encoding=encoding, n_rows=n_rows, n_columns=n_columns, bases=bases
                )
                st.markdown(text("channels", channels.facts))
                channels.chart("img_channels", text("channels-alternative", channels.facts), height=420)
                show_source(sincos_2d.mae_table, sincos_2d.detr_table, images.channel_maps)
            case "Pairs by axis":
                head_dim, base = row(images.HEAD_DIM, images.BASE)
                pairs = picture(images.pair_axes, head_dim=head_dim, base=base)
                st.markdown(text("pairs", pairs.facts))
                pairs.chart("img_pairs", text("pairs-alternative", pairs.facts))
                show_source(mrope.sections, images.allocations)
            case "Ids of a sequence":
                parts = control(images.PARTS)
                ids = picture(images.sequence_ids, parts=parts)
                ids.chart("img_ids", text("ids-alternative", ids.facts))
                st.markdown(text("ids", ids.facts))
                st.markdown(text("ids-table", ids.facts))
                show_source(mrope.position_ids, sequence.parse, images.sequence_ids)
            case "Scores in a sequence":
                parts = control(images.PARTS)
                token, head_dim, base = row(images.token_of(parts), images.HEAD_DIM, images.BASE)
                scores = picture(images.score_maps, parts=parts, token=token, head_dim=head_dim, base=base)
                scores.chart("img_scores", text("scores-alternative", scores.facts))
                st.markdown(text("scores", scores.facts))
                st.markdown(text("falls", scores.facts))
                show_source(mrope.rotate, sequence.scores, images.score_maps)
            case "Larger images":
                trained, side = row(images.TRAINED, images.SIDE)
                resized = picture(images.resized, trained=trained, side=side)
                resized.chart("img_resized", text("resizing-alternative", resized.facts), height=240)
                st.markdown(text("resizing", resized.facts))
                show_source(images.coordinates)


patches_and_sequences()
mathematics(text, patches.similarity, rope_2d.axial_frequencies, rope_2d.mixed_frequencies, images.distance_maps)
exercise(text, "img_guess", 0, 999, images.id_after_image)
close_page(text)
