"""ALiBi and T5 looked at closely: pictures and facts, by hand and by loops."""

import math

import pytest

from pe_core.chapters import alibi_and_t5
from tests.cases import each

SIZES = {"n_buckets": 32, "max_distance": 128, "train_length": 64}
OTHER_SIZES = {"n_buckets": 16, "max_distance": 64, "train_length": 16}
PICTURES = {  # arguments to start from, and other ones
    alibi_and_t5.mistakes: ({"n_keys": 6, "slope": 1.0}, {"n_keys": 20, "slope": 0.25}),
    alibi_and_t5.buckets: (SIZES, OTHER_SIZES),
    alibi_and_t5.followed_table: ({**SIZES, "head": 1}, {**OTHER_SIZES, "head": 3}),
    alibi_and_t5.slopes: ({"n_heads": 12}, {"n_heads": 5}),
    alibi_and_t5.rounded_forms: (
        {"n_keys": 4_096, "head": 1, "precision": "bfloat16"},
        {"n_keys": 20, "head": 3, "precision": "float16"},
    ),
}
NEW_SPEC = {(alibi_and_t5.rounded_forms, "precision")}  # it stands in the names of the lines
SLOPE = 0.5


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
    longer = alibi_and_t5.mistakes(n_keys=32, slope=1.0).facts
    assert longer["right-first"] == longer["mistaken-own"] == f"{math.exp(-31) * (1 - math.exp(-1)):.0e}"


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
