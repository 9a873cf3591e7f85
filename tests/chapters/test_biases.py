"""Relative biases, ALiBi and T5 looked at closely: shapes, attention and facts, by hand and by loops."""

import math
from dataclasses import replace

import pytest
import torch

from pe_core.chapters import alibi_and_t5, biases
from pe_core.figures.bands import BEFORE, END, OWN_SCALE, TRAINED
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.inspection import trained_biases
from tests.cases import each
from tests.chapters.offered import sets
from tests.encodings.loops import plain_entropy

MODEL = {"head": 1, "train_length": 64}
OTHER = {"head": 3, "train_length": 16}
ROW = "systems head train_length n_keys"
PICTURES = {  # arguments to start from, and other ones
    biases.shapes: ({"systems": ("alibi", "t5"), **MODEL}, {"systems": ("kerple_log", "fire"), **OTHER}),
    biases.bias_matrix: ({"system": "t5", **MODEL}, {"system": "fire", **OTHER}),
    biases.attention_matrix: ({"system": "t5", **MODEL}, {"system": "fire", **OTHER}),
    biases.weights_by_distance: sets(ROW, (("t5",), 1, 64, 64), (("kerple_log", "fire"), 3, 16, 20)),
    biases.effective_keys: sets(ROW, (("t5",), 1, 64, 65), (("kerple_log", "fire"), 3, 16, 20)),
}
NEW_SPEC = {  # a spec names its lines, and a scale ends where the numbers of a system do
    (biases.weights_by_distance, "systems"),
    (biases.effective_keys, "systems"),
    (biases.bias_matrix, "system"),
}
SLOPE = 0.5


def curve(figure, system, query=END):
    curves = figure.frames["curves"]
    own = curves[(curves.system == system) & (curves["query"] == query)]
    return dict(zip(own.distance.astype(int), own.bias, strict=True))


def test_only_fire_depends_on_the_place_of_the_query():
    figure = biases.shapes(systems=tuple(biases.SYSTEMS), **MODEL)
    for key, spec in biases.SYSTEMS.items():
        end, trained = curve(figure, spec.title), curve(figure, spec.title, TRAINED)
        apart = max(abs(end[distance] - trained[distance]) for distance in trained)
        assert list(trained) == list(range(64))
        assert (apart > 1e-3) == (key == "fire")
        drift = biases.drift(biases.built(key, 64), 1, 64)
        assert drift <= apart + 1e-12
        assert drift == pytest.approx(apart, abs=0.01)


def test_a_note_tells_the_lowest_and_the_highest_bias_wherever_they_are():
    figure = biases.shapes(systems=("t5", "alibi"), **MODEL)
    t5 = curve(figure, "T5 bias")
    lowest, highest = min(t5.values()), max(t5.values())
    assert highest > t5[0] > 0
    assert figure.frames["bands"].note.to_list() == [f"trained: −{-lowest:.3g} to {highest:.3g}", "fixed: −63.5 to 0"]
    large = biases.shapes(systems=("kerple_power",), head=8, train_length=512)
    far = curve(large, "KERPLE, power")[1023]
    assert far < -1_000
    assert large.frames["bands"].note.to_list() == [f"initial weights: −{-far:,.0f} to 0"]


def test_what_is_learned_is_that_of_the_kept_run_and_has_a_band_of_draws():
    figure = biases.shapes(tuple(biases.SYSTEMS), **MODEL)
    before = figure.frames["before"]
    kept = trained_biases.kept()
    for key, spec in biases.SYSTEMS.items():
        own = before[before.name == spec.title]
        assert bool((own.bottom - own.top > 1e-9).any()) == own.learned.all() == biases.learns(biases.built(key, 64))
    table = kept.parameters[64]["t5"]["table"]
    found = curve(figure, "T5 bias")
    assert [found[distance] for distance in range(8)] == pytest.approx([row[0] for row in table[:8]], rel=1e-6)
    low, high = biases.before_training("t5", 64)
    drawn = [biases.built("t5", 64, seed).table[3, 0].item() for seed in biases.DRAWS]
    assert (low[0, 3].item(), high[0, 3].item()) == pytest.approx((min(drawn), max(drawn)))


@each(("systems", "named"), [(("alibi", "t5"), True), (("alibi", "sandwich"), False)])
def test_the_legend_names_the_grey_band_where_there_is_one(systems, named):
    drawn = biases.shapes(systems=systems, **MODEL).svg()
    assert OWN_SCALE in drawn
    assert (BEFORE in drawn) == named


