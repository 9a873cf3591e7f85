"""The scrubbed table and the lanes, of bits beside the sinusoid: what is in their frames, and what Vega draws of it."""

import math
import re

import numpy as np
import pytest
import torch
import vl_convert

from pe_core.chapters import binary_vs_sinusoid as pictures
from pe_core.encodings import sinusoidal
from pe_core.figures import scrubbed_table
from pe_core.figures.looks import motion
from tests.cases import each

ENDS = [(8, 1, 2, 1.0), (64, 10, 32, 1e6), (512, 10, 32, 1.0), (264, 10, 2, 1e6)]
FREQUENCIES = (1.0, 0.5, 0.11, 0.01, 0.001, 1e-9)


@pytest.fixture
def table():
    return pictures.twin_table(32, 5, 16, 256.0).frames


def test_a_line_parts_every_two_channels(table):
    assert table["pairs"].x.to_list() == [5.5 + 2 * pair for pair in range(9)]


def test_each_position_is_spelt_out_in_both_codes(table):
    for m, row in table["rows"].iterrows():
        assert row.heading == f"Position {m}: bits {f'{m:05b}'[::-1]}"
        spelt = [float(number.replace("−", "-")) for number in row.sinusoid.split()]
        exact = sinusoidal.table(torch.tensor([m]), 16, base=256.0)[0]
        np.testing.assert_allclose(spelt, exact, atol=0.00501)
    assert pictures.twin_table(64, 5, 2, 10.0).frames["rows"].bits[44] == "00110"  # a code of five bits has no more


@each("period", [2.0, 8.0, 1024.0])
def test_the_square_wave_has_every_position_on_the_level_of_its_bit(period):
    edges, levels = scrubbed_table.square_wave(40, period)
    for m in range(40):
        inside = (edges[:-1] < m) & (m < edges[1:])
        assert levels[inside].tolist() == [1.0 if m % period >= period / 2 else -1.0]


