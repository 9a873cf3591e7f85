"""A table as an image and its rows as lines: frames, constant specs, drawn files."""

import pytest
import torch

from pe_core.figures.raster import data_uri
from pe_core.figures.table_rows import image, lines

TABLE = torch.tensor([[0.1, -0.2], [0.3, 0.0], [0.0, 0.5]])


def test_an_image_holds_a_pixel_per_number_and_gives_the_numbers_behind_it():
    figure = image(TABLE, 2, columns="Channel", title="Value", limit=0.5)
    (row,) = figure.frames["table"].to_dict(orient="records")
    assert (row["left"], row["right"], row["top"], row["bottom"]) == (-0.5, 1.5, -0.5, 2.5)
    assert row["url"] == data_uri(TABLE, 0.5)
    assert figure.frames["mark"].place.to_list() == [1.5]
    behind = figure.tables()["table"]
    assert behind.value.to_list() == pytest.approx([0.1, -0.2, 0.3, 0, 0, 0.5])
    assert behind.row.to_list() == [0, 0, 1, 1, 2, 2]


def test_a_square_table_has_its_end_marked_on_both_sides():
    def rules(figure):
        return [layer for layer in figure.spec["layer"] if layer.get("mark", {}).get("type") == "rule"]

    assert len(rules(image(TABLE, 2, columns="c", title="v", limit=1))) == 1
    assert len(rules(image(TABLE @ TABLE.T, 2, columns="c", title="v", limit=1))) == 2


def test_lines_have_a_point_per_row_and_the_marks_that_are_asked_for():
    values = {"now": torch.tensor([1.0, 2.0, 3.0]), "before": torch.tensor([1.0, 1.0, 1.0])}
    plain = lines(values, 2, title="Length", ends=(0, 4))
    assert set(plain.frames) == {"lines", "ends", "mark"}
    assert plain.frames["lines"].value.to_list() == [1, 2, 3, 1, 1, 1]
    assert plain.frames["lines"].row.to_list() == [0, 1, 2, 0, 1, 2]
    assert plain.frames["ends"].value.to_list() == [0, 4]
    assert plain.frames["mark"].place.to_list() == [1.5]
    marked = lines(values, 2, title="Length", ends=(0, 4), levels=[("guess", 2.5)], chosen=0)
    assert marked.frames["levels"].to_dict(orient="records") == [{"label": "guess", "value": 2.5}]
    assert marked.frames["chosen"].row.to_list() == [0]


def test_specs_stay_the_same_while_numbers_change():
    first = image(TABLE, 2, columns="c", title="v", limit=1), image(2 * TABLE, 1, columns="c", title="v", limit=1)
    assert first[0].spec == first[1].spec
    for chosen in (-1, 0):
        one = lines({"a": torch.ones(3)}, 1, title="t", ends=(0, 1), chosen=chosen)
        two = lines(
            {"b": torch.zeros(5), "c": torch.ones(5)}, 2, title="t", ends=(0, 9), chosen=4 if chosen == 0 else -1
        )
        assert one.spec == two.spec


def test_they_are_drawn():
    drawn = lines({"now": torch.arange(3.0)}, 2, title="Length", ends=(0, 4), levels=[("guess", 2.5)], chosen=1).svg()
    assert all(word in drawn for word in ("now", "never trained", "guess", "Length"))
    assert "never trained" in image(TABLE, 2, columns="Channel", title="Value", limit=0.5).svg()
