"""The chapter on counting: its numbers and facts, found by other ways."""

import pytest
import torch

from pe_core.chapters import counting
from pe_core.chapters.counting import NEW
from tests.cases import each, refuses
from tests.chapters.offered import sets

PICTURES = {  # arguments by default, and other ones
    counting.number_line: sets("first second", (10, 100), (11, 50)),
    counting.drowning: sets("second width", (100, 64), (99, 16), (2, 1_024)),
    counting.norms: ({"width": 64}, {"width": 16}),
    counting.rounding: sets("length precision", (1_000, "bfloat16"), (64, "float16")),
}


@each("whole", [True, False])
def test_words_lie_where_counting_puts_them(whole):
    frame = counting.number_line(first=4, second=7).frames["words"]
    frame = frame[frame.whole == whole]
    expected = [m if whole else m / 3 for m in range(4)] + [m if whole else m / 6 for m in range(7)]
    assert frame.value.to_list() == pytest.approx(expected)
    assert frame.row.to_list() == [(counting.WHOLE if whole else counting.FRACTIONS)[m > 3] for m in range(11)]
    assert (frame.kind == NEW).sum() == 3  # 4, 5 and 6; or 1, 3 and 5 sixths
    assert frame[frame.kind == counting.FOLLOWED].word.to_list() == [2, 2]


@each(
    ("first", "second", "new", "section"),
    [(10, 100, 90, "integer"), (3, 4, 1, "integer"), (30, 30, 0, "integer-known"), (64, 2, 0, "integer-known")],
)
def test_integers_above_those_of_the_first_sentence_are_new(first, second, new, section):
    facts = counting.number_line(first=first, second=second).facts
    assert (facts["integer"], facts["new"]) == (section, new)


@each(("first", "second", "section"), [(10, 100, "normalised"), (7, 4, "normalised"), (30, 30, "normalised-equal")])
def test_one_word_has_two_normalised_indices_and_two_steps(first, second, section):
    facts = counting.number_line(first=first, second=second).facts
    word = min(first, second) // 2
    shared = len({m / (first - 1) for m in range(first)} & {m / (second - 1) for m in range(second)})
    told = {"word": word, "known": first - 1, "last": second - 1, "normalised": section}
    told |= {"in-first": word / (first - 1), "in-second": word / (second - 1)}
    told |= {"step-first": 1 / (first - 1), "step-second": 1 / (second - 1)}
    told |= {"common": shared, "unknown": second - shared}
    assert {name: fact for name, fact in facts.items() if name not in {"integer", "new"}} == told


@each(("second", "named"), [(100, 10), (12, 10), (5, 4), (2, 1)])
def test_what_is_left_is_told_in_percent_at_two_positions(second, named):
    figure = counting.drowning(second=second, width=64)
    lines = figure.frames["lines"].set_index(["name", "x"]).y
    told = {"named": named, "last": second - 1}
    for kind in ("integer", "normalised"):
        for place, position in (("named", named), ("last", second - 1)):
            told[f"{kind}-{place}"] = pytest.approx(100 * lines[f"{kind} index", position])
    assert figure.facts == told


def test_a_file_has_every_position_and_the_picture_those_that_it_needs():
    figure = counting.drowning(second=500, width=64)
    [table], left = figure.tables().values(), counting.left(second=500, width=64)
    assert table["Share of the token"].to_list() == torch.cat(list(left.values())).tolist()
    drawn = figure.frames["lines"]
    assert drawn[drawn.name == counting.INTEGER].x.to_list()[:18] == [*range(17), 20]
    assert len(drawn) < 300
    assert drawn.x.max() == 499


def test_the_norms_of_torch_say_the_same():
    positions, changes = counting.norm_changes(width=16)
    assert positions.tolist() == [2**power for power in range(13)]
    *tokens, direction = counting.measures.unit_tokens(17, 16)
    norms = torch.nn.LayerNorm(16, dtype=torch.float64), torch.nn.RMSNorm(16, eps=1e-5, dtype=torch.float64)
    for place in (0, 6, 12):
        m = float(positions[place])
        added = {
            counting.EVERYWHERE: (norms[0], lambda x, m=m: x + m),
            counting.RMS: (norms[1], lambda x, m=m: x + m),
            counting.ALONG_ONE: (norms[0], lambda x, m=m: x + m * direction),
            counting.ROUNDED: (norms[0], lambda x, m=m: (x + m).bfloat16().double()),
        }
        for name, (norm, put) in added.items():
            with torch.no_grad():
                found = [float((norm(put(x)) - norm(x)).norm() / norm(x).norm()) for x in tokens]
            assert float(changes[name][place]) == pytest.approx(sum(found) / len(found), rel=1e-9, abs=1e-11)


@each(("precision", "dtype"), [("bfloat16", torch.bfloat16), ("float16", torch.float16)])
def test_neighbours_that_become_one_number_are_told(precision, dtype):
    facts = counting.rounding(length=4_000, precision=precision).facts
    assert facts["rounding"] == "rounding-merged"
    assert facts["bits"] == "float32 24, float16 11, bfloat16 8"
    kinds = {"integer": range(4_000), "normalised": [m / 3_999 for m in range(4_000)]}
    for kind, values in kinds.items():
        kept = [float(torch.tensor(value, dtype=torch.float64).to(dtype)) for value in values]
        assert facts[kind] == len(set(kept))
        first = next(m for m in range(3_999) if kept[m] == kept[m + 1])
        assert facts[f"{kind}-merged"] == f"{first:,} and {first + 1:,}"


@each(("length", "precision"), [(8_000, "float32"), (257, "bfloat16")])
def test_with_enough_digits_every_position_keeps_its_value(length, precision):
    facts = counting.rounding(length=length, precision=precision).facts
    assert facts["rounding"] == "rounding"
    assert facts["integer"] == facts["normalised"] == length
    assert facts["integer-merged"] == facts["normalised-merged"] == ""


def test_a_precision_that_does_not_exist():
    message = "precision must be one of float32, float16, bfloat16, got int8"
    refuses(lambda: counting.rounding(length=4, precision="int8"), message)


@each("guess", [33, 3, 0, 99])
def test_the_exercise_finds_the_word_by_its_index(guess):
    right, facts = counting.word_with_the_same_index(guess)
    assert right == (guess == 33)
    told = {"place": 33, "word": 3, "short": 10, "long": 100}
    assert facts == {**told, "value": pytest.approx(3 / 9), "guessed": pytest.approx(guess / 99)}
