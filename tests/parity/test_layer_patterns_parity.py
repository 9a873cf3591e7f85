"""One layer of attention of each model in transformers, with its rotation, mask and temperature, and our weights."""

import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.temperature import in_steps
from pe_core.lab.experiment.model import Attention
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

WIDTH, HEADS, LENGTH, SIZE = 32, 2, 11, 4  # SIZE: tokens of a window, of a chunk, of a step
N_LAYERS = 7
SIZES = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": N_LAYERS, "intermediate_size": 8}
GROUPED = {"num_key_value_heads": HEADS, "head_dim": WIDTH // HEADS, "vocab_size": 8, "pad_token_id": None}
POSITIONS = torch.arange(LENGTH)
ONE = {
    "float64": torch.float64,
    "float32": torch.float32,
}  # theirs turn in float32 all the same: 1e-6 of numbers near 1


def ours(key, layer, x, params):
    """The attended values of one layer, and the module that has made them."""
    shape = Shape(WIDTH, HEADS, SIZE, 64)  # a training length of SIZE: a window of 1.0 is as long
    attention = Attention(WIDTH, HEADS).to(x.dtype)
    with torch.no_grad():
        attention.qkv.weight.copy_(normal(1, 3 * WIDTH, WIDTH) / WIDTH**0.5)
        attention.out.weight.copy_(normal(2, WIDTH, WIDTH) / WIDTH**0.5)
        encoding = ENCODINGS[key].build(shape, params)
        return attention(x, POSITIONS, None, encoding.at_layer(layer)), attention


def with_weights(theirs, attention):
    """Their module with our weights, and without the norms of q and k, which are not about position."""
    q, k, v = attention.qkv.weight.chunk(3)
    for name, weight in (("q_proj", q), ("k_proj", k), ("v_proj", v), ("o_proj", attention.out.weight)):
        getattr(theirs, name).weight = torch.nn.Parameter(weight)
    theirs.q_norm = theirs.k_norm = torch.nn.Identity()
    return theirs.to(attention.qkv.weight.dtype).eval()


def mask_of(config, kind, x):
    """The mask of transformers for a type of layer, added to the scores, as its models make it."""
    make = getattr(oracle("transformers.masking_utils"), f"create_{kind}mask")
    config._attn_implementation = "eager"
    return make(config=config, inputs_embeds=x, attention_mask=None, past_key_values=None)


@each("dtype", ONE)
@each("layer", [0, 4, 5, 6])
@torch.no_grad()
def test_gemma_3_of_transformers(layer, dtype):
    model = oracle("transformers.models.gemma3.modeling_gemma3")
    config = oracle("transformers").Gemma3TextConfig(
        **SIZES, **GROUPED, sliding_window=SIZE, query_pre_attn_scalar=WIDTH // HEADS
    )
    kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(ONE[dtype])
    found, attention = ours("gemma3", layer, x, {"window": 1.0, "interval": 6})
    turn = model.Gemma3RotaryEmbedding(config)(x, POSITIONS[None], kind)
    mask = mask_of(config, "sliding_window_causal_" if kind == "sliding_attention" else "causal_", x)
    assert (kind == "full_attention") == (layer == 5)
    expected = with_weights(model.Gemma3Attention(config, layer), attention)(x, turn, mask)[0]
    assert_close(found, expected, atol=2e-6, rtol=0)


@each("dtype", ONE)
@each("layer", [0, 1, 2, 3])
@torch.no_grad()
def test_modernbert_of_transformers_where_it_looks_back(layer, dtype):
    """Theirs looks SIZE - 1 tokens to both sides; of both masks what lies ahead is taken away."""
    model = oracle("transformers.models.modernbert.modeling_modernbert")
    config = oracle("transformers").ModernBertConfig(**SIZES, vocab_size=8, local_attention=2 * (SIZE - 1))
    kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(ONE[dtype])
    found, attention = ours("modernbert", layer, x, {"window": 1.0, "interval": 3})
    turn = model.ModernBertRotaryEmbedding(config)(x, POSITIONS[None], kind)
    both_sides = mask_of(
        config, "bidirectional_sliding_window_" if kind == "sliding_attention" else "bidirectional_", x
    )
    ahead = torch.full((LENGTH, LENGTH), -torch.inf, dtype=x.dtype).triu(1)
    theirs = model.ModernBertAttention(config, layer).to(x.dtype).eval()
    theirs.Wqkv.weight, theirs.Wo.weight = attention.qkv.weight, attention.out.weight
    assert (kind == "full_attention") == (layer % 3 == 0)
    expected = theirs(x, position_embeddings=turn, attention_mask=ahead if both_sides is None else both_sides + ahead)
    assert_close(found, expected[0], atol=2e-6, rtol=0)


@each("dtype", ONE)
@each("layer", [0, 2, 3, 6])
@torch.no_grad()
def test_llama_4_of_transformers(layer, dtype):
    model = oracle("transformers.models.llama4.modeling_llama4")
    config = oracle("transformers").Llama4TextConfig(
        **SIZES, **GROUPED, attention_chunk_size=SIZE, floor_scale=SIZE, attn_scale=0.5, use_qk_norm=False
    )
    kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(ONE[dtype])
    params = {"chunk": 1.0, "floor": 1.0, "strength": 0.5, "interval": 4}
    found, attention = ours("llama4", layer, x, params)
    turn = model.Llama4TextRotaryEmbedding(config)(x, POSITIONS[None])
    mask = mask_of(config, "chunked_causal_" if kind == "chunked_attention" else "causal_", x)
    assert (kind == "full_attention") == (layer == 3)
    expected = with_weights(model.Llama4TextAttention(config, layer), attention)(x, turn, mask)[0]
    assert_close(found, expected, atol=2e-6, rtol=0)


@each("dtype", ONE)
@each("layer", [0, 2, 3])
@torch.no_grad()
def test_cohere_2_of_transformers_is_rnope_with_windows(layer, dtype):
    model = oracle("transformers.models.cohere2.modeling_cohere2")
    config = oracle("transformers").Cohere2Config(
        **SIZES, num_key_value_heads=HEADS, vocab_size=8, sliding_window=SIZE, pad_token_id=None
    )
    kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(ONE[dtype])
    found, attention = ours("rnope_window", layer, x, {"window": 1.0, "interval": 4})
    turn = model.Cohere2RotaryEmbedding(config)(x, POSITIONS[None])
    mask = mask_of(config, "sliding_window_causal_" if kind == "sliding_attention" else "causal_", x)
    assert (kind == "full_attention") == (layer == 3)
    expected = with_weights(model.Cohere2Attention(config, layer), attention)(x, turn, mask)[0]
    assert_close(found, expected, atol=2e-6, rtol=0)


def test_llama_4_takes_its_steps_at_the_published_sizes():
    """Their line, on positions around the steps of 8,192 tokens."""
    positions = torch.tensor([0, 8190, 8191, 16_383, 131_071])
    config = oracle("transformers").Llama4TextConfig(pad_token_id=None)
    theirs = torch.log1p(torch.floor((positions.float() + 1.0) / config.floor_scale)) * config.attn_scale + 1.0
    assert_close(in_steps(positions).float(), theirs, atol=1e-6, rtol=0)
