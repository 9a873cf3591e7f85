"""XLNet kept the attention of Transformer-XL; the model of that name has left the library."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.sinusoidal import frequencies
from pe_core.encodings.transformer_xl import scores
from tests.parity import oracle
from tests.strategies import normal

LENGTH, N_HEADS, HEAD_DIM = 20, 3, 8
WIDTH = N_HEADS * HEAD_DIM


@pytest.fixture
def xlnet():
    return oracle("transformers.models.xlnet.modeling_xlnet")


def test_xlnet_attends_alike(xlnet):
    config = oracle("transformers").XLNetConfig(d_model=WIDTH, n_head=N_HEADS, d_inner=4, n_layer=1, vocab_size=3)
    attention = xlnet.XLNetRelativeAttention(config).double().eval()
    q, k, v = normal(1, 3, 2, N_HEADS, LENGTH, HEAD_DIM)
    weight, (content_bias, distance_bias) = normal(2, N_HEADS, HEAD_DIM, WIDTH), normal(3, 2, N_HEADS, HEAD_DIM)
    with torch.no_grad():
        attention.r_w_bias.copy_(content_bias)
        attention.r_r_bias.copy_(distance_bias)
        distances = torch.arange(LENGTH, -LENGTH, -1, dtype=torch.float64)
        sinusoids = xlnet.XLNetModel.positional_embedding(distances, frequencies(WIDTH), bsz=2)  # (2T, B, D)
        of_distances = torch.einsum("rbc,hdc->rbhd", sinusoids, weight)
        theirs = attention.rel_attn_core(
            *(x.permute(2, 0, 1, 3) for x in (q, k, v)), of_distances, output_attentions=True
        )[1]
    added = scores(
        q,
        k,
        torch.arange(LENGTH),
        weight=weight,
        content_bias=content_bias,
        distance_bias=distance_bias,
        frequencies=frequencies(WIDTH),
    )
    ours = (q @ k.mT / math.sqrt(HEAD_DIM) + added).softmax(-1)
    assert_close(theirs.permute(2, 3, 0, 1), ours, atol=1e-12, rtol=1e-12)
