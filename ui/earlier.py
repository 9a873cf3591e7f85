"""The run that the command line made with the default settings, kept in the repository for the first look."""

import streamlit as st

from pe_core.files import KEPT_RUNS
from pe_core.lab import results_file
from pe_core.lab.results import RunRecord

PATH = KEPT_RUNS / "default.json"


@st.cache_data
def earlier_run() -> RunRecord:
    """Return the run."""
    return results_file.from_json(PATH.read_text(encoding="utf-8"))
