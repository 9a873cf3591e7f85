"""What turns queries and keys by the position: RoPE, a share of it, with a decay, decoupled, and PoPE."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from pe_core.encodings import Chain, pope, xpos
from pe_core.encodings.decoupled_rope import DecoupledRotary
from pe_core.encodings.partial_rope import rotate_first, spread, truncated
from pe_core.encodings.rotary import frequencies, rotate
from pe_core.encodings.sinusoidal import angles
from pe_core.encodings.temperature import Temperature
from pe_core.lab.experiment.model import Attention
from pe_core.rope_scaling.yarn import attention_factor, softmax_scale
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # x_transformers
FAR = torch.tensor([0, 1, 2, 500, 4095, 131_071])
NEAR = torch.arange(6)
each_base = each("base", [10_000.0, 500_000.0])


@pytest.fixture
def q():
    return normal(1, 2, 3, 6, 16)  # (B, H, T, d)


@each_base
def test_rope_of_rotary_embedding_torch_turns_interleaved_pairs_alike(q, base):
    library, omega = oracle("rotary_embedding_torch"), frequencies(16, base)
    # Its own frequencies are float32; with ours, in float64, what is compared is the turn, at any distance.
    theirs = library.RotaryEmbedding(dim=16, custom_freqs=omega, cache_if_possible=False)
    assert_close(library.apply_rotary_emb(theirs(FAR.double()), q), rotate(q, FAR, omega), atol=1e-6, rtol=0)
    theirs = library.RotaryEmbedding(dim=16, theta=base)  # as it comes, at the first positions
    assert_close(theirs.freqs.detach().double(), omega, atol=1e-6, rtol=0)
    turned = theirs.rotate_queries_or_keys(q.float())
    assert_close(turned, rotate(q.float(), NEAR, omega), atol=1e-6, rtol=0)


@each_base
def test_rope_of_llama_turns_halves_alike(q, base):
    llama, omega, k = oracle("transformers.models.llama.modeling_llama"), frequencies(16, base), normal(2, 2, 3, 6, 16)
    angle = angles(FAR, omega).repeat(1, 2)[None]  # (1, T, d)
    for x, turned in zip((q, k), llama.apply_rotary_pos_emb(q, k, angle.cos(), angle.sin()), strict=True):
        assert_close(turned, rotate(x, FAR, omega, layout="half"), atol=1e-6, rtol=0)
    rope = {"rope_type": "default", "rope_theta": base}
    sizes = {"hidden_size": 48, "num_attention_heads": 3, "head_dim": 16}
    theirs = llama.LlamaRotaryEmbedding(oracle("transformers").LlamaConfig(**sizes, rope_parameters=rope))
    assert_close(theirs.inv_freq.double(), omega, atol=1e-6, rtol=0)
    as_it_comes = llama.apply_rotary_pos_emb(q.float(), k.float(), *theirs(q.float(), NEAR[None]))
    for x, turned in zip((q, k), as_it_comes, strict=True):
        assert_close(turned, rotate(x.float(), NEAR, omega, layout="half"), atol=1e-6, rtol=0)


def config_of(share, rope_type="default"):
    rope = {"rope_type": rope_type, "rope_theta": 10_000.0, "partial_rotary_factor": share}
    sizes = {"hidden_size": 48, "num_attention_heads": 3, "max_position_embeddings": 64}
    return oracle("transformers").GPTNeoXConfig(**sizes, rope_parameters=rope)


@each("share", [0.25, 0.5, 0.75, 1.0])
def test_partial_rope_of_gpt_neox_turns_the_first_channels_in_halves(q, share):
    neox = oracle("transformers.models.gpt_neox.modeling_gpt_neox")
    rotary = neox.GPTNeoXRotaryEmbedding(config_of(share))
    assert_close(rotary.inv_freq.double(), spread(16, share), atol=1e-6, rtol=0)
    turned, _ = neox.apply_rotary_pos_emb(q.float(), q.float(), *rotary(q.float(), NEAR[None]))
    assert_close(turned, rotate_first(q.float(), NEAR, spread(16, share), layout="half"), atol=1e-5, rtol=0)


@each("share", [0.25, 0.5, 0.7, 1.0])
def test_partial_rope_of_rotary_embedding_torch_turns_the_first_channels_interleaved(q, share):
    library, omega = oracle("rotary_embedding_torch"), spread(16, share)
    theirs = library.RotaryEmbedding(dim=2 * len(omega), custom_freqs=omega, cache_if_possible=False)
    assert_close(library.apply_rotary_emb(theirs(NEAR.double()), q), rotate_first(q, NEAR, omega), atol=1e-12, rtol=0)


@each("share", [0.0, 0.25, 0.5, 0.7, 1.0])
def test_proportional_rope_of_transformers_is_p_rope(q, share):
    utils = oracle("transformers.modeling_rope_utils")
    theirs, temperature = utils.ROPE_INIT_FUNCTIONS["proportional"](config_of(share, "proportional"), "cpu")
    ours = truncated(frequencies(16), share)
    assert temperature == 1
    assert_close(theirs.double(), ours, atol=1e-6, rtol=0)
    assert_close(rotate(q, NEAR, theirs), rotate(q, NEAR, ours), atol=1e-5, rtol=0)


def seen(q, k):
    """What a causal model sees of the turned and scaled vectors, (B, H, T, T)."""
    return (q @ k.mT).tril().double()


@each("gamma", [512, 64])
@each(("dtype", "length"), [*((torch.float64, length) for length in (1, 24, 257)), (torch.float32, 24)])
def test_xpos_of_x_transformers_has_the_same_scores(length, gamma, dtype):
    """With our frequencies, for its own are float32, or in float32 as it comes."""
    library, (q, k) = oracle("x_transformers.x_transformers"), normal(1, 2, 2, 3, length, 16).to(dtype)
    theirs = library.RotaryEmbedding(16, use_xpos=True, scale_base=gamma).to(dtype)
    if dtype == torch.float64:
        theirs.inv_freq = frequencies(16)
    angle, scale = theirs.forward_from_seq_len(length)
    expected = (library.apply_rotary_pos_emb(x, angle, one) for x, one in ((q, scale), (k, scale**-1.0)))
    ours = xpos.rotate(q, k, torch.arange(length), frequencies(16), gamma=gamma)
    assert_close(seen(*ours), seen(*expected), atol=1e-5, rtol=0)


@each("length", [1, 24, 257])
def test_xpos_of_rotary_embedding_torch_has_the_same_scores(length):
    library, (q, k) = oracle("rotary_embedding_torch"), normal(3, 2, 2, 3, length, 16)
    theirs = library.RotaryEmbedding(16, custom_freqs=frequencies(16), use_xpos=True, cache_if_possible=False)
    ours = xpos.rotate(q, k, torch.arange(length), frequencies(16))
    assert_close(seen(*ours), seen(*theirs.rotate_queries_and_keys(q, k)), atol=1e-5, rtol=0)


@each(("first", "near"), [(0, 1e-5), (5000, 3e-3)])  # an angle of 5,000 radians in float32
@torch.no_grad()
def test_pope_of_x_transformers_has_the_same_queries_and_keys_but_for_the_scale(first, near):
    """It computes in float32, whatever it is given; its phases are bounded alike, here some lie outside."""
    library, positions = oracle("x_transformers.x_transformers"), first + torch.arange(24)
    theirs, ours = library.PolarEmbedding(8, 3), pope.Polar(3, pope.frequencies(8))
    phases = 3 * normal(1, 3, 8).float()
    theirs.learned_bias.copy_(phases[:, None])
    ours.phases.copy_(phases)
    angle, bias = theirs(positions)
    q, k = normal(2, 2, 2, 3, 24, 8).float()
    expected = (library.apply_polar_pos_emb(q, angle), library.apply_polar_pos_emb(k, angle + bias))
    turned_q, turned_k = ours.rotate(q, k, positions)
    assert_close(turned_q / math.sqrt(2), expected[0], atol=near, rtol=0)
    assert_close(turned_k, expected[1], atol=near, rtol=0)
    double = ours.double().rotate(q.double(), k.double(), positions)
    assert_close(double[1].float(), expected[1], atol=near, rtol=0)


WIDTH, HEADS, CONTENT, TURNED, LENGTH = 24, 3, 8, 4, 9
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 40.0, "original_max_position_embeddings": 16}


def deepseek(rope):
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
    config = deepseek(plain if mscale is None else {**YARN, "mscale": mscale, "mscale_all_dim": mscale})
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
    config = deepseek({**YARN, "mscale": mscale, "mscale_all_dim": all_dim})
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
