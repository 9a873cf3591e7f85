"""The page on context extension: what it says and draws, which rules it shows, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import json
import math

import pytest

from pe_core.rope_scaling import SCALINGS
from tests.app.opened import ROOT, checked, frames, opened, said, sentences

PAGE = "extension"
# how many charts the page has with each look
LOOKS = dict.fromkeys(("Slowdown", "Wavelengths", "Ramp", "Kernel", "Trained model"), 2)
LOOKS |= {"Why longer": 1, "Base bound": 2, "Exercise": 1}
RULES = {
    "ext_factor": "be one of 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64",
    "ext_train": "be one of 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384",
    "ext_width": "be a whole number from 4 to 256 in steps of 4",
    "ext_base": "be a whole number from 100 to 100,000,000",
    "ext_look": f"be one of {', '.join(LOOKS)}",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["ext_look"]])


def slowing(at):
    """The last and the first point of every rule's curve."""
    lines = frames(at)[1]["lines"]
    return {name: (line.y.iloc[0], line.y.iloc[-1]) for name, line in lines.groupby("name")}


def test_one_slider_moves_every_rule_and_what_is_live_stands_where_it_belongs():
    at = sound(opened(PAGE))
    assert not at.warning
    assert "19 of the 32 pairs meet angles in 1,024 tokens that they have never met" in said(at)
    assert "met of it in 256 tokens of training, and what is new in 1,024." in sentences(at)[0]
    at.select_slider(key="ext_factor").set_value(16)
    at.select_slider(key="ext_train").set_value(8_192)
    assert [last for _, last in slowing(sound(at.run())).values()] == pytest.approx([16] * 4)
    assert f"YaRN {(0.1 * math.log(16) + 1) ** -2:.4f}" in said(at)
    first, asked, second, third, fourth, *_ = [element.value for element in at.markdown]
    assert "131,072 tokens bring fewer new angles, if any, to a model trained on 8,192." in first
    assert "Predict first" in asked
    assert "pairs meet angles in 131,072 tokens" in second
    assert "What to look for" in third
    assert "trained on 8,192 tokens" in fourth


def test_without_a_rule_those_of_the_start_are_shown_and_more_than_there_are_colours_are_cut():
    at = sound(opened(PAGE, rules=[""]))
    assert len(slowing(at)) == 4
    assert "No rule is chosen" in at.info[0].value
    sound(at.multiselect(key="rules").set_value(list(SCALINGS)).run())
    assert len(slowing(at)) == min(8, len(SCALINGS))
    assert bool(at.info) == (len(SCALINGS) > 8)


def test_without_a_factor_there_is_nothing_to_do():
    at = sound(opened(PAGE, ext_look="Ramp", ext_factor="1", rules=["yarn"]))
    assert "no rule changes any of the 32 pairs" in said(at)
    assert "No pair meets a new angle in 256 tokens" in said(at)
    assert not frames(at)[1]["lines"].y.any()
    sound(at.select_slider(key="ext_factor").set_value(4).run())
    assert "here 13 of 32 pairs complete a turn within the 256 tokens" in said(at)
    assert "Interpolated in full: YaRN" in sentences(at)[1]


def test_the_trained_model_of_the_link_is_read_under_the_chosen_rules_and_named_at_the_nearest_length():
    at = sound(opened(PAGE, ext_look="Trained model", rules=["ntk", "pi"], ext_factor="4"))
    assert not at.warning
    assert at.select_slider(key="ext_factor").value == 4
    assert at.query_params["rules"] == ["ntk", "pi"]
    kept = json.loads((ROOT / "pe_core" / "runs" / "repair.json").read_text(encoding="utf-8"))["outcomes"]["rope"]
    lines = frames(at)[-1]["lines"]
    assert set(lines.name) == {"NTK-aware", "Position interpolation", "ReRoPE", "Window", "As trained"}
    for title, losses in (("NTK-aware", kept["repaired"]["ntk"]), ("As trained", kept)):
        at_256 = next(one["loss"] for one in losses["lengths"] if one["length"] == 256)
        assert lines[(lines.name == title) & (lines.x == 256)].y.item() == pytest.approx(at_256)
        assert f"{title} {at_256:.2f}" in said(at)
    assert "At 256 characters the losses, in nats per character, are" in said(at)
    assert "trained with RoPE on texts of 64 characters for " in said(at)


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE, ext_look="Exercise")
    [wrong] = sound(at.number_input(key="ext_guess").set_value(3).run()).warning
    assert not at.success
    [right] = sound(at.number_input(key="ext_guess").set_value(9).run()).success
    for words in (wrong.value, right.value):
        assert "9" in words
        assert "the first by 1." in words


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "<script>"), rules=["nothing"]))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES) + 1
    assert all(f"{name} must {rule}, got '<script>'" in warned for name, rule in RULES.items())
    assert f"rules must be among {', '.join(SCALINGS)}, got nothing" in warned
    assert len(slowing(at)) == 4
