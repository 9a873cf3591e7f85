"""Seeded random vectors, float64: token embeddings, queries and keys of two heads."""

import pytest

from tests.strategies import normal


@pytest.fixture
def x():
    return normal(1, 2, 5, 8)  # (B, T, D)


@pytest.fixture
def q():
    return normal(2, 2, 2, 5, 4)  # (B, H, T, d)


@pytest.fixture
def k():
    return normal(3, 2, 2, 5, 4)
