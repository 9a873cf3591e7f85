"""What the hooks say about positions, read off without content, against the formulas of single encodings."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Masked, PositionalEncoding, alibi, sinusoidal
from pe_core.masks import sliding_window
from pe_core.measures import profile as measured
from pe_core.measures.profile import attempt, codes, effects, effects_on, initial, profile, random_content
from tests.cases import each, refuses
from tests.measures.handmade import F64, SHAPE, Scores, Short, Stretch, Vectors, registered

POSITIONS = torch.arange(12)
APART = (POSITIONS[:, None] - POSITIONS).double()


def window(width):
    return Masked(lambda n: sliding_window(n, width))


def gram(rows):
    return [[sum(a * b for a, b in zip(m, n, strict=True)) for n in rows] for m in rows]


@each(
    ("key", "expected"),
    [
        ("sinusoidal", torch.tensor(gram(sinusoidal.table(POSITIONS, 8, dtype=F64).tolist()), dtype=F64)),
        ("alibi", alibi.bias(POSITIONS, 2, dtype=F64)),  # a bias is its own profile, and hidden keys stay hidden
        ("rope", sum(torch.cos(APART * w) - 1 for w in (1.0, 0.01)) / 2 / 2),  # on a constant vector, less the plain
    ],
)
def test_a_profile_is_the_formula_of_its_encoding_in_every_head(key, expected):
    found = profile(registered(key), SHAPE, POSITIONS)
    assert_close(found, expected.expand(2, 12, 12), rtol=0, atol=1e-12)


def test_the_bias_sees_queries_and_keys_as_they_were_turned():
    class Products(PositionalEncoding):
        def rotate(self, q, k, positions):
            return 2 * q, 3 * k

        def bias(self, q, k, positions):
            return q @ k.mT

    assert_close(profile(Products(), SHAPE, POSITIONS), torch.full((2, 12, 12), 6 / 2 + 6 - 1 / 2, dtype=F64))


def test_the_first_layer_is_measured():
    class Layers(PositionalEncoding):
        def at_layer(self, layer):
            return Scores(lambda m, n: (m - n) * (1 - layer))

    assert_close(profile(Layers(), SHAPE, POSITIONS), APART.expand(2, 12, 12))


def test_a_mask_counts_places_of_the_text_of_which_only_some_are_measured():
    some = torch.tensor([100, 101, 103, 106, 107, 130])
    found = profile(window(4), SHAPE, some) == 0
    expected = [[n <= m and some[m] - some[n] < 4 for n in range(6)] for m in range(6)]
    assert found.tolist() == [expected] * 2
    ends = torch.tensor([0, 4095])  # of a text too long for a mask every key counts
    assert profile(window(4), SHAPE, ends)[0].tolist() == [[0, -math.inf], [-math.inf, 0]]
    assert profile(window(4), SHAPE, torch.tensor([0, 4096])).tolist() == [[[0, 0], [0, 0]]] * 2


def test_to_the_last_query_hidden_keys_are_all_alike():
    rows = codes(Chain(registered("rope"), window(4)), SHAPE, POSITIONS)
    assert_close(rows[8:], codes(registered("rope"), SHAPE, POSITIONS)[8:])
    assert torch.equal(rows[:8], rows[:8].min(dim=0).values.expand(8, -1))
    assert torch.equal(rows[0], rows.min(dim=0).values)


def test_an_encoding_reads_the_queries_of_all_heads_as_its_input():
    class Reading(PositionalEncoding):
        def reading(self, x):
            read.append(x)
            return self

    read = []
    q, k = random_content(SHAPE, 12)
    effects_on(Reading(), SHAPE, POSITIONS, torch.zeros(12, 8, dtype=F64), q, k)
    assert torch.equal(read[0], torch.cat(list(q), dim=-1)[None])


def test_an_encoding_is_left_alone_and_initial_weights_come_from_the_seed_alone():
    built = ENCODINGS["learned"].build(SHAPE)
    built.reset_parameters(torch.Generator().manual_seed(3))
    before = built.table.clone()
    assert profile(built, SHAPE, POSITIONS).dtype == F64
    assert torch.equal(initial(built).table, registered("learned").table)
    assert torch.equal(built.table, before)
    assert built.table.dtype == torch.float32
    assert built.table.requires_grad


def test_an_encoding_that_refuses_positions_says_so_and_an_attempt_does_not():
    refuses(lambda: profile(Short(3), SHAPE, torch.tensor([2, 3])), "positions must lie below 3, got [2, 3]")
    assert attempt(Short(3), SHAPE, torch.tensor([2, 3])) is None
    assert attempt(Short(3), SHAPE, torch.tensor([1, 2])) is not None


@each("bad", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_no_result(bad):
    for encoding in (
        Vectors(lambda positions: torch.full((len(positions), 8), bad)),
        Stretch(lambda positions: positions * bad),
        Scores(lambda m, n: m + n + bad),
    ):
        assert attempt(encoding, SHAPE, POSITIONS) is None


def test_codes_are_the_vector_and_the_scores_of_the_last_query_with_every_unit_vector():
    encoding = Chain(*(registered(key) for key in ("sinusoidal", "alibi", "rope")))
    rows = codes(encoding, SHAPE, POSITIONS)
    assert rows.shape == (12, 8 + 2 * 4)
    vectors, bias = (getattr(effects(encoding, SHAPE, POSITIONS), name) for name in ("vectors", "bias"))
    omega = [1, 10_000 ** (-2 / 4)]
    for position in range(12):
        expected = vectors[position].tolist()
        for asked in range(4):
            angle = (11 - position) * omega[asked // 2]  # from the key to the query, which is turned farther
            score = (math.cos(angle) + (-1) ** (asked % 2) * math.sin(angle)) / 2 / math.sqrt(4)
            expected += [score + bias[head, 11, position].item() for head in range(2)]
        assert rows[position].tolist() == pytest.approx(expected, abs=1e-12)


def test_a_key_that_a_head_does_not_see_has_the_lowest_score_of_those_it_sees():
    window = Scores(lambda m, n: (n - m).masked_fill(m - n > 2, -math.inf))
    first = codes(window, SHAPE, POSITIONS)[7:, -1]
    assert (first - first[-1]).tolist() == [-2, -2, -2, -1, 0]
    itself = codes(Scores(lambda m, n: (n - m).masked_fill(m != n, -math.inf)), SHAPE, POSITIONS)[:, -1]
    assert (itself - itself[-1]).tolist() == [0] * 12


def test_random_content_is_always_the_same_and_unit_content_has_length_1():
    (q, k), again = (random_content(SHAPE, 5) for _ in range(2))
    assert q.shape == k.shape == (2, 5, 4)
    assert torch.equal(q, again[0])
    assert not torch.equal(q, k)
    assert_close(measured.unit_content(SHAPE, 5).norm(dim=-1), torch.ones(2, 5, dtype=F64))