@each("arguments", ENDS)
def test_waves_of_the_table_pass_through_its_values(arguments):
    n_positions, n_bits, dim, base = arguments
    waves = pictures.twin_table(*arguments).frames["waves"]
    sines = waves[waves.column > n_bits]
    channel = (sines.column - n_bits - 1).to_numpy()
    angle = sines.y.to_numpy() * base ** (-2 * (channel // 2) / dim)
    expected = np.where(channel % 2 == 0, np.sin(angle), np.cos(angle))
    np.testing.assert_allclose((sines.x - sines.column) / scrubbed_table.AMPLITUDE, expected, atol=1e-9)
    assert waves.y.between(-0.5, n_positions - 0.5).all()


def test_waves_too_fast_to_be_told_apart_are_left_out():
    # 512 positions / 32 swings: a wavelength of at least 16, which of 6.28 and 628.3 only the second is.
    waves = pictures.twin_table(512, 4, 4, 10_000.0).frames["waves"]
    assert set(waves.column) == {7, 8}
    assert pictures.twin_table(512, 1, 2, 1.0).frames["waves"].empty


@each("arguments", ENDS)
def test_columns_have_at_most_as_many_numbers_as_a_phone_can_show(arguments):
    labels = pictures.twin_table(*arguments).frames["labels"]
    numbers = labels[~labels.title]
    assert 2 <= len(numbers) <= scrubbed_table.MAX_LABELS
    assert numbers.text[0] == "0"


@each(("n_positions", "last"), [(8, 11), (24, 23), (32, 47), (512, 767)])
def test_the_scrubber_reaches_every_position(n_positions, last):
    assert motion.last_of_scrubber(n_positions) == last
    for figure in (pictures.twin_table(n_positions, 3, 4, 10.0), pictures.lanes(n_positions, 3, 4, 10.0)):
        scrubber, *_ = figure.spec["config"]["signals"]
        assert scrubber["bind"] == {"input": "range", "min": 0, "max": last, "step": 1, "name": "Position "}


def test_lanes_hold_the_bit_above_the_sine():
    frames = pictures.lanes(32, 3, 4, 10.0).frames
    middles = {"squares": scrubbed_table.SQUARE, "sines": scrubbed_table.SINE}
    for name, middle in middles.items():
        height = (frames[name].y - frames[name].lane - middle) / scrubbed_table.HALF
        assert height.abs().max() <= 1 + 1e-9
    first = frames["sines"][frames["sines"].lane == 0]
    np.testing.assert_allclose(first.y, scrubbed_table.SINE - scrubbed_table.HALF * np.sin(first.x), atol=1e-9)


@each("n_positions", [32, 512])
def test_the_numbers_behind_the_table_are_bits_and_channels(n_positions):
    numbers = pictures.twin_table(n_positions, 5, 16, 256.0).tables()["tables"]
    assert list(numbers) == ["Position", *(f"Bit {k}" for k in range(5)), *(f"Channel {c}" for c in range(16))]
    assert numbers.Position.tolist() == list(range(n_positions))
    assert numbers.loc[6, "Bit 0":"Bit 4"].tolist() == [0, 1, 1, 0, 0]
    assert numbers["Channel 3"][5] == pytest.approx(math.cos(5 * 256 ** (-2 / 16)), abs=1e-6)


@each(("width", "height", "fits"), [(290, 180, 2), (290, 400, 9), (900, 400, 16)])
def test_only_whole_numbers_of_a_position_stand_over_a_narrow_table(width, height, fits):
    table = pictures.twin_table(32, 5, 16, 256.0).standalone()
    svg = vl_convert.vegalite_to_svg({**table, "width": width, "height": height})
    [said] = re.findall(r">(0\.66 0\.75[^<]*)<", svg)
    numbers = said.removesuffix(" …").split(" ")
    assert len(numbers) == fits
    assert all(re.fullmatch(r"−?\d\.\d\d", number) for number in numbers)
    assert said.endswith(" …") == (fits < 16)


NAMES = r'text-anchor="(\w+)" transform="translate\(\S+?,(\S+?)\)"[^>]*>(bits[^<]*|sinusoid[^<]*)<'


@each(
    ("arguments", "height", "said"),
    [
        ((32, 5, 16, 256.0), 140, ["bits: fast → slow", "sinusoid, in pairs: fast → slow"]),
        ((32, 5, 16, 256.0), 400, ["bits: fast → slow", "sinusoid, in pairs: fast → slow"]),
        ((32, 5, 32, 256.0), 400, ["bits", "sinusoid, in pairs: fast → slow"]),  # no room for more over five bits
        ((32, 1, 2, 256.0), 400, ["bits", "sinusoid, in pairs"]),
        ((32, 10, 16, 1.0), 400, ["bits: fast → slow", "sinusoid, in pairs"]),  # no end is faster
    ],
)
def test_names_stand_over_a_table_or_below_a_low_one_with_the_fast_end_where_there_is_room(arguments, height, said):
    table = {**pictures.twin_table(*arguments).standalone(), "width": 500, "height": height}
    anchors, heights, found = zip(*re.findall(NAMES, vl_convert.vegalite_to_svg(table)), strict=True)
    is_below = height == 140
    assert list(found) == said
    assert [float(y) > height for y in heights] == [is_below] * 2
    assert anchors == ("start", "end" if is_below else "start")


def monotone(x, y, every):
    """The curve of Vega's "monotone" through the points x, y, read at `every`: Steffen's cubics (1990), as d3 has them.

    It rises or falls from each point to the next, and is level where it turns.
    """
    across, secant = np.diff(x), np.diff(y) / np.diff(x)
    mean = (secant[:-1] * across[1:] + secant[1:] * across[:-1]) / (across[:-1] + across[1:])
    least = np.minimum(np.minimum(abs(secant[:-1]), abs(secant[1:])), abs(mean) / 2)
    inner = (np.sign(secant[:-1]) + np.sign(secant[1:])) * least
    slope = np.concatenate([[(3 * secant[0] - inner[0]) / 2], inner, [(3 * secant[-1] - inner[-1]) / 2]])
    place = np.clip(np.searchsorted(x, every, side="right") - 1, 0, len(across) - 1)
    h, t = across[place], (every - x[place]) / across[place]
    of_values = (1 + 2 * t) * (1 - t) ** 2 * y[place] + t**2 * (3 - 2 * t) * y[place + 1]
    return of_values + h * (t * (1 - t) ** 2 * slope[place] - t**2 * (1 - t) * slope[place + 1])


@each("n_positions", [8, 512])
@each("frequency", FREQUENCIES)
def test_a_line_that_turns_only_at_its_points_is_a_sine_within_a_pixel(n_positions, frequency):
    where, values = (column.numpy() for column in scrubbed_table.sine_wave(n_positions, frequency))
    assert [where[0], where[-1]] == pytest.approx([0, n_positions - 1])
    assert (np.diff(where) > 0).all()
    assert values == pytest.approx(np.sin(where * frequency), abs=1e-6)
    every = np.linspace(0, n_positions - 1, 40 * n_positions)
    away = np.abs(monotone(where, values, every) - np.sin(every * frequency)).max()
    assert away < 0.08  # a wave is some 12 pixels high, from -1 to 1


@each("frequency", FREQUENCIES)
def test_a_wave_has_two_points_a_turn(frequency):
    where, values = scrubbed_table.sine_wave(512, frequency)
    n_turning = int(511 * frequency / torch.pi + 0.5)
    assert int((values.abs() > 1 - 1e-9).sum()) == n_turning
    assert len(where) <= n_turning + 2 * scrubbed_table.AT_ENDS
