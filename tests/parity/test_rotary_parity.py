"""What turns queries and keys by the position: RoPE, a share of it, with a decay, and PoPE."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import pope, xpos
from pe_core.encodings.partial_rope import rotate_first, spread, truncated
from pe_core.encodings.rotary import frequencies, rotate
from pe_core.encodings.sinusoidal import angles
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
