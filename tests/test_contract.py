"""What every encoding of the registry promises, whatever it does, and in a batch of texts as in one."""

import math
from typing import get_args

import pytest
import torch
from torch.nn.functional import layer_norm
from torch.testing import assert_close

from pe_core import masks
from pe_core.encodings import ENCODINGS, Chain, Masked, Shape
from pe_core.encodings.base import Family, Hook
from pe_core.lab.experiment.streaming import RELATIVE, Streaming
from pe_core.masks import sliding_window
from tests.cases import each, refuses
from tests.encodings.loops import scores
from tests.strategies import built, choices, extremes, initialised, normal

SHAPE = Shape(d_model=16, n_heads=2, train_length=4, max_length=12)
DTYPES = [torch.float32, torch.float64, torch.bfloat16]

# Where an encoding is right to differ from the others, and why.
DEPENDS_ON_THE_LENGTH = {
    "rope_scaled": "takes its frequencies from the length of the text, once that is beyond training",
    "normalised": "divides by the last position",
    "sincos_2d_detr": "divides by the height of the image, which grows with the text",
}
BLIND_TO_ORDER = {"none": "no encoding at all"}
SUMS_ALONG_THE_TEXT = {  # what lies between query and key in the text, and other positions change nothing
    "cope": "sums the gates of the keys in between",
    "forgetting": "sums the forget gates of the keys in between",
    "cable": "sums the steps of the tokens in between",
}
COUNTS_ALONG_THE_TEXT = {  # what lies between query and key in the text, not in `positions`
    **SUMS_ALONG_THE_TEXT,
    "rnope_window": "its window counts places in the text",
    "gemma3": "its window counts places in the text",
    "modernbert": "its window counts places in the text",
    "llama4": "its chunks count places in the text",
}
WIDENS = {"pope": (2, "a magnitude with an angle is two numbers")}  # queries and keys, by this factor
DIVIDES = {  # what must divide a width of the shape
    "sincos_2d_mae": ("d_model", 4),
    "sincos_2d_detr": ("d_model", 4),
    "rope_axial": ("head_dim", 4),
    "rope_mixed": ("head_dim", 4),
    "rope_decoupled": ("head_dim", 1),  # what is turned stands beside a head, which may be of any width
}
SEEN_WITH_MORE = {  # parameters that change nothing where the training length is 4, and a shape where they do
    "fope": (Shape(16, 2, 64, 512), "no pair turns within 4 tokens, and one alone is left"),
    "string": (Shape(16, 2, 16, 48), "shift and window are one token each"),
}
RAISES_PAST_TRAINING = {("learned", "beyond", "error"): "this choice is to refuse longer texts"}

every_encoding = each("key", ENCODINGS)


def build(key, params=None, *, shape=SHAPE, seed=0):
    return built(key, shape, params, seed)


def attention(encoding, x, positions, *, n_heads=2, causal=False, n_layers=2):
    """Pre-norm self-attentions without weights of their own, (B, T, D), that call every hook as a model does."""
    x = encoding.embed(x, positions)
    for layer in range(n_layers):
        own = encoding.at_layer(layer)
        read = layer_norm(x, x.shape[-1:])
        heads = read.unflatten(-1, (n_heads, -1)).transpose(1, 2)  # (B, H, T, d)
        allowed = masks.causal(len(positions)) if causal else torch.ones(len(positions), len(positions)).bool()
        mask = own.mask(positions)
        allowed = allowed if mask is None else allowed & mask
        seen = scores(own.reading(read).seeing(allowed), heads, heads, positions).masked_fill(~allowed, -torch.inf)
        x = x + (seen.softmax(-1) @ heads).transpose(1, 2).flatten(2)
    return x


@every_encoding
def test_only_the_hooks_of_the_entry_do_something(key):
    assert ENCODINGS[key].family in get_args(Family)
    assert set(ENCODINGS[key].hooks) <= set(get_args(Hook))
    encoding, positions, x = build(key).double(), torch.arange(1, 6), normal(0, 2, 5, 16)
    q = k = normal(1, 2, 2, 5, 8)
    layers = [encoding.at_layer(layer).reading(x) for layer in range(4)]
    works = {
        "embed": not torch.equal(encoding.embed(x, positions), x),
        "rotate": any(not torch.equal(own.rotate(q, k, positions)[0], q) for own in layers),
        "bias": any(own.bias(*own.rotate(q, k, positions), positions) is not None for own in layers),
    }
    assert tuple(hook for hook, does in works.items() if does) == ENCODINGS[key].hooks


