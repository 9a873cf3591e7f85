"""The page on images and video: what it says by default, at both ends of its controls, and for bad links."""

import math
from types import SimpleNamespace

import pytest

from pe_core.chapters import images
from tests.app.opened import checked, frames, opened, said, sentences
from ui.parts import Picture

PAGE = "images"
LOOKS = ("Channels", "Pairs by axis", "Ids of a sequence", "Scores in a sequence", "Larger images")
ENCODINGS = ("flat", "mae", "detr", "axial", "mixed")
SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"
ENDS = {
    "img_rows": ("2", "24"),
    "img_columns": ("2", "24"),
    "img_row_of_14": ("0", "13"),
    "img_column_of_14": ("0", "13"),
    "img_direction": ("0", "90"),
    "img_base": ("published", "10000"),
}
RULES = {
    "img_rows": "be a whole number from 2 to 24",
    "img_columns": "be a whole number from 2 to 24",
    "img_row_of_14": "be a whole number from 0 to 13",
    "img_column_of_14": "be a whole number from 0 to 13",
    "img_direction": "be a whole number from 0 to 90 in steps of 5",
    "img_base": "be one of published, 10, 100, 10000",
}
LOOK_ENDS = {
    "Pairs by axis": {"img_head": ("32", "128"), "img_rope_base": ("1", "100000000")},
    "Scores in a sequence": {
        "img_head": ("32", "128"),
        "img_rope_base": ("1", "100000000"),
        "img_token_to_44": ("0", "44"),
    },
    "Larger images": {"img_trained": ("2", "24"), "img_side": ("24", "48")},
}
LOOK_RULES = {
    "img_head": "be one of 32, 64, 96, 128",
    "img_rope_base": "be a whole number from 1 to 100,000,000",
    "img_token_to_44": "be a whole number from 0 to 44",
    "img_trained": "be a whole number from 2 to 24",
    "img_side": "be a whole number from 24 to 48",
}
HOSTILE = ["", "abc", "nan", "-3", "7.5", "99999999999999999999", "<b>1</b>"]


def sound(at):
    return checked(at, 2)


def row_of_table(at, title):
    (line,) = [line for line in said(at).splitlines() if line.startswith(f"| {title} |")]
    return line.strip("| ").split(" | ")[1:]


@pytest.mark.parametrize(
    ("look", "link", "words", "pictures"),
    [
        (
            "Channels",
            {},
            "follow the column: 0, 2, 4, 8. Channels that follow the row: 32",
            "By column: 0, 2, 4, 8. By",
        ),
        ("Channels", {"img_added": "detr"}, "follow the column: 32, 34, 36, 40. Channels", "(DETR) as stripes"),
        ("Pairs by axis", {}, "columns one of 1,987 steps: 0.012 turns across 24 columns.**", "from 1,987. Inter"),
        ("Pairs by axis", {}, "16 : 24 : 24 for time, row and column", "Wavelengths of 64 pairs by axis"),
        ("Scores in a sequence", {}, "score of token **9**, with the ids (4, 5, 5), with each", "with token 9. Lowest"),
        ("Scores in a sequence", {}, "ends at 0.0001, since", "Lowest scores: Plain RoPE 0."),
        ("Larger images", {}, "**10** coordinates lie beyond", "rescaled, the last at 13.42."),
        ("Larger images", {}, "the last one is 13.42. But then neighbours are only 0.5833", "of 24 patches"),
    ],
)
def test_a_look_says_what_its_picture_has_measured(look, link, words, pictures):
    at = sound(opened(PAGE, img_look=look, **link))
    assert words in said(at)
    assert pictures in sentences(at)[1]


def test_the_table_and_the_sentence_of_the_maps():
    at = sound(opened(PAGE, img_row_of_14="13", img_column_of_14="13"))
    assert not at.warning
    kernel = sum(math.cos(100 ** (-j / 16)) for j in range(16)) / 16
    assert row_of_table(at, "Axial RoPE") == [f"{(1 + kernel) / 2:.3f}"] * 2 + [f"{kernel:.3f}", "0"]
    assert "at row 13, column 13 of an image of 14 x 14" in sentences(at)[0]


def test_with_one_base_the_sinusoid_and_axial_rope_are_the_same_map():
    cells = frames(sound(opened(PAGE, img_base="100")))[0]["cells"]
    maps = {name: part.value.to_numpy() for name, part in cells.groupby("name")}
    assert maps["2-D sinusoid (MAE)"] == pytest.approx(maps["Axial RoPE"], abs=1e-12)
    cells = frames(sound(opened(PAGE)))[0]["cells"]
    maps = {name: part.value.to_numpy() for name, part in cells.groupby("name")}
    assert abs(maps["2-D sinusoid (MAE)"] - maps["Axial RoPE"]).max() > 0.1


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("end", [0, 1])
def test_all_controls_at_the_same_end(look, end):
    ends = {key: values[end] for key, values in (ENDS | LOOK_ENDS.get(look, {})).items() if "_of_14" not in key}
    side = (2, 24)[end]
    places = {f"img_row_of_{side}": str((side - 1) * end), f"img_column_of_{side}": str((side - 1) * end)}
    link = {"img_look": look, "img_encodings": list(ENCODINGS), **ends, **places}
    at = sound(opened(PAGE, **link))
    assert not at.warning
    assert len(frames(at)[0]["cells"]) == 5 * side * side
    marked = frames(at)[0]["marked"]
    assert set(marked.row) == set(marked.column) == {(side - 1) * end}


