"""Reading a text in parts, with what is kept of earlier tokens: all of them, or a window and sinks (StreamingLLM)."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core import masks
from pe_core.encodings import ENCODINGS, ByLayer, Chain, Masked, PositionalEncoding, Shape, rotary
from pe_core.encodings.batch import rows_of_queries
from pe_core.lab.experiment.model import Cache, Transformer
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.streaming import RELATIVE, Streaming
from pe_core.measures.masked import cached
from pe_core.measures.profile import precise
from tests.cases import each, refuses
from tests.strategies import choices, normal

SHAPE = Shape(d_model=8, n_heads=2, train_length=4, max_length=24)
TOKENS = torch.tensor([[0, 5, 2, 6, 1, 3, 4, 0, 2, 5], [3, 3, 1, 0, 6, 6, 2, 4, 5, 1]])
LENGTH = TOKENS.shape[1]
POSITIONS = torch.tensor([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 4, 7, 8, 9, 10, 11, 12, 14]])

# What was kept of earlier tokens is out of date when the text grows, and the model has to say so.
OUT_OF_DATE = {
    ("normalised", ""): "divides by the last position",
    ("sincos_2d_detr", ""): "divides by the height of the image, which grows with the text",
    ("rope_scaled", ""): "takes its frequencies from the length of the text, once that is beyond training",
    ("learned", "interpolate"): "presses a longer text into the table",
}
STAYS_RIGHT = {  # of rope_scaled
    "plain": "the rule that changes nothing",
    "longest text": "its frequencies are always those of the longest text",
}


def made(encoding, n_layers=2):
    return Transformer(7, SHAPE, n_layers, encoding, generator=torch.Generator().manual_seed(0)).double().eval()


CASES = [(key, "".join(map(str, chosen.values())), chosen) for key in ENCODINGS for chosen in choices(ENCODINGS[key])]


def decoded(model, cache, steps, positions=POSITIONS, **given):
    """The logits of all tokens, read in `steps` of so many at once."""
    found, start = [], 0
    for step in steps:
        part = slice(start, start + step)
        found.append(model(TOKENS[:, part], positions=positions[..., part], cache=cache, **given))
        start += step
    return torch.cat(found, dim=1)


@each(("key", "choice", "params"), CASES)
@torch.no_grad()
def test_reading_in_parts_is_reading_at_once(key, choice, params):
    model = made(ENCODINGS[key].build(SHAPE, params))
    if (key, choice) == ("learned", "error"):
        return  # it refuses texts that are longer than those of training
    if (key, choice) in OUT_OF_DATE or (key == "rope_scaled" and choice not in STAYS_RIGHT):
        with pytest.raises(ValueError, match=r"^positions must .+, got \["):
            decoded(model, Cache(2), (1,) * LENGTH)
        return
    whole = model(TOKENS, positions=POSITIONS)
    for steps in ((1,) * LENGTH, (4, 1, 3, 2)):
        assert_close(decoded(model, Cache(2), steps), whole, rtol=0, atol=1e-10)


class ReadsTheInput(PositionalEncoding):
    """Adds to each score the sum of the first channel of the layer's inputs, from the key to the query."""

    def __init__(self, x=None):
        super().__init__()
        self.x = x

    def reading(self, x):
        return ReadsTheInput(x)

    def bias(self, q, k, positions):
        sums = self.x[..., :1].cumsum(-2)[:, None]
        return rows_of_queries(sums, q.shape[-2]) - sums.mT


def window(width):
    return Masked(lambda n: masks.sliding_window(n, width))


COMPOSED = {
    "a mask of its own": lambda: Chain(ENCODINGS["rope"].build(SHAPE), window(3)),
    "layers that differ": lambda: ByLayer(Chain(ENCODINGS["alibi"].build(SHAPE), window(2)), PositionalEncoding()),
    "keys counted in its own mask": lambda: Chain(ENCODINGS["rope_log_n"].build(SHAPE), window(6)),
    "the input of the layer": lambda: Chain(ENCODINGS["learned"].build(SHAPE), ReadsTheInput()),
}


