"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

import streamlit as st

from pe_core.encodings import sinusoidal
from pe_core.figures.clock import clocks
from pe_core.figures.first_positions import first_positions
from pe_core.figures.heatmap import heatmap, part_around, picture
from pe_core.figures.similarity import similarity
from pe_core.figures.waves import wavelengths, waves
from pe_core.measures import channels, layouts, shift, worked
from pe_core.measures import similarity as measured
from pe_core.parameters import Parameter
from ui import sinusoidal_example as example
from ui import sinusoidal_relations as relations
from ui import sinusoidal_waves as single
from ui.controls import control
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.sinusoidal_table import Topic, choose, draw_detail, show_table
from ui.source import show_source

ensure_shell()

TOPICS = {
    "Waves": Topic("waves", single.draw_waves, (waves, channels.channel, channels.Channel)),
    "Detail": Topic("detail", draw_detail, (heatmap, part_around)),
    "Wavelengths": Topic(
        "wavelengths", single.draw_wavelengths, (wavelengths, sinusoidal.wavelengths, channels.unfinished)
    ),
    "Clock hands": Topic("clocks", single.draw_clocks, (clocks, sinusoidal.frequencies, channels.evenly)),
    "First positions": Topic("first", single.draw_first, (first_positions, sinusoidal.table, layouts.spread)),
    "Similarity": Topic(
        "similarity",
        relations.draw_similarity,
        (similarity, measured.dot_products, measured.rises, measured.neighbour_cosine, measured.direction_gap),
    ),
    "Shift matrix": Topic(
        "shift", relations.draw_shift, (sinusoidal.shift_matrix, shift.shift_error, shift.plain_angle_matrix)
    ),
    "Worked example": Topic("example", example.draw_example, (worked.steps, sinusoidal.frequencies, sinusoidal.angles)),
    "Layouts": Topic("layouts", relations.draw_layouts, (picture, sinusoidal.table, layouts.compare)),
    "Exercise": Topic("exercise", example.draw_exercise, (measured.first_rise, measured.dot_products)),
}
text = sections("sinusoidal")

st.title("Sinusoidal encoding")
write(text["intro"])
table_place = st.container()
write(text["look"])

topic = TOPICS[str(control(Parameter("topic", "Look at", "Waves", "", choices=tuple(TOPICS))))]
write(text[topic.section])
topic_place = st.container()
show_source(*topic.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(sinusoidal.frequencies, sinusoidal.table, picture)


@st.fragment
def pictures() -> None:
    """All that the four controls change, and only that: a step of a slider leaves the rest of the page as it is."""
    with table_place:
        chosen = choose(text)
        show_table(chosen, text)
    with topic_place:
        topic.draw(chosen, text)


pictures()
