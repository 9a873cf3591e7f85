"""Specs that are built beside each other in two threads are those that are built alone."""

import sys
from concurrent.futures import ThreadPoolExecutor

import altair as alt
import pytest

from pe_core.figures.figure import built_once

TRIES = 100


@built_once
def loss(number):
    return alt.Y("y:Q").title(f"Loss {number}").scale(zero=False, nice=True).to_dict()


@built_once
def weight(number):
    return alt.Y("z:Q").title(f"Weight {number}").scale(zero=True).axis(grid=False).to_dict()


@pytest.fixture
def hasty():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
def test_no_spec_has_anything_of_one_that_another_thread_builds():
    alone = [(loss(number), weight(number)) for number in range(TRIES)]
    for build in (loss, weight):
        build.cache_clear()
    with ThreadPoolExecutor(2) as pool:
        built = [(pool.submit(loss, number), pool.submit(weight, number)) for number in range(TRIES)]
    assert [(of_loss.result(), of_weight.result()) for of_loss, of_weight in built] == alone


def test_what_was_built_is_kept():
    weight.cache_clear()
    assert weight(1) is weight(1)
    assert weight(1) is not weight(2)