@each("name", COMPOSED)
@torch.no_grad()
def test_what_is_composed_is_decoded_too(name):
    model = made(COMPOSED[name]())
    whole = model(TOKENS, positions=POSITIONS)
    assert_close(decoded(model, Cache(2), (3, 1, 1, 2, 3)), whole, rtol=0, atol=1e-10)


@torch.no_grad()
def test_positions_count_on_unless_given():
    model = made(ENCODINGS["sinusoidal"].build(SHAPE))
    cache = Cache(2)
    parts = [model(TOKENS[:, part], cache=cache) for part in (slice(0, 4), slice(4, 5), slice(5, 10))]
    assert_close(torch.cat(parts, 1), model(TOKENS), rtol=0, atol=1e-10)
    assert cache.positions.tolist() == list(range(LENGTH))
    given, counted = Cache(2), torch.tensor([[7], [3]])
    model(TOKENS[:, :1], positions=counted, cache=given)
    model(TOKENS[:, 1:3], cache=given)
    assert given.positions.tolist() == [[7, 8, 9], [3, 4, 5]]


N_PADS = 3
REAL = torch.arange(LENGTH) >= torch.tensor([[0], [N_PADS]])  # (B, T): the second text is padded on the left
PADDED = (REAL.cumsum(-1) - 1).clamp(min=0)
MOVED_BY_PADDING = {"llama4": "its chunks end at places in the text, which padding moves; so they do in transformers"}
SEEN = masks.causal(LENGTH) & REAL[:, None, None] | torch.eye(LENGTH, dtype=torch.bool)


@each("key", ENCODINGS)
@torch.no_grad()
def test_a_text_padded_on_the_left_is_read_as_it_is_alone_and_padded_texts_are_decoded_together(key):
    model, cache, found = made(ENCODINGS[key].build(SHAPE)), Cache(2), []
    together = model(TOKENS, positions=PADDED, mask=SEEN)
    assert_close(together[:1], model(TOKENS[:1]), rtol=0, atol=1e-10)
    alone = torch.allclose(together[1:, N_PADS:], model(TOKENS[1:, N_PADS:]), rtol=0, atol=1e-10)
    assert alone == (key not in MOVED_BY_PADDING)
    if (key, "") not in OUT_OF_DATE:
        for part in (slice(0, 6), slice(6, 7), slice(7, 10)):
            until = SEEN[..., : part.stop, : part.stop]
            found.append(model(TOKENS[:, part], positions=PADDED[:, part], mask=until, cache=cache))
        assert_close(torch.cat(found, 1), together, rtol=0, atol=1e-10)


def read(first, end, key="rope", n_texts=2, **given):
    """Two calls with one cache: so many tokens, then those up to an end, with what is given."""
    model, cache = made(ENCODINGS[key].build(SHAPE)), Cache(2)
    model(TOKENS[:, :first], cache=cache)
    return model(TOKENS[:n_texts, first:end], cache=cache, **given)


A_ROW = "mask must have a row and a column for each of the"
LOOKS_AHEAD = "mask must hide new tokens from those in the cache, which were read without them, got token 0"
OF_LONGER = "positions must leave frequencies and temperature as they were for the cache, which the rule changes for"


