"""What belongs to a visitor: the page Privacy and his runs, and a text of his own, of which strangers see nothing."""

import re
import sqlite3
from dataclasses import replace

import pytest
import streamlit as st

from pe_core.lab.experiment import datasets
from pe_core.lab.queue.job import KEEP_OWN_WEIGHTS
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.store import KEEP_OWN, MAX_WITH_WEIGHTS
from tests.app.in_chinese import also_in_chinese, pressed, read
from tests.app.inside_runs import OWN as OF_YOUR_RUN
from tests.app.inside_runs import look_at, refused
from tests.app.opened import OWNER, VISITOR, opened, said
from tests.app.running import LINK, TINY, finished, press, snapshot, standing
from tests.app.test_lab_kept import OWN, name, record_of
from tests.cases import each
from tests.lab.storage.rows import rows
from ui.frame import visitor
from ui.lab import jobs as lab
from ui.lab.kept import CHOSEN, SECTION


@pytest.fixture
def runs(store):
    """A run of an own text and an unfinished one of this visitor, and a run of somebody else; returns the last one."""
    store.put(record_of(TINY, text=OWN), owner=OWNER)
    store.begin(replace(TINY, seed=5), text_facts(datasets.built_in()), OWNER)
    others = record_of(replace(TINY, seed=6))
    store.put(others, owner="f" * 64)
    return others


def test_the_page_says_what_the_code_does(store):
    words = said(opened("privacy"))
    assert f"`{visitor.COOKIE}`, with a random number, for {visitor.DAYS} days" in words
    assert KEEP_OWN_WEIGHTS == 30 * 60  # the lab says half an hour
    assert f"they go {KEEP_OWN_WEIGHTS / 60:.0f} minutes after you last looked at the run" in words
    assert f"kept for {KEEP_OWN / 86_400:.0f} days" in words
    assert f"The models of the newest {MAX_WITH_WEIGHTS} are kept" in words
    assert "[[" not in words
    lab_says = said(opened("lab", session={SECTION: True}))
    assert f"the weights of the {MAX_WITH_WEIGHTS} newest of them are kept" in lab_says


def test_a_visitor_sees_his_own_runs_and_no_others_and_removes_them(runs, store):
    stranger = opened("privacy")
    assert "started no run" in said(stranger)
    assert not stranger.dataframe
    assert stranger.button(key="privacy_remove") is not None
    at = opened("privacy", visitor=VISITOR)
    assert "This browser has started 2 runs that this server keeps." in said(at)
    assert set(at.dataframe[0].value["State"]) == {"finished", "not finished"}
    in_chinese_before = read("privacy", visitor=VISITOR)
    press(at, "privacy_remove")
    assert [info.value for info in at.info] == ["Removed: 2 runs."]
    assert store.owned(OWNER) == []
    assert [run.owner for run in store.listing()] == ["f" * 64]
    assert "started no run" in said(at)
    pressed(in_chinese_before, "privacy_remove")


def test_who_is_another_visitor_by_now_removes_nothing(runs, store):
    """The page was drawn for the owner, and the browser has taken a new number since, or a client keeps the button."""
    own = name(record_of(TINY, text=OWN))
    at = opened("lab", visitor=VISITOR, session={SECTION: True, CHOSEN: [own]})
    at.session_state[visitor.KEY] = VISITOR[::-1]
    press(at, "lab_remove")
    assert [error.value for error in at.error] == [
        "Not removed: run must be your own to be changed, got one of another visitor."
    ]
    assert store.owner(own) == OWNER


def test_a_browser_that_is_forgotten_is_another_visitor(runs):
    at = press(opened("privacy", visitor=VISITOR), "privacy_forget")
    assert "started no run" in said(at)
    key = at.session_state[visitor.KEY]
    assert key != VISITOR
    assert re.fullmatch("[0-9a-f]{32}", key)
    pressed(read("privacy", visitor=VISITOR), "privacy_forget")


@each(("shown", "is_operator"), [("guess", False), ("", False), ("open sesame", True)])
def test_the_operator_shows_a_key_and_removes_what_is_anybodys(shown, is_operator, runs, store, monkeypatch):
    monkeypatch.delenv(visitor.OPERATOR_KEY, raising=False)
    assert not opened("privacy").text_input  # without a key of the server nobody is the operator
    monkeypatch.setenv(visitor.OPERATOR_KEY, "open sesame")
    at = opened("privacy")
    at.text_input(key="operator_key").set_value(shown).run()
    assert bool(at.error) == (shown == "guess")
    assert bool(at.info) == is_operator
    also_in_chinese(at)
    at.switch_page("pages/lab.py")
    at.session_state[SECTION], at.session_state[CHOSEN] = True, [name(runs)]
    at.run()
    assert ["lab_remove"] * is_operator == [button.key for button in at.button if button.key == "lab_remove"]
    if is_operator:
        press(at, "lab_remove")
        assert store.owner(name(runs)) is None


