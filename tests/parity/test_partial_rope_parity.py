import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.partial_rope import rotate_first, spread, truncated
from pe_core.encodings.rotary import frequencies, rotate
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

POSITIONS = torch.arange(24)
SHARES = [0.25, 0.5, 0.7, 1.0]


@pytest.fixture
def q():
    return normal(1, 2, 3, 24, 16)  # (B, H, T, d)


def config_of(share, rope_type="default"):
    return oracle("transformers").GPTNeoXConfig(
        hidden_size=48,
        num_attention_heads=3,
        max_position_embeddings=64,
        rope_parameters={"rope_type": rope_type, "rope_theta": 10_000.0, "partial_rotary_factor": share},
    )


@each("share", [0.25, 0.5, 0.75, 1.0])
def test_gpt_neox_turns_the_first_channels_in_halves(q, share):
    neox = oracle("transformers.models.gpt_neox.modeling_gpt_neox")
    rotary = neox.GPTNeoXRotaryEmbedding(config_of(share))
    assert_close(rotary.inv_freq.double(), spread(16, share), atol=1e-6, rtol=0)
    turned, _ = neox.apply_rotary_pos_emb(q.float(), q.float(), *rotary(q.float(), POSITIONS[None]))
    ours = rotate_first(q.float(), POSITIONS, spread(16, share), layout="half")
    assert_close(turned, ours, atol=1e-5, rtol=0)


@each("share", SHARES)
def test_rotary_embedding_torch_turns_the_first_channels_interleaved(q, share):
    library, omega = oracle("rotary_embedding_torch"), spread(16, share)
    theirs = library.RotaryEmbedding(dim=2 * len(omega), custom_freqs=omega, cache_if_possible=False)
    turned = library.apply_rotary_emb(theirs(POSITIONS.double()), q)
    assert_close(turned, rotate_first(q, POSITIONS, omega), atol=1e-12, rtol=0)


@each("share", [0.0, *SHARES])
def test_proportional_rope_of_transformers_is_p_rope(q, share):
    utils = oracle("transformers.modeling_rope_utils")
    theirs, temperature = utils.ROPE_INIT_FUNCTIONS["proportional"](config_of(share, "proportional"), "cpu")
    ours = truncated(frequencies(16), share)
    assert temperature == 1
    assert_close(theirs.double(), ours, atol=1e-6, rtol=0)
    assert_close(rotate(q, POSITIONS, theirs), rotate(q, POSITIONS, ours), atol=1e-5, rtol=0)
