"""Layers that differ: encodings in a pattern, masks of their own, and encodings that read the input of their layer."""

import torch
from torch import nn

from pe_core.encodings import ByLayer, Chain, Masked, PositionalEncoding, Shape
from pe_core.encodings.learned import Learned
from pe_core.encodings.log_n import RotaryLogN
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.lab.experiment.model import Transformer
from pe_core.masks import causal, dilated, sliding_window
from tests.cases import refuses
from tests.strategies import initialised

SHAPE = Shape(8, 2, 6, 6)
TOKENS = torch.tensor([[0, 3, 1, 4, 1, 2]])
POSITIONS = torch.arange(6)


def rope(base=10_000.0):
    return Rotary(frequencies(4, base), layout="half")


def model(encoding, n_layers):
    return Transformer(5, SHAPE, n_layers, encoding, generator=torch.Generator().manual_seed(0)).double().eval()


def window(width):
    return Masked(lambda n: sliding_window(n, width))


def test_a_pattern_repeats_and_asks_its_layers():
    local, full = rope(), rope(1e6)
    layers = ByLayer(local, ByLayer(full, local), full)
    assert [layers.at_layer(layer) for layer in range(7)] == [local, local, full, local, full, full, local]


def test_a_pattern_without_layers_is_refused():
    refuses(ByLayer, "pattern must name at least one layer, got 0")


def test_layers_with_the_same_encoding_share_it_and_keep_it_once():
    table, other = Learned(8, 6, std=1.0), Learned(8, 6, std=1.0)
    layers = ByLayer(table, other, table)
    assert len(layers.state_dict()) == 2
    layers.reset_parameters(torch.Generator().manual_seed(0))
    alone = initialised(Learned(8, 6, std=1.0))
    assert torch.equal(table.table, alone.table)  # drawn once, and first


def test_masks_of_a_chain_have_to_allow_a_key_all():
    both = Chain(window(3), rope(), Masked(lambda n: dilated(n, 6, 2))).mask(POSITIONS)
    assert both[5].tolist() == [False, False, False, True, False, True]
    assert Chain(rope()).mask(POSITIONS) is None


def test_a_mask_of_every_layer_is_that_mask_given_to_the_model():
    plain = model(rope(), 3)
    given = plain(TOKENS, mask=sliding_window(6, 2))
    assert torch.equal(plain(TOKENS, encoding=Chain(rope(), window(2))), given)
    both = plain(TOKENS, mask=sliding_window(6, 4), encoding=Chain(rope(), window(2)))
    assert torch.equal(both, given)
    assert not torch.equal(plain(TOKENS), given)


def test_layers_with_masks_of_their_own_are_blocks_with_those_masks():
    layers = ByLayer(Chain(rope(), window(2)), rope(1e6))
    made = model(layers, 3)
    x = made.embedding(TOKENS)
    for block, base, mask in zip(
        made.blocks, (1e4, 1e6, 1e4), (sliding_window(6, 2), None, sliding_window(6, 2)), strict=True
    ):
        x = block(x, POSITIONS, mask, rope(base))
    assert torch.equal(made(TOKENS), made.head(made.norm(x)))


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
    alone = RotaryLogN(frequencies(4), train_length=2, layout="half")
    assert torch.equal(plain(TOKENS, encoding=Chain(window(3), alone)), plain(TOKENS, encoding=Chain(alone, window(3))))


def test_what_reads_the_input_gets_the_normalised_input_of_its_layer():
    read = []

    class Reading(PositionalEncoding):
        def reading(self, x):
            read.append(x)
            return self

    made = model(rope(), 2)
    with torch.no_grad():
        logits = made(TOKENS, encoding=Chain(rope(), Reading()))
        x = made.embedding(TOKENS)
        for block, found in zip(made.blocks, read, strict=True):
            assert torch.equal(found, block.attention_norm(x))
            x = block(x, POSITIONS, None, rope())
    assert len(read) == 2
    assert torch.equal(logits, made(TOKENS))


def test_a_rule_is_moved_to_where_the_positions_are():
    assert isinstance(window(2), nn.Module)
    assert torch.equal(window(2).mask(POSITIONS + 100), sliding_window(6, 2))
