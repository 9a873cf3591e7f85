"""The claims: each picture has the parameters of its claim, and what is said of each claim."""

import inspect
import math
from dataclasses import replace

from pe_core.chapters import claims as pictures
from pe_core.claims import CLAIMS
from tests.cases import each
from tests.chapters.offered import sets, sound
from tests.claims.runs import KEPT, with_losses

NOT_DRAWN = {("alibi_sign", "heads"), ("alibi_after", "times")}
NOT_DRAWN |= {(key, "times") for key in ("rope_far", "sinusoid_far", "table_far")}
PLAIN = [key for key, draw in pictures.PICTURES.items() if "run" not in inspect.signature(draw).parameters]
PICTURES = {
    pictures.falls: sets("width base farthest", (64, 10_000, 64), (16, 100, 9)),
    pictures.exponent: sets("width base length", (16, 10_000, 64), (4, 10, 96)),
    pictures.plain_angle: sets("width base offset", (8, 10_000, 5), (6, 10, 64)),
    pictures.first_points: sets("width n_positions", (4, 5), (6, 8)),
    pictures.cosines: sets("width distance", (64, 1), (4, 9)),
    pictures.directions: sets("width reach projection seed", (64, 16, "random", 0), (5, 3, "none", 7)),
    pictures.moved: sets("n_words number", (6, 1), (9, 4)),
    pictures.normed: sets("width position way", (16, 20, "one direction"), (8, 5, "every channel")),
    pictures.shares: sets("short long", (10, 100), (7, 12)),
    pictures.collisions: sets("bits position", (8, 300), (5, 70)),
    pictures.losses: ({"run": KEPT}, {"run": with_losses("rope", 2.0, 2.5)}),
    pictures.repaired: ({"run": KEPT}, {"run": with_losses("rope", 2.0, 2.5)}),
    pictures.places: sets(
        "width distance seed channels", (8, 3, 0, "both of each pair"), (6, 1, 5, "first of each pair")
    ),
    pictures.decay: sets("width base seed farthest", (64, 10_000, 1, 256), (8, 10, 3, 40)),
    pictures.rows_of_softmax: sets("length slope sign", (6, 1.0, "negative"), (4, 0.25, "positive")),
    pictures.softmax_and_bias: sets("length slope", (6, 1.0), (9, 0.25)),
}


def settled(key, run=KEPT, **params):
    return pictures.settled(CLAIMS[key], CLAIMS[key].values(params), run)


def test_every_claim_has_a_picture_of_its_own_parameters():
    assert set(pictures.PICTURES) == set(CLAIMS)
    for key, picture in pictures.PICTURES.items():
        names = {parameter.name for parameter in CLAIMS[key].parameters}
        left_out = {name for other, name in NOT_DRAWN if other == key}
        assert set(inspect.signature(picture).parameters) - {"run"} == names - left_out


@each(("key", "draw"), pictures.PICTURES.items())
def test_every_picture_is_whole_at_both_ends_of_every_parameter(key, draw):
    names = inspect.signature(draw).parameters.keys() - {"run"}
    for one in [one for one in CLAIMS[key].parameters if one.name in names]:
        for value in one.choices or (one.minimum, one.maximum):
            values = CLAIMS[key].values({one.name: value})
            assert sound(draw(**{name: values[name] for name in names})), (one.name, value)


def test_what_is_said_of_a_claim_are_its_values_and_what_was_measured():
    found = settled("falls", width=16)
    facts = found.facts
    assert found.verdict == "false"
    assert facts["colour"] == "red"
    assert (facts["width"], facts["base"], facts["farthest"]) == ("16", "10,000", "64")
    sums = [sum(math.cos(k * 10_000 ** (-2 * i / 16)) for i in range(8)) / 8 for k in range(65)]
    first = next(k for k in range(1, 65) if sums[k] > sums[k - 1])
    assert (facts["first"], facts["before"]) == (str(first), f"{sums[first - 1]:.4g}")
    assert facts["table"].splitlines()[:3] == ["| Width D | First rise |", "| --- | --- |", "| 16 | 4 |"]
    assert settled("minus").facts["table"].count("\n") == 5
    assert settled("plain_angle").facts["table"] == ""
    true, depends = settled("falls", farthest=5), settled("decays")
    assert (true.verdict, true.facts["colour"]) == ("true", "green")
    assert (depends.verdict, depends.facts["colour"]) == ("depends", "orange")


def test_a_claim_says_which_run_it_was_measured_in():
    facts = settled("rope_far").facts
    assert (facts["which"], facts["run-length"], facts["run-steps"]) == ("run-kept", 64, KEPT.config.steps)
    assert (facts["run-seeds"], facts["run-text"]) == (KEPT.config.n_seeds, KEPT.text.name)
    assert facts["run-needs"].split(", ")[:2] == ["None (NoPE)", "Sinusoidal"]
    other = replace(with_losses("rope", 2.0, 2.0), config=replace(KEPT.config, steps=150))
    facts = settled("rope_far", other).facts
    assert (facts["which"], facts["run-steps"]) == ("run-own", 150)


def test_numbers_are_said_as_a_reader_wants_them():
    said = {0.0: "0", 3e-16: "3·10⁻¹⁶", 1e-9: "10⁻⁹", 1 / 9: "0.1111", 1234: "1,234", -14.0: "−14"}
    assert {value: pictures.worded(value) for value in said} == said
    assert (pictures.worded(None), pictures.worded("holds")) == ("none", "holds")


@each("key", CLAIMS)
def test_controls_of_a_claim_have_names_of_their_own_in_at_most_four_columns(key):
    found = pictures.controls(CLAIMS[key])
    assert [one.name for one in found] == [f"clm_{key}_{one.name}" for one in CLAIMS[key].parameters]
    assert len(found) <= 4


def test_right_predictions_are_counted_and_the_next_claim_goes_round():
    made = {"minus": ("false", "false"), "decays": ("true", "depends"), "blind": ("true", "true")}
    assert pictures.score(made) == {"right": 2, "made": 3, "left": len(CLAIMS) - 4}
    keys = list(CLAIMS)
    assert [pictures.next_claim(key) for key in keys] == [*keys[1:], keys[0]]


def test_a_source_is_a_paper_or_none():
    source = pictures.source(CLAIMS["falls"])
    assert (source["authors"], source["source"]) == ("Vaswani et al.", "source")
    assert "arXiv:1706.03762" in source["link"]
    assert pictures.source(CLAIMS["codes"]) == {"source": "source-none"}


def test_the_exercise_counts_the_verdicts():
    verdicts = [claim.settle(None, KEPT).verdict for claim in CLAIMS.values()]
    true, facts = verdicts.count("true"), pictures.true_ones(0)[1]
    assert pictures.true_ones(true)[0]
    assert not pictures.true_ones(true + 1)[0]
    assert [facts[name] for name in ("count", "false", "depends")] == [true, *map(verdicts.count, ("false", "depends"))]
    assert facts["names"].startswith("Small and large bases")
