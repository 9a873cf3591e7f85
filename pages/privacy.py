"""Privacy: what this server keeps of a visitor, for how long, and how to remove it."""

import streamlit as st

from pe_core.chapters.wording import counted
from pe_core.lab.queue.job import KEEP_OWN_WEIGHTS
from pe_core.lab.storage.store import KEEP_OWN_DAYS, MAX_OWN_WITH_WEIGHTS, MAX_WITH_WEIGHTS, StoreError
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.kept import show_runs
from ui.lab.setup import KEEP_MODELS
from ui.language.words import _
from ui.page import open_page
from ui.widgets import language

DONE = "_privacy_done"  # where a session notes what was removed

text = open_page("privacy", "Privacy")
store = lab.run_store()


def remove() -> None:
    """Remove all runs of this browser for good."""
    try:
        mine = store.owned(visitor.owner()) if store else []
        for run in mine:
            lab.job_manager().remove(run.hash, visitor.owner())
        st.session_state[DONE] = text("removed", {"runs": counted(len(mine), "run")})
    except StoreError as error:
        st.session_state[DONE] = _(f"Not removed: {error}.")


kept = {
    "cookie": visitor.COOKIE,
    "days": visitor.DAYS,
    "language_cookie": language.COOKIE,
    "minutes": round(KEEP_OWN_WEIGHTS / 60),
    "keep": KEEP_MODELS,
    "own_days": KEEP_OWN_DAYS,
    "own_weights": MAX_OWN_WITH_WEIGHTS,
    "weights": MAX_WITH_WEIGHTS,
}
for section in ("browser", "texts", *(("runs", "public") if store else ("nowhere",)), "other"):
    st.markdown(text(section, kept))

st.subheader(_("Your runs"))
if done := st.session_state.pop(DONE, ""):
    st.info(done)
try:
    runs = store.owned(visitor.owner()) if store else []
except StoreError as error:
    st.error(_(f"Your runs cannot be shown: {error}."))
    runs = []
st.markdown(text("yours" if runs else "yours-none", {"runs": counted(len(runs), "run")}))
if runs:
    show_runs(runs)
with st.container(horizontal=True):
    with st.popover(_("Remove my runs"), icon=":material/delete:", disabled=not runs):
        st.markdown(text("remove"))
        st.button(_("Remove them for good"), key="privacy_remove", type="primary", on_click=remove)
    with st.popover(_("Forget this browser"), icon=":material/person_off:"):
        st.markdown(text("forget"))
        st.button(_("Take a new number"), key="privacy_forget", type="primary", on_click=visitor.forget)

if visitor.has_operator():
    st.markdown(text("operator"))
    shown = st.text_input(_("Key of the operator"), type="password", key="operator_key", width=320)
    if shown and not visitor.show_operator_key(shown):
        st.error(_("Key of the operator must be that of this server, got another one."))
    if visitor.is_operator():
        st.info(_("You are the operator until you close or reload this page."))
