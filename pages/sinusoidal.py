"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

import streamlit as st

from pe_core.encodings import sinusoidal
from pe_core.figures import dials, heatmap, points, waves
from pe_core.measures import channels, layouts, shift, worked
from pe_core.measures import similarity as measured
from ui import sinusoidal_example as example
from ui import sinusoidal_relations as relations
from ui import sinusoidal_waves as single
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.sinusoidal_table import choose, draw_detail, show_table
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

TOPICS = {
    "Waves": Look(single.draw_waves, (waves.waves, channels.channel, channels.Channel)),
    "Detail": Look(draw_detail, (heatmap.heatmap, heatmap.part_around)),
    "Wavelengths": Look(single.draw_wavelengths, (points.wavelengths, sinusoidal.wavelengths, channels.unfinished)),
    "Clock hands": Look(single.draw_clocks, (dials.clocks, sinusoidal.frequencies, channels.evenly)),
    "First positions": Look(single.draw_first, (dials.circles, sinusoidal.table, layouts.spread)),
    "Similarity": Look(
        relations.draw_similarity,
        (
            waves.similarity,
            measured.dot_products,
            measured.rises,
            measured.neighbour_cosine,
            measured.direction_gap,
        ),
    ),
    "Shift matrix": Look(relations.draw_shift, (sinusoidal.shift_matrix, shift.shift_error, shift.plain_angle_matrix)),
    "Worked example": Look(example.draw_example, (worked.steps, sinusoidal.frequencies, sinusoidal.angles)),
    "Layouts": Look(relations.draw_layouts, (heatmap.picture, sinusoidal.table, layouts.compare)),
    "Exercise": Look(example.draw_exercise, (measured.first_rise, measured.dot_products)),
}
text = sections("sinusoidal")

st.title("Sinusoidal encoding")
write(text["intro"])
table_place = st.container()
write(text["look"])

topic = choose_look("topic", TOPICS)
write(text[f"topic {st.session_state['topic']}"])
topic_place = st.container()
show_source(*topic.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(sinusoidal.frequencies, sinusoidal.table, heatmap.picture)

st.subheader("Write it yourself")
example.draw_writing(text)


@fragment
def pictures() -> None:
    """All that the four controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with table_place:
        chosen = choose(text)
        show_table(chosen, text)
    with topic_place:
        topic.draw(chosen, text)


pictures()
