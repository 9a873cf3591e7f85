"""The page on windows and sinks: what it says by default, with every mask, look and end of a control, and bad links."""

import math
import re

import pytest

from pe_core.masks import MASKS
from pe_core.measures.entropy import entropy, normal_scores
from pe_core.wrapping import spelt
from tests.app.opened import checked, frames, opened, said, sentences

PAGE = "windows"
LOOKS = {"Layers": 3, "Matrix M": 6, "Entropy": 3, "Sinks": 3, "Cache": 3}  # and how many charts the page has
TOP = {"win_length": ("16", "128"), "win_trained": ("16", "128"), "win_layers": ("1", "12")}
ENDS = {
    "Layers": {"win_span": ("1", "32")},
    "Matrix M": {
        "win_wall": ("1", "48"),
        "win_head": ("1", "8"),
        "win_r1": ("0.1", "2.0"),
        "win_r2": ("0.1", "2.0"),
    },
    "Entropy": {"win_spread": ("0.0", "4.0"), "win_alibi_head": ("1", "8")},
    "Sinks": {"win_sink": ("-2.0", "8.0"), "win_others": ("1", "16")},
    "Cache": {"win_step": ("0", "500"), "win_recent": ("2", "8"), "win_first": ("0", "4")},
}
RULES = {
    "win_length": "be a whole number from 16 to 128 in steps of 8",
    "win_trained": "be one of 16, 32, 64, 128",
    "win_layers": "be a whole number from 1 to 12",
    "win_span": "be a whole number from 1 to 32",
    "win_wall": "be a whole number from 1 to 48",
    "win_head": "be a whole number from 1 to 8",
    "win_r1": "be a number from 0.1 to 2",
    "win_r2": "be a number from 0.1 to 2",
    "win_spread": "be a number from 0 to 4",
    "win_alibi_head": "be a whole number from 1 to 8",
    "win_sink": "be a number from -2 to 8",
    "win_others": "be a whole number from 1 to 16",
    "win_step": "be a whole number from 0 to 500",
    "win_recent": "be a whole number from 2 to 8",
    "win_first": "be a whole number from 0 to 4",
    "win_window_window": "be a number from 0.05 to 8",
    "win_window_convention": "be one of with self, without self",
    "win_mask": "be one of causal, window, sinks, lambda, dilated, chunked, prefix",
    "win_look": "be one of Layers, Matrix M, Entropy, Sinks, Cache",
}


def sound(at):
    return checked(at, LOOKS[at.session_state["win_look"]])


def last(at, chart, name):
    """The last number of a line of a chart."""
    frame = frames(at)[chart]["lines"]
    return frame[frame.name == name].y.iloc[-1]


def numbers(at, pattern):
    return [float(number) for number in re.search(pattern, said(at)).groups()]


def test_at_first_a_window_through_three_layers_loses_the_start():
    at = sound(opened(PAGE))
    assert not at.warning
    window, layers, length = 16, 3, 64  # half of the training length of 32
    known = layers * (window - 1) + 1
    assert f"sees **{window}** keys itself" in said(at)
    assert f"know of **{known}** tokens" in said(at)
    assert f"the other **{length - known}** nothing can reach it" in said(at)
    assert [last(at, 1, name) for name in ("seen directly", "through layers", "all so far")] == [16, 46, 64]


def test_the_last_layer_that_is_needed_brings_the_whole_text():
    assert "**3** nothing can reach it" in said(sound(opened(PAGE, win_layers="4")))
    assert "know of all **64** tokens" in said(sound(opened(PAGE, win_layers="5")))


@pytest.mark.parametrize("kind", MASKS)
def test_every_mask_is_named_and_set_by_the_link(kind):
    parameters = MASKS[kind].parameters
    link = {f"win_{kind}_{one.name}": str((one.choices or (one.maximum,))[-1]) for one in parameters}
    at = sound(opened(PAGE, win_mask=kind, **link))
    assert not at.warning
    assert f"**{MASKS[kind].title}.** {MASKS[kind].summary}" in said(at)
    assert all(str(at.session_state[name]) == value for name, value in link.items())


def test_the_settings_of_a_mask_reach_the_picture():
    at = sound(opened(PAGE, win_mask="sinks", win_sinks_n_sinks="8", win_sinks_window="0.25"))
    assert last(at, 1, "seen directly") == 8 + 8
    assert last(at, 1, "through layers") == 8 + 3 * 7 + 1
    at = sound(opened(PAGE, win_window_convention="without self"))
    assert [last(at, 1, name) for name in ("seen directly", "through layers")] == [17, 49]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_of_a_look_at_the_same_end(look, end):
    link = {key: ends[end] for key, ends in {**TOP, **ENDS[look]}.items()}
    assert not sound(opened(PAGE, win_look=look, **link)).warning


