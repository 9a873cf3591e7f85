"""Pictures of the chapter on learned tables: numbers found by other ways, every argument matters, own files."""

import json
import math
from functools import partial

import numpy as np
import pytest
import torch

from pe_core.chapters import learned
from pe_core.lab.inspection.learned_table import KEPT, WAYS, read

STEP = 500
BASES = {
    learned.table: {"step": STEP},
    learned.similarity: {"step": STEP},
    learned.row: {"step": STEP, "number": 20},
    learned.past_end: {"step": STEP},
    learned.lengths: {"step": STEP},
    learned.movement: {"step": STEP},
}
OTHERS = {"step": 100, "number": 21}


@pytest.fixture(scope="module")
def rows():
    """The numbers of the kept file, read without the project's own reader: tables and losses by step."""
    with np.load(KEPT) as file:
        steps = [0, 10, 25, 50, 100, 200, 350, 500, 750, 1000]
        return dict(zip(steps, file["tables"], strict=True)), dict(zip(steps, file["losses"], strict=True))


@pytest.fixture(scope="module")
def other_file(tmp_path_factory):
    """The kept run with its losses and rows a tenth larger, and the trained first channel three times."""
    path = tmp_path_factory.mktemp("run") / "other.npz"
    with np.load(KEPT) as file:
        content = {name: file[name] for name in file.files}
    content["tables"] = content["tables"] * np.float32(1.1)
    content["tables"][1:, :, 0] *= -3
    np.savez(path, **{**content, "losses": content["losses"] * np.float32(1.1)})
    return str(path)


def data(function, **arguments):
    return {name: frame.to_dict() for name, frame in function(**arguments).frames.items()}


@pytest.mark.parametrize(("function", "name"), [(function, name) for function, base in BASES.items() for name in base])
def test_every_argument_changes_the_picture(function, name):
    base = BASES[function]
    assert data(function, **base) != data(function, **{**base, name: OTHERS[name]})


@pytest.mark.parametrize("function", BASES)
def test_the_file_can_be_ones_own(function, other_file):
    base = BASES[function]
    assert data(function, **base) == data(function, **base, file=str(KEPT))
    assert data(function, **base) != data(function, **base, file=other_file)


@pytest.mark.parametrize("function", BASES)
def test_every_picture_is_drawn_with_the_same_spec_at_every_step(function):
    picture = partial(function, **BASES[function])
    assert picture().spec == picture(step=0).spec == picture(step=1_000).spec
    assert "never trained" in picture().svg()


def test_the_image_of_the_table_holds_its_numbers(rows):
    behind = learned.table(step=STEP).tables()["table"]
    assert behind.value.to_numpy() == pytest.approx(rows[0][STEP].ravel())


def cosine(a, b):
    dot = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(float(x) ** 2 for x in a) * sum(float(y) ** 2 for y in b))


def test_cosines_are_those_of_plain_loops(rows):
    table = rows[0][STEP]
    image = learned.similarity(step=STEP).tables()["table"].set_index(["row", "column"]).value
    line = learned.row(step=STEP, number=20).frames["lines"].y
    for other in (0, 19, 20, 21, 63, 64, 127):
        expected = pytest.approx(cosine(table[20], table[other]))
        assert image[20, other] == expected == image[other, 20]
        assert line[other] == expected


def test_losses_are_shown_by_way_and_averaged_on_either_side_of_the_end(rows):
    frame = learned.past_end(step=STEP).frames["lines"]
    found = learned.past_losses(read(), STEP)
    for way, losses in zip(WAYS, rows[1][STEP], strict=True):
        assert frame[frame.name == way].y.to_numpy() == pytest.approx(losses)
        assert found[way] == pytest.approx((losses[:64].mean(), losses[64:].mean()))


def test_lengths_and_movement_are_those_of_plain_loops(rows):
    (before, after), run = (rows[0][step] for step in (0, STEP)), read()
    lengths = learned.lengths(step=STEP).frames["lines"].y
    turned = learned.movement(step=STEP).frames["lines"].y
    moved = learned.moved(run, STEP)
    for m in (0, 63, 64, 127):
        assert lengths[128 + m] == pytest.approx(math.hypot(*map(float, after[m])))
        assert lengths[m] == pytest.approx(math.hypot(*map(float, before[m])))
        assert turned[m] == pytest.approx(cosine(before[m], after[m]))
        gone = math.hypot(*(float(y) - float(x) for x, y in zip(before[m], after[m], strict=True)))
        assert float(moved[m]) == pytest.approx(gone / lengths[m])


def test_the_row_most_alike_is_found_by_looking_at_all(rows):
    table, run = rows[0][STEP], read()
    for number in (0, 20, 64):
        others = [other for other in range(128) if other != number]
        best = max(others, key=lambda other: cosine(table[number], table[other]))
        assert learned.most_alike(run, STEP, number) == (best, pytest.approx(cosine(table[number], table[best])))


def test_neighbours_grow_alike_where_there_was_training_only():
    run = read()
    (first, noise), (last, still) = learned.alike(run, 0), learned.alike(run, 1_000)
    assert abs(first) < 0.05
    assert last > 0.8
    assert noise == pytest.approx(still, abs=1e-6)
    assert learned.alike(run, 1_000, 4)[0] < last


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: learned.table(step=7), "step must be one of 0, 10, 25, 50, 100, 200, 350, 500, 750, 1000, got 7"),
        (lambda: learned.row(step=0, number=128), "number must be from 0 to 127, got 128"),
        (lambda: learned.row(step=0, number=-1), "number must be from 0 to 127, got -1"),
    ],
)
def test_what_is_not_allowed(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        call()
    assert str(caught.value) == message


def test_the_settings_of_the_kept_file_are_as_these_tests_have_them():
    with np.load(KEPT) as file:
        settings = json.loads(str(file["facts"]))["settings"]
    assert (settings["train_length"], settings["n_rows"], settings["steps"]) == (64, 128, 1_000)
    assert read().tables.dtype == torch.float32
