"""Polls: what is counted and what is refused, the address for telephones, the wall and a telephone."""

import html
import re
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import streamlit as st

from pe_core.chapters.predictions import QUESTIONS, answer
from tests.app.in_chinese import also_in_chinese, in_chinese, pressed, read
from tests.app.opened import checked, opened, said, sentences
from tests.app.running import press
from tests.cases import each
from ui import poll as polling
from ui.poll import LIFE, MAX_POLLS, MAX_VOTES, Polls


@pytest.fixture(autouse=True)
def no_polls():
    polling.polls.forget()


@pytest.fixture
def some():
    return Polls(lambda: 0.0)


def test_a_device_has_one_vote_which_it_may_change(some):
    poll = some.open("bits")
    for device, choice in (("a", "4"), ("b", "1"), ("a", "2")):
        some.vote(poll.code.lower(), device, choice)
    assert poll.counts == (1, 1, 0, 0)


@each(
    ("vote", "problem"),
    [
        (("ZZZZZ", "a", "4"), "poll must be one that is open, got 'ZZZZZ'"),
        (("", "a", "5"), "choice must be one of 1, 2, 3, 4, got '5'"),
        (("", "", "4"), "device must be 1 to 64 letters and digits, got ''"),
        (("", "<b>", "4"), "device must be 1 to 64 letters and digits, got '<b>'"),
        (("", "a" * 65, "4"), "device must be 1 to 64 letters and digits"),
    ],
)
def test_what_is_no_vote_is_named_and_not_counted(some, vote, problem):
    poll = some.open("bits")
    with pytest.raises(ValueError, match=re.escape(problem)):
        some.vote(vote[0] or poll.code, *vote[1:])
    assert sum(poll.counts) == 0


def test_there_are_no_votes_after_the_answer_and_none_above_the_most(some):
    poll = some.open("bits")
    for device in range(MAX_VOTES):
        some.vote(poll.code, str(device), "4")
    with pytest.raises(ValueError, match="votes must be fewer than 1,000 to add one, got 1,000"):
        some.vote(poll.code, "onemore", "4")
    some.vote(poll.code, "7", "1")
    assert poll.counts == (1, 0, 0, MAX_VOTES - 1)
    poll.revealed = True
    with pytest.raises(ValueError, match="vote must come before the answer is shown"):
        some.vote(poll.code, "7", "4")
    assert poll.counts == (1, 0, 0, MAX_VOTES - 1)


def test_a_poll_is_forgotten_some_time_after_its_last_use():
    clock = [0.0]
    some = Polls(lambda: clock[0])
    first = some.open("bits")
    for clock[0] in (LIFE - 1, 2 * LIFE - 2):
        assert some.find(first.code) is first
    clock[0] = 4 * LIFE
    with pytest.raises(ValueError, match="poll must be one that is open"):
        some.find(first.code)


def test_no_more_polls_than_there_may_be_until_they_are_forgotten():
    clock = [0.0]
    some = Polls(lambda: clock[0])
    found = [some.open("bits") for _ in range(MAX_POLLS)]
    assert len({poll.code for poll in found}) == MAX_POLLS
    with pytest.raises(ValueError, match=f"open polls must be fewer than {MAX_POLLS} to open one"):
        some.open("bits")
    clock[0] = 2 * LIFE
    some.open("cliff")
    with pytest.raises(ValueError, match=r"question must be one of cliff, words, bits, pairs, .*, got nope"):
        some.open("nope")


def test_votes_that_come_at_once_are_all_counted(some):
    poll = some.open("bits")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda device: some.vote(poll.code, str(device), str(device % 4 + 1)), range(400)))
    assert poll.counts == (100,) * 4


@each(
    ("shown", "found"),
    [
        ("http://192.168.1.5:8501/poll", "http://192.168.1.5:8501/?answer=ABCD"),
        ("https://demo.example/app/poll", "https://demo.example/app/?answer=ABCD"),
        ("http://localhost:8501/poll", "http://10.0.0.7:8501/?answer=ABCD"),
        ("http://127.0.0.1:8501/poll", "http://10.0.0.7:8501/?answer=ABCD"),
        ("http://[::1]:8501/poll", "http://10.0.0.7:8501/?answer=ABCD"),
        ("http://[2001:db8::7]:8501/poll", "http://[2001:db8::7]:8501/?answer=ABCD"),
    ],
)
def test_telephones_get_an_address_that_they_can_reach(monkeypatch, shown, found):
    monkeypatch.setattr(polling, "of_this_machine", lambda: "10.0.0.7")
    assert polling.answer_address(shown, "poll", {"answer": "ABCD"}) == found


def test_without_a_network_there_is_no_address(monkeypatch):
    monkeypatch.setattr(polling, "of_this_machine", lambda: None)
    assert polling.answer_address("http://localhost:8501/poll", "poll", {"answer": "ABCD"}) is None
    at = opened("poll")
    assert "not connected to a network" in at.warning[0].value