def test_both_ways_to_count_a_window():
    at = sound(opened(PAGE, win_span="6", win_layers="5"))
    assert "litgpt | 6 | 26 |" in said(at)
    assert "attention-gym | 7 | 31 |" in said(at)
    assert "through 5 layers, of 96" in said(at)
    assert "$32 \\cdot 4096 = 131072$. With the query counted it is $32 \\cdot 4095 = 131040$." in said(at)
    assert "blocks 6, window 61, window and 4 sinks 65" in sentences(at)[2]


def test_what_a_key_at_distance_32_keeps():
    at = sound(opened(PAGE, win_look="Matrix M", win_head="5", win_r1="0.5", win_r2="1.0"))
    power, logarithm = math.exp(-0.5 * 32), 33**-0.5
    kept = (
        f"Window 0, ALiBi {math.exp(-1):.3g}, KERPLE power {spelt(power, '.3g')}, KERPLE log {logarithm:.3g}, Sandwich"
    )
    assert kept in said(at)
    assert "Window ∞, ALiBi 1, KERPLE power 16," in sentences(at)[2]


def test_attention_flattens_and_the_formula_says_how_far():
    at = sound(opened(PAGE, win_look="Entropy", win_spread="1.5", win_trained="64"))
    before, after = (math.exp(entropy(normal_scores(n, 1.5)).mean()) for n in (64, 1_024))
    pattern = r"with 64 keys, as in training, it spreads over ([\d.]+) keys, with 1,024 over ([\d.]+), ([\d.]+) times"
    assert numbers(at, pattern) == pytest.approx([before, after, after / before], abs=0.051)
    formula, off = numbers(at, r"the dashed line says ([\d.]+), (\d+)% off")
    assert formula == pytest.approx(1_024 / math.exp(1.125), abs=0.051)
    assert off / 100 == pytest.approx(abs(formula / after - 1), abs=0.006)
    assert f"=$ {math.sqrt(math.log(64)):.2f}." in said(at)
    assert frames(at)[2]["marks"].x.to_list() == [64]


def test_the_others_grow_by_one_over_what_the_sink_leaves():
    at = sound(opened(PAGE, win_look="Sinks", win_sink="3.5"))
    weights = frames(at)[2]["bars"].value.to_list()
    taken, rest = numbers(at, r"score 3.5 and takes \*\*([\d.]+)%\*\*; the 8 other keys share ([\d.]+)%")
    assert taken == pytest.approx(100 * weights[0], abs=0.051)
    assert taken + rest == pytest.approx(100, abs=0.051)
    (growth,) = numbers(at, r"weighs ([\d.]+) times")
    assert growth == pytest.approx(1 / (1 - weights[0]), rel=6e-3)


def test_ids_in_the_cache_stay_small():
    at = sound(opened(PAGE, win_look="Cache", win_step="500"))
    assert "The token at position 500 is read, and the cache holds 10 of the 501 keys" in said(at)
    assert "the first of them is 500 tokens away" in said(at)
    assert "the distance is 9, and always less than" in said(at)
    assert "a model trained on 10 tokens" in said(at)


@pytest.mark.parametrize(("guess", "right"), [(25, True), (30, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="win_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert "1, 5, 9, 13, 17, 21, 25" in (at.success or at.warning)[0].value
    assert str(guess) in (at.success or at.warning)[0].value


BAD = ("", "nan", "99999999999999999999", "<script>1</script>")


@pytest.mark.parametrize(
    ("look", "value"), [*(("Matrix M", value) for value in BAD), *((look, "abc") for look in LOOKS)]
)
def test_bad_links_are_named_and_the_defaults_shown(look, value):
    asked = [*TOP, "win_window_window", "win_window_convention", *ENDS[look]]
    at = sound(opened(PAGE, win_look=look, **dict.fromkeys(asked, value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(asked)
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in asked)
    assert "sees **16** keys itself" in said(at)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("win_mask", "local"),
        ("win_mask", "<b>window</b>"),
        ("win_look", "layers"),
        ("win_length", "65"),
        ("win_length", "129"),
        ("win_trained", "33"),
    ],
)
def test_a_value_between_or_beyond_the_steps_is_named(key, value):
    at = sound(opened(PAGE, **{key: value}))
    assert [f"{key} must {RULES[key]}, got {value!r}" in warning.value for warning in at.warning] == [True]
