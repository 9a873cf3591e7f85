import math

import torch
from torch.testing import assert_close

from pe_core.encodings import swin, swin_v2
from tests.cases import each
from tests.parity import oracle
from tests.strategies import drawn, normal

SIDES = [1, 2, 7, 8]


@each("side", SIDES)
@each("dtype", [torch.float64, torch.float32])
@torch.no_grad()
def test_the_bias_of_swin_of_transformers(side, dtype):
    library = oracle("transformers.models.swin.modeling_swin")
    module = library.SwinRelativePositionBias(3, (side, side)).to(dtype)
    module.relative_position_bias_table.copy_(normal(1, (2 * side - 1) ** 2, 3))
    ours = swin.bias(torch.arange(side**2), module.relative_position_bias_table, width=side, dtype=dtype)
    assert_close(module()[0], ours, atol=0, rtol=0)


def attention(window, trained):
    """Their attention of 3 heads of width 4 in one window of rows and columns, in double precision."""
    library = oracle("transformers.models.swinv2")
    config = library.Swinv2Config(embed_dim=12, num_heads=[3])
    return library.modeling_swinv2.Swinv2SelfAttention(config, 12, 3, window, trained).double().eval()


@each(("side", "trained"), [*((side, 0) for side in SIDES), (16, 8)])
def test_the_coordinates_of_swin_v2_of_transformers(side, trained):
    theirs = attention((side, side), (trained, trained)).relative_coords_table[0]
    ours = swin_v2.log_spaced(torch.arange(1 - side, side), trained or side)
    assert_close(theirs[:, 0, 0], ours, atol=1e-6, rtol=0)  # they count in single precision
    assert_close(theirs[0, :, 1], ours, atol=1e-6, rtol=0)


@each("rows", [3, 6])
@each("dtype", [torch.float64, torch.float32])
@torch.no_grad()
def test_swin_v2_of_transformers_attends_alike(rows, dtype):
    """A window of the height of training, and one of twice that."""
    module, n = drawn(attention((rows, 4), (3, 4)).to(dtype)), 4 * rows
    module.logit_scale.copy_(torch.tensor([1.0, math.log(10), 9]).view(3, 1, 1))  # the last one is clamped
    x = normal(2, 1, n, 12).to(dtype)
    theirs = module(x, output_attentions=True)[1]
    q, k = (part(x).view(1, n, 3, 4).transpose(1, 2) for part in (module.query, module.key))
    q, k = swin_v2.cosines(q, k, module.logit_scale.flatten())
    network = module.continuous_position_bias_mlp
    added = swin_v2.bias(torch.arange(n), network, height=3, width=4, dtype=dtype)
    assert_close(theirs, (q @ k.mT / 2 + added).softmax(-1), atol=1e-5, rtol=0)
