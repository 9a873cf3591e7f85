"""What a picture is in a file: tables with heads in plain words, and its looks in both themes at any size."""

import io
import json
import re
import struct
import tomllib
import zipfile
from pathlib import Path

import pandas as pd
import pytest
import torch

from pe_core.chapters import binary_vs_sinusoid
from pe_core.figures.bars import bars
from pe_core.figures.curves import across, levels, lines, marks, upwards
from pe_core.figures.figure import heads
from pe_core.figures.looks.paper import SIZES, THEMES
from tests.cases import each

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def several():
    axes, named = (across("Distance"), upwards("Wavelength (tokens)")), {"a": torch.tensor([1.0, 4.0])}
    return lines(torch.arange(2.0), named, *axes, levels([("high", 2.0)]), marks([("here", 1.0)]), line="Rule")


def single():
    return bars(["x", "y"], {"a": torch.tensor([1.0, 2.0])}, "Place", upwards("Value (bits)"))


def test_a_zip_has_a_file_for_each_table_and_its_numbers():
    with zipfile.ZipFile(io.BytesIO(several().zipped())) as file:
        tables = {name: pd.read_csv(file.open(name)) for name in file.namelist()}
    assert {name: table.to_dict("list") for name, table in tables.items()} == {
        "lines.csv": {"Distance": [0, 1], "Wavelength (tokens)": [1, 4], "Rule": ["a", "a"]},
        "marks.csv": {"Label": ["here"], "Distance": [1]},
        "levels.csv": {"Label": ["high"], "Wavelength (tokens)": [2]},
    }


def test_one_table_is_a_csv_file_and_several_are_not(tmp_path):
    assert single().csv() == "Place,Bar,Value (bits)\nx,a,1.0\ny,a,2.0\n"
    with pytest.raises(ValueError, match=r"^a picture in one CSV file must have one table \(a \.zip has all\), got 3$"):
        several().save(tmp_path / "picture.csv")
    several().save(tmp_path / "picture.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.zip"]


def test_titles_name_the_columns_and_what_only_places_a_mark_is_left_out():
    x = {"field": "x", "title": "Position"}
    spec = {
        "data": {"name": "rows"},
        "encoding": {"x": x, "y": {"field": "top", "title": "Height"}},
        "layer": [
            {"mark": "rect", "encoding": {"color": {"condition": {"field": "kind", "title": None}, "value": "red"}}},
            {"mark": "point", "encoding": {"tooltip": [{"field": "x", "title": "Token"}, {"field": "size"}]}},
            {"mark": "text", "data": {"name": "words"}, "encoding": {"text": {"field": "word"}}},
        ],
    }
    columns = {"rows": ["x", "top", "kind", "size", "inner"], "words": ["x", "word"]}
    assert heads(spec, columns) == {"rows": {"x": "Token", "kind": "Kind", "size": "Size"}}
    one, other = {"field": "a", "title": "System"}, {"field": "system", "title": "System"}
    twice = {"mark": "point", "data": {"name": "rows"}, "encoding": {"x": one, "y": other}}
    assert heads(twice, {"rows": ["a", "system"]}) == {}  # a second column of the same name, and then a single one


@each("size", SIZES.values())
def test_a_png_has_the_size_that_is_asked_for(size):
    height = size.height or 300
    content = single().png(width=size.width, height=height, scale=size.scale)
    assert struct.unpack(">II", content[16:24]) == (round(size.scale * size.width), round(size.scale * height))


def test_a_slide_is_full_hd_with_larger_type_than_the_page():
    slide, page = SIZES["slide"], SIZES["page"]
    assert (slide.width * slide.scale, (slide.height or 0) * slide.scale) == (1920, 1080)
    assert slide.scale * 12 / 1080 > 0.025 > page.scale * 12 / 1080  # 12 pixels of type


@each("theme", THEMES)
def test_the_looks_are_those_of_the_app(theme):
    colours = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][theme]
    svg = single().svg(theme=theme)
    assert colours["backgroundColor"].lower() in svg.lower()
    words = {"light": "#424C58", "dark": "#E8EDF2"}
    assert [one for one in THEMES if f'fill="{words[one]}"' in svg] == [theme]
    assert "Source Sans" in svg


@each(
    ("looks", "error"),
    [
        ({"theme": "sepia"}, "theme must be one of light, dark, got 'sepia'"),
        ({"width": 99}, "width must be a whole number from 100 to 4,000, got 99"),
        ({"height": 4_001}, "height must be a whole number from 100 to 4,000, got 4001"),
        ({"width": 700.5}, "width must be a whole number from 100 to 4,000, got 700.5"),
        ({"scale": 0}, "scale must be a number above 0, at most 4, got 0"),
        ({"scale": 5}, "scale must be a number above 0, at most 4, got 5"),
    ],
)
def test_what_no_file_can_have_is_refused(looks, error):
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        single().png(**looks)


def test_the_control_of_a_picture_starts_where_it_is_told():
    table = binary_vs_sinusoid.twin_table(n_positions=32, n_bits=5, dim=16, base=256)
    before = json.dumps(table.spec)
    moved = table.started({"at_position": 20, "waves_shown": "false"})
    assert "Position 20: bits 00101" in moved.svg()
    assert "Position 20" not in table.svg()
    assert json.dumps(table.spec) == before  # the first figure is as it was
    starts = {one["name"]: one["value"] for one in moved.spec["config"]["signals"]}
    assert starts == {"at_position": 20, "waves_shown": False}
    assert table.started({}).spec is table.spec


@each(
    ("values", "error"),
    [
        ({"at_position": 48}, "at_position must be a whole number from 0 to 47, got 48"),
        ({"at": 3}, "a control of the picture must be one of at_position, waves_shown, got at"),
        ({"waves_shown": "no"}, "waves_shown must be one of true, false, got no"),
    ],
)
def test_a_control_takes_only_what_it_can_show(values, error):
    table = binary_vs_sinusoid.twin_table(n_positions=32, n_bits=5, dim=16, base=256)
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        table.started(values)
