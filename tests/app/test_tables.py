"""Rows and frames reach the browser as they are, whatever stands in their columns; small tables are read."""

import numpy as np
import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from tests.cases import each
from ui.widgets.charts import table_of


def drawn(how, *args):
    """A page that shows rows in this way."""

    def page(how, args):
        from ui.widgets import tables

        getattr(tables, how)(*args)

    return AppTest.from_function(page, args=(how, args)).run()


@each(
    "rows",
    [
        [{"name": "a", "number": 1.5, "whole": 3}, {"name": "b", "number": 2.5, "whole": 4}],
        [{"name": "a"}, {"name": "b", "number": 2.5}],  # what is missing is left empty
        [{"either": "a"}, {"either": 2.5}],
    ],
)
def test_each_cell_is_there(rows):
    [table] = drawn("show_rows", rows).dataframe
    shown = table.value
    assert list(shown.columns) == list(dict.fromkeys(name for row in rows for name in row))
    for place, row in enumerate(rows):
        for name in shown.columns:
            value = shown[name][place]
            assert str(value) == str(row[name]) if name in row else pd.isna(value)


def test_a_small_table_says_numbers_as_print_does_and_texts_as_they_are():
    rows = [{"Name": "a_b|*c*", "Number": -0.123456}, {"Name": "two words", "Number": None}]
    [table] = drawn("show_lines", rows, "test").markdown
    assert table.value.splitlines() == [
        "| Name | Number |",
        "| --- | ---: |",
        r"| a\_b\|\*c\* | −0.1235 |",
        "| two\u00a0words | – |",
    ]


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
