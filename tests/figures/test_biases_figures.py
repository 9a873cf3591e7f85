"""Figures of the chapter on biases: frames hold the numbers, bands have scales of their own, specs stay."""

import math

import pytest
import torch

from pe_core.figures import bias_buckets, bias_forms, bias_rows, biases
from pe_core.figures.bias_buckets import MET, TABLE, TARGET, UNMET, UNTRAINED
from pe_core.figures.biases import BOTTOM, END, TOP, TRAINED, Band


def band(values, trained=(0.0,), name="one"):
    where, trained_where = torch.arange(len(values)), torch.arange(len(trained))
    doubles = torch.tensor(values, dtype=torch.float64), torch.tensor(trained, dtype=torch.float64)
    return Band(name, "a note", "#000000", where, doubles[0], trained_where, doubles[1])


def test_each_band_runs_from_its_highest_to_its_lowest_number():
    frames = biases.shapes([band([0.0, -4.0, -8.0]), band([1.0, 3.0], (-1.0,), "two")], 2).frames
    one, two = (frames["curves"][frames["curves"].system == name] for name in ("one", "two"))
    assert one.height.to_list() == pytest.approx([TOP, (TOP + BOTTOM) / 2, BOTTOM, TOP])
    assert two.height.to_list() == pytest.approx([1 + (TOP + BOTTOM) / 2, 1 + TOP, 1 + BOTTOM])
    assert one["query"].to_list() == [END, END, END, TRAINED]
    assert one.bias.to_list() == [0, -4, -8, 0]
    assert frames["zeros"].zero.to_list() == pytest.approx([TOP, 1 + TOP + (BOTTOM - TOP) * 3 / 4])
    assert frames["bands"].bottom.to_list() == [1, 2]
    assert frames["length"].distance.to_list() == [2]


def test_a_band_of_zeros_is_drawn():
    curves = biases.shapes([band([0.0, 0.0])], 1).frames["curves"]
    assert curves.height.to_list() == [TOP] * 3


@pytest.mark.parametrize(("values", "steps"), [([0.0, -1.0, -1.0], True), ([0.0, -1.0, -2.0], False)])
def test_equal_neighbours_make_steps(values, steps):
    assert set(biases.shapes([band(values)], 1).frames["curves"].steps) == {steps}


def test_a_matrix_leaves_out_what_is_hidden_and_rounds_its_limit_up():
    figure = biases.causal_matrix(torch.tensor([[0.0, -math.inf], [-3.0, 0.0]]), 11.5, "Bias")
    assert figure.frames["table"].value.to_list() == [0, -3, 0]
    assert figure.spec["encoding"]["color"]["scale"]["domain"] == [-20, 20]


def test_buckets_say_whether_they_were_met():
    frame = bias_buckets.buckets(torch.arange(3), torch.tensor([0, 1, 1]), torch.tensor([True, False]), 1).frames[
        "buckets"
    ]
    assert frame.bucket.to_list() == [0, 1, 1]
    assert frame.training.to_list() == [MET, UNMET, UNMET]


def test_a_table_stands_beside_its_target():
    looked_up, trained = torch.tensor([0.0, 5.0]), torch.tensor([True, False])
    frames = bias_buckets.table(torch.arange(2), torch.tensor([0.0, -1.0]), looked_up, trained, 1).frames
    assert frames["wanted"].bias.to_list() == [0, -1]
    assert set(frames["wanted"].what) == {TARGET}
    assert frames["got"].bias.to_list() == [0, 5]
    assert frames["got"].what.to_list() == [TABLE, UNTRAINED]


def test_weights_stand_at_their_distance_and_small_ones_are_left_out():
    rows = {"a": torch.tensor([1e-9, 0.25, 0.75]), "b": torch.tensor([1.0])}
    frame = bias_rows.weights(rows, ["red", "blue"], 8).frames["lines"]
    assert frame.distance.to_list() == [0, 1, 0]
    assert frame.weight.to_list() == [0.75, 0.25, 1]
    assert frame.name.to_list() == ["a", "a", "b"]


def test_dots_mark_the_number_of_keys():
    lines = {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([1.0, 1.5])}
    frames = bias_rows.effective([1, 4], lines, ["red", "blue"], 4, 8).frames
    assert frames["lines"].effective.to_list() == [1, 2, 1, 1.5]
    assert frames["dots"].effective.to_list() == [2, 1.5]


def test_bars_start_at_zero_and_end_at_their_number():
    frames = bias_rows.slips({"a": torch.tensor([0.25, 1.0]), "b": torch.tensor([-3.0, 1.0])}).frames
    bars = frames["bars"]
    height = (bars.zero - bars.end).to_list()
    assert height[0] / height[1] == pytest.approx(0.25)
    assert height[2] / height[3] == pytest.approx(-3)
    assert bars.value.to_list() == [0.25, 1, -3, 1]
    assert frames["bands"].note.to_list() == ["sum 1.25", "sum −2"]


def test_slopes_are_told_apart():
    frame = bias_forms.slopes(torch.tensor([0.5, 0.7]), 1, torch.tensor([0.1, 0.2])).frames["slopes"]
    own = frame[frame.what != bias_forms.NAIVE]
    assert own.slope.to_list() == pytest.approx([0.5, 0.7])
    assert own.what.to_list() == [bias_forms.OWN, bias_forms.FILLED]
    assert own["head"].to_list() == [1, 2]


def made(n):
    """One figure of each kind, with other numbers and another number of points for another n."""
    row = torch.linspace(0.1, 1, n + 1, dtype=torch.float64)
    where = torch.arange(n + 1)
    flags = where > n // 2
    return {
        "shapes": biases.shapes([band((-row).tolist()), band([n, n], name="two")], n),
        "matrix": biases.causal_matrix(torch.eye(n) * n, 10, "Bias"),
        "buckets": bias_buckets.buckets(where, where, flags, n),
        "table": bias_buckets.table(where, -row, row, flags, n),
        "weights": bias_rows.weights({"a": row, "b": row / 2}, ["#0072B2", "#E69F00"], 8),
        "effective": bias_rows.effective(list(range(1, n + 2)), {"a": row, "b": row}, ["#0072B2", "#E69F00"], n, 8),
        "slips": bias_rows.slips({"a": row, "b": -row, "c": row - 0.5}),
        "slopes": bias_forms.slopes(row, n // 2, row / 2),
        "rounded": bias_forms.rounded(where, {"a": row, "b": row / 2, "c": row / 3}),
    }


@pytest.mark.parametrize("kind", made(2))
def test_specs_stay_the_same_and_draw(kind):
    few, many = made(2)[kind], made(7)[kind]
    assert few.spec is many.spec
    for figure in (few, many):
        assert figure.svg().startswith("<svg")
        assert all(not frame.empty and not frame.isna().any(axis=None) for frame in figure.frames.values())
