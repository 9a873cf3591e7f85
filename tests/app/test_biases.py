"""The page on relative biases: what it says and draws, without a system too, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math

from pe_core.chapters.biases import SYSTEMS
from tests.app.opened import checked, frames, opened, said, sentences

PAGE = "biases"
LOOKS = {"Sign slip": 2, "Matrix": 3, "Softmax row": 3}  # and how many charts the page has
RULES = {
    "bias_head": "be a whole number from 1 to 8",
    "bias_length": "be one of 16, 32, 64, 128",
    "bias_row": "be a whole number from 2 to 32",
    "bias_slope": "be one of 0.00390625, 0.0078125, 0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0",
    "bias_systems": "be among alibi, t5, kerple_log, sandwich, fire, kerple_power",
    "bias_look": "be one of Sign slip, Matrix, Softmax row, T5 buckets, Slopes, Key index",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["bias_look"]])


def test_five_systems_are_shown_and_a_longer_training_leaves_distances_out_and_says_so():
    at = sound(opened(PAGE))
    assert not at.warning
    first = frames(at)[0]
    assert first["bands"].name.to_list() == ["ALiBi", "T5 bias", "KERPLE, logarithmic", "Sandwich", "FIRE"]
    assert "the same distance gets a different bias from **FIRE (by up to " in said(at)
    assert "the same bias from ALiBi; T5 bias; KERPLE, logarithmic; Sandwich." in said(at)
    assert "ALiBi 0 to −63.5;" in sentences(at)[0]
    assert "own key the weight **0.634** and the first key **0.004**" in said(at)
    assert "the first query, which should see its own key only, sums to −∞" in said(at)
    assert "evenly spaced" not in said(at)
    sound(at.select_slider(key="bias_length").set_value(128).run())
    assert "The picture shows 128 of the distances up to 255" in said(at)
    assert "evenly spaced" in said(at)
    assert not frames(at)[0]["curves"].equals(first["curves"])


def test_a_link_shows_another_system_alone():
    link = {"bias_systems": "sandwich", "bias_system": "sandwich", "bias_look": "Matrix", "bias_length": "32"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert at.select_slider(key="bias_length").value == 32
    assert {name: at.query_params[name] for name in link} == link
    assert frames(at)[0]["bands"].name.to_list() == [SYSTEMS["sandwich"].title]
    assert "depends on the distance only: Sandwich." in said(at)
    assert sentences(at)[1].startswith("Bias of Sandwich in head 1 for 24 tokens. In the last row it goes down to −")


def test_without_a_system_the_page_asks_for_one_and_then_shows_all_that_are_chosen():
    at = opened(PAGE, bias_systems="", bias_look="Softmax row")
    assert not at.exception
    assert "Choose at least one system" in said(at)
    assert len(frames(at)) == len(sentences(at)) == 2
    assert set(frames(at)[0]["lines"].name) == {"no bias"}
    at.multiselect(key="bias_systems").set_value(list(SYSTEMS)).run()
    assert len(frames(sound(at))[0]["bands"]) == len(SYSTEMS)


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="bias_guess").set_value(13).run()).warning
    assert f"{math.exp(-13 / 2):.2g}" in wrong.value
    assert not at.success
    [right] = sound(at.number_input(key="bias_guess").set_value(14).run()).success
    assert f"{math.exp(-14 / 2):.2g}" in right.value
    assert not at.warning


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "<b>1</b>")))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES)
    assert all(f"{name} must {rule}, got " in warned for name, rule in RULES.items())
    assert warned.count("got '<b>1</b>'`. Shown instead: ") == len(RULES) - 1
    assert "got <b>1</b>`" in warned  # of the systems, whose list has no quotation marks
    assert len(frames(at)[0]["bands"]) == 5
