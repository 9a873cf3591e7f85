"""Named experiments: a link each that sets every control of the lab, and forgets what was set before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from pe_core.lab.experiment.tasks import TASKS
from pe_core.parameters import MAX_SHOWN
from ui.lab import jobs as lab
from ui.lab.setup import FIRST_RUN, LAST_TASK, NO_TASK, TEXT, parameters_of
from ui.language.words import _
from ui.widgets.link import say_instead

NAME = "experiment"  # in the link


@dataclass(frozen=True)
class Experiment:
    """Settings that show one thing: those that differ from what the page begins with, by the names of the controls."""

    title: str
    icon: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def controls(self) -> dict[str, object]:
        """Return the value of every control."""
        task = str(self.settings.get("task", NO_TASK))
        parameters = parameters_of(TASKS.get(task))
        return {
            "task": task,
            LAST_TASK: task,
            "encodings": list(FIRST_RUN.encodings),
            "repairs": [],
            "repairs_together": [],
            TEXT.name: TEXT.default,
            **{name: parameter.default for name, parameter in parameters.items()},
            **self.settings,
        }


EXPERIMENTS = {
    "length_cliff": Experiment("The length cliff", ":material/trending_up:"),
    "copy": Experiment("Copy digits", ":material/content_copy:", {"task": "copy"}),
    "rope_repairs": Experiment(
        "Repairs of RoPE",
        ":material/build:",
        {"encodings": ["rope"], "repairs": ["pi", "ntk", "yarn", "window"]},
    ),
    "seeds": Experiment("Several seeds", ":material/casino:", {"n_seeds": 3}),
    "own_text": Experiment("Your own text", ":material/edit_note:", {"text": "paste"}),
}


def follow() -> None:
    """Set the controls as the experiment says that the link names; a run that still goes on stays on the page."""
    key = st.query_params.pop(NAME, "")
    if key not in EXPERIMENTS:
        if key:
            say_instead(f"{NAME} must be one of {', '.join(EXPERIMENTS)}, got {key[:MAX_SHOWN]}", "the page as it is")
        return
    for name, value in EXPERIMENTS[key].controls().items():
        st.session_state[name] = value
    if not lab.is_busy():
        st.session_state.pop("run", None)


def draw() -> None:
    """Draw the links of the experiments in a row."""
    with st.container(horizontal=True, gap="small"):
        for key, one in EXPERIMENTS.items():
            st.page_link("pages/lab.py", label=_(one.title), icon=one.icon, query_params={NAME: key})
