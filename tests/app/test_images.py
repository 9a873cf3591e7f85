"""The page on images and video: what it says and draws, sequences that are typed, clicks, its exercise, and links.

Its numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math
from functools import partial
from types import SimpleNamespace

from pe_core.chapters import images
from tests.app.opened import checked, frames, opened, said, sentences
from ui.page import set_controls

PAGE = "images"
SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"
RULES = {
    "img_rows": "be a whole number from 2 to 24",
    "img_columns": "be a whole number from 2 to 24",
    "img_row_of_14": "be a whole number from 0 to 13",
    "img_column_of_14": "be a whole number from 0 to 13",
    "img_direction": "be a whole number from 0 to 90 in steps of 5",
    "img_base": "be one of published, 10, 100, 10000",
    "img_look": "be one of Channels, Pairs by axis, Ids of a sequence, Scores in a sequence, Larger images",
    "img_added": "be one of mae, detr",
}


def sound(at):
    return checked(at, 2)


def row_of_table(at, title):
    (line,) = [line for line in said(at).splitlines() if line.startswith(f"| {title} |")]
    return line.strip("| ").split(" | ")[1:]


def test_the_maps_and_their_patch_have_controls_of_their_own_for_each_size():
    at = sound(opened(PAGE))
    assert not at.warning
    assert "follow the column: 0, 2, 4, 8. Channels that follow the row: 32" in said(at)
    assert "By column: 0, 2, 4, 8. By" in sentences(at)[1]
    before = frames(at)[0]["cells"]
    sound(at.slider(key="img_rows").set_value(10).run())
    assert at.slider(key="img_row_of_10").value == 4
    assert len(frames(at)[0]["cells"]) == len(before) * 10 / 14
    assert "at row 4, column 6 of an image of 10 x 14" in sentences(at)[0]


def test_a_link_names_a_patch_in_the_corner_and_its_neighbours_are_tabled():
    link = {"img_row_of_14": "13", "img_column_of_14": "13"}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert {name: at.query_params[name] for name in link} == link
    kernel = sum(math.cos(100 ** (-j / 16)) for j in range(16)) / 16
    assert row_of_table(at, "Axial RoPE") == [f"{(1 + kernel) / 2:.3f}"] * 2 + [f"{kernel:.3f}", "0"]
    assert "at row 13, column 13 of an image of 14 x 14" in sentences(at)[0]


def test_without_an_encoding_the_first_ones_stand_in():
    at = sound(opened(PAGE, img_encodings=""))
    assert "at least one encoding" in at.info[0].value
    assert len(set(frames(at)[0]["cells"]["map"])) == 4


def test_a_sequence_can_be_typed_and_one_that_cannot_be_read_gives_way_to_the_first():
    at = sound(opened(PAGE, img_look="Ids of a sequence"))
    assert "45 tokens, and ids no larger than **16**" in said(at)
    assert "would go on at **17**" in said(at)
    assert "| 2 | image | 12 | (4, 4, 4) | (4, 6, 7) |" in said(at)
    assert "| 4 | video | 24 | (10, 10, 10) | (11, 12, 13) |" in said(at)
    sound(at.text_input(key="img_parts").set_value("TEXT 3,,video 1x1x1").run())
    assert not at.warning
    assert len(frames(at)[1]["tokens"]) == 4
    [warning] = sound(at.text_input(key="img_parts").set_value("`<script>`").run()).warning
    problem = "each part must be text n, image rows x columns, or video frames x rows x columns, got '<script>'"
    assert f"{problem}`. Shown instead: `{SEQUENCE}`." in warning.value
    assert len(frames(at)[1]["tokens"]) == 45


def test_the_token_whose_scores_are_shown_is_one_of_the_sequence_of_the_link():
    at = sound(opened(PAGE, img_look="Scores in a sequence", img_parts="text 3"))
    assert not at.warning
    assert at.query_params["img_parts"] == "text 3"
    token = at.slider(key="img_token_to_2")
    assert (token.value, token.max) == (2, 2)
    assert "score of token **2**, with the ids (2, 2, 2), with each" in said(at)
    assert "with token 2. Lowest" in sentences(at)[1]


def test_the_exercise_is_answered_by_computation():
    at = opened(PAGE)
    [wrong] = sound(at.number_input(key="img_guess").set_value(59).run()).warning
    assert not at.success
    [right] = sound(at.number_input(key="img_guess").set_value(14).run()).success
    assert not at.warning
    for answer in (wrong.value, right.value):
        assert "(5, 10, 13)" in answer
        assert "With plain RoPE the id would be 59." in answer


def test_bad_links_are_named_and_the_defaults_shown():
    at = sound(opened(PAGE, **dict.fromkeys(RULES, "7.5"), img_encodings="none"))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(RULES) + 1
    assert all(f"{name} must {rule}, got '7.5'" in warned for name, rule in RULES.items())
    assert "img_encodings must be among flat, mae, detr, axial, mixed, got none" in warned
    assert "at row 6, column 6 of an image of 14 x 14" in sentences(at)[0]


def test_a_click_puts_the_sliders_where_the_patch_is(monkeypatch):
    state = {"img_maps": SimpleNamespace(selection={"patch": [{"index": 17, "before": 3}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    set_controls("img_maps", images.CLICKED, partial(images.clicked, 4, 5))
    assert (state["img_row_of_4"], state["img_column_of_5"]) == (3, 2)
    before = dict(state)
    state["img_maps"].selection["patch"] = []
    set_controls("img_maps", images.CLICKED, partial(images.clicked, 2, 3))
    assert state == before
