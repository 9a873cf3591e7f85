"""What hooks say of positions without content, and when the text moves, goes on or grows, against formulas."""

import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings import ENCODINGS, Chain, Masked, PositionalEncoding, Shape, alibi, sinusoidal
from pe_core.masks import sliding_window
from pe_core.measures import lengths
from pe_core.measures import profile as measured
from pe_core.measures.pairs import linear_map_error
from pe_core.measures.profile import attempt, codes, effects, effects_on, initial, profile, random_content
from tests.cases import each, refuses
from tests.measures.handmade import SHAPE, Reading, Scores, Short, Stretch, Vectors, registered
from tests.measures.test_biases import summed
from tests.strategies import F64

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
    (q, k), reader = random_content(SHAPE, 12), Reading()
    effects_on(reader, SHAPE, POSITIONS, torch.zeros(12, 8, dtype=F64), q, k)
    assert torch.equal(reader.read[0], torch.cat(list(q), dim=-1)[None])


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


def test_a_text_is_looked_at_in_full_or_through_evenly_spread_positions():
    assert lengths.sample(SHAPE, 8).tolist() == list(range(128))
    long = Shape(8, 2, train_length=1001, max_length=8008)
    for multiple in (1, 8):
        positions = lengths.sample(long, multiple)
        assert (len(positions), positions[0], positions[-1]) == (64 * multiple, 0, 1001 * multiple - 1)
        assert positions.diff().max() - positions.diff().min() <= 1


def change(before, after):
    """Largest change over largest size of two lists of numbers."""
    return max(abs(a - b) for a, b in zip(before, after, strict=True)) / max(map(abs, [*before, *after]))


def test_shifts_are_1_and_primes_so_that_no_row_and_no_group_divides_all_of_them():
    assert [lengths.shifts(length) for length in (1, 2, 16, 64)] == [(1,), (1, 2), (1, 7, 13), (1, 31, 61)]
    for length in range(3, 60):
        assert lengths.shifts(length)[-1] <= length
        assert all(any(shift % size for shift in lengths.shifts(length)) for size in range(2, length))


def test_indices_and_tables_notice_that_the_text_moves():
    pairs = [(m, n) for m in range(16) for n in range(16)]
    plain, moved = [m * n for m, n in pairs], [(m + 13) * (n + 13) for m, n in pairs]
    assert lengths.shift_error(registered("integer"), SHAPE) == pytest.approx(change(plain, moved))
    plain, moved = ([value / last**2 for value in some] for some, last in ((plain, 15), (moved, 28)))
    assert lengths.shift_error(registered("normalised"), SHAPE) == pytest.approx(change(plain, moved))
    learned = registered("learned")  # a table moves to other rows
    plain, *moved = (profile(learned, SHAPE, torch.arange(16) + shift)[0].flatten().tolist() for shift in (0, 1, 7, 13))
    worst = max(change(plain, other) for other in moved)
    assert lengths.shift_error(learned, SHAPE) == pytest.approx(worst)
    assert worst > 0.5