def test_the_kept_run_is_made_anew_by_training():
    """One short training makes as many numbers as are kept."""
    config = replace(trained_biases.CONFIG, train_length=16, steps=50, n_layers=1, d_model=16)
    found = trained_biases.trained(config, "kerple_log", built_in())
    kept = trained_biases.kept()
    assert kept.config == trained_biases.CONFIG
    assert {length: tuple(of) for length, of in kept.parameters.items()} == dict.fromkeys(
        trained_biases.LENGTHS, trained_biases.ENCODINGS
    )
    assert {name: len(values) for name, values in found.items()} == {
        name: len(values) for name, values in kept.parameters[16]["kerple_log"].items()
    }
    assert kept.state("t5", 80) is kept.state("alibi", 64) is None


def test_what_is_said_of_the_shapes():
    facts = biases.shapes(systems=("alibi", "sandwich", "fire"), **MODEL).facts
    sandwich = sum(math.cos(127 * 10_000 ** (-2 * i / 128)) for i in range(1, 65)) - 64
    fire = curve(biases.shapes(systems=("fire",), **MODEL), "FIRE")
    assert facts["each"] == "; ".join(
        ["ALiBi 0 to −63.5", f"Sandwich 0 to −{-8 * sandwich / 8:.4g}", f"FIRE −{-fire[0]:.4g} to −{-fire[127]:.4g}"]
    )
    assert facts["still"] == "ALiBi; Sandwich"
    moved = biases.drift(biases.built("fire", 64), 1, 64)
    assert facts["moving"] == f"FIRE (by up to {moved:.4g})"


@each(
    ("systems", "train_length", "verdict", "drawn", "thinned"),
    [
        (("alibi", "fire"), 16, "moving", 32, ""),
        (("fire",), 64, "moving-all", 128, ""),
        (("alibi", "t5"), 64, "moving-none", 128, ""),
        (("alibi",), 80, "moving-none", 128, "thinned"),
    ],
)
def test_what_moves_and_which_distances_are_left_out_is_said(systems, train_length, verdict, drawn, thinned):
    figure = biases.shapes(systems=systems, head=1, train_length=train_length)
    facts = figure.facts
    assert (facts["verdict"], facts["drawn"], facts["thinned"]) == (verdict, drawn, thinned)
    assert facts["last"] == 2 * train_length - 1
    assert figure.height == 90 + 92 * len(systems)


def effective(distances, slope):
    weights = [math.exp(-slope * distance) for distance in distances]
    return math.exp(plain_entropy([weight / sum(weights) for weight in weights]))


def test_the_matrix_says_how_far_the_last_query_looks():
    values = {"system": "alibi", **(MODEL | {"head": 2})}
    facts = biases.bias_matrix(**values).facts
    assert facts == {"title": "ALiBi", "tokens": 24, "spread": 0, "lowest": -23 / 4}
    keys = [effective(range(24), 2.0**-head) for head in range(1, 9)]
    facts = biases.attention_matrix(**values).facts
    assert facts["keys"] == pytest.approx(keys[1])
    assert facts["heads"] == ", ".join(f"{count:.1f}" for count in keys)


def test_what_is_said_of_a_row():
    values = {"systems": ("alibi",), **MODEL, "n_keys": 32}
    first = (1 - math.exp(-SLOPE)) / (1 - math.exp(-SLOPE * 32))
    assert biases.weights_by_distance(**values).facts["highest"] == f"no bias {1 / 32:.4g}; ALiBi {first:.4g}"
    keys = effective(range(32), SLOPE)
    assert biases.effective_keys(**values).facts["each"] == f"no bias 32.0; ALiBi {keys:.1f}"
    near = (1 - math.exp(-SLOPE * 5)) / (1 - math.exp(-SLOPE * 32))
    assert biases.nearest(**values, window=5)["rows"].splitlines() == [
        f"| no bias | 32.0 | {5 / 32:.1%} |",
        f"| ALiBi | {keys:.1f} | {near:.1%} |",
    ]


def test_without_a_system_there_is_the_row_without_a_bias():
    assert set(biases.last_rows((), **MODEL, n_keys=5)) == {"no bias"}
    assert biases.nearest((), **MODEL, n_keys=5, window=64)["rows"] == "| no bias | 5.0 | 100.0% |"


@each(("guess", "right"), [(14, True), (13, False), (15, False)])
def test_the_first_key_below_a_thousandth(guess, right):
    found, facts = biases.first_below_a_thousandth(guess)
    assert found == right
    told = {"nearest": 14, "before": 13, "longer": 256, "guessed": math.exp(-guess / 2)}
    ratios = {"ratio": math.exp(-7), "ratio-before": math.exp(-6.5), "ratio-longer": math.exp(-7)}
    assert facts == pytest.approx(told | ratios)


