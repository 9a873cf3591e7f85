"""Rules for longer contexts, masks and index remaps at the ends of what can be asked: a result, or a sentence."""

import re

import pytest
import torch

from pe_core.encodings import rotary
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from tests.cases import each

RULE = re.compile(r"^[a-z_]+ must .+, got .+$")
FAR = 16_384


BASES = [1.0, 10_000.0, 1e9]
LENGTHS = [(1, 1), (1, FAR), (64, 1), (64, FAR), (FAR, FAR), (FAR, 2**20)]
CASES = [(key, head_dim, *lengths) for key in SCALINGS for head_dim in (2, 4, 6, 256) for lengths in LENGTHS]


def impossible(key, head_dim, train, target):
    """Whether a rule divides by something that is zero here, and so must refuse."""
    if key == "longrope":
        return train == 1 and target > train
    return key in {"ntk", "dynamic_ntk"} and head_dim == 2


@each("base", BASES)
@each(("key", "head_dim", "train", "target"), [case for case in CASES if not impossible(*case)])
def test_every_rule_gives_finite_frequencies(key, base, head_dim, train, target):
    frequencies = rotary.frequencies(head_dim, base)
    scaled = SCALINGS[key](frequencies, base=base, train_length=train, target_length=target)
    assert scaled.frequencies.shape == frequencies.shape
    assert scaled.frequencies.dtype == torch.float64
    assert scaled.frequencies.isfinite().all()
    assert (scaled.frequencies > 0).all()
    assert 0 < scaled.temperature <= 1


@each("base", BASES)
@each(("key", "head_dim", "train", "target"), [case for case in CASES if impossible(*case)])
def test_a_rule_that_would_divide_by_zero_says_what_must_be(key, base, head_dim, train, target):
    with pytest.raises(ValueError, match=RULE):
        SCALINGS[key](rotary.frequencies(head_dim, base), base=base, train_length=train, target_length=target)


@each("key", MASKS)
@each(("n", "train"), [(1, 1), (1, FAR), (7, 1), (2_048, 64)])
def test_every_mask_lets_a_query_see_itself(key, n, train):
    mask = MASKS[key].build(n, train)
    assert mask.shape == (n, n)
    assert mask.dtype == torch.bool
    assert mask.diagonal().all()


@each("key", REMAPS)
@each("training", [True, False])
@each(("n", "train"), [(1, 1), (1, FAR), (7, 1), (FAR, 64), (FAR, FAR)])
def test_every_remap_gives_positions_that_never_fall(key, training, n, train):
    generator = torch.Generator().manual_seed(0)
    told = REMAPS[key].build(n, train_length=train, max_length=FAR, generator=generator, training=training)
    assert told.shape == (n,)
    assert told.isfinite().all()
    assert (told >= 0).all()
    assert (told.diff() >= 0).all()
