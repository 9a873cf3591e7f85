"""Heatmaps, as cells or one image: colours, numbers in a file, and what is read where an image is pointed at."""

import base64
import copy
import html
import io
import math
import re

import numpy as np
import pytest
import torch
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pe_core.chapters import inside, windows
from pe_core.encodings import alibi, sinusoidal
from pe_core.figures import heatmap, image
from pe_core.figures.image import allowed, categories, frame_of_looks, written
from pe_core.figures.looks import motion
from pe_core.figures.looks.palette import DIVERGING
from pe_core.figures.readout import DIGITS, SAID, Words
from pe_core.masks import sliding_window
from pe_core.measures.channels import channels
from pe_core.parameters import Parameter
from tests.cases import each

WIDTH, HEIGHT = 600, 300
AXES = {"rows": "Position", "columns": "Channel", "title": "Value"}


def restored(values):
    """The numbers that a browser reads, and by how much each may be off."""
    text, decimals = written(values)
    n_digits = len(text) // values.numel()
    places = np.array([DIGITS.index(sign) for sign in text]).reshape(-1, n_digits)
    code = places @ 64 ** np.arange(n_digits)[::-1]
    numbers = np.where(code == 0, np.nan, (code - 64**n_digits // 2) / 10.0**decimals)
    return numbers.reshape(values.shape), 0.5 * 10.0**-decimals


def said(figure, across, down):
    """What Vega writes beside a pointer at this place, in shares of the width and the height of the plot."""
    spec = copy.deepcopy(figure.standalone())
    spec["config"]["signals"][0]["value"] = {"x": across * WIDTH, "y": down * HEIGHT}
    svg = vl_convert.vegalite_to_svg({**spec, "width": WIDTH, "height": HEIGHT})
    (box,) = re.findall(rf'<g class="[^"]*{SAID}_marks.*?</g>', svg)
    return [html.unescape(line).replace("−", "-") for line in re.findall(r"<tspan[^>]*>(.*?)</tspan>", box)]


def said_of(figure, row, column, shape):
    """What is said of a cell, pointed at near its lower right corner."""
    return said(figure, (column + 0.9) / shape[1], (row + 0.9) / shape[0])


@given(st.lists(st.floats(width=32), min_size=1, max_size=40))
def test_a_number_is_off_by_half_of_its_last_digit_at_most(numbers):
    values = torch.tensor(numbers, dtype=torch.float64)
    found, error = restored(values)
    assert np.isnan(found).tolist() == (~values.isfinite()).tolist()
    finite = values.isfinite().numpy()
    assert np.abs(found - values.numpy())[finite].max(initial=0.0) <= error * (1 + 1e-9)


def test_numbers_near_0_have_nine_decimals_at_most():
    assert [written(torch.tensor([size]))[1] for size in (1e-3, 1e-30)] == [8, 9]


@each(
    ("shape", "cell"),
    [((64, 64), (17, 5)), ((64, 64), (63, 63)), ((512, 768), (0, 0)), ((512, 768), (0, 767)), ((512, 768), (511, 5))],
)
def test_the_picture_says_the_number_of_pe_core(cell, shape):
    values = sinusoidal.table(torch.arange(shape[0]), shape[1])
    decimals = 5 if shape == (64, 64) else 3
    row, column = cell
    expected = [f"Position {row}", f"Channel {column}", f"Value {float(values[cell]):.{decimals}f}"]
    assert said_of(heatmap.picture(values, **AXES), *cell, shape) == expected


@each(
    ("width", "variant", "row"),
    [(64, "paper", 499), (7, "paper", 5), (9, "concatenated", 499), (9, "tensor2tensor", 5)],
)
def test_of_waves_the_browser_computes_the_number(width, variant, row):
    values = sinusoidal.table(torch.arange(500), width, base=321, variant=variant, dtype=torch.float64)
    figure = heatmap.wave_table(values.float(), channels(width, 321, variant=variant), selection="part")
    assert "numbers" not in figure.frames["table"]
    for column in (width // 2, width - 1):
        expected = [f"Position {row}", f"Channel {column}", f"Value {float(values[row, column]):.5f}"]
        assert said_of(figure, row, column, values.shape) == expected


def test_a_part_says_its_own_indices_and_a_cell_without_a_number_says_so():
    values = torch.tensor([[0.25, math.nan], [-math.inf, -1.0]])
    figure = heatmap.heatmap(values, **AXES, first_row=7, first_column=5, max_cells=0)
    assert said_of(figure, 0, 0, (2, 2)) == ["Position 7", "Channel 5", "Value 0.25000"]
    assert said_of(figure, 0, 1, (2, 2)) == ["Position 7", "Channel 6", "Value not finite"]
    assert said_of(figure, 1, 0, (2, 2)) == ["Position 8", "Channel 5", "Value not finite"]


@each(("number", "expected"), [(4.0, "4.0000"), (-300.25, "-300.25"), (1.5e9, "1.5e+9"), (0, "0.00000")])
def test_large_numbers_have_fewer_decimals(number, expected):
    assert said_of(heatmap.picture(torch.tensor([[number]]), **AXES), 0, 0, (1, 1))[2] == f"Value {expected}"


def test_attention_is_a_probability_and_not_its_root():
    probabilities = torch.tensor([[1.0, 0.0], [0.36, 0.64]])
    figure = inside.attention_map(probabilities, 2, "character", "ab")
    assert said_of(figure, 1, 0, (2, 2)) == ["Query 1", "Key 0", "Attention 0.36000"]
    assert said_of(figure, 0, 1, (2, 2)) == ["Query 0", "Key 1", "Attention not seen"]


def test_windows_and_masks_say_what_a_cell_means():
    figure = windows.who_knows_whom("window", 4, 4, 2, (("window", 0.5),))
    meanings = ["never", "through layers", "seen directly"]
    assert [said_of(figure, 3, key, (4, 4))[2] for key in range(3)] == meanings
    assert said_of(figure, 0, 3, (4, 4)) == ["Query 0", "Key 3", "lies ahead, not seen"]
    mask = allowed(sliding_window(4, 2))
    assert [said_of(mask, 3, key, (4, 4))[2] for key in (1, 2)] == ["may not attend", "may attend"]


STEPS = Parameter("step", "Training step", 5, "", choices=(0, 5, 20))


def at_step(tables, step):
    """The picture of a table that is played, at one of `STEPS`."""
    names = {"rows": "Row", "columns": "Channel", "title": "Value", "limit": 0.5}
    looks = frame_of_looks(tables, names["limit"])
    return heatmap.split(tables[STEPS.choices.index(step)], 1, "end", looks, **names, played=STEPS, now=step)


def test_a_learned_table_says_its_row_and_of_two_rows_both():
    for n_columns, name in ((3, "Channel"), (2, "Other row")):
        values = torch.tensor([[0.1, -0.2, 0.5], [0.3, 0.0, 0.5]])[:, :n_columns]
        figure = at_step([values, values, values], 5)
        assert said_of(figure, 0, 1, (2, n_columns)) == ["Row 0", f"{name} 1", "Value -0.20000"]


def test_a_table_that_is_played_shows_and_says_the_numbers_of_one_step_only():
    tables = [number * torch.tensor([[0.1, -0.2, 0.3], [0.05, 0.0, 0.5]]) for number in (1.0, -0.5, 0.2)]
    for step, table in zip(STEPS.choices, tables, strict=True):
        figure = at_step(tables, step)
        said = ["Row 1", "Channel 2", f"Value {float(table[1, 2]):.5f}"]
        assert said_of(figure, 1, 2, table.shape) == said
        assert figure.tables()["table"].Value.to_list() == pytest.approx(table.flatten().tolist())
        alone = at_step([table] * 3, step)
        assert vl_convert.vegalite_to_png(figure.standalone()) == vl_convert.vegalite_to_png(alone.standalone())
    assert all(at_step(tables, step).spec is at_step(tables, 0).spec for step in STEPS.choices)


def test_the_page_takes_from_a_picture_that_is_played_what_its_control_may_be():
    [(name, control)] = motion.page_controls(at_step([torch.eye(2)] * 3, 5).spec).items()
    assert (name, control.name, control.choices) == ("of_page_played_step", "step", (0, 5, 20))
    assert control.parse("20") == 20
    for text in ("2", "7", ""):
        with pytest.raises(ValueError, match=rf"^step must be one of 0, 5, 20, got '{text}'$"):
            control.parse(text)


def test_all_pictures_outline_the_row_that_is_pointed_at():
    spec = copy.deepcopy(at_step([torch.eye(4)] * 3, 5).standalone())
    row = {one["name"]: one for one in spec["config"]["signals"]}["pointed_at"]
    outlines = {}
    for row["value"] in (2, -1):
        svg = vl_convert.vegalite_to_svg({**spec, "width": 400, "height": 100})
        outlines[row["value"]] = re.findall(r'd="(M0,\S+)" stroke="\S+" stroke-width="[31]" opacity="(.)"', svg)
    assert outlines == {2: [("M0,50h400v25h-400Z", "1")] * 2, -1: [("M0,-25h400v25h-400Z", "0")] * 2}


def test_a_file_is_the_picture_without_what_is_read():
    figure = heatmap.picture(torch.eye(3), **AXES)
    layers = [layer for layer in figure.spec["layer"] if "mark" in layer]
    plain = {**figure.standalone(), "layer": layers, "config": {"aria": False}}
    assert len(layers) == len(figure.spec["layer"]) - 1
    drawn = vl_convert.vegalite_to_png({"width": 200, "height": 100, **figure.standalone()})
    assert drawn == vl_convert.vegalite_to_png({"width": 200, "height": 100, **plain})
    assert "<tspan" not in figure.svg()


def pixels_of(figure):
    """The colours and the opacity of the image in a figure: (rows, columns, 4)."""
    (url,) = figure.frames["image"].url
    return np.array(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGBA"))


def test_categories_have_a_colour_each_and_what_has_none_is_empty():
    names = {"lost": "#E9B872", "heard": "#7CC4EE", "seen": "#0072B2"}
    values = torch.tensor([[0.0, math.nan], [1.0, 2.0]])
    words = Words("Query", "Key", meanings=tuple(names))
    figure = categories(values, names, rows="Query", columns="Key", words=words)
    pixels = pixels_of(figure)
    for place, name in {(0, 0): "lost", (1, 0): "heard", (1, 1): "seen"}.items():
        assert pixels[place][:3].tolist() == pytest.approx(list(bytes.fromhex(names[name][1:])), abs=1)
    assert pixels[..., 3].tolist() == [[255, 0], [255, 255]]
    assert figure.frames["meanings"].meaning.to_list() == ["seen", "heard", "lost"]
    assert figure.tables()["image"].to_dict("list") == {
        "Query": [0, 0, 1, 1],
        "Key": [0, 1, 0, 1],
        "Meaning": ["lost", "not finite", "heard", "seen"],
    }
    assert all(f">{name}</text>" in figure.svg() for name in names)
    alone = categories(torch.zeros(2, 2), {"may": "#0072B2"}, rows="r", columns="c", words=words)
    assert pixels_of(alone).reshape(-1, 4).tolist() == [[0, 0x72, 0xB2, 255]] * 4


SCORES = {"rows": "Query", "columns": "Key", "title": "Score"}


def table(length, dim, base=10_000.0):
    return sinusoidal.table(torch.arange(length), dim, base=base, dtype=torch.float64)


@each(("rows", "columns", "image"), [(64, 64, False), (65, 2, True), (2, 65, True)])
def test_above_64_cells_a_side_a_heatmap_is_one_image(rows, columns, image):
    frame = heatmap.heatmap(table(rows, columns), **AXES).frames["table"]
    assert ("url" in frame) == image
    assert len(frame) == (1 if image else rows * columns)


def test_an_image_has_a_pixel_for_every_number_in_the_colour_of_its_value():
    values = torch.tensor([[-1.0, 0.0, 1.0], [0.5, 7.0, torch.nan]])
    picture = Image.open(io.BytesIO(image.png(values, 1.0)))
    assert picture.size == (3, 2)
    pixels = np.asarray(picture.convert("RGBA"))
    stops = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in DIVERGING]
    for place, stop in {(0, 0): 0, (0, 1): 4, (0, 2): 8, (1, 0): 6, (1, 1): 8}.items():
        assert np.abs(pixels[place][:3].astype(int) - stops[stop]).max() <= 4
    assert pixels[..., 3].tolist() == [[255, 255, 255], [255, 255, 0]]


@each(
    ("centre", "size", "length", "expected"),
    [(0, 16, 64, (0, 16)), (31.5, 16, 64, (24, 40)), (63, 16, 64, (48, 64)), (2, 16, 5, (0, 5)), (0, 16, 1, (0, 1))],
)
def test_a_part_lies_around_its_centre_and_inside(centre, size, length, expected):
    part = heatmap.part_around(centre, size, length)
    assert (part.start, part.stop) == expected


@each(("columns", "max_cells"), [(2, 64), (70, 64), (2, 0)])
def test_the_file_of_a_heatmap_has_a_line_for_each_row(columns, max_cells):
    figure = heatmap.heatmap(table(3, columns), **AXES, first_row=7, first_column=5, max_cells=max_cells)
    numbers = figure.tables()["table"]
    assert list(numbers) == ["Position", *(f"Channel {5 + column}" for column in range(columns))]
    assert numbers.Position.tolist() == [7, 8, 9]
    assert numbers.drop(columns="Position").to_numpy().tolist() == table(3, columns).tolist()
    unknown = heatmap.heatmap(torch.tensor([[0.5, torch.nan]]), **AXES)
    assert unknown.csv() == "Position,Channel 0,Channel 1\n0,0.5,\n"


LIMITS = {0: 1e-4, 1: 1, 1.01: 2, 2: 2, 4.9: 5, -7: 10, 0.03: 0.05, 1e300: 1e9}  # by the largest number


def test_the_end_of_the_scale_is_the_next_round_number():
    tables = {largest: torch.tensor([0.0, largest, -math.inf], dtype=torch.float64) for largest in LIMITS}
    found = {largest: heatmap.limit_of(table) for largest, table in tables.items()}
    assert found == pytest.approx(LIMITS, rel=1e-12)
    assert heatmap.limit_of(torch.tensor([math.inf, math.nan])) == heatmap.MIN_LIMIT


def test_hidden_cells_are_left_empty():
    scores = alibi.bias(torch.arange(5), 1)[0]
    table = heatmap.matrix(scores, **SCORES, among=scores).frames["table"]
    assert list(zip(table.row, table.column, strict=True)) == [(m, n) for m in range(5) for n in range(m + 1)]
    np.testing.assert_allclose(table.value, -(2.0**-8) * (table.row - table.column))


def test_the_numbers_of_a_large_matrix_are_behind_its_image():
    values = alibi.bias(torch.arange(66), 1)[0]
    figure = heatmap.matrix(values, **SCORES, among=values)
    assert list(figure.behind) == ["table"]
    assert len(figure.frames["table"]) == 1
    np.testing.assert_allclose(figure.tables()["table"].to_numpy()[:, 1:], values)


@each(
    ("among", "ends"),
    [
        ([-11.5, 0.0, -math.inf], [-15, 0]),
        ([11.5, 0.0], [0, 15]),
        ([-3.0, 11.5], [-15, 15]),
        ([-3.0], [-3, 0]),
        ([-3.1], [-4, 0]),
        ([0.0, math.nan], [-heatmap.MIN_LIMIT, heatmap.MIN_LIMIT]),
    ],
)
@each("length", [2, 65])
def test_a_matrix_takes_its_scale_from_all_numbers_that_it_stands_among(among, ends, length):
    values = torch.zeros(length, length)
    values[0, 1], values[1, 0] = -math.inf, among[0]
    figure = heatmap.matrix(values, **SCORES, among=torch.tensor(among))
    layers = figure.spec.get("layer", [figure.spec])
    [colour] = [one["encoding"]["color"] for one in layers if "color" in one.get("encoding", {})]
    assert colour["scale"]["domain"] == pytest.approx(ends)
    drawn = figure.frames["table"]
    if length == 2:
        assert drawn.value.to_list() == pytest.approx([0, among[0], 0])
    else:
        middle, limit = sum(ends) / 2, (ends[1] - ends[0]) / 2
        assert drawn.url[0] == image.data_uri(values - middle, limit)
