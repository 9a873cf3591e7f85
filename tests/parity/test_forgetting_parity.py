import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.forgetting import bias, log_gates
from pe_core.masks import causal
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

LENGTH, HEADS, WIDTH = 24, 3, 8
PAST = causal(LENGTH)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("start", [5.0, 0.0])
def test_x_transformers_forgets_alike(start):
    """Its gates read the token: here the keys of all heads side by side, of which each gate reads its own."""
    k, weight = normal(1, 2, HEADS, LENGTH, WIDTH), normal(2, HEADS, WIDTH)
    dim = HEADS * WIDTH
    theirs = oracle("x_transformers.x_transformers").DataDependentAlibi(dim=dim, heads=HEADS, bias_init=start).double()
    linear = theirs.to_forget_gates[0]
    with torch.no_grad():
        linear.weight.copy_(torch.block_diag(*weight.split(1)))
        expected = theirs(k.transpose(1, 2).flatten(2))
    ours = bias(log_gates(k, weight, linear.bias.detach()), dtype=torch.float64)
    assert_close(ours[..., PAST], expected[..., PAST], atol=1e-12, rtol=0)
    single = bias(log_gates(k.float(), weight.float(), linear.bias.detach().float()))
    assert_close(single[..., PAST].double(), expected[..., PAST], atol=1e-5, rtol=0)
