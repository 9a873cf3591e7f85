"""Two kept runs beside each other: the settings that differ, their losses by length, and their numbers."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.lab.evaluation import ratio
from pe_core.lab.results import RunRecord
from pe_core.lab.seeds import Losses
from pe_core.lab.settings import MULTIPLES
from pe_core.lab.store import KeptRun, RunStore
from pe_core.pictures import lab_runs
from ui.charts import show
from ui.prose import fill, write


def compare(store: RunStore, runs: Sequence[KeptRun], text: Mapping[str, str]) -> None:
    """Draw what two kept runs do not share, their losses in one picture, and their numbers."""
    records = [store.get(run.hash) for run in runs]
    if None in records:
        write(text["kept-one-unfinished"])
        return
    first, second = [record for record in records if record is not None]
    write(text["kept-compare"])
    if other := differences(*runs):
        st.dataframe(other, hide_index=True)
    show(
        partial(lab_runs.two_runs, first=lines(first), second=lines(second)),
        key="lab_two_runs",
        alternative=fill(
            text["kept-alternative"], {"times": MULTIPLES[-1], "first": _ratios(first), "second": _ratios(second)}
        ),
    )
    table = [
        {"Run": run.hash[:8], **one} for run, record in zip(runs, (first, second), strict=True) for one in _rows(record)
    ]
    numbers = [name for one in table for name, value in one.items() if isinstance(value, float)]
    st.dataframe(
        table, hide_index=True, column_config={name: st.column_config.NumberColumn(format="%.3f") for name in numbers}
    )


def differences(first: KeptRun, second: KeptRun) -> list[dict[str, str]]:
    """Return the settings and facts that two runs do not share, a row for each."""
    facts = [
        {
            **run.settings,
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


def lines(record: RunRecord) -> tuple[lab_runs.Line, ...]:
    """Return the losses of a run by length, for the picture; of several trainings their means."""
    return tuple(
        (ENCODINGS[key].title, tuple((loss.length, loss.loss) for loss in losses))
        for key, losses in _means(record).items()
    )


def _rows(record: RunRecord) -> list[dict[str, str | float]]:
    """Return a row for each encoding that can stand beside those of a run with another training length."""
    return [
        {
            "Encoding": ENCODINGS[key].title,
            "n": len(record.seeds_of(key)),
            **_measured(losses),
            "Verdict": record.verdict(key),
        }
        for key, losses in _means(record).items()
    ]


def _measured(losses: Losses) -> dict[str, str | float]:
    """Return the ends of what was measured: of a task the shares of right answers, of a text the losses."""
    first, last = losses[0], losses[-1]
    if first.accuracy is not None and last.accuracy is not None:
        return {"Right at the training length": first.accuracy, f"Right at {MULTIPLES[-1]} times": last.accuracy}
    return {
        "Loss at the training length": first.loss,
        f"At {MULTIPLES[-1]} times": last.loss,
        "Ratio": ratio(losses),
    }


def _ratios(record: RunRecord) -> str:
    return ", ".join(f"{ENCODINGS[key].title} {ratio(losses):.2f}" for key, losses in _means(record).items())


def _means(record: RunRecord) -> dict[str, Losses]:
    return {key: record.mean(key).lengths for key in record.done}
