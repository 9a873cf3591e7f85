"""The page Privacy: what it says is so, the runs of a browser are its own, and they can be removed."""

import re
from dataclasses import replace

import pytest

from pe_core.lab.experiment import datasets
from pe_core.lab.queue.job import KEEP_OWN_WEIGHTS
from pe_core.lab.results.record import text_facts
from pe_core.lab.storage.store import KEEP_OWN, MAX_WITH_WEIGHTS
from tests.app.opened import OWNER, VISITOR, opened, said
from tests.app.running import TINY, press
from tests.app.test_lab_kept import OWN, name, record_of
from tests.cases import each
from ui.frame import visitor
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


def test_the_lab_says_the_same_number(store):
    at = opened("lab", session={SECTION: True})
    assert f"the weights of the {MAX_WITH_WEIGHTS} newest of them are kept" in said(at)


def test_a_server_without_a_store_keeps_no_runs():
    assert "This server keeps no runs at all" in said(opened("privacy"))


def test_a_visitor_sees_his_own_runs_and_removes_them(runs, store):
    at = opened("privacy", visitor=VISITOR)
    assert "This browser has started 2 runs that this server keeps." in said(at)
    assert set(at.dataframe[0].value["State"]) == {"finished", "not finished"}
    press(at, "privacy_remove")
    assert [info.value for info in at.info] == ["Removed: 2 runs."]
    assert store.owned(OWNER) == []
    assert [run.owner for run in store.listing()] == ["f" * 64]
    assert "started no run" in said(at)


def test_a_stranger_sees_none_of_them(runs):
    at = opened("privacy")
    assert "started no run" in said(at)
    assert not at.dataframe
    assert at.button(key="privacy_remove") is not None


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


def test_nobody_is_the_operator_where_the_server_has_no_key(monkeypatch):
    monkeypatch.delenv(visitor.OPERATOR_KEY, raising=False)
    assert not opened("privacy").text_input


@each(("shown", "is_operator"), [("guess", False), ("", False), ("open sesame", True)])
def test_the_operator_shows_a_key_and_removes_what_is_anybodys(shown, is_operator, runs, store, monkeypatch):
    monkeypatch.setenv(visitor.OPERATOR_KEY, "open sesame")
    at = opened("privacy")
    at.text_input(key="operator_key").set_value(shown).run()
    assert bool(at.error) == (shown == "guess")
    assert bool(at.info) == is_operator
    at.switch_page("pages/lab.py")
    at.session_state[SECTION], at.session_state[CHOSEN] = True, [name(runs)]
    at.run()
    assert ["lab_remove"] * is_operator == [button.key for button in at.button if button.key == "lab_remove"]
    if is_operator:
        press(at, "lab_remove")
        assert store.owner(name(runs)) is None
