"""The page on context extension: what it says and draws by default, at both ends of its controls, and for bad links."""

import math

import pytest

from pe_core.rope_scaling import SCALINGS
from tests.app.opened import frames, opened, sentences

PAGE = "extension"
LOOKS = {"Wavelengths": 2, "Kernel": 2, "Base bound": 2, "Exercise": 1}  # and how many charts the page has
ENDS = {
    "ext_factor": ("1", "32"),
    "ext_train": ("64", "8192"),
    "ext_width": ("4", "256"),
    "ext_base": ("100", "1000000"),
}


def said(at):
    return "\n".join(element.value for element in at.markdown)


def sound(at):
    assert not at.exception
    assert not at.error
    assert len(frames(at)) == len(sentences(at)) == LOOKS[at.session_state["ext_look"]]
    assert all(not frame.empty and not frame.isna().any(axis=None) for data in frames(at) for frame in data.values())
    assert "[[" not in said(at) + "".join(sentences(at))
    return at


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
    assert all(f"{key} must be" in warned for key in ENDS)
