"""The page on context extension: what it says and draws by default, at both ends of its controls, and for bad links."""

import json
import math

import pytest

from pe_core.rope_scaling import SCALINGS
from tests.app.opened import ROOT, checked, frames, opened, said

PAGE = "extension"
# how many charts the page has with each look
LOOKS = {"Wavelengths": 2, "Ramp": 2, "Kernel": 2, "Base bound": 2, "Trained model": 2, "Exercise": 1}
ENDS = {
    "ext_factor": ("1", "32"),
    "ext_train": ("64", "8192"),
    "ext_width": ("4", "256"),
    "ext_base": ("100", "1000000"),
}

RULES = {
    "ext_factor": "be a whole number from 1 to 32",
    "ext_train": "be one of 64, 128, 256, 512, 1024, 2048, 4096, 8192",
    "ext_width": "be a whole number from 4 to 256 in steps of 4",
    "ext_base": "be one of 100, 500, 1000, 10000, 100000, 500000, 1000000",
    "ext_look": f"be one of {', '.join(LOOKS)}",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["ext_look"]])


def slowing(at):
    """The last and the first point of every rule's curve."""
    lines = frames(at)[0]["lines"]
    return {name: (line.y.iloc[0], line.y.iloc[-1]) for name, line in lines.groupby("name")}


def test_interpolation_slows_all_pairs_and_the_others_leave_the_first_alone():
    ends = slowing(sound(opened(PAGE)))
    assert ends["Position interpolation"] == pytest.approx((4, 4))
    for title in ("NTK-aware", "NTK-by-parts", "YaRN"):
        assert ends[title] == pytest.approx((1, 4))


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


def test_the_ramp_tells_the_pairs_that_turn_from_those_that_do_not():
    at = sound(opened(PAGE, ext_look="Ramp", rules=["by_parts", "yarn", "llama3", "pi"], ext_train="512"))
    turned = sum(2 * math.pi * 10_000 ** (pair / 32) <= 512 for pair in range(32))
    assert f"here {turned} of 32 pairs complete a turn within the 512 tokens" in said(at)
    ramps = {name: line.y.to_list() for name, line in frames(at)[1]["lines"].groupby("name")}
    assert ramps.pop("Position interpolation") == pytest.approx([1] * 32)
    for name, shares in ramps.items():
        assert shares[0] == pytest.approx(0)
        assert shares[turned:] == pytest.approx([1] * (32 - turned)), name
        assert shares == sorted(shares)
    kept = sum(share <= 1e-9 for share in ramps["Llama 3"])
    assert f"Llama 3 {kept}. Pairs that are interpolated in full" in said(at) or f"Llama 3 {kept}, " in said(at)


def test_without_a_factor_the_ramp_says_that_there_is_nothing_to_do():
    at = sound(opened(PAGE, ext_look="Ramp", ext_factor="1"))
    assert "no rule does anything to any of the 32 pairs" in said(at)
    assert not frames(at)[1]["lines"].y.any()


def test_a_kernel_that_stays_positive_says_how_far_that_is_known():
    at = sound(opened(PAGE, ext_look="Kernel", rules=["pi"], ext_base="1000000", ext_width="256"))
    assert "in training none up to 1,024, Position interpolation none up to 1,024" in said(at)
    at = sound(opened(PAGE, ext_look="Kernel", ext_base="1000000", ext_width="256", ext_train="8192", ext_factor="32"))
    assert "in training none up to 65,536" in said(at)


def test_the_base_that_is_needed_is_the_first_that_reaches():
    at = sound(opened(PAGE, ext_look="Base bound", ext_train="64", ext_factor="16", ext_width="64"))
    lines = frames(at)[1]["lines"]
    needed = lines[lines.y >= 1024].x.iloc[0]
    assert f"at least base {needed:,.0f} is needed" in said(at)
    assert math.isfinite(lines.y.max())


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
    assert set(lines.repair) == {"NTK-aware", "Position interpolation", "ReRoPE", "Window", "As trained"}
    for title, losses in (("NTK-aware", kept["repaired"]["ntk"]), ("As trained", kept)):
        at_256 = next(one["loss"] for one in losses["lengths"] if one["length"] == 256)
        assert lines[(lines.repair == title) & (lines.x == 256)].loss.item() == pytest.approx(at_256)
        assert f"{title} {at_256:.2f}" in said(at)
    assert "At 256 characters the losses are" in said(at)
