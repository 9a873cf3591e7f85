"""What a model answers: shares of what is right by loops, the verdict on a task, and examples cut out of a text."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.datasets import NOT_ASKED, Examples, windows
from pe_core.lab.experiment.evaluation import Answers, LengthLoss, answers, marked
from pe_core.lab.results.statistics import grade, task_verdict
from tests.cases import each
from tests.strategies import seeds


class Opinion(nn.Module):
    """Has made up its mind about every place, whatever it reads."""

    def __init__(self, scores):
        super().__init__()
        self.scores, self.batches, self.device = scores, [], scores.device

    def forward(self, tokens, *, positions, mask, encoding):
        first = sum(self.batches)
        self.batches.append(len(tokens))
        return self.scores[first : first + len(tokens)]


def some(seed, n, length, vocab_size):
    """Random scores, targets some of which are not asked, and that at least one is asked of each example."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(n, length, vocab_size, generator=generator, dtype=torch.float64)
    targets = torch.randint(vocab_size, (n, length), generator=generator)
    hidden = torch.rand(n, length, generator=generator) < 0.4
    hidden[:, -1] = False
    return scores, Examples(torch.zeros_like(targets), torch.where(hidden, NOT_ASKED, targets))


@given(seeds, st.integers(1, 7), st.integers(1, 6), st.integers(2, 5))
def test_answers_equal_the_definition(seed, n, length, vocab_size):
    scores, examples = some(seed, n, length, vocab_size)
    found = answers(Opinion(scores), examples)
    n_right, n_asked, n_whole = 0, 0, 0
    by_place = [[] for _ in range(length)]
    for example in range(n):
        whole = True
        for place in range(length):
            target = int(examples.targets[example, place])
            if target == NOT_ASKED:
                assert found.losses[example, place] == 0
                assert not found.right[example, place]
                continue
            chances = [math.exp(score) for score in scores[example, place].tolist()]
            by_place[place].append(-math.log(chances[target] / sum(chances)))
            is_right = chances[target] == max(chances)
            n_right, n_asked, whole = n_right + is_right, n_asked + 1, whole and is_right
        n_whole += whole
    assert found.losses.dtype == torch.float64
    assert found.accuracy == pytest.approx(n_right / n_asked)
    assert found.exact == pytest.approx(n_whole / n)
    means = [sum(losses) / len(losses) for losses in by_place if losses]
    assert found.by_place.tolist() == pytest.approx(means)


def test_answers_come_in_small_batches_in_the_order_of_the_examples(monkeypatch):
    monkeypatch.setattr(evaluation, "texts_at_once", lambda length: 12 // length)
    scores, examples = some(3, 7, 4, 5)
    model = Opinion(scores)
    in_batches = answers(model, examples)
    assert model.batches == [3, 3, 1]
    monkeypatch.undo()
    torch.testing.assert_close(in_batches.losses, answers(Opinion(scores), examples).losses, rtol=0, atol=0)


def test_the_marks_of_a_task_by_hand():
    losses = torch.tensor([[0.0, 4.0, 1.0, 1.0, 8.0], [0.0, 2.0, 3.0, 1.0, 4.0]], dtype=torch.float64)
    asked = torch.tensor([[False, True, True, True, True]] * 2)
    right = torch.tensor([[False, True, True, True, True], [False, True, False, True, True]])
    assert marked(Answers(losses, right, asked), 6, 2) == LengthLoss(6, 3.0, 6.0, 7 / 8, 1 / 2, 5 / 6)
    assert marked(Answers(losses, right, asked), 6, 6) == LengthLoss(6, 3.0, 6.0, 7 / 8, 1 / 2, 7 / 8)


def marks(first, last):
    return [
        LengthLoss(32, 9.9, 9.9, first, 0.0),
        LengthLoss(64, 0.0, 0.0, 0.0, 0.0),
        LengthLoss(256, 9.9, 9.9, last, 0.0),
    ]


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
    assert task_verdict(marks(first, last), chance=0.5) == expected


@each(("beyond", "expected"), [(1.0, "holds"), (0.9, "degrades"), (0.6, "breaks")])
def test_only_what_is_asked_past_the_training_length_counts(beyond, expected):
    """Half of the answers are asked within the training length, where the model has them all right."""
    first, second = LengthLoss(32, 9.9, 9.9, 1.0, 0.0, 1.0), LengthLoss(64, 9.9, 9.9, (1 + beyond) / 2, 0.0, beyond)
    assert task_verdict([first, second], chance=0.5) == expected
    assert grade((first, second)) == 1 - beyond


def test_a_text_is_cut_into_windows_each_of_which_knows_what_comes_next():
    examples = windows(torch.arange(11), 4, max_tokens=100)
    assert examples.inputs.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert examples.targets.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert bool(examples.asked.all())
    assert len(windows(torch.arange(11), 5, max_tokens=100).inputs) == 2
    assert len(windows(torch.arange(10), 5, max_tokens=100).inputs) == 1
    assert len(windows(torch.arange(100), 5, max_tokens=21).inputs) == 4


@each(("n_tokens", "length", "most"), [(10, 10, 99), (1, 1, 99), (100, 30, 20)])
def test_windows_that_do_not_fit_are_refused(n_tokens, length, most):
    message = rf"^length must be less than the number of tokens \({n_tokens}\), got {length}$"
    with pytest.raises(ValueError, match=message):
        windows(torch.arange(n_tokens), length, most)
