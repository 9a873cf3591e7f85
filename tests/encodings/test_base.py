import torch

from pe_core.encodings import EncodingSpec, PositionalEncoding, Shape
from pe_core.parameters import Parameter
from tests.cases import refuses

SHAPE = Shape(d_model=12, n_heads=3, train_length=4, max_length=8)


def spec(*parameters):
    """An entry whose `make` hands back what it was given, so that a test can look at it."""
    entry = {"key": "toy", "title": "Toy", "family": "none", "hooks": (), "summary": "A toy.", "paper": None}
    return EncodingSpec(**entry, make=lambda *given: given, parameters=parameters)


WIDTH = Parameter("width", "Width", 4, "Width of it.", minimum=1, maximum=8)
SIDE = Parameter("side", "Side", "left", "Side of it.", choices=("left", "right"))


def test_the_base_class_is_no_encoding(x, q, k):
    nothing = PositionalEncoding()
    assert nothing.embed(x, torch.arange(5)) is x
    assert nothing.rotate(q, k, torch.arange(5)) == (q, k)
    assert nothing.bias(q, k, torch.arange(5)) is None
    assert nothing.reset_parameters(torch.Generator()) is None
    assert list(nothing.parameters()) == []


def test_build_fills_in_the_defaults_and_leaves_the_given_values_alone():
    given = {"side": "right"}
    assert spec(WIDTH, SIDE).build(SHAPE) == (SHAPE, {"width": 4, "side": "left"})
    assert spec(WIDTH, SIDE).build(SHAPE, given) == (SHAPE, {"width": 4, "side": "right"})
    assert spec().build(SHAPE, {}) == (SHAPE, {})
    assert given == {"side": "right"}


def test_errors():
    refuses(lambda: Shape(0, 1, 1, 1), "d_model must be at least 1, got 0")
    refuses(lambda: Shape(8, 0, 1, 1), "n_heads must be at least 1, got 0")
    refuses(lambda: Shape(8, 2, -1, 1), "train_length must be at least 1, got -1")
    refuses(lambda: Shape(8, 2, 1, 0), "max_length must be at least 1, got 0")
    refuses(lambda: Shape(8, 3, 1, 1), "d_model must be divisible by n_heads (3), got 8")
    refuses(lambda: spec().build(SHAPE, {"width": 1}), "parameter of toy must be one of (none), got width")
    refuses(lambda: spec(WIDTH, SIDE).build(SHAPE, {"x": 1}), "parameter of toy must be one of width, side, got x")
    refuses(lambda: spec(WIDTH).build(SHAPE, {"width": 9}), "width must be a whole number from 1 to 8, got 9")
    refuses(lambda: spec(SIDE).build(SHAPE, {"side": "up"}), "side must be one of left, right, got up")
