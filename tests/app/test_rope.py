"""The page on RoPE: what it says and draws, what a shift and a base change, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math
import re

import pytest

from tests.app.opened import checked, frames, opened, said, typed

PAGE = "rope"
LOOKS = {"Distance": 2, "Turns": 2, "Exercise": 1}  # and how many charts the page has
RULES = {
    "query": "be a whole number from 0 to 99",
    "key": "be a whole number from 0 to 99",
    "rope_width": "be a whole number from 2 to 128 in steps of 2",
    "rope_base": "be a whole number from 1 to 100,000,000",
    "rope_seed": "be a whole number from 0 to 99",
    "rope_look": "be one of Turns, One dial, then eight, Distance, Derivation, Four steps of attention, Three forms, "
    "Line by line, Layouts, Exercise",
}
SCORE = r"at positions 12 and 9, it is \*\*(−?[\d.]+)\*\*"


def sound(at):
    return checked(at, LOOKS[at.session_state["rope_look"]])


def numbers(at, pattern):
    return [float(number.replace("−", "-")) for number in re.search(pattern, typed(said(at))).groups()]


def test_another_place_turns_the_hands_and_moving_both_on_leaves_the_score():
    at = sound(opened(PAGE))
    assert not at.warning
    here, (before, moved) = frames(at)[0], numbers(at, SCORE + r".*it is (−?[\d.]+), a difference of")
    assert before == moved
    sound(at.slider(key="query").set_value(40).run())
    assert not here["hands"].degrees.equals(frames(at)[0]["hands"].degrees)


def test_any_base_of_a_link_or_typed_turns_the_pairs_and_the_numbers_below_the_dials_add_up():
    link = {"rope_base": "150000", "rope_width": "16"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert {name: at.query_params[name] for name in link} == link
    assert at.number_input(key="rope_base").value == 150_000
    assert "**6 of 8 pairs**" in said(at)  # 2π · 150,000^(i/8) is longer than 64 from pair 2 on
    (score,) = numbers(at, SCORE)
    assert frames(at)[0]["dials"].share.sum() == pytest.approx(score, abs=5e-5)
    sound(at.number_input(key="rope_base").set_value(101).run())
    assert "**3 of 8 pairs**" in said(at)  # 2π · 101^(i/8) > 64 from pair 5 on


def test_a_link_to_a_look_opens_its_group_and_another_group_opens_with_its_first_look():
    at = opened(PAGE, rope_look="Layouts")
    assert not at.warning
    group, look = (at.segmented_control(key=key) for key in ("rope_look_group", "rope_look"))
    assert (group.value, look.value) == ("Write it", "Layouts")
    assert look.options == ["Line by line", "Layouts", "Exercise"]
    group.set_value("See it").run()
    look = at.segmented_control(key="rope_look")
    assert (look.value, look.options) == ("Turns", ["Turns", "One dial, then eight", "Distance"])
    assert "rope_look" not in at.query_params
    look.set_value("Distance").run()
    assert at.query_params["rope_look"] == "Distance"
    assert at.segmented_control(key="rope_look_group").value == "See it"


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE, rope_look="Exercise")
    [wrong] = sound(at.number_input(key="rope_guess").set_value(9).run()).warning
    assert f"−{-math.cos(9):.4f}" in wrong.value
    assert not at.success
    [right] = sound(at.number_input(key="rope_guess").set_value(3).run()).success
    assert f"−{-math.cos(3):.4f}" in right.value
    assert not at.warning


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "nan")))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES)
    assert all(f"{name} must {rule}, got 'nan'" in warned for name, rule in RULES.items())
    assert "at positions 12 and 9, it is" in said(at)
