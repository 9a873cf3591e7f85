import cmath
import math
import re

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.layer_patterns import full_first, full_last
from pe_core.encodings.rotary import Rotary
from pe_core.encodings.sinusoidal import wavelengths
from pe_core.encodings.temperature import Temperature
from pe_core.lab.experiment.model import Transformer
from pe_core.masks import causal, sliding_window
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("key", "head_dim", "local", "full"), [("gemma3", 256, 58469.6, 5640334.6), ("modernbert", 64, 47117.2, 691307.2)]
)
def test_the_slowest_wavelengths_of_published_widths(key, head_dim, local, full):
    encoding = ENCODINGS[key].build(Shape(head_dim, 1, 64, 64), {"interval": 2})
    for layer, expected in enumerate((local, full) if key == "gemma3" else (full, local)):
        own = encoding.at_layer(layer)
        rope = own if isinstance(own, Rotary) else next(iter(own.encodings))
        assert float(wavelengths(rope.frequencies)[-1]) == pytest.approx(expected, abs=0.05)


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


@pytest.mark.parametrize("key", KEYS)
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


def test_a_full_layer_of_rnope_knows_nothing_of_position():
    assert type(ENCODINGS["rnope_window"].build(SHAPE).at_layer(1)) is PositionalEncoding


@pytest.mark.parametrize("key", KEYS)
def test_only_the_far_past_of_the_local_layers_is_lost(key):
    """A model of local layers alone would not notice the first token; one full layer brings it to all."""
    tokens = torch.tensor([[0, 3, 1, 4, 1, 2, 0, 3, 1, 4, 1, 2, 2, 2]])
    other = torch.cat([tokens[:, :1] + 1, tokens[:, 1:]], dim=1)
    sizes = {SIZES[key]: 0.25}  # 2 tokens
    moved = {}
    for n_layers, interval in ((1, 2), (2, 2)):
        encoding = ENCODINGS[key].build(SHAPE, {**sizes, "interval": interval})
        model = Transformer(5, SHAPE, n_layers, encoding, generator=torch.Generator().manual_seed(0)).double()
        moved[n_layers] = (model(other) - model(tokens)).abs().amax(-1)[0] > 1e-12
    local_only = [True, True] + [False] * (LENGTH - 2)
    assert moved[1].tolist() == ([True] * LENGTH if key == "modernbert" else local_only)
    assert moved[2].all()


def test_a_mask_of_the_model_and_the_encodings_own_are_both_obeyed():
    shape, tokens = Shape(8, 2, 12, 64), torch.arange(12)[None] % 5
    encoding = ENCODINGS["llama4"].build(shape)  # chunks of 6
    model = Transformer(5, shape, 1, encoding, generator=torch.Generator().manual_seed(0)).double()
    found = model(tokens, mask=sliding_window(12, 3))
    alone = Transformer(5, shape, 1, ENCODINGS["rope"].build(shape, {"base": 5e5}), generator=torch.Generator())
    alone.load_state_dict(model.state_dict())
    by_hand = [[n <= m and m - n < 3 and m // 6 == n // 6 for n in range(12)] for m in range(12)]
    assert_close(found, alone.double()(tokens, mask=torch.tensor(by_hand)), atol=1e-14, rtol=0)
    assert not torch.allclose(found, model(tokens))


@pytest.mark.parametrize("key", KEYS)
def test_every_parameter_changes_some_layer(key):
    def seen(params=None):
        encoding, (q, k) = ENCODINGS[key].build(SHAPE, params), normal(0, 2, 1, 2, LENGTH, 4)
        found = []
        for layer in range(4):
            own = encoding.at_layer(layer)
            turned_q, turned_k = own.rotate(q, k, torch.arange(LENGTH))
            mask = own.mask(torch.arange(LENGTH))
            found.append((turned_q @ turned_k.mT).masked_fill(~(causal(LENGTH) if mask is None else mask), 0))
        return torch.stack(found)

    other = {"interval": 4, "layout": ({"half", "interleaved"} - {ENCODINGS[key].values()["layout"]}).pop()}
    for parameter in ENCODINGS[key].parameters:
        value = other.get(parameter.name, parameter.minimum)
        assert not torch.allclose(seen(), seen({parameter.name: float(value) if isinstance(value, float) else value}))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: full_last(Chain(), Chain(), 1), "interval must be at least 2 (1 leaves no local layer), got 1"),
        (lambda: full_first(Chain(), Chain(), 0), "interval must be at least 2 (1 leaves no local layer), got 0"),
        (lambda: ENCODINGS["gemma3"].build(SHAPE, {"window": 9.0}), "window must be a number from 0.05 to 8, got 9.0"),
        (lambda: ENCODINGS["llama4"].build(Shape(6, 2, 4, 8)), "head_dim must be even and at least 2, got 3"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
