"""What functions have returned is computed once, for the same values only."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.cases import each
from tests.lab.storage.test_store import RECORD
from ui.widgets.charts import table_of
from ui.widgets.remembered import MAX_TEXT, forget, result_of


@pytest.fixture(autouse=True)
def nothing_is_known():
    forget()
    yield
    forget()


@pytest.fixture
def counted():
    """A function that says how often it was called."""
    calls = []

    def function(**values):
        calls.append(values)
        return {"calls": len(calls)}

    return function


def test_the_same_values_are_computed_once(counted):
    first = result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": None})
    assert result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": None}) is first
    assert result_of(counted, a=1, b=("x", [3.0]), c={"d": 1, "e": None}) is not first
    assert result_of(counted, a=1, b=("x", [2.0]), c={"d": 1, "e": 0}) is not first


@each("others", [(1, 1.0), (1, True), ((1,), (1.0,)), ({"a": 1}, {"a": 1.0}), ("1", 1), (None, 0), ({}, ())])
def test_values_that_are_equal_and_not_the_same_are_told_apart(others, counted):
    forget()
    one, other = (result_of(counted, value=value) for value in others)
    assert other["calls"] == one["calls"] + 1


@each("value", [RECORD, "x" * (MAX_TEXT + 1), ("x" * (MAX_TEXT + 1),), {"x" * (MAX_TEXT + 1): 1}, object()])
def test_what_may_change_and_what_a_visitor_has_brought_is_not_remembered(value, counted):
    first, second = (result_of(counted, value=value)["calls"] for _ in range(2))
    assert second == first + 1


@each("n_rows", [0, 3])
def test_a_frame_is_sent_with_the_columns_that_pyarrow_makes_of_it_and_nothing_else(n_rows):
    frame = pd.DataFrame(
        {
            "number": np.array([1.5, np.nan, -np.inf]),
            "whole": [1, 2, 3],
            "is_so": [True, False, True],
            "word": ["one", None, "三"],
            "mixed": pd.Series([[1, 2], None, [3]], dtype=object),
            "row": np.arange(3, dtype=np.int16),
        }
    ).iloc[:n_rows]
    assert table_of(frame).equals(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None))
    assert table_of(frame).schema.metadata is None
