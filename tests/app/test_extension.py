"""The page on context extension: what it says and draws by default, at both ends of its controls, and for bad links."""

import json
import math

import pytest

from pe_core.rope_scaling import SCALINGS
from tests.app.opened import ROOT, checked, frames, opened, said, sentences

PAGE = "extension"
# how many charts the page has with each look
LOOKS = {"Wavelengths": 2, "Ramp": 2, "Kernel": 2, "Base bound": 2, "Trained model": 2, "Why longer": 1, "Exercise": 1}
ENDS = {
    "ext_factor": ("1", "64"),
    "ext_train": ("64", "16384"),
    "ext_width": ("4", "256"),
    "ext_base": ("100", "100000000"),
}

RULES = {
    "ext_factor": "be a whole number from 1 to 64",
    "ext_train": "be one of 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384",
    "ext_width": "be a whole number from 4 to 256 in steps of 4",
    "ext_base": "be a whole number from 100 to 100,000,000",
    "ext_look": f"be one of {', '.join(LOOKS)}",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["ext_look"]])


def slowing(at):
    """The last and the first point of every rule's curve."""
    lines = frames(at)[0]["lines"]
    return {name: (line.y.iloc[0], line.y.iloc[-1]) for name, line in lines.groupby("name")}


def test_one_slider_moves_every_rule():
    at = opened(PAGE)
    at.slider(key="ext_factor").set_value(16).run()
    assert [last for _, last in slowing(sound(at)).values()] == pytest.approx([16] * 4)
    assert f"YaRN {(0.1 * math.log(16) + 1) ** -2:.4f}" in said(at)


@pytest.mark.parametrize("key", SCALINGS)
def test_every_rule_can_be_shown_alone(key):
    at = sound(opened(PAGE, rules=[key]))
    assert list(slowing(at)) == [SCALINGS[key].title]


def test_without_a_rule_those_of_the_start_are_shown():
    at = sound(opened(PAGE, rules=[""]))
    assert len(slowing(at)) == 4
    assert "No rule is chosen" in at.info[0].value


def test_more_rules_than_colours_are_cut_with_a_word():
    at = sound(opened(PAGE, rules=list(SCALINGS)))
    assert len(slowing(at)) == min(8, len(SCALINGS))
    assert bool(at.info) == (len(SCALINGS) > 8)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end(look, end):
    assert not sound(opened(PAGE, ext_look=look, **{key: values[end] for key, values in ENDS.items()})).warning


def test_the_first_negative_distance_of_the_kernel_is_the_golden_one():
    at = sound(opened(PAGE, ext_look="Kernel", rules=["plain"]))
    assert "in training 725, None 725" in said(at)  # head width 64, base 10,000


def test_without_a_factor_the_ramp_says_that_there_is_nothing_to_do():
    at = sound(opened(PAGE, ext_look="Ramp", ext_factor="1"))
    assert "no rule changes any of the 32 pairs" in said(at)
    assert not frames(at)[1]["lines"].y.any()


@pytest.mark.parametrize(
    ("look", "link", "words", "told"),
    [
        ("Wavelengths", {}, "within the 256 tokens of training", "training length of 256 and the target of 1,024."),
        ("Ramp", {}, "here 13 of 32 pairs complete a turn within the 256 tokens", "Interpolated in full: Position"),
        (
            "Base bound",
            {},
            "the curve is not smooth. For 1,024 tokens at least base ",
            "from 100 to 100,000,000 at a head",
        ),
        (
            "Base bound",
            {"ext_train": "8192", "ext_width": "4"},
            "For 32,768 tokens none of the bases",
            "width of 4, and",
        ),
        ("Trained model", {}, "trained with RoPE on texts of 64 characters for ", "At 256 characters: "),
    ],
)
def test_a_look_says_what_its_picture_has_measured(look, link, words, told):
    at = sound(opened(PAGE, ext_look=look, **link))
    assert words in said(at)
    assert told in sentences(at)[1]


def test_what_is_live_stands_where_it_belongs():
    at = sound(opened(PAGE, ext_train="8192"))
    first, second, third, *_ = [element.value for element in at.markdown]
    assert "a model trained on 8,192 tokens can read 32,768" in first
    assert "What to look for" in second
    assert "trained on 8,192 tokens" in third


@pytest.mark.parametrize(("factor", "words"), [("4", True), ("1", False)])
def test_a_temperature_is_named_where_there_is_one(factor, words):
    at = sound(opened(PAGE, ext_factor=factor, rules=["yarn"]))
    assert ("divided by a temperature as well: YaRN 0." in said(at)) == words
    at = sound(opened(PAGE, ext_look="Kernel", ext_factor=factor, ext_train="512"))
    assert any("mean over" in caption.value for caption in at.caption) == words  # 512 distances have a point each


@pytest.mark.parametrize(("guess", "right"), [(9, True), (3, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE, ext_look="Exercise")
    at.number_input(key="ext_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    words = (at.success or at.warning)[0].value
    assert "9" in words
    assert "the first by 1." in words


@pytest.mark.parametrize("value", ["", "abc", "-3", "7.5", "99999999999999999999", "<b>1</b>"])
def test_bad_links_are_named_and_the_defaults_shown(value):
    at = sound(opened(PAGE, **dict.fromkeys(ENDS, value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(ENDS)
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in ENDS)


def test_a_look_or_rule_that_does_not_exist_is_named():
    at = sound(opened(PAGE, ext_look="<script>", rules=["nothing"]))
    named = [
        f"rules must be among {', '.join(SCALINGS)}, got nothing",
        f"ext_look must {RULES['ext_look']}, got '<script>'",
    ]
    assert [name in warning.value for name, warning in zip(named, at.warning, strict=True)] == [True, True]


def test_the_trained_model_is_read_under_the_chosen_rules_and_named_at_the_nearest_length():
    at = sound(opened(PAGE, ext_look="Trained model", rules=["ntk", "pi"], ext_factor="5"))
    kept = json.loads((ROOT / "pe_core" / "runs" / "repair.json").read_text(encoding="utf-8"))["outcomes"]["rope"]
    lines = frames(at)[-1]["lines"]
    assert set(lines.name) == {"NTK-aware", "Position interpolation", "ReRoPE", "Window", "As trained"}
    for title, losses in (("NTK-aware", kept["repaired"]["ntk"]), ("As trained", kept)):
        at_256 = next(one["loss"] for one in losses["lengths"] if one["length"] == 256)
        assert lines[(lines.name == title) & (lines.x == 256)].y.item() == pytest.approx(at_256)
        assert f"{title} {at_256:.2f}" in said(at)
    assert "At 256 characters the losses, in nats per character, are" in said(at)
