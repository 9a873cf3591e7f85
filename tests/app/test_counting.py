"""The page on counting: what it says by default, at both ends of its controls, in every look, and for bad links."""

import math

import pytest
import torch

from pe_core.wrapping import spelt
from tests.app.opened import checked, frames, opened, said

PAGE = "counting"
LOOKS = ("Drowning", "LayerNorm", "Rounding")
ENDS = {"cnt_first": ("2", "64"), "cnt_second": ("2", "512")}
LOOK_ENDS = {
    "Drowning": {"cnt_width": ("4", "1024")},
    "LayerNorm": {"cnt_width": ("4", "1024")},
    "Rounding": {"cnt_tokens": ("64", "8000"), "cnt_precision": ("float32", "bfloat16")},
}
RULES = {
    "cnt_first": "be a whole number from 2 to 64",
    "cnt_second": "be a whole number from 2 to 512",
    "cnt_width": "be one of 4, 16, 64, 256, 1024",
    "cnt_tokens": "be one of 64, 128, 257, 300, 500, 1000, 2000, 4000, 8000",
    "cnt_precision": "be one of float32, float16, bfloat16",
    "cnt_look": "be one of Drowning, LayerNorm, Rounding, In training",
}


def sound(at):
    return checked(at, 3)


def test_by_default_the_same_word_has_two_numbers_and_most_words_are_new():
    at = sound(opened(PAGE))
    assert not at.warning
    assert f"the same word 5 is **{5 / 9:.4f}** in the first sentence and **{5 / 99:.4f}** in the second" in said(at)
    assert "1/9 = 0.1111 in the first sentence and 1/99 = 0.0101 in the second" in said(at)
    assert "**90 words of the second sentence have numbers that the model has never met**" in said(at)
    shared = len({m / 9 for m in range(10)} & {m / 99 for m in range(100)})
    assert f"Only {shared} of the second sentence's 100 numbers" in said(at)
    integer, normalised, _ = frames(at)
    assert integer["followed"].value.nunique() == 1
    assert normalised["followed"].value.nunique() == 2


def test_by_default_the_index_drowns_the_token():
    at = sound(opened(PAGE))
    curve = frames(at)[2]["lines"].set_index(["name", "x"]).y
    assert curve["integer index", 10] == pytest.approx(1 / math.sqrt(1 + 100 * 64), rel=0.05)
    assert f"the token is **{100 * curve['integer index', 10]:.2g} %** of the length" in said(at)


def test_layer_norm_removes_the_index():
    at = sound(opened(PAGE, cnt_look="LayerNorm"))
    lines = frames(at)[2]["lines"]
    largest = lines[lines.name == "LayerNorm"].y.max()
    assert 0 < largest < 1e-10
    words = f"the same as without the index**, to {spelt(largest, '.0e')} for 16 random tokens at positions up to 4,096"
    assert words in said(at)
    assert lines[lines.name == "RMSNorm"].y.min() > 1


def test_neighbours_that_become_one_number_are_named():
    text = said(sound(opened(PAGE, cnt_look="Rounding", cnt_tokens="4000")))
    integer = torch.arange(4_000.0).bfloat16()
    assert f"the 4,000 positions of this text have **{integer.unique().numel():,}** different integer indices" in text
    assert "256 and 257 for the integer index, and " in text
    assert "24 for float32, 11 for float16, 8 for bfloat16" in text


def test_with_enough_digits_every_position_keeps_its_value():
    assert "each of the 8,000 positions of this text has a different value: 8,000 different integer indices" in said(
        sound(opened(PAGE, cnt_look="Rounding", cnt_tokens="8000", cnt_precision="float32"))
    )


def test_sentences_of_one_length_have_the_same_numbers():
    text = said(sound(opened(PAGE, cnt_first="30", cnt_second="30")))
    assert "as both sentences have 30 words" in text
    assert "no number of the second sentence is above 29" in text


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end_in_every_look(look, end):
    values = {name: ends[end] for name, ends in {**ENDS, **LOOK_ENDS[look]}.items()}
    assert not sound(opened(PAGE, cnt_look=look, **values)).warning


BAD = [("Drowning", value) for value in ("", "abc", "nan", "-3", "7.5", "99999999999999999999", "<b>1</b>")]


@pytest.mark.parametrize(("look", "value"), [*BAD, ("LayerNorm", "7.5"), ("Rounding", "7.5")])
def test_bad_links_are_named_and_the_defaults_shown(look, value):
    asked = dict.fromkeys([*ENDS, *LOOK_ENDS[look]], value)
    at = sound(opened(PAGE, cnt_look=look, **asked))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(asked)
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in asked)


def test_a_look_that_does_not_exist_is_named():
    at = sound(opened(PAGE, cnt_look="Nothing"))
    assert [f"cnt_look must {RULES['cnt_look']}, got 'Nothing'" in warning.value for warning in at.warning] == [True]


@pytest.mark.parametrize(("guess", "right"), [(33, True), (3, False), (0, False), (99, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="cnt_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert len(at.warning) == (not right)
    answer = (at.success or at.warning)[0].value
    assert f"{3 / 9:.4f}" in answer
    assert right or f"{guess / 99:.4f}" in answer
