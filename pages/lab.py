"""Lab: train small transformers that differ in their encoding only, and see which survive past their length."""

import streamlit as st

from pe_core.lab.experiment.evaluation import position_losses
from pe_core.lab.experiment.training import train
from ui.frame.shell import ensure_shell
from ui.gallery import draw_trained
from ui.lab import jobs as lab
from ui.lab import panel as lab_panel
from ui.lab.kept import earlier_run, kept_runs
from ui.lab.results import show_record, worst_encoding
from ui.lab.setup import choose_config, choose_dataset, choose_task
from ui.lab.table import compare_pair
from ui.widgets.prose import sections, show_source, write

ensure_shell()
text = sections("lab")
st.title("Lab")
write(text["intro"])

task, config, dataset, problem = None, None, None, ""
with st.container(border=True):
    try:
        task = choose_task(text)
        config = choose_config(task)
        dataset = choose_dataset(task, config.train_length, text)
        if dataset:
            dataset.check_length(max(config.lengths))
            problem = lab.too_much(config, dataset)
    except ValueError as error:
        problem = str(error)

    job_id = lab.current_run(text["run-gone"])
    ready = config is not None and dataset is not None and not problem
    lab_panel.buttons(config if ready else None, dataset, job_id)
    if problem:
        st.error(f"This cannot be trained: {problem}.")

if job_id:
    record = lab_panel.watch_run(job_id)
    compare_pair(record, text)
else:
    record = earlier_run(task)
    write(text["nothing-task" if task else "nothing"], {"title": record.text.name})
    show_record(record)
    if not task:
        st.subheader("Trained before, with several seeds")
        draw_trained("lab_gallery", config.encodings if config else record.config.encodings)
kept_runs(text)

st.subheader("What to look for")
write(text["look"])
write(text["look-tasks"])
write(text["look-seeds"])
with st.expander("The mathematics", icon=":material/function:"):
    write(text["mathematics"])
show_source(train, position_losses)

st.subheader("Exercise")
write(text["exercise"])
with st.expander("Answer", icon=":material/lightbulb:"):
    st.markdown(worst_encoding(record))
