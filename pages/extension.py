"""Context extension: what each rule does to the pairs of RoPE so that a longer text fits."""

import streamlit as st

from pe_core.chapters import extension
from pe_core.lab.experiment.run import measure
from pe_core.measures.rotation import first_negative, interpolated, turned_through
from pe_core.measures.similarity import dot_products
from pe_core.rope_scaling import SCALINGS
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page, predict, some_of
from ui.widgets.charts import picture
from ui.widgets.controls import row
from ui.widgets.prose import show_source

LOOKS = {
    "What rules do": ("Slowdown", "Wavelengths", "Ramp", "Kernel"),
    "What it is for": ("Trained model", "Why longer", "Base bound", "Exercise"),
}

text = open_page("extension", "Context extension", begins=False)


@fragment
def rules_of_extension() -> None:
    """Draw how much each rule slows the pairs, and a closer look."""
    intro = st.empty()  # it quotes the lengths that are chosen below
    predict(text)
    above, controls = first_screen()
    with controls:
        factor, train_length, head_dim, base = row(
            extension.FACTOR, extension.TRAIN_LENGTH, extension.HEAD_DIM, extension.BASE
        )
        rules = some_of(extension.RULES, "rules", text)
    model = extension.Model(factor=factor, train_length=train_length, head_dim=head_dim, base=base)
    lengths = facts_of(extension.lengths, rules=rules, factor=factor, train_length=train_length, head_dim=head_dim)
    trained = facts_of(extension.trained, rules=rules, factor=factor)
    intro.markdown(text.paragraph((lengths["intro"], trained["tried"]), lengths, trained))
    angles = picture(extension.new_angles, rules=rules, **model)
    angles.chart("ext_angles", text("angles-alternative", angles.facts), place=above)
    st.markdown(text(angles.facts["outcome"], angles.facts))
    st.markdown(text("look", angles.facts))
    st.markdown(text("about", lengths))
    show_source(extension.new_angles, turned_through, *extension.functions(rules))

    with closer_look("ext_look", LOOKS, text) as look:
        match look:
            case "Slowdown":
                slowing = picture(extension.slowdown, rules=rules, **model)
                st.markdown(text("slowing", slowing.facts))
                slowing.chart("ext_slowing", text("slowing-alternative", slowing.facts), height=360)
                if slowing.facts["temperature"]:
                    st.markdown(text("temperature", slowing.facts))
                show_source(extension.slowdown, *extension.functions(rules))
            case "Wavelengths":
                waves = picture(extension.wavelengths, rules=rules, **model)
                st.markdown(text("wavelengths", lengths, waves.facts))
                waves.chart("ext_waves", text("wavelengths-alternative", lengths, waves.facts), height=400)
                show_source(extension.wavelengths)
            case "Ramp":
                ramp = picture(extension.ramp, rules=rules, **model)
                st.markdown(text(ramp.facts["ramp"], lengths, ramp.facts))
                ramp.chart("ext_ramp", text("ramp-alternative", lengths, ramp.facts), height=360)
                show_source(extension.ramp, interpolated)
            case "Kernel":
                kernel = picture(extension.kernel, rules=rules, **model)
                st.markdown(text("kernel", lengths, kernel.facts))
                if kernel.facts["mean"]:
                    st.caption(text("kernel-mean", kernel.facts))
                kernel.chart("ext_kernel", text("kernel-alternative", lengths, kernel.facts), height=400)
                show_source(extension.kernel, dot_products, first_negative)
            case "Base bound":
                bound = picture(extension.base_bound, factor=factor, train_length=train_length, head_dim=head_dim)
                st.markdown(text.paragraph(("bound", bound.facts["enough"]), lengths, bound.facts))
                bound.chart("ext_bound", text("bound-alternative", lengths, bound.facts), height=400)
                show_source(extension.base_bound, first_negative)
            case "Trained model":
                losses = picture(extension.losses_by_length, rules=rules)
                st.markdown(text("trained", trained, losses.facts))
                losses.chart("ext_trained", text("trained-alternative", trained, losses.facts), height=420)
                st.page_link(
                    "pages/lab.py",
                    label=text("trained-link"),
                    icon=":material/science:",
                    query_params={"encodings": [extension.ENCODING], "repairs": [*rules, *extension.BESIDE]},
                )
                show_source(extension.losses_by_length, measure)
            case "Why longer":
                st.markdown(text("memory", facts_of(extension.memory, factor=factor, train_length=train_length)))
                show_source(extension.memory)
            case "Exercise":
                exercise(text, "ext_guess", 1, 100, extension.slower_pair)
                show_source(SCALINGS["ntk"].rule)


rules_of_extension()
mathematics(text)
close_page(text)