def test_far_apart_are_both_ends_of_both_halves_and_as_many_tokens_in_each():
    for length in (384, 5_000, 80_001, 320_000):
        found = lengths.far_apart(length, 0)
        assert len(found) == 192
        assert (found.diff() > 0).all()
        assert (found[0], found[95], found[191]) == (0, length // 2 - 1, length - 1)
        assert found[96] >= length // 2
    assert len((found[:, None] - found[None, :]).unique()) > 17_000  # evenly spread ones have 383


def test_what_is_capped_is_bounded_and_a_logarithm_is_not():
    wide = Shape(d_model=64, n_heads=4, train_length=64, max_length=512)
    capped = ("rerope", "self_extend", "t5", "shaw", "fire", "sandwich")
    unbounded = ("kerple_log", "rope_log_n", "rope_scaled", "xpos")
    assert max(lengths.growth(registered(key, shape=wide), wide) for key in capped) < 0.04
    assert min(lengths.growth(registered(key, shape=wide), wide) for key in unbounded) > 0.06


def test_what_grows_most_counts_and_what_is_0_at_first_has_no_growth():
    grown = Stretch(lambda positions: (1 + positions).sqrt())
    assert lengths.growth(grown, SHAPE) == pytest.approx(1, abs=0.01)  # the scores, more than queries and keys
    cubes = Chain(grown, registered("rope"), Scores(lambda m, n: m**3))
    assert lengths.growth(cubes, SHAPE) == pytest.approx(3, abs=0.02)
    late = Vectors(lambda positions: (positions > 45_000).double()[:, None].expand(-1, 8))
    assert lengths.growth(late, SHAPE) is None


def test_scores_that_stay_are_no_change_though_queries_and_keys_do():
    class Centred(PositionalEncoding):
        def rotate(self, q, k, positions):
            return q * len(positions), k / len(positions)

    assert lengths.prefix_error(Centred(), SHAPE) < 1e-12


def test_every_hook_can_notice_that_the_text_goes_on():
    added = Vectors(lambda positions: (positions * len(positions))[:, None].expand(-1, 8))
    turned = Stretch(lambda positions: torch.full_like(positions, len(positions)))
    shifted = Scores(lambda m, n: 1e9 * (m - n) * m.numel())  # so large that the content plays no part
    assert lengths.prefix_error(added, SHAPE) == pytest.approx(1 - 1 / 2)
    assert lengths.prefix_error(turned, SHAPE) == pytest.approx(1 - 1 / 4)  # of q and of k
    assert lengths.prefix_error(shifted, SHAPE) == pytest.approx(1 - 1 / 2)
    hides = Scores(lambda m, n: (m - n).masked_fill((m - n).abs() > 100 / m.numel(), -math.inf))
    assert lengths.prefix_error(hides, SHAPE) == 1


@each(("n", "expected"), [(1, 0), (15, 0), (16, 1), (31, 1), (32, 2), (64, 4), (127, 4), (128, 8), (1000, 8)])
def test_how_far_an_encoding_reaches(n, expected):
    assert lengths.reach(Short(n), SHAPE) == expected
    assert lengths.reach(registered("learned", shape=Shape(8, 2, 16, n)), SHAPE) == expected
    assert lengths.reach(Stretch(lambda positions: 1 / (20 - positions)), SHAPE) == 1  # no further than what is finite


def test_between_what_is_exact_and_what_is_not_there_is_a_gap():
    shape = Shape(d_model=64, n_heads=4, train_length=64, max_length=512)
    found = {key: lengths.composition_error(registered(key, shape=shape), shape) for key in ENCODINGS}
    # Its map is exact, but some of its drawn frequencies are too near each other to be told apart on so few positions.
    assert found.pop("random_fourier") < 1e-3
    known = [error for error in found.values() if error is not None]
    exact = [error for error in known if error < 1e-9]
    assert max(exact) < 2e-11
    assert min(set(known) - set(exact)) > 0.05


def test_a_factor_that_grows_evenly_does_not_compose():
    errors = []
    for content in random_content(SHAPE, 16):
        rows = [(m, x) for m in range(16) for x in content[:, m].flatten().tolist()]
        for k in (1, 16):
            twice, direct = [(1 + m) * (1 + k) * x for m, x in rows], [(1 + m + k) * x for m, x in rows]
            errors.append(change(twice, direct))
    assert lengths.composition_error(Stretch(lambda positions: 1 + positions), SHAPE) == pytest.approx(max(errors))


def test_the_worst_offset_counts():
    learned = registered("learned")
    rows = learned.table.detach().double()[:16]
    errors = [linear_map_error(rows, offset) for offset in (1, 2, 4)]
    assert lengths.composition_error(learned, SHAPE) == pytest.approx(max(errors))
    assert max(errors) > 1.1 * errors[0]  # not the first


def test_short_texts_fit_no_map_and_a_factor_that_is_the_same_everywhere_is_no_turn():
    shape = Shape(8, 2, train_length=3, max_length=32)
    assert lengths.composition_error(registered("sinusoidal", shape=shape), shape) is None
    assert lengths.composition_error(registered("deberta"), SHAPE) is None


def test_the_dilution_of_alibi_equals_the_definition():
    slopes = [2**-4, 2**-8]
    short, long = ([summed([-slope * n for n in range(length)]) for slope in slopes] for length in (16, 128))
    growth = (sum(long) - sum(short)) / len(slopes)
    assert lengths.dilution(registered("alibi"), SHAPE) == pytest.approx(growth / math.log(8))


def test_the_dilution_of_rope_is_measured_on_content_of_the_norm_of_independent_channels():
    """|q| |k| = d = 4, two channels to a pair. What added vectors do to attention is not known yet."""
    scores = [sum(2 * math.cos(n * omega) for omega in (1, 0.01)) / math.sqrt(4) for n in range(128)]
    growth = summed(scores) - summed(scores[:16])
    assert lengths.dilution(registered("rope"), SHAPE) == pytest.approx(growth / math.log(8))
    assert lengths.dilution(registered("sinusoidal"), SHAPE) is None


@each("n", [15, 16])
def test_positions_that_are_refused_give_no_number(n):
    names = ("shift_error", "growth", "prefix_error", "composition_error", "dilution")
    assert [getattr(lengths, name)(Short(n), SHAPE) for name in names] == [None] * 5
