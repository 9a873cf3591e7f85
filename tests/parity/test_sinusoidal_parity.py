import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.sinusoidal import frequencies, table
from tests.cases import each
from tests.parity import oracle

# References that compute angles in float32 are compared over the first positions, where float32 is exact enough.
FIRST = torch.arange(8)


@each("dim", [2, 7, 8, 64])
def test_marian_of_transformers_is_the_concatenated_variant(dim):
    marian = oracle("transformers.models.marian.modeling_marian")
    weight = marian.MarianSinusoidalPositionalEmbedding(512, dim).create_weight()
    assert_close(weight, table(torch.arange(512), dim, variant="concatenated"), atol=1e-6, rtol=0)


@each("dim", [2, 8, 64])
def test_xlm_of_transformers_is_the_variant_of_the_paper(dim):
    xlm = oracle("transformers.models.xlm.modeling_xlm")
    weight = xlm.create_sinusoidal_embeddings(512, dim, out=torch.empty(512, dim))
    assert_close(weight, table(torch.arange(512), dim), atol=1e-6, rtol=0)


@each("dim", [4, 7, 8, 64])
def test_fsmt_of_transformers_is_the_variant_of_tensor2tensor(dim):
    fsmt = oracle("transformers.models.fsmt.modeling_fsmt")
    weight = fsmt.SinusoidalPositionalEmbedding.get_embedding(len(FIRST), dim, None)
    assert_close(weight, table(FIRST, dim, variant="tensor2tensor"), atol=1e-6, rtol=0)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("base", [10_000, 100])
@each("dim", [2, 8, 64])
def test_x_transformers_is_the_concatenated_variant_times_a_scale(dim, base):
    theirs = oracle("x_transformers.x_transformers").ScaledSinusoidalEmbedding(dim, theta=base)
    assert_close(theirs.inv_freq.double(), frequencies(dim, base), atol=1e-6, rtol=0)
    numbers = theirs(torch.empty(1, len(FIRST), dim)).detach() / theirs.scale.detach()
    assert_close(numbers, table(FIRST, dim, base=base, variant="concatenated"), atol=1e-6, rtol=0)
