"""The choice among the runs of the store whose weights are still there, newest first; the link names it by its hash."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from pe_core.lab.results.record import is_own
from pe_core.lab.storage.database import StoreError
from pe_core.lab.storage.store import RunStore
from pe_core.parameters import LONGEST_SHOWN
from ui.lab import jobs as lab
from ui.lab.kept_run import described
from ui.widgets.controls import choose_one, literal
from ui.widgets.prose import fill, write

NAME = "ins_kept"
NONE = ""  # the choice while there is no run, or another one than the link asks for


def choose_kept(store: RunStore, text: Mapping[str, str]) -> str | None:
    """Draw the choice and return the hash of a run; None where there is none, with the reason said."""
    with suppress(StoreError):  # a store that is only read still has its list
        lab.drop_own_weights()
    try:
        runs = {run.hash: described(run) for run in store.with_weights() if not is_own(run.text)}
    except StoreError as error:
        st.warning(fill(text["run-refused"], {"problem": literal(str(error))}))
        return None
    asked = st.query_params.get(NAME) or st.session_state.get(NAME)
    if asked and asked not in runs:  # removed, or never here
        st.warning(fill(text["kept-gone"], {"run": literal(asked[:LONGEST_SHOWN])}))
        st.query_params.pop(NAME, None)
        st.session_state[NAME] = NONE
    elif asked is None and runs:
        st.session_state[NAME] = next(iter(runs))
    if not runs:
        write(text["kept-none"])
        return None
    return choose_one(NAME, "Kept run", {NONE: text["kept-choose"], **runs}, NONE) or None