@each(
    ("call", "message"),
    [
        (
            lambda: made(PositionalEncoding())(TOKENS, positions=POSITIONS[:, 1:]),
            "positions must have the shape (10,) or (2, 10), as tokens have, got (2, 9)",
        ),
        (lambda: made(PositionalEncoding())(TOKENS, mask=masks.causal(9)), f"{A_ROW} 10 tokens, got (9, 9)"),
        (lambda: read(3, 4, mask=masks.causal(3)), f"{A_ROW} 4 tokens, got (3, 3)"),
        (lambda: read(3, 4, n_texts=1), "tokens must have as many texts as the cache has (2), got 1"),
        (
            lambda: read(3, 5, positions=POSITIONS[:, 3:5]),
            "positions must be one row (T,), as those in the cache are (3,), got (2, 2)",
        ),
        (lambda: read(3, 4, mask=masks.prefix(4, 4)), f"{LOOKS_AHEAD} that looks ahead"),
        (
            lambda: read(3, 4, key="normalised"),
            "positions must end where those in the cache do, for they are divided by the last, got [3]",
        ),
        (
            lambda: read(9, 10, key="sincos_2d_detr", positions=torch.tensor([16])),
            "positions must lie in the last row of those in the cache: its image would grow, got [16]",
        ),
        (lambda: read(4, 5, key="rope_scaled"), f"{OF_LONGER} longer texts, got [4]"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    refuses(call, message)


@each(
    "wrapped",
    [
        lambda scaled: Chain(PositionalEncoding(), scaled),
        lambda scaled: ByLayer(PositionalEncoding(), scaled),
        lambda scaled: Streaming(scaled, window=3, n_sinks=1),
    ],
)
def test_scaled_rope_is_decoded_within_the_training_length_and_what_holds_it_refuses_beyond_as_it_does(wrapped):
    model, cache = made(ENCODINGS["rope_scaled"].build(SHAPE)), Cache(2)
    within = TOKENS[:, : SHAPE.train_length]
    parts = [model(token, cache=cache) for token in within.split(1, dim=1)]
    assert_close(torch.cat(parts, 1), model(within), rtol=0, atol=1e-10)
    encoding = wrapped(model.encoding)
    encoding.check_cache(torch.arange(3), torch.tensor([3]))
    with pytest.raises(ValueError, match=r"^positions must leave frequencies and temperature as they were"):
        encoding.check_cache(torch.arange(4), torch.tensor([4]))


N_TOKENS, TRAINED, WIDTH = 24, 16, 8
OF_STREAMS = Shape(2 * WIDTH, 2, TRAINED, N_TOKENS)


def scored(encoding, q, k, positions):
    q, k = encoding.rotate(q, k, positions)
    bias = encoding.bias(q, k, positions)
    return q @ k.mT / math.sqrt(q.shape[-1]) + (0 if bias is None else bias)


@torch.no_grad()
def error(key, seed, window, n_sinks, layer=0):
    """How far scores are from those of each query alone with its cache, numbered from 0."""
    encoding = precise(ENCODINGS[key].build(OF_STREAMS))
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    for parameter in encoding.parameters():
        parameter += 0.1 * normal(seed, *parameter.shape)
    q, k = normal(seed, 2, 1, 2, N_TOKENS, WIDTH)
    streaming = Streaming(encoding, window=window, n_sinks=n_sinks).at_layer(layer)
    found, own = scored(streaming, q, k, torch.arange(N_TOKENS)), encoding.at_layer(layer)
    worst = 0.0
    for m in range(N_TOKENS):
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
    rope = ENCODINGS["rope"].build(OF_STREAMS)
    rule = "window must be at least 1 (1 keeps only the query itself), got 0"
    refuses(lambda: Streaming(rope, window=0, n_sinks=4), rule)
    refuses(lambda: Streaming(rope, window=4, n_sinks=-1), "n_sinks must be at least 0, got -1")


def test_lm_infinite_caps_distances_at_the_training_length():
    """Half of it, the default of ReRoPE, is not the published ceiling."""
    repair = named("lm_infinite")
    encoding = repair.build(ENCODINGS["rope"].build(OF_STREAMS), OF_STREAMS)
    q, k = normal(0, 2, 1, 2, N_TOKENS, WIDTH)
    found, omega = scored(encoding, q, k, torch.arange(N_TOKENS)), rotary.frequencies(WIDTH)
    for m in range(N_TOKENS):
        for n in range(m + 1):
            distance = torch.tensor([min(m - n, TRAINED)])
            alone = rotary.rotate(q[:, :, m : m + 1], distance, omega) @ k[:, :, n : n + 1].mT / math.sqrt(WIDTH)
            assert_close(found[:, :, m : m + 1, n : n + 1], alone, atol=1e-12, rtol=0)
    assert torch.equal(repair.mask(N_TOKENS, TRAINED), masks.sinks(N_TOKENS, TRAINED, 1))
