"""Lab: train small transformers that differ in their encoding only, and see which survive past their length."""

import streamlit as st

from pe_core.lab.evaluation import position_losses
from pe_core.lab.training import train
from ui import lab, lab_panel
from ui.earlier import earlier_run
from ui.lab_runs import kept_runs
from ui.lab_setup import choose_config, choose_corpus
from ui.prose import sections, write
from ui.shell import ensure_shell
from ui.source import show_source

ensure_shell()
text = sections("lab")
st.title("Lab")
write(text["intro"])

config, corpus, problem = None, None, ""
with st.container(border=True):
    try:
        config = choose_config()
        corpus = choose_corpus()
        if corpus:
            corpus.check_length(max(config.lengths))
            problem = lab.too_long(config, corpus)
    except ValueError as error:
        problem = str(error)

    job_id = lab.current_run()
    ready = config is not None and corpus is not None and not problem
    lab_panel.buttons(config if ready else None, corpus, job_id)
    if problem:
        st.error(f"This cannot be trained: {problem}.")

if job_id:
    record = lab_panel.watch_run(job_id)
else:
    write(text["nothing"])
    record = earlier_run()
    lab_panel.show_record(record)
kept_runs(text)

st.subheader("What to look for")
write(text["look"])
with st.expander("The mathematics", icon=":material/function:"):
    write(text["mathematics"])
show_source(train, position_losses)

st.subheader("Exercise")
write(text["exercise"])
with st.expander("Answer", icon=":material/lightbulb:"):
    st.markdown(lab_panel.worst_encoding(record))
