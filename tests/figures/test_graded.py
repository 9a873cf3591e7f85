"""A cell is coloured by its place among the values of its column, and one without a value is not coloured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core.chapters.scorecard import grades
from tests.cases import each

VALUES = st.lists(st.none() | st.integers(-3, 3).map(float), max_size=12)


def look(styler, row, column):
    """The background and the colour of the words of a cell, by the rules that a browser gets."""
    styler._compute()
    return dict(styler.ctx[row, styler.columns.get_loc(column)])


@each(
    ("values", "better", "expected"),
    [
        ([3.0, 1.0, 2.0], "higher", [1, 0, 0.5]),
        ([3.0, 1.0, 2.0], "lower", [0, 1, 0.5]),
        ([3.0, 1.0, 2.0], "neutral", [None, None, None]),
        ([0.0, 0.0, 5.0, 9.0, None], "lower", [1, 1, 1 / 3, 0, None]),
        ([8.0, 8.0], "higher", [1, 1]),
        ([8.0], "lower", [1]),
        ([None], "lower", [None]),
        ([], "higher", []),
    ],
)
def test_a_grade_is_the_fraction_of_the_others_that_are_not_better(values, better, expected):
    assert grades(values, better) == pytest.approx(expected)


@given(VALUES, st.sampled_from(["higher", "lower"]))
def test_grades_keep_the_order_and_turn_with_the_direction(values, better):
    found = grades(values, better)
    sign = 1 if better == "higher" else -1
    known = [(sign * value, grade) for value, grade in zip(values, found, strict=True) if value is not None]
    assert [grade is None for grade in found] == [value is None for value in values]
    assert all(0 <= grade <= 1 for _, grade in known)
    assert all((a < b) == (m < n) for a, m in known for b, n in known)
    assert not known or max(known)[1] == 1
    other = "lower" if better == "higher" else "higher"
    assert grades([value and -value for value in values], other) == found
