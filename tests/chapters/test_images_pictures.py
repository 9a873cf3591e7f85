"""The pictures of the page on images and video: numbers worked out here, and every parameter matters."""

import math

import pandas as pd
import pytest

from pe_core.chapters import images

MAPS = {
    "encodings": ("axial", "mixed"),
    "bases": (100.0, 10.0),
    "n_rows": 4,
    "n_columns": 5,
    "row": 1,
    "column": 2,
    "degrees": 30.0,
}
PARTS = "text 2, image 2x3, text 1"
SCORES = {"parts": PARTS, "token": 3, "head_dim": 32, "base": 100.0}


def cells(figure):
    return figure.frames["cells"]


def test_similarity_to_the_patch_below_and_beside():
    table = cells(images.distance_maps(**MAPS)).set_index(["name", "row", "column"]).value
    kernel = sum(math.cos(100 ** (-j / 16)) for j in range(16)) / 16
    assert table["Axial RoPE", 1, 2] == pytest.approx(1)
    assert table["Axial RoPE", 2, 2] == pytest.approx((1 + kernel) / 2)
    assert table["Axial RoPE", 1, 1] == pytest.approx((1 + kernel) / 2)
    assert table["Axial RoPE", 0, 3] == pytest.approx(kernel)


def test_base_and_patch_are_named():
    frames = images.distance_maps(**MAPS).frames
    assert frames["words"].text.to_list() == ["Axial RoPE", "base 100", "Mixed RoPE, one head", "base 10"]
    assert frames["marked"][["row", "column"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_a_head_of_mixed_rope_that_does_not_look_askew_is_axial():
    same = {**MAPS, "bases": (10.0, 10.0), "degrees": 0.0}
    table = cells(images.distance_maps(**same))
    axial, mixed = (table[table["map"] == number].value.to_numpy() for number in (0, 1))
    assert axial == pytest.approx(mixed, abs=1e-12)


def test_the_direction_is_in_degrees():
    table = cells(images.distance_maps(**MAPS)).set_index(["name", "row", "column"]).value
    down, across = math.cos(math.pi / 6), -math.sin(math.pi / 6)  # one row on, in the two directions of the head
    products = [math.cos(step * 10 ** (-j / 16)) for step in (down, across) for j in range(16)]
    assert table["Mixed RoPE, one head", 2, 2] == pytest.approx(sum(products) / 32)


@pytest.mark.parametrize(
    "change",
    [
        {"encodings": ("mae", "mixed")},
        {"bases": (10.0, 10.0)},
        {"n_rows": 5},
        {"n_columns": 4},
        {"row": 2},
        {"column": 1},
        {"degrees": 60.0},
    ],
)
def test_everything_changes_the_maps(change):
    before, after = cells(images.distance_maps(**MAPS)), cells(images.distance_maps(**{**MAPS, **change}))
    assert not before.equals(after)


def test_channels_of_mae_start_with_the_column_and_those_of_detr_with_the_row():
    def notes(encoding):
        words = images.channel_maps(encoding=encoding, base=10_000.0, n_rows=3, n_columns=4).frames["words"]
        return words[words.kind == "note"].text.to_list()

    assert notes("mae") == ["by column"] * 4 + ["by row"] * 4
    assert notes("detr") == ["by row"] * 4 + ["by column"] * 4


def test_a_channel_of_mae_is_a_sine():
    table = cells(images.channel_maps(encoding="mae", base=10_000.0, n_rows=3, n_columns=4))
    table = table.set_index(["name", "row", "column"]).value
    assert table["Channel 2", 1, 3] == pytest.approx(math.sin(3 * 10_000 ** (-2 / 16)))
    assert table["Channel 40", 2, 3] == pytest.approx(math.sin(2 * 10_000 ** (-8 / 16)))


@pytest.mark.parametrize("change", [{"encoding": "detr"}, {"base": 10.0}, {"n_rows": 4}, {"n_columns": 5}])
def test_everything_changes_the_channels(change):
    plain = {"encoding": "mae", "base": 10_000.0, "n_rows": 3, "n_columns": 4}
    assert not cells(images.channel_maps(**plain)).equals(cells(images.channel_maps(**{**plain, **change})))


def test_pairs_of_64_are_dealt_out_as_published():
    frame = images.pair_axes(head_dim=128, base=10_000.0).frames["pairs"]
    axes = frame.groupby("encoding").axis.apply(list)
    assert axes["Plain RoPE"] == ["position"] * 64
    assert axes["Axial RoPE"] == ["row h"] * 32 + ["column w"] * 32
    assert axes["M-RoPE"] == ["time t"] * 16 + ["row h"] * 24 + ["column w"] * 24
    assert axes["M-RoPE, interleaved"] == ["time t", "row h", "column w"] * 20 + ["time t"] * 4
    waves = frame[frame.encoding == "Axial RoPE"].wavelength.to_list()
    assert waves[:32] == pytest.approx([2 * math.pi * 10_000 ** (2 * pair / 64) for pair in range(32)])
    assert waves[32:] == waves[:32]


@pytest.mark.parametrize("change", [{"head_dim": 64}, {"base": 100.0}])
def test_everything_changes_the_pairs(change):
    plain = {"head_dim": 128, "base": 10_000.0}
    before, after = (images.pair_axes(**chosen).frames["pairs"] for chosen in (plain, {**plain, **change}))
    assert not before.equals(after)


def test_ids_of_a_sequence_by_hand():
    frame = images.sequence_ids(parts=PARTS).frames["tokens"]
    assert frame["time t"].to_list() == [0, 1, 2, 2, 2, 2, 2, 2, 5]
    assert frame["row h"].to_list() == [0, 1, 2, 2, 2, 3, 3, 3, 5]
    assert frame["column w"].to_list() == [0, 1, 2, 3, 4, 2, 3, 4, 5]


def test_falls_of_the_scores_as_loops_over_the_formula():
    table = cells(images.score_maps(**SCORES)).set_index(["name", "index"]).value
    axes = [0] * 4 + [1] * 6 + [2] * 6  # 16 pairs in the proportions 16 : 24 : 24
    here, there = (2, 2, 3), (5, 5, 5)
    products = [math.cos((here[axis] - there[axis]) * 100 ** (-pair / 16)) for pair, axis in enumerate(axes)]
    assert table["M-RoPE", 8] == pytest.approx(1 - sum(products) / 16)
    plain = [math.cos(5 * 100 ** (-pair / 16)) for pair in range(16)]
    assert table["Plain RoPE", 8] == pytest.approx(1 - sum(plain) / 16)
    assert table["M-RoPE", 3] == images.LEAST_FALL


@pytest.mark.parametrize(
    "change", [{"parts": "text 2, image 3x2, text 1"}, {"token": 4}, {"head_dim": 64}, {"base": 10.0}]
)
def test_everything_changes_the_scores(change):
    before, after = cells(images.score_maps(**SCORES)), cells(images.score_maps(**{**SCORES, **change}))
    assert not before.equals(after)


@pytest.mark.parametrize(("parts", "lines"), [("text 8", 2), ("text 9", 3), ("image 3x4, text 2", 4), ("text 400", 16)])
def test_lines_of_a_sequence_with_one_for_the_names(parts, lines):
    assert images.lines_of(parts) == lines


def test_rescaled_coordinates_stay_within_those_of_training():
    found = images.coordinates(4, 6)
    assert found["in training"].tolist() == [0, 1, 2, 3]
    assert found["counted on"].tolist() == [0, 1, 2, 3, 4, 5]
    assert found["rescaled"].tolist() == pytest.approx([0, 2 / 3, 4 / 3, 2, 8 / 3, 10 / 3])
    frame = images.resized(trained=4, side=6).frames["coordinates"]
    assert frame.groupby("way").coordinate.max().to_dict() == pytest.approx(
        {"in training": 3, "counted on": 5, "rescaled": 10 / 3}
    )


@pytest.mark.parametrize(("trained", "side"), [(5, 6), (4, 7)])
def test_both_sizes_change_the_coordinates(trained, side):
    before = images.resized(trained=4, side=6).frames["coordinates"]
    assert not before.equals(images.resized(trained=trained, side=side).frames["coordinates"])


@pytest.mark.parametrize("frame", ["tokens", "parts"])
def test_the_sequence_changes_its_ids(frame):
    before, after = (images.sequence_ids(parts=parts).frames[frame] for parts in (PARTS, "text 3, image 2x2"))
    assert isinstance(before, pd.DataFrame)
    assert not before.equals(after)


def test_a_sequence_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match=r"^sequence must have 1 to 8 parts, got 0$"):
        images.sequence_ids(parts="")
