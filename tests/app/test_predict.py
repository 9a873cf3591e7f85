"""A question before the first picture of every chapter: no answer before a choice, and a computed one after it."""

import pytest

from pe_core.chapters import predictions
from tests.app.opened import opened, said
from tests.app.walking import sound


@pytest.mark.parametrize("chapter", predictions.BEFORE)
def test_a_chapter_asks_and_says_after_a_choice_whether_it_was_right(chapter):
    key = predictions.BEFORE[chapter]
    question, (right, _) = predictions.QUESTIONS[key], predictions.answer(key)
    at = sound(opened(chapter))
    assert question.asked in said(at)
    assert "**Right: " not in said(at)
    wrong = next(choice for choice in question.choices if choice != right)
    at.pills(key=f"guess_{key}").set_value(wrong)
    sound(at.run())
    assert f"You said {question.choices[wrong]}; it is **{question.choices[right]}**." in said(at)
    assert question.asked not in said(at)


def test_a_right_guess_is_said_to_be_right_and_stays_when_one_comes_back():
    at = opened("rope")
    at.pills(key="guess_swapped").set_value("neither").run()
    assert "**Right: Neither.** At offset 3 the score is −0.2038" in said(at)
    at.switch_page("pages/windows.py").run()
    at.switch_page("pages/rope.py").run()
    assert "**Right: Neither.**" in said(at)


def test_in_a_lecture_nothing_is_asked():
    at = opened("rope", present="45", scene="1")
    assert not at.exception
    assert not [one for one in at.get("button_group") if "guess_" in str(one.key)]
    assert "Predict first" not in said(at)
