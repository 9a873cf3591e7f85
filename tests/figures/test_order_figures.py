import torch

from pe_core.figures.order import changes


def test_each_reader_has_a_row_in_the_order_given_and_each_word_a_column():
    moved = {"b": torch.tensor([0.0, 0.5]), "a": torch.tensor([1e-12, 2.0])}
    frame = changes(["x", "x"], moved).frames["changes"]
    assert frame.reader.to_list() == ["b", "b", "a", "a"]
    assert frame.row.to_list() == [0, 0, 1, 1]
    assert frame.place.to_list() == [0, 1, 0, 1]
    assert frame.seen.to_list() == [False, True, False, True]


def test_the_spec_stays_the_same_while_words_change():
    assert changes(["x"], {"a": torch.zeros(1)}).spec is changes(["y", "z"], {"b": torch.ones(2)}).spec