@every_encoding
@each("dtype", DTYPES)
def test_the_inputs_and_the_global_seed_are_left_alone(key, dtype):
    x, positions, random = normal(0, 1, 4, 16).to(dtype), torch.arange(4), torch.get_rng_state()
    before = x.clone()
    attention(build(key).to(dtype), x, positions)
    assert torch.equal(x, before)
    assert torch.equal(positions, torch.arange(4))
    assert torch.equal(torch.get_rng_state(), random)


@every_encoding
@each("causal", [False, True])
def test_gradients_are_finite_and_reach_every_parameter(key, causal):
    encoding, x = build(key).double(), normal(0, 2, 12, 16).requires_grad_()
    attention(encoding, x, torch.arange(12), causal=causal).square().sum().backward()
    assert x.grad.isfinite().all()
    assert (x.grad != 0).any()
    for parameter in encoding.parameters():
        assert parameter.grad.isfinite().all()
        assert (parameter.grad != 0).any()


@every_encoding
def test_a_saved_state_brings_the_same_encoding_back(key):
    saved, loaded = build(key, seed=1), build(key, seed=2)
    x, positions = normal(0, 1, 4, 16).float(), torch.arange(4)
    draws = len(saved.state_dict()) > 0  # what is learned, or drawn once
    assert torch.equal(attention(saved, x, positions), attention(loaded, x, positions)) is not draws
    loaded.load_state_dict(saved.state_dict())
    assert torch.equal(attention(saved, x, positions), attention(loaded, x, positions))


@every_encoding
def test_the_seed_decides_every_parameter_whatever_was_learned(key):
    one, again, other = (build(key, seed=seed) for seed in (1, 2, 3))
    for parameter in again.parameters():
        torch.nn.init.constant_(parameter, math.nan)
    initialised(again, 1)
    for value, same, different in zip(*(each_one.parameters() for each_one in (one, again, other)), strict=True):
        assert torch.equal(value, same)
        assert not torch.isclose(value, different, rtol=1e-6, atol=0).any()


@every_encoding
def test_every_parameter_builds_at_its_extremes_and_changes_the_result(key):
    # Beyond the training length of 4, where remedies differ, and not yet the longest length, for which some are made.
    x, positions = normal(0, 1, 11, 16), torch.arange(11)
    shape = SEEN_WITH_MORE.get(key, (SHAPE,))[0]
    default = attention(build(key, shape=shape).double(), x, positions, n_layers=4)
    for parameter in ENCODINGS[key].parameters:
        for value in extremes(parameter):
            encoding = build(key, {parameter.name: value}, shape=shape).double()
            if (key, parameter.name, value) in RAISES_PAST_TRAINING:
                with pytest.raises(ValueError, match=r"^positions must .+, got .+$"):
                    attention(encoding, x, positions)
                continue
            result = attention(encoding, x, positions, n_layers=4)
            assert result.isfinite().all()
            assert torch.allclose(result, default) == (value == parameter.default)


@every_encoding
def test_only_none_does_not_notice_a_permutation_of_the_tokens(key):
    order, positions = torch.tensor([2, 0, 3, 1]), torch.arange(4)
    x = normal(0, 1, 4, 16)
    for params in choices(ENCODINGS[key]):
        encoding = build(key, params).double()
        permuted = attention(encoding, x[:, order], positions)
        equivariant = torch.allclose(permuted, attention(encoding, x, positions)[:, order], atol=1e-6, rtol=0)
        assert equivariant == (key in BLIND_TO_ORDER)


@every_encoding
def test_tokens_that_move_with_their_positions_give_the_same_result(key):
    order, positions, x = torch.tensor([2, 0, 3, 1]), torch.arange(4), normal(0, 1, 4, 16)
    encoding = build(key).double()
    moved, expected = attention(encoding, x[:, order], positions[order]), attention(encoding, x, positions)[:, order]
    assert torch.allclose(moved, expected, atol=1e-9, rtol=0) == (key not in COUNTS_ALONG_THE_TEXT)


@every_encoding
def test_a_longer_text_starts_like_the_shorter_one(key):
    x, encoding = normal(0, 2, 12, 16), build(key).double()
    longer = attention(encoding, x, torch.arange(12), causal=True)[:, :5]
    shorter = attention(encoding, x[:, :5], torch.arange(5), causal=True)
    assert torch.allclose(longer, shorter, atol=1e-12, rtol=0) == (key not in DEPENDS_ON_THE_LENGTH)


TEXTS = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 2, 3, 4], [3, 4, 5, 0, 1, 2, 11]])
LENGTH = TEXTS.shape[1]

OWN = ("own:embedding:sin(m/(1+channel))", "own:angle:m*100**(-i)+a;a=1", "own:bias:-a*(h+1)*distance**0.5;a=1")