@pytest.mark.parametrize("language", ["zh", ""])
def test_a_wall_that_names_its_language_gives_it_to_telephones(monkeypatch, language):
    asked = []
    monkeypatch.setattr(polling, "of_this_machine", lambda: "10.0.0.7")
    monkeypatch.setattr(polling, "scanned", lambda address: asked.append(address) or "data:,")
    at = opened("poll", **({"lang": language} if language else {}))
    [code] = at.session_state["_polls_of_session"].values()
    assert [one.partition("?")[2] for one in asked] == [f"answer={code}" + (f"&lang={language}" if language else "")]
    assert any(html.escape(asked[0].partition("//")[2]) in element.value for element in at.get("html"))


def test_a_vote_from_a_telephone_is_on_the_wall_and_the_answer_on_the_telephone(ballots):
    at = checked(opened("poll", question="bits"), 1)
    [code] = at.session_state["_polls_of_session"].values()
    listener = opened("home", answer=code)
    assert [button.label for button in listener.button] == list(QUESTIONS["bits"].choices.values())
    press(listener, "choice_2")
    press(listener, "choice_3")
    assert "Your vote: **3**" in said(listener)
    assert [(one["chosen"], one["known"]) for one in ballots] == [("", False), ("2", True), ("3", True)]
    assert polling.polls().find(code).counts == (0, 0, 1, 0)
    press(at, "poll_reveal")
    assert f"From {answer('bits')[1]['from']} to" in said(at)
    counted = "1: 0 votes; 2: 0 votes; 3: 1 vote; 4: 0 votes"
    assert sentences(at) == [f"1 vote: {counted}. The right answer is 4, with 0 votes."]
    also_in_chinese(at)
    assert "You chose 3. The right answer is **4**" in said(listener.run())
    assert not listener.button
    press(at, "poll_again")
    assert polling.polls().find(code).counts == (0, 0, 0, 0)
    assert at.button(key="poll_reveal")


@each("question", QUESTIONS)
def test_wall_and_telephones_say_the_answer_in_chinese(question, ballots):
    """The question itself is read by `test_every_page.py`."""
    polling.polls.forget()
    at = opened("poll", question=question, lang="zh")
    [poll] = polling.polls()._open.values()
    listener = read("home", answer=poll.code)
    pressed(listener, f"choice_{next(iter(QUESTIONS[question].choices))}")
    pressed(at, "poll_reveal")
    for choice in ("", *QUESTIONS[question].choices):
        poll.choices["somebody"] = choice
        in_chinese(listener.run())
    in_chinese(read("home", answer="XYZ"))


def test_each_session_has_a_poll_of_its_own_for_each_question():
    first, second = opened("poll"), opened("poll")
    first.selectbox(key="question").set_value("pairs").run()
    codes = [code for at in (first, second) for code in at.session_state["_polls_of_session"].values()]
    assert len(set(codes)) == 3


def saying(monkeypatch, event, value):
    """Let ballots say something at once, as a browser can; return what each was told."""
    told = []

    def browser(*, key, data, **events):
        told.append(data)
        st.session_state[key] = SimpleNamespace(**{event: value})
        events[f"on_{event}_change"]()

    monkeypatch.setattr(polling, "_BALLOT", browser)
    return told


NO_DEVICE = [{"choice": "4", **device} for device in ({}, {"device": 7}, {"device": "<b>"})]


@each("vote", [*NO_DEVICE, None, "4", ["somebody", "4"]])
def test_a_vote_of_no_device_is_refused_and_what_is_no_vote_is_ignored(monkeypatch, vote):
    poll = polling.polls().open("bits")
    saying(monkeypatch, "vote", vote)
    told = [warning.value for warning in opened("home", answer=poll.code).warning]
    assert ["This vote was not counted" in one for one in told] == [True] * (vote in NO_DEVICE)
    assert poll.counts == (0, 0, 0, 0)


def test_a_telephone_that_comes_back_says_which_device_it_is(monkeypatch):
    poll = polling.polls().open("bits")
    poll.choices["somebody"] = "2"
    told = saying(monkeypatch, "device", "somebody")
    at = opened("home", answer=poll.code)
    assert "Choose one answer" in said(at)
    assert "Your vote: **2**" in said(at.run())
    assert [(one["chosen"], one["known"]) for one in told] == [("", False), ("2", True)]


def test_a_telephone_with_a_bad_code_is_told():
    at = opened("home", answer="<b>nope</b>" * 50)
    assert "There is no such poll" in at.error[0].value
    assert len(at.error[0].value) < 300
    read("home", answer="<b>nope</b>")


def test_a_vote_and_a_poll_above_the_most_are_told(ballots, monkeypatch):
    poll = polling.polls().open("bits")
    monkeypatch.setattr(polling, "MAX_VOTES", 0)
    listener = press(opened("home", answer=poll.code), "choice_1")
    assert "This vote was not counted" in listener.warning[0].value
    pressed(read("home", answer=poll.code), "choice_1")
    assert poll.counts == (0, 0, 0, 0)
    monkeypatch.setattr(polling, "MAX_POLLS", 0)
    at = opened("poll")
    assert "open polls must be fewer than 0 to open one" in at.error[0].value
    also_in_chinese(at)
