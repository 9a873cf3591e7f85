"""T5's buckets: golden first distances, what training meets, and a table that follows another bias."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.encodings import t5
from pe_core.measures.bias_buckets import buckets, first_distances, following, met
from tests.strategies import checked, normal

sizes = st.tuples(st.integers(1, 16).map(lambda n: 4 * n), st.sampled_from([32, 64, 128, 256]))


def test_the_golden_first_distances():
    wide = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert list(first_distances(32, 128).values()) == [*range(16), *wide]
    assert list(first_distances(32, 128)) == list(range(32))


def test_a_bucket_that_no_distance_falls_into_is_left_out():
    assert first_distances(64, 8) == {**{distance: distance for distance in range(8)}, 63: 8}


@checked
@given(size=sizes, train_length=st.integers(1, 300))
def test_what_is_met_against_a_loop(size, train_length):
    seen = {int(t5.bucket(torch.tensor(-d), n_buckets=size[0], max_distance=size[1])) for d in range(train_length)}
    found = met(*size, train_length)
    assert {bucket for bucket in range(size[0]) if found[bucket]} == seen


def test_five_of_thirty_two_are_never_met_in_texts_of_64():
    assert (~met(32, 128, 64)).nonzero()[:, 0].tolist() == [27, 28, 29, 30, 31]
    assert not (~met(32, 128, 512)).any()
    assert int(met(32, 128, 113).sum()) == 31
    assert int(met(32, 128, 114).sum()) == 32


@checked
@given(size=sizes, train_length=st.integers(1, 300), seed=st.integers(0, 99))
def test_following_against_a_loop(size, train_length, seed):
    target, table = normal(seed, train_length), normal(seed + 1, size[0])
    place = buckets(torch.arange(train_length), *size).tolist()
    found = following(target, table, size[1])
    for bucket in range(size[0]):
        own = [float(target[d]) for d in range(train_length) if place[d] == bucket]
        expected = sum(own) / len(own) if own else float(table[bucket])
        assert float(found[bucket]) == pytest.approx(expected, abs=1e-12)


def test_errors():
    with pytest.raises(ValueError, match=r"^train_length must be at least 1, got 0$"):
        met(32, 128, 0)
