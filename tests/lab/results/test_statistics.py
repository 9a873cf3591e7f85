"""Runs by their losses: verdicts, means of several seeds, order, and what a paired test of their seeds says."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.results.comparison import next_told, paired
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.statistics import compact, grade, mean_losses, ratio, task_verdict, verdict
from pe_core.lab.results.table import measures, pair_of, rows, summaries
from tests.cases import each, refuses
from tests.lab.seeded import CONFIG, FACTS, losses, one_seed, seeded

TASK = replace(FACTS, characters=0, chance_loss=math.log(10))

loss = st.floats(0.01, 20)
seed_losses = st.lists(st.lists(loss, min_size=3, max_size=3), min_size=1, max_size=6)
numbers = st.dictionaries(st.integers(0, 6), st.floats(-5, 5), max_size=6)


def by_length(values):
    return tuple(LengthLoss(length, value, value / 2) for length, value in zip((16, 32, 48), values, strict=True))


@each(
    ("first", "last", "expected"),
    [
        (1.0, 1.1, "holds"),
        (1.0, math.nextafter(1.1, 2), "degrades"),
        (1.0, math.nextafter(1.5, 0), "degrades"),
        (1.0, 1.5, "breaks"),
        (math.nextafter(3.0, 0), 3.0, "holds"),
        (3.0, 3.0, "not learned"),
        (math.nan, 1.0, "not learned"),
        (0.0, 0.0, "holds"),
        (0.0, 1.0, "breaks"),
    ],
)
def test_the_verdict_follows_from_first_and_last_length(first, last, expected):
    assert verdict(by_length((first, 9.9, last)), unigram_loss=3.0) == expected


def mark(length, accuracy, beyond=None):
    """Of a task; the losses say nothing."""
    return LengthLoss(length, 9.9, 9.9, accuracy, 0.0, beyond)


@each(
    ("first", "last", "expected"),
    [
        (1.0, 0.96, "holds"),
        (1.0, 0.94, "degrades"),
        (1.0, 0.75, "breaks"),
        (0.75, 0.6, "breaks"),
        (0.8, 0.9, "holds"),
        (0.74, 1.0, "not learned"),
    ],
)
def test_the_verdict_on_a_task_is_how_much_of_its_skill_is_left(first, last, expected):
    assert task_verdict([mark(32, first), mark(64, 0.0), mark(256, last)], chance=0.5) == expected


@each(("beyond", "expected"), [(1.0, "holds"), (0.9, "degrades"), (0.6, "breaks")])
def test_of_a_task_only_what_is_asked_past_the_training_length_counts(beyond, expected):
    """Half of the answers are asked within the training length, where the model has them all right."""
    marks = (mark(32, 1.0, 1.0), mark(64, (1 + beyond) / 2, beyond))
    assert task_verdict(marks, chance=0.5) == expected
    assert grade(marks) == 1 - beyond


@given(seed_losses)
def test_means_lie_between_the_seeds_and_so_does_the_ratio_of_the_means(values):
    each = [by_length(one) for one in values]
    mean = mean_losses(each)
    assert [one.length for one in mean] == [16, 32, 48]
    for place, one in enumerate(mean):
        here = [value[place] for value in values]
        assert one.loss == pytest.approx(math.fsum(here) / len(here), rel=1e-12)
        assert one.last_quarter == pytest.approx(one.loss / 2, rel=1e-12)
        assert (one.accuracy, one.exact) == (None, None)
    ratios = [ratio(one) for one in each]
    assert min(ratios) * (1 - 1e-12) <= ratio(mean) <= max(ratios) * (1 + 1e-12)


def test_shares_of_a_task_are_averaged_too_and_its_grade_is_what_is_wrong():
    one, other = (LengthLoss(16, 1.0, 1.0, accuracy, exact) for accuracy, exact in ((0.5, 0.0), (0.75, 0.5)))
    assert mean_losses([(one,), (other,)]) == (LengthLoss(16, 1.0, 1.0, 0.625, 0.25),)
    assert grade((mark(16, 1.0), mark(32, 0.75))) == 0.25
    assert grade(by_length((2.0, 9.0, 3.0))) == 1.5  # of a text it is the ratio


def test_a_pair_has_the_seeds_that_both_have_and_fewer_than_two_say_nothing():
    found = paired({5: 1.0, 3: 4.0, 4: 0.0}, {3: 1.0, 5: 2.5, 9: 7.0})
    assert (found.seeds, found.first, found.second) == ((3, 5), (4.0, 1.0), (1.0, 2.5))
    assert found.differences == (3.0, -1.5)
    for second, told in (({0: 2.0}, "one run says nothing"), ({1: 2.0}, "no seed in common")):
        found = paired({0: 1.0}, second)
        assert (found.p, found.told) == (1.0, told)


# With 2 degrees of freedom the probability within t is t / sqrt(t² + 2).
@each(
    ("differences", "t", "told"),
    [
        ((1.0, 2.0, 3.0), 2 * math.sqrt(3), "not distinguishable"),
        ((1.0, 1.25, 1.5), 1.25 / 0.25 * math.sqrt(3), "yes"),
        ((-1.0, -1.25, -1.5), 1.25 / 0.25 * math.sqrt(3), "yes"),
        ((1.0, -1.0, 0.0), 0.0, "not distinguishable"),
        ((0.0, 0.0, 0.0), 0.0, "not distinguishable"),
    ],
)
def test_three_seeds_worked_out_by_hand(differences, t, told):
    found = paired({seed: 2.0 + one for seed, one in enumerate(differences)}, dict.fromkeys(range(3), 2.0))
    assert found.p == pytest.approx(1 - t / math.sqrt(t**2 + 2), abs=1e-12)
    assert found.told == told


@given(numbers, numbers)
def test_what_is_said_does_not_depend_on_who_comes_first(first, second):
    one, other = paired(first, second), paired(second, first)
    assert one.differences == tuple(-difference for difference in other.differences)
    assert (one.told, one.p) == (other.told, pytest.approx(other.p, abs=1e-12))


def test_the_verdict_is_that_of_the_mean_and_not_of_most_seeds():
    run = seeded([{"rope": (2.0, last)} for last in (2.0, 2.0, 3.2)])
    [rope] = summaries(run)
    assert (rope.verdict, rope.n, rope.n_same) == ("degrades", 3, 0)
    assert rope.grades == {3: 1.0, 4: 1.0, 5: 1.6}
    assert run.verdict("rope") == "degrades"


def test_the_best_comes_first_and_who_has_not_learned_last_where_there_are_several_trainings():
    ends = [{"rope": (2.0, 2.4 + shift), "alibi": (2.0, 2.1), "none": (2.6, 2.6)} for shift in (0.0, 0.01, 0.02)]
    found = summaries(seeded(ends))
    verdicts = [("ALiBi", "holds"), ("RoPE", "degrades"), ("None (NoPE)", "not learned")]
    assert [(one.title, one.verdict) for one in found] == verdicts
    assert next_told(found) == ["yes", None, None]
    single = summaries(seeded(ends[:1], config=CONFIG.of_seed(3)))
    assert [one.title for one in single] == ["RoPE", "ALiBi", "None (NoPE)"]  # as in the run
    assert next_told(single) == ["one run says nothing"] * 3


def test_a_run_under_way_compares_what_both_have():
    two = {"rope": (2.0, 2.4), "alibi": (2.0, 2.1)}
    assert next_told(summaries(seeded([two, {"rope": (2.0, 2.5)}]))) == ["one run says nothing", None]
    assert next_told(summaries(seeded([{"alibi": (2.0, 2.1)}, {"rope": (2.0, 2.5)}]))) == ["one run says nothing"] * 2
    [alibi, rope] = summaries(seeded([two, two, {"rope": (2.0, 2.5)}]))
    assert (alibi.n, rope.n) == (2, 3)


def test_a_cell_holds_the_mean_and_its_seeds():
    row = {"n": 3, "Ratio": 1.25, "Ratio, least": 1.0, "Ratio, greatest": 1.5004, "Verdict": "holds"}
    assert compact(row) == {"n": 3, "Ratio": "1.250 (1.000 to 1.500)", "Verdict": "holds"}
    plain = {"n": 1, "Ratio": 1.25}
    assert compact(plain) == plain


EMPTY = RunRecord(CONFIG, FACTS)
TWO = seeded([{"rope": (2.0, 3.0), "alibi": (2.0, 2.5)}, {"rope": (2.0, 4.0), "alibi": (1.0, 2.5), "none": (2.0, 2.0)}])


def test_two_encodings_by_each_measure():
    assert measures(TWO) == {
        "ratio": "Ratio of the losses",
        **{str(multiple): f"Loss at {16 * multiple}" for multiple in (8, 6, 4, 3, 2, 1)},
    }
    assert pair_of(TWO, "rope", "alibi", "ratio") == paired({3: 1.5, 4: 2.0}, {3: 1.25, 4: 2.5})
    assert pair_of(TWO, "rope", "alibi", "8") == paired({3: 3.0, 4: 4.0}, {3: 2.5, 4: 2.5})
    assert pair_of(TWO, "rope", "alibi", "1") == paired({3: 2.0, 4: 2.0}, {3: 2.0, 4: 1.0})
    assert pair_of(TWO, "none", "rope", "ratio").seeds == (4,)


def test_a_task_is_compared_by_what_is_right():
    shares = {"rope": (1, 1, 1, 1, 1, 0.75), "alibi": (0.5, 0, 0, 0, 0, 0.25)}
    done = {key: Outcome(7, tuple(map(mark, CONFIG.lengths, own)), ()) for key, own in shares.items()}
    run = one_seed(replace(CONFIG, n_seeds=1), TASK, {}, done)
    assert next(iter(measures(run).items())) == ("8", "Right at 128")
    assert "ratio" not in measures(run)
    assert pair_of(run, "rope", "alibi", "8").differences == (0.5,)
    assert pair_of(run, "rope", "alibi", "1").differences == (0.5,)
    assert [one.verdict for one in summaries(run)] == ["degrades", "not learned"]
    first, _ = rows(run)
    assert (first["Right at 128"], first["All right at 128"]) == (0.75, 0.0)


@each(
    ("record", "asked", "message"),
    [
        (TWO, ("rope", "t5", "ratio"), "second must be one of rope, alibi, none, the encodings that are done, got t5"),
        (TWO, ("rope", "alibi", "5"), "measure must be one of ratio, 8, 6, 4, 3, 2, 1, got 5"),
        (EMPTY, ("rope", "alibi", "1"), "first must be one of (none), the encodings that are done, got rope"),
    ],
)
def test_what_cannot_be_compared_is_named(record, asked, message):
    refuses(lambda: pair_of(record, *asked), message)


def test_the_mean_outcome_is_over_the_seeds_that_are_done():
    mean = TWO.mean("rope")
    assert mean.lengths == losses(2.0, 3.5)
    assert mean.positions == (2.0,) * 64 + (3.5,) * 64
    assert TWO.mean("none").lengths == losses(2.0, 2.0)
    assert TWO.done == ("rope", "alibi", "none")
    assert list(TWO.outcomes["none"]) == [4]
    with pytest.raises(KeyError):
        TWO.mean("t5")
