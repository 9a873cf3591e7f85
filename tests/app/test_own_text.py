"""A text that a visitor brings along: he can look into its models, a stranger with the link cannot; no name is kept."""

import sqlite3

import pytest
import streamlit as st

from tests.app.inside_runs import OWN, look_at, refused
from tests.app.opened import VISITOR, opened, said
from tests.app.running import LINK, finished, press, snapshot, standing
from tests.lab.storage.rows import rows
from ui.lab import jobs as lab

SECRET = "the password is hunter2, do not tell anybody. "
NOTICE = "**Your text stays with you.** This server keeps neither the text nor the name of its file."
PIECES = b"hunter2", b"the password is", b"do not tell", b"my-passwords"
SECOND = VISITOR[::-1]  # the key of another browser
REFUSAL = "run must be one that you have started in this browser, as its text is somebody's own, got another one"

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture(params=[False], ids=["models not kept"])
def visitor(expects, request):
    """The lab with a run of an uploaded text, trained to its end; its models are to be kept or not."""
    expects(1.0)
    at = opened("lab", visitor=VISITOR, **LINK, encodings="rope", text="upload")
    at.file_uploader(key="uploaded").upload("my-passwords.txt", SECRET.encode() * 200).run()
    at.checkbox(key="keeps_weights").set_value(request.param).run()
    return finished(press(at, "train"))


def test_the_notice_stands_beside_the_text_and_in_no_folded_box(expects):
    expects(1.0)
    for source in ("paste", "upload"):
        at = opened("lab", text=source)
        [notice] = [caption.value for caption in at.main.caption if NOTICE in caption.value]
        assert "can write pieces of its text" in notice
        assert notice not in [caption.value for box in at.expander for caption in box.caption]
    assert NOTICE not in "".join(caption.value for caption in opened("lab").caption)


def test_the_one_who_has_brought_the_text_looks_into_its_models_and_no_name_or_weights_are_kept(visitor, tmp_path):
    assert snapshot(visitor).record.text.name == "own text"
    [run] = rows(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    assert "password" not in run.text + run.record
    with sqlite3.connect(tmp_path / "lab.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM weights").fetchone() == (0,)
    connection.close()
    visitor.switch_page("pages/inside.py")
    visitor.query_params["ins_models"] = OWN["ins_models"]
    visitor.run()
    assert not visitor.warning
    assert "*own text*, 50 steps" in said(visitor)


def test_a_stranger_with_any_link_of_the_run_sees_losses_and_no_models(visitor):
    run = visitor.query_params["run"]
    stranger = opened("lab", run=run)
    assert not stranger.warning
    assert standing(stranger).startswith("Step 50 of 50")
    ids = {run, lab.job_manager()._runs[run].job_id}  # its hash, and the id that it had before
    assert len(ids) == 2
    for link in ids:
        assert refused(opened("inside", run=link, **OWN)) == REFUSAL
        look_at("Attention maps", run=link, **OWN, visitor=VISITOR)
    kept = opened("inside", ins_models="of a kept run", ins_kept=run)
    assert "cannot be looked into here. It was removed" in kept.warning[0].value


def test_a_second_browser_is_sent_nothing_of_the_text_whatever_it_opens_and_though_it_empties_the_caches(visitor):
    run = visitor.query_params["run"]
    kept = {"ins_models": "of a kept run", "ins_kept": run}
    links = ("lab", {}), ("lab", {"run": run}), ("lab", {"text": "upload"}), ("inside", {"run": run, **OWN})
    for empty in (lambda: None, lambda: [cache.clear() for cache in (st.cache_data, st.cache_resource)]):
        empty()  # as the message does that any client can send
        for page, link in (*links, ("inside", kept), ("privacy", {}), ("home", {"run": run})):
            at = opened(page, visitor=SECOND, **link)
            content = sent(at)
            assert at.title[0].value.encode() in content
            assert not [piece for piece in PIECES if piece in content], (page, link)
    assert refused(opened("inside", visitor=SECOND, run=run, **OWN)) == REFUSAL
    assert standing(visitor.run()).startswith("Step 50 of 50")  # the owner has lost nothing
    look_at("Attention maps", run=run, **OWN, visitor=VISITOR)


def sent(at):
    """All that a page has sent to the browser, as bytes."""
    elements = [element for block in at._tree.children.values() for element in block]
    return b"".join(one.proto.SerializeToString() for one in elements if getattr(one, "proto", None) is not None)


@pytest.mark.parametrize("visitor", [True], indirect=True, ids=["models kept"])
def test_models_that_their_owner_asks_to_keep_are_there_after_a_restart_for_him_alone(visitor):
    kept = visitor.session_state["run"]
    lab.job_manager.forget()
    lab.run_store.forget()
    look_at("Attention maps", ins_models="of a kept run", ins_kept=kept, visitor=VISITOR)
    stranger = opened("inside", ins_models="of a kept run", ins_kept=kept)
    assert "cannot be looked into here. It was removed" in stranger.warning[0].value
    assert refused(opened("inside", run=kept, **OWN)) == REFUSAL
