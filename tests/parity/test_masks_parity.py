"""Masks of transformers, and one layer of attention of its models with their rotation, mask and temperature."""

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Shape
from pe_core.encodings.rope_layers import on_some
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.lab.experiment.model import Attention
from pe_core.masks import causal, chunked, prefix, sliding_window
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

LENGTH = 12


def evaluated(rule):
    """The mask of a function of batch, head, query and key."""
    places = torch.arange(LENGTH)
    return torch.tensor([[bool(rule(0, 0, query, key)) for key in places] for query in places])


@each("window", [1, 2, 5, 12, 20])
def test_transformers_counts_the_window_with_self(window):
    theirs = oracle("transformers.masking_utils").sliding_window_causal_mask_function(window)
    assert torch.equal(evaluated(theirs), sliding_window(LENGTH, window))


@each("chunk", [1, 2, 5, 12, 20])
def test_transformers_cuts_the_same_chunks(chunk):
    utils = oracle("transformers.masking_utils")
    theirs = utils.chunked_causal_mask_function(chunk, torch.tensor([0]))
    assert torch.equal(evaluated(theirs), chunked(LENGTH, chunk))


def test_transformers_has_the_same_causal_mask():
    theirs = oracle("transformers.masking_utils").causal_mask_function
    assert torch.equal(evaluated(theirs), causal(LENGTH))


@each("n_prefix", [0, 1, 4, 12])
def test_a_prefix_is_one_block_of_transformers_beside_the_causal_mask(n_prefix):
    utils = oracle("transformers.masking_utils")
    blocks = torch.where(torch.arange(LENGTH) < n_prefix, 0, -1)[None]  # -1: in no block
    theirs = utils.or_masks(utils.causal_mask_function, utils.blockwise_overlay(blocks))
    assert torch.equal(evaluated(theirs), prefix(LENGTH, n_prefix))


WIDTH, HEADS, SIZE = 32, 2, 4  # SIZE: tokens of a window, of a chunk, of a step
N_LAYERS = 7
SIZES = {"hidden_size": WIDTH, "num_attention_heads": HEADS, "num_hidden_layers": N_LAYERS, "intermediate_size": 8}
GROUPED = {"num_key_value_heads": HEADS, "head_dim": WIDTH // HEADS, "vocab_size": 8, "pad_token_id": None}
POSITIONS = torch.arange(LENGTH)
ONE = [torch.float64, torch.float32]  # theirs turn in float32 all the same: 1e-6 of numbers near 1


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


LLAMA4 = {"attention_chunk_size": SIZE, "floor_scale": SIZE, "attn_scale": 0.5, "use_qk_norm": False}
COHERE2 = {"num_key_value_heads": HEADS, "vocab_size": 8, "sliding_window": SIZE, "pad_token_id": None}
MODELS = {  # a model, its classes of attention and of configurations, its settings, our parameters, and some layers
    "gemma3": (
        "gemma3",
        ("Gemma3", "Gemma3Text"),
        {**GROUPED, "sliding_window": SIZE, "query_pre_attn_scalar": WIDTH // HEADS},
        {"window": 1.0, "interval": 6},
        (0, 4, 5, 6),
    ),
    "llama4": (
        "llama4",
        ("Llama4Text", "Llama4Text"),
        {**GROUPED, **LLAMA4},
        {"chunk": 1.0, "floor": 1.0, "strength": 0.5, "interval": 4},
        (0, 2, 3, 6),
    ),
    "rnope_window": ("cohere2", ("Cohere2", "Cohere2"), COHERE2, {"window": 1.0, "interval": 4}, (0, 2, 3)),
}
MASKS = {"full": "causal_", "sliding": "sliding_window_causal_", "chunked": "chunked_causal_"}


@pytest.mark.parametrize("key", MODELS)
@each("dtype", ONE)
@torch.no_grad()
def test_layers_of_transformers(key, dtype):
    name, (prefix, configured), settings, params, layers = MODELS[key]
    model = oracle(f"transformers.models.{name}.modeling_{name}")
    config = getattr(oracle("transformers"), f"{configured}Config")(**SIZES, **settings)
    rotary = getattr(model, f"{prefix}RotaryEmbedding")(config)
    for layer in layers:
        kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(dtype)
        assert (kind == "full_attention") == ((layer + 1) % params["interval"] == 0)
        found, attention = ours(key, layer, x, params)
        turn = rotary(x, POSITIONS[None], *([kind] if key == "gemma3" else []))  # bases of its own for each kind
        mask = mask_of(config, MASKS[kind.removesuffix("_attention")], x)
        theirs = with_weights(getattr(model, f"{prefix}Attention")(config, layer), attention)
        assert_close(found, theirs(x, turn, mask)[0], atol=2e-6, rtol=0)


@each("dtype", ONE)
@each("layer", [0, 1, 2, 3])
@torch.no_grad()
def test_modernbert_of_transformers_where_it_looks_back(layer, dtype):
    """Theirs looks SIZE - 1 tokens to both sides; of both masks what lies ahead is taken away."""
    model = oracle("transformers.models.modernbert.modeling_modernbert")
    config = oracle("transformers").ModernBertConfig(**SIZES, vocab_size=8, local_attention=2 * (SIZE - 1))
    kind, x = config.layer_types[layer], normal(layer, 1, LENGTH, WIDTH).to(dtype)
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


@each("interval", [2, 4, 5])
@each("name", ["Llama4TextConfig", "SmolLM3Config"])
def test_transformers_turns_the_same_layers(name, interval):
    """Its list is named `no_rope_layers` and has a 1 where RoPE is used."""
    config = getattr(oracle("transformers"), name)(num_hidden_layers=11, no_rope_layer_interval=interval)
    rope = Rotary(frequencies(4), layout="half")
    found = [on_some(rope, interval).at_layer(layer) is rope for layer in range(11)]
    assert found == [bool(used) for used in config.no_rope_layers]