def named():
    """Every encoding of the registry with each of its choices, and what composes them, with parameters drawn."""
    for key in ENCODINGS:
        for params in choices(ENCODINGS[key]):
            if not any((key, *choice) in RAISES_PAST_TRAINING for choice in params.items()):
                yield f"{key} {params or ''}".strip(), build(key, params).double()
    for key in OWN:
        yield key, build(key).double()
    for key in RELATIVE:
        yield f"streaming {key}", Streaming(build(key).double(), window=3, n_sinks=1)
    parts = [build(key) for key in ("rope", "sinusoidal", "alibi")]
    yield "chain", Chain(*parts, Masked(lambda n: sliding_window(n, 3))).double()


NAMED = dict(named())
every_composition = each("name", NAMED)


def parts(encoding, x, q, k, positions):
    """What an encoding does to one batch: its vectors, its turned queries and keys, and its bias (B, H, T_q, T)."""
    encoding = encoding.reading(x)
    turned_q, turned_k = encoding.rotate(q, k, positions)
    bias = encoding.bias(turned_q, turned_k, positions)
    shape = (*q.shape[:-1], k.shape[-2])
    added = q.new_zeros(shape) if bias is None else torch.broadcast_to(bias, shape)
    return encoding.embed(x, positions), turned_q, turned_k, added


@every_composition
@torch.no_grad()
def test_a_row_of_positions_per_text_is_each_text_alone(name):
    encoding = NAMED[name].at_layer(0)
    x, (q, k) = normal(0, 3, LENGTH, 16), normal(1, 2, 3, 2, LENGTH, 8)
    together = parts(encoding, x, q, k, TEXTS)
    alone = [parts(encoding, x[i, None], q[i, None], k[i, None], TEXTS[i]) for i in range(3)]
    for found, texts in zip(together, zip(*alone, strict=True), strict=True):
        assert_close(found, torch.cat(texts), rtol=0, atol=1e-12)
    first_for_all = parts(encoding, x, q, k, TEXTS[0])
    same = all(torch.equal(one, other) for one, other in zip(together, first_for_all, strict=True))
    assert same == (name.split()[0] in {*BLIND_TO_ORDER, *SUMS_ALONG_THE_TEXT})


@every_composition
@each("n_queries", [1, 3])
@torch.no_grad()
def test_queries_are_the_last_of_the_keys(name, n_queries):
    encoding, (q, k) = NAMED[name].at_layer(0), normal(1, 2, 3, 2, LENGTH, 8)
    x = normal(0, 3, LENGTH, 16)
    for positions in (TEXTS, TEXTS[2]):
        _, turned_q, turned_k, added = parts(encoding, x, q, k, positions)
        _, last_q, all_k, last_rows = parts(encoding, x, q[:, :, -n_queries:], k, positions)
        assert_close(last_q, turned_q[:, :, -n_queries:], rtol=0, atol=1e-12)
        assert_close(all_k, turned_k, rtol=0, atol=1e-12)
        assert_close(last_rows, added[:, :, -n_queries:], rtol=0, atol=1e-12)


@each("key", [key for key in ENCODINGS if key != "none"])
@torch.no_grad()
def test_what_does_not_fit_is_refused_where_it_enters(key):
    x, (q, k) = normal(0, 3, LENGTH, 16), normal(1, 2, 3, 2, LENGTH, 8)
    encoding = build(key).double().at_layer(0).reading(x)
    hooks = ENCODINGS[key].hooks
    if "embed" in hooks:
        for wrong in (TEXTS[:2], TEXTS[0, 1:], TEXTS[:1]):
            rule = f"positions must have the shape {(LENGTH,)} or {(3, LENGTH)}, as x has, got {tuple(wrong.shape)}"
            refuses(lambda wrong=wrong: encoding.embed(x, wrong), rule)
    rows = f"rows as there are positions ({LENGTH}), got"
    for given, rule in (
        ((q, k[:, :, 1:], TEXTS), f"k must have as many {rows} {LENGTH - 1}"),
        ((torch.cat([q, q[:, :, :1]], 2), k, TEXTS), f"q must have at most as many {rows} {LENGTH + 1}"),
        ((q, k, TEXTS[:2]), f"positions must be one row (T,), or one per text (3), got {(2, LENGTH)}"),
    ):
        for hook in hooks:
            if hook != "embed":
                refuses(lambda hook=hook, given=given: getattr(encoding, hook)(*given), rule)


def test_a_mask_of_its_own_counts_places_in_the_text():
    masked = Masked(lambda n: sliding_window(n, 3))
    assert torch.equal(masked.mask(TEXTS), sliding_window(LENGTH, 3))
