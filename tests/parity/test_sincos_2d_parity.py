import torch
from torch.testing import assert_close

from pe_core.encodings.sincos_2d import detr_table, mae_table
from tests.cases import each
from tests.parity import oracle

EXTENTS = [(1, 1), (3, 3), (4, 7), (9, 2)]


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


@each(("height", "width"), EXTENTS)
def test_the_port_with_the_row_first_has_the_halves_exchanged(height, width):
    library = oracle("transformers.models.vit_mae.modeling_vit_mae")
    theirs = library.build_2d_sinusoidal_position_embedding(height, width, 16, temperature=100.0, dtype=torch.float64)
    rows, columns = raster(height, width)
    ours = mae_table(rows, columns, 16, base=100.0, dtype=torch.float64)
    assert_close(theirs, ours.roll(8, -1), atol=1e-12, rtol=0)


@each(("height", "width"), EXTENTS)
@each("base", [10_000, 20])
def test_the_sinusoid_of_detr_of_transformers(height, width, base):
    library = oracle("transformers.models.detr.modeling_detr")
    theirs = library.DetrSinePositionEmbedding(12, temperature=base, normalize=True)
    shape = torch.Size([1, 3, height, width])
    image = theirs(shape, torch.device("cpu"), torch.float64)[0].flatten(1).T  # (height * width, 24)
    ours = detr_table(*raster(height, width), 24, height=height, width=width, base=base, dtype=torch.float64)
    assert_close(image, ours, atol=1e-12, rtol=0)


def test_the_sinusoid_of_detr_in_the_corner_of_a_padded_image():
    library = oracle("transformers.models.detr.modeling_detr")
    mask = torch.zeros(1, 6, 5, dtype=torch.bool)
    mask[:, :3, :4] = True
    theirs = library.DetrSinePositionEmbedding(8, normalize=True)(
        torch.Size([1, 3, 6, 5]), torch.device("cpu"), torch.float64, mask
    )
    ours = detr_table(*raster(3, 4), 16, height=3, width=4, dtype=torch.float64)
    assert_close(theirs[0, :, :3, :4].flatten(1).T, ours, atol=1e-12, rtol=0)
