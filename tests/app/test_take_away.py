"""What every page gives away: a link that restores it, and each picture as files and as Python that makes it again."""

import json
import os
import re
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest

from pe_core.chapters.script import RUN_FILE, notebook, python
from pe_core.figures.figure import Figure
from tests.app.opened import frames, opened
from tests.app.walking import PAGES
from tests.chapters.offered import alike, offered

GRADIENT = re.compile(r"gradient_[0-9]+")  # counted on from picture to picture
PLAIN = {"code", "number", "counted", "distance", "from", "to", "sinusoid"}  # heads of one lower-case word


def shown(at):
    return at.session_state["_pictures"]


@pytest.fixture
def undrawn():
    """Has scripts save their figures as files without a drawing: that each can be drawn is tested with its chapter."""
    with pytest.MonkeyPatch.context() as patch:  # not the fixture, by which all that is remembered is forgotten
        patch.setattr(Figure, "save", lambda figure, path: Path(path).write_text("<svg", encoding="utf-8"))
        yield


def has_data_of(chart, frames):
    """Whether a chart got the data of a figure, but for rounding and kinds of numbers on the way."""
    try:
        assert chart.keys() == frames.keys()
        for name, frame in frames.items():
            sent, made = chart[name].reset_index(drop=True), frame.reset_index(drop=True)
            pd.testing.assert_frame_equal(sent, made, check_dtype=False, rtol=1e-5)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("page", PAGES)
def test_every_picture_can_be_had_as_python_that_makes_it_again(page, tmp_path, undrawn):
    at = opened(page)
    left = frames(at)
    for one in shown(at).values():
        figure = offered(one.picture, tmp_path)
        left.pop(next(place for place, chart in enumerate(left) if has_data_of(chart, figure.frames)))
        tables = figure.tables()
        assert len(tables) == one.n_tables > 0
        for name, table in tables.items():
            assert name in figure.frames
            assert len(table)
            assert len(table.columns) > 1
            assert all(head[0].isupper() or " " in head or head in PLAIN for head in table.columns), list(table)
            assert not table.astype(str).apply(lambda column: column.str.startswith("data:")).any(axis=None)
    assert left == []


def dialog(page, **link):
    at = opened(page, **link)
    return at, at.button(key="take_away").click().run()


def test_the_dialog_names_the_link_and_the_python_of_each_picture():
    before, at = dialog("why_position", order="3", sentence="cats chase mice")
    link, *scripts = [code.value for code in at.code]
    assert {*link.partition("?")[2].split("&")} == {"order=1.0.2", "sentence=cats+chase+mice"}
    assert scripts == [python(one.picture).strip() for one in shown(before).values()]
    assert "sentence='cats chase mice'" in scripts[0]
    assert [button.label for button in at.download_button] == ["PNG", "SVG", "CSV", "Notebook"]
    assert shown(at.switch_page("pages/privacy.py").run()) == {}  # of another page nothing is given away


def test_the_code_of_a_notebook_makes_the_picture_and_shows_it(tmp_path):
    at = opened("binary_vs_sinusoid")
    one = shown(at)["bs_table"]
    starts = {"at_position": 20}
    figure = one.picture().started(starts)
    book = json.loads(notebook(one.picture, starts, one.alternative, figure))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    first, *code = book["cells"]
    assert (first["cell_type"], first["source"]) == ("markdown", one.alternative)
    assert {cell["cell_type"] for cell in code} == {"code"}
    assert all({"id", "metadata", "source", "outputs", "execution_count"} <= cell.keys() for cell in code)
    names = {}
    with chdir(tmp_path):
        for cell in code[:-1]:
            exec(cell["source"], names)
    made = eval(code[-1]["source"], names)
    assert alike(made, figure)
    (output,) = code[-1]["outputs"]
    before, after = (GRADIENT.sub("", svg) for svg in (output["data"]["image/svg+xml"], made._repr_svg_()))
    assert before == after
    assert "Position 20" in output["data"]["image/svg+xml"]


def test_the_dialog_gives_pictures_as_they_stand():
    """The slider of a picture is in the link, and so in the Python."""
    _, at = dialog("binary_vs_sinusoid", bs_table_at_position="20")
    assert "figure = figure.started({'at_position': 20})" in at.code[1].value
    assert at.code[0].value.endswith("?bs_table_at_position=20")


def test_a_run_is_offered_beside_the_python_that_reads_it():
    _, at = dialog("lab", encodings=["rope", "alibi"])
    assert at.code[0].value.endswith("?encodings=rope&encodings=alibi")
    assert [button.label for button in at.download_button].count("Run") == 4
    assert f'from_json(Path("{RUN_FILE}").read_text(encoding="utf-8"))' in at.code[1].value


def test_nothing_is_left_behind_when_a_picture_is_written(tmp_path):
    figure = next(iter(shown(opened("why_position")).values())).picture()
    for suffix in ("svg", "png", "csv", "zip"):
        figure.save(tmp_path / f"picture.{suffix}")
    written = ["picture.csv", "picture.png", "picture.svg", "picture.zip"]
    assert sorted(os.listdir(tmp_path)) == written
    with pytest.raises(ValueError, match=r"^the suffix of path must be one of \.svg, \.png, \.csv, \.zip, got \.gif$"):
        figure.save(tmp_path / "picture.gif")
    assert sorted(os.listdir(tmp_path)) == written
