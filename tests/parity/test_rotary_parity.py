import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.rotary import frequencies, rotate
from pe_core.encodings.sinusoidal import angles
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

BASES = [10_000.0, 500_000.0]
FAR = torch.tensor([0, 1, 2, 500, 4095, 131_071])


@pytest.fixture
def q():
    return normal(1, 2, 3, 6, 16)  # (B, H, T, d)


@pytest.fixture
def k():
    return normal(2, 2, 3, 6, 16)


@each("base", BASES)
def test_rotary_embedding_torch_turns_interleaved_pairs_alike(q, base):
    library = oracle("rotary_embedding_torch")
    # Its own frequencies are float32; with ours, in float64, what is compared is the turn, at any distance.
    theirs = library.RotaryEmbedding(dim=16, custom_freqs=frequencies(16, base), cache_if_possible=False)
    turned = library.apply_rotary_emb(theirs(FAR.double()), q)
    assert_close(turned, rotate(q, FAR, frequencies(16, base), layout="interleaved"), atol=1e-6, rtol=0)


@each("base", BASES)
def test_rotary_embedding_torch_as_it_comes_at_the_first_positions(q, base):
    theirs = oracle("rotary_embedding_torch").RotaryEmbedding(dim=16, theta=base)
    assert_close(theirs.freqs.detach().double(), frequencies(16, base), atol=1e-6, rtol=0)
    turned = theirs.rotate_queries_or_keys(q.float())
    assert_close(turned, rotate(q.float(), torch.arange(6), frequencies(16, base)), atol=1e-6, rtol=0)


@pytest.fixture
def llama():
    return oracle("transformers.models.llama.modeling_llama")


@each("base", BASES)
def test_llama_of_transformers_turns_halves_alike(llama, q, k, base):
    angle = angles(FAR, frequencies(16, base)).repeat(1, 2)[None]  # (1, T, d)
    their_q, their_k = llama.apply_rotary_pos_emb(q, k, angle.cos(), angle.sin())
    assert_close(their_q, rotate(q, FAR, frequencies(16, base), layout="half"), atol=1e-6, rtol=0)
    assert_close(their_k, rotate(k, FAR, frequencies(16, base), layout="half"), atol=1e-6, rtol=0)


@each("base", BASES)
def test_llama_of_transformers_as_it_comes_at_the_first_positions(llama, q, k, base):
    config = oracle("transformers").LlamaConfig(
        hidden_size=48, num_attention_heads=3, head_dim=16, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    theirs = llama.LlamaRotaryEmbedding(config)
    assert_close(theirs.inv_freq.double(), frequencies(16, base), atol=1e-6, rtol=0)
    turned = llama.apply_rotary_pos_emb(q.float(), k.float(), *theirs(q.float(), torch.arange(6)[None]))
    for their, own in zip(turned, (q, k), strict=True):
        ours = rotate(own.float(), torch.arange(6), frequencies(16, base), layout="half")
        assert_close(their, ours, atol=1e-6, rtol=0)
