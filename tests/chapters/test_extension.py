"""The chapter on context extension: its pictures and their facts, by hand and by loops."""

import json
import math

import pytest

from pe_core.chapters import extension as pictures
from pe_core.encodings import rotary
from pe_core.measures.rotation import first_negative
from pe_core.rope_scaling import SCALINGS
from tests.cases import each
from tests.chapters.offered import sets

FIRST = {"rules": ("pi", "ntk", "by_parts", "yarn"), "factor": 4, "train_length": 256, "head_dim": 64, "base": 10_000}
OTHER = {"rules": ("base_change", "llama3"), "factor": 9, "train_length": 64, "head_dim": 16, "base": 500}
ALL = {"rules": tuple(SCALINGS), "factor": 8, "train_length": 512, "head_dim": 32, "base": 10_000}
OF_RULES = (pictures.new_angles, pictures.slowdown, pictures.wavelengths, pictures.ramp, pictures.kernel)
KEPT = json.loads(pictures.KEPT.read_text(encoding="utf-8"))["outcomes"]["rope"]


PICTURES = dict.fromkeys(OF_RULES, (FIRST, OTHER)) | {
    pictures.base_bound: sets("factor train_length head_dim", (4, 256, 64), (9, 64, 16)),
    pictures.losses_by_length: ({"rules": ("pi", "ntk")}, {"rules": ("yarn",)}),
}

NEW_SPEC = {(draw, "rules") for draw in (*OF_RULES[1:], pictures.losses_by_length)}  # a spec names its lines


def lines(figure):
    return {name: line.set_index("x").y for name, line in figure.frames["lines"].groupby("name")}


def test_new_angles_are_those_beyond_the_turn_of_training():
    figure = pictures.new_angles(rules=("pi", "ntk", "plain"), factor=9, train_length=20, head_dim=6, base=1_000)
    bars = figure.frames["bars"].set_index(["rule", "pair"])
    omega = [1, 0.1, 0.01]
    after = {"no rule": omega, "Position interpolation": [w / 9 for w in omega], "NTK-aware": [1, 0.1 / 3, 0.01 / 9]}
    counts = {}
    for rule, slowed in after.items():
        new = []
        for pair in range(3):
            met = min(1, 20 * omega[pair] / (2 * math.pi))
            new.append(max(0, min(1, 180 * slowed[pair] / (2 * math.pi)) - met))
            bar = bars.loc[[(rule, pair)]].iloc[0]
            assert (bar.met, bar.new) == pytest.approx((met, new[-1]), abs=1e-9)
            assert bar.slowed == pytest.approx(omega[pair] / slowed[pair])
        counts[rule] = sum(share > 1e-6 for share in new)
    assert counts == {"no rule": 2, "Position interpolation": 0, "NTK-aware": 1}
    assert figure.facts["unfinished"] == 2
    assert figure.facts["each"] == "Position interpolation 0, NTK-aware 1"
    assert figure.frames["rows"].name.to_list() == list(after)
    kinds = figure.frames["bars"].groupby("rule").kind.agg(list).to_dict()
    assert kinds["Position interpolation"] == ["met, slowed fully"] * 3
    assert kinds["NTK-aware"][:2] == ["met, not slowed", "met, slowed in part"]


