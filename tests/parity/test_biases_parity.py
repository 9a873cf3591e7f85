"""What is added to the scores: ALiBi, T5, Swin and Swin V2, CoPE and forget gates, and vectors of the distance."""

import math
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import alibi, cope, deberta, forgetting, relative_key, swin, swin_v2, t5, transformer_xl
from pe_core.encodings.sinusoidal import frequencies
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


# Vectors of the distance. BERT itself has left relative keys behind, of which speech models have the form with queries
# only, and number the rows from key to query. XLNet kept the attention of Transformer-XL. Of DeBERTa's three terms the
# first is a product of q and k; what is compared are the two with a position, and the buckets.

REACH = 9


@each("length", [1, 5, REACH + 1])  # longer ones are clipped there
@each(("dtype", "within"), [(F64, 1e-12), (torch.float32, 1e-5)])
def test_wav2vec2_bert_adds_the_same_to_the_scores(length, dtype, within):
    library = oracle("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")
    q, k = normal(1, 2, 2, 3, length, 8).to(dtype)
    table = normal(2, 2 * REACH + 1, 8).to(dtype)
    module = SimpleNamespace(
        left_max_position_embeddings=REACH,
        right_max_position_embeddings=REACH,
        scaling=8**-0.5,
        distance_embedding=torch.nn.Embedding.from_pretrained(table.flip(0)),
    )
    theirs = library._apply_relative_key_position_encoding(module, q, k)[1]
    ours = relative_key.scores(q, k, table, torch.arange(length), both=False)
    assert_close(theirs, ours, atol=within, rtol=0)


@torch.no_grad()
def test_xlnet_attends_alike():
    xlnet, width, n = oracle("transformers.models.xlnet.modeling_xlnet"), 24, 20
    config = oracle("transformers").XLNetConfig(d_model=width, n_head=3, d_inner=4, n_layer=1, vocab_size=3)
    attention = xlnet.XLNetRelativeAttention(config).double().eval()
    q, k, v = normal(1, 3, 2, 3, n, 8)
    weight, (u, v_of_distance) = normal(2, 3, 8, width), normal(3, 2, 3, 8)
    attention.r_w_bias.copy_(u)
    attention.r_r_bias.copy_(v_of_distance)
    sinusoids = xlnet.XLNetModel.positional_embedding(torch.arange(n, -n, -1, dtype=F64), frequencies(width), bsz=2)
    of_distances = torch.einsum("rbc,hdc->rbhd", sinusoids, weight)  # (2T, B, H, d)
    by_place = (x.permute(2, 0, 1, 3) for x in (q, k, v))
    theirs = attention.rel_attn_core(*by_place, of_distances, output_attentions=True)[1]
    learned = {"weight": weight, "content_bias": u, "distance_bias": v_of_distance}
    added = transformer_xl.scores(q, k, torch.arange(n), **learned, frequencies=frequencies(width))
    ours = (q @ k.mT / math.sqrt(8) + added).softmax(-1)
    assert_close(theirs.permute(2, 3, 0, 1), ours, atol=1e-12, rtol=1e-12)


@each(("n_buckets", "max_distance"), [(256, 512), (8, 32), (16, 64), (10, 1215), (64, 4096)])
def test_deberta_v2_of_transformers_has_the_same_buckets(n_buckets, max_distance):
    library = oracle("transformers.models.deberta_v2.modeling_deberta_v2")
    away = torch.arange(-5000, 5001)
    theirs = library.make_log_bucket_position(away, n_buckets, max_distance)
    assert torch.equal(theirs.long(), deberta.log_bucket(away, n_buckets=n_buckets, max_distance=max_distance))


def terms_of_deberta(q, k, bucket, span, *sides):
    """Our two terms, for queries that have not yet been divided by the root of three."""
    for_keys, for_queries = (side.view(-1, 3, 4).transpose(0, 1) for side in sides)
    apart = torch.arange(q.shape[-2])[:, None] - torch.arange(q.shape[-2])
    rows = deberta.rows(bucket(apart), span)
    return deberta.scores(q / math.sqrt(3), k, rows, for_keys=for_keys, for_queries=for_queries)


def deberta_of(name, kind, dtype, **sizes):
    """Their attention of three heads of width 4, with weights of our drawing."""
    given = {"hidden_size": 12, "num_attention_heads": 3, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
    config = getattr(oracle("transformers"), kind)(**given, **sizes)
    library = oracle(f"transformers.models.{name}.modeling_{name}")
    return drawn(library.DisentangledSelfAttention(config).to(dtype).eval())


@each("length", [3, 30])
@each("dtype", [F64, torch.float32])
@torch.no_grad()
def test_deberta_of_transformers_adds_the_same_terms(length, dtype):
    module, span = deberta_of("deberta", "DebertaConfig", dtype, max_relative_positions=7), 7
    table, (q, k) = normal(1, 2 * span, 12).to(dtype), normal(2, 2, 2, 3, length, 4).to(dtype)
    apart = torch.arange(length)[:, None] - torch.arange(length)
    theirs = module.disentangled_att_bias(q / math.sqrt(3 * 4), k, apart, table, 3)
    ours = terms_of_deberta(q, k, lambda apart: apart, span, module.pos_proj(table), module.pos_q_proj(table))
    assert_close(theirs, ours, atol=1e-6, rtol=1e-6)


@each("length", [5, 30])
@each("shared", [False, True])
@each("dtype", [F64, torch.float32])
@torch.no_grad()
def test_deberta_v2_of_transformers_adds_the_same_terms(length, shared, dtype):
    sizes = {"position_buckets": 8, "max_relative_positions": 32, "share_att_key": shared}
    module = deberta_of("deberta_v2", "DebertaV2Config", dtype, **sizes)
    table, (q, k) = normal(1, 2 * 8, 12).to(dtype), normal(2, 2, 2, 3, length, 4).to(dtype)
    theirs = module.disentangled_attention_bias(q.flatten(0, 1), k.flatten(0, 1), None, table, 3)
    bucket = partial(deberta.log_bucket, n_buckets=8, max_distance=32)
    sides = (module.key_proj, module.query_proj) if shared else (module.pos_key_proj, module.pos_query_proj)
    ours = terms_of_deberta(q, k, bucket, 8, *(side(table) for side in sides))
    assert_close(theirs.view(ours.shape), ours, atol=1e-6, rtol=1e-6)  # they take the root of 3 d in single precision
