"""The chapter on images and video: its pictures and their facts, worked out here by hand and by loops."""

import math

import pytest

from pe_core.chapters import images
from tests.cases import each, refuses
from tests.chapters.offered import sets, sound

MAPS, OTHER_MAPS = sets(
    "encodings n_rows n_columns degrees row column bases",
    (("axial", "mixed"), 4, 5, 30, 1, 2, "published"),
    (("mae", "mixed"), 5, 4, 60, 2, 1, "100"),
)
PARTS = "text 2, image 2x3, text 1"
PICTURES = {
    images.distance_maps: (MAPS, OTHER_MAPS),
    images.channel_maps: sets("encoding n_rows n_columns bases", ("mae", 3, 4, "published"), ("detr", 4, 5, "10")),
    images.pair_axes: sets("head_dim base", (128, 10_000), (64, 100)),
    images.sequence_ids: ({"parts": PARTS}, {"parts": "text 3, image 2x2"}),
    images.score_maps: sets("parts token head_dim base", (PARTS, 3, 32, 100), ("text 2, image 3x2, text 1", 4, 64, 10)),
    images.resized: sets("trained side", (4, 6), (5, 7)),
}


def cells(figure):
    return figure.frames["cells"]


def table(text):
    """The rows of a Markdown table by their first cell."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {first: others for first, *others in rows}


@each("key", images.PATCH_CODES)
def test_no_image_has_a_similarity_below_the_colours(key):
    maps = [
        cells(images.distance_maps((key,), 24, 24, degrees, 0, column, bases)).value
        for bases in images.BASES.choices
        for degrees in (range(0, 91, 15) if key == "mixed" else (0,))
        for column in (0, 23)  # from two corners there are all distances in rows and columns
    ]
    low, high = images.SIMILARITY.domain
    assert low <= min(values.min() for values in maps)
    assert max(values.max() for values in maps) <= high + 1e-12


@each(
    "parts", ["text 2", "image 1x2", "text 400", "video 24x4x4", ", ".join(["image 5x10"] * 8), "TEXT 3,,video 1x1x1"]
)
def test_any_sequence_has_ids_and_scores(parts):
    token = images.token_of(parts)
    for place in (0, token.default, token.maximum):
        assert sound(images.score_maps(parts, int(place), 32, 100))
    assert sound(images.sequence_ids(parts))


def test_a_token_is_one_of_a_sequence_that_can_be_read():
    found = images.token_of("text 4, image 3x4, text 2, video 2x3x4, text 3")
    assert (found.name, found.default, found.maximum) == ("img_token_to_44", 9, 44)
    assert images.token_of("text 3").default == 2
    refuses(lambda: images.sequence_ids(parts=""), "sequence must have 1 to 8 parts, got 0")


def test_the_direction_is_in_degrees():
    found = cells(images.distance_maps(**{**MAPS, "bases": "10"})).set_index(["name", "row", "column"]).value
    down, across = math.cos(math.pi / 6), -math.sin(math.pi / 6)  # one row on, in the two directions of the head
    products = [math.cos(step * 10 ** (-j / 16)) for step in (down, across) for j in range(16)]
    assert found["Mixed RoPE, one head", 2, 2] == pytest.approx(sum(products) / 32)


def test_neighbours_and_rivals_of_the_plain_index_by_a_loop():
    figure = images.distance_maps(("flat",), 14, 14, 30, 6, 6, "published")
    kernel = [math.fsum(math.cos(k * 10_000 ** (-i / 32)) for i in range(32)) / 32 for k in range(196)]
    patch, below = 6 * 14 + 6, 7 * 14 + 6
    rivals = sum(kernel[abs(n - patch)] > kernel[14] + 1e-9 for n in range(196) if n not in (patch, below))
    assert rivals > 20
    row = [f"{kernel[1]:.3f}", f"{kernel[14]:.3f}", f"{kernel[15]:.3f}", str(rivals)]
    assert table(figure.facts["neighbours"]) == {"Plain index": row}
    assert figure.facts["lowest"] == f"Plain index {min(kernel[abs(n - patch)] for n in range(196)):.3f}"


def test_a_patch_at_the_edge_is_compared_with_the_one_above_and_before():
    inner, edge = (
        images.distance_maps(("axial", "mae"), 14, 14, 30, row, column, "published").facts["neighbours"]
        for row, column in ((6, 6), (13, 13))
    )
    assert inner == edge
    assert table(inner)["Axial RoPE"][3] == "0"


def test_a_click_names_the_controls_of_that_size():
    assert images.clicked(4, 5, [{"index": 17, "before": 3}]) == {"img_row_of_4": 3, "img_column_of_5": 2}
    names = [(one.name, one.maximum, one.default) for one in images.place(4, 5)]
    assert names == [("img_row_of_4", 3, 1), ("img_column_of_5", 4, 1)]


@each(("encoding", "first"), [("mae", "column"), ("detr", "row")])
def test_channels_of_mae_start_with_the_column_and_those_of_detr_with_the_row(encoding, first):
    figure = images.channel_maps(encoding, 3, 4, "published")
    words = figure.frames["words"]
    other = {"row": "column", "column": "row"}[first]
    assert words[words.kind == "note"].text.to_list() == [f"by {first}"] * 4 + [f"by {other}"] * 4
    assert figure.facts[f"by-{first}"] == "0, 2, 4, 8"
    assert figure.facts[f"by-{other}"] == "32, 34, 36, 40"
    assert figure.facts["title"] == {"mae": "2-D sinusoid (MAE)", "detr": "2-D sinusoid (DETR)"}[encoding]
    assert figure.facts["dim"] == 64


def test_rescaled_coordinates_stay_within_those_of_training_and_cost_likeness_of_neighbours():
    found = images.coordinates(4, 6)
    assert found["in training"].tolist() == [0, 1, 2, 3]
    assert found["counted on"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found["rescaled"].tolist() == pytest.approx([0, 2 / 3, 4 / 3, 2, 8 / 3, 10 / 3])
    before, after = (
        (1 + math.fsum(math.cos(step * 100 ** (-j / 16)) for j in range(16)) / 16) / 2 for step in (1, 14 / 24)
    )
    cost = {"unseen": 10, "last": 23 * 14 / 24, "step": 14 / 24, "before": before, "after": after}
    assert images.resized(trained=14, side=24).facts == pytest.approx(cost, rel=1e-6)
    assert images.resized(trained=24, side=24).facts["unseen"] == 0


@each(("guess", "right"), [(14, True), (13, False), (59, False)])
def test_the_id_after_the_image_of_the_exercise(guess, right):
    assert images.id_after_image(guess) == (right, {"next": 14, "last": "(5, 10, 13)", "max-id": 13, "plain": 59})


@each(("parts", "lines"), [("text 8", 2), ("text 9", 3), ("image 3x4, text 2", 4), ("text 400", 16)])
def test_the_height_follows_the_lines_with_one_for_the_names(parts, lines):
    height = 60 + 3 * (images.grids.HEAD + max(90, 13 * lines))
    assert images.score_maps(parts, 0, 32, 100).height == height
