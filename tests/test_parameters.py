import math
import re
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core.parameters import Order, Parameter, failure, require
from tests.cases import each

HEADS = Parameter("n_heads", "Heads", 4, "Heads per layer.", minimum=2, maximum=10, step=2)
TOKENS = Parameter("tokens", "Tokens", 64, "Length of the text.", minimum=1, maximum=100_000)
RATE = Parameter("rate", "Rate", 0.5, "Share of something.", minimum=0.0, maximum=1.0, step=0.1)
COLOUR = Parameter("colour", "Colour", "red", "One of three.", choices=("red", "green", "2"))
BITS = Parameter("bits", "Bits", 8, "One of two.", choices=(8, 16))


def exactly(message):
    return f"^{re.escape(message)}$"


def test_require_passes_and_raises():
    require(True, "n", "be odd", 3)
    with pytest.raises(ValueError, match=exactly("n must be odd, got 2")):
        require(False, "n", "be odd", 2)


def test_long_values_are_cut():
    with pytest.raises(ValueError, match=exactly(f"n must be odd, got [{'7, ' * 66}7 and more")):
        require(False, "n", "be odd", [7] * 1_000)
    with pytest.raises(
        ValueError, match=exactly(f"n_heads must be {HEADS.rule.removeprefix('be ')}, got '{'7' * 40}' and more")
    ):
        HEADS.parse("7" * 10_000)
    assert failure(KeyError("x" * 10_000)) == f"KeyError: '{'x' * 199} and more"


@pytest.mark.parametrize(
    ("parameter", "rule"),
    [
        (HEADS, "be a whole number from 2 to 10 in steps of 2"),
        (TOKENS, "be a whole number from 1 to 100,000"),
        (RATE, "be a number from 0 to 1"),
        (COLOUR, "be one of red, green, 2"),
        (BITS, "be one of 8, 16"),
    ],
)
def test_the_rule_in_words(parameter, rule):
    assert parameter.rule == rule


@pytest.mark.parametrize("value", [2, 4, 6, 8, 10])
def test_steps_from_the_minimum_are_allowed(value):
    HEADS.check(value)
    assert HEADS.parse(str(value)) == value


@each("value", [3, 0, 12, -2, 4.0, "4", True, None, math.nan, math.inf])
def test_other_values_of_a_stepped_range_are_rejected(value):
    with pytest.raises(
        ValueError, match=exactly(f"n_heads must be a whole number from 2 to 10 in steps of 2, got {value}")
    ):
        HEADS.check(value)


def test_steps_count_from_the_minimum_and_not_from_0():
    odd = Parameter("n", "N", 3, "", minimum=1, maximum=9, step=2)
    odd.check(7)
    with pytest.raises(ValueError, match=exactly("n must be a whole number from 1 to 9 in steps of 2, got 6")):
        odd.check(6)


@each("value", [0.0, 1.0, 0.123, 0, 1, 1e-300])
def test_a_number_may_lie_anywhere_in_its_range(value):
    RATE.check(value)


@each("value", [-1e-9, 1.1, math.nan, math.inf, -math.inf, "0.5", False, None])
def test_other_values_of_a_number_are_rejected(value):
    with pytest.raises(ValueError, match=exactly(f"rate must be a number from 0 to 1, got {value}")):
        RATE.check(value)


@pytest.mark.parametrize("value", ["red", "green", "2"])
def test_choices_are_allowed(value):
    COLOUR.check(value)
    assert COLOUR.parse(value) == value


@pytest.mark.parametrize("value", ["blue", "", "Red", 2, None])
def test_other_choices_are_rejected(value):
    with pytest.raises(ValueError, match=exactly(f"colour must be one of red, green, 2, got {value}")):
        COLOUR.check(value)


@pytest.mark.parametrize("value", [8.0, "8", True, 9])
def test_a_choice_keeps_its_type(value):
    with pytest.raises(ValueError, match=exactly(f"bits must be one of 8, 16, got {value}")):
        BITS.check(value)


def test_a_text_becomes_a_value_of_the_type_of_the_default():
    assert (TOKENS.parse("12"), type(TOKENS.parse("12"))) == (12, int)
    assert (RATE.parse("1"), type(RATE.parse("1"))) == (1.0, float)
    assert (RATE.parse("1e-3"), type(RATE.parse("1e-3"))) == (0.001, float)
    assert (BITS.parse("16"), type(BITS.parse("16"))) == (16, int)


@each("text", ["", "four", "5", "4.0", "1e1", "0", "12", "nan", "inf", "4;", "0x4"])
def test_other_texts_are_rejected(text):
    message = f"n_heads must be a whole number from 2 to 10 in steps of 2, got {text!r}"
    with pytest.raises(ValueError, match=exactly(message)):
        HEADS.parse(text)


@each("text", ["", "nan", "inf", "1e400", "-0.1", "half"])
def test_other_texts_of_a_number_are_rejected(text):
    with pytest.raises(ValueError, match=exactly(f"rate must be a number from 0 to 1, got {text!r}")):
        RATE.parse(text)


def test_other_texts_of_a_choice_are_rejected():
    with pytest.raises(ValueError, match=exactly("colour must be one of red, green, 2, got 'blue'")):
        COLOUR.parse("blue")


@given(st.text(max_size=8) | st.integers(-2, 20).map(str) | st.floats(-1, 2).map(str))
def test_any_text_is_parsed_to_an_allowed_value_or_rejected(text):
    for parameter in (HEADS, RATE, COLOUR, BITS):
        try:
            value = parameter.parse(text)
        except ValueError:
            with pytest.raises(ValueError, match=exactly(f"{parameter.name} must {parameter.rule}, got {text!r}")):
                parameter.parse(text)
            continue
        parameter.check(value)
        assert type(value) is type(parameter.default)


@given(st.integers(1, 100_000), st.floats(0, 1))
def test_a_value_written_into_a_link_comes_back(whole, real):
    assert TOKENS.parse(str(whole)) == whole
    assert RATE.parse(str(real)) == real


def test_a_parameter_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        HEADS.default = 6


ORDER = Order(
    "order", "Order", ("a", "b", "c"), (1, 2, 0), 9, lambda n, number: [(place + number) % n for place in range(n)]
)


@pytest.mark.parametrize(
    ("text", "places"), [("2.0.1", (2, 0, 1)), ("0", (0, 1, 2)), ("9", (0, 1, 2)), ("1", (1, 2, 0))]
)
def test_an_order_is_a_number_or_names_each_place_once(text, places):
    assert ORDER.parse(text) == places


@each("text", ["", "10", "-1", "0.1", "0.1.1", "0.1.2.3", "0.1.2.", "00.1.2", "0.1.x", "²", "1" * 5000])
def test_what_is_no_order_is_refused(text):
    rule = "order must be a whole number from 0 to 9, or name each of 0 to 2 once, with dots between them"
    more = " and more" if len(text) > 40 else ""
    with pytest.raises(ValueError, match=exactly(f"{rule}, got {text[:40]!r}{more}")):
        ORDER.parse(text)
