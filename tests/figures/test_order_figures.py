import torch

from pe_core.figures.order import changes, largest


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
