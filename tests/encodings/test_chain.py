import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import Chain, PositionalEncoding
from pe_core.encodings.alibi import Alibi, bias
from pe_core.encodings.index import Index
from pe_core.encodings.learned import Learned
from pe_core.encodings.rotary import Rotary, frequencies
from pe_core.encodings.sinusoidal import Sinusoidal
from tests.strategies import normal, offsets, seeds

F64 = torch.float64
POSITIONS = torch.arange(5)


def rope(base=10_000.0, layout="interleaved"):
    return Rotary(frequencies(4, base), layout=layout)


def sinusoid():
    return Sinusoidal(base=10_000.0, variant="paper")


def learned(seed):
    encoding = Learned(8, 5, std=1.0).double()
    encoding.reset_parameters(torch.Generator().manual_seed(seed))
    return encoding


def test_two_tables_are_added_up(x):
    one, other = learned(1), learned(2)
    assert_close(Chain(one, other).embed(x, POSITIONS), x + one.table + other.table)


def test_embeddings_are_passed_on_in_order(x):
    table = learned(1)
    forth, back = Chain(sinusoid(), table), Chain(table, sinusoid())
    assert_close(forth.embed(x, POSITIONS), table.embed(sinusoid().embed(x, POSITIONS), POSITIONS))
    assert_close(back.embed(x, POSITIONS), sinusoid().embed(table.embed(x, POSITIONS), POSITIONS))


def test_two_biases_are_added_up(q, k):
    both = Chain(Alibi(2, causal=True), Alibi(2, causal=False)).bias(q, k, POSITIONS)
    expected = bias(POSITIONS, 2, dtype=F64) + bias(POSITIONS, 2, causal=False, dtype=F64)
    assert torch.equal(both, expected)


@given(seeds, st.lists(offsets, min_size=5, max_size=5))
def test_two_rotations_are_one_by_twice_the_angle(seed, positions):
    q, k = normal(seed, 2, 1, 2, 5, 4)
    twice = Chain(rope(), rope()).rotate(q, k, torch.tensor(positions))
    once = Rotary(2 * frequencies(4), layout="interleaved").rotate(q, k, torch.tensor(positions))
    assert_close(twice, once, atol=1e-10, rtol=0)


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


def test_a_chain_in_a_chain_is_one_long_chain(x, q, k):
    nested = Chain(sinusoid(), Chain(rope(), Alibi(2, causal=True)))
    flat = Chain(sinusoid(), rope(), Alibi(2, causal=True))
    assert torch.equal(nested.embed(x, POSITIONS), flat.embed(x, POSITIONS))
    assert_close(nested.rotate(q, k, POSITIONS), flat.rotate(q, k, POSITIONS))
    assert torch.equal(nested.bias(q, k, POSITIONS), flat.bias(q, k, POSITIONS))


def test_parameters_are_drawn_one_after_the_other_and_saved():
    def chain(seed):
        encoding = Chain(Index(4, normalise=False), rope(), Learned(4, 6, std=0.5))
        encoding.reset_parameters(torch.Generator().manual_seed(seed))
        return encoding

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


def test_every_parameter_of_a_chain_is_trained(x):
    encoding = Chain(Index(8, normalise=False), Learned(8, 5, std=0.5)).double()
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    encoding.embed(x, POSITIONS).square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoding.parameters())