@each(
    ("train_length", "base", "head_dim"),
    [(64, 100, 4), (64, 1_000_000, 256), (512, 10_000, 64), (8_192, 100, 64), (8_192, 1_000_000, 4)],
)
def test_every_rule_with_a_ramp_interpolates_unfinished_pairs_in_full(train_length, base, head_dim):
    figure = pictures.ramp(("by_parts", "yarn", "llama3"), 8, train_length, head_dim, base)
    waves = [2 * math.pi * base ** (2 * pair / head_dim) for pair in range(head_dim // 2)]
    assert figure.facts["turned"] == sum(wave <= train_length for wave in waves)
    for shares in lines(figure).values():
        assert shares.between(-1e-12, 1 + 1e-12).all()
        unfinished = [share for share, wave in zip(shares, waves, strict=True) if wave > train_length]
        assert unfinished == pytest.approx([1] * len(unfinished))


def test_where_the_text_is_no_longer_no_angle_is_new_and_no_rule_does_anything():
    none = {**ALL, "factor": 1}
    facts = pictures.new_angles(**none).facts
    assert (facts["outcome"], facts["unfinished"]) == ("angles-none", 0)
    unfinished = sum(2 * math.pi * 10_000 ** (pair / 16) > 512 for pair in range(16))
    assert pictures.new_angles(**ALL).facts["unfinished"] == unfinished
    ramp = pictures.ramp(**none)
    assert not ramp.frames["lines"].y.any()
    assert (ramp.facts["ramp"], pictures.ramp(**{**ALL, "factor": 2}).facts["ramp"]) == ("ramp-none", "ramp")


def test_a_kernel_is_the_mean_cosine_over_the_temperature():
    figure = pictures.kernel(rules=("yarn",), factor=2, train_length=64, head_dim=8, base=100)
    (after,) = pictures.scaled(("yarn",), 2, 64, 8, 100).values()
    found = lines(figure)
    assert list(found["YaRN"].index) == list(range(128))
    temperature = (0.1 * math.log(2) + 1) ** -2
    for distance in (0, 1, 50, 127):
        plain = sum(math.cos(distance * 100 ** (-i / 4)) for i in range(4)) / 4
        slowed = sum(math.cos(distance * w) for w in after.frequencies.tolist()) / 4 / temperature
        assert found[pictures.NO_RULE][distance] == pytest.approx(plain, abs=1e-12)
        assert found["YaRN"][distance] == pytest.approx(slowed, abs=1e-12)


def test_a_long_kernel_is_the_mean_of_neighbours():
    found = lines(pictures.kernel(rules=("pi",), factor=16, train_length=64, head_dim=4, base=100))[pictures.NO_RULE]
    assert len(found) == pictures.MAX_PLACES
    near = [(math.cos(d) + math.cos(d / 10)) / 2 for d in range(pictures.NEIGHBOURS)]
    assert found[0] == pytest.approx(sum(near) / len(near))


def test_the_facts_of_a_kernel():
    kernel = pictures.kernel(("plain",), 4, 256, 64, 10_000)
    facts, drawn = kernel.facts, kernel.frames["lines"]
    assert facts["negatives"] == "no rule 725, None 725"  # the golden number of this width and base
    first = f"{drawn[drawn.y < 0].x.min():,.0f}"
    assert facts["below"] == f"no rule {first}, None {first}"
    assert (facts["mean"], facts["neighbours"], facts["last"], facts["target"]) == ("kernel-mean", 7, 1_023, 1_024)
    assert pictures.kernel(("plain",), 8, 64, 64, 10_000).facts["mean"] == ""  # 512 distances, each a point
    for factor, train_length, searched in ((4, 256, 1_023), (32, 8_192, 65_536)):
        none = pictures.kernel(("pi",), factor, train_length, 256, 1_000_000).facts
        assert (none["negatives"], none["searched"]) == ("none", searched)


@each("head_dim", [64, 256])
def test_the_base_that_is_needed_is_the_first_that_reaches_and_one_that_stays_positive_is_not_drawn(head_dim):
    figure = pictures.base_bound(factor=16, train_length=64, head_dim=head_dim)
    bases = pictures.BASES.tolist()
    far = [first_negative(rotary.frequencies(head_dim, base), farthest=65_536) for base in bases]
    assert len(figure.frames["lines"]) == len(bases) - far.count(None)
    assert None in far
    assert figure.facts["needed"] == next(
        base for base, first in zip(bases, far, strict=True) if (first or math.inf) >= 1_024
    )
    assert figure.facts["enough"] == "bound-needed"


def test_no_base_is_enough_for_a_text_that_is_too_long():
    never = pictures.base_bound(factor=32, train_length=8_192, head_dim=4).facts
    assert (never["needed"], never["enough"]) == (None, "bound-never")


def test_how_much_each_rule_slows_the_slowest_pair_and_its_temperature():
    facts = pictures.slowdown(("ntk", "plain", "yarn"), 16, 256, 64, 10_000).facts
    assert facts["slowest"] == "NTK-aware up to 16, None up to 1, YaRN up to 16"
    assert facts["temperature"] == "temperature"
    assert facts["temperatures"] == f"YaRN {(0.1 * math.log(16) + 1) ** -2:.4f}"
    assert pictures.slowdown(("ntk", "plain"), 16, 256, 64, 10_000).facts["temperature"] == ""
    assert (facts["target"], facts["pairs"], facts["count"]) == (4_096, 32, 3)


@each(("factor", "length"), [(1, 64), (5, 256), (32, 512)])
def test_losses_are_those_at_the_nearest_length_that_the_factor_reaches(factor, length):
    facts = pictures.trained(("ntk", "pi"), factor)
    read = {"As trained": KEPT, **{key: KEPT["repaired"][key] for key in ("ntk", "pi", "rerope", "window")}}
    losses = {name: next(one["loss"] for one in of["lengths"] if one["length"] == length) for name, of in read.items()}
    titles = ["NTK-aware", "Position interpolation", "ReRoPE", "Window"]
    expected = dict(zip(["As trained", *titles], losses.values(), strict=True))
    found = dict(part.rsplit(" ", 1) for part in facts["losses"].split(", "))
    assert found == {name: f"{loss:.2f}" for name, loss in expected.items()}
    assert facts["best"] == min(expected, key=expected.get)
    assert facts["min-loss"] == min(expected.values())
    assert facts["own"] == KEPT["lengths"][0]["loss"]
    assert (facts["length"], facts["trained-length"]) == (length, 64)
    rule = min(titles[:2], key=expected.get)
    assert (facts["plain"], facts["rule"], facts["rule-loss"]) == (expected["As trained"], rule, expected[rule])
    assert facts["tried"] == ("tried" if length > 64 else "")


def test_rules_stand_beside_others_and_one_that_was_not_tried_on_the_trained_model_is_not_spoken_of():
    drawn = pictures.losses_by_length(("ntk",)).frames["lines"]
    assert set(drawn.name) == {"NTK-aware", "ReRoPE", "Window", "As trained"}
    facts = pictures.trained(("plain", "llama3"), 4)
    assert (facts["tried"], facts["rule"], facts["rule-loss"]) == ("", "", None)


@each(("guess", "right"), [(9, True), (3, False), (1, False)])
def test_the_last_pair_is_slowed_by_the_whole_factor(guess, right):
    answer, facts = pictures.slower_pair(guess)
    assert answer is right
    assert facts == pytest.approx({"slow": 9, "fast": 1})


def test_memory_grows_with_the_square_of_the_length():
    facts = pictures.memory(factor=4, train_length=256)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in str(facts["memory"]).splitlines()]
    lengths = (256, 1_024, 4_096, 32_768)
    scores = [32 * n**2 * 2 / 2**30 for n in lengths]
    keys = [2 * 32 * 32 * 128 * n * 2 / 2**30 for n in lengths]
    expected = [[f"{n:,}", f"{s:.3g} GiB", f"{k:.3g} GiB"] for n, s, k in zip(lengths, scores, keys, strict=True)]
    assert lines == expected
    assert (facts["more"], facts["squared"]) == (4, 16)
