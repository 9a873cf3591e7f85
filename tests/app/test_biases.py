"""The page on relative biases: what it says and draws by default, at the ends of its controls, and for bad links."""

import math
import re

import pytest

from pe_core.chapters.biases import SYSTEMS
from tests.app.opened import checked, frames, opened, said, sentences

PAGE = "biases"
LOOKS = {"Sign slip": 2, "Matrix": 3, "Softmax row": 3, "T5 buckets": 3, "Slopes": 2, "Key index": 2}  # charts
TOP = {"bias_head": ("1", "8"), "bias_length": ("16", "512"), "bias_seed": ("0", "99")}
OWN = {
    "Matrix": {},
    "Softmax row": {"bias_keys": ("1", "128"), "bias_window": ("1", "64")},
    "Sign slip": {"bias_row": ("2", "32"), "bias_slope": ("0.00390625", "1.0")},
    "T5 buckets": {"bias_buckets": ("4", "64"), "bias_farthest": ("32", "1024")},
    "Slopes": {"bias_heads": ("1", "32")},
    "Key index": {"bias_text": ("64", "16384"), "bias_format": ("float64", "bfloat16")},
}
RULES = {
    "bias_head": "be a whole number from 1 to 8",
    "bias_length": "be a whole number from 16 to 512 in steps of 16",
    "bias_seed": "be a whole number from 0 to 99",
    "bias_keys": "be a whole number from 1 to 128",
    "bias_window": "be a whole number from 1 to 64",
    "bias_row": "be a whole number from 2 to 32",
    "bias_slope": "be one of 0.00390625, 0.0078125, 0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0",
    "bias_buckets": "be a whole number from 4 to 64 in steps of 4",
    "bias_farthest": "be one of 32, 64, 128, 256, 512, 1024",
    "bias_heads": "be a whole number from 1 to 32",
    "bias_text": "be one of 64, 256, 1024, 4096, 16384",
    "bias_format": "be one of float64, float32, float16, bfloat16",
}
HOSTILE = ["", "7.5", "<b>1</b>"]


def sound(at):
    return checked(at, LOOKS[at.session_state["bias_look"]])


def numbers(at, pattern):
    return [float(number.replace(",", "")) for number in re.search(pattern, said(at).replace("−", "-")).groups()]


def test_five_systems_are_shown_and_only_fire_depends_on_the_place():
    at = sound(opened(PAGE))
    assert not at.warning
    bands = frames(at)[0]["bands"]
    assert bands.name.to_list() == ["ALiBi", "T5 bias", "KERPLE, logarithmic", "Sandwich", "FIRE"]
    assert "the same distance gets a different bias from **FIRE (by up to 0.0" in said(at)
    assert "the same bias from ALiBi; T5 bias; KERPLE, logarithmic; Sandwich." in said(at)
    assert "ALiBi 0 to −63.5;" in sentences(at)[0]


def test_another_draw_moves_what_is_learned_and_nothing_else():
    one, other = (frames(opened(PAGE, bias_seed=seed))[0]["curves"] for seed in ("0", "1"))
    moved = {
        system for system in set(one.system) if not one[one.system == system].equals(other[other.system == system])
    }
    assert moved == {"T5 bias", "KERPLE, logarithmic", "FIRE"}


@pytest.mark.parametrize(("length", "thinned"), [("64", False), ("80", True)])
def test_what_is_left_out_is_said(length, thinned):
    at = sound(opened(PAGE, bias_length=length))
    assert ("The picture shows 128 of the distances up to 159" in said(at)) == thinned
    assert ("evenly spaced" in said(at)) == thinned


def test_another_system_alone():
    at = sound(opened(PAGE, bias_systems="sandwich", bias_system="sandwich", bias_look="Matrix"))
    assert not at.warning
    assert frames(at)[0]["bands"].name.to_list() == [SYSTEMS["sandwich"].title]
    assert "depends on the distance only: Sandwich." in said(at)
    assert sentences(at)[1].startswith("Bias of Sandwich in head 1 for 24 tokens. In the last row it goes down to −")


def test_all_systems_at_once():
    assert len(frames(sound(opened(PAGE, bias_systems=list(SYSTEMS))))[0]["bands"]) == len(SYSTEMS)


def test_without_a_system_the_page_asks_for_one():
    at = opened(PAGE, bias_systems="", bias_look="Softmax row")
    assert not at.exception
    assert "Choose at least one system" in said(at)
    assert len(frames(at)) == len(sentences(at)) == 2
    assert set(frames(at)[0]["lines"].name) == {"no bias"}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end(look, end):
    link = {key: values[end] for key, values in (TOP | OWN[look]).items()}
    assert not sound(opened(PAGE, bias_look=look, **link)).warning


