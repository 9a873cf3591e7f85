"""What the page Privacy draws: what is kept, the runs of this browser, and the way to remove them."""

import streamlit as st

from pe_core.chapters.wording import counted
from pe_core.lab.queue.memory import KEEP_OWN_WEIGHTS
from pe_core.lab.storage.store import KEEP_OWN, MAX_WITH_WEIGHTS, KeptRun, StoreError
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.kept import show_runs
from ui.lab.setup import KEEP_MODELS
from ui.language.words import _
from ui.widgets import language
from ui.widgets.prose import Text

_DONE = "_privacy_done"  # where a session notes what was removed


def draw_kept(text: Text) -> None:
    """Say what is kept, and for how long."""
    facts = {
        "cookie": visitor.COOKIE,
        "days": visitor.DAYS,
        "language_cookie": language.COOKIE,
        "minutes": round(KEEP_OWN_WEIGHTS / 60),
        "keep": KEEP_MODELS,
        "own_days": round(KEEP_OWN / 86_400),
        "weights": MAX_WITH_WEIGHTS,
    }
    kept = ("runs", "public") if lab.run_store() else ("nowhere",)
    for section in ("browser", "texts", *kept, "other"):
        st.markdown(text(section, facts))


def draw_own(text: Text) -> None:
    """List the runs of this browser, with what removes them all and what makes the browser another visitor."""
    if done := st.session_state.pop(_DONE, ""):
        st.info(done)
    try:
        runs = _own_runs()
    except StoreError as error:
        st.error(_(f"Your runs cannot be shown: {error}."))
        runs = []
    st.markdown(text("yours" if runs else "yours-none", {"runs": counted(len(runs), "run")}))
    if runs:
        show_runs(runs)
    with st.container(horizontal=True):
        with st.popover(_("Remove my runs"), icon=":material/delete:", disabled=not runs):
            st.markdown(text("remove"))
            st.button(_("Remove them for good"), key="privacy_remove", type="primary", on_click=_remove, args=(text,))
        with st.popover(_("Forget this browser"), icon=":material/person_off:"):
            st.markdown(text("forget"))
            st.button(_("Take a new number"), key="privacy_forget", type="primary", on_click=visitor.forget)


def draw_operator(text: Text) -> None:
    """Draw the field for the operator's key, where this server has one."""
    if not visitor.has_operator():
        return
    st.markdown(text("operator"))
    shown = st.text_input(_("Key of the operator"), type="password", key="operator_key", width=320)
    if shown and not visitor.show_operator_key(shown):
        st.error(_("Key of the operator must be that of this server, got another one."))
    if visitor.is_operator():
        st.info(_("You are the operator until you close or reload this page."))


def _own_runs() -> list[KeptRun]:
    store = lab.run_store()
    return store.owned(visitor.owner()) if store else []


def _remove(text: Text) -> None:
    try:
        runs = _own_runs()
        for run in runs:
            lab.job_manager().remove(run.hash, visitor.owner())
    except StoreError as error:
        st.session_state[_DONE] = _(f"Not removed: {error}.")
        return
    st.session_state[_DONE] = text("removed", {"runs": counted(len(runs), "run")})
