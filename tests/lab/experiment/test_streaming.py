"""StreamingLLM and LM-Infinite: each query on its own, with the keys that are in its cache."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core import masks
from pe_core.encodings import ENCODINGS, Shape, rotary
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.streaming import RELATIVE, Streaming
from pe_core.measures.masked import cached
from pe_core.measures.profile import precise
from tests.cases import each, refuses
from tests.strategies import normal

LENGTH, TRAINED, WIDTH = 24, 16, 8
SHAPE = Shape(2 * WIDTH, 2, TRAINED, LENGTH)


def scored(encoding, q, k, positions):
    q, k = encoding.rotate(q, k, positions)
    bias = encoding.bias(q, k, positions)
    return q @ k.mT / math.sqrt(q.shape[-1]) + (0 if bias is None else bias)


@torch.no_grad()
def error(key, seed, window, n_sinks, layer=0):
    """How far scores are from those of each query alone with its cache, numbered from 0."""
    encoding = precise(ENCODINGS[key].build(SHAPE))
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    for parameter in encoding.parameters():
        parameter += 0.1 * normal(seed, *parameter.shape)
    q, k = normal(seed, 2, 1, 2, LENGTH, WIDTH)
    streaming = Streaming(encoding, window=window, n_sinks=n_sinks).at_layer(layer)
    found, own = scored(streaming, q, k, torch.arange(LENGTH)), encoding.at_layer(layer)
    worst = 0.0
    for m in range(LENGTH):
        held = cached(m, window, n_sinks)
        alone = scored(own, q[:, :, held], k[:, :, held], torch.arange(len(held)))[:, :, -1]
        worst = max(worst, float((found[:, :, m, held] - alone).abs().max()))
    return worst


@each("key", RELATIVE)
def test_positions_count_within_the_cache(key):
    caches = [(1, 0, 0), (1, 6, 3), (12, 0, 3), (12, 6, 0), (5, 2, 0), (7, 4, 3)]
    for seed, (window, n_sinks, layer) in enumerate(caches):
        assert error(key, seed, window, n_sinks, layer) < 1e-11, (window, n_sinks, layer)


def test_all_encodings_that_can_be_counted_anew_are_offered_it():
    """Vectors that are added are in the keys of later layers before there is a cache."""
    left_out = {
        "none": "has no places",
        "pope": "what has a magnitude and an angle cannot be turned once more",
        "fope": "turns one pair at this size, and mixes several in a larger one, which is no turn",
        "rope_decoupled": "what is put beside queries and keys cannot be put anew",
    }
    turned = [key for key, spec in ENCODINGS.items() if "embed" not in spec.hooks and key not in left_out]
    found = {key for key in turned if max(error(key, 0, 12, 4, layer) for layer in (0, 1)) < 1e-9}
    assert found == set(RELATIVE)


def test_a_sink_by_hand():
    """One pair that turns by 1 a position, window 2, one sink: from query 2 on the sink stays 2 away."""
    encoding = rotary.Rotary(torch.ones(1, dtype=torch.float64), layout="interleaved")
    one = torch.tensor([1.0, 0], dtype=torch.float64).expand(1, 1, 6, 2)
    found = scored(Streaming(encoding, window=2, n_sinks=1), one, one, torch.arange(6))[0, 0] * math.sqrt(2)
    assert found[:, 0].tolist() == pytest.approx([math.cos(distance) for distance in (0, 1, 2, 2, 2, 2)])
    assert [float(found[m, m - 1]) for m in range(1, 6)] == pytest.approx([math.cos(1)] * 5)


def test_half_precision_is_near():
    encoding = rotary.Rotary(rotary.frequencies(8), layout="interleaved")
    q, k = normal(0, 2, 1, 1, 300, 8)
    streaming = Streaming(encoding, window=12, n_sinks=4)
    exact, rough = (streaming.bias(q.to(dtype), k.to(dtype), torch.arange(300)) for dtype in (q.dtype, torch.bfloat16))
    assert rough.dtype == torch.bfloat16
    assert_close(rough.double(), exact, atol=0.2, rtol=0.05)


def test_a_cache_without_room_is_refused():
    rope = ENCODINGS["rope"].build(SHAPE)
    rule = "window must be at least 1 (1 keeps only the query itself), got 0"
    refuses(lambda: Streaming(rope, window=0, n_sinks=4), rule)
    refuses(lambda: Streaming(rope, window=4, n_sinks=-1), "n_sinks must be at least 0, got -1")


def test_lm_infinite_caps_distances_at_the_training_length():
    """Half of it, the default of ReRoPE, is not the published ceiling."""
    repair = named("lm_infinite")
    encoding = repair.build(ENCODINGS["rope"].build(SHAPE), SHAPE)
    q, k = normal(0, 2, 1, 2, LENGTH, WIDTH)
    found, omega = scored(encoding, q, k, torch.arange(LENGTH)), rotary.frequencies(WIDTH)
    for m in range(LENGTH):
        for n in range(m + 1):
            distance = torch.tensor([min(m - n, TRAINED)])
            alone = rotary.rotate(q[:, :, m : m + 1], distance, omega) @ k[:, :, n : n + 1].mT / math.sqrt(WIDTH)
            assert_close(found[:, :, m : m + 1, n : n + 1], alone, atol=1e-12, rtol=0)
    assert torch.equal(repair.mask(LENGTH, TRAINED), masks.sinks(LENGTH, TRAINED, 1))
