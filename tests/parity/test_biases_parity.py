"""What is added to the scores: ALiBi, T5, Swin and Swin V2, CoPE and forget gates."""

import math
from functools import partial

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import alibi, cope, forgetting, swin, swin_v2, t5
from pe_core.masks import causal
from tests.cases import each
from tests.parity import oracle
from tests.strategies import drawn, normal

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # x_transformers
F64 = torch.float64
HEADS = [1, 2, 3, 4, 6, 8, 12, 16, 20, 33]
LENGTH = 24
PAST = causal(LENGTH)
both_types = each("dtype", [torch.float64, torch.float32])


def attention_weights(added, n_heads):
    """What causal attention makes of random scores and of what is added to them."""
    return (normal(n_heads, n_heads, LENGTH, LENGTH) + added).masked_fill(~PAST, -torch.inf).softmax(-1)


@each("n_heads", HEADS)
def test_alibi_of_bloom_and_mpt_attends_alike(n_heads):
    bloom, mpt = (oracle(f"transformers.models.{name}.modeling_{name}") for name in ("bloom", "mpt"))
    of_bloom = bloom.build_alibi_tensor(torch.ones(1, LENGTH, dtype=torch.int64), n_heads, torch.float32)
    assert_close(of_bloom[:, 0, 1].double(), alibi.slopes(n_heads), atol=1e-6, rtol=0)  # slope * key index
    ours = attention_weights(alibi.bias(torch.arange(LENGTH), n_heads, dtype=F64), n_heads)
    for added in (of_bloom, mpt.build_mpt_alibi_tensor(n_heads, LENGTH)):
        assert_close(attention_weights(added.double(), n_heads), ours, atol=1e-6, rtol=0)


@each("n_heads", HEADS)
def test_alibi_of_x_transformers_is_the_symmetric_one(n_heads):
    theirs = oracle("x_transformers.x_transformers").AlibiPositionalBias(heads=n_heads)
    assert_close(theirs.slopes.flatten().double(), alibi.slopes(n_heads), atol=1e-6, rtol=0)
    ours = partial(alibi.bias, n_heads=n_heads, causal=False)
    assert_close(theirs(LENGTH, LENGTH), ours(torch.arange(LENGTH)), atol=1e-6, rtol=0)
    positions = torch.tensor([3, 0, 400, 41, 8])
    assert_close(theirs.forward_custom_pos(positions), ours(positions), atol=1e-6, rtol=0)


