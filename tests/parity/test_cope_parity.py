import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.cope import bias
from pe_core.masks import causal
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

LENGTH, WIDTH = 24, 8
PAST = causal(LENGTH)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("rows", [2, 5, 16, 64])
def test_x_transformers_counts_alike(rows):
    """From the scaled scores with the future masked, as its attention passes them on."""
    q, k = normal(1, 2, 2, 3, LENGTH, WIDTH)
    theirs = oracle("x_transformers.x_transformers").CoPE(dim=WIDTH, heads=3, max_pos=rows).double()
    with torch.no_grad():
        theirs.pos_emb.copy_(normal(2, rows, WIDTH))
        scores = (q @ k.mT / math.sqrt(WIDTH)).masked_fill(~PAST, -torch.finfo(torch.float64).max)
        expected = theirs(q, scores)
    ours = bias(q, k, theirs.pos_emb.detach())
    assert_close(ours[..., PAST], expected[..., PAST], atol=1e-12, rtol=0)
    single = bias(q.float(), k.float(), theirs.pos_emb.detach().float())
    assert_close(single[..., PAST].double(), expected[..., PAST], atol=1e-5, rtol=0)
