"""Questions with numbers: over many seeds every answer is what an independent computation finds."""

import math

import pytest

from pe_core.quiz.own_table import mistakes
from pe_core.quiz.questions import HUNDREDTH, PERCENT, QUESTIONS, WHOLE, Tolerance, kind_of, number_in
from tests.cases import each, refuses

SEEDS = range(120)


def reach(n_layers, window):
    """Walk back from a token layer by layer, as far as its window goes."""
    heard = {0}
    for _ in range(n_layers):
        heard = {token + back for token in heard for back in range(window)}
    return max(heard)


def bucket(distance, n_buckets, max_distance):
    """The rule of T5's published code, for one distance."""
    exact = n_buckets // 2
    if distance < exact:
        return distance
    wide = math.log(distance / exact) / math.log(max_distance / exact) * (n_buckets - exact)
    return min(exact + int(wide), n_buckets - 1)


def first_id(words, height, width):
    """Count ids token by token."""
    ids = list(range(words))
    ids += [words + max(0, row, column) for row in range(height) for column in range(width)]
    return max(ids) + 1


def component(position, column, width, base):
    angle = position / base ** (2 * (column // 2) / width)
    return math.cos(angle) if column % 2 else math.sin(angle)


ORACLES = {
    "wavelength": lambda width, base, pair: 2 * math.pi * base ** (2 * pair / width),
    "component": component,
    "norm": lambda width, position: math.sqrt(sum(component(position, c, width, 10_000) ** 2 for c in range(width))),
    "neighbour_bits": lambda position: (position ^ (position + 1)).bit_count(),
    "normalised_step": lambda length: 1 / (length - 1),
    "rope_angle": lambda head_dim, base, pair, distance: distance * base ** (-2 * pair / head_dim),
    "unfinished_pairs": lambda head_dim, base, train_length: sum(
        2 * math.pi * base ** (2 * pair / head_dim) > train_length for pair in range(head_dim // 2)
    ),
    "alibi_slope": lambda n_heads, head: 2 ** (-8 * head / n_heads),
    "t5_bucket": bucket,
    "window_keys": lambda query, window, n_sinks: sum(
        key < n_sinks or query - key < window for key in range(query + 1)
    ),
    "reach": reach,
    "interpolated_position": lambda position, length, train_length: position * train_length / length,
    "ntk_base": lambda head_dim, base, factor: base * factor ** (head_dim / (head_dim - 2)),
    "yarn_temperature": lambda factor: 1 / (0.1 * math.log(factor) + 1) ** 2,
    "id_after_image": first_id,
}

# For each kind an answer that somebody gives who has made the usual mistake.
MISTAKES = {
    "wavelength": lambda width, base, pair: 2 * math.pi * base ** (pair / width),
    "component": lambda position, column, width, base: component(position, column ^ 1, width, base),
    "norm": lambda width, position: math.sqrt(width),
    "neighbour_bits": lambda position: 1,
    "normalised_step": lambda length: 1 / length,
    "rope_angle": lambda head_dim, base, pair, distance: (distance + 1) * base ** (-2 * pair / head_dim),
    "unfinished_pairs": lambda head_dim, base, train_length: (
        ORACLES["unfinished_pairs"](head_dim, base, train_length) + 1
    ),
    "alibi_slope": lambda n_heads, head: 2 ** (-8 * (head - 1) / n_heads),
    "t5_bucket": lambda distance, n_buckets, max_distance: bucket(distance, n_buckets, max_distance) + 1,
    "window_keys": lambda query, window, n_sinks: ORACLES["window_keys"](query, window, n_sinks) - 1,
    "reach": lambda n_layers, window: n_layers * window,
    "interpolated_position": lambda position, length, train_length: (position - 1) * train_length / length,
    "ntk_base": lambda head_dim, base, factor: base * factor,
    "yarn_temperature": lambda factor: 1 / (0.1 * math.log(factor) + 1),
    "id_after_image": lambda words, height, width: words + height * width,
}


def test_every_kind_has_an_oracle_and_a_mistake_and_all_come_in_turn():
    assert list(QUESTIONS) == list(ORACLES) == list(MISTAKES)
    assert [kind_of(seed) for seed in range(15, 30)] == list(QUESTIONS)
    assert kind_of(0) == kind_of(9_990) == "wavelength"


@each("key", QUESTIONS)
def test_the_answer_is_what_an_independent_computation_finds_and_no_common_wrong_one_is_right(key):
    """A bare 0, 1 or -1, and the answer of the usual mistake: numbers that make one of them right are not asked for."""
    spec, given = QUESTIONS[key], set()
    for seed in SEEDS:
        question = spec.ask(seed)
        assert question == spec.ask(seed)
        given.add(tuple(question.given.items()))
        assert question.answer == pytest.approx(ORACLES[key](**question.given), rel=1e-9, abs=1e-12), question
        assert spec.tolerance.allows(float(f"{question.answer:.4g}"), question.answer), question
        for wrong in (0.0, 1.0, -1.0, -question.answer - 1, MISTAKES[key](**question.given)):
            assert not spec.tolerance.allows(wrong, question.answer), question
        assert spec.solved(question).given != question.given
    assert len(given) >= 25


def test_each_mistake_that_the_app_names_shows_in_the_number_asked():
    spec = QUESTIONS["component"]
    for seed in SEEDS:
        question = spec.ask(seed)
        position, column, width, base = question.given.values()
        wrong = {name: table[position, column] for name, table in mistakes(position + 1, width, base).items()}
        if column % 2 == 0:
            assert wrong.pop("own_exponent") == pytest.approx(question.answer)  # it leaves sines as they are
        assert len(wrong) >= 8
        for name, value in wrong.items():
            assert not spec.tolerance.allows(float(value), question.answer), (name, question)


def test_the_steps_of_a_question_are_those_of_its_numbers():
    for seed in range(20):
        question = QUESTIONS["t5_bucket"].ask(seed)
        alike = [x for x in range(128) if bucket(x, 32, 128) == question.answer]
        assert (question.steps["nearest"], question.steps["farthest"]) == (alike[0], alike[-1])
        question = QUESTIONS["neighbour_bits"].ask(seed)
        position = question.given["position"]
        assert (int(question.steps["here"], 2), int(question.steps["there"], 2)) == (position, position + 1)
        assert len(question.steps["here"]) == len(question.steps["there"])
        question = QUESTIONS["window_keys"].ask(seed)
        assert question.steps["near"] == min(question.given["window"], question.given["query"] + 1)
        assert question.steps["near"] + question.steps["first"] == question.answer


@each(
    ("text", "value"),
    [("0.25", 0.25), (" -3 ", -3.0), ("1/4", 0.25), ("2.5e-1", 0.25), ("−2", -2.0), ("1/ 9", 1 / 9), (".5", 0.5)],
)
def test_a_number_can_be_written_in_several_ways(text, value):
    assert number_in(text) == value


@each("text", ["", "abc", "1/0", "1/2/3", "nan", "1e999", "1_000", "0,5", "🙂", "1 2"])
def test_what_is_no_number_is_named_and_cut_where_it_is_long(text):
    refuses(lambda: number_in(text), f"answer must be a number such as 0.25, 2.5e-1 or 1/4, got {text!r}")
    with pytest.raises(ValueError, match=r"^answer must .{,107}$"):
        number_in("x" * 10_000)


@each(
    ("tolerance", "inside", "outside"),
    [(WHOLE, 7.0, 8.0), (PERCENT, 7.069, 7.071), (HUNDREDTH, 7.0099, 7.0101), (Tolerance(0.5, 0.1), 8.2, 8.21)],
)
def test_a_tolerance_ends_where_it_says(tolerance, inside, outside):
    assert tolerance.allows(inside, 7.0)
    assert not tolerance.allows(outside, 7.0)
    assert tolerance.allows(-inside, -7.0)
