"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

from functools import partial

import streamlit as st

from pe_core.chapters import sinusoidal as chapter
from pe_core.chapters import sinusoidal_steps as steps
from pe_core.encodings import sinusoidal
from pe_core.figures import dials, heatmap, points, waves
from pe_core.measures import channels
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import close_page, closer_look, facts_of, mathematics, open_page, set_controls
from ui.predict import predict
from ui.sinusoidal import draw_derivation, draw_use, pick_channels
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import show_source

LOOKS = {
    "See it": ("Waves", "Clock hands", "First positions", "Wavelengths", "Detail"),
    "Derive it": ("Similarity", "Shift matrix", "Derivation", "Why 10,000", "Where it comes from"),
    "Use it": ("E + P", "Worked example", "Layouts", "Exercise"),
}

text = open_page("sinusoidal", "Sinusoidal encoding")
st.markdown(text("intro"))
predict("sinusoidal")


@fragment
def table_of_waves() -> None:
    """Draw the table, and a closer look."""
    above, controls = first_screen()
    with controls:
        base, width, length, layout = row(
            chapter.BASE, chapter.WIDTH, chapter.LENGTH, chapter.LAYOUT, columns=(2, 2, 2, 4)
        )
    values = chapter.Table(length=length, width=width, base=base, layout=layout)
    table = picture(chapter.table, **values)
    with above:
        table.chart(
            "table",
            text(f"table-alternative{table.facts['empty']}", table.facts),
            height=420,
            on_select=partial(set_controls, "table", "part", chapter.look_where_dragged),
        )
    st.markdown(text("look"))
    sections = (f"facts{table.facts['empty']}", table.facts["one-position"], table.facts["odd"])
    st.text(text.paragraph(sections, table.facts).replace("\n", " "))
    speeds = facts_of(chapter.speeds, length=length, width=width, base=base)
    if speeds["speeds"]:
        st.caption(text(speeds["speeds"], speeds))

    look, place = closer_look("topic", LOOKS, text)
    with place:
        if missing := chapter.missing(look, **values):
            st.info(text(missing, table.facts))
            return
        match look:
            case "Waves":
                chosen, said = pick_channels(width, base, layout, text)
                shown = picture(chapter.waves, channels=chosen, **values)
                shown.chart("waves", text("waves-alternative", shown.facts, {"said": " ".join(said)}), height=360)
                st.text("\n".join(said))
                show_source(waves.waves, channels.channel, channels.Channel)
            case "Detail":
                asked = chapter.middle_position(length), chapter.middle_channel(width)
                middle = [0, 0]
                for number, (column, parameter) in enumerate(zip(st.columns(2), asked, strict=True)):
                    if parameter:
                        with column:
                            middle[number] = control(parameter)
                detail = picture(chapter.detail, **values, position=middle[0], channel=middle[1])
                detail.chart("table_detail", text("detail-alternative", detail.facts), height=360)
                show_source(heatmap.heatmap, heatmap.part_around)
            case "Wavelengths":
                wavelengths = picture(chapter.wavelengths, **values)
                st.markdown(text("wavelengths-measured", wavelengths.facts))
                wavelengths.chart("wavelengths", text("wavelengths-alternative", wavelengths.facts), height=340)
                st.markdown(text("wavelengths-wider", wavelengths.facts))
                show_source(points.wavelengths, sinusoidal.wavelengths, channels.unfinished)
            case "Clock hands":
                clocks = picture(chapter.clock_hands, width=width, base=base, layout=layout)
                st.markdown(text("clocks-measured", table.facts, clocks.facts))
                if clocks.facts["odd"]:
                    st.markdown(text(clocks.facts["odd"], clocks.facts))
                clocks.chart("clocks", text("clocks-alternative", table.facts, clocks.facts), height=440)
                if clocks.facts["some"]:
                    st.caption(text(clocks.facts["some"], clocks.facts))
                show_source(dials.clocks, sinusoidal.frequencies, channels.evenly)
            case "First positions":
                first = picture(chapter.first_positions, bases=chapter.FIRST_BASES)
                st.markdown(text("first-measured", first.facts))
                first.chart("first", text("first-alternative", first.facts), height=440)
                show_source(dials.circles, sinusoidal.table, channels.spread)
            case _ if look in LOOKS["Derive it"]:
                draw_derivation(look, values, text)
            case _:
                draw_use(look, values, table.facts, text)


table_of_waves()
mathematics(text, sinusoidal.frequencies, sinusoidal.table, heatmap.picture)
st.subheader(_("Write it yourself"))
st.markdown(text("write", steps.row_to_check()))
solution = st.expander(text("write-title"), icon=":material/code:", key="write_solution", on_change="rerun")
if solution.open:
    solution.markdown(text("write-solution"))
close_page("sinusoidal", text)
