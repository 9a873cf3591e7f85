"""The figures of the catalogue: what is in their frames, and what Vega draws of it."""

import base64
import io
import math

import numpy as np
import pytest
import torch
import vl_convert
from PIL import Image

from pe_core.encodings import alibi, rotary
from pe_core.figures import catalogue
from pe_core.masks import sliding_window


def drawn(figure):
    return vl_convert.vegalite_to_svg(figure.standalone())


@pytest.mark.parametrize(
    ("largest", "limit"), [(0, 1e-4), (1, 1), (1.01, 2), (2, 2), (4.9, 5), (-7, 10), (0.03, 0.05), (1e300, 1e9)]
)
def test_the_end_of_the_scale_is_the_next_round_number(largest, limit):
    values = torch.tensor([0.0, largest, -math.inf], dtype=torch.float64)
    assert catalogue.limit_of(values) == pytest.approx(limit, rel=1e-12)


def test_a_table_without_a_finite_number_has_a_scale():
    assert catalogue.limit_of(torch.tensor([math.inf, math.nan])) == catalogue.SMALLEST_LIMIT


def test_hidden_cells_are_left_empty():
    scores = alibi.bias(torch.arange(5), 1)[0]
    table = catalogue.matrix(scores, rows="Query", columns="Key", title="Score").frames["table"]
    assert list(zip(table.row, table.column, strict=True)) == [(m, n) for m in range(5) for n in range(m + 1)]
    np.testing.assert_allclose(table.value, -(2.0**-8) * (table.row - table.column))


@pytest.mark.parametrize("length", [64, 65])
def test_above_64_cells_a_matrix_is_one_image(length):
    figure = catalogue.matrix(alibi.bias(torch.arange(length), 1)[0], rows="Query", columns="Key", title="Score")
    assert len(figure.frames["table"]) == (1 if length > 64 else 64 * 65 // 2)
    assert ("<image" in drawn(figure)) == (length > 64)


def test_small_changes_keep_the_spec_of_a_matrix():
    first, second = (catalogue.matrix(torch.rand(3, 4) * top, rows="r", columns="c", title="t") for top in (0.9, 0.8))
    assert first.spec == second.spec


def test_heads_with_the_same_scores_share_a_line():
    scores = torch.stack([torch.zeros(3, 3), torch.ones(3, 3), torch.zeros(3, 3) + 1e-15, torch.eye(3)]).double()
    assert catalogue.same_heads(scores) == [[0, 2], [1], [3]]
    curves = catalogue.against_distance(scores, title="Score").frames["curves"]
    assert curves["head"].unique().tolist() == ["heads 0, 2", "head 1", "head 3"]


@pytest.mark.parametrize(("n_heads", "name"), [(1, "mean and range"), (3, "all heads")])
def test_one_line_for_all(n_heads, name):
    figure = catalogue.against_distance(torch.zeros(n_heads, 4, 4), title="Score")
    assert figure.frames["curves"]["head"].unique().tolist() == [name]
    assert f">{name}</text>" in drawn(figure)


def test_curves_hold_the_mean_and_the_range():
    scores = torch.tensor([[[1.0, -math.inf], [5.0, 3.0]]])
    curves = catalogue.against_distance(scores, title="Score").frames["curves"]
    assert curves[["distance", "mean", "low", "high"]].to_numpy().tolist() == [[0, 2, 1, 3], [1, 5, 5, 5]]


def test_masked_heads_are_the_same_too():
    assert catalogue.same_heads(torch.full((2, 2, 2), -math.inf)) == [[0, 1]]


def test_wavelengths_before_and_after():
    before = rotary.frequencies(4, 100.0)
    after = torch.tensor([before[0], 0.0], dtype=torch.float64)
    figure = catalogue.scaled_wavelengths(before, after, 64, 256)
    pairs = figure.frames["pairs"].to_dict("records")
    assert [(row["pair"], row["when"]) for row in pairs] == [
        (0, catalogue.BEFORE),
        (1, catalogue.BEFORE),
        (0, catalogue.AFTER),
    ]
    np.testing.assert_allclose([row["wavelength"] for row in pairs], 2 * math.pi * np.array([1, 10, 1]))
    assert figure.frames["lengths"].length.tolist() == [64, 256]
    svg = drawn(figure)
    assert ">training length</text>" in svg
    assert ">target length</text>" in svg


def test_equal_lengths_are_one_line():
    frequencies = rotary.frequencies(4, 100.0)
    figure = catalogue.scaled_wavelengths(frequencies, frequencies, 64, 64)
    assert figure.frames["lengths"].to_dict("records") == [{"length": 64, "label": "training and target length"}]


def test_a_mask_is_coloured_where_a_query_may_attend():
    mask = sliding_window(70, 3)
    figure = catalogue.allowed(mask)
    url = figure.frames["mask"].url[0]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGBA"))
    assert (pixels[:, :, 3] > 0).tolist() == mask.tolist()
    colour = [int(catalogue.CATEGORICAL[0][place : place + 2], 16) for place in (1, 3, 5)]
    assert (pixels[mask.numpy()][:, :3] == colour).all()
    assert ">may attend</text>" in drawn(figure)


def test_the_numbers_of_a_mask_are_behind_its_image():
    mask = sliding_window(70, 3)
    figure = catalogue.allowed(mask)
    assert {"left", "right", "top", "bottom", "meaning", "url", "numbers"} <= {*figure.frames["mask"]}
    table = figure.tables()["mask"]
    assert list(table) == ["query", "key", "may attend"]
    assert table["may attend"].to_numpy().reshape(70, 70).tolist() == mask.tolist()
    assert table[["query", "key"]].to_numpy()[71].tolist() == [1, 1]
    assert figure.csv().startswith("query,key,may attend\n0,0,True\n0,1,False\n")
    assert catalogue.allowed(sliding_window(5, 2)).spec is figure.spec


def test_the_numbers_of_a_large_matrix_are_behind_its_image():
    values = alibi.bias(torch.arange(66), 1)[0]
    figure = catalogue.matrix(values, rows="Query", columns="Key", title="Score")
    assert list(figure.behind) == ["table"]
    assert len(figure.frames["table"]) == 1
    np.testing.assert_allclose(figure.tables()["table"].to_numpy()[:, 1:], values)


def test_positions_in_training_and_in_evaluation():
    figure = catalogue.remapped(torch.tensor([3, 5]), torch.tensor([0.0, 0.5, 1.0]))
    given = figure.frames["given"]
    assert given[given.when == catalogue.TRAINING].position.tolist() == [3, 5]
    assert given[given.when == catalogue.EVALUATION].position.tolist() == [0, 0.5, 1]
    assert figure.frames["same"].position.tolist() == [0, 2]
    svg = drawn(figure)
    assert f">{catalogue.TRAINING}</text>" in svg
    assert f">{catalogue.EVALUATION}</text>" in svg
