"""The pictures of binary against sinusoid: their numbers, what each argument changes, the Python that makes them."""

import math
from functools import partial

import pytest

from pe_core.chapters import binary_vs_sinusoid as pictures
from tests.chapters.offered import alike, offered, same, tables

CODES = {"n_positions": 32, "n_bits": 5, "dim": 16, "base": 256.0}
OTHER = {"n_positions": 264, "n_bits": 10, "dim": 2, "base": 1.0}
PICTURES = {  # arguments by default, and other ones
    pictures.twin_table: (CODES, OTHER),
    pictures.lanes: (CODES, OTHER),
    pictures.speeds: ({"n_bits": 5, "dim": 16, "base": 256.0}, {"n_bits": 1, "dim": 2, "base": 10.0}),
    pictures.steps: (CODES, OTHER),
    pictures.earlier: (
        {"position": 300, "n_bits": 8, "dim": 16, "base": 256.0},
        {"position": 1, "n_bits": 10, "dim": 2, "base": 1.0},
    ),
}
CHANGED = {"n_positions": 40, "n_bits": 6, "dim": 8, "base": 100.0, "position": 301}


@pytest.mark.parametrize("which", [0, 1], ids=["default", "other"])
@pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
def test_the_python_that_is_offered_makes_the_same_picture(draw, which, tmp_path):
    picture = partial(draw, **PICTURES[draw][which])
    assert alike(offered(picture, tmp_path), picture())


@pytest.mark.parametrize(
    ("draw", "name"),
    [(draw, name) for draw, (arguments, _) in PICTURES.items() for name in arguments],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_every_argument_changes_the_numbers_and_not_the_spec(draw, name):
    arguments = PICTURES[draw][0]
    before, after = draw(**arguments), draw(**{**arguments, name: CHANGED[name]})
    assert before.spec == after.spec
    assert not same(tables(before), tables(after))


def test_the_file_of_the_table_has_bits_and_channels_of_every_position():
    numbers = pictures.twin_table(**CODES).tables()["tables"]
    for m in range(32):
        assert [numbers[f"bit_{bit}"][m] for bit in range(5)] == [m // 2**bit % 2 for bit in range(5)]
        for pair in range(8):
            assert numbers[f"channel_{2 * pair}"][m] == pytest.approx(math.sin(m / 2**pair), abs=1e-6)
            assert numbers[f"channel_{2 * pair + 1}"][m] == pytest.approx(math.cos(m / 2**pair), abs=1e-6)


def test_lanes_set_each_bit_above_the_nearest_pair():
    lanes = pictures.lanes(**CODES).frames["lanes"]
    assert lanes.period.tolist() == [2, 4, 8, 16, 32]
    assert lanes.pair.tolist() == [0, 0, 0, 1, 2]  # wavelengths 6.3, 12.6, 25.1 ...
    assert lanes.wavelength.tolist() == pytest.approx([2 * math.pi * 2**pair for pair in (0, 0, 0, 1, 2)])


def test_speeds_double_in_both_codes_at_the_base_that_doubles():
    speeds = pictures.speeds(n_bits=5, dim=16, base=256.0).frames["speeds"]
    assert speeds[speeds.kind == "bit"].period.tolist() == [2, 4, 8, 16, 32]
    assert speeds[speeds.kind == "sinusoid"].period.tolist() == pytest.approx([2 * math.pi * 2**i for i in range(8)])


def test_steps_count_the_bits_that_flip():
    steps = pictures.steps(**CODES).frames["steps"]
    assert steps.flips.tolist() == [bin((m ^ (m + 1)) % 32).count("1") for m in range(32)]
    length = math.sqrt(sum(2 - 2 * math.cos(2**-pair) for pair in range(8)))
    assert steps.length.tolist() == pytest.approx([length] * 32)


def test_earlier_positions_are_as_far_as_their_bits_and_waves_differ():
    distances = pictures.earlier(position=300, n_bits=8, dim=16, base=256.0).frames["distances"]
    bits = distances[distances.kind == "bit"].distance.tolist()
    assert bits == [bin((m ^ 300) % 256).count("1") for m in range(300)]
    waves = distances[distances.kind == "sinusoid"].distance.tolist()
    expected = [math.sqrt(sum(2 - 2 * math.cos((300 - m) / 2**pair) for pair in range(8))) for m in range(300)]
    assert waves == pytest.approx(expected, abs=1e-9)
