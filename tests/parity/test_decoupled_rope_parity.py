"""DeepSeek's attention in transformers, with a compression that loses nothing, against ours with a turned part."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from pe_core.encodings import Chain
from pe_core.encodings.decoupled_rope import DecoupledRotary
from pe_core.encodings.temperature import Temperature
from pe_core.lab.experiment.model import Attention
from pe_core.rope_scaling.yarn import attention_factor, softmax_scale
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

WIDTH, HEADS, CONTENT, TURNED, LENGTH = 24, 3, 8, 4, 9
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 40.0, "original_max_position_embeddings": 16}


def config_of(rope):
    return oracle("transformers").DeepseekV3Config(
        hidden_size=WIDTH,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        num_hidden_layers=1,
        q_lora_rank=None,
        kv_lora_rank=WIDTH,
        qk_nope_head_dim=CONTENT,
        qk_rope_head_dim=TURNED,
        v_head_dim=CONTENT,
        max_position_embeddings=640,
        rope_parameters=rope,
        attn_implementation="eager",
    )


def with_weights(theirs, attention, encoding):
    """Their module with our weights: the compressed keys and values are the input itself, without a norm."""
    q, k, v = (part.view(HEADS, CONTENT, WIDTH) for part in attention.qkv.weight.chunk(3))
    turned_q = encoding.to_q.view(HEADS, TURNED, WIDTH)
    theirs.q_proj.weight = nn.Parameter(torch.cat([q, turned_q], dim=1).flatten(0, 1))
    theirs.kv_a_proj_with_mqa.weight = nn.Parameter(torch.cat([torch.eye(WIDTH).to(q), encoding.to_k]))
    theirs.kv_a_layernorm = nn.Identity()
    theirs.kv_b_proj.weight = nn.Parameter(torch.cat([k, v], dim=1).flatten(0, 1))
    theirs.o_proj.weight = attention.out.weight
    return theirs.to(q.dtype).eval()


@each("dtype", [torch.float64, torch.float32])
@each("mscale", [None, 0.0, 0.707, 1.0])
@torch.no_grad()
def test_deepseek_v3_of_transformers(mscale, dtype):
    """Plain RoPE, and YaRN of factor 40 with equal mscales; theirs takes 0 for absent, and turns by M(s, 1) then."""
    model = oracle("transformers.models.deepseek_v3.modeling_deepseek_v3")
    plain = {"rope_type": "default", "rope_theta": 1e4}
    config = config_of(plain if mscale is None else {**YARN, "mscale": mscale, "mscale_all_dim": mscale})
    rotary = model.DeepseekV3RotaryEmbedding(config)
    # Their frequencies, which are float32, and with them their YaRN: what is compared here is all the rest.
    encoding = DecoupledRotary(rotary.inv_freq.double(), d_model=WIDTH, n_heads=HEADS, layout="interleaved")
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    attention, x = Attention(WIDTH, HEADS).to(dtype), normal(3, 1, LENGTH, WIDTH).to(dtype)
    attention.qkv.weight.copy_(normal(1, 3 * WIDTH, WIDTH) / WIDTH**0.5)
    attention.out.weight.copy_(normal(2, WIDTH, WIDTH) / WIDTH**0.5)
    positions = torch.arange(LENGTH)
    cosine, sine = (part / rotary.attention_scaling for part in rotary(x.double(), positions[None]))
    ahead = torch.full((1, 1, LENGTH, LENGTH), -torch.inf, dtype=dtype).triu(1)
    theirs = with_weights(model.DeepseekV3Attention(config, 0), attention, encoding.to(dtype))
    factor = 1.0 if mscale is None else softmax_scale(40, mscale)
    both = Chain(encoding, Temperature(lambda told: torch.full((len(told),), factor, dtype=torch.float64)))
    expected = theirs(x, (cosine.to(dtype), sine.to(dtype)), ahead)[0]
    assert_close(attention(x, positions, None, both), expected, atol=2e-6, rtol=0)
    assert rotary.attention_scaling == pytest.approx(attention_factor(40) if mscale == 0 else 1)


@each(("mscale", "all_dim"), [(1.0, 0.707), (0.707, 1.0), (0.5, 0.5)])
def test_the_factors_of_transformers(mscale, all_dim):
    model = oracle("transformers.models.deepseek_v3.modeling_deepseek_v3")
    config = config_of({**YARN, "mscale": mscale, "mscale_all_dim": all_dim})
    _, theirs = oracle("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS["yarn"](config, None)
    assert theirs == pytest.approx(attention_factor(40, mscale=mscale, mscale_all_dim=all_dim), rel=1e-12)
    assert model.yarn_apply_mscale(config.rope_parameters, 0.25) == pytest.approx(0.25 * softmax_scale(40, all_dim))


@each("dtype", [torch.float64, torch.float32])
@torch.no_grad()
def test_deepseek_turns_interleaved_pairs_alike(dtype):
    """They leave the turned pairs in halves: the same channels in another order, which no score notices."""
    model = oracle("transformers.models.deepseek_v3.modeling_deepseek_v3")
    frequencies = torch.tensor([1.0, 0.01], dtype=torch.float64)
    encoding = DecoupledRotary(frequencies, d_model=WIDTH, n_heads=HEADS, layout="interleaved")
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    x, positions = normal(3, 2, LENGTH, WIDTH).to(dtype), torch.arange(LENGTH) * 500
    still = DecoupledRotary(0 * frequencies, d_model=WIDTH, n_heads=HEADS, layout="interleaved")
    still.load_state_dict(encoding.state_dict())
    q, k = still.to(dtype).turned(x, positions)
    angle = (positions.double()[:, None] * frequencies).repeat(1, 2)[None]
    theirs = model.apply_rotary_pos_emb_interleave(q, k, angle.cos().to(dtype), angle.sin().to(dtype))
    for found, expected in zip(encoding.to(dtype).turned(x, positions), theirs, strict=True):
        in_halves = found.unflatten(-1, (2, 2)).mT.flatten(-2)
        assert_close(in_halves, expected, atol=1e-12 if dtype == torch.float64 else 1e-5, rtol=0)