@each("bidirectional", [False, True])
@each(("n_buckets", "max_distance"), [(32, 128), (16, 32), (16, 128), (32, 256), (64, 512), (32, 1024), (8, 20)])
def test_t5_buckets_of_transformers_and_of_x_transformers(n_buckets, max_distance, bidirectional):
    attention, far = oracle("transformers.models.t5.modeling_t5").T5Attention, torch.arange(-5000, 5001)
    other = oracle("x_transformers.x_transformers").RelativePositionBias
    ours = t5.bucket(far, n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    assert torch.equal(ours, attention._relative_position_bucket(far, bidirectional, n_buckets, max_distance))
    assert torch.equal(ours, other._relative_position_bucket(far, not bidirectional, n_buckets, max_distance))


@each("decoder", [False, True])
def test_t5_of_transformers(decoder):
    config = oracle("transformers").T5Config(
        d_model=16, d_kv=4, num_heads=4, is_decoder=decoder, relative_attention_num_buckets=16
    )
    attention = oracle("transformers.models.t5.modeling_t5").T5Attention(config, has_relative_attention_bias=True)
    table = normal(1, 16, 4).float()
    with torch.no_grad():
        attention.relative_attention_bias.weight.copy_(table)
        theirs = attention.compute_bias(150, 150)[0]
    ours = t5.bias(torch.arange(150), table, bidirectional=not decoder)
    seen = ours.isfinite()  # theirs gives keys after the query the bucket 0, and leaves them to the mask
    assert torch.equal(ours[seen], theirs[seen])
    assert int(seen[0].sum()) == (150 * 151 // 2 if decoder else 150**2)


@each("causal", [False, True])
def test_t5_of_x_transformers_is_ours_times_its_scale(causal):
    library = oracle("x_transformers.x_transformers")
    theirs = library.RelativePositionBias(scale=8.0, causal=causal, num_buckets=16, max_distance=64, heads=3)
    table = theirs.relative_attention_bias.weight.detach()
    ours = t5.bias(torch.arange(150), table, max_distance=64, bidirectional=not causal)
    seen = ours.isfinite()
    assert_close(8 * ours[seen], theirs(150, 150).detach()[seen], atol=0, rtol=0)


SIDES = [1, 2, 7, 8]


@each("side", SIDES)
@both_types
@torch.no_grad()
def test_swin_of_transformers(side, dtype):
    module = oracle("transformers.models.swin.modeling_swin").SwinRelativePositionBias(3, (side, side)).to(dtype)
    module.relative_position_bias_table.copy_(normal(1, (2 * side - 1) ** 2, 3))
    ours = swin.bias(torch.arange(side**2), module.relative_position_bias_table, width=side, dtype=dtype)
    assert_close(module()[0], ours, atol=0, rtol=0)


def attention_of_swin_v2(window, trained):
    """Their attention of 3 heads of width 4 in one window of rows and columns, in double precision."""
    library = oracle("transformers.models.swinv2")
    config = library.Swinv2Config(embed_dim=12, num_heads=[3])
    return library.modeling_swinv2.Swinv2SelfAttention(config, 12, 3, window, trained).double().eval()


@each(("side", "trained"), [*((side, 0) for side in SIDES), (16, 8)])
def test_swin_v2_of_transformers_has_the_same_coordinates(side, trained):
    theirs = attention_of_swin_v2((side, side), (trained, trained)).relative_coords_table[0]
    ours = swin_v2.log_spaced(torch.arange(1 - side, side), trained or side)
    assert_close(theirs[:, 0, 0], ours, atol=1e-6, rtol=0)  # they count in single precision
    assert_close(theirs[0, :, 1], ours, atol=1e-6, rtol=0)


@each("rows", [3, 6])
@both_types
@torch.no_grad()
def test_swin_v2_of_transformers_attends_alike(rows, dtype):
    """A window of the height of training, and one of twice that."""
    module, n = drawn(attention_of_swin_v2((rows, 4), (3, 4)).to(dtype)), 4 * rows
    module.logit_scale.copy_(torch.tensor([1.0, math.log(10), 9]).view(3, 1, 1))  # the last one is clamped
    x = normal(2, 1, n, 12).to(dtype)
    theirs = module(x, output_attentions=True)[1]
    q, k = (part(x).view(1, n, 3, 4).transpose(1, 2) for part in (module.query, module.key))
    q, k = swin_v2.cosines(q, k, module.logit_scale.flatten())
    network = module.continuous_position_bias_mlp
    added = swin_v2.bias(torch.arange(n), network, height=3, width=4, dtype=dtype)
    assert_close(theirs, (q @ k.mT / 2 + added).softmax(-1), atol=1e-5, rtol=0)


WIDTH, N_HEADS = 8, 3


def in_both_types(found, expected, *given):
    """Compare what a function gives for keys that are not after the query, in double and in single precision."""
    assert_close(found(*given)[..., PAST], expected[..., PAST], atol=1e-12, rtol=0)
    single = found(*(one.float() for one in given))
    assert_close(single[..., PAST].double(), expected[..., PAST], atol=1e-5, rtol=0)


@each("rows", [2, 5, 16, 64])
def test_cope_of_x_transformers_counts_alike(rows):
    """From the scaled scores with the future masked, as its attention passes them on."""
    q, k = normal(1, 2, 2, N_HEADS, LENGTH, WIDTH)
    theirs = oracle("x_transformers.x_transformers").CoPE(dim=WIDTH, heads=N_HEADS, max_pos=rows).double()
    with torch.no_grad():
        theirs.pos_emb.copy_(normal(2, rows, WIDTH))
        scores = (q @ k.mT / math.sqrt(WIDTH)).masked_fill(~PAST, -torch.finfo(F64).max)
        expected = theirs(q, scores)
    in_both_types(cope.bias, expected, q, k, theirs.pos_emb.detach())


@each("start", [5.0, 0.0])
def test_forgetting_of_x_transformers_forgets_alike(start):
    """Its gates read the token: here the keys of all heads side by side, of which each gate reads its own."""
    k, weight, dim = normal(1, 2, N_HEADS, LENGTH, WIDTH), normal(2, N_HEADS, WIDTH), N_HEADS * WIDTH
    gates = oracle("x_transformers.x_transformers").DataDependentAlibi(dim=dim, heads=N_HEADS, bias_init=start).double()
    linear = gates.to_forget_gates[0]
    with torch.no_grad():
        linear.weight.copy_(torch.block_diag(*weight.split(1)))
        expected = gates(k.transpose(1, 2).flatten(2))

    def ours(k, weight, offset):
        return forgetting.bias(forgetting.log_gates(k, weight, offset), dtype=k.dtype)

    in_both_types(ours, expected, k, weight, linear.bias.detach())
