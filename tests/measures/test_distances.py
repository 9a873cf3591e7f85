"""Scores by distance: hand-computed, against a loop, and what is left out."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.measures.distances import by_distance
from tests.strategies import normal


def test_by_hand():
    found = by_distance(torch.tensor([[1.0, -math.inf], [5.0, 3.0]]))
    assert found.distances.tolist() == [0, 1]
    assert found.means.tolist() == [2, 5]
    assert found.lowest.tolist() == [1, 5]
    assert found.highest.tolist() == [3, 5]
    assert found.spread == 2


@given(length=st.integers(1, 9), seed=st.integers(0, 99))
def test_against_a_loop(length, seed):
    scores = normal(seed, length, length)
    scores[normal(seed + 1, length, length) < -1] = -math.inf
    scores[0, 0] = 0.5
    values = {}
    for query in range(length):
        for key in range(length):
            if math.isfinite(scores[query, key]):
                values.setdefault(query - key, []).append(float(scores[query, key]))
    found = by_distance(scores)
    assert found.distances.tolist() == sorted(values)
    for place, distance in enumerate(found.distances.tolist()):
        own = values[distance]
        assert found.means[place] == pytest.approx(sum(own) / len(own), abs=1e-14)
        assert (found.lowest[place], found.highest[place]) == (min(own), max(own))
    assert found.spread == max(max(own) - min(own) for own in values.values())
