from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.rope_2d import axial_frequencies, ladder, rotate
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


@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_the_vision_tower_of_qwen2_vl_turns_halves_alike(q, base):
    library = oracle("transformers.models.qwen2_vl.modeling_qwen2_vl")
    theirs = theirs_of(library, base)
    assert_close(theirs.inv_freq.double(), ladder(16, base), atol=1e-6, rtol=0)
    by_token = q.transpose(1, 2)  # (B, T, H, d)
    turned, _ = library.apply_rotary_pos_emb_vision(by_token, by_token, *theirs(q, PLACES))
    ours = rotate(q, PLACES, axial_frequencies(16, base), layout="half")
    assert_close(turned.transpose(1, 2), ours, atol=1e-6, rtol=0)


@pytest.mark.parametrize("base", [100.0, 10_000.0])
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
