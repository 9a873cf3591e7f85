"""The run that the settings of the lab choose, and the fragment of them: most steps change nothing else on the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.lab.experiment.datasets import Dataset
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks.base import Task
from ui.frame.turns import fragment
from ui.lab import jobs as lab
from ui.lab.kept import brought_along, is_same
from ui.lab.panel import say_need
from ui.lab.setup import choose_config, say_task
from ui.language.words import _
from ui.widgets.link import literal
from ui.widgets.prose import Text


@dataclass(frozen=True)
class Chosen:
    """A run as it is chosen, and the run that the page shows for it."""

    config: RunConfig | None  # None if it is not allowed
    run: tuple[RunConfig, Dataset] | None  # None while there is no text, and where it cannot be trained
    problem: str  # why it cannot be trained, empty if it can or if there is no text yet
    job_id: str | None  # of the run whose curves are shown; None for one that comes with the project
    repeats: bool  # whether that run has finished and is just the chosen one

    @property
    def shown(self) -> tuple[bool, bool, str | None, bool]:
        """What the rest of the page depends on."""
        return self.config is not None, self.run is not None, self.job_id, self.repeats


def choose_run(
    task: Task | None,
    encodings: Sequence[str],
    dataset: Dataset | None,
    problem: str,
    current: str | None,
    place: DeltaGenerator,
    text: Text,
) -> Chosen:
    """Draw the settings of a run; return what they choose, with what the page has to show for it.

    At a step of a setting they are drawn alone, and the page only if it has to show something else. `problem` says what
    is wrong with the dataset, `current` is the run that the session looks at, `place` keeps one thing: what is said.
    """
    before: list[Chosen] = []  # as the page was last drawn

    def settings() -> None:
        config, wrong = None, problem
        try:
            config = choose_config(task, encodings)
            if task:
                say_task(task, config.train_length, text)
            if dataset and not wrong:
                dataset.check_length(max(config.lengths))
                wrong = lab.too_much(config, dataset)
        except ValueError as error:
            wrong = wrong or str(error)
        run = (config, dataset) if config and dataset and not wrong else None
        job_id = current if current and not lab.missing(current) else lab.kept_run(*run) if run else None
        repeats = bool(run and job_id and lab.is_run(job_id, *run))
        chosen = Chosen(config, run, wrong, job_id, repeats)
        if before and chosen.shown != before[0].shown:
            st.rerun()
        before.append(chosen)
        with place.container(key="lab_said"):
            _say(chosen, task, text)

    fragment(settings)()
    return before[0]


def _say(chosen: Chosen, task: Task | None, text: Text) -> None:
    """Say why a run cannot be trained, or what is shown for it and what it will take."""
    if chosen.problem:
        st.error(_(f"This cannot be trained: {literal(_(chosen.problem))}."))
    if chosen.run is None:
        return
    if chosen.job_id is None:
        record = brought_along(task, chosen.config)
        said = "kept-brought" if is_same(record, *chosen.run) else "nothing"
        st.caption(text(said, {"name": record.text.name}))
    elif chosen.repeats and lab.is_from_before(chosen.job_id):
        st.caption(text("kept-here"))
    if not lab.is_live(chosen.job_id):
        say_need(*chosen.run)
