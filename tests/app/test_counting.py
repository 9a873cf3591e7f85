"""The page on counting: what it says by default and when a sentence or a precision changes, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math

import pytest
import torch

from tests.app.opened import checked, frames, opened, said

PAGE = "counting"
RULES = {
    "cnt_first": "be a whole number from 2 to 64",
    "cnt_second": "be a whole number from 2 to 512",
    "cnt_width": "be one of 4, 16, 64, 256, 1024",
    "cnt_look": "be one of Drowning, LayerNorm, Rounding, In training",
}


def sound(at):
    return checked(at, 3)


def test_the_same_word_has_two_numbers_until_both_sentences_have_one_length():
    at = sound(opened(PAGE))
    assert not at.warning
    assert f"the same word 5 is **{5 / 9:.4f}** in the first sentence and **{5 / 99:.4f}** in the second" in said(at)
    assert "1/9 = 0.1111 in the first sentence and 1/99 = 0.0101 in the second" in said(at)
    assert "**90 words of the second sentence have numbers that the model has never met**" in said(at)
    shared = len({m / 9 for m in range(10)} & {m / 99 for m in range(100)})
    assert f"Of the second sentence's 100 numbers, {shared} occur in the first sentence" in said(at)
    integer, normalised, drowning = frames(at)
    assert integer["followed"].value.nunique() == 1
    assert normalised["followed"].value.nunique() == 2
    curve = drowning["lines"].set_index(["name", "x"]).y
    assert curve["integer index", 10] == pytest.approx(1 / math.sqrt(1 + 100 * 64), rel=0.05)
    assert f"the token is, on average, **{100 * curve['integer index', 10]:.2g} %** of the length" in said(at)
    at.slider(key="cnt_first").set_value(30)
    at.slider(key="cnt_second").set_value(30)
    sound(at.run())
    assert "as both sentences have 30 words" in said(at)
    assert "no number of the second sentence is above 29" in said(at)
    assert frames(at)[1]["followed"].value.nunique() == 1


def test_every_position_of_the_link_keeps_its_value_until_there_are_too_few_digits():
    link = {"cnt_look": "Rounding", "cnt_tokens": "8000", "cnt_precision": "float32"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert {name: at.query_params[name] for name in link} == link
    words = "each of the 8,000 positions of this text has a different value: 8,000 different integer indices"
    assert words in said(at)
    text = said(sound(at.segmented_control(key="cnt_precision").set_value("bfloat16").run()))
    kept = torch.arange(8_000.0).bfloat16().unique().numel()
    assert words not in text
    assert f"the 8,000 positions of this text have **{kept:,}** different integer indices" in text
    assert "256 and 257 for the integer index, and " in text
    assert "float32 24, float16 11, bfloat16 8" in text


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="cnt_guess").set_value(3).run()).warning
    assert f"{3 / 9:.4f}" in wrong.value
    assert f"{3 / 99:.4f}" in wrong.value
    assert not at.success
    [right] = sound(at.number_input(key="cnt_guess").set_value(33).run()).success
    assert f"{3 / 9:.4f}" in right.value
    assert not at.warning


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "7.5")))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES)
    assert all(f"{name} must {rule}, got '7.5'" in warned for name, rule in RULES.items())
    assert "in the first sentence and 1/99 = 0.0101 in the second" in said(at)
