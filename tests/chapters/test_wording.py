"""Numbers as sentences quote them, and what pages write of theirs: signs, powers, lists, sections of a condition.

What a page writes by default, or under a condition of its own, is read in `tests/app`, which opens every look.
"""

import inspect
import math

from pe_core.chapters import alibi_and_t5, biases, extension, images, learned, sinusoidal_steps, windows
from pe_core.chapters.wording import formatted, number
from tests.cases import each
from ui.widgets.prose import fill, sections


def test_a_number_has_four_digits_or_commas_and_infinity_its_sign():
    said = {0.123456: "0.1235", -14: "−14", 999.96: "1000", 1_000: "1,000", -12_345.6: "−12,346"}
    said |= {math.inf: "∞", -math.inf: "−∞"}
    assert {value: number(value) for value in said} == said


@each(
    ("value", "spec", "said"),
    [
        (-0.75064, ".4f", "−0.7506"),
        (0.5, "+.1f", "+0.5"),
        (-3, "", "−3"),
        (-1e-7, ".0e", "−10⁻⁷"),
        (1.25e-16, ".2e", "1.25·10⁻¹⁶"),
        (1.25e-16, "number", "1.25·10⁻¹⁶"),
        (3e12, "+.1g", "+3·10¹²"),
        (math.inf, ".1g", "inf"),
        (-2_000, "number", "−2,000"),
        (-0.0, "number", "0"),
        (-0.004, ".2f", "0.00"),
        (-0.0004, ".1%", "0.0%"),
        ("a-1", "s", "a-1"),
    ],
)
def test_a_number_has_signs_and_powers_as_in_print_and_words_stay(value, spec, said):
    assert formatted(value, spec) == said


BUCKETS = {"n_buckets": 32, "max_distance": 128, "head": 2, "train_length": 64}
NEVER = {"factor": 4, "train_length": 8_192, "head_dim": 4}
FAMILY = {"window": 16, "head": 5, "r1": 0.5, "r2": 1.0}
ROW = {"systems": ("alibi",), "head": 2, "train_length": 64, "n_keys": 32, "window": 16}
PAIRS = {"head_dim": 128, "base": 10_000}
MISTAKES = {"n_keys": 6, "slope": 1.0}
EXAMPLE = {"row": 3, "dim": 2, "base": 100}
CACHE = {"step": 500, "window": 6, "n_sinks": 4}


def said(section, function, arguments):
    """The section of a page, with the values of its controls and the facts of what the function makes of its own."""
    module = function.__module__.rpartition(".")[2]
    page = {"alibi_and_t5": "biases", "sinusoidal_steps": "sinusoidal"}.get(module, module)
    own = inspect.signature(function).parameters
    made = function(**{name: value for name, value in arguments.items() if name in own})
    return fill(sections(page)[section], {**arguments, **getattr(made, "facts", made)}).replace("\u00a0", " ")


@each(
    ("section", "function", "arguments", "words"),
    [
        ("row-table", biases.nearest, ROW, ["of 32 | Weight of the nearest 16 |", "| 32.0 | 50.0% |"]),
        ("mistakes-after", alibi_and_t5.mistakes, MISTAKES, ["**−14**", "is −4.833", "sums to −∞."]),
        ("table-met", alibi_and_t5.followed_table, BUCKETS, ["in head 2 (slope 0.25)", "All these"]),
        ("slopes-power", alibi_and_t5.slopes, {"n_heads": 16}, ["**16** is a power of two"]),
        ("bound-never", extension.base_bound, NEVER, ["For 32,768 tokens none of the bases"]),
        ("bound-alternative", extension.base_bound, NEVER, ["from 100 to 100,000,000 at a head width of 4,"]),
        ("pairs", images.pair_axes, PAIRS, ["columns one of 1,987 steps: 0.012 turns across 24 columns.**"]),
        ("movement", learned.movement, {"step": 1_000}, ["is 0.950705 of the", "predict 0.950705;"]),
        ("example-steps", sinusoidal_steps.worked_example, EXAMPLE, ["100^{-0/2} = 1", "0.14112"]),
        ("matrix-alternative", windows.subtracted_matrix, FAMILY, ["Window ∞, ALiBi 1, KERPLE power 16,"]),
        ("cache", windows.cache_ids, CACHE, ["10 of the 501 keys", "the distance is 9, and always less than"]),
    ],
)
def test_a_text_tells_what_was_found(section, function, arguments, words):
    text = said(section, function, arguments)
    assert "[[" not in text.replace("`[[", "`[")
    assert [part for part in words if part not in text] == [], text
