"""The two terms with a position, on random tensors, and the buckets; the third term is a product of q and k."""

import math

import torch
from torch.testing import assert_close

from pe_core.encodings.deberta import log_bucket, rows, scores
from tests.cases import each
from tests.parity import oracle
from tests.strategies import drawn, normal

N_HEADS, HEAD_DIM = 3, 4
WIDTH = N_HEADS * HEAD_DIM


@each(("n_buckets", "max_distance"), [(256, 512), (8, 32), (16, 64), (10, 1215), (64, 4096)])
def test_the_buckets_of_transformers(n_buckets, max_distance):
    library = oracle("transformers.models.deberta_v2.modeling_deberta_v2")
    away = torch.arange(-5000, 5001)
    theirs = library.make_log_bucket_position(away, n_buckets, max_distance)
    assert torch.equal(theirs.long(), log_bucket(away, n_buckets=n_buckets, max_distance=max_distance))


def terms(q, k, bucket, span, for_keys, for_queries):
    """Our two terms, for queries that have not yet been divided by the root of three."""
    apart = torch.arange(q.shape[-2])[:, None] - torch.arange(q.shape[-2])
    by_heads = (side.view(-1, N_HEADS, HEAD_DIM).transpose(0, 1) for side in (for_keys, for_queries))
    for_keys, for_queries = by_heads
    return scores(q / math.sqrt(3), k, rows(bucket(apart), span), for_keys=for_keys, for_queries=for_queries)


@each("length", [5, 30])
@each("shared", [False, True])
@each("dtype", [torch.float64, torch.float32])
@torch.no_grad()
def test_version_2_of_transformers_adds_the_same_terms(length, shared, dtype):
    library, n_buckets, max_distance = oracle("transformers.models.deberta_v2.modeling_deberta_v2"), 8, 32
    config = oracle("transformers").DebertaV2Config(
        hidden_size=WIDTH,
        num_attention_heads=N_HEADS,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        position_buckets=n_buckets,
        max_relative_positions=max_distance,
        share_att_key=shared,
    )
    module = drawn(library.DisentangledSelfAttention(config).to(dtype).eval())
    table, (q, k) = normal(1, 2 * n_buckets, WIDTH).to(dtype), normal(2, 2, 2, N_HEADS, length, HEAD_DIM).to(dtype)
    theirs = module.disentangled_attention_bias(q.flatten(0, 1), k.flatten(0, 1), None, table, 3)
    sides = (module.key_proj, module.query_proj) if shared else (module.pos_key_proj, module.pos_query_proj)
    ours = terms(
        q,
        k,
        lambda apart: log_bucket(apart, n_buckets=n_buckets, max_distance=max_distance),
        n_buckets,
        *(side(table) for side in sides),
    )
    assert_close(theirs.view(ours.shape), ours, atol=1e-6, rtol=1e-6)  # they take the root of 3 d in single precision


@each("length", [3, 30])
@each("dtype", [torch.float64, torch.float32])
@torch.no_grad()
def test_version_1_of_transformers_adds_the_same_terms(length, dtype):
    library, span = oracle("transformers.models.deberta.modeling_deberta"), 7
    config = oracle("transformers").DebertaConfig(
        hidden_size=WIDTH,
        num_attention_heads=N_HEADS,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        max_relative_positions=span,
    )
    module = drawn(library.DisentangledSelfAttention(config).to(dtype).eval())
    table, (q, k) = normal(1, 2 * span, WIDTH).to(dtype), normal(2, 2, 2, N_HEADS, length, HEAD_DIM).to(dtype)
    apart = torch.arange(length)[:, None] - torch.arange(length)
    scaled = q / math.sqrt(3 * HEAD_DIM)
    theirs = module.disentangled_att_bias(scaled, k, apart, table, 3)
    ours = terms(q, k, lambda apart: apart, span, module.pos_proj(table), module.pos_q_proj(table))
    assert_close(theirs, ours, atol=1e-6, rtol=1e-6)
