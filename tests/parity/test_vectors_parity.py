"""Products with a vector of the distance: relative keys, Transformer-XL and DeBERTa.

BERT itself has left relative keys behind, of which speech models have the form with queries only, and number the rows
from key to query. XLNet kept the attention of Transformer-XL. Of DeBERTa's three terms the first is a product of q and
k; what is compared are the two with a position, and the buckets.
"""

import math
from functools import partial
from types import SimpleNamespace

import torch
from torch.testing import assert_close

from pe_core.encodings import deberta, relative_key, transformer_xl
from pe_core.encodings.sinusoidal import frequencies
from tests.cases import each
from tests.parity import oracle
from tests.strategies import drawn, normal

F64 = torch.float64
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
