"""Sinusoids and RoPE taken apart, against golden numbers and formulas written out."""

import cmath
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary, sinusoidal
from pe_core.encodings.sinusoidal import VARIANTS
from pe_core.measures import channels, rotation, similarity
from pe_core.measures.rotation import decay_bound, first_negative, interpolated, partial_sums
from tests.cases import each
from tests.strategies import F64, bases, even_widths, normal, offsets, seeds


def test_a_quarter_turn_by_hand():
    x, frequencies = torch.tensor([1.0, 2.0], dtype=F64), torch.tensor([math.pi / 2], dtype=F64)
    for form in (rotation.real_form, rotation.complex_form):
        assert_close(form(x, 1, frequencies), torch.tensor([-2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)
    expected = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=F64)
    assert_close(rotation.matrix(1, frequencies), expected, atol=1e-15, rtol=0)
    assert rotation.score(x, x, 1, 0, frequencies) == pytest.approx(0, abs=1e-15)  # at a right angle to itself
    assert_close(rotation.without_minus(x, 1, frequencies), torch.tensor([2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)


@given(seeds, even_widths, offsets)
def test_the_three_forms_are_the_one_that_models_use_in_either_layout(seed, width, position):
    x, frequencies, positions = normal(seed, width), rotary.frequencies(width), torch.tensor([position])
    expected, order = rotary.rotate(x[None], positions, frequencies)[0], rotation.half_order(width)
    half = rotary.rotate(x[None, order], positions, frequencies, layout="half")[0]
    assert_close(half, expected[order], atol=1e-11, rtol=0)
    assert_close(rotation.real_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.complex_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.matrix(position, frequencies) @ x, expected, atol=1e-11, rtol=0)


@given(seeds, even_widths, offsets, offsets)
def test_pairs_add_up_to_the_score_at_that_distance(seed, width, query, key):
    (q, k), frequencies = normal(seed, 2, width), rotary.frequencies(width)
    expected = rotation.score(q, k, query, key, frequencies)
    distance = torch.tensor([query - key])
    assert float(rotation.pair_scores(q, k, query - key, frequencies).sum()) == pytest.approx(expected, abs=1e-10)
    assert float(rotation.scores(q, k, distance, frequencies)[0]) == pytest.approx(expected, abs=1e-10)
    assert rotation.score(q, k, query + 77, key + 77, frequencies) == pytest.approx(expected, abs=1e-10)


def test_a_pair_meets_as_much_of_a_turn_as_training_is_long():
    frequencies = torch.tensor([1.0, 2 * math.pi / 100], dtype=F64)
    assert_close(rotation.turned_through(frequencies, 63), torch.tensor([1.0, 0.63], dtype=F64))
    assert rotation.turned_through(frequencies, 0).tolist() == [0, 0]


@each(("head_dim", "expected"), [(16, [16, 46, 91, 405]), (128, [59, 171, 1707, 18_438])])
def test_the_first_negative_sum(head_dim, expected):
    assert [first_negative(rotary.frequencies(head_dim, base)) for base in (1e2, 5e2, 1e4, 5e5)] == expected


@given(even_widths, bases)
def test_the_first_negative_sum_is_negative_and_all_before_are_not(head_dim, base):
    def total(distance):
        return sum(math.cos(distance * base ** (-2 * i / head_dim)) for i in range(head_dim // 2))

    found = first_negative(rotary.frequencies(head_dim, base), farthest=200)
    assert all(total(distance) >= -1e-9 for distance in range(201 if found is None else found))
    assert found is None or total(found) < 1e-9


@given(even_widths, bases, st.lists(st.integers(-5000, 5000), min_size=1, max_size=5))
def test_partial_sums_equal_the_definition(head_dim, base, distances):
    pairs = range(head_dim // 2)
    hands = [[cmath.exp(1j * m * base ** (-2 * i / head_dim)) for i in pairs] for m in distances]
    expected = [[abs(sum(hand[: j + 1])) for j in pairs] for hand in hands]
    found = partial_sums(torch.tensor(distances), rotary.frequencies(head_dim, base))
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


def test_the_decay_bound_by_hand():
    """Two pairs of content 1 and 1/2, half a turn apart at distance 1: |1 - 1/2| * 1 + 1/2 * |1 - 1|."""
    q, k = torch.tensor([1.0, 0, 1, 0], dtype=F64), torch.tensor([1.0, 0, 0.5, 0], dtype=F64)
    frequencies = torch.tensor([0.0, math.pi], dtype=F64)
    found = decay_bound(q, k, torch.tensor([0, 1]), frequencies)
    assert_close(found, torch.tensor([1.5, 0.5], dtype=F64), rtol=0, atol=1e-12)
    assert_close(rotation.scores(q, k, torch.tensor([0, 1]), frequencies), found, rtol=0, atol=1e-12)


@given(seeds, even_widths, bases, st.lists(st.integers(-5000, 5000), min_size=1, max_size=5), st.booleans())
def test_the_decay_bound_is_a_theorem(seed, width, base, distances, equal):
    q, k = normal(seed, 2, width)
    k = q if equal else k
    frequencies, places = rotary.frequencies(width, base), torch.tensor(distances)
    bound = decay_bound(q, k, places, frequencies)
    assert bool((rotation.scores(q, k, places, frequencies).abs() <= bound + 1e-9).all())
    pairs = [complex(*q[i : i + 2].tolist()) * complex(*k[i : i + 2].tolist()).conjugate() for i in range(0, width, 2)]
    steps = [abs(here - after) for here, after in zip(pairs, [*pairs[1:], 0], strict=True)]
    for distance, found in zip(distances, bound.tolist(), strict=True):
        hands = [cmath.exp(1j * distance * base ** (-i / width)) for i in range(0, width, 2)]
        by_parts = sum(step * abs(sum(hands[: j + 1])) for j, step in enumerate(steps))
        assert found == pytest.approx(min(by_parts, sum(map(abs, pairs))), abs=1e-9)
        looser = max(steps) * sum(abs(sum(hands[: j + 1])) for j in range(len(hands)))  # equation 37, to its end
        assert found <= looser + 1e-9


@each("farthest", [4095, 4096, 4097])
def test_a_distance_of_any_block_is_found(farthest):
    """A single pair turns negative a little past a quarter of its wavelength."""
    frequencies = torch.tensor([math.pi / 2 / (farthest - 0.5)], dtype=torch.float64)
    assert first_negative(frequencies, farthest=farthest) == farthest
    assert first_negative(frequencies, farthest=farthest - 1) is None


@given(st.lists(st.tuples(st.floats(1e-6, 1), st.floats(0, 1)), min_size=1, max_size=6), st.floats(1.01, 1000))
def test_shares_are_read_back_from_a_blend(pairs, scale):
    before, shares = torch.tensor(pairs, dtype=F64).T
    after = (1 - shares) * before + shares * before / scale
    assert_close(interpolated(before, after, scale), shares, rtol=0, atol=1e-12)


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
        assert (similarity.neighbour_spread(table) > 1e-3) == (similarity.direction_gap(table) > 1e-3) == found


def test_the_first_channels_are_sines_of_a_fast_a_middle_and_a_slow_pair():
    assert channels.first_channels(64) == [0, 32, 62]
    assert channels.first_channels(64, variant="concatenated") == [0, 16, 31]
    assert channels.first_channels(2) == [0]
    assert channels.first_channels(1, variant="tensor2tensor") == [0]


def test_a_column_of_zeros_has_no_wavelength():
    column = channels.channel(6, 7, 10_000.0, variant="tensor2tensor")
    assert (column.wave, column.frequency, column.wavelength) == ("zero", 0.0, math.inf)
    assert column.values(torch.arange(3)).tolist() == [0, 0, 0]
