import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.encodings import rotary
from pe_core.measures import rotation
from tests.strategies import checked, even_widths, normal, offsets, seeds

F64 = torch.float64


def test_a_quarter_turn_by_hand():
    x, frequencies = torch.tensor([1.0, 2.0], dtype=F64), torch.tensor([math.pi / 2], dtype=F64)
    for form in (rotation.real_form, rotation.complex_form):
        assert_close(form(x, 1, frequencies), torch.tensor([-2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)
    expected = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=F64)
    assert_close(rotation.matrix(1, frequencies), expected, atol=1e-15, rtol=0)
    assert rotation.score(x, x, 1, 0, frequencies) == pytest.approx(0, abs=1e-15)  # at a right angle to itself
    assert_close(rotation.without_minus(x, 1, frequencies), torch.tensor([2.0, 1.0], dtype=F64), atol=1e-15, rtol=0)


@checked
@given(seeds, even_widths, offsets)
def test_the_three_forms_are_the_one_that_models_use(seed, width, position):
    x, frequencies = normal(seed, width), rotary.frequencies(width)
    expected = rotary.rotate(x[None], torch.tensor([position]), frequencies)[0]
    assert_close(rotation.real_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.complex_form(x, position, frequencies), expected, atol=1e-11, rtol=0)
    assert_close(rotation.matrix(position, frequencies) @ x, expected, atol=1e-11, rtol=0)


@checked
@given(seeds, even_widths, offsets, offsets)
def test_pairs_add_up_to_the_score_at_that_distance(seed, width, query, key):
    (q, k), frequencies = normal(seed, 2, width), rotary.frequencies(width)
    expected = rotation.score(q, k, query, key, frequencies)
    distance = torch.tensor([query - key])
    assert float(rotation.pair_scores(q, k, query - key, frequencies).sum()) == pytest.approx(expected, abs=1e-10)
    assert float(rotation.scores(q, k, distance, frequencies)[0]) == pytest.approx(expected, abs=1e-10)


@checked
@given(seeds, even_widths, offsets, offsets, offsets)
def test_a_shift_of_both_leaves_the_score(seed, width, query, key, shift):
    (q, k), frequencies = normal(seed, 2, width), rotary.frequencies(width)
    found = rotation.shifted(q, k, query, key, shift, frequencies)
    assert found.before == rotation.score(q, k, query, key, frequencies)
    assert found.error == abs(found.after - found.before) < 1e-10


def test_without_the_minus_equal_distances_have_different_scores():
    q, k = normal(3, 2, 8)
    frequencies = rotary.frequencies(8)
    turned = [
        float(rotation.without_minus(q, m, frequencies) @ rotation.without_minus(k, m - 3, frequencies))
        for m in (3, 10, 50, 200)
    ]
    assert max(turned) - min(turned) > 0.1


@checked
@given(seeds, even_widths, offsets)
def test_the_order_of_channels_turns_one_layout_into_the_other(seed, width, position):
    x, order, frequencies = normal(seed, 1, width), rotation.half_order(width), rotary.frequencies(width)
    positions = torch.tensor([position])
    interleaved = rotary.rotate(x, positions, frequencies)
    half = rotary.rotate(x[:, order], positions, frequencies, layout="half")
    assert_close(half, interleaved[:, order], atol=1e-11, rtol=0)


def test_a_pair_meets_as_much_of_a_turn_as_training_is_long():
    frequencies = torch.tensor([1.0, 2 * math.pi / 100], dtype=F64)
    assert_close(rotation.angles_met(frequencies, 64), torch.tensor([1.0, 0.63], dtype=F64))
    assert rotation.angles_met(frequencies, 1).tolist() == [0, 0]


@given(st.integers(0, 20).map(lambda n: 2 * n + 1))
def test_an_odd_width_has_no_order(width):
    with pytest.raises(ValueError, match=f"^{re.escape(f'head_dim must be even, got {width}')}$"):
        rotation.half_order(width)
