import cmath
import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Shape
from pe_core.encodings.layer_patterns import full_first, full_last
from pe_core.encodings.temperature import Temperature
from pe_core.masks import causal
from tests.cases import each, refuses
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


def turned(vector, position, base, layout):
    """A vector of four channels, each of its two pairs turned as a complex number."""
    pairs = [(0, 1), (2, 3)] if layout == "interleaved" else [(0, 2), (1, 3)]
    result = [0.0] * 4
    for i, (one, other) in enumerate(pairs):
        point = complex(vector[one], vector[other]) * cmath.exp(1j * position * base ** (-2 * i / 4))
        result[one], result[other] = point.real, point.imag
    return result


def by_definition(key, layer, interval, q, k, size):
    """The scores of one head of width 4 in one layer, row by row: -inf where a key is not seen."""
    full = layer % interval == 0 if key == "modernbert" else (layer + 1) % interval == 0
    base = {"gemma3": (1e4, 1e6), "modernbert": (1e4, 1.6e5), "llama4": (5e5, None), "rnope_window": (1e4, None)}
    layout = "half" if key in ("gemma3", "modernbert") else "interleaved"
    own, rows = base[key][full], []
    for m in range(len(q)):
        row = []
        for n in range(len(k)):
            near = m // size == n // size if key == "llama4" else m - n < size
            query = turned(q[m], m, own, layout) if own else q[m]
            place = turned(k[n], n, own, layout) if own else k[n]
            score = sum(a * b for a, b in zip(query, place, strict=True)) / 2
            if key == "llama4" and full:
                score *= 1 + 0.1 * math.log(1 + (m + 1) // size)
            row.append(score if n <= m and (full or near) else -math.inf)
        rows.append(row)
    return rows


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("interval", "layer"), [(2, 0), (2, 1), (3, 3), (3, 5)])
def test_scores_equal_the_definition(key, interval, layer):
    q, k = normal(layer, 2, 1, 2, LENGTH, 4)
    size, places = TRAINED // 2, torch.arange(LENGTH)
    own = ENCODINGS[key].build(SHAPE, {"interval": interval}).at_layer(layer)
    turned_q, turned_k = own.rotate(q, k, places)
    mask = own.mask(places)
    seen = causal(LENGTH) if mask is None else causal(LENGTH) & mask
    found = (turned_q @ turned_k.mT / 2).masked_fill(~seen, -torch.inf)
    expected = [by_definition(key, layer, interval, q[0, h].tolist(), k[0, h].tolist(), size) for h in range(2)]
    assert_close(found[0], torch.tensor(expected, dtype=F64), atol=1e-12, rtol=0)
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
