"""Positions of each text of a batch, and queries that are the last of the keys: what every encoding promises."""

import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Masked, Shape
from pe_core.lab.experiment.streaming import RELATIVE, Streaming
from pe_core.masks import sliding_window
from tests.cases import each, refuses
from tests.strategies import built, choices, normal

SHAPE = Shape(d_model=16, n_heads=2, train_length=4, max_length=12)
TEXTS = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 2, 3, 4], [3, 4, 5, 0, 1, 2, 11]])
LENGTH = TEXTS.shape[1]

COUNTS_ALONG_THE_TEXT = {  # so that other positions change nothing
    "none": "no encoding at all",
    "cope": "sums the gates of the keys in between",
    "forgetting": "sums the forget gates of the keys in between",
    "cable": "sums the steps of the tokens in between",
}
REFUSES_THESE = {("learned", "error"): "these positions lie past the table, and this choice is to say so"}


OWN = ("own:embedding:sin(m/(1+channel))", "own:angle:m*100**(-i)+a;a=1", "own:bias:-a*(h+1)*distance**0.5;a=1")


def named():
    """Every encoding of the registry with each of its choices, and what composes them, with parameters drawn."""
    for key in ENCODINGS:
        for params in choices(ENCODINGS[key]):
            if (key, *params.values()) not in REFUSES_THESE:
                yield f"{key} {params or ''}".strip(), drawn(key, params)
    for key in OWN:
        yield key, drawn(key)
    for key in RELATIVE:
        yield f"streaming {key}", Streaming(drawn(key), window=3, n_sinks=1)
    yield "chain", Chain(drawn("rope"), drawn("sinusoidal"), drawn("alibi"), Masked(lambda n: sliding_window(n, 3)))


def drawn(key, params=None):
    return built(key, SHAPE, params).double()


NAMED = dict(named())
every_encoding = each("name", NAMED)


def parts(encoding, x, q, k, positions):
    """What an encoding does to one batch: its vectors, its turned queries and keys, and its bias (B, H, T_q, T)."""
    encoding = encoding.reading(x)
    turned_q, turned_k = encoding.rotate(q, k, positions)
    bias = encoding.bias(turned_q, turned_k, positions)
    shape = (*q.shape[:-1], k.shape[-2])
    added = q.new_zeros(shape) if bias is None else torch.broadcast_to(bias, shape)
    return encoding.embed(x, positions), turned_q, turned_k, added


@every_encoding
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
    assert same == (name.split()[0] in COUNTS_ALONG_THE_TEXT)


@every_encoding
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
    encoding = drawn(key).at_layer(0).reading(x)
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
