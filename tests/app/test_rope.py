"""The page on RoPE: what it says and draws by default, at both ends of its controls, and for bad links."""

import math
import re

import pytest

from tests.app.opened import checked, frames, opened, said, typed

PAGE = "rope"
LOOKS = {"Distance": 2, "Turns": 2, "Three forms": 1, "Layouts": 3, "Exercise": 1}  # and how many charts the page has
LOOKS |= {"Derivation": 2, "One dial, then eight": 2, "Four steps of attention": 1, "Line by line": 1}
ENDS = {
    "query": ("0", "511"),
    "key": ("0", "511"),
    "rope_shift": ("0", "500"),
    "rope_width": ("2", "128"),
    "rope_base": ("1", "100000000"),
    "rope_seed": ("0", "99"),
}
RULES = {
    "query": "be a whole number from 0 to 511",
    "key": "be a whole number from 0 to 511",
    "rope_shift": "be a whole number from 0 to 500",
    "rope_width": "be a whole number from 2 to 128 in steps of 2",
    "rope_base": "be a whole number from 1 to 100,000,000",
    "rope_seed": "be a whole number from 0 to 99",
    "rope_length": "be a whole number from 16 to 1,048,576 in steps of 16",
    "rope_look": "be one of Distance, Turns, Three forms, Layouts, Derivation, "
    "One dial, then eight, Four steps of attention, Line by line, Exercise",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["rope_look"]])


def numbers(at, pattern):
    return [float(number.replace("−", "-")) for number in re.search(pattern, typed(said(at))).groups()]


def test_a_shift_of_both_turns_the_hands_and_leaves_the_score():
    here, there = sound(opened(PAGE)), sound(opened(PAGE, rope_shift="500"))
    score = r"at positions 12 and 9, it is \*\*(−?[\d.]+)\*\*.*it is (−?[\d.]+), a difference of"
    (before, same), (still, moved) = numbers(here, score), numbers(there, score)
    assert before == same == still == moved
    assert not frames(here)[0]["hands"].degrees.equals(frames(there)[0]["hands"].degrees)
    assert frames(here)[0]["dials"].share.to_list() == pytest.approx(frames(there)[0]["dials"].share.to_list())


def test_the_numbers_below_the_dials_add_up_to_the_score():
    at = sound(opened(PAGE, rope_width="16"))
    (score,) = numbers(at, r"at positions 12 and 9, it is \*\*(−?[\d.]+)\*\*")
    assert frames(at)[0]["dials"].share.sum() == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end(look, end):
    at = sound(opened(PAGE, rope_look=look, **{key: values[end] for key, values in ENDS.items()}))
    assert not at.warning


@pytest.mark.parametrize(("length", "unfinished"), [("16", 14), ("64", 11), ("4096", 4), ("1048576", 0)])
def test_pairs_that_never_complete_a_turn_are_counted(length, unfinished):
    at = sound(opened(PAGE, rope_look="Turns", rope_length=length))
    assert f"**{unfinished} of 16 pairs**" in said(at)  # 2π · 10,000^(i/16) is longer than the text


def test_any_base_can_be_typed_and_those_of_old_links_stay():
    at = sound(opened(PAGE, rope_base="150000", rope_look="Turns"))
    assert at.number_input(key="rope_base").value == 150_000
    assert "**12 of 16 pairs**" in said(at)  # 2π · 150,000^(i/16) is longer than 64 from pair 4 on
    at.number_input(key="rope_base").set_value(123_457).run()
    assert "**12 of 16 pairs**" in said(sound(at))
    at.number_input(key="rope_base").set_value(100).run()
    assert "**7 of 16 pairs**" in said(sound(at))  # 2π · 100^(i/16) > 64 from pair 9 on


@pytest.mark.parametrize(("query", "key"), [("12", "9"), ("0", "511"), ("300", "1")])
def test_the_layouts_agree_once_the_channels_are_in_order(query, key):
    at = sound(opened(PAGE, rope_look="Layouts", query=query, key=key))
    interleaved, half = numbers(at, r"give different scores, (−?[\d.]+) and (−?[\d.]+):")
    ordered, difference = numbers(
        at, r"half-split layout gives (−?[\d.]+), the same as the interleaved one to ([\de.-]+):"
    )
    assert interleaved == ordered != half
    (kept,) = numbers(at, r"both scores stay the same to ([\de.-]+)\.")
    assert max(difference, kept) < 1e-12
    first, second = (data["table"].pivot(index="row", columns="column", values="value") for data in frames(at)[1:])
    order = [*range(0, 32, 2), *range(1, 32, 2)]
    assert first.loc[order, order].to_numpy() == pytest.approx(second.to_numpy(), abs=1e-12)


def test_the_common_mistake_has_another_norm():
    at = sound(opened(PAGE, rope_look="Three forms"))
    mistaken, norm = numbers(at, r"its norm is ([\d.]+) instead of ([\d.]+)\)")
    assert norm == 1
    assert mistaken != norm
    rows = [row.split("`")[1] for row in said(at).splitlines() if row.count("`") == 2]
    assert rows[0] == rows[1] == rows[2] != rows[3]


@pytest.mark.parametrize(("guess", "right"), [(3, True), (9, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE, rope_look="Exercise")
    at.number_input(key="rope_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert len(at.warning) == (not right)
    assert f"−{-math.cos(guess):.4f}" in (at.success or at.warning)[0].value


@pytest.mark.parametrize("value", ["", "abc", "nan", "-3", "7.5", "99999999999999999999", "<b>1</b>"])
def test_bad_links_are_named_and_the_defaults_shown(value):
    at = sound(opened(PAGE, **dict.fromkeys(ENDS, value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(ENDS)
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in ENDS)


@pytest.mark.parametrize(("key", "value"), [("rope_look", "Turn"), ("rope_width", "7"), ("rope_base", "0")])
def test_a_value_that_is_no_choice_is_named(key, value):
    at = sound(opened(PAGE, **{key: value}))
    assert [f"{key} must {RULES[key]}, got {value!r}" in warning.value for warning in at.warning] == [True]
