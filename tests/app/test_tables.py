"""Rows reach the browser as they are, whatever stands in their columns."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest


def table_of(rows):
    def page(rows):
        from ui.widgets.tables import show_rows

        show_rows(rows)

    (table,) = AppTest.from_function(page, args=(rows,)).run().dataframe
    return table.value


@pytest.mark.parametrize(
    "rows",
    [
        [{"name": "a", "number": 1.5, "whole": 3}, {"name": "b", "number": 2.5, "whole": 4}],
        [{"name": "a"}, {"name": "b", "number": 2.5}],  # what is missing is left empty
        [{"either": "a"}, {"either": 2.5}],
    ],
)
def test_each_cell_is_there(rows):
    shown = table_of(rows)
    assert list(shown.columns) == list(dict.fromkeys(name for row in rows for name in row))
    for place, row in enumerate(rows):
        for name in shown.columns:
            value = shown[name][place]
            assert str(value) == str(row[name]) if name in row else pd.isna(value)
