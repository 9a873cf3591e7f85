"""The contract, its entries, and encodings put together: in a chain, by layer, with masks, reading their input."""

import math
from functools import partial

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, ByLayer, Chain, EncodingSpec, Masked, PositionalEncoding, Shape
from pe_core.encodings.adapters import Biased
from pe_core.encodings.alibi import bias
from pe_core.encodings.index import Index
from pe_core.encodings.layer_patterns import full_first, full_last
from pe_core.encodings.learned import Learned
from pe_core.encodings.log_n import LogN
from pe_core.encodings.rope_layers import on_some
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.encodings.sinusoidal import Sinusoidal
from pe_core.encodings.temperature import Temperature
from pe_core.lab.experiment.model import Transformer
from pe_core.masks import causal, dilated, sliding_window
from pe_core.parameters import Parameter
from tests.cases import each, refuses
from tests.encodings.loops import hiding_the_future, of_pairs, scores, turned
from tests.measures.handmade import Reading
from tests.strategies import F64, initialised, normal

HEADS = Shape(d_model=12, n_heads=3, train_length=4, max_length=8)


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
    assert spec(WIDTH, SIDE).build(HEADS) == (HEADS, {"width": 4, "side": "left"})
    assert spec(WIDTH, SIDE).build(HEADS, given) == (HEADS, {"width": 4, "side": "right"})
    assert spec().build(HEADS, {}) == (HEADS, {})
    assert given == {"side": "right"}


def test_errors_of_an_entry():
    refuses(lambda: Shape(0, 1, 1, 1), "d_model must be at least 1, got 0")
    refuses(lambda: Shape(8, 0, 1, 1), "n_heads must be at least 1, got 0")
    refuses(lambda: Shape(8, 2, -1, 1), "train_length must be at least 1, got -1")
    refuses(lambda: Shape(8, 2, 1, 0), "max_length must be at least 1, got 0")
    refuses(lambda: Shape(8, 3, 1, 1), "d_model must be divisible by n_heads (3), got 8")
    refuses(lambda: spec().build(HEADS, {"width": 1}), "parameter of toy must be one of (none), got width")
    refuses(lambda: spec(WIDTH, SIDE).build(HEADS, {"x": 1}), "parameter of toy must be one of width, side, got x")
    refuses(lambda: spec(WIDTH).build(HEADS, {"width": 9}), "width must be a whole number from 1 to 8, got 9")
    refuses(lambda: spec(SIDE).build(HEADS, {"side": "up"}), "side must be one of left, right, got up")


SHAPE = Shape(8, 2, 6, 6)
TOKENS = torch.tensor([[0, 3, 1, 4, 1, 2]])
POSITIONS = torch.arange(6)
FIVE = torch.arange(5)  # as many tokens as q, k and x have


def rope(base=10_000.0, layout="half"):
    return Rotary(frequencies(4, base), layout=layout)


def sinusoid():
    return Sinusoidal(base=10_000.0, variant="paper")


def model(encoding, n_layers):
    return Transformer(5, SHAPE, n_layers, encoding, generator=torch.Generator().manual_seed(0)).double().eval()


def window(width):
    return Masked(lambda n: sliding_window(n, width))


def test_embeddings_are_passed_on_in_order(x):
    table = initialised(Learned(8, 5, std=1.0).double(), 1)
    for first, second in ((sinusoid(), table), (table, sinusoid())):
        assert_close(Chain(first, second).embed(x, FIVE), second.embed(first.embed(x, FIVE), FIVE))


def test_rotations_are_applied_in_order(q, k):
    forth, back = (
        Chain(rope(layout=one), rope(layout=other)).rotate(q, k, FIVE)
        for one, other in (("interleaved", "half"), ("half", "interleaved"))
    )
    assert_close(forth, rope(layout="half").rotate(*rope(layout="interleaved").rotate(q, k, FIVE), FIVE))
    assert not torch.allclose(forth[0], back[0])  # turns in overlapping planes do not commute


def test_each_hook_gets_its_own_encoding_and_biases_are_added_up(x, q, k):
    causal, symmetric = (Biased(partial(bias, n_heads=2, causal=causal)) for causal in (True, False))
    encoding = Chain(sinusoid(), rope(), causal, symmetric)
    assert_close(encoding.embed(x, FIVE), sinusoid().embed(x, FIVE))
    assert_close(encoding.rotate(q, k, FIVE), rope().rotate(q, k, FIVE))
    assert torch.equal(encoding.bias(q, k, FIVE), bias(FIVE, 2, dtype=F64) + bias(FIVE, 2, causal=False, dtype=F64))


def test_a_chain_of_nothing_is_no_encoding(x, q, k):
    for empty in (Chain(), Chain(PositionalEncoding()), Chain(Chain(), PositionalEncoding())):
        assert torch.equal(empty.embed(x, FIVE), x)
        assert all(torch.equal(a, b) for a, b in zip(empty.rotate(q, k, FIVE), (q, k), strict=True))
        assert empty.bias(q, k, FIVE) is None
        assert empty.mask(FIVE) is None


