"""The model against its definition by loops, and what every encoding has to leave true of it."""

import cmath
import math
from functools import cache

import torch
from torch.testing import assert_close

from pe_core import masks
from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.lab.experiment.model import Attention, Heads, Transformer
from tests.cases import each
from tests.strategies import normal

VOCAB_SIZE = 7
TOKENS = torch.tensor([[0, 5, 2, 6, 1, 3, 4, 0, 2, 5], [3, 3, 1, 0, 6, 6, 2, 4, 5, 1]])
LENGTH = TOKENS.shape[1]

every_encoding = each("key", ENCODINGS)


def build(key, *, max_length=40):
    shape = Shape(d_model=8, n_heads=2, train_length=LENGTH, max_length=max_length)
    generator = torch.Generator().manual_seed(0)
    return Transformer(VOCAB_SIZE, shape, 2, ENCODINGS[key].build(shape), generator=generator).double()


@cache
def kept(key):
    """A model that no test changes."""
    return build(key)


def attention_by_loops(attention, x, positions, allowed, *, turned, biased):
    """Every query of every head of every text on its own, from the definition: two heads of width 4."""
    qkv, result = attention.qkv.weight, torch.zeros_like(x)
    for text in range(len(x)):
        for head in range(2):
            rows = [range(part * 8 + head * 4, part * 8 + head * 4 + 4) for part in range(3)]
            q, k, v = ([[float(qkv[row] @ token) for row in part] for token in x[text]] for part in rows)
            if turned:
                q, k = ([turn(vector, m) for vector, m in zip(side, positions, strict=True)] for side in (q, k))
            for query, m in enumerate(positions):
                seen = [key for key in range(len(positions)) if allowed[query][key]]
                scores = [sum(a * b for a, b in zip(q[query], k[key], strict=True)) / math.sqrt(4) for key in seen]
                if biased:  # slopes of two heads: 1/16 and 1/256
                    biases = (16.0 ** -(head + 1) * (m - positions[key]) for key in seen)
                    scores = [score - bias for score, bias in zip(scores, biases, strict=True)]
                weights = [math.exp(score) for score in scores]
                for channel in range(4):
                    mean = sum(w * v[key][channel] for w, key in zip(weights, seen, strict=True)) / sum(weights)
                    result[text, query, head * 4 + channel] = mean
    return result @ attention.out.weight.T


def turn(vector, position):
    """RoPE of width 4 and base 10,000: the channels (0, 1) by the position, (2, 3) by a hundredth of it."""
    pairs = [complex(vector[0], vector[1]), complex(vector[2], vector[3])]
    turned = [pair * cmath.exp(1j * angle) for pair, angle in zip(pairs, (position, position / 100), strict=True)]
    return [turned[0].real, turned[0].imag, turned[1].real, turned[1].imag]


ROTARY, ALIBI = Rotary(frequencies(4), layout="interleaved"), ENCODINGS["alibi"].build(Shape(8, 2, 8, 8))


@each(
    ("encoding", "turned", "biased"),
    [
        (PositionalEncoding(), False, False),
        (ROTARY, True, False),
        (ALIBI, False, True),
        (Chain(ROTARY, ALIBI), True, True),
    ],
)
@each("mask", [None, masks.sliding_window(6, 3)])
@torch.no_grad()
def test_attention_equals_the_definition(encoding, turned, biased, mask):
    attention, x = Attention(8, 2).double(), normal(1, 2, 6, 8)
    attention.qkv.weight.copy_(normal(2, 24, 8))
    attention.out.weight.copy_(normal(3, 8, 8))
    positions = [0, 1, 4, 5, 9, 30]
    allowed = [[key <= query and (mask is None or bool(mask[query, key])) for key in range(6)] for query in range(6)]
    expected = attention_by_loops(attention, x, positions, allowed, turned=turned, biased=biased)
    assert_close(attention(x, torch.tensor(positions), mask, encoding), expected)


