"""Two kept runs beside each other: the settings that differ, what they can do by length, and their numbers."""

from collections.abc import Sequence

import streamlit as st
from streamlit.column_config import NumberColumn

from pe_core.chapters import lab
from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import Losses, at_end, more_bits, ratio
from pe_core.lab.results.table import named_ends, summaries
from pe_core.lab.storage.store import KeptRun, RunStore
from ui.lab.table import PERCENT, in_percent
from ui.language.words import _
from ui.widgets.charts import picture, with_legend
from ui.widgets.prose import Text
from ui.widgets.tables import in_view, show_rows

WORDS = ("Run", "Encoding", "n", "Verdict")  # columns of the table that hold no measured number


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
        facts = {"times": MULTIPLES[-1], "first": _ends(first), "second": _ends(second)}
        draw = lab.two_task_runs if of_tasks else lab.two_runs
        picture(draw, first=lines(first), second=lines(second)).chart(
            "lab_two_runs",
            text("kept-alternative-task" if of_tasks else "kept-alternative", facts),
            height=with_legend(380, len({*first.done, *second.done})),
        )
    else:
        st.markdown(text("kept-unlike"))
    table = [
        {"Run": run.hash[:8], **one} for run, record in zip(runs, (first, second), strict=True) for one in _rows(record)
    ]
    forms = {name: "%.1f" if PERCENT in name else "%.3f" for one in table for name in one if name not in WORDS}
    columns = in_view("Run", "Encoding", "Verdict")
    columns |= {name: NumberColumn(format=form) for name, form in forms.items()}
    show_rows(table, columns)


def differences(first: KeptRun, second: KeptRun) -> list[dict[str, str]]:
    """Return the settings and facts that two runs do not share, a row for each."""
    facts = [
        {
            **run.settings,
            "encodings": ", ".join(titled(key) for key in run.settings["encodings"]),
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


def titled(key: str) -> str:
    """Return the title of an encoding, of one that is not here any more its key."""
    try:
        return ENCODINGS[key].title
    except (KeyError, ValueError):
        return key


def plain(value: object) -> str:
    """Return the value of a setting in words."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def lines(record: RunRecord) -> tuple[lab.Line, ...]:
    """Return what a run is compared by at each length: of a text its losses, of a task the fractions of right answers.

    Of several seeds they are the means.
    """
    return tuple(
        (
            ENCODINGS[key].title,
            tuple((one.length, one.loss if one.accuracy is None else one.accuracy) for one in losses),
        )
        for key, losses in _means(record).items()
    )


def _rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return a row for each encoding that can stand beside those of a run with another training length."""
    own = {one.title: one.interval for one in summaries(record)}
    return [
        {
            "Encoding": ENCODINGS[key].title,
            "n": len(record.outcomes[key]),
            **_measured(losses),
            **(named_ends(own[ENCODINGS[key].title]) if at_end(losses) else {}),
            "Verdict": record.verdict(key),
        }
        for key, losses in _means(record).items()
    ]


def _measured(losses: Losses) -> dict[str, str | float]:
    """Return the ends of what was measured: of a task the fractions of right answers, of a text the losses."""
    first, last = losses[0], losses[-1]
    if first.accuracy is not None and last.accuracy is not None:
        fractions = {"Right at the training length": first.accuracy, f"Right at {MULTIPLES[-1]} times": last.accuracy}
        return in_percent(fractions)
    return {
        "Loss at the training length": first.loss,
        f"At {MULTIPLES[-1]} times": last.loss,
        "Ratio": ratio(losses),
        **({"Bits more": more_bits(losses)} if at_end(losses) else {}),
    }


def _ends(record: RunRecord) -> str:
    """Return in words what became of each encoding at the longest length: its ratio, or of a task what is right."""
    ends = {ENCODINGS[key].title: losses for key, losses in _means(record).items()}
    return _(", ").join(
        f"{_(title)} {ratio(losses):.2f}" if losses[-1].accuracy is None else f"{_(title)} {losses[-1].accuracy:.0%}"
        for title, losses in ends.items()
    )


def _means(record: RunRecord) -> dict[str, Losses]:
    return {key: record.mean(key).lengths for key in record.done}
