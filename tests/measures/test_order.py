import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core import masks
from pe_core.encodings import ENCODINGS, ByLayer, Chain, Masked, PositionalEncoding, Shape
from pe_core.measures import order
from tests.cases import each
from tests.measures.handmade import Reading
from tests.strategies import normal

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
SHAPE = Shape(d_model=order.DIM, n_heads=order.N_HEADS, train_length=16, max_length=16)
orders = st.permutations(range(len(WORDS)))


def built(key):
    encoding = ENCODINGS[key].build(SHAPE)
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    return encoding.double()


def test_equal_words_have_equal_vectors_and_others_do_not():
    vectors = order.word_vectors(WORDS)
    assert torch.equal(vectors[0], vectors[4])
    assert len(torch.unique(vectors, dim=0)) == 5


@given(orders)
@torch.no_grad()
def test_attention_alone_is_blind_to_order(places):
    blind = order.attention(PositionalEncoding())
    assert order.change(blind, order.word_vectors(WORDS), places).max() < 1e-12


@each("reader", [order.attention(PositionalEncoding(), causal=True), order.recurrent])
def test_what_reads_from_left_to_right_changes_but_for_a_first_word_that_stays(reader):
    moved = order.change(reader, order.word_vectors(WORDS), [0, 2, 1, 3, 4, 5])
    assert moved[0] == 0
    assert (moved[[1, 2]] > 1e-3).all()


def test_a_convolution_sees_its_neighbours_only():
    moved = order.change(order.convolution, normal(0, 6, order.DIM), [1, 0, 2, 3, 4, 5])
    assert (moved[[0, 1, 2]] > 1e-3).all()
    assert (moved[3:] == 0).all()


def test_the_recurrent_layer_by_hand():
    x = normal(1, 2, order.DIM)
    first, second = order.recurrent(x)
    assert torch.equal(order.recurrent(x[:1])[0], first)
    assert not torch.equal(order.recurrent(x[1:])[0], second)  # the state carries the first word


def test_the_change_is_measured_in_lengths_of_an_output():
    def twice_the_place(x):
        return x + 2 * torch.arange(len(x), dtype=x.dtype)[:, None]

    x = torch.zeros(2, 1, dtype=torch.float64)
    assert order.change(twice_the_place, x, [1, 0]).tolist() == [2, 2]  # outputs 0 and 2 change places: 2 over mean 1


def test_every_number_is_an_order_0_the_same_and_1_the_reverse():
    for n, number in ((1, 3), (7, 2), (12, 99)):
        found = order.shuffled(n, number)
        assert sorted(found) == list(range(n))
        assert found == order.shuffled(n, number)
    assert order.shuffled(4, 0) == [0, 1, 2, 3]
    assert order.shuffled(4, 1) == [3, 2, 1, 0]


def test_an_attention_is_that_of_the_first_layer_with_its_own_mask():
    x, rope = order.word_vectors(WORDS), built("rope")
    masked = ByLayer(Chain(rope, Masked(masks.causal)), PositionalEncoding())
    assert torch.equal(order.attention(masked)(x), order.attention(rope, causal=True)(x))
    assert not torch.equal(order.attention(ByLayer(rope))(x), order.attention(masked)(x))


def test_an_encoding_reads_the_words_with_what_is_added_to_them():
    reader, x = Reading(), order.word_vectors(WORDS)
    order.attention(Chain(built("learned"), reader))(x)
    assert torch.equal(reader.read[0], built("learned").embed(x[None], torch.arange(len(x))))
