"""Runs that the command line made with default settings, kept in the repository for the first look."""

from pathlib import Path

import streamlit as st

from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.tasks.base import Task
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord

OF_TEXT, OF_TASK = KEPT_RUNS / "default.json", KEPT_RUNS / "copy.json"


def earlier_run(task: Task | None = None) -> RunRecord:
    """Return the run of the built-in text, or that of a task."""
    return _read(OF_TASK if task else OF_TEXT)


@st.cache_data
def _read(path: Path) -> RunRecord:
    return record_file.from_json(path.read_text(encoding="utf-8"))