def test_the_matrix_says_how_far_the_last_query_looks():
    at = sound(opened(PAGE, bias_look="Matrix", bias_head="2"))
    weights = [math.exp(-distance / 4) for distance in range(24)]
    fractions = [weight / sum(weights) for weight in weights]
    effective = math.exp(-sum(fraction * math.log(fraction) for fraction in fractions))
    assert f"as evenly as over **{effective:.1f} keys**" in said(at)
    assert "differs by at most **0**" in said(at)
    fire = said(sound(opened(PAGE, bias_look="Matrix", bias_system="fire", bias_length="16")))
    assert "differs by at most **0**" not in fire


def test_more_keys_flatten_the_row_without_a_bias_and_leave_alibi():
    def row(at, name):
        return re.search(rf"\| {name} \| ([\d.]+) \| ([\d.]+)% \|", said(at)).groups()

    few, many = (sound(opened(PAGE, bias_look="Softmax row", bias_keys=keys)) for keys in ("32", "128"))
    assert row(few, "no bias") == ("32.0", "50.0")
    assert row(many, "no bias") == ("128.0", "12.5")
    assert row(few, "ALiBi") == row(many, "ALiBi")
    near = (1 - math.exp(-8)) / (1 - math.exp(-64))
    assert row(many, "ALiBi")[1] == f"{100 * near:.1f}"


def test_the_wrong_sign_turns_the_ends_of_the_row():
    at = sound(opened(PAGE, bias_look="Sign slip"))
    found = numbers(at, r"own key the weight \*\*([\d.]+)\*\* and the first key \*\*([\d.]+)\*\*")
    mistaken = numbers(at, r"own key \*\*([\d.]+)\*\* and the first, the farthest key, \*\*([\d.]+)\*\*")
    weights = [math.exp(-distance) for distance in range(6)]
    assert found == mistaken[::-1] == [round(weights[0] / sum(weights), 3), round(weights[-1] / sum(weights), 3)]
    assert found == [0.634, 0.004]
    assert numbers(at, r"sum to \*\*(-[\d.]+)\*\* instead of 1") == [1 - sum(range(6))]
    assert "the first query, which should see its own key only, sums to −∞" in said(at)


def test_t5_has_the_golden_buckets_and_some_that_nobody_trains():
    at = sound(opened(PAGE, bias_look="T5 buckets"))
    assert "begin at **16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113**" in said(at)
    assert "begins at 113 already, not at 128" in said(at)
    assert "never meets **5 of 32 buckets**" in said(at)
    (untrained,) = numbers(at, r"gives \*\*([\d.]+)%\*\* of its attention")
    terms = [math.exp(bias) for bias in frames(at)[2]["points"].y[:128]]
    assert untrained == round(100 * sum(terms[67:]) / sum(terms), 1)


def test_long_training_meets_every_bucket():
    at = sound(opened(PAGE, bias_look="T5 buckets", bias_length="128"))
    assert "never meets **0 of 32 buckets**" in said(at)
    assert "All buckets were met" in said(at)


@pytest.mark.parametrize(
    ("heads", "words"), [("12", "0.7071, 0.3536, 0.1768, 0.0884"), ("16", "**16** is a power of two")]
)
def test_slopes_are_listed(heads, words):
    assert words in said(sound(opened(PAGE, bias_look="Slopes", bias_heads=heads)))


def test_the_key_index_is_exact_until_it_is_rounded():
    at = sound(opened(PAGE, bias_look="Key index"))
    assert "| float64 | 0 | 0 |" in said(at)
    assert "**bfloat16**, 44 of the last 47 steps" in said(at)
    (off,) = numbers(at, r"the error of a weight is up to \*\*([\d.]+)\*\*")
    assert off > 0.2


@pytest.mark.parametrize(("guess", "right"), [(14, True), (13, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    assert math.exp(-14 / 2) < 1e-3 < math.exp(-13 / 2)
    at = opened(PAGE)
    at.number_input(key="bias_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert len(at.warning) == (not right)
    assert f"{math.exp(-guess / 2):.2g}" in (at.success or at.warning)[0].value


@pytest.mark.parametrize("look", ["Matrix", *(look for look, own in OWN.items() if own)])
@pytest.mark.parametrize("value", HOSTILE)
def test_bad_links_are_named_and_the_defaults_shown(look, value):
    names = [*TOP, *OWN[look]]
    at = sound(opened(PAGE, bias_look=look, **dict.fromkeys(names, value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(names)
    assert all(f"{name} must {RULES[name]}, got {value!r}" in warned for name in names)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("bias_look", "Row", "bias_look must be one of Sign slip, Matrix, Softmax row, T5 buckets, Slopes, Key index"),
        ("bias_system", "rope", "bias_system must be one of alibi, t5, kerple_log, sandwich, fire, kerple_power"),
        ("bias_systems", "<i>", "bias_systems must be among alibi, t5, kerple_log, sandwich, fire, kerple_power"),
        ("bias_length", "17", f"bias_length must {RULES['bias_length']}"),
    ],
)
def test_a_value_that_is_no_choice_is_named(key, value, problem):
    at = sound(opened(PAGE, **({"bias_look": "Matrix"} | {key: value})))
    assert [f"{problem}, got" in warning.value for warning in at.warning] == [True]
