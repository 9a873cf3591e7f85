"""ALiBi in two forms: equal after the softmax, until the key index is rounded; and slopes for any number of heads."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import alibi
from pe_core.measures.bias_forms import PRECISIONS, error, forms, geometric, largest_power, ties
from tests.strategies import checked


def test_by_hand():
    found = forms(3, 0.5, "float64")
    assert found.relative.tolist() == [-1, -0.5, 0]
    assert found.key_index.tolist() == [0, 0.5, 1]


@checked
@given(n_keys=st.integers(1, 300), slope=st.floats(2**-8, 1))
def test_both_forms_give_the_same_weights(n_keys, slope):
    found = forms(n_keys, slope, "float64")
    assert error(found.relative, n_keys, slope) == 0
    assert error(found.key_index, n_keys, slope) < 1e-13


def test_the_relative_form_is_the_last_row_of_alibi():
    row = alibi.bias(torch.arange(20), 8, dtype=torch.float64)[2, -1]
    torch.testing.assert_close(forms(20, 0.125, "float64").relative, row, rtol=0, atol=0)


def test_few_digits_make_neighbours_equal_in_the_key_index_form_only():
    found = forms(4096, 0.5, "bfloat16")
    assert ties(found.relative[-48:]) == 0
    # from 1024 on numbers of bfloat16 are 8 apart, which are 16 keys
    assert sorted(set(found.key_index[-48:].tolist())) == [2024, 2032, 2040, 2048]
    assert ties(found.key_index[-48:]) == 44
    assert error(found.relative, 4096, 0.5) < 1e-16
    assert error(found.key_index, 4096, 0.5) > 0.2


@pytest.mark.parametrize("precision", PRECISIONS)
def test_short_texts_are_safe_in_every_format(precision):
    found = forms(64, 0.5, precision)
    assert ties(found.key_index) == ties(found.relative) == 0
    assert error(found.key_index, 64, 0.5) < 1e-15


@pytest.mark.parametrize(("values", "count"), [([1.0], 0), ([1.0, 1.0, 2.0, 2.0, 2.0], 3)])
def test_ties_are_counted(values, count):
    assert ties(torch.tensor(values)) == count


@given(n_heads=st.integers(1, 200))
def test_the_first_slopes_are_those_of_the_power_of_two(n_heads):
    own = largest_power(n_heads)
    assert own <= n_heads < 2 * own
    torch.testing.assert_close(alibi.slopes(n_heads)[:own], geometric(own), rtol=1e-15, atol=0)


def test_the_geometric_series_is_right_for_powers_of_two_only():
    assert geometric(4).tolist() == [0.25, 0.0625, 0.015625, 0.00390625]
    assert torch.equal(geometric(8), alibi.slopes(8))
    assert not torch.equal(geometric(6), alibi.slopes(6))


def test_errors():
    with pytest.raises(ValueError, match=r"^n_keys must be at least 1, got 0$"):
        forms(0, 1.0, "float64")
    rule = r"^precision must be one of float64, float32, float16, bfloat16, got int8$"
    with pytest.raises(ValueError, match=rule):
        forms(1, 1.0, "int8")
    for count in (geometric, largest_power):
        with pytest.raises(ValueError, match=r"^n_heads must be at least 1, got 0$"):
            count(0)
