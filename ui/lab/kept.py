"""The runs that the server keeps, and what can be done with them.

Two of them are compared: the settings that differ, what they can do by length, and their numbers.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import streamlit as st
from streamlit.column_config import Column

from pe_core.chapters import inside
from pe_core.chapters import lab as pictures
from pe_core.chapters.lab import Right
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES, RunConfig, read_config
from pe_core.lab.queue.jobs import OPERATOR, NotYours
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord, built_in
from pe_core.lab.results.repeat import TEXT_FILE, script
from pe_core.lab.storage.run_hash import is_this_version
from pe_core.lab.storage.store import KEEP_OWN_DAYS, MAX_WITH_WEIGHTS, KeptRun, RunStore, StoreError
from pe_core.wrapping import joined
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.results import describe_lengths, rows_of, show_numbers
from ui.language.words import _
from ui.widgets.charts import picture, with_legend
from ui.widgets.link import literal
from ui.widgets.prose import Text
from ui.widgets.tables import show_rows

CHOSEN, SECTION = "lab_runs", "lab_kept"  # where a session keeps the choice of runs, and whether they are unfolded


def described(run: KeptRun) -> str:
    """Return a run in one line: what it has learned, its encodings, what is not the default, and when it began."""
    parts = [_(run.text.name), _(", ").join(titles(run).values()), settings(run), when(run)]
    if not is_this_version(run.versions):
        parts.append(_("of another version"))
    return " · ".join(part for part in parts if part)


def titles(run: KeptRun) -> dict[str, str]:
    """Return the titles of a run's encodings by their keys; one that is not here any more has its key."""
    found = {}
    for key in run.settings["encodings"]:
        found[key] = key
        with suppress(KeyError, ValueError):
            found[key] = _(ENCODINGS[key].title)
    return found


def settings(run: KeptRun) -> str:
    """Return the settings of a run that are not the default ones, in words."""
    default = RunConfig().settings()
    return _(", ").join(
        f"{_(name.replace('_', ' '))}{_(': ') if isinstance(value, str) else ' '}{_(plain(value))}"
        for name, value in run.settings.items()
        if name != "encodings" and value != default.get(name)
    )


def when(run: KeptRun) -> str:
    """Return when a run began, by the clock of UTC."""
    return datetime.fromtimestamp(run.began, UTC).strftime("%Y-%m-%d %H:%M")


def kept_runs(text: Text) -> None:
    """Draw the folded section of kept runs; while it is folded the store is not asked. Nothing without a store."""
    store = lab.run_store()
    if store is None:
        return
    section = st.expander(text("kept-title"), icon=":material/inventory_2:", key=SECTION, on_change="rerun")
    if not section.open:
        return
    with section:
        st.markdown(text("kept", {"weights": MAX_WITH_WEIGHTS, "days": KEEP_OWN_DAYS}))
        if problem := st.session_state.pop("lab_problem", ""):
            st.error(_(f"Not removed: {problem}."))
        try:
            runs = {run.hash: run for run in store.listing(viewer=visitor.owner())}
            if runs:
                _draw(store, runs, text)
            else:
                st.markdown(text("kept-none"))
        except StoreError as error:
            st.error(_(f"The kept runs cannot be shown: {error}."))


def row(run: KeptRun) -> dict[str, str]:
    """Return what the list says of a run."""
    measured = [
        joined([title, f" {run.ratios[key]:.2f}"]) if key in run.ratios and not run.text.is_task else title
        for key, title in titles(run).items()
    ]
    return {
        "Begun (UTC)": when(run),
        "State": _("finished" if run.state == "finished" else "not finished"),
        "Encodings and ratios": _(", ").join(measured),
        "Settings": settings(run),
        "Text": _(run.text.name if run.text.is_task else f"{run.text.name}, {run.text.characters:,} characters"),
        "Version": _("this one" if is_this_version(run.versions) else "another one"),
        "Run": run.hash[:8],
    }


def show_runs(runs: Sequence[KeptRun]) -> None:
    """Draw the list of runs."""
    wide = Column(width="large")
    show_rows([row(run) for run in runs], {"Encodings and ratios": wide, "Settings": wide})


def _draw(store: RunStore, runs: Mapping[str, KeptRun], text: Text) -> None:
    show_runs(list(runs.values()))
    labels = {key: f"{when(run)} · {_(', ').join(titles(run).values())} · {key[:8]}" for key, run in runs.items()}
    chosen = st.multiselect(
        text("kept-choose"),
        list(runs),
        format_func=labels.__getitem__,
        key=CHOSEN,
        max_selections=2,
        persist_state="session",
    )
    if len(chosen) == 2:
        compare(store, [runs[key] for key in chosen], text)
    elif chosen:
        _one(store, runs[chosen[0]], text)


