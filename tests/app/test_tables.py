"""Rows reach the browser as they are, whatever stands in their columns; small tables are read."""

import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.cases import each


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
