"""What no link opens, in Chinese: answers that are judged, dialogs, what is pasted, lectures and polls."""

import json

import pytest

from pe_core.chapters.predictions import QUESTIONS as ASKED
from pe_core.quiz import QUESTIONS
from pe_core.quiz.mending import LISTINGS
from tests.app.in_chinese import in_chinese, pressed, read
from tests.app.opened import opened
from tests.app.test_models import LLAMA
from tests.app.told import CHINESE
from tests.cases import each
from ui import catalogue
from ui.lecture.scenes import MAX_SCENES, Lecture, Scene, load, names
from ui.poll import polls

# Answers of exercises.


@each("registry", catalogue.KINDS)
def test_what_is_said_of_a_guess_about_an_entry(registry):
    kind = catalogue.KINDS[registry]
    at = read("catalogue", cat_registry=registry)
    [field] = [field for field in at.number_input if field.key and field.key.startswith(f"cat_guess_{kind.name}")]
    in_chinese(field.set_value(0).run())


@pytest.mark.parametrize("key", QUESTIONS)
def test_answers_of_the_self_test(key):
    at = opened("selftest", self_topic=key, self_seed="7", lang="zh")  # the question is read by `test_every_page.py`
    for answer in ("-77", f"{QUESTIONS[key].ask(7).answer:.6g}", *["abc"] * (key == "component")):
        in_chinese(at.text_input(key=f"self_{key}_7_answer").set_value(answer).run())


def test_own_numbers_of_the_self_test():
    at = read("selftest", self_table="own", self_length="2", self_width="4")
    for text in ("0 1 0 1 0.8415 0.5403 0.0100 1", "0 1 0 1 0.8415 0.5403 0.0175 1", "1 2", "import os"):
        in_chinese(at.text_area(key="self_pasted").set_value(text).run())


@each("listing", LISTINGS)
def test_lines_that_are_to_be_mended(listing):
    at = opened("mend", mend_listing=listing, lang="zh")
    wrong = next(line for line in LISTINGS[listing].offered if line != LISTINGS[listing].line)
    for line in (wrong, LISTINGS[listing].line):
        in_chinese(at.segmented_control(key=f"mend_{listing}_guess").set_value(line).run())


@each("task", ["rope", "alibi"])
def test_own_numbers_of_the_page_mend_it(task):
    at = read("mend", mend_task=task)
    for text in ("1 2 3", "0 " * 24, "import os"):
        in_chinese(at.text_area(key=f"mend_{task}_pasted").set_value(text).run())


# Other pages.


def test_configurations_that_are_pasted():
    at = read("models", model_from="paste")
    wrong = ("{", "7", "{}", '{"model_type": "x"}', json.dumps({**LLAMA, "rope_theta": "10k"}), "[" * 99)
    for text in (*wrong, json.dumps(LLAMA)):
        in_chinese(at.text_area(key="model_pasted").set_value(text).run())


def test_formulas_that_are_wrong():
    at = read("own")
    for text in ("-sqrt(distance", "1/distance", "x", "9**9**9", "'a'", "m" * 300):
        in_chinese(at.text_input(key="own_text").set_value(text).run())


def test_sentences_that_are_wrong():
    at = read("why_position")
    for text in ("", "狗", "一二三四五六七八九十甲乙丙丁"):
        assert CHINESE.search(in_chinese(at.text_input(key="sentence").set_value(text).run()).warning[0].value)


# Lectures and polls.


def test_scenes_of_lectures():
    """A view that several lectures show is opened once; the sentences of all are read."""
    views = {}
    for lecture in names():
        for number, scene in enumerate(load(lecture, "zh").scenes, start=1):
            assert CHINESE.search(scene.sentence), (lecture, number)
            views[scene.page, scene.parameters] = {"present": lecture, "scene": str(number), **dict(scene.parameters)}
        read("home", present=lecture, notes="1")
    for (page, _), link in views.items():
        read(page, **link)


def test_a_lecture_is_put_together():
    at = pressed(read("counting"), "lecture_add")
    at.session_state["_lecture_collected"] = Lecture("课", 45, (Scene("home", (), "句", "", 1),) * MAX_SCENES)
    pressed(at, "lecture_add")
    at.switch_page("pages/lectures.py")
    pressed(in_chinese(at.run()), "lecture_use")
    for content in (b"", b"title = 3", b"\xff"):
        in_chinese(at.file_uploader(key="lecture_upload").upload("lecture.toml", content).run())
    read("lectures", present="nothing")


@each("question", ASKED)
def test_the_answer_of_a_poll(question, ballots):
    """What the wall and a telephone say of every choice; the question itself is read by `test_every_page.py`."""
    polls.polls.forget()
    at = opened("poll", question=question, lang="zh")
    [poll] = polls.polls()._open.values()
    pressed(at, "poll_reveal")
    listener = opened("home", answer=poll.code, lang="zh")
    for choice in ASKED[question].choices:
        poll.choices["somebody"] = choice
        in_chinese(listener.run())


def test_a_poll_on_the_wall_and_on_telephones(ballots, monkeypatch):
    polls.polls.forget()
    at = read("poll", question="bits")
    [poll] = polls.polls()._open.values()
    listener, silent = read("home", answer=poll.code), read("home", answer=poll.code)
    pressed(listener, "choice_4")
    pressed(at, "poll_reveal")
    in_chinese(listener.run())
    poll.choices.clear()
    in_chinese(silent.run())
    pressed(at, "poll_again")
    read("home", answer="<b>nope</b>")
    monkeypatch.setattr(polls, "MAX_VOTES", 0)
    poll.choices.clear()
    pressed(read("home", answer=poll.code), "choice_4")
    monkeypatch.setattr(polls, "MAX_POLLS", 0)
    assert CHINESE.search(read("poll", question="bits").error[0].value)
