"""What the measures refuse, each with its whole sentence."""

import math

import torch

from pe_core.measures import (
    biases,
    channels,
    entropy,
    index,
    jumps,
    lengths,
    masked,
    memory,
    order,
    pairs,
    patches,
    profile,
    requirements,
    rotation,
    sequence,
    uncertainty,
)
from tests.cases import each, refuses
from tests.measures.handmade import SHAPE

WINDOW = "must be at least 1 (1 keeps only the query itself), got 0"
EQUAL = "must hold different numbers, got equal ones only"
AS_MANY = "profile must be (H, T, T) for as many positions as there are"
PRECISIONS = "float64, float32, float16, bfloat16"
LOGARITHM, EARLIER = "the rule divides by its logarithm", "so that there is an earlier one"
FINITE_ROWS, ASCENDING = "must be finite for at least one key in each row", "must be in ascending order"
EACH_ONCE, ROW_EACH = "must hold each of 0 to 2 once", "must have a row for each of the 4 systems"
GRID = patches.Patches(3, 4)
HIDDEN = torch.full((2, 3), -math.inf)


def row(*values):
    return torch.tensor(values, dtype=torch.float64)


def zeros(*shape):
    return torch.zeros(shape, dtype=torch.float64)


@each(
    ("call", "message"),
    [
        (lambda: uncertainty.kendall_tau(row(1, 2), row(1, 2, 3)), "second must have the shape (2,), got (3,)"),
        (lambda: uncertainty.kendall_tau(row(1), row(1)), "first must be a row of at least two numbers, got (1,)"),
        (lambda: uncertainty.kendall_tau(row(2, 2), row(1, 2)), f"first {EQUAL}"),
        (lambda: uncertainty.kendall_tau(row(1, 2), row(2, 2)), f"second {EQUAL}"),
        (lambda: uncertainty.spearman(row(1, 2), row(1, 2, 3)), "second must have the shape (2,), got (3,)"),
        (lambda: biases.fraction_within(torch.ones(2), 0), "window must be at least 1, got 0"),
        (lambda: biases.right_row(0, 1.0), "n_keys must be at least 1, got 0"),
        (lambda: biases.met(32, 128, 0), "train_length must be at least 1, got 0"),
        (lambda: biases.forms(0, 1.0, "float64"), "n_keys must be at least 1, got 0"),
        (lambda: biases.forms(1, 1.0, "int8"), f"precision must be one of {PRECISIONS}, got int8"),
        (lambda: biases.geometric(0), "n_heads must be at least 1, got 0"),
        (lambda: biases.max_power_of_two(0), "n_heads must be at least 1, got 0"),
        (lambda: channels.channel(4, 4, 10_000.0), "index must be from 0 to 3, got 4"),
        (lambda: pairs.by_distance(HIDDEN), "scores must have at least one finite number, got none"),
        (lambda: entropy.entropy(HIDDEN), f"scores {FINITE_ROWS}, got a row without one"),
        (lambda: entropy.normal_scores(0, 1.0), "n_keys must be at least 1, got 0"),
        (lambda: entropy.normal_scores(3, -0.5), "spread must be at least 0, got -0.5"),
        (lambda: entropy.level_spread(1), f"train_length must be at least 2: {LOGARITHM}, got 1"),
        (lambda: index.unit_tokens(0, 4), "n must be at least 1, got 0"),
        (lambda: index.unit_tokens(1, 0), "dim must be at least 1, got 0"),
        (lambda: index.common_values(0, 4), "first must be at least 1, got 0"),
        (lambda: index.common_values(4, -1), "second must be at least 1, got -1"),
        (lambda: index.different_so_far(row(0, 2, 1, 3)), f"values {ASCENDING}, got [1.0] after larger ones"),
        (lambda: jumps.doubling_base(3), "dim must be even and at least 2, got 3"),
        (lambda: jumps.wavelength_growth(0, 10.0), "dim must be even and at least 2, got 0"),
        (lambda: jumps.overflow(0, 8, 16, 256.0), f"position must be at least 1, {EARLIER}, got 0"),
        (lambda: lengths.far_apart(383, 0), "length must be at least 384, got 383"),
        (lambda: masked.through_layers([]), "masks must hold at least one layer, got 0"),
        (lambda: masked.rule(0, 1), f"window {WINDOW}"),
        (lambda: masked.rule(1, -1), "n_layers must be at least 0, got -1"),
        (lambda: masked.family(4, 2, 0, 1.0, 1.0), "head must be from 1 to 8, got 0"),
        (lambda: masked.family(4, 2, 9, 1.0, 1.0), "head must be from 1 to 8, got 9"),
        (lambda: masked.family(4, 2, 1, 0.0, 1.0), "r1 must be above 0, got 0.0"),
        (lambda: masked.family(4, 2, 1, 1.0, 2.5), "r2 must be above 0 and at most 2, got 2.5"),
        (lambda: masked.family(4, 0, 1, 1.0, 1.0), f"window {WINDOW}"),
        (lambda: memory.kv_cache_bytes(1, 1, 1, 0), "length must be at least 1, got 0"),
        (lambda: order.shuffled(0, 0), "n must be at least 1, got 0"),
        (lambda: order.shuffled(3, -1), "number must be at least 0, got -1"),
        (lambda: order.change(order.recurrent, zeros(3, 4), [0, 0, 1]), f"order {EACH_ONCE}, got [0, 0, 1]"),
        (lambda: pairs.toeplitz_deviation(zeros(1, 3, 3), torch.arange(4)), f"{AS_MANY} (4), got (1, 3, 3)"),
        (lambda: pairs.rank_correlation(zeros(3, 3), torch.arange(3)), f"{AS_MANY} (3), got (3, 3)"),
        (lambda: pairs.local_monotonicity(zeros(1, 3, 2), torch.arange(3), 1), f"{AS_MANY} (3), got (1, 3, 2)"),
        (lambda: pairs.local_monotonicity(zeros(1, 3, 3), torch.arange(3), 0), "window must be above 0, got 0"),
        (lambda: patches.Patches(1, 5), "n_rows must be from 2 to 24, got 1"),
        (lambda: patches.Patches(5, 25), "n_columns must be from 2 to 24, got 25"),
        (lambda: GRID.index(3, 0), "row must be from 0 to 2, got 3"),
        (lambda: GRID.index(0, -1), "column must be from 0 to 3, got -1"),
        (lambda: patches.similarity(torch.ones(2, 2), 2), "patch must be from 0 to 1, got 2"),
        (lambda: pairs.linear_map_error(zeros(9, 1), 0), "offset must be at least 1, got 0"),
        (lambda: profile.unit_content(SHAPE, 0), "length must be at least 1, got 0"),
        (lambda: profile.random_content(SHAPE, 0), "length must be at least 1, got 0"),
        (lambda: requirements.relative_steps(zeros(1, 1)), "table must have at least two rows, got 1"),
        (lambda: requirements.read_out(zeros(7, 1)), "table must have at least 8 rows, got 7"),
        (lambda: requirements.right_order(torch.arange(1), zeros(1)), "positions must be at least two, got 1"),
        (lambda: rotation.half_order(7), "head_dim must be even, got 7"),
        (lambda: rotation.first_negative(zeros(0)), "frequencies must hold at least one, got 0"),
        (lambda: rotation.partial_sums(torch.arange(2), zeros(0)), "frequencies must hold at least one, got 0"),
        (lambda: rotation.interpolated(row(1), row(1), 0.5), "scale must be at least 1, got 0.5"),
        (lambda: rotation.first_negative(row(1), farthest=-1), "farthest must be at least 0, got -1"),
        (lambda: sequence.scores(zeros(3, 3).long(), -1, 32, 100.0, "chunked"), "token must be from 0 to 2, got -1"),
        (lambda: sequence.scores(zeros(3, 3).long(), 3, 32, 100.0, "chunked"), "token must be from 0 to 2, got 3"),
        (lambda: masked.sink_rows(1.0, zeros(0)), "others must hold at least one score, got 0"),
        (lambda: masked.cached(-1, 4, 1), "step must be at least 0, got -1"),
        (lambda: masked.cached(9, 0, 1), f"window {WINDOW}"),
        (lambda: masked.cached(9, 2, -1), "n_sinks must be at least 0, got -1"),
        (lambda: uncertainty.wilson(1, 0), "n must be at least 1, got 0"),
        (lambda: uncertainty.wilson(3, 2), "count must be from 0 to 2, got 3"),
        (lambda: uncertainty.interval(zeros(3)), "values must have a row per seed, got (3,)"),
        (lambda: uncertainty.interval(zeros(2, 0)), "values must have a row per seed, got (2, 0)"),
        (lambda: uncertainty.rank_interval(zeros(4, 1), zeros(3, 1)), f"second {ROW_EACH}, got 3"),
        (lambda: uncertainty.rank_interval(zeros(1, 1), zeros(1, 1)), "first must have two systems or more, got 1"),
    ],
)
def test_what_is_refused_is_named(call, message):
    refuses(call, message)
