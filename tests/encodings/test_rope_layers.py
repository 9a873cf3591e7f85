import torch

from pe_core.encodings import PositionalEncoding
from pe_core.encodings.rope_layers import RotaryLayers, is_turned
from pe_core.encodings.rotary import LAYOUTS, Rotary, frequencies
from tests.cases import each, refuses


@each(
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


@each("layout", LAYOUTS)
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


def test_errors():
    refuses(lambda: is_turned(0, 1), "interval must be at least 2 (1 leaves no layer with RoPE), got 1")
