"""What an entry of the registry makes of its parameters and of the shape, and what it learns starts with."""

from operator import attrgetter

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape, alibi, fope, fourier, rotary, sandwich, t5, timestep, xpos
from tests.cases import each
from tests.largest import max_tensor
from tests.strategies import F64, built, normal

KERPLE = ("kerple_log", "kerple_power")


@each(
    ("key", "params", "train_length", "what", "expected"),
    [
        ("binary", {}, 64, "n_bits", 9),  # enough for the longest text
        ("learned", {}, 64, "table.shape", (512, 8)),  # only noise, the default, has rows past the training length
        *(("learned", {"beyond": name}, 64, "table.shape", (64, 8)) for name in ("error", "clamp", "interpolate")),
        ("rope_log_n", {}, 64, "encodings.1.train_length", 64),
        ("rope_log_n", {}, 1, "encodings.1.train_length", 2),  # one token has no logarithm to divide by
        ("rope_ssmax", {"start": 2.0}, 64, "encodings.1.start", pytest.approx(0.480898)),  # 2 / ln 64
        ("rope_ssmax", {"start": 2.0}, 1, "encodings.1.start", pytest.approx(2.885390)),  # 2 / ln 2
        ("rerope", {}, 64, "told.keywords", {"window": 32}),
        ("rerope", {"window": 0.1}, 4, "told.keywords", {"window": 1}),
        ("rerope", {"window": 0.5}, 7, "told.keywords", {"window": 4}),
        ("rerope_leaky", {"factor": 2.0}, 64, "told.keywords", {"window": 32, "factor": 2.0}),
        ("self_extend", {"group": 4}, 64, "told.keywords", {"window": 32, "group": 4}),
        ("dual_chunk", {}, 64, "told.keywords", {"chunk": 48, "train_length": 64}),
        ("dual_chunk", {"chunk": 0.5}, 64, "told.keywords", {"chunk": 32, "train_length": 64}),
        ("string", {}, 64, "told.keywords", {"shift": 22, "window": 6}),
        ("string", {"shift": 0.5, "window": 0.25}, 64, "told.keywords", {"shift": 32, "window": 16}),
        ("rope_decoupled", {"share": 1.0}, 64, "to_k.shape", (4, 8)),
        ("shaw", {"clip": 0.25}, 64, "table.shape", (33, 4)),
        ("shaw", {"clip": 2.0}, 64, "table.shape", (257, 4)),
        ("shaw", {"clip": 0.25}, 1, "table.shape", (3, 4)),
        ("deberta", {"clip": 0.5}, 64, "table.shape", (64, 8)),
        ("deberta_v2", {}, 64, "bucket.keywords", {"n_buckets": 16, "max_distance": 64}),
        ("deberta_v2", {"reach": 2.0}, 64, "bucket.keywords", {"n_buckets": 16, "max_distance": 128}),
        ("deberta_v2", {"n_buckets": 32}, 64, "table.shape", (64, 8)),
        *(
            (key, {"direction": name}, 64, "causal", name == "causal")
            for key in KERPLE
            for name in ("causal", "symmetric")
        ),
        ("fire", {"threshold": 0.5}, 64, "threshold", 32),
        ("fire", {"threshold": 1.0}, 512, "threshold", 512),
        ("fire", {"threshold": 0.1}, 1, "threshold", 0.1),
        ("cope", {"largest": 0.5}, 64, "table.shape", (33, 4)),
        ("cope", {"largest": 2.0}, 64, "table.shape", (129, 4)),
        ("cope", {"largest": 0.1}, 4, "table.shape", (2, 4)),
        ("cope", {"largest": 0.5}, 1, "table.shape", (2, 4)),
        ("swin", {"grid_width": 2}, 64, "table.shape", ((2 * 257 - 1) * 3, 2)),  # for the longest text
        ("swin_v2", {}, 64, "grid_height", 8),  # for the texts of training
        ("swin_v2", {}, 16, "grid_height", 2),
    ],
)
def test_sizes_follow_the_training_length_or_the_longest_text(key, params, train_length, what, expected):
    encoding = ENCODINGS[key].build(Shape(8, 2, train_length, max_length=512), params)
    assert attrgetter(what)(encoding) == expected


PLACES = torch.tensor([0, 7, 20, 40, 90])
KEPT = fope.trained(rotary.frequencies(16, 100.0), 64)
MIXED = fope.coefficients(2, len(KEPT), 0.5)
TIMES = {"base": 50.0, "scale": 2.0, "shift": 0.5, "order": "cosines first"}


def octaves(n_octaves, unit):
    return fourier.table(PLACES, 32, n_octaves=n_octaves, span=unit, dtype=F64)


def buckets(table, max_distance=32, **named):
    return t5.bias(PLACES, table, max_distance=max_distance, dtype=F64, **named)


