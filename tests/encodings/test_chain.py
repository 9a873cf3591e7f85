import torch
from torch.testing import assert_close

from pe_core.encodings import Chain, PositionalEncoding
from pe_core.encodings.alibi import Alibi, bias
from pe_core.encodings.index import Index
from pe_core.encodings.learned import Learned
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.encodings.sinusoidal import Sinusoidal
from tests.strategies import initialised

F64 = torch.float64
POSITIONS = torch.arange(5)


def rope(base=10_000.0, layout="interleaved"):
    return Rotary(frequencies(4, base), layout=layout)


def sinusoid():
    return Sinusoidal(base=10_000.0, variant="paper")


def learned(seed):
    return initialised(Learned(8, 5, std=1.0).double(), seed)


def test_embeddings_are_passed_on_in_order(x):
    table = learned(1)
    forth, back = Chain(sinusoid(), table), Chain(table, sinusoid())
    assert_close(forth.embed(x, POSITIONS), table.embed(sinusoid().embed(x, POSITIONS), POSITIONS))
    assert_close(back.embed(x, POSITIONS), sinusoid().embed(table.embed(x, POSITIONS), POSITIONS))


def test_two_biases_are_added_up(q, k):
    both = Chain(Alibi(2, causal=True), Alibi(2, causal=False)).bias(q, k, POSITIONS)
    expected = bias(POSITIONS, 2, dtype=F64) + bias(POSITIONS, 2, causal=False, dtype=F64)
    assert torch.equal(both, expected)


def test_rotations_are_applied_in_order(q, k):
    forth = Chain(rope(layout="interleaved"), rope(layout="half")).rotate(q, k, POSITIONS)
    by_hand = rope(layout="half").rotate(*rope(layout="interleaved").rotate(q, k, POSITIONS), POSITIONS)
    back = Chain(rope(layout="half"), rope(layout="interleaved")).rotate(q, k, POSITIONS)
    assert_close(forth, by_hand)
    assert not torch.allclose(forth[0], back[0])  # turns in overlapping planes do not commute


def test_each_hook_gets_its_own_encoding(x, q, k):
    encoding = Chain(sinusoid(), rope(), Alibi(2, causal=True))
    assert_close(encoding.embed(x, POSITIONS), sinusoid().embed(x, POSITIONS))
    assert_close(encoding.rotate(q, k, POSITIONS), rope().rotate(q, k, POSITIONS))
    assert_close(encoding.bias(q, k, POSITIONS), bias(POSITIONS, 2, dtype=F64))


def test_a_chain_of_nothing_is_no_encoding(x, q, k):
    for empty in (Chain(), Chain(PositionalEncoding()), Chain(Chain(), PositionalEncoding())):
        assert torch.equal(empty.embed(x, POSITIONS), x)
        assert all(torch.equal(a, b) for a, b in zip(empty.rotate(q, k, POSITIONS), (q, k), strict=True))
        assert empty.bias(q, k, POSITIONS) is None


def test_parameters_are_drawn_one_after_the_other_and_saved():
    def chain(seed):
        return initialised(Chain(Index(4, normalise=False), rope(), Learned(4, 6, std=0.5)), seed)

    one, same, other = chain(1), chain(1), chain(2)
    assert list(one.state_dict()) == ["encodings.0.direction", "encodings.2.table"]
    for name, value in one.state_dict().items():
        assert torch.equal(value, same.state_dict()[name])
        assert not torch.allclose(value, other.state_dict()[name])
    generator = torch.Generator().manual_seed(1)
    for alone in (Index(4, normalise=False), Learned(4, 6, std=0.5)):
        alone.reset_parameters(generator)
        assert any(torch.equal(value, kept) for value in alone.parameters() for kept in one.parameters())
    other.load_state_dict(one.state_dict())
    assert torch.equal(other.encodings[2].table, one.encodings[2].table)
