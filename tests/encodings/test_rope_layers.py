from pe_core.encodings import PositionalEncoding
from pe_core.encodings.rope_layers import on_some
from pe_core.encodings.rotary import Rotary, frequencies
from tests.cases import each, refuses

ROPE = Rotary(frequencies(4), layout="half")


@each(
    ("interval", "expected"),
    [
        (2, [True, False, True, False, True, False, True, False]),
        (3, [True, True, False, True, True, False, True, True]),
        (4, [True, True, True, False, True, True, True, False]),  # Llama 4, SmolLM3
        (8, [True, True, True, True, True, True, True, False]),
    ],
)
def test_a_layer_is_rope_or_no_encoding(interval, expected):
    found = [on_some(ROPE, interval).at_layer(layer) for layer in range(8)]
    assert [one is ROPE for one in found] == expected
    assert all(one is ROPE or type(one) is PositionalEncoding for one in found)


def test_errors():
    refuses(lambda: on_some(ROPE, 1), "interval must be at least 2 (1 leaves no layer with RoPE), got 1")
