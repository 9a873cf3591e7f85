"""The invariants that hold for whole families of encodings, over the registry, in float64.

Those of single encodings stand beside their own tests. An exception is listed here with its reason, and a test that
finds it unneeded fails.
"""

import torch

from pe_core.encodings import ENCODINGS, Shape
from tests.cases import each
from tests.encodings.loops import scores as of_layer
from tests.strategies import built, normal

SHAPE = Shape(d_model=16, n_heads=2, train_length=8, max_length=64)
LENGTH = 8

RELATIVE = [key for key, spec in ENCODINGS.items() if spec.family in ("relative", "bias", "rotary")]
ROTARY = [key for key, spec in ENCODINGS.items() if spec.family == "rotary"]

MOVED_BY_A_SHIFT = {
    "dual_chunk": "a shift by less than a chunk moves some tokens to the next chunk and others not",
    "fire": "divides by what the query's own position is worth",
    "llama4": "its temperature follows the query's own position",
    "rope_axial": "a shift by less than a row of the grid moves some tokens to the next row and others not",
    "rope_log_n": "without a mask, its temperature follows the query's own position",
    "rope_ssmax": "without a mask, its factor follows the query's own position",
    "rope_mixed": "a shift by less than a row of the grid moves some tokens to the next row and others not",
    "self_extend": "rounds both positions down",
    "swin": "a shift by less than a row of the grid moves some tokens to the next row and others not",
    "swin_v2": "a shift by less than a row of the grid moves some tokens to the next row and others not",
    "rope_scaled": "takes its frequencies from the largest position",
}
CHANGES_NORMS = {
    "llama4": "multiplies q by a temperature that follows its position",
    "rope_scaled": "divides q by the temperature beyond the training length",
    "rope_log_n": "multiplies q by the logarithm of the number of keys",
    "pope": "makes magnitudes of the channels",
    "rope_ssmax": "multiplies q by the logarithm of the number of keys",
    "xpos": "scales q down and k up along the text",
}
SCORES_OF_ITS_OWN = {  # that a query and a key at position 0 have
    "pope": "multiplies magnitudes, not channels",
    "rope_ssmax": "the only key that is seen has all the weight, whatever its score; it is 0",
}
LOOKS_AT_THE_WHOLE_TEXT = {
    "normalised": "divides by the last position",
    "xpos": "scales about the middle of the text, which cancels in the scores",
}


def build(key):
    return built(key, SHAPE).double()


def layers(encoding):
    """The encodings of the first two layers, or the one of all."""
    first, second = (encoding.at_layer(layer) for layer in range(2))
    return [first] if first is second else [first, second]


def scores(encoding, q, k, positions):
    """The scores of both layers where they differ, each of which reads the keys of all heads side by side."""
    read = k.transpose(1, 2).flatten(2)
    return torch.cat([of_layer(layer.reading(read), q, k, positions) for layer in layers(encoding)])


@each("key", RELATIVE)
@torch.no_grad()
def test_scores_depend_on_distances_only(key):
    encoding, positions = build(key), torch.arange(LENGTH)
    q, k = normal(0, 2, 1, 2, LENGTH, 8)
    before = scores(encoding, q, k, positions).tril()
    moved = [
        shift
        for shift in (1, 3, LENGTH, 40)
        if not torch.allclose(scores(encoding, q, k, positions + shift).tril(), before, atol=1e-9, rtol=1e-9)
    ]
    assert bool(moved) == (key in MOVED_BY_A_SHIFT), moved


@each("key", ROTARY)
@torch.no_grad()
def test_a_rotation_keeps_norms(key):
    encoding = build(key)
    q, k = normal(0, 2, 1, 2, LENGTH, 8)
    changed = [
        shift
        for shift in (0, 1, 7, 60)
        for layer in layers(encoding)
        for before, after in zip((q, k), layer.rotate(q, k, torch.arange(LENGTH) + shift), strict=True)
        if not torch.allclose(after.norm(dim=-1), before.norm(dim=-1), atol=1e-12, rtol=1e-12)
    ]
    assert bool(changed) == (key in CHANGES_NORMS), changed


@each("key", ROTARY)
@torch.no_grad()
def test_position_0_turns_nothing(key):
    q, k = normal(0, 2, 1, 2, 1, 8)
    alike = []
    for layer in layers(build(key)):
        turned_q, turned_k = layer.rotate(q, k, torch.tensor([0]))
        alike.append(torch.allclose(turned_q @ turned_k.mT, q @ k.mT, atol=1e-12, rtol=0))
    assert all(alike) == (key not in SCORES_OF_ITS_OWN)


@each("key", ENCODINGS)
@torch.no_grad()
def test_a_cached_key_is_the_key_of_the_whole_text(key):
    """One position at a time, as a decoder with a cache sees them, gives what the whole text gives at once."""
    encoding, positions = build(key), torch.arange(LENGTH)
    x, (q, k) = normal(0, 1, LENGTH, 16), normal(1, 2, 1, 2, LENGTH, 8)

    def keys(x, q, k, positions):
        return [
            encoding.embed(x, positions),
            *(part for one in layers(encoding) for part in one.rotate(q, k, positions)),
        ]

    whole = keys(x, q, k, positions)
    steps = [
        keys(x[:, m : m + 1], q[..., m : m + 1, :], k[..., m : m + 1, :], positions[m : m + 1]) for m in range(LENGTH)
    ]
    pieces = (torch.cat(part, dim=-2) for part in zip(*steps, strict=True))
    same = all(torch.allclose(*pair, atol=1e-12, rtol=0) for pair in zip(whole, pieces, strict=True))
    assert same == (key not in LOOKS_AT_THE_WHOLE_TEXT)
