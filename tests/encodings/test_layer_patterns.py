import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Shape
from pe_core.encodings.layer_patterns import full_first, full_last
from pe_core.encodings.temperature import Temperature
from pe_core.masks import causal
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs, scores, turned
from tests.strategies import normal

F64 = torch.float64
KEYS = ("gemma3", "modernbert", "llama4", "rnope_window")
LENGTH, TRAINED = 14, 8
SHAPE = Shape(8, 2, TRAINED, 64)
SIZES = {"gemma3": "window", "modernbert": "window", "llama4": "chunk", "rnope_window": "window"}


def kinds(key, interval, n_layers):
    """F for a layer that sees all keys, else L."""
    encoding = ENCODINGS[key].build(SHAPE, {"interval": interval})
    layers = [encoding.at_layer(layer) for layer in range(n_layers)]
    return "".join("F" if own.mask(torch.arange(LENGTH)) is None else "L" for own in layers)


@each(
    ("key", "interval", "expected"),
    [
        ("gemma3", 6, "LLLLLFLLLLLF"),
        ("modernbert", 3, "FLLFLLFLLFLL"),
        ("llama4", 4, "LLLFLLLFLLLF"),
        ("rnope_window", 4, "LLLFLLLFLLLF"),
        ("gemma3", 2, "LFLFLFLFLFLF"),
    ],
)
def test_the_published_orders_of_layers(key, interval, expected):
    assert kinds(key, interval, 12) == expected


BASES = {"gemma3": (1e4, 1e6), "modernbert": (1e4, 1.6e5), "llama4": (5e5, None), "rnope_window": (1e4, None)}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("interval", "layer"), [(2, 0), (2, 1), (3, 3), (3, 5)])
def test_scores_equal_the_definition(key, interval, layer):
    """Heads of width 4: each layer has a base or turns nothing, and sees all keys or those nearby."""
    q, k = normal(layer, 2, 1, 2, LENGTH, 4)
    size, places = TRAINED // 2, torch.arange(LENGTH)
    full = layer % interval == 0 if key == "modernbert" else (layer + 1) % interval == 0
    base, layout = BASES[key][full], "half" if key in ("gemma3", "modernbert") else "interleaved"

    def rotated(heads):
        return [turned(x, lambda row, i: row * base ** (-2 * i / 4), layout) if base else x for x in heads]

    queries, keys = rotated(q[0]), rotated(k[0])

    def value(m, n, head):
        near = m // size == n // size if key == "llama4" else m - n < size
        factor = 1 + 0.1 * math.log(1 + (m + 1) // size) if key == "llama4" and full else 1
        return float(queries[head][m] @ keys[head][n]) / 2 * factor if full or near else -math.inf

    own = ENCODINGS[key].build(SHAPE, {"interval": interval}).at_layer(layer)
    found = scores(own, q, k, places).masked_fill(~causal(LENGTH), -torch.inf)
    assert_close(found[0], of_pairs(places, hiding_the_future(value), [(0,), (1,)]), atol=1e-12, rtol=0)
    assert own.bias(q, k, places) is None


@each("key", KEYS)
def test_sizes_are_parts_of_the_training_length(key):
    for trained, expected in ((64, 48), (10, 8), (1, 1)):
        encoding = ENCODINGS[key].build(Shape(8, 2, trained, 64), {SIZES[key]: 0.75})
        local = encoding.at_layer(1 if key == "modernbert" else 0)
        assert int(local.mask(torch.arange(512)).sum(-1).max()) == expected


def test_a_full_layer_of_llama_4_has_a_temperature_and_no_position():
    own = ENCODINGS["llama4"].build(SHAPE, {"strength": 0.5, "floor": 0.25}).at_layer(1)
    assert isinstance(own, Temperature)
    q, k = normal(0, 2, 1, 2, 6, 4)
    scaled_q, same_k = own.rotate(q, k, torch.arange(6))
    assert torch.equal(same_k, k)
    steps = torch.tensor([0, 1, 1, 2, 2, 3], dtype=F64)  # floor((m + 1) / 2)
    assert_close(scaled_q, q * (1 + 0.5 * (1 + steps).log())[:, None])


def test_errors():
    refuses(lambda: full_last(Chain(), Chain(), 1), "interval must be at least 2 (1 leaves no local layer), got 1")
    refuses(lambda: full_first(Chain(), Chain(), 0), "interval must be at least 2 (1 leaves no local layer), got 0")
