from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.positions import REMAPS, clipped, grouped, interpolated, randomised, shifted
from tests.cases import each, refuses
from tests.strategies import lengths, real_positions, seeds, whole_positions

F64 = torch.float64
every_remap = each("key", REMAPS)
RANDOM = {"shape", "randomised"}


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def build(key, n, *, generator=None, **given):
    defaults = {"train_length": 4, "max_length": 32, "training": False}
    return REMAPS[key].build(n, generator=generator or rng(), **{**defaults, **given})


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("consecutive", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("shape", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("interpolated", [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]),
        ("clipped", [0, 1, 2, 3, 3, 3, 3, 3]),
        ("grouped", [0, 0, 1, 1, 2, 2, 3, 3]),
    ],
)
def test_8_tokens_for_a_model_trained_on_4(key, expected):
    assert build(key, 8).tolist() == expected


def test_groups_are_as_large_as_it_takes():
    assert build("grouped", 9).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert build("grouped", 12).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


@given(real_positions, st.integers(0, 9), st.integers(1, 9), lengths, lengths)
def test_functions_equal_their_definition(positions, last, group, length, train_length):
    places = positions.tolist()
    assert clipped(positions, last).tolist() == [min(place, last) for place in places]
    assert grouped(positions, group).tolist() == [place // group for place in places]
    expected = [place * train_length / length if length > train_length else place for place in places]
    assert_close(interpolated(positions, length, train_length), torch.tensor(expected, dtype=F64), atol=0, rtol=1e-15)


@given(whole_positions, st.integers(0, 100), seeds)
def test_a_shift_is_one_number_for_all(positions, largest, seed):
    offsets = shifted(positions, largest, rng(seed)) - positions
    assert len(offsets.unique()) == 1
    assert 0 <= int(offsets[0]) <= largest


def test_every_shift_is_drawn_about_equally_often_the_largest_too():
    generator = rng()
    drawn = torch.cat([shifted(torch.zeros(1, dtype=torch.int64), 3, generator) for _ in range(2_000)])
    counts = drawn.bincount().tolist()
    assert len(counts) == 4
    assert all(400 < count < 600 for count in counts)  # 500 expected, 19 the standard deviation


@given(lengths, st.integers(0, 60), seeds)
def test_random_indices_are_distinct_sorted_and_in_range(n, more, seed):
    drawn = randomised(n, n + more, rng(seed)).tolist()
    assert len(drawn) == n
    assert all(first < second for first, second in pairwise(drawn))
    assert drawn[0] >= 0
    assert drawn[-1] < n + more


def test_every_choice_of_indices_is_drawn_about_equally_often():
    generator, counts = rng(), {}
    for _ in range(2_000):
        drawn = tuple(randomised(2, 4, generator).tolist())
        counts[drawn] = counts.get(drawn, 0) + 1
    assert len(counts) == 6
    assert all(260 < count < 410 for count in counts.values())  # 333 expected, 17 the standard deviation


@every_remap
@given(n=lengths, train_length=st.integers(1, 12), seed=seeds)
def test_positions_rise_and_stay_within_the_longest_text(key, n, train_length, seed):
    for training in (False, True):
        told = build(key, n, train_length=train_length, max_length=24, training=training, generator=rng(seed))
        assert told.shape == (n,)
        assert (told.diff() >= 0).all()
        assert told.min() >= 0
        assert told.max() < 24


@every_remap
@given(n=st.integers(1, 12), seed=seeds)
def test_what_is_not_random_leaves_a_text_of_training_as_it_is(key, n, seed):
    told = build(key, n, train_length=12, max_length=24, generator=rng(seed))
    assert (key in {"randomised"}) or told.tolist() == list(range(n))


@each("key", ["interpolated", "clipped", "grouped"])
@given(n=st.integers(1, 200), train_length=st.integers(1, 12))
def test_a_longer_text_is_told_positions_of_training_only(key, n, train_length):
    assert build(key, n, train_length=train_length, max_length=200).max() < train_length


@every_remap
def test_training_and_evaluation_as_the_entry_says(key):
    spec, plain = REMAPS[key], list(range(8))
    for training, applies in ((True, spec.in_training), (False, spec.in_evaluation)):
        told = [build(key, 8, training=training, generator=rng(seed)).tolist() for seed in range(20)]
        assert (told != [plain] * 20) == (applies and key != "consecutive")


@every_remap
def test_draws_come_from_the_generator_and_anew_at_each_call(key):
    generator = rng(5)
    first, second = (build(key, 4, training=True, generator=generator) for _ in range(2))
    before = torch.get_rng_state()
    again = build(key, 4, training=True, generator=rng(5))
    assert torch.equal(first, again)
    assert torch.equal(first, second) == (key not in RANDOM)
    assert torch.equal(torch.get_rng_state(), before)


def test_shifts_reach_to_where_the_longest_text_ends():
    generator = rng()
    last = {int(build("shape", 4, max_length=7, training=True, generator=generator)[-1]) for _ in range(100)}
    assert last == {3, 4, 5, 6}


def test_errors():
    refuses(lambda: shifted(torch.arange(3), -1, rng()), "largest must be at least 0, got -1")
    refuses(lambda: randomised(5, 4, rng()), "n_indices must be at least n (5), got 4")
    refuses(lambda: interpolated(torch.arange(3), 3, 0), "train_length must be at least 1, got 0")
    refuses(lambda: clipped(torch.arange(3), -1), "last must be at least 0, got -1")
    refuses(lambda: grouped(torch.arange(3), 0), "group must be at least 1 (1 keeps the positions), got 0")
    refuses(lambda: build("consecutive", 0), "n must be at least 1, got 0")
    refuses(lambda: build("consecutive", 3, train_length=0), "train_length must be at least 1, got 0")
    refuses(lambda: build("consecutive", 3, max_length=0), "max_length must be at least 1, got 0")
    refuses(lambda: build("clipped", 3, params={"bogus": 1}), "parameter of clipped must be one of (none), got bogus")
