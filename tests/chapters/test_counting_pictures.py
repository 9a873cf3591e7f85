"""Pictures of the chapter on counting: numbers found by other ways, and every argument matters."""

import math
from functools import partial

import pytest
import torch

from pe_core.chapters import counting
from pe_core.chapters.counting import NEW

BASES = {
    counting.number_line: {"first": 10, "second": 100, "normalise": True},
    counting.drowning: {"length": 100, "dim": 64},
    counting.norms: {"dim": 64},
    counting.rounding: {"length": 1_000, "precision": "bfloat16"},
}
OTHERS = {"first": 11, "second": 50, "normalise": False, "length": 99, "dim": 16, "precision": "float16"}


def data(function, **arguments):
    return {name: frame.to_dict() for name, frame in function(**arguments).frames.items()}


@pytest.mark.parametrize(("function", "name"), [(function, name) for function, base in BASES.items() for name in base])
def test_every_argument_changes_the_picture(function, name):
    base = BASES[function]
    assert data(function, **base) != data(function, **{**base, name: OTHERS[name]})


@pytest.mark.parametrize("function", BASES)
def test_every_picture_is_drawn_and_can_be_written_as_a_call(function):
    picture = partial(function, **BASES[function])
    assert all(eval(repr(value)) == value for value in picture.keywords.values())
    assert picture().svg().startswith("<svg")


@pytest.mark.parametrize("normalise", [False, True])
def test_words_lie_where_counting_puts_them(normalise):
    frame = counting.number_line(first=4, second=7, normalise=normalise).frames["words"]
    expected = [m / 3 if normalise else m for m in range(4)] + [m / 6 if normalise else m for m in range(7)]
    assert frame.value.to_list() == pytest.approx(expected)
    assert (frame.kind == NEW).sum() == 3  # 4, 5 and 6; or 1, 3 and 5 sixths


@pytest.mark.parametrize(("first", "second"), [(2, 2), (2, 512), (64, 2), (10, 100)])
def test_both_sentences_have_the_word_that_is_followed(first, second):
    frame = counting.number_line(first=first, second=second, normalise=False).frames["followed"]
    assert frame.value.to_list() == [counting.followed(first, second)] * 2


def test_what_is_left_of_a_token_is_near_one_over_its_index_times_the_root_of_the_width():
    left = counting.left(length=100, dim=64)
    assert float(left["integer index"][99]) == pytest.approx(1 / math.sqrt(1 + 99**2 * 64), rel=0.01)
    assert float(left["normalised index"][99]) == pytest.approx(1 / math.sqrt(1 + 64), rel=0.05)
    assert left["integer index"][0] == left["normalised index"][0] == 1


def test_the_norms_of_torch_say_the_same():
    positions, changes = counting.norm_changes(dim=16)
    assert positions.tolist() == [2**power for power in range(13)]
    *tokens, direction = counting.measures.unit_tokens(17, 16)
    norms = torch.nn.LayerNorm(16, dtype=torch.float64), torch.nn.RMSNorm(16, eps=1e-5, dtype=torch.float64)
    for place in (0, 6, 12):
        m = float(positions[place])
        added = {
            counting.EVERYWHERE: (norms[0], lambda x, m=m: x + m),
            "RMSNorm": (norms[1], lambda x, m=m: x + m),
            counting.ALONG_ONE: (norms[0], lambda x, m=m: x + m * direction),
            counting.ROUNDED: (norms[0], lambda x, m=m: (x + m).bfloat16().double()),
        }
        for name, (norm, put) in added.items():
            with torch.no_grad():
                found = [float((norm(put(x)) - norm(x)).norm() / norm(x).norm()) for x in tokens]
            assert float(changes[name][place]) == pytest.approx(sum(found) / len(found), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("dim", [4, 1_024])
def test_layer_norm_removes_the_index_to_rounding(dim):
    _, changes = counting.norm_changes(dim=dim)
    assert float(changes[counting.EVERYWHERE].max()) < 1e-10
    assert min(float(changes[name].min()) for name in ("RMSNorm", counting.ALONG_ONE)) > 0.3


@pytest.mark.parametrize(
    ("precision", "dtype", "exact"), [("bfloat16", torch.bfloat16, 257), ("float16", torch.float16, 2_049)]
)
def test_integers_are_exact_up_to_two_to_the_number_of_digits(precision, dtype, exact):
    found = counting.different(length=exact + 1, precision=precision)["integer index"]
    assert found[exact - 1] == exact  # 0 to 2^p
    assert found[exact] == exact  # 2^p + 1 is rounded to 2^p
    kept = {float(torch.tensor(float(m)).to(dtype)) for m in range(exact + 1)}
    assert len(kept) == exact


def test_a_long_text_is_drawn_at_some_of_its_positions():
    frame = counting.rounding(length=8_000, precision="bfloat16").frames["lines"]
    assert len(frame) == 3 * 500
    assert frame[frame.name == counting.EXACT].y.to_list() == list(range(1, 8_001, 16))


def test_a_precision_that_does_not_exist():
    with pytest.raises(ValueError, match=r"^precision must be one of float32, float16, bfloat16, got int8$"):
        counting.rounding(length=4, precision="int8")
