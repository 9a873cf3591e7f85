"""A sink and what it leaves, and the ids in a cache: by hand and against loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.measures.sinks import cache, row
from tests.strategies import normal, seeds


def test_one_sink_and_equal_keys_by_hand():
    found = row(math.log(6), torch.zeros(2))
    assert found.with_sink.tolist() == pytest.approx([0.75, 0.125, 0.125], abs=1e-15)
    assert found.without.tolist() == [0, 0.5, 0.5]
    assert found.fraction == pytest.approx(0.75)
    assert found.growth == pytest.approx(4)


@given(seeds, st.integers(1, 20), st.floats(-10, 10))
def test_every_other_weight_grows_by_one_over_what_the_sink_leaves(seed, n, sink):
    found = row(sink, normal(seed, n))
    assert_close(found.without[1:], found.with_sink[1:] / (1 - found.fraction), rtol=1e-9, atol=0)
    assert found.growth == pytest.approx(1 / (1 - found.fraction), rel=1e-9)
    assert found.without[0] == 0
    for weights in (found.with_sink, found.without):
        assert float(weights.sum()) == pytest.approx(1, abs=1e-12)


@given(step=st.integers(0, 60), window=st.integers(1, 12), n_sinks=st.integers(0, 6))
def test_a_cache_filled_step_by_step(step, window, n_sinks):
    held = []
    for place in range(step + 1):
        held.append(place)
        if len(held) > window + n_sinks:
            del held[n_sinks]
    found = cache(step, window, n_sinks)
    assert found.in_text.tolist() == held
    assert found.in_cache.tolist() == list(range(len(held)))
    assert found.text_distances.tolist() == [step - place for place in held]
    assert found.cache_distances.tolist() == list(range(len(held)))[::-1]
