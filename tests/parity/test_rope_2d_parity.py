import cmath
import math
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.rope_2d import axial_frequencies, ladder, mixed_frequencies, rotate
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

PLACES = torch.cartesian_prod(torch.arange(4), torch.arange(7))  # (28, 2), row by row


@pytest.fixture
def q():
    return normal(1, 2, 3, len(PLACES), 16).float()  # (B, H, T, d)


def theirs_of(library, base):
    """The axial RoPE of Qwen2-VL's vision tower for heads of 16 channels."""
    config = SimpleNamespace(rope_parameters={"rope_type": "axial", "rope_theta": base}, head_dim=16)
    return library.Qwen2VLVisionRotaryEmbedding(config)


@each("base", [100.0, 10_000.0])
def test_the_vision_tower_of_qwen2_vl_turns_halves_alike(q, base):
    library = oracle("transformers.models.qwen2_vl.modeling_qwen2_vl")
    theirs = theirs_of(library, base)
    assert_close(theirs.inv_freq.double(), ladder(16, base), atol=1e-6, rtol=0)
    by_token = q.transpose(1, 2)  # (B, T, H, d)
    turned, _ = library.apply_rotary_pos_emb_vision(by_token, by_token, *theirs(q, PLACES))
    ours = rotate(q, PLACES, axial_frequencies(16, base), layout="half")
    assert_close(turned.transpose(1, 2), ours, atol=1e-6, rtol=0)


@each("base", [100.0, 10_000.0])
def test_the_memory_of_sam_2_turns_interleaved_pairs_alike(q, base):
    library = oracle("transformers.models.sam2_video.modeling_sam2_video")
    angle = PLACES[..., None] * ladder(16, base)  # (T, 2, d / 4)
    recompose = library.Sam2VideoVisionRotaryEmbedding.recomposition_frequencies
    cosine, sine = (recompose(None, part).float()[:, None] for part in (angle.cos(), angle.sin()))
    turned, _ = library.apply_rotary_pos_emb_2d(q, q, cosine, sine)
    assert_close(turned, rotate(q, PLACES, axial_frequencies(16, base)), atol=1e-6, rtol=0)


def test_rotary_embedding_torch_turns_rows_and_columns_alike(q):
    library = oracle("rotary_embedding_torch")
    theirs = library.RotaryEmbedding(dim=8, theta=100.0)  # per axis
    angle = theirs.get_axial_freqs(4, 7).flatten(0, 1)  # (T, d)
    turned = library.apply_rotary_emb(angle, q)
    assert_close(turned, rotate(q, PLACES, axial_frequencies(16)), atol=1e-6, rtol=0)


def test_the_code_of_the_paper_has_the_column_first(q):
    """Heo et al., github.com/naver-ai/rope-vit, models/vit_rope.py, by hand: the x axis, then the y axis."""
    turns = torch.empty(len(PLACES), 8, dtype=torch.complex128)
    for token, (row, column) in enumerate(PLACES.tolist()):
        for step in range(4):
            turns[token, step] = cmath.exp(1j * column * 100.0 ** (-4 * step / 16))
            turns[token, 4 + step] = cmath.exp(1j * row * 100.0 ** (-4 * step / 16))
    theirs = torch.view_as_real(torch.view_as_complex(q.double().unflatten(-1, (8, 2))) * turns).flatten(-2)
    columns, rows = (axial_frequencies(16, order=order) for order in ("columns first", "rows first"))
    assert_close(rotate(q.double(), PLACES, columns), theirs, atol=1e-12, rtol=0)
    scores, others = (x @ x.mT for x in (theirs, rotate(q.double(), PLACES, rows)))
    assert float((scores - others).abs().max()) > 5  # no rounding: another encoding, for the same weights


@each("direction", [0.0, 0.3, 2.0, 5.5])
def test_the_mixed_form_of_the_paper_is_ours_with_another_direction(direction):
    """Its frequencies per column are ours per row, and the other way round."""
    own = mixed_frequencies(torch.tensor([math.pi / 2 - direction]), 16)[:, 0]
    steps = ladder(16, 10.0)
    per_column = torch.cat([steps * math.cos(direction), steps * math.cos(math.pi / 2 + direction)])
    per_row = torch.cat([steps * math.sin(direction), steps * math.sin(math.pi / 2 + direction)])
    backwards = torch.tensor([1.0] * 4 + [-1.0] * 4, dtype=torch.float64)
    assert_close(torch.stack([per_row, per_column]), own * backwards, atol=1e-7, rtol=0)
