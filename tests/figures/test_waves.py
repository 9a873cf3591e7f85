"""Waves and what they make of a distance: they carry the numbers of pe_core, and those near one another keep apart."""

import re

import numpy as np
import pytest
import torch

from pe_core.encodings import sinusoidal
from pe_core.figures import waves
from pe_core.measures.channels import channel
from tests.cases import each


def table(length, dim, base=10_000.0):
    return sinusoidal.table(torch.arange(length), dim, base=base, dtype=torch.float64)


def test_waves_run_through_their_dots():
    one = channel(5, 16, 10_000.0)
    frames = waves.waves([one, channel(2, 16, 10_000.0)], 20).frames
    dots = frames["dots"][frames["dots"].channel == "5"]
    assert dots.position.tolist() == list(range(20))
    assert dots.value.tolist() == pytest.approx(table(20, 16)[:, 5].tolist())
    read = frames["read"].set_index("channel").loc["5"]  # from which the browser computes the number
    assert np.sin(dots.position * read.rate + read.ahead).tolist() == pytest.approx(dots.value.tolist())
    curve = frames["curves"][frames["curves"].channel == "5"]
    assert curve.value.tolist() == pytest.approx(np.cos(curve.position * one.frequency).tolist())


@each(("variant", "pair"), [("paper", (4, 5)), ("concatenated", (2, 10))])
def test_the_two_waves_of_a_pair_have_one_colour_and_a_cosine_is_dashed(variant, pair):
    drawn = [channel(index, 16, 10_000.0, variant=variant) for index in (0, *pair)]
    figure = waves.waves(drawn, 20)
    looks = figure.frames["curves"][["channel", "pair", "wave", "order"]].drop_duplicates().to_numpy().tolist()
    both = f"2: channels {pair[0]}, {pair[1]}"
    assert looks[0] == ["0", "0: channel 0", "sine", 0]
    assert looks[1:] == [[str(pair[0]), both, "sine", 1], [str(pair[1]), both, "cosine", 1]]
    encoding = figure.spec["layer"][0]["encoding"]
    assert (encoding["color"]["field"], encoding["detail"]["field"]) == ("pair", "channel")
    assert encoding["strokeDash"]["scale"] == {"domain": ["sine", "cosine"], "range": [[], [6, 3]]}


def test_long_waves_are_marked_at_their_ends_and_sampled_finely_enough():
    frames = waves.waves([channel(0, 16, 10_000.0)], 512).frames
    assert frames["dots"].position.tolist() == [0, 511]
    assert frames["curves"].position.diff().max() < 2 * np.pi / 10


@each("length", [2, 6, 7, 64])
def test_the_steps_on_which_the_similarity_rises_are_marked_on_both_sides(length):
    frames = waves.similarity(sinusoidal.frequencies(64), length).frames
    values = dict(zip(frames["curve"].distance, frames["curve"].similarity, strict=True))
    expected = {k for k in range(1, length) if values[k] > values[k - 1]}
    assert {abs(k) for k in frames["rising"].distance} - {0} == expected
    assert set(frames["first"].distance) == ({-6, 6} if length > 6 else {0})
    assert not any(frame.empty for frame in frames.values())


@each("columns", [(0, 32, 62), (58, 59, 60, 61, 62, 63), (0, 1, 2, 3, 4, 5)])
def test_numbers_of_waves_that_are_near_keep_apart_in_their_order(columns):
    """In a low picture: the three that a page shows first have two numbers 9 pixels apart."""
    read = [channel(column, 64, 10_000.0) for column in columns]
    svg = waves.waves(read, 64).svg(width=340, height=260)
    said = re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*>([+−][\d.]+)</text>', svg)
    heights = sorted({(float(y), float(number.replace("−", "-"))) for _, y, number in said})
    numbers = [number for _, number in heights]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == len(columns)
    assert min(np.diff([y for y, _ in heights])) > 14