def test_what_a_chain_learns_is_drawn_part_after_part_and_saved():
    def parts():
        return Index(4, normalise=False), rope(), Learned(4, 6, std=0.5)

    chain, generator, alone = initialised(Chain(*parts()), 1), torch.Generator().manual_seed(1), parts()
    for one in alone:
        one.reset_parameters(generator)
    assert list(chain.state_dict()) == ["encodings.0.direction", "encodings.2.table"]
    for kept, value in zip(chain.parameters(), Chain(*alone).parameters(), strict=True):
        assert torch.equal(kept, value)
    other = initialised(Chain(*parts()), 2)
    assert not torch.allclose(other.encodings[2].table, chain.encodings[2].table)
    other.load_state_dict(chain.state_dict())
    assert torch.equal(other.encodings[2].table, chain.encodings[2].table)


def test_a_pattern_repeats_and_asks_its_layers():
    local, full = rope(), rope(1e6)
    layers = ByLayer(local, ByLayer(full, local), full)
    assert [layers.at_layer(layer) for layer in range(7)] == [local, local, full, local, full, full, local]


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
    encoding = rope()
    found = [on_some(encoding, interval).at_layer(layer) for layer in range(8)]
    assert [one is encoding for one in found] == expected
    assert all(one is encoding or type(one) is PositionalEncoding for one in found)


def test_layers_with_the_same_encoding_share_it_and_keep_it_once():
    table, other = Learned(8, 6, std=1.0), Learned(8, 6, std=1.0)
    layers = initialised(ByLayer(table, other, table))
    assert len(layers.state_dict()) == 2
    assert torch.equal(table.table, initialised(Learned(8, 6, std=1.0)).table)  # drawn once, and first


def test_masks_of_a_chain_have_to_allow_a_key_all():
    both = Chain(window(3), rope(), Masked(lambda n: dilated(n, 6, 2))).mask(POSITIONS)
    assert both[5].tolist() == [False, False, False, True, False, True]


def test_keys_are_counted_in_the_mask_of_the_layer():
    seen = []

    class Counting(PositionalEncoding):
        def seeing(self, mask):
            seen.append(mask)
            return self

    plain = model(rope(), 2)
    plain(TOKENS, encoding=ByLayer(Chain(window(2), Counting()), Counting()))
    assert torch.equal(seen[0], sliding_window(6, 2))
    assert torch.equal(seen[1], causal(6))
    alone = Chain(rope(), LogN(2))
    assert torch.equal(plain(TOKENS, encoding=Chain(window(3), alone)), plain(TOKENS, encoding=Chain(alone, window(3))))


@torch.no_grad()
def test_what_reads_the_input_gets_the_normalised_input_of_its_layer():
    made, reader = model(rope(), 2), Reading()
    assert torch.equal(made(TOKENS, encoding=Chain(rope(), reader)), made(TOKENS))
    x = made.embedding(TOKENS)
    for block, found in zip(made.blocks, reader.read, strict=True):
        assert torch.equal(found, block.attention_norm(x))
        x = block(x, POSITIONS, None, rope())


def test_what_cannot_be_put_together_is_refused():
    refuses(ByLayer, "pattern must name at least one layer, got 0")
    refuses(lambda: on_some(rope(), 1), "interval must be at least 2 (1 leaves no layer with RoPE), got 1")
    refuses(lambda: full_last(Chain(), Chain(), 1), "interval must be at least 2 (1 leaves no local layer), got 1")
    refuses(lambda: full_first(Chain(), Chain(), 0), "interval must be at least 2 (1 leaves no local layer), got 0")


KEYS = ("gemma3", "modernbert", "llama4", "rnope_window")
LENGTH, TRAINED = 14, 8
TRAINED_ON_8 = Shape(8, 2, TRAINED, 64)
SIZES = {"gemma3": "window", "modernbert": "window", "llama4": "chunk", "rnope_window": "window"}


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
    """F for a layer that sees all keys, else L."""
    encoding = ENCODINGS[key].build(TRAINED_ON_8, {"interval": interval})
    layers = [encoding.at_layer(layer) for layer in range(12)]
    assert "".join("F" if own.mask(torch.arange(LENGTH)) is None else "L" for own in layers) == expected


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

    own = ENCODINGS[key].build(TRAINED_ON_8, {"interval": interval}).at_layer(layer)
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
    own = ENCODINGS["llama4"].build(TRAINED_ON_8, {"strength": 0.5, "floor": 0.25}).at_layer(1)
    assert isinstance(own, Temperature)
    q, k = normal(0, 2, 1, 2, 6, 4)
    scaled_q, same_k = own.rotate(q, k, torch.arange(6))
    assert torch.equal(same_k, k)
    steps = torch.tensor([0, 1, 1, 2, 2, 3], dtype=F64)  # floor((m + 1) / 2)
    assert_close(scaled_q, q * (1 + 0.5 * (1 + steps).log())[:, None])
