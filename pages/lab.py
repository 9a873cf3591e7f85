"""Lab: train small transformers that differ in their encoding only, and see which survive past their length."""

import streamlit as st

from pe_core.chapters.lab import worst
from pe_core.lab.experiment.evaluation import answers
from pe_core.lab.experiment.training import train
from ui.frame.shell import ensure_shell
from ui.lab import jobs as lab
from ui.lab import panel as lab_panel
from ui.lab.kept import kept_runs
from ui.lab.results import compare_pair, draw_trained, show_answer, show_details, show_training
from ui.lab.setup import (
    brought_along,
    choose_dataset,
    choose_encodings,
    choose_run,
    choose_task,
    draw_experiments,
    follow_experiment,
    waits_for_text,
)
from ui.language.words import _
from ui.widgets.link import warnings_in
from ui.widgets.prose import Text, show_source

ensure_shell()
text = Text("lab")
st.title(text("question"), anchor=False)
notes = st.container()
with st.container(key="lab_screen"):  # a telephone has what length does first, then how it was trained
    controls, curves = st.columns([2, 3], gap="medium")
links = st.container()
more = st.expander(text("more"), icon=":material/tune:", key="lab_more")

with warnings_in(notes):
    with notes:
        follow_experiment()
        current = lab.current_run(text("run-gone"))
    with links:
        draw_experiments()
    with controls:
        encodings = choose_encodings()
        own_text = st.container()  # not among the settings that are folded: who brings a text sees where it goes
        buttons, said = st.container(), st.empty()
    learned = curves.empty()
    with more:
        task = choose_task(text)
        settings = st.container()
        dataset, problem = choose_dataset(task, text, own_text)
    if dataset:
        learned.caption(_(task.summary) if task else text("learned", {"name": dataset.name}))
    with settings:
        chosen = choose_run(task, encodings, dataset, problem, current, said, text)

run, shown, repeats = chosen.run, chosen.job_id, chosen.repeats
asked = st.session_state.get(lab_panel.TRAIN, False)  # what was typed last comes with the same click
if asked and run:
    lab.start(*run, again=repeats)
    with notes:
        shown, repeats = lab.current_run(text("run-gone")), False
    if lab.is_live(shown):
        said.empty()
record = lab.job_manager().snapshot(shown).record if shown else brought_along(task, chosen.config)
with buttons:
    lived = lab_panel.buttons(
        enabled=run is not None or waits_for_text(),
        job_id=shown,
        label=text("again") if shown and repeats and lab.is_from_before(shown) else text("train"),
        note=text("not-yours"),
    )
    if asked and not run and not chosen.problem:
        st.error(text("no-text"))
with controls:
    if shown:
        lab_panel.watch(shown, lab_panel.show_progress, lived=lived)
    else:
        show_training(record)
with curves:
    if shown:
        lab_panel.watch(shown, lambda snapshot: show_answer(snapshot.record), lived=lived, every=lab_panel.RARELY)
    else:
        show_answer(record)

st.markdown(text("intro"))
if shown:
    lab_panel.watch(shown, lambda snapshot: show_details(snapshot.record), lived=lived, every=lab_panel.RARELY)
    compare_pair(record, text)
else:
    show_details(record)
    if not task:
        st.subheader(_("Trained before, with several seeds"))
        draw_trained("lab_gallery", encodings or record.config.encodings)
kept_runs(text)

st.subheader(_("What to look for"))
st.markdown(text("about"))
st.markdown(text("about-tasks"))
st.markdown(text("about-seeds"))
with st.expander(_("The mathematics"), icon=":material/function:"):
    st.markdown(text("mathematics"))
show_source(train, answers)

st.subheader(_("Exercise"))
st.markdown(text("exercise"))
with st.expander(_("Answer"), icon=":material/lightbulb:"):
    answer = worst(record)
    st.markdown(text(answer["section"], answer))
