"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

from functools import partial
from typing import get_args

import streamlit as st

from pe_core.chapters import sinusoidal as chapter
from pe_core.chapters import sinusoidal_steps as steps
from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant
from pe_core.figures import dials, heatmap, points, waves
from pe_core.measures import channels, similarity
from pe_core.parameters import MAX_SHOWN
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.language.words import _
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page, set_controls, step_of
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.link import say_instead
from ui.widgets.prose import in_line, show_source

LOOKS = {
    "See it": ("Waves", "Clock hands", "First positions", "Wavelengths", "Detail"),
    "Derive it": ("Similarity", "Shift matrix", "Derivation", "Why 10,000", "Where it comes from"),
    "Use it": ("E + P", "Worked example", "Layouts", "Exercise"),
}

text = open_page("sinusoidal", "Sinusoidal encoding")


def pick_channels(width: int, base: float, layout: Variant) -> tuple[tuple[int, ...], list[str]]:
    """Draw the choice of columns; return them, without a choice a few of the waves, and a sentence on each."""
    offered = [str(index) for index in range(width)]
    asked = st.query_params.get_all("channels")
    if "channels" not in st.session_state and not set(asked) <= set(offered):
        unknown = [index for index in asked if index not in offered]
        say_instead(
            f"{text('waves-link', {'last': width - 1})}, got {unknown[0][:MAX_SHOWN]!r}", text("waves-placeholder")
        )
    picked = st.multiselect(
        _("Channels"),
        range(width),
        key="channels",
        max_selections=waves.MAX_WAVES,
        placeholder=text("waves-placeholder"),
        help=text("waves-help"),
        bind="query-params",
    )
    chosen = tuple(sorted(picked) or channels.first_channels(width, variant=layout))
    sentences = []
    for index in chosen:
        one = channels.channel(index, width, base, variant=layout)
        facts = {"channel": index, "wave": one.wave, "pair": one.pair, "wavelength": one.wavelength}
        sentences.append(text("waves-zero" if one.wave == "zero" else "waves-wave", facts))
    return chosen, sentences


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
    table.chart(
        "table",
        text(f"table-alternative{table.facts['empty']}", table.facts),
        height=420,
        on_select=partial(set_controls, "table", "part", chapter.look_where_dragged),
        place=above,
    )
    st.markdown(text("look"))
    sections = (f"facts{table.facts['empty']}", table.facts["one-position"], table.facts["odd"])
    st.text(text.paragraph(sections, table.facts).replace("\n", " "))
    speeds = facts_of(chapter.speeds, length=length, width=width, base=base)
    if speeds["speeds"]:
        st.caption(text(speeds["speeds"], speeds))

    with closer_look("topic", LOOKS, text) as look:
        if missing := chapter.missing(look, **values):
            st.info(text(missing, table.facts))
            return
        match look:
            case "Waves":
                chosen, said = pick_channels(width, base, layout)
                shown = picture(chapter.waves, channels=chosen, **values)
                shown.chart("waves", text("waves-alternative", shown.facts, {"said": in_line(said)}), height=420)
                st.text("\n".join(said))
                show_source(waves.waves, channels.channel, channels.Channel)
            case "Detail":
                asked = chapter.middle("position", length), chapter.middle("channel", width)
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
            case "Similarity":
                alike = picture(chapter.similarity, **values)
                alternative = text.paragraph(("similarity-alternative", alike.facts["rise"]), alike.facts)
                alike.chart("similarity", alternative, height=320)
                st.markdown(text(alike.facts["rise"], alike.facts))
                st.markdown(text(alike.facts["direction"], alike.facts))
                others = facts_of(chapter.other_tables, width=width, base=base, layout=layout)
                for column, by in zip(st.columns(2), ("bases", "widths"), strict=True):
                    with column:
                        st.markdown(text(f"similarity-{by}", alike.facts, others))
                        st.markdown(text(f"similarity-{by}-table", alike.facts, others))
                show_source(
                    waves.similarity,
                    similarity.dot_products,
                    similarity.rises,
                    similarity.neighbour_cosine,
                    similarity.direction_gap,
                )
            case "Shift matrix":
                offset = control(chapter.OFFSET)
                shift = picture(chapter.shift_matrix, offset=offset, width=width, base=base)
                shift.chart("shift", text("shift-alternative", shift.facts), height=420)
                errors = facts_of(chapter.shift_errors, offset=offset, **values)
                st.markdown(text("shift-measured", shift.facts, errors))
                if errors["harmless"]:
                    st.markdown(text(errors["harmless"], errors))
                for note in filter(None, (shift.facts["part"], errors["other-layout"])):
                    st.caption(text(note, shift.facts, errors))
                show_source(sinusoidal.shift_matrix, similarity.shift_error, similarity.plain_angle_matrix)
            case "Derivation":
                position, offset = row(steps.PLACE, chapter.OFFSET)
                step = step_of(steps.STEP)
                found = facts_of(steps.derivation, width=width, base=base, position=position, offset=offset)
                st.markdown(text(f"step sinusoid {step}", found))
                if step == 4:
                    block = picture(steps.block, offset=offset, width=width, base=base)
                    block.chart("steps_block", text("block-alternative", found, block.facts), height=260)
                if step == 5:
                    shift = picture(chapter.shift_matrix, offset=offset, width=width, base=base)
                    shift.chart("steps_shift", text("shift-alternative", shift.facts), height=380)
                if step == 7:
                    products = picture(steps.products, width=width, base=base)
                    products.chart("steps_products", text("products-alternative", found, products.facts), height=300)
                show_source(steps.derivation, sinusoidal.shift_matrix, similarity.dot_products)
            case "Why 10,000":
                by_base = picture(chapter.by_base, width=width)
                st.markdown(text("why-base", by_base.facts))
                by_base.chart("why_base", text("why-base-alternative", by_base.facts), height=340)
                show_source(chapter.by_base, chapter.alike)
            case "Where it comes from":
                st.markdown(text("taylor"))
                show_source(similarity.dot_products)
            case "E + P":
                sentence = control(steps.SENTENCE)
                for column, side in zip(st.columns(3), get_args(steps.Side), strict=True):
                    added = picture(steps.added, sentence=sentence, base=base, side=side)
                    with column:
                        st.markdown(text(f"added-{side}", added.facts))
                        added.chart(f"added_{side}", text(f"added-{side}-alternative", added.facts), height=280)
                sums = facts_of(steps.sums, sentence=sentence, base=base)
                st.markdown(text("sum-table", sums))
                st.markdown(text(sums["twice"], sums))
                show_source(steps.added, steps.embedding, sinusoidal.table)
            case "Worked example":
                position, dim = row(steps.EXAMPLE_ROW, steps.EXAMPLE_WIDTH)
                worked = facts_of(steps.worked_example, row=position, dim=dim, base=base)
                for section in ("example-steps", "example-result", "example-zero", "example-row"):
                    st.markdown(text(section, worked))
                show_source(steps.worked_example, sinusoidal.frequencies, sinusoidal.angles)
            case "Layouts":
                of_all: dict[str, object] = {}
                for column, variant in zip(st.columns(3), sinusoidal.VARIANTS, strict=True):
                    one = picture(chapter.one_layout, length=length, width=width, base=base, layout=variant)
                    of_all |= one.facts
                    with column:
                        st.markdown(text(variant))
                        one.chart(f"layout_{variant}", text("layouts-alternative", one.facts), height=300)
                st.markdown(text("layouts-table", of_all))
                st.markdown(text(of_all["norms"], of_all))
                show_source(heatmap.picture, sinusoidal.table, channels.differences)
            case "Exercise":
                first_rise = partial(chapter.first_rise, width, base, layout)
                exercise(text, "guess", 1, chapter.MAX_GUESS, first_rise, facts=table.facts)
                show_source(similarity.first_rise, similarity.dot_products)


table_of_waves()
mathematics(text, sinusoidal.frequencies, sinusoidal.table, heatmap.picture)
st.subheader(_("Write it yourself"))
st.markdown(text("write", steps.row_to_check()))
solution = st.expander(text("write-title"), icon=":material/code:", key="write_solution", on_change="rerun")
if solution.open:
    solution.markdown(text("write-solution"))
close_page(text)
