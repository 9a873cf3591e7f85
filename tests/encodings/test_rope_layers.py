import re

import pytest
import torch

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.encodings.rope_layers import RotaryLayers, is_turned
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies

BUILD = ENCODINGS["rope_layers"].build


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (2, [True, False, True, False, True, False, True, False]),
        (3, [True, True, False, True, True, False, True, True]),
        (4, [True, True, True, False, True, True, True, False]),  # Llama 4, SmolLM3
        (8, [True, True, True, True, True, True, True, False]),
    ],
)
def test_which_layers_have_rope(interval, expected):
    assert [is_turned(layer, interval) for layer in range(8)] == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layer_is_rope_or_no_encoding(q, k, layout):
    encoding = RotaryLayers(frequencies(4), interval=3, layout=layout)
    positions = torch.tensor([3, 0, 900, 7, 1])
    plain = Rotary(frequencies(4), layout=layout).rotate(q, k, positions)
    for layer in range(6):
        own = encoding.at_layer(layer)
        expected = (q, k) if layer in (2, 5) else plain
        assert all(
            torch.equal(ours, theirs) for ours, theirs in zip(own.rotate(q, k, positions), expected, strict=True)
        )
        assert type(own) is (PositionalEncoding if layer in (2, 5) else RotaryLayers)
        assert own.bias(q, k, positions) is None


def test_every_parameter_changes_some_layer(q):
    def turned(layer=0, **params):
        return BUILD(Shape(8, 2, 4, 8), params).at_layer(layer).rotate(q, q, torch.arange(5))[0]

    assert not torch.allclose(turned(), turned(base=100.0))
    assert not torch.allclose(turned(), turned(layout="half"))
    assert not torch.allclose(turned(layer=1), turned(layer=1, interval=3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: is_turned(0, 1), "interval must be at least 2 (1 leaves no layer with RoPE), got 1"),
        (lambda: BUILD(Shape(8, 2, 4, 8), {"interval": 9}), "interval must be a whole number from 2 to 8, got 9"),
        (lambda: BUILD(Shape(6, 2, 4, 8)), "head_dim must be even and at least 2, got 3"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
