"""Sinusoids step by step: every number by the functions of `math`, one row digit by digit, and E + P by hand."""

import math

import pytest

from pe_core.chapters import sinusoidal, sinusoidal_steps
from tests.cases import each
from ui.widgets.prose import fill, sections

FIRST = {"sentence": "the dog bites the man", "base": 10_000, "side": "embedding"}
PICTURES = {
    sinusoidal_steps.block: (
        {"offset": 5, "width": 64, "base": 10_000},
        {"offset": 2, "width": 8, "base": 10},
        {"offset": 2, "width": 2, "base": 10},
    ),
    sinusoidal_steps.products: ({"width": 64, "base": 10_000}, {"width": 8, "base": 10}),
    sinusoidal_steps.added: (
        {**FIRST, "side": "sum"},
        {"sentence": "one two three four five", "base": 10, "side": "position"},
    ),
}
TEXT = sections("sinusoidal")
MAX_STEP = int(sinusoidal_steps.STEP.maximum)


@each(("width", "base", "p", "k"), [(64, 10_000, 3, 5), (2, 1, 0, 64), (768, 100, 511, 0)])
def test_every_number_of_the_derivation_is_that_of_the_addition_theorem(width, base, p, k):
    facts = sinusoidal_steps.derivation(width, base, p, k)
    pair = min(1, width // 2 - 1)
    omega = base ** (-2 * pair / width)
    all_cosines = [math.cos(k * base ** (-2 * i / width)) for i in range(width // 2)]
    expected = {
        "omega": omega,
        "sin-p": math.sin(p * omega),
        "cos-k": math.cos(k * omega),
        "minus-sin-k": -math.sin(k * omega),
        "sin-there": math.sin((p + k) * omega),
        "sine-sum": math.sin((p + k) * omega),
        "cos-there": math.cos((p + k) * omega),
        "cosine-sum": math.cos((p + k) * omega),
        "pair-dot": math.cos(k * omega),
        "cosine-total": sum(all_cosines),
        "dot": sum(all_cosines),
        "backwards": sum(all_cosines),
        "self-dot": width / 2,
        "peak": k,
        "peak-value": width / 2,
    }
    assert {name: facts[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    assert facts["shift-error"] < 1e-9


@each("step", range(1, MAX_STEP + 1))
def test_every_step_has_a_text_and_quotes_what_is_there(step):
    for width in (2, 64):
        page = {"width": width, "base": 10_000, "position": 3, "offset": 5}
        assert "[[" not in fill(TEXT[f"step sinusoid {step}"], {**page, **sinusoidal_steps.derivation(**page)})
    assert f"step sinusoid {MAX_STEP + 1}" not in TEXT
    assert sinusoidal.missing("Derivation", 64, 7, 10_000, "paper") == "shift-odd"


def test_the_sum_is_the_embedding_plus_the_position():
    e, p, total = (
        sinusoidal_steps.added(**{**FIRST, "side": side}).frames["table"].value.tolist()
        for side in ("embedding", "position", "sum")
    )
    assert total == pytest.approx([one + other for one, other in zip(e, p, strict=True)])
    assert p[8] == pytest.approx(math.sin(1))
    assert e[:8] == e[24:32]  # "the"
    apart = math.dist(total[:8], total[24:32])
    facts = sinusoidal_steps.sums("the dog bites the man", 10_000)
    assert facts["apart"] == pytest.approx(apart)
    assert (facts["first"], facts["again"], facts["word"], facts["twice"]) == (0, 3, "the", "sum-twice")
    assert f"{total[0]:+.2f}  {total[1]:+.2f}" in facts["rows"]
    assert sinusoidal_steps.sums("one two", 10_000)["twice"] == "sum-once"


def test_the_worked_example_digit_by_digit():
    one = sinusoidal_steps.steps(1, 4, 10_000.0)
    assert [step.value for step in one] == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)])
    assert [round(step.value, 4) for step in one] == [0.8415, 0.5403, 0.01, 1.0]
    assert [step.channel.frequency for step in one] == pytest.approx([1, 1, 0.01, 0.01])
    assert [step.channel.pair for step in one] == [0, 0, 1, 1]
    assert [step.value for step in sinusoidal_steps.steps(0, 4, 10_000.0)] == [0, 1, 0, 1]


def test_a_row_is_told_as_formulas():
    assert sinusoidal_steps.worked_example(row=3, dim=2, base=100) == {
        "steps": (
            r"0. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\sin 3 \approx \mathbf{0.14112}$"
            "\n"
            r"1. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\cos 3 \approx \mathbf{-0.98999}$"
        ),
        "zero-equals": "=",
        "zero": "0, 1",
        "row-equals": r"\approx",
        "numbers": "0.14112, -0.98999",
    }


def test_numbers_with_more_than_six_digits_are_approximations_and_a_whole_row_is_exact():
    third, fourth, last = sinusoidal_steps.worked_example(row=2, dim=5, base=1_000_000)["steps"].splitlines()[2:]
    factor = 1_000_000 ** (-2 / 5)
    assert rf"1000000^{{-2/5}} \approx {factor:.6g}$" in third
    assert rf"2 \times {factor:.6g} \approx {2 * factor:.6g}$" in third
    assert rf"\cos {2 * factor:.6g} \approx \mathbf{{{math.cos(2 * factor):.5f}}}" in fourth
    mantissa = f"{1_000_000 ** (-4 / 5):.6g}".partition("e")[0]
    assert rf"1000000^{{-4/5}} \approx {mantissa} \cdot 10^{{-5}}$" in last
    exact = sinusoidal_steps.worked_example(row=0, dim=3, base=10)
    assert exact["row-equals"] == exact["zero-equals"] == "="
    assert exact["numbers"] == exact["zero"] == "0, 1, 0"
    assert exact["steps"].splitlines()[1].endswith(r"$\cos 0 = \mathbf{1}$")
