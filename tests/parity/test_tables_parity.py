"""What is added to embeddings: the sinusoid, those of two dimensions, and of time steps."""

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.sincos_2d import detr_table, mae_table
from pe_core.encodings.sinusoidal import frequencies, table
from pe_core.encodings.timestep import table as timestep_table
from tests.cases import each
from tests.parity import oracle

# References that compute angles in float32 are compared over the first positions, where float32 is exact enough.
FIRST = torch.arange(8)
EXTENTS = each(("height", "width"), [(1, 1), (3, 3), (4, 7), (9, 2)])


@each("dim", [2, 7, 8, 64])
def test_sinusoid_of_marian_is_the_concatenated_variant(dim):
    marian = oracle("transformers.models.marian.modeling_marian")
    weight = marian.MarianSinusoidalPositionalEmbedding(512, dim).create_weight()
    assert_close(weight, table(torch.arange(512), dim, variant="concatenated"), atol=1e-6, rtol=0)


@each("dim", [2, 8, 64])
def test_sinusoid_of_xlm_is_the_variant_of_the_paper(dim):
    xlm = oracle("transformers.models.xlm.modeling_xlm")
    weight = xlm.create_sinusoidal_embeddings(512, dim, out=torch.empty(512, dim))
    assert_close(weight, table(torch.arange(512), dim), atol=1e-6, rtol=0)


@each("dim", [4, 7, 8, 64])
def test_sinusoid_of_fsmt_is_the_variant_of_tensor2tensor(dim):
    fsmt = oracle("transformers.models.fsmt.modeling_fsmt")
    weight = fsmt.SinusoidalPositionalEmbedding.get_embedding(len(FIRST), dim, None)
    assert_close(weight, table(FIRST, dim, variant="tensor2tensor"), atol=1e-6, rtol=0)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("base", [10_000, 100])
@each("dim", [2, 8, 64])
def test_sinusoid_of_x_transformers_is_the_concatenated_variant_times_a_scale(dim, base):
    theirs = oracle("x_transformers.x_transformers").ScaledSinusoidalEmbedding(dim, theta=base)
    assert_close(theirs.inv_freq.double(), frequencies(dim, base), atol=1e-6, rtol=0)
    numbers = theirs(torch.empty(1, len(FIRST), dim)).detach() / theirs.scale.detach()
    assert_close(numbers, table(FIRST, dim, base=base, variant="concatenated"), atol=1e-6, rtol=0)


def raster(height, width):
    return torch.cartesian_prod(torch.arange(height), torch.arange(width)).unbind(-1)


@each("side", [1, 3, 8])
@each("dim", [8, 24])
def test_the_table_that_mae_of_transformers_starts_with(side, dim):
    library = oracle("transformers.models.vit_mae")
    config = library.ViTMAEConfig(hidden_size=dim, image_size=2 * side, patch_size=2)
    embeddings = library.modeling_vit_mae.ViTMAEEmbeddings(config)
    embeddings.initialize_weights()
    theirs = embeddings.position_embeddings[0, 1:]  # without the class token
    assert_close(theirs, mae_table(*raster(side, side), dim), atol=1e-6, rtol=0)


@EXTENTS
def test_the_port_of_mae_with_the_row_first_has_the_halves_exchanged(height, width):
    library = oracle("transformers.models.vit_mae.modeling_vit_mae")
    theirs = library.build_2d_sinusoidal_position_embedding(height, width, 16, temperature=100.0, dtype=torch.float64)
    ours = mae_table(*raster(height, width), 16, base=100.0, dtype=torch.float64)
    assert_close(theirs, ours.roll(8, -1), atol=1e-12, rtol=0)


@EXTENTS
@each("base", [10_000, 20])
@each("padded", [False, True])
def test_the_sinusoid_of_detr_of_transformers(height, width, base, padded):
    """Of an image, or of one in the corner of a larger one."""
    library, device = oracle("transformers.models.detr.modeling_detr"), torch.device("cpu")
    whole = (height + 3 * padded, width + padded)
    mask = torch.zeros(1, *whole, dtype=torch.bool)
    mask[:, :height, :width] = True
    theirs = library.DetrSinePositionEmbedding(12, temperature=base, normalize=True)
    image = theirs(torch.Size([1, 3, *whole]), device, torch.float64, *([mask] if padded else []))
    ours = detr_table(*raster(height, width), 24, height=height, width=width, base=base, dtype=torch.float64)
    assert_close(image[0, :, :height, :width].flatten(1).T, ours, atol=1e-12, rtol=0)


@each("dim", [4, 32])
@each("dtype", [torch.float64, torch.float32])
def test_the_time_step_of_qwen2_5_omni(dim, dtype):
    """The setting with shift 1 and sines first; diffusers, which has the other one too, is not among the installed."""
    library = oracle("transformers.models.qwen2_5_omni.modeling_qwen2_5_omni")
    times = torch.tensor([0.0, 0.013, 0.25, 0.9], dtype=dtype)
    theirs = library.SinusPositionEmbedding(dim)(times)
    ours = timestep_table(times, dim, scale=1000.0, dtype=dtype)
    assert_close(theirs, ours, atol=1e-4, rtol=0)  # their frequencies are single precision, and times up to 900
