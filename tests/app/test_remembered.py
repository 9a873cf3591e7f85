"""What functions have returned is computed once, for the same values only, and not more of it than fits."""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core.chapters.rope import wavelengths
from tests.app.opened import opened
from tests.lab.storage.test_store import RECORD
from ui.widgets import remembered
from ui.widgets.remembered import MAX_TEXT, Latest, forget, in_arrow, result_of, sent


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


def test_the_same_values_are_computed_once_in_whatever_order(counted):
    first = result_of(partial(counted, a=1, b=("x", 2.0), c={"d": 1, "e": 2}))
    assert result_of(partial(counted, c={"e": 2, "d": 1}, b=("x", 2.0), a=1)) is first
    assert result_of(partial(counted, a=1, b=("x", 3.0), c={"d": 1, "e": 2})) is not first
    assert result_of(partial(counted, a=1, b=("x", 2.0), c={"d": 1, "e": 3})) is not first


@pytest.mark.parametrize(
    "others", [(1, 1.0), (1, True), ((1,), (1.0,)), ({"a": 1}, {"a": 1.0}), ("1", 1), (None, 0), ({}, ())]
)
def test_values_that_are_equal_and_not_the_same_are_told_apart(others, counted):
    one, other = (result_of(partial(counted, value=value)) for value in others)
    assert (one, other) == ({"calls": 1}, {"calls": 2})


@pytest.mark.parametrize(
    "value", [[1], {"a": [1]}, "x" * (MAX_TEXT + 1), ("x" * (MAX_TEXT + 1),), {"x" * (MAX_TEXT + 1): 1}, object()]
)
def test_what_may_change_and_what_a_visitor_has_brought_is_not_remembered(value, counted):
    assert [result_of(partial(counted, value=value)) for _ in range(2)] == [{"calls": 1}, {"calls": 2}]


def test_a_run_that_is_done_is_known_by_itself_and_one_that_goes_on_is_not(counted):
    goes_on = type(RECORD)(RECORD.config, RECORD.text)
    for record, calls in ((RECORD, [1, 1]), (goes_on, [2, 3])):
        assert [result_of(partial(counted, record=record))["calls"] for _ in calls] == calls


def test_a_figure_is_sent_as_it_is_when_it_is_made_anew():
    call = partial(wavelengths, head_dim=32, base=10_000.0, length=64)
    known, anew = result_of(call), call()
    assert result_of(call) is known
    for name, frame in known.frames.items():
        assert sent(frame) is sent(frame)
        assert sent(frame) == sent(frame) == sent(anew.frames[name])


@pytest.mark.parametrize("n_rows", [0, 3])
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
    found = pa.ipc.open_stream(in_arrow(frame)).read_all()
    assert found.equals(pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None))
    assert found.schema.metadata is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60))
def test_no_more_is_kept_than_fits_and_the_latest_stays(asked):
    latest = Latest(100)
    sizes = {}
    for key, size in asked:
        latest.put(key, (key, size), size)
        sizes[key] = size
        assert latest.get(key) == (key, size)
        kept = [key for key in sizes if latest.get(key) is not None]
        assert latest.n_bytes == sum(sizes[key] for key in kept) <= 100
        assert len(latest) == len(kept)
    latest.put("large", 1, 101)
    assert latest.get("large") is None


def test_every_picture_of_a_page_with_a_choice_of_several_is_remembered(monkeypatch):
    plain, changing = remembered._is_plain, []
    monkeypatch.setattr(remembered, "_is_plain", lambda value: plain(value) or changing.append(value))
    assert not opened("sinusoidal", channels=["3", "4"]).exception
    assert changing == []