# A text that a visitor brings along.

SECRET = "the password is hunter2, do not tell anybody. "
NOTICE = "**Your text stays with you.** This server keeps neither the text nor the name of its file."
PIECES = b"hunter2", b"the password is", b"do not tell", b"my-passwords"
SECOND = VISITOR[::-1]  # the key of another browser
REFUSAL = "run must be one that you have started in this browser, as its text is somebody's own, got another one"


def trained(keeps_weights):
    """The lab with a run of an uploaded text, trained to its end; its models are to be kept or not."""
    at = opened("lab", visitor=VISITOR, **LINK, encodings="rope", text="upload")
    at.file_uploader(key="uploaded").upload("my-passwords.txt", SECRET.encode() * 200).run()
    at.checkbox(key="keeps_weights").set_value(keeps_weights).run()
    return finished(press(at, "train"))


def test_the_notice_stands_beside_the_text_and_in_no_folded_box(expects):
    expects(1.0)
    for source in ("paste", "upload"):
        at = opened("lab", text=source)
        [notice] = [caption.value for caption in at.main.caption if NOTICE in caption.value]
        assert "can write pieces of its text" in notice
        assert notice not in [caption.value for box in at.expander for caption in box.caption]
    assert NOTICE not in "".join(caption.value for caption in opened("lab").caption)


def test_the_owner_of_a_text_looks_into_its_models_and_others_are_sent_losses_and_nothing_of_it(
    store, expects, tmp_path
):
    """Not even a browser that opens every link and empties the caches, as the message does that a client can send."""
    expects(1.0)
    own_run = trained(keeps_weights=False)
    assert snapshot(own_run).record.text.name == "own text"
    [row] = rows(f"sqlite:///{tmp_path / 'lab.sqlite'}")
    assert "password" not in row.text + row.record
    with sqlite3.connect(tmp_path / "lab.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM weights").fetchone() == (0,)
    connection.close()
    run = own_run.query_params["run"]
    stranger = opened("lab", run=run)
    assert not stranger.warning
    assert standing(stranger).startswith("Step 50 of 50")
    ids = {run, lab.job_manager()._runs[run].job_id}  # its hash, and the id that it had before
    assert len(ids) == 2
    for link in ids:
        assert refused(opened("inside", run=link, **OF_YOUR_RUN)) == REFUSAL
        assert "*own text*, 50 steps" in said(look_at("Attention maps", run=link, **OF_YOUR_RUN, visitor=VISITOR))
    kept = {"ins_models": "of a kept run", "ins_kept": run}
    assert "cannot be looked into here. It was removed" in opened("inside", **kept).warning[0].value
    links = ("lab", {}), ("lab", {"run": run}), ("lab", {"text": "upload"}), ("inside", {"run": run, **OF_YOUR_RUN})
    for empty in (lambda: None, lambda: [cache.clear() for cache in (st.cache_data, st.cache_resource)]):
        empty()
        for page, link in (*links, ("inside", kept), ("privacy", {}), ("home", {"run": run})):
            at = opened(page, visitor=SECOND, **link)
            content = sent(at)
            assert at.title[0].value.encode() in content
            assert not [piece for piece in PIECES if piece in content], (page, link)
    assert refused(opened("inside", visitor=SECOND, run=run, **OF_YOUR_RUN)) == REFUSAL
    assert standing(own_run.run()).startswith("Step 50 of 50")  # the owner has lost nothing
    look_at("Attention maps", run=run, **OF_YOUR_RUN, visitor=VISITOR)


def sent(at):
    """All that a page has sent to the browser, as bytes."""
    elements = [element for block in at._tree.children.values() for element in block]
    return b"".join(one.proto.SerializeToString() for one in elements if getattr(one, "proto", None) is not None)


def test_models_that_their_owner_asks_to_keep_are_there_after_a_restart_for_him_alone(store, expects):
    expects(1.0)
    kept = trained(keeps_weights=True).session_state["run"]
    lab.job_manager.forget()
    lab.run_store.forget()
    look_at("Attention maps", ins_models="of a kept run", ins_kept=kept, visitor=VISITOR)
    stranger = opened("inside", ins_models="of a kept run", ins_kept=kept)
    assert "cannot be looked into here. It was removed" in stranger.warning[0].value
    assert refused(opened("inside", run=kept, **OF_YOUR_RUN)) == REFUSAL