@each(("value", "plain"), [(-1e-12, "0.0"), (0.5, "0.5"), (-63.5, "-63.5"), (-math.inf, "-inf")])
def test_what_rounding_leaves_around_zero_is_left_out(value, plain):
    assert str(biases.settled(torch.tensor(value, dtype=torch.float64))) == plain


SIZES = "n_buckets max_distance train_length"
PICTURES |= {  # arguments to start from, and other ones
    alibi_and_t5.mistakes: sets("n_keys slope", (6, 1.0), (20, 0.25)),
    alibi_and_t5.buckets: sets(SIZES, (32, 128, 64), (16, 64, 16)),
    alibi_and_t5.followed_table: sets(f"{SIZES} head", (32, 128, 64, 1), (16, 64, 16, 3)),
    alibi_and_t5.slopes: ({"n_heads": 12}, {"n_heads": 5}),
    alibi_and_t5.rounded_forms: sets("n_keys head precision", (4_096, 1, "bfloat16"), (20, 3, "float16")),
}
NEW_SPEC |= {(alibi_and_t5.rounded_forms, "precision")}  # it stands in the names of the lines


def test_the_fraction_of_untrained_buckets_against_a_loop():
    figure = alibi_and_t5.followed_table(n_buckets=32, max_distance=128, train_length=64, head=1)
    learned, straight, got = figure.facts["learned"], figure.facts["straight"], figure.frames["points"]
    terms = [math.exp(bias) for bias in got.y[:128]]
    assert learned == pytest.approx(sum(terms[67:]) / sum(terms), rel=1e-12)
    line = [math.exp(-SLOPE * distance) for distance in range(128)]
    assert straight == pytest.approx(sum(line[67:]) / sum(line), rel=1e-9)
    assert learned > 0.9 > 1e-12 > straight
    assert (figure.facts["slope"], figure.facts["twice"]) == (SLOPE, 128)
    all_met = alibi_and_t5.followed(32, 128, 256, head=1)
    assert alibi_and_t5.untrained_fractions(all_met, 128, 256, head=1) == (0, 0)


def test_a_weight_too_small_for_three_digits_is_not_called_none():
    assert f"{math.exp(-31) * (1 - math.exp(-1)):.0e}" == "2e-14"
    longer = alibi_and_t5.mistakes(n_keys=32, slope=1.0).facts
    assert longer["right-first"] == longer["mistaken-own"] == "2·10⁻¹⁴"


@each(
    ("sizes", "facts"),
    [
        ((32, 128, 64), (16, 113, 5, "buckets-early", "table")),
        ((32, 128, 128), (16, 113, 0, "buckets-early", "table-met")),
        ((64, 32, 64), (32, 32, 31, "buckets-late", "table-met")),  # the 31 hold no distance
    ],
)
def test_what_is_said_of_buckets(sizes, facts):
    found = alibi_and_t5.buckets(*sizes).facts
    single, last, unmet, begins, outcome = facts
    assert (found["single"], found["last"], found["begins"]) == (single, last, begins)
    assert (found["unmet"], found["outcome"]) == (unmet, outcome)


@each(("n_keys", "ties", "pairs"), [(4_096, 44, 47), (64, 0, 47), (20, 0, 19)])
def test_steps_that_have_vanished(n_keys, ties, pairs):
    facts = alibi_and_t5.rounded_forms(n_keys=n_keys, head=1, precision="bfloat16").facts
    assert facts == {"slope": SLOPE, "ties": ties, "pairs": pairs, "largest": SLOPE * (n_keys - 1)}


def test_the_key_index_is_exact_until_it_is_rounded():
    facts = alibi_and_t5.form_errors(n_keys=4_096, head=1, precision="bfloat16")
    rows = facts["rows"].splitlines()
    assert [row.split(" | ")[0] for row in rows] == ["| float64", "| float32", "| float16", "| bfloat16"]
    assert rows[0] == "| float64 | 0 | 0 |"
    # numbers of bfloat16 are 8 apart there: the last eight keys or so have one number, and share their weights
    assert facts["off"] == pytest.approx(1 - math.exp(-SLOPE) - 1 / 8, abs=0.01)
    assert rows[3] == f"| bfloat16 | 0 | {facts['off']:.2g} |"
    assert facts["same"] == 0
    assert alibi_and_t5.form_errors(n_keys=4_096, head=1, precision="float64")["off"] == 0
