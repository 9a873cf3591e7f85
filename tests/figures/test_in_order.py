"""Rows of lines: those that a pointer finds, those that a straight line does without, and the edges of wide bands."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch import arange, full_like, tensor

from pe_core.figures.curves import across, curves, layered, ranges, series, upwards
from pe_core.figures.looks.in_order import MAX_UNSEEN, edges, told, without_straight
from tests.cases import each

PLAIN = across("Offset"), upwards("Score")


@each(
    ("n", "places"),
    [(1, [0]), (MAX_UNSEEN, range(MAX_UNSEEN)), (MAX_UNSEEN + 1, range(0, MAX_UNSEEN + 1, 2)), (256, range(0, 256, 4))],
)
def test_a_pointer_finds_all_rows_of_a_short_line_and_evenly_spread_ones_of_a_long_one(n, places):
    found = told(pd.Series(["short"] * 3 + ["long"] * n))
    assert found[:3].all()
    assert np.flatnonzero(found[3:]).tolist() == list(places)


def test_no_rows_have_no_dots():
    assert told(pd.Series([], dtype=object)).tolist() == []


def test_corners_ends_and_rows_with_a_dot_stay_of_a_line():
    frame = series(arange(5), {"bent": tensor([0.0, 1, 2, 1, 0]), "straight": tensor([4.0, 5, 6, 7, 8])})
    kept = without_straight(frame.assign(told=[False] * 7 + [True] + [False] * 2))
    assert [(name, rows.x.to_list()) for name, rows in kept.groupby("name")] == [
        ("bent", [0, 2, 4]),
        ("straight", [0, 2, 4]),
    ]


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=40), st.lists(st.integers(1, 3), min_size=39, max_size=39))
def test_the_line_through_the_rows_that_stay_is_the_same(slopes, across):
    x = np.concatenate([[0], np.cumsum(across[: len(slopes)])])
    y = np.concatenate([[0], np.cumsum(np.array(slopes) * across[: len(slopes)])]).astype(float)
    frame = pd.DataFrame({"x": x, "y": y, "name": "line", "told": False})
    kept = without_straight(frame)
    assert np.interp(x, kept.x, kept.y) == pytest.approx(y, abs=1e-9)
    assert len(kept) == 2 + sum(one != other for one, other in pairwise(slopes))


def bands(**spread):
    """Three lines' rows, each with a band of this height above and below."""
    rows = [(x, 2.0 * x, 2 * x - more, 2 * x + more, name) for name, more in spread.items() for x in range(3)]
    return pd.DataFrame(rows, columns=["x", "y", "min", "max", "name"])


def test_only_bands_that_are_wider_than_a_line_are_drawn():
    found = edges(bands(none=0.0, rounding=1e-12, wide=0.5))
    assert found.to_dict("list") == {
        "name": ["wide"] * 3,
        "left": [0, 1, 2],
        "bottom": [-0.5, 1.5, 3.5],
        "top": [0.5, 2.5, 4.5],
    }
    assert len(edges(bands(none=0.0))) == 1


def test_a_file_has_all_values_and_no_table_of_the_bands():
    x = arange(300)
    y = 2.0 * x
    named = {"straight": (x, y, y, y), "wide": (x, y, y - 1, full_like(y, 700))}
    figure = layered(curves(ranges(named), *PLAIN, band=True))
    assert len(figure.frames["lines"]) < 200
    assert list(figure.tables()) == ["lines"]
    assert len(figure.tables()["lines"]) == 600
    assert set(figure.frames["bands"].name) == {"wide"}
