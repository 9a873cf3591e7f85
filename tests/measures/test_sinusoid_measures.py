"""Similarity, shifts, channels and layouts of the sinusoid, against loops and independent figures."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS
from pe_core.measures import channels, similarity
from tests.cases import each
from tests.strategies import bases, even_widths


@given(even_widths, bases)
def test_dot_products_are_those_of_the_table_forwards_and_backwards(dim, base):
    table = sinusoidal.table(torch.arange(21), dim, base=base, dtype=torch.float64)
    products = similarity.dot_products(torch.arange(21), similarity.complete_pairs(dim, base))
    torch.testing.assert_close(table @ table[0], products, rtol=0, atol=1e-11)
    assert similarity.direction_gap(table) < 1e-11
    assert similarity.neighbour_spread(table) < 1e-11


@each("offset", [-7, 0, 1, 300])
def test_the_shift_matrix_has_no_error_and_the_common_mistake_has(offset):
    right = similarity.shift_error(sinusoidal.shift_matrix(offset, 64), offset, 64, 10_000)
    wrong = similarity.shift_error(similarity.plain_angle_matrix(offset, 64), offset, 64, 10_000)
    assert right < 1e-11
    assert (wrong > 0.1) == (offset != 0)


@each("dim", [1, 2, 7, 8])
@each("variant", VARIANTS)
def test_every_column_is_the_channel_it_is_said_to_be_and_the_paper_has_each_once(dim, variant):
    positions = torch.arange(9)
    table = sinusoidal.table(positions, dim, base=100.0, variant=variant, dtype=torch.float64)
    columns = channels.channels(dim, 100.0, variant=variant)
    assert columns == [channels.channel(index, dim, 100.0, variant=variant) for index in range(dim)]
    for index, column in enumerate(columns):
        torch.testing.assert_close(column.values(positions), table[:, index], rtol=0, atol=1e-12)
    order = channels.paper_order(dim, variant).tolist()
    assert sorted(order) == list(range(dim))
    found, paper, complete = [columns[index] for index in order], channels.channels(dim, 100.0), dim // 2 * 2
    assert [(c.pair, c.wave) for c in found[:complete]] == [(c.pair, c.wave) for c in paper[:complete]]
    assert [c.wave for c in found[complete:]] == ["zero" if variant == "tensor2tensor" else "sine"] * (dim % 2)


def test_unfinished_pairs_are_those_with_a_longer_wavelength():
    for length in (1, 6, 7, 512):
        by_hand = sum(2 * math.pi * 10_000 ** (2 * i / 64) > length for i in range(32))
        assert channels.unfinished(sinusoidal.frequencies(64), length) == by_hand, length


@given(st.integers(0, 40), st.integers(1, 40))
def test_evenly_chosen_indices_are_in_order_and_hold_both_ends(n_items, n_chosen):
    chosen = channels.evenly(n_items, n_chosen)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(n_items, n_chosen)
    if n_items > 1 < n_chosen:
        assert (chosen[0], chosen[-1]) == (0, n_items - 1)


def test_rises_are_the_distances_that_are_higher_than_one_nearer():
    assert similarity.rises(torch.tensor([5.0, 3.0, 4.0, 4.0, 1.0, 2.0])).tolist() == [2, 5]
    assert similarity.first_rise(sinusoidal.frequencies(2)[:1] * 1e-3) is None  # a wave that falls all the way
    assert similarity.first_rise(similarity.complete_pairs(1, 10_000)) is None  # without a pair
    assert math.isnan(similarity.neighbour_cosine(similarity.complete_pairs(1, 10_000)))


def test_a_sine_without_its_cosine_has_directions_and_spread_but_not_in_short_tables():
    for length, found in ((64, True), (2, False), (1, False)):
        table = sinusoidal.table(torch.arange(length), 3, dtype=torch.float64)
        assert [measure(table) > 1e-3 for measure in (similarity.neighbour_spread, similarity.direction_gap)] == [
            found,
            found,
        ]


def test_the_first_channels_are_sines_of_a_fast_a_middle_and_a_slow_pair():
    assert channels.first_channels(64) == [0, 32, 62]
    assert channels.first_channels(64, variant="concatenated") == [0, 16, 31]
    assert channels.first_channels(2) == [0]
    assert channels.first_channels(1, variant="tensor2tensor") == [0]


def test_a_column_of_zeros_has_no_wavelength():
    column = channels.channel(6, 7, 10_000.0, variant="tensor2tensor")
    assert (column.wave, column.frequency, column.wavelength) == ("zero", 0.0, math.inf)
    assert column.values(torch.arange(3)).tolist() == [0, 0, 0]
