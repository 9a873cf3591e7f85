"""Tracks over a sequence: ids, pairs and coordinates at their places, constant specs, drawn files."""

import math

import pytest
import torch

from pe_core.encodings.mrope import Image, Text, Video, position_ids
from pe_core.figures.grids import AXES, ids, pairs, resized
from pe_core.measures.sequence import parts


def values(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def test_ids_of_every_token_and_bands_of_every_part():
    pieces = [Text(2), Image(1, 2)]
    frames = ids(position_ids(pieces), parts(pieces)).frames
    assert frames["tokens"][["token", *AXES]].to_numpy().tolist() == [[0] * 4, [1] * 4, [2, 2, 2, 2], [3, 2, 2, 3]]
    assert frames["parts"].to_numpy().tolist() == [["text", -0.5, 1.5], ["image", 1.5, 3.5]]


def test_pairs_stand_at_their_wavelength_in_the_lane_of_their_axis():
    one = values(1.0, 0.1)
    frame = pairs({"a": (one, None), "b": (one, torch.tensor([2, 1]))}).frames["pairs"]
    assert frame.encoding.to_list() == ["a", "a", "b", "b"]
    assert frame.axis.to_list() == ["position", "position", "column w", "row h"]
    assert frame.wavelength.to_list() == pytest.approx([2 * math.pi, 20 * math.pi] * 2)


def test_the_band_is_over_the_coordinates_of_training():
    frames = resized({"first": values(0, 1, 2), "second": values(0, 2, 4)}).frames
    assert frames["met"].to_numpy().tolist() == [[-0.5, 2.5]]
    assert frames["coordinates"].coordinate.to_list() == [0, 1, 2, 0, 2, 4]
    assert frames["coordinates"].way.to_list() == ["first"] * 3 + ["second"] * 3


def test_specs_stay_the_same_and_can_be_drawn():
    short, longer = [Text(2)], [Text(1), Video(2, 2, 2)]
    one, other = values(1.0, 0.1), values(1.0, 0.5, 0.2, 0.1)
    made = [
        (ids(position_ids(short), parts(short)), ids(position_ids(longer), parts(longer))),
        (pairs({"a": (one, None)}), pairs({"b": (other, torch.tensor([0, 1, 2, 0]))})),
        (resized({"a": one}), resized({"a": other, "b": other})),
    ]
    for first, second in made:
        assert first.spec == second.spec
        assert all(figure.svg().startswith("<svg") for figure in (first, second))
