"""RoPE of several axes: of images in vision towers, and of text, images and video."""

import cmath
import math
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import mrope, rope_2d, rotary
from pe_core.encodings.mrope import Image, Text, Video, position_ids, sections
from pe_core.encodings.rope_2d import axial_frequencies, ladder, mixed_frequencies
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
    ours = rope_2d.rotate(q, PLACES, axial_frequencies(16, base), layout="half")
    assert_close(turned.transpose(1, 2), ours, atol=1e-6, rtol=0)


@each("base", [100.0, 10_000.0])
def test_the_memory_of_sam_2_turns_interleaved_pairs_alike(q, base):
    library = oracle("transformers.models.sam2_video.modeling_sam2_video")
    angle = PLACES[..., None] * ladder(16, base)  # (T, 2, d / 4)
    recompose = library.Sam2VideoVisionRotaryEmbedding.recomposition_frequencies
    cosine, sine = (recompose(None, part).float()[:, None] for part in (angle.cos(), angle.sin()))
    turned, _ = library.apply_rotary_pos_emb_2d(q, q, cosine, sine)
    assert_close(turned, rope_2d.rotate(q, PLACES, axial_frequencies(16, base)), atol=1e-6, rtol=0)


def test_rotary_embedding_torch_turns_rows_and_columns_alike(q):
    library = oracle("rotary_embedding_torch")
    theirs = library.RotaryEmbedding(dim=8, theta=100.0)  # per axis
    angle = theirs.get_axial_freqs(4, 7).flatten(0, 1)  # (T, d)
    turned = library.apply_rotary_emb(angle, q)
    assert_close(turned, rope_2d.rotate(q, PLACES, axial_frequencies(16)), atol=1e-6, rtol=0)


def test_the_code_of_the_paper_has_the_column_first(q):
    """Heo et al., github.com/naver-ai/rope-vit, models/vit_rope.py, by hand: the x axis, then the y axis."""
    turns = torch.empty(len(PLACES), 8, dtype=torch.complex128)
    for token, (row, column) in enumerate(PLACES.tolist()):
        for step in range(4):
            turns[token, step] = cmath.exp(1j * column * 100.0 ** (-4 * step / 16))
            turns[token, 4 + step] = cmath.exp(1j * row * 100.0 ** (-4 * step / 16))
    theirs = torch.view_as_real(torch.view_as_complex(q.double().unflatten(-1, (8, 2))) * turns).flatten(-2)
    columns, rows = (axial_frequencies(16, order=order) for order in ("columns first", "rows first"))
    assert_close(rope_2d.rotate(q.double(), PLACES, columns), theirs, atol=1e-12, rtol=0)
    scores, others = (x @ x.mT for x in (theirs, rope_2d.rotate(q.double(), PLACES, rows)))
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


FAR = torch.tensor([[0, 0, 0], [5, 7, 6], [400, 431, 409], [4095, 4100, 4200], [131_071, 131_000, 130_000]])
PIECES = [Text(3), Image(2, 4), Text(2), Video(3, 2, 3), Text(4), Image(1, 1), Text(1)]
MODELS = {"chunked": ("qwen2_vl", "Qwen2VLRotaryEmbedding"), "interleaved": ("qwen3_vl", "Qwen3VLTextRotaryEmbedding")}


@pytest.fixture(params=MODELS)
def allocation(request):
    return request.param


@pytest.fixture
def model(allocation):
    name, _ = MODELS[allocation]
    return oracle(f"transformers.models.{name}.modeling_{name}")


@pytest.fixture
def embedding(model, allocation):
    """The model's own rotary embedding for heads of 128 channels, with the sections that it has by default."""
    config = SimpleNamespace(
        rope_parameters={"rope_type": "default", "rope_theta": 1_000_000.0},
        head_dim=128,
        max_position_embeddings=64,
    )
    return getattr(model, MODELS[allocation][1])(config)


def test_the_rotation_of_the_model_at_any_distance(model, embedding, allocation):
    q, k = normal(0, 2, 2, 3, len(FAR), 128)
    frequencies = rotary.frequencies(128, 1_000_000.0)
    angle = FAR.T[:, None, :, None] * frequencies  # (3, 1, T, d / 2); in float64, theirs are float32
    cosine, sine = (embedding.recomposition_frequencies(part.clone()) for part in (angle.cos(), angle.sin()))
    for theirs, x in zip(model.apply_rotary_pos_emb(q, k, cosine, sine), (q, k), strict=True):
        assert_close(theirs, mrope.rotate(x, FAR, frequencies, sections(64, allocation)), atol=1e-12, rtol=0)


def test_the_model_as_it_comes_on_text_and_images(model, embedding, allocation):
    ids = position_ids(PIECES[:3])  # near: their angles are float32
    q = normal(0, 1, 2, len(ids), 128).float()
    turned, _ = model.apply_rotary_pos_emb(q, q, *embedding(q, ids.T[:, None]))
    ours = mrope.rotate(q, ids, rotary.frequencies(128, 1_000_000.0), sections(64, allocation))
    assert_close(turned, ours, atol=1e-6, rtol=0)


def ids_of_qwen2_vl(pieces):
    return ids_of(oracle("transformers.models.qwen2_vl.modeling_qwen2_vl").Qwen2VLModel, pieces)


def ids_of(library, pieces, *seconds, per_second=0):
    """What a model makes of the pieces; its grids count patches, of which 2 x 2 become a token."""
    kinds, grids = [], {Image: [], Video: []}
    for piece in pieces:
        if isinstance(piece, Text):
            kinds += [0] * piece.n
        else:
            frames = getattr(piece, "frames", 1)
            kinds += [1 if isinstance(piece, Image) else 2] * (frames * piece.height * piece.width)
            grids[type(piece)].append([frames, 2 * piece.height, 2 * piece.width])
    stub = SimpleNamespace(
        config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2, tokens_per_second=per_second)),
        get_vision_position_ids=partial(library.get_vision_position_ids, None),
    )
    kind = torch.tensor([kinds])
    images, videos = (torch.tensor(grids[piece]) for piece in (Image, Video))
    ids, _ = library.get_rope_index(stub, torch.ones_like(kind), kind, images, videos, *seconds)
    return ids[:, 0].T


def test_the_ids_of_qwen2_vl():
    assert torch.equal(ids_of_qwen2_vl(PIECES), position_ids(PIECES))


def test_after_a_video_with_more_frames_than_rows_and_columns_the_library_repeats_ids():
    pieces = [Text(1), Video(5, 2, 3), Text(1)]
    theirs, ours = ids_of_qwen2_vl(pieces), position_ids(pieces)
    assert torch.equal(theirs[:-1], ours[:-1])
    assert theirs[-1].tolist() == [4, 4, 4]  # the larger of 2 rows and 3 columns further
    assert ours[-1].tolist() == [6, 6, 6]  # after the last frame


@each(("per_second", "seconds"), [(2, 1.0), (4, 0.375), (4, 1.5), (25, 0.0)])
def test_the_ids_of_qwen2_5_vl_count_time(per_second, seconds):
    library = oracle("transformers.models.qwen2_5_vl.modeling_qwen2_5_vl").Qwen2_5_VLModel
    interval = per_second * seconds
    pieces = [Text(3), Image(2, 4), Text(2), Video(3, 2, 14, interval), Text(4)]  # wide: no id of time is above
    theirs = ids_of(library, pieces, torch.tensor([seconds]), per_second=per_second)
    assert torch.equal(theirs, position_ids(pieces))
