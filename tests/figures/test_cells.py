"""Tables of cells: a cell for each number in its row and column, and what is never met."""

import torch

from pe_core.figures.cells import NOT_MET, changes, largest, numbers


def test_each_reader_has_a_row_in_the_order_given_and_each_word_a_column():
    moved = {"b": torch.tensor([0.0, 0.5]), "a": torch.tensor([1e-12, 2.0])}
    frame = changes(["x", "x"], moved).frames["changes"]
    assert frame.reader.to_list() == ["b", "b", "a", "a"]
    assert frame.row.to_list() == [0, 0, 1, 1]
    assert frame.place.to_list() == [0, 1, 0, 1]
    assert frame.seen.to_list() == [False, True, False, True]


def test_each_word_stands_once_above_its_column_also_where_words_are_equal():
    frames = changes(["x", "y", "x"], {"b": torch.zeros(3), "a": torch.ones(3)}).frames
    words, cells = frames["words"], frames["changes"]
    assert words.word.to_list() == ["x", "y", "x"]
    assert words.column.is_unique
    assert cells[cells.row == 1].column.to_list() == words.column.to_list()
    assert (words.row < cells.row.min()).all()


def test_the_largest_change_is_told_by_reader_in_their_order():
    table = changes(["x", "y"], {"b": torch.tensor([0.25, 0.5]), "a": torch.tensor([2.0, 1.0])})
    assert list(largest(table).items()) == [("b", 0.5), ("a", 2.0)]


def test_the_spec_stays_the_same_while_words_change():
    assert changes(["x"], {"a": torch.zeros(1)}).spec is changes(["y", "z"], {"b": torch.ones(2)}).spec


ROWS = {"Text": torch.tensor([0, 8, 9]), "Cache": torch.tensor([2, 1, 0])}


def test_numbers_stand_in_their_rows_and_what_is_too_large_is_marked():
    frame = numbers(ROWS, 8, columns="Key").frames["ids"]
    assert {name: own.number.to_list() for name, own in frame.groupby("row", sort=False)} == {
        "Text": [0, 8, 9],
        "Cache": [2, 1, 0],
    }
    assert frame.column.to_list() == [0, 1, 2] * 2
    assert (frame.meaning == NOT_MET).to_list() == [False, True, True, False, False, False]


def test_the_spec_of_numbers_stays_and_rows_keep_their_order():
    one, other = (
        numbers(ROWS, 8, columns="Key"),
        numbers({name: 2 * row for name, row in ROWS.items()}, 3, columns="Key"),
    )
    assert one.spec is other.spec
    assert one.spec["layer"][0]["encoding"]["y"]["sort"] == ["Text", "Cache"]
    assert one.svg().startswith("<svg")
