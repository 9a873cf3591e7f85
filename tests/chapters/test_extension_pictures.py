"""The pictures of context extension: numbers by hand and loops, what arguments change, the Python that makes them."""

import math
from functools import partial

import pytest

from pe_core.chapters import extension as pictures
from pe_core.encodings import rotary
from pe_core.measures.rotary_bounds import first_negative
from pe_core.rope_scaling import SCALINGS
from tests.chapters.offered import alike, offered

FIRST = {"rules": ("pi", "ntk", "by_parts", "yarn"), "factor": 4, "train_length": 256, "head_dim": 64, "base": 10_000}
OTHER = {"rules": ("base_change", "llama3"), "factor": 9, "train_length": 64, "head_dim": 16, "base": 500}
OF_RULES = (pictures.slowdown, pictures.wavelengths, pictures.ramp, pictures.kernel)
PICTURES = dict.fromkeys(OF_RULES, (FIRST, OTHER)) | {
    pictures.base_bound: ({"head_dim": 64, "target_length": 1_024}, {"head_dim": 16, "target_length": 64})
}
EACH = pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)
ALL = {"rules": tuple(SCALINGS), "factor": 8, "train_length": 512, "head_dim": 32, "base": 10_000}


def lines(figure):
    return {name: line.set_index("x").y for name, line in figure.frames["lines"].groupby("name")}


@EACH
@pytest.mark.parametrize("which", [0, 1], ids=["default", "other"])
def test_the_python_that_is_offered_makes_the_same_picture(draw, which, tmp_path):
    picture = partial(draw, **PICTURES[draw][which])
    assert alike(offered(picture, tmp_path), picture())


@EACH
def test_every_argument_changes_the_picture(draw):
    first, other = PICTURES[draw]
    for name in first:
        assert not alike(draw(**first), draw(**{**first, name: other[name]})), name


@EACH
def test_the_spec_stays_the_same_while_sliders_move(draw):
    first, _ = PICTURES[draw]
    moved = {"factor": 5, "train_length": 512, "base": 100, "target_length": 77}
    one, other = (draw(**first).spec, draw(**{**first, **{name: moved[name] for name in moved if name in first}}).spec)
    assert one is other


def test_interpolation_slows_every_pair_and_ntk_the_last_one_only():
    found = lines(pictures.slowdown(**FIRST))
    assert found["Position interpolation"].to_list() == pytest.approx([4] * 32)
    assert found["NTK-aware"].to_list() == pytest.approx([4 ** (i / 31) for i in range(32)])


def test_wavelengths_follow_the_slowdown():
    plain = [2 * math.pi * 10_000 ** (i / 32) for i in range(32)]
    found = lines(pictures.wavelengths(**FIRST))
    assert found[pictures.TRAINED].to_list() == pytest.approx(plain)
    assert found["Position interpolation"].to_list() == pytest.approx([4 * wave for wave in plain])
    levels = pictures.wavelengths(**FIRST).frames["levels"]
    assert levels.to_dict("records") == [
        {"label": "training 256", "y": 256},
        {"label": "target 1,024", "y": 1_024},
    ]
    assert len(pictures.wavelengths(**{**FIRST, "factor": 1}).frames["levels"]) == 1


@pytest.mark.parametrize("train_length", [64, 512, 8_192])
@pytest.mark.parametrize("base", [100, 10_000, 1_000_000])
@pytest.mark.parametrize("head_dim", [4, 64, 256])
def test_pairs_that_never_complete_a_turn_are_interpolated_in_full_by_every_rule_with_a_ramp(
    train_length, base, head_dim
):
    own = {"rules": ("by_parts", "yarn", "llama3"), "factor": 8, "train_length": train_length}
    found = pictures.shares(**own, head_dim=head_dim, base=base)
    for shares in found.values():
        for pair, share in enumerate(shares.tolist()):
            assert -1e-12 <= share <= 1 + 1e-12
            if 2 * math.pi * base ** (2 * pair / head_dim) > train_length:
                assert share == pytest.approx(1)


def test_the_ramp_of_llama_by_hand():
    found = pictures.shares(rules=("llama3",), factor=8, train_length=512, head_dim=8, base=10_000)["Llama 3"]
    turns = [512 / (2 * math.pi * 10**i) for i in range(4)]
    expected = [1 - min(max((r - 1) / 3, 0), 1) for r in turns]
    assert found.tolist() == pytest.approx(expected)
    assert len(set(expected)) == 2  # 81 and 8.1 turns, then less than one
    half = pictures.shares(rules=("llama3",), factor=2, train_length=157, head_dim=8, base=10_000)["Llama 3"]
    assert half.tolist() == pytest.approx([0, 1 - (157 / (20 * math.pi) - 1) / 3, 1, 1])


def test_without_a_factor_no_rule_does_anything():
    assert all(not shares.any() for shares in pictures.shares(**{**ALL, "factor": 1}).values())


def test_a_kernel_is_the_mean_cosine_over_the_temperature():
    figure = pictures.kernel(rules=("yarn",), factor=2, train_length=64, head_dim=8, base=100)
    (after,) = pictures.scaled(("yarn",), 2, 64, 8, 100).values()
    found = lines(figure)
    assert list(found["YaRN"].index) == list(range(128))
    temperature = (0.1 * math.log(2) + 1) ** -2
    for distance in (0, 1, 50, 127):
        plain = sum(math.cos(distance * 100 ** (-i / 4)) for i in range(4)) / 4
        slowed = sum(math.cos(distance * w) for w in after.frequencies.tolist()) / 4 / temperature
        assert found[pictures.TRAINED][distance] == pytest.approx(plain, abs=1e-12)
        assert found["YaRN"][distance] == pytest.approx(slowed, abs=1e-12)


def test_a_long_kernel_is_the_mean_of_neighbours():
    found = lines(pictures.kernel(rules=("pi",), factor=16, train_length=64, head_dim=4, base=100))[pictures.TRAINED]
    assert len(found) == pictures.MOST_PLACES
    assert pictures.averaged(16, 64)
    assert not pictures.averaged(8, 64)
    near = [(math.cos(d) + math.cos(d / 10)) / 2 for d in range(pictures.NEIGHBOURS)]
    assert found[0] == pytest.approx(sum(near) / len(near))


def test_the_bound_is_the_first_negative_distance_of_each_base():
    figure = pictures.base_bound(head_dim=16, target_length=300)
    line = figure.frames["lines"].set_index("x").y
    assert len(line) == len(pictures.BASES)
    for base in (pictures.BASES[0], pictures.BASES[10], pictures.BASES[-1]):
        assert line[float(base)] == first_negative(rotary.frequencies(16, float(base)))
    assert figure.frames["levels"].label.to_list() == ["target 300"]


def test_a_base_without_a_negative_distance_is_left_out():
    figure = pictures.base_bound(head_dim=256, target_length=64)
    reached = pictures.reached(256)
    assert len(figure.frames["lines"]) == int(reached.isfinite().sum()) < len(pictures.BASES)
