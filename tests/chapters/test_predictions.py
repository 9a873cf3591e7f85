"""Questions for a room: the computed answers by hand, and the picture of the votes."""

import math

import pytest

from pe_core.chapters import counting, extension, gallery, images, learned, predictions, rope, sinusoidal, windows
from pe_core.chapters.course import COURSE
from pe_core.chapters.predictions import COMPARED, QUESTIONS
from tests.cases import each, refuses


@each("question", QUESTIONS)
def test_every_answer_is_one_of_the_choices(question):
    right, facts, _ = predictions.answer(question)
    assert right in QUESTIONS[question].choices
    assert 2 <= len(QUESTIONS[question].choices) <= 4
    assert facts


def test_the_first_to_break_has_the_largest_ratio_of_the_gallery(monkeypatch):
    found = dict(gallery.trained(2))
    ratios = {key: found[key].mean for key in COMPARED}
    assert predictions.first_to_break()[0] == max(ratios, key=ratios.get)
    found["sinusoidal"], found["alibi"] = found["alibi"], found["sinusoidal"]
    monkeypatch.setattr(gallery, "trained", lambda multiple: found)
    assert predictions.first_to_break()[0] == "alibi"


def test_the_flipped_bits_are_told():
    assert predictions.flipped_bits()[:2] == ("4", {"changed": 4, "from": "0111", "to": "1000"})


def test_every_chapter_asks_one_question_of_its_own():
    assert list(predictions.BEFORE) == list(COURSE)
    assert len(set(predictions.BEFORE.values())) == len(COURSE)
    assert set(predictions.BEFORE.values()) <= set(QUESTIONS)


def test_questions_are_about_the_pictures_and_their_controls():
    assert (counting.FIRST.default, counting.SECOND.default) == (predictions.SHORT, predictions.LONG)
    assert predictions.FACTOR in extension.FACTORS
    assert set(predictions.STEPS) <= set(learned.STEP.choices)
    table = sinusoidal.WIDTH.default, sinusoidal.LENGTH.default
    assert table == (2 * predictions.WAVES, predictions.WAVE_POSITIONS)
    assert (rope.QUERY.default, rope.KEY.default) == (predictions.QUERY, predictions.KEY)
    assert windows.LAYERS.maximum >= predictions.LAYERS
    assert images.N_ROWS.default == predictions.SIDE


@each(
    ("question", "by_hand"),
    [
        ("bits", "4"),
        ("pairs", str(sum(4096 / (2 * math.pi * 10_000 ** (2 * pair / 128)) < 1 for pair in range(64)))),
        ("words", "2"),
        ("codes", str(2 * (20 - 16))),
        ("numbers", str(5 * 99 // 9)),
        ("waves", str(sum(2 * math.pi * 10_000 ** (i / 32) <= 64 for i in range(32)))),
        ("swapped", "neither"),
        ("lowest", "fire"),  # at this head the slope of ALiBi is 1/256: half a unit
        ("reach", str(4 * (16 - 1))),
        ("angles", str(sum(2 * math.pi * 500_000 ** (i / 32) > 256 for i in range(32)))),
        ("patches", "next"),
        ("rows", "200"),
    ],
)
def test_answers_by_hand(question, by_hand):
    assert predictions.answer(question)[0] == by_hand


@pytest.mark.parametrize(
    ("question", "name", "value", "right"),
    [
        ("bits", "FROM", 5, "2"),
        ("pairs", "TRAINED", 10**6, "0"),
        ("words", "FIRST_SWAPPED", (2, 1, 0), "3"),
        ("codes", "SHARED", 16, "0"),
        ("numbers", "LONG", 10, "5"),
        ("waves", "WAVE_POSITIONS", 10**6, "32"),
        ("rows", "ALIKE", 0.8, "1000"),
        ("swapped", "KEY", 12, "stays"),
        ("reach", "WINDOW", 17, "64"),
        ("angles", "EXTENDED_LENGTH", 10**7, "0"),
        ("patches", "SAME", 1.0, "both"),
    ],
)
def test_another_setting_has_another_answer(monkeypatch, question, name, value, right):
    monkeypatch.setattr(predictions, name, value)
    found, *_ = QUESTIONS[question].answer()
    assert found == right


def test_votes_are_bars_and_the_right_one_has_a_tick_once_it_is_revealed():
    hidden, shown = (predictions.votes("bits", [1, 0, 2, 9], revealed) for revealed in (False, True))
    assert hidden.frames["bars"].value.tolist() == [1, 0, 2, 9]
    assert hidden.frames["bars"].place.tolist() == ["1", "2", "3", "4"]
    assert hidden.facts == {
        "votes": "12 votes",
        "told": "1: 1 vote; 2: 0 votes; 3: 2 votes; 4: 9 votes",
        "section": "votes-open",
    }
    assert shown.frames["bars"].place.tolist() == ["1", "2", "3", "✓ 4"]
    assert (shown.facts["right"], shown.facts["right-votes"]) == ("4", "9 votes")
    message = "counts must hold a number for each of the 4 choices, got 3"
    refuses(lambda: predictions.votes("bits", [1, 2, 3], False), message)


def test_the_axis_grows_in_steps_and_not_with_every_vote():
    tops = [predictions.votes("bits", [n, 0, 0, 0], False).spec for n in (0, 9, 10, 18, 1000)]
    assert tops[0] == tops[1] != tops[2] == tops[3] != tops[4]
