import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.t5 import bias, bucket
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

SIZES = [(32, 128), (16, 32), (16, 128), (32, 256), (64, 512), (32, 1024), (8, 20)]
FAR = torch.arange(-5000, 5001)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("bidirectional", [False, True])
@each(("n_buckets", "max_distance"), SIZES)
def test_buckets_of_transformers_and_of_x_transformers(n_buckets, max_distance, bidirectional):
    attention = oracle("transformers.models.t5.modeling_t5").T5Attention
    other = oracle("x_transformers.x_transformers").RelativePositionBias
    ours = bucket(FAR, n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    assert torch.equal(ours, attention._relative_position_bucket(FAR, bidirectional, n_buckets, max_distance))
    assert torch.equal(ours, other._relative_position_bucket(FAR, not bidirectional, n_buckets, max_distance))


@each("decoder", [False, True])
def test_the_bias_of_transformers(decoder):
    config = oracle("transformers").T5Config(
        d_model=16, d_kv=4, num_heads=4, is_decoder=decoder, relative_attention_num_buckets=16
    )
    attention = oracle("transformers.models.t5.modeling_t5").T5Attention(config, has_relative_attention_bias=True)
    table = normal(1, 16, 4).float()
    with torch.no_grad():
        attention.relative_attention_bias.weight.copy_(table)
        theirs = attention.compute_bias(150, 150)[0]
    ours = bias(torch.arange(150), table, bidirectional=not decoder)
    seen = ours.isfinite()  # theirs gives keys after the query the bucket 0, and leaves them to the mask
    assert torch.equal(ours[seen], theirs[seen])
    assert int(seen[0].sum()) == (150 * 151 // 2 if decoder else 150**2)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("causal", [False, True])
def test_the_bias_of_x_transformers_is_ours_times_its_scale(causal):
    library = oracle("x_transformers.x_transformers")
    theirs = library.RelativePositionBias(scale=8.0, causal=causal, num_buckets=16, max_distance=64, heads=3)
    table = theirs.relative_attention_bias.weight.detach()
    ours = bias(torch.arange(150), table, max_distance=64, bidirectional=not causal)
    seen = ours.isfinite()
    assert_close(8 * ours[seen], theirs(150, 150).detach()[seen], atol=0, rtol=0)
