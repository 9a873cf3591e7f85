"""What is read where an image is pointed at: the numbers of pe_core, rounded once, and nothing of it in a file."""

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
from pe_core.encodings import sinusoidal
from pe_core.figures import heatmap
from pe_core.figures.image import allowed, categories, frame_of_looks, written
from pe_core.figures.looks import motion
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