def _one(store: RunStore, run: KeptRun, text: Text) -> None:
    document = store.document(run.hash)
    if document is None:
        _unfinished(run, text)
    else:
        _finished(run, document, text)
        if any(one.hash == run.hash for one in store.with_weights(visitor.owner())):
            link = {inside.WHOSE: inside.KEPT_RUN, inside.WHICH: run.hash}
            st.page_link("pages/inside.py", label=_("Look inside"), icon=":material/visibility:", query_params=link)
    if lab.actor() in (run.owner, OPERATOR) or not (run.owner or visitor.has_operator()):
        with st.popover(_("Remove"), icon=":material/delete:"):
            st.markdown(text("kept-remove"))
            st.button(_("Remove it for good"), key="lab_remove", type="primary", on_click=_remove, args=(run,))


def _finished(run: KeptRun, document: str, text: Text) -> None:
    try:
        record = record_file.from_json(document)
    except ValueError as error:  # of a version with other encodings
        st.error(_(f"This run cannot be shown: {error}."))
        return
    files = {
        "JSON": (document, f"{run.hash[:8]}.json", "application/json"),
        "CSV": (record_file.to_csv(record), f"{run.hash[:8]}.csv", "text/csv"),
        "Python": (script(record.config, record.text, run.hash), f"{run.hash[:8]}.py", "text/x-python"),
    }
    with st.container(horizontal=True):
        st.button(
            _("Open"), key="lab_open", type="primary", on_click=lab.show, args=(run.hash,), disabled=lab.is_busy()
        )
        for name, (content, file, mime) in files.items():
            st.download_button(name, content, file, mime, key=f"lab_save_{name.lower()}", on_click="ignore")
    st.markdown(text("kept-script"))
    if built_in(record.text) is None:
        st.markdown(text("kept-own-text", {"file": TEXT_FILE}))


def _unfinished(run: KeptRun, text: Text) -> None:
    st.markdown(text("kept-unfinished"))
    dataset = built_in(run.text)
    if dataset is None:
        st.markdown(text("kept-train-own"))
        return
    try:
        config = read_config(run.settings)
        problem = lab.too_much(config, dataset)
    except (KeyError, ValueError) as error:  # of a version with other settings
        problem = str(error)
    if problem:
        st.error(_(f"This cannot be trained: {literal(_(problem))}."))
        return
    st.button(_("Train again"), key="lab_again", on_click=lab.start, args=(config, dataset), disabled=lab.is_busy())


def _remove(run: KeptRun) -> None:
    try:
        lab.job_manager().remove(run.hash, lab.actor())
    except (StoreError, NotYours) as error:
        st.session_state["lab_problem"] = str(error)
        return
    st.session_state[CHOSEN] = []
    if st.session_state.get("run") == run.hash:
        del st.session_state["run"]
        st.query_params.pop("run", None)


def compare(store: RunStore, runs: Sequence[KeptRun], text: Text) -> None:
    """Draw what two kept runs do not share, what they can do in one picture, and their numbers."""
    records = [store.get(run.hash) for run in runs]
    if None in records:
        st.markdown(text("kept-one-unfinished"))
        return
    first, second = [record.up_to(MULTIPLES[-1]) for record in records if record is not None]  # what both have
    st.markdown(text("kept-compare"))
    if other := differences(*runs):
        show_rows(other)
    if first.text.is_task == second.text.is_task:
        of_tasks = first.text.is_task
        right: Right | None = "accuracy" if of_tasks else None
        facts = {"first": describe_lengths(first, right), "second": describe_lengths(second, right)}
        picture(pictures.two_runs, first=lines(first), second=lines(second), of_tasks=of_tasks).chart(
            "lab_two_runs", text("kept-alternative", facts), height=with_legend(380, len({*first.done, *second.done}))
        )
    else:
        st.markdown(text("kept-unlike"))
    both = zip(runs, (first, second), strict=True)
    show_numbers([{"Run": run.hash[:8], **one} for run, record in both for one in rows_of(record)])


def differences(first: KeptRun, second: KeptRun) -> list[dict[str, str]]:
    """Return the settings and facts that two runs do not share, a row for each."""
    facts = [
        {
            **run.settings,
            "encodings": _(", ").join(titles(run).values()),
            "text": f"{run.text.name} ({run.text.sha256[:8]})",
            "version": run.versions.get("code", "")[:8],
        }
        for run in (first, second)
    ]
    return [
        {"Setting": name.replace("_", " "), "First run": plain(value), "Second run": plain(facts[1].get(name, ""))}
        for name, value in facts[0].items()
        if value != facts[1].get(name)
    ]


def plain(value: object) -> str:
    """Return the value of a setting in words."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def lines(record: RunRecord) -> tuple[pictures.Line, ...]:
    """Return what a run is compared by at each length: of a text its losses, of a task the fractions of right answers.

    Of several seeds they are the means.
    """
    means = {ENCODINGS[key].title: record.mean(key).lengths for key in record.done}
    return tuple(
        (title, tuple((one.length, one.loss if one.accuracy is None else one.accuracy) for one in losses))
        for title, losses in means.items()
    )
