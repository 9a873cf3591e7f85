"""The run that the command line made with the default settings, kept in the repository for the first look."""

from pathlib import Path

import streamlit as st

from pe_core.lab import results
from pe_core.lab.results import RunRecord

PATH = Path(__file__).parent.parent / "content" / "runs" / "default.json"


@st.cache_data
def earlier_run() -> RunRecord:
    """Return the run."""
    return results.from_json(PATH.read_text(encoding="utf-8"))
