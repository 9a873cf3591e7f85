import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.rotary import frequencies
from pe_core.encodings.xpos import rotate
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

LENGTHS = [1, 24, 257]


def scores(q, k):
    """What a causal model sees of the turned and scaled vectors, (B, H, T, T)."""
    return (q @ k.mT).tril().double()


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("gamma", [512, 64])
@each("length", LENGTHS)
def test_x_transformers_has_the_same_scores(length, gamma):
    library = oracle("x_transformers.x_transformers")
    q, k = normal(1, 2, 2, 3, length, 16)
    theirs = library.RotaryEmbedding(16, use_xpos=True, scale_base=gamma).double()
    theirs.inv_freq = frequencies(16)  # its own are float32
    angles, scale = theirs.forward_from_seq_len(length)
    expected = scores(
        library.apply_rotary_pos_emb(q, angles, scale), library.apply_rotary_pos_emb(k, angles, scale**-1.0)
    )
    assert_close(scores(*rotate(q, k, torch.arange(length), frequencies(16), gamma=gamma)), expected, atol=1e-5, rtol=0)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_x_transformers_as_it_comes_in_float32():
    library = oracle("x_transformers.x_transformers")
    q, k = normal(2, 2, 2, 3, 24, 16).float()
    angles, scale = library.RotaryEmbedding(16, use_xpos=True).forward_from_seq_len(24)
    expected = scores(
        library.apply_rotary_pos_emb(q, angles, scale), library.apply_rotary_pos_emb(k, angles, scale**-1.0)
    )
    assert_close(scores(*rotate(q, k, torch.arange(24), frequencies(16))), expected, atol=1e-5, rtol=0)


@each("length", LENGTHS)
def test_rotary_embedding_torch_has_the_same_scores(length):
    library = oracle("rotary_embedding_torch")
    q, k = normal(3, 2, 2, 3, length, 16)
    theirs = library.RotaryEmbedding(16, custom_freqs=frequencies(16), use_xpos=True, cache_if_possible=False)
    expected = scores(*theirs.rotate_queries_and_keys(q, k))
    assert_close(scores(*rotate(q, k, torch.arange(length), frequencies(16))), expected, atol=1e-5, rtol=0)
