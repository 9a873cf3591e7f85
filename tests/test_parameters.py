import math

from hypothesis import given
from hypothesis import strategies as st

from pe_core.parameters import Order, Parameter, failure, require
from tests.cases import each, refuses

HEADS = Parameter("n_heads", "Heads", 4, "Heads per layer.", minimum=2, maximum=10, step=2)
ODD = Parameter("odd", "Odd", 3, "Counted from 1.", minimum=1, maximum=9, step=2)
TOKENS = Parameter("tokens", "Tokens", 64, "Length of the text.", minimum=1, maximum=100_000)
RATE = Parameter("rate", "Rate", 0.5, "Share of something.", minimum=0.0, maximum=1.0, step=0.1)
COLOUR = Parameter("colour", "Colour", "red", "One of three.", choices=("red", "green", "2"))
BITS = Parameter("bits", "Bits", 8, "One of two.", choices=(8, 16))


def test_long_values_are_cut():
    refuses(lambda: require(False, "n", "be odd", [7] * 1_000), f"n must be odd, got [{'7, ' * 66}7 and more")
    refuses(lambda: HEADS.parse("7" * 10_000), f"n_heads must {HEADS.rule}, got '{'7' * 40}' and more")
    assert failure(KeyError("x" * 10_000)) == f"KeyError: '{'x' * 199} and more"


@each(
    ("parameter", "rule", "allowed", "other"),
    [
        (
            HEADS,
            "a whole number from 2 to 10 in steps of 2",
            [2, 4, 10],
            [3, 0, 12, -2, 4.0, "4", True, None, math.nan],
        ),
        (ODD, "a whole number from 1 to 9 in steps of 2", [1, 7, 9], [0, 6, 11]),  # steps count from the minimum
        (TOKENS, "a whole number from 1 to 100,000", [1, 100_000], [0, 100_001]),
        (
            RATE,
            "a number from 0 to 1",
            [0.0, 1.0, 0.123, 0, 1, 1e-300],
            [-1e-9, 1.1, math.nan, -math.inf, "0.5", False],
        ),
        (COLOUR, "one of red, green, 2", ["red", "green", "2"], ["blue", "", "Red", 2, None]),
        (BITS, "one of 8, 16", [8, 16], [8.0, "8", True, 9]),
    ],
)
def test_what_the_rule_says_is_allowed_and_nothing_else(parameter, rule, allowed, other):
    assert parameter.rule == f"be {rule}"
    for value in allowed:
        parameter.check(value)
        assert parameter.parse(str(value)) == value
    for value in other:
        refuses(lambda value=value: parameter.check(value), f"{parameter.name} must be {rule}, got {value}")


def test_a_text_becomes_a_value_of_the_type_of_the_default():
    assert (TOKENS.parse("12"), type(TOKENS.parse("12"))) == (12, int)
    assert (RATE.parse("1"), type(RATE.parse("1"))) == (1.0, float)
    assert (RATE.parse("1e-3"), type(RATE.parse("1e-3"))) == (0.001, float)
    assert (BITS.parse("16"), type(BITS.parse("16"))) == (16, int)


@each(
    ("parameter", "texts"),
    [
        (HEADS, ["", "four", "5", "4.0", "1e1", "0", "12", "nan", "inf", "4;", "0x4"]),
        (RATE, ["", "nan", "inf", "1e400", "-0.1", "half"]),
        (COLOUR, ["blue"]),
    ],
)
def test_other_texts_are_rejected(parameter, texts):
    for text in texts:
        refuses(lambda text=text: parameter.parse(text), f"{parameter.name} must {parameter.rule}, got {text!r}")


@given(st.text(max_size=8) | st.integers(-2, 20).map(str) | st.floats(-1, 2).map(str))
def test_any_text_is_parsed_to_an_allowed_value_or_rejected(text):
    for parameter in (HEADS, RATE, COLOUR, BITS):
        try:
            value = parameter.parse(text)
        except ValueError:
            rule = f"{parameter.name} must {parameter.rule}, got {text!r}"
            refuses(lambda parameter=parameter: parameter.parse(text), rule)
            continue
        parameter.check(value)
        assert type(value) is type(parameter.default)


ORDER = Order(
    "order", "Order", ("a", "b", "c"), (1, 2, 0), 9, lambda n, number: [(place + number) % n for place in range(n)]
)


@each(("text", "places"), [("2.0.1", (2, 0, 1)), ("0", (0, 1, 2)), ("9", (0, 1, 2)), ("1", (1, 2, 0))])
def test_an_order_is_a_number_or_names_each_place_once(text, places):
    assert ORDER.parse(text) == places


@each("text", ["", "10", "-1", "0.1", "0.1.1", "0.1.2.3", "0.1.2.", "00.1.2", "0.1.x", "²", "1" * 5000])
def test_what_is_no_order_is_refused(text):
    rule = "order must be a whole number from 0 to 9, or name each of 0 to 2 once, with dots between them"
    more = " and more" if len(text) > 40 else ""
    refuses(lambda: ORDER.parse(text), f"{rule}, got {text[:40]!r}{more}")