@pytest.mark.parametrize(
    ("look", "key", "value"),
    [(look, key, value) for look, ends in LOOK_ENDS.items() for key, values in ends.items() for value in values],
)
def test_every_control_of_a_look_at_both_ends(look, key, value):
    assert not sound(opened(PAGE, img_look=look, **{key: value})).warning


@pytest.mark.parametrize("key", ENCODINGS)
def test_every_encoding_alone(key):
    at = sound(opened(PAGE, img_encodings=key))
    assert set(frames(at)[0]["cells"]["map"]) == {0}
    assert not at.warning


def test_without_an_encoding_the_first_ones_stand_in():
    at = sound(opened(PAGE, img_encodings=""))
    assert "at least one encoding" in at.info[0].value
    assert len(set(frames(at)[0]["cells"]["map"])) == 4


def test_ids_of_the_first_sequence_by_hand():
    at = sound(opened(PAGE, img_look="Ids of a sequence"))
    assert "45 tokens, and ids no larger than **16**" in said(at)
    assert "would go on at **17**" in said(at)
    assert "| 2 | image | 12 | (4, 4, 4) | (4, 6, 7) |" in said(at)
    assert "| 4 | video | 24 | (10, 10, 10) | (11, 12, 13) |" in said(at)


@pytest.mark.parametrize("look", ["Ids of a sequence", "Scores in a sequence"])
@pytest.mark.parametrize(
    "sequence",
    ["text 2", "image 1x2", "text 400", "video 24x4x4", ", ".join(["image 5x10"] * 8), "TEXT 3,,video 1x1x1"],
)
def test_any_sequence(look, sequence):
    assert not sound(opened(PAGE, img_look=look, img_parts=sequence)).warning


@pytest.mark.parametrize("look", ["Ids of a sequence", "Scores in a sequence"])
@pytest.mark.parametrize(
    ("sequence", "problem"),
    [
        ("", "sequence must have 1 to 8 parts, got 0"),
        ("text 1", "sequence must have 2 to 400 tokens, got 1"),
        ("text 300, text 101", "sequence must have 2 to 400 tokens, got 401"),
        ("sound 3", "each part must be text n, image rows x columns, or video frames x rows x columns, got sound 3"),
        ("image 25x1", "each side of an image or a video must be from 1 to 24, got image 25x1"),
        ("`<script>`", "video frames x rows x columns, got '<script>'"),
    ],
)
def test_a_sequence_that_cannot_be_read_gives_way_to_the_first(look, sequence, problem):
    at = sound(opened(PAGE, img_look=look, img_parts=sequence))
    assert len(at.warning) == 1
    assert f"{problem}`. Shown instead: `{SEQUENCE}`." in at.warning[0].value
    assert 45 in [len(frames(at)[1].get("tokens", ())), len(frames(at)[1].get("cells", ())) / 3]


@pytest.mark.parametrize(("guess", "right"), [(14, True), (59, False)])
def test_the_exercise_is_answered_by_computation(guess, right):
    at = opened(PAGE)
    at.number_input(key="img_guess").set_value(guess).run()
    assert len(sound(at).success) == right
    assert len(at.warning) == (not right)
    answer = (at.success or at.warning)[0].value
    assert "(5, 10, 13)" in answer
    assert "With plain RoPE the id would be 59." in answer


@pytest.mark.parametrize("value", HOSTILE)
def test_bad_links_are_named_and_the_defaults_shown(value):
    at = sound(opened(PAGE, **dict.fromkeys(ENDS, value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(ENDS)
    assert all(f"{key} must {RULES[key]}, got {value!r}" in warned for key in ENDS)


@pytest.mark.parametrize("look", LOOK_ENDS)
@pytest.mark.parametrize("value", HOSTILE)
def test_bad_links_of_a_look_are_named(look, value):
    at = sound(opened(PAGE, img_look=look, **dict.fromkeys(LOOK_ENDS[look], value)))
    warned = " ".join(warning.value for warning in at.warning)
    assert len(at.warning) == len(LOOK_ENDS[look])
    assert all(f"{key} must {LOOK_RULES[key]}, got {value!r}" in warned for key in LOOK_ENDS[look])


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("img_look", "Channel", f"be one of {', '.join(LOOKS)}, got 'Channel'"),
        ("img_direction", "7", "be a whole number from 0 to 90 in steps of 5, got '7'"),
        ("img_added", "axial", "be one of mae, detr, got 'axial'"),
        ("img_encodings", "none", f"be among {', '.join(ENCODINGS)}, got none"),
    ],
)
def test_a_value_that_is_no_choice_is_named(key, value, rule):
    at = sound(opened(PAGE, **{key: value}))
    assert [f"{key} must {rule}" in warning.value for warning in at.warning] == [True]


def test_a_click_puts_the_sliders_where_the_patch_is(monkeypatch):
    state = {"img_maps": SimpleNamespace(selection={"patch": [{"index": 17, "before": 3}]})}
    monkeypatch.setattr("streamlit.session_state", state)
    maps = Picture(images.distance_maps, "img_maps", told="", selection=images.CLICKED, take=images.clicked)
    maps._selected({"n_rows": 4, "n_columns": 5, "degrees": 30})
    assert (state["img_row_of_4"], state["img_column_of_5"]) == (3, 2)
    before = dict(state)
    state["img_maps"].selection["patch"] = []
    maps._selected({"n_rows": 2, "n_columns": 3})
    assert state == before
