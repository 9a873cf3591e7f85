"""What only the sinusoidal page has: a choice of columns that grows with the table, and its many looks."""

from functools import partial
from typing import get_args

import streamlit as st

from pe_core.chapters import sinusoidal as chapter
from pe_core.chapters import sinusoidal_steps as steps
from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import Variant
from pe_core.figures import heatmap, waves
from pe_core.figures.figure import Facts
from pe_core.figures.waves import MAX_WAVES
from pe_core.measures import channels, similarity
from pe_core.measures.channels import channel, first_channels
from pe_core.parameters import MAX_SHOWN
from ui.language.words import _
from ui.page import exercise, facts_of, step_of
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.link import warn_of_link
from ui.widgets.prose import Text, show_source


def pick_channels(width: int, base: float, layout: Variant, text: Text) -> tuple[tuple[int, ...], list[str]]:
    """Draw the choice of columns; return them, without a choice a few of the waves, and a sentence on each."""
    offered = [str(index) for index in range(width)]
    asked = st.query_params.get_all("channels")
    if "channels" not in st.session_state and not set(asked) <= set(offered):
        unknown = [index for index in asked if index not in offered]
        warn_of_link(
            f"{text('waves-link', {'last': width - 1})}, got {unknown[0][:MAX_SHOWN]!r}",
            text("waves-placeholder"),
        )
    picked = st.multiselect(
        _("Channels"),
        range(width),
        key="channels",
        max_selections=MAX_WAVES,
        placeholder=text("waves-placeholder"),
        help=text("waves-help"),
        bind="query-params",
    )
    channels = tuple(sorted(picked) or first_channels(width, variant=layout))
    sentences = []
    for index in channels:
        one = channel(index, width, base, variant=layout)
        facts = {"channel": index, "wave": one.wave, "pair": one.pair, "wavelength": one.wavelength}
        sentences.append(text("waves-zero" if one.wave == "zero" else "waves-wave", facts))
    return channels, sentences


def draw_derivation(look: str, table: chapter.Table, text: Text) -> None:
    """Draw a closer look that derives what holds between positions."""
    width, base, layout = table["width"], table["base"], table["layout"]
    match look:
        case "Similarity":
            alike = picture(chapter.similarity, **table)
            alternative = f"{text('similarity-alternative', alike.facts)} {text(alike.facts['rise'], alike.facts)}"
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
            errors = facts_of(chapter.shift_errors, offset=offset, **table)
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


def draw_use(look: str, table: chapter.Table, facts: Facts, text: Text) -> None:
    """Draw a closer look at how a table is used; the exercise quotes the facts of the table."""
    length, width, base, layout = table["length"], table["width"], table["base"], table["layout"]
    match look:
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
            show_source(steps.steps, sinusoidal.frequencies, sinusoidal.angles)
        case "Layouts":
            found: dict[str, object] = {}  # in all layouts
            for column, variant in zip(st.columns(3), sinusoidal.VARIANTS, strict=True):
                one = picture(chapter.one_layout, length=length, width=width, base=base, layout=variant)
                found |= one.facts
                with column:
                    st.markdown(text(variant))
                    one.chart(f"layout_{variant}", text("layouts-alternative", one.facts), height=300)
            st.markdown(text("layouts-table", found))
            st.markdown(text(found["norms"], found))
            show_source(heatmap.picture, sinusoidal.table, channels.compare)
        case "Exercise":
            first_rise = partial(chapter.first_rise, width, base, layout)
            exercise(text, "guess", 1, chapter.MAX_GUESS, first_rise, facts=facts)
            show_source(similarity.first_rise, similarity.dot_products)
