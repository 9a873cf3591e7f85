import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.alibi import bias, slopes
from pe_core.masks import causal
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

HEADS = [1, 2, 3, 4, 6, 8, 12, 16, 20, 33]
LENGTH = 24
FUTURE = ~causal(LENGTH)


def attention_weights(added, n_heads, dtype):
    """What causal attention makes of random scores and of what is added to them."""
    scores = normal(n_heads, n_heads, LENGTH, LENGTH).to(dtype) + added
    return scores.masked_fill(FUTURE, -torch.inf).softmax(-1)


@each("n_heads", HEADS)
def test_bloom_and_mpt_attend_alike(n_heads):
    bloom, mpt = (oracle(f"transformers.models.{name}.modeling_{name}") for name in ("bloom", "mpt"))
    of_bloom = bloom.build_alibi_tensor(torch.ones(1, LENGTH, dtype=torch.int64), n_heads, torch.float32)
    assert_close(of_bloom[:, 0, 1].double(), slopes(n_heads), atol=1e-6, rtol=0)  # slope * key index
    ours = attention_weights(bias(torch.arange(LENGTH), n_heads, dtype=torch.float64), n_heads, torch.float64)
    for added in (of_bloom, mpt.build_mpt_alibi_tensor(n_heads, LENGTH)):
        assert_close(attention_weights(added.double(), n_heads, torch.float64), ours, atol=1e-6, rtol=0)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("n_heads", HEADS)
def test_x_transformers_has_the_symmetric_bias(n_heads):
    theirs = oracle("x_transformers.x_transformers").AlibiPositionalBias(heads=n_heads)
    ours = bias(torch.arange(LENGTH), n_heads, causal=False)
    assert_close(theirs(LENGTH, LENGTH), ours, atol=1e-6, rtol=0)
    assert_close(theirs.slopes.flatten().double(), slopes(n_heads), atol=1e-6, rtol=0)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_x_transformers_has_the_same_bias_at_positions_of_our_choice():
    theirs = oracle("x_transformers.x_transformers").AlibiPositionalBias(heads=6)
    positions = torch.tensor([3, 0, 400, 41, 8])
    assert_close(theirs.forward_custom_pos(positions), bias(positions, 6, causal=False), atol=1e-6, rtol=0)