@each("with_mask", [False, True])
def test_a_learned_bias_changes_how_attention_is_computed_and_nothing_else(with_mask):
    q, k, v = (normal(seed, 2, 3, 6, 4).requires_grad_() for seed in range(3))
    bias = normal(3, 2, 3, 6, 6)
    mask = masks.sliding_window(6, 3) if with_mask else masks.causal(6)
    added = bias.masked_fill(~mask, -torch.inf)
    fused = Heads(q, k, v, added).attended()
    learned = Heads(q, k, v, added.clone().requires_grad_()).attended()
    assert_close(learned, fused, atol=1e-14, rtol=0)
    gradients = [torch.autograd.grad(out.square().sum(), (q, k, v)) for out in (fused, learned)]
    for one, other in zip(*gradients, strict=True):
        assert_close(one, other, atol=1e-13, rtol=0)


def normalised(x, norm):
    deviation = x - x.mean(-1, keepdim=True)
    return deviation / (deviation.square().mean(-1, keepdim=True) + 1e-5).sqrt() * norm.weight


@torch.no_grad()
def test_the_model_is_embedding_blocks_norm_and_head():
    model = build("sinusoidal")
    for parameter in model.parameters():  # norms start at 1: nothing would be seen of them
        parameter.add_(normal(parameter.numel(), *parameter.shape) / 4)
    positions = torch.arange(LENGTH)
    x = model.encoding.embed(model.embedding.weight[TOKENS], positions)
    for block in model.blocks:
        x = x + block.attention(normalised(x, block.attention_norm), positions, None, model.encoding)
        first, _, last = block.network
        hidden = normalised(x, block.network_norm) @ first.weight.T
        x = x + hidden * (1 + torch.erf(hidden / math.sqrt(2))) / 2 @ last.weight.T
    assert_close(model(TOKENS), normalised(x, model.norm) @ model.head.weight.T)


@every_encoding
@torch.no_grad()
def test_scores_do_not_change_with_later_tokens(key):
    model = kept(key)
    before = model(TOKENS)
    for place in (1, 4, LENGTH - 1):
        changed = TOKENS.clone()
        changed[:, place] = (changed[:, place] + 1) % VOCAB_SIZE
        after = model(changed)
        assert_close(after[:, :place], before[:, :place], atol=1e-12, rtol=0)
        assert ((after - before)[:, place:].abs().amax(-1) > 1e-9).all()


@every_encoding
@torch.no_grad()
def test_a_mask_limits_what_a_position_sees(key):
    model, window = kept(key), masks.sliding_window(LENGTH, 3)
    assert_close(model(TOKENS, mask=masks.causal(LENGTH)), model(TOKENS))
    before, changed = model(TOKENS, mask=window), TOKENS.clone()
    changed[:, 0] = (changed[:, 0] + 1) % VOCAB_SIZE
    moved = (model(changed, mask=window) - before).abs().amax((0, -1)) > 1e-12
    assert moved.tolist() == [True] * 5 + [False] * 5  # two layers look two tokens further back each


@torch.no_grad()
def test_positions_count_from_0_and_are_told_to_the_encoding():
    model, positions = kept("rope"), torch.arange(LENGTH)
    counted = model(TOKENS)
    assert torch.equal(model(TOKENS, positions=positions), counted)
    assert not torch.allclose(model(TOKENS, positions=positions * 2), counted)


@every_encoding
def test_every_weight_gets_a_gradient(key):
    model = build(key, max_length=LENGTH)
    assert set(TOKENS.flatten().tolist()) == set(range(VOCAB_SIZE))
    targets = TOKENS.roll(-1, dims=1)
    torch.nn.functional.cross_entropy(model(TOKENS).flatten(0, 1), targets.flatten()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all(), name
        if name.startswith("encoding."):  # a row for a distance that the text does not have gets none
            assert (parameter.grad != 0).any(), name
        else:
            assert (parameter.grad != 0).all(), name


@each("key", ["none", "alibi"])
def test_a_row_without_a_key_gives_zeros_and_finite_gradients(key):
    model = build(key)
    mask = masks.causal(LENGTH)
    mask[2] = False
    model(TOKENS, mask=mask).square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    assert model(TOKENS, mask=mask).isfinite().all()
