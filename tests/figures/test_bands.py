"""Bands one above the other: frames hold the numbers, bands have scales of their own, specs stay."""

import pytest
import torch

from pe_core.figures import bands
from pe_core.figures.bands import BOTTOM, END, TOP, TRAINED, Band


def band(values, trained=(0.0,), name="one"):
    where, trained_where = torch.arange(len(values)), torch.arange(len(trained))
    doubles = torch.tensor(values, dtype=torch.float64), torch.tensor(trained, dtype=torch.float64)
    return Band(name, "a note", "#000000", where, doubles[0], trained_where, doubles[1], doubles[0] - 1, doubles[0] + 1)


def test_each_band_runs_from_its_highest_to_its_lowest_number():
    frames = bands.shapes([band([0.0, -4.0, -8.0]), band([1.0, 3.0], (-1.0,), "two")], 2).frames
    one, two = (frames["curves"][frames["curves"].system == name] for name in ("one", "two"))
    assert one.height.to_list() == pytest.approx([TOP, (TOP + BOTTOM) / 2, BOTTOM, TOP])
    assert two.height.to_list() == pytest.approx([1 + (TOP + BOTTOM) / 2, 1 + TOP, 1 + BOTTOM])
    assert one["query"].to_list() == [END, END, END, TRAINED]
    assert one.bias.to_list() == [0, -4, -8, 0]
    assert frames["zeros"].zero.to_list() == pytest.approx([TOP, 1 + TOP + (BOTTOM - TOP) * 3 / 4])
    assert frames["bands"].bottom.to_list() == [1, 2]
    assert frames["marks"].x.to_list() == [2]


def test_a_band_of_zeros_is_drawn():
    curves = bands.shapes([band([0.0, 0.0])], 1).frames["curves"]
    assert curves.height.to_list() == [TOP] * 3


@pytest.mark.parametrize(("values", "steps"), [([0.0, -1.0, -1.0], True), ([0.0, -1.0, -2.0], False)])
def test_equal_neighbours_make_steps(values, steps):
    assert set(bands.shapes([band(values)], 1).frames["curves"].steps) == {steps}


def test_bars_start_at_zero_and_end_at_their_number():
    frames = bands.bars({"a": torch.tensor([0.25, 1.0]), "b": torch.tensor([-3.0, 1.0])}).frames
    bars = frames["bars"]
    height = (bars.zero - bars.end).to_list()
    assert height[0] / height[1] == pytest.approx(0.25)
    assert height[2] / height[3] == pytest.approx(-3)
    assert bars.value.to_list() == [0.25, 1, -3, 1]
    assert frames["bands"].note.to_list() == ["sum 1.25", "sum −2"]


def made(n):
    """One figure of each kind, with other numbers and another number of points for another n."""
    row = torch.linspace(0.1, 1, n + 1, dtype=torch.float64)
    return {
        "shapes": bands.shapes([band((-row).tolist()), band([n, n], name="two")], n),
        "bars": bands.bars({"a": row, "b": -row, "c": row - 0.5}),
    }


@pytest.mark.parametrize("kind", made(2))
def test_specs_stay_the_same_and_draw(kind):
    few, many = made(2)[kind], made(7)[kind]
    assert few.spec is many.spec
    for figure in (few, many):
        assert figure.svg().startswith("<svg")
        assert all(not frame.empty and not frame.isna().any(axis=None) for frame in figure.frames.values())
