"""The lab's controls: what is learned, what to compare, the model, and the text; and the run that they choose.

A named experiment is a link that sets every one of them, and forgets what was set before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pe_core.encodings import ENCODINGS, own
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.datasets import (
    DEFAULT_TEXT,
    MAX_BYTES,
    MAX_VOCAB_SIZE,
    MIN_CHARACTERS,
    N_SPLITS,
    Corpus,
)
from pe_core.lab.experiment.repair import REPAIRS
from pe_core.lab.experiment.settings import ENTRIES, FOR_TASKS, PARAMETERS, RunConfig, parse_config
from pe_core.lab.experiment.task import Dataset, Task
from pe_core.lab.experiment.tasks import TASKS, parameters_for
from pe_core.lab.experiment.texts import SHARED, TEXTS
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.parameters import MAX_SHOWN, Choice, Choices, Parameter, Value
from ui.frame.turns import fragment
from ui.lab import jobs as lab
from ui.language.words import _
from ui.widgets.controls import control
from ui.widgets.link import literal, say_instead
from ui.widgets.prose import Text

ABREAST = 3  # controls beside each other

TEXT = Parameter(
    "text",
    "Text",
    DEFAULT_TEXT,
    "What the models learn to continue, character by character.",
    choices=(*TEXTS, "paste", "upload"),
)


# What the page begins with: few enough steps for 15 s on two idle cores, and enough for the verdicts that the 400 of
# other runs bring.
FIRST_RUN = RunConfig(("sinusoidal", "rope", "alibi"), steps=350)

KEEP_MODELS = "Keep the models of this text"
EXPERIMENT = "experiment"  # in the link
NO_TASK = "text"  # the choice of a text
REPEATED = 0.5  # of what is evaluated, from which a text is said to repeat itself
LAST_TASK = "_last_task"
OWN_TITLES = "_own_titles"  # where a session keeps the own encodings that it has met


@cache
def earlier_run(name: str = "default") -> RunRecord:
    """Return a run that comes with the project: that of the built-in text, or "copy", that of a task."""
    return record_file.from_json((KEPT_RUNS / f"{name}.json").read_text(encoding="utf-8"))


def brought_along(task: Task | None, config: RunConfig | None) -> RunRecord:
    """Return the run that comes with the project, with the chosen encodings alone where it has all of them."""
    record = earlier_run("copy" if task else "default")
    has_all = config is not None and set(config.encodings) <= set(record.done)
    return record.of_encodings(config.encodings) if config and has_all else record


def choose_task(text: Text) -> Task | None:
    """Draw the choice of what is learned and return the task; None for a text.

    With another one, controls that the link does not name go to the defaults that suit it.
    """
    titles = {NO_TASK: text("task-text-title"), **{key: task.title for key, task in TASKS.items()}}
    chosen = control(Choice("task", "Task", titles, NO_TASK))
    task = TASKS.get(chosen)
    st.caption(_(task.summary) if task else text("task-text"))
    if st.session_state.get(LAST_TASK, chosen) != chosen:
        parameters = parameters_of(task)
        suited = {name: parameters[name].default for name in FOR_TASKS if name not in st.query_params}
        st.session_state.update(suited)
    st.session_state[LAST_TASK] = chosen
    return task


def parameters_of(task: Task | None) -> Mapping[str, Parameter[Value]]:
    """Return the settings of a run with the defaults that the page begins with."""
    parameters = parameters_for(task.key if task else None)
    return parameters if task else {**parameters, "steps": replace(parameters["steps"], default=FIRST_RUN.steps)}


def choose_encodings() -> Sequence[str]:
    """Draw the choice of encodings and return their keys; own ones are those that links of this session have brought.

    What is wrong with one that is none is said in a warning.
    """
    brought: dict[str, str] = st.session_state.setdefault(OWN_TITLES, {})
    for key in filter(own.is_own, st.query_params.get_all("encodings")):
        try:
            brought[key] = ENCODINGS[key].title
        except ValueError as error:
            st.warning(_(f"This is no encoding: {literal(_(str(error)))}."))
    titles = {key: spec.title for key, spec in ENCODINGS.items()}
    return control(Choices("encodings", "Encodings", {**titles, **brought}, FIRST_RUN.encodings))


def choose_config(task: Task | None, encodings: Sequence[str]) -> RunConfig:
    """Draw all other controls of a run and return its configuration; raise `ValueError` where it is not allowed."""
    texts = {}
    parameters = parameters_of(task)
    with st.grid(ABREAST):
        for name, parameter in parameters.items():
            if name not in ENTRIES:
                texts[name] = str(control(parameter))
    for column, (name, entries) in zip(st.columns(len(ENTRIES)), ENTRIES.items(), strict=True):
        parameter = PARAMETERS[name]
        titles = {str(key): entries[str(key)].title for key in parameter.choices}
        with column:
            texts[name] = control(Choice(name, parameter.label, titles, str(parameter.default)))
            st.caption(_(entries[texts[name]].summary))
    titles = {key: repair.title for key, repair in REPAIRS.items()}
    alone, together = st.columns(2)
    with alone:
        repairs = control(Choices("repairs", "Repairs, each alone", titles, ()))
        st.caption(_("Changed at evaluation only, without any training."))
    with together:
        combined = "+".join(control(Choices("repairs_together", "Repairs, all of these at once", titles, ())))
    added = (combined,) if combined and combined not in repairs else ()
    return parse_config(encodings, texts, (*repairs, *added))


def spelled(task: Task, length: int) -> str:
    """Return the worked example of a task as Markdown, what is asked in bold type."""
    parts = task.worked_example(length)
    return "".join(f":gray-background[**{symbols}**]" if asked else symbols for symbols, asked in parts)


def waits_for_text() -> bool:
    """Return whether a text is to be pasted, which may come with the very click on Train."""
    return st.session_state.get("task") == NO_TASK and st.session_state.get(TEXT.name) == "paste"


def choose_dataset(task: Task | None, text: Text, own_text: DeltaGenerator) -> tuple[Corpus | Task | None, str]:
    """Return the task, or draw the controls of the text and return it: None while there is none, or what is wrong.

    A text of the visitor's own is brought in the place `own_text`.
    """
    if task:
        return task, ""
    source = control(TEXT)
    if source in TEXTS:
        built_in = datasets.built_in(source)
        say_text(built_in, TEXTS[source].summary, text, "text-built-in")
        return built_in, ""
    rule = _(f"At least {MIN_CHARACTERS:,} characters, at most {MAX_BYTES // 1_000_000} MB in UTF-8.")
    brought, problem = None, ""
    with own_text:
        if source == "paste":
            typed = st.text_area(_("Your text"), key="pasted", help=rule, placeholder=rule, persist_state="session")
            given: str | bytes | None = typed or None
        else:
            file = st.file_uploader(_("Your text"), key="uploaded", help=rule)
            given = file.getvalue() if file else None
        try:
            brought = None if given is None else lab.own_corpus(given)
        except ValueError as error:
            problem = str(error)
        st.caption(text("own-text"))
        st.checkbox(_(KEEP_MODELS), key=lab.KEEPS_WEIGHTS, help=text("keep-help"), persist_state="session")
        st.page_link("pages/privacy.py", label=_("What is kept, and how to remove it"), icon=":material/lock:")
    st.markdown(text("own-text-place"))
    if brought:
        say_text(brought, "", text, "text-own")
        if brought.seen_in_training >= REPEATED:
            st.warning(text("text-repeats", {"shared": SHARED, "seen": brought.seen_in_training}))
    return brought, problem


def say_text(corpus: Corpus, summary: str, text: Text, section: str) -> None:
    """Say what a text is, how it is split, and how much of what is evaluated stands in the training part, too."""
    facts: dict[str, str | int | float] = {
        "name": corpus.name,
        "summary": summary,
        "characters": corpus.n_characters,
        "symbols": len(corpus.vocabulary),
        "most": MAX_VOCAB_SIZE,
        "splits": N_SPLITS,
        "held_out": len(corpus.held_out),
        "evaluated": corpus.n_held_out,
        "shared": SHARED,
        "seen": corpus.seen_in_training,
    }
    st.markdown(text(section, facts))


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
                st.markdown(text(f"task-{task.key}"))
                st.markdown(text("task-examples", {"guess": task.n_answers}))
                for length in (config.train_length, 2 * config.train_length):
                    st.markdown(text("task-example", {"length": length, "example": spelled(task, length)}))
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
        config, dataset = chosen.run
        record = brought_along(task, config)
        # Of the other facts of a text a file keeps six digits.
        is_same = (record.config, record.text.sha256) == (config, text_facts(dataset).sha256)
        st.caption(text("kept-brought" if is_same else "nothing", {"name": record.text.name}))
    elif chosen.repeats and lab.is_from_before(chosen.job_id):
        st.caption(text("kept-here"))
    if not lab.is_live(chosen.job_id):
        needed = lab.need(*chosen.run)
        st.caption(
            _(
                f"Takes about **{lab.duration(needed.seconds)}** if nobody else trains, "
                f"and at most about {needed.bytes / 2**20:,.0f} MB of memory."
            )
        )


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


def follow_experiment() -> None:
    """Set the controls as the experiment says that the link names; a run that still goes on stays on the page."""
    key = st.query_params.pop(EXPERIMENT, "")
    if key in EXPERIMENTS:
        st.session_state.update(EXPERIMENTS[key].controls())
        if not lab.is_busy():
            st.session_state.pop("run", None)
    elif key:
        rule = f"{EXPERIMENT} must be one of {', '.join(EXPERIMENTS)}"
        say_instead(f"{rule}, got {key[:MAX_SHOWN]}", "the page as it is")


def draw_experiments() -> None:
    """Draw the links of the experiments in a row."""
    with st.container(horizontal=True, gap="small"):
        for key, one in EXPERIMENTS.items():
            st.page_link("pages/lab.py", label=_(one.title), icon=one.icon, query_params={EXPERIMENT: key})