@each(
    ("key", "params", "expected"),
    [
        ("fourier", {}, lambda q, table: octaves(6, unit=64)),
        ("fourier", {"octaves": 9, "span": 2.0}, lambda q, table: octaves(9, unit=128)),
        ("timestep", {}, lambda q, table: timestep.table(PLACES, 32, dtype=F64)),
        ("timestep", TIMES, lambda q, table: timestep.table(PLACES, 32, **TIMES, dtype=F64)),
        ("fope", {"base": 100.0, "gain": 0.5}, lambda q, table: fope.rotate(q, PLACES, KEPT, MIXED)),
        ("xpos", {}, lambda q, table: xpos.rotate(q, q, PLACES, rotary.frequencies(16), gamma=512.0)[0]),
        ("alibi", {"direction": "causal"}, lambda q, table: alibi.bias(PLACES, 2, dtype=F64)),
        ("alibi", {"direction": "symmetric"}, lambda q, table: alibi.bias(PLACES, 2, causal=False, dtype=F64)),
        ("alibi", {"direction": "nonsymmetric"}, lambda q, table: alibi.nonsymmetric_bias(PLACES, 2, dtype=F64)),
        ("sandwich", {}, lambda q, table: sandwich.bias(PLACES, 2, dtype=F64)),
        ("sandwich", {"inner_dim": 32}, lambda q, table: sandwich.bias(PLACES, 2, inner_dim=32, dtype=F64)),
        ("sandwich", {"first_index": 0}, lambda q, table: sandwich.bias(PLACES, 2, first_index=0, dtype=F64)),
        ("sandwich", {"direction": "symmetric"}, lambda q, table: sandwich.bias(PLACES, 2, causal=False, dtype=F64)),
        ("t5", {}, lambda q, table: buckets(table)),
        ("t5", {"n_buckets": 32}, lambda q, table: buckets(table)),
        ("t5", {"reach": 1.0}, lambda q, table: buckets(table, max_distance=64)),
        ("t5", {"direction": "bidirectional"}, lambda q, table: buckets(table, bidirectional=True)),
    ],
)
@torch.no_grad()
def test_an_entry_computes_its_function_with_its_parameters(key, params, expected):
    q, x = normal(2, 2, 2, 5, 16), torch.zeros(1, 5, 32, dtype=F64)
    own = built(key, Shape(32, 2, 64, 512), params).double()
    found = {
        "embed": lambda: own.embed(x, PLACES)[0],
        "rotate": lambda: own.rotate(q, q, PLACES)[0],
        "bias": lambda: own.bias(q, q, PLACES),
    }[ENCODINGS[key].hooks[0]]()
    assert_close(found, expected(q, getattr(own, "table", None)), atol=1e-15, rtol=1e-15)


@each(
    ("key", "params", "learned", "mean", "spread"),
    [
        *((key, {}, "direction", 0, 0.02) for key in ("integer", "normalised")),
        ("binary", {}, "directions", 0, 0.02),
        ("learned", {"std": 0.02}, "table", 0, 0.02),
        ("learned", {"std": 0.5}, "table", 0, 0.5),
        *((key, {}, "table", 0, 0.02) for key in ("shaw", "relative_key", "deberta", "swin", "cope")),
        ("t5", {"n_buckets": 64}, "table", 0, 1 / 16),  # as in T5: 1 over the root of the width
        ("transformer_xl", {}, "weight", 0, 1 / 16),
        ("transformer_xl", {}, "content_bias", 0, 0.02),
        ("transformer_xl", {}, "distance_bias", 0, 0.02),
        ("forgetting", {}, "weight", 0, 1 / 8),  # the length of a vector of 64 is 1, whatever the width
        ("forgetting", {"start": 4.0}, "offset", 4, 0.02),
        ("cable", {"start": -3.0}, "weight", 0, 0.02),
        ("cable", {"start": -3.0}, "offset", -3, 0.02),
        ("pope", {}, "phases", -0.01, 0.02 / 12**0.5),  # evenly from -0.02 to 0
        ("swin_v2", {}, "tau", 2.302585, 0.02),  # ln 10
        ("rope_ssmax", {"start": 2.0}, "encodings.1.strength", 0.480898, 0.02 * 0.480898),
    ],
)
def test_what_is_learned_starts_as_published(key, params, learned, mean, spread):
    shape = Shape(256, 4, 64, 512) if learned in {"table", "weight"} else Shape(2048, 1024, 64, 512)  # many numbers
    value = attrgetter(learned)(built(key, shape, params)).detach()
    assert float(value.std()) == pytest.approx(spread, rel=0.1)
    assert float(value.mean()) == pytest.approx(mean, abs=0.1 * spread)


@each("key", ["shaw", "relative_key", "relative_key_query", "deberta", "deberta_v2", "transformer_xl", "sandwich"])
@torch.no_grad()
def test_no_vector_for_each_pair_of_tokens_is_made(key):
    """Two heads of 16 channels: the largest tensor has at most a number for each pair and each of two directions."""
    own, q = built(key, Shape(32, 2, 4, 60)).double(), normal(0, 1, 2, 40, 16)
    assert max_tensor(lambda: own.bias(q, q, torch.arange(40))) <= 2 * 2 * 40 * 40
