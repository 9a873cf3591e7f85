"""The tasks: every answer by a computation of its own, the sizes, and what a model can and cannot see of them."""

import math
import re
from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, NOT_ASKED, Examples
from pe_core.lab.experiment.evaluation import answers
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import FOR_TASKS, PARAMETERS, RunConfig
from pe_core.lab.experiment.task import VOCABULARY, answered, asking
from pe_core.lab.experiment.tasks import TASKS, add, parameters_for, repeated, told
from pe_core.lab.experiment.training import build_model
from tests.cases import each, refuses
from tests.lab.task_answers import FORMS, ORACLES, read, suited
from tests.strategies import seeds

tasks = st.sampled_from(list(TASKS.values()))
sizes = st.integers(1, 40)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@given(tasks, sizes, seeds)
def test_every_answer_follows_from_what_is_read(task, size, seed):
    examples = task.make(5, size, generator(seed))
    assert examples.inputs.dtype == examples.targets.dtype == torch.int64
    assert examples.inputs.shape == examples.targets.shape == (5, task.tokens(size) - 1)
    assert bool(examples.asked[:, -1].all())
    for text, asked in read(examples):
        assert re.fullmatch(FORMS[task.key], text)
        assert len(text) == task.tokens(size)
        assert asked == ORACLES[task.key](text)


def rows(*texts):
    return torch.tensor([[VOCABULARY.index(symbol) for symbol in text] for text in texts])


def test_examples_by_hand():
    examples = asking(torch.tensor([[4, 0, 7]]), torch.tensor([False, False, True]))
    assert (examples.inputs.tolist(), examples.targets.tolist()) == ([[4, 0]], [[NOT_ASKED, 7]])
    assert read(answered(rows("40", "11"), rows("7", "2"))) == [("40=7", {3: "7"}), ("11=2", {3: "2"})]
    pattern = repeated(rows("4071"), torch.tensor([[3]]), 9)
    assert read(pattern) == [("407407407", {4: "0", 5: "7", 6: "4", 7: "0", 8: "7"})]
    letters, digits = torch.tensor([[0, 1, 0, 1, 0]]), torch.tensor([[3, 5, 7, 9, 9]])
    asks = torch.tensor([[True, False, False, True, True]])  # the first one has nothing to ask for
    assert read(told(letters, digits, asks)) == [("a3b5a7B5A7", {7: "5", 9: "7"})]
    parities = {text for text, _ in read(TASKS["parity"].make(200, 4, generator()))}
    assert "1011=1101" in parities
    assert len(parities) == 16
    total = add(rows("189", "999", "505"), rows("926", "100", "505"))  # 981 + 629 = 1,610; 999 + 1 = 1,000
    assert torch.equal(total, rows("016", "000", "010"))


def test_patterns_have_two_to_eight_digits_none_of_them_twice():
    texts = [text for text, _ in read(TASKS["recall"].make(100, 20, generator()))]
    periods = [next(p for p in range(1, 30) if text[p:] == text[:-p]) for text in texts]
    assert set(periods) == set(range(2, 9))
    assert all(len(set(text)) == period for text, period in zip(texts, periods, strict=True))


@each("task", TASKS.values())
def test_the_largest_size_fits_and_a_length_without_room_for_a_question_is_refused(task):
    least = task.tokens(1) - 1
    for length in range(least, 300):
        size = task.size(length)
        assert size >= 1
        assert task.tokens(size) <= length + 1 < task.tokens(size + 1)
    assert task.size(least - 1) == 0
    message = f"length must be at least {least} tokens for the task {task.title}, got {least - 1}"
    refuses(lambda: task.check_length(least - 1), message)
    refuses(lambda: task.draw(3, least - 1, generator()), message)
    refuses(lambda: task.held_out_examples(least - 1), message)
    task.check_length(least)
    assert len(task.draw(3, least, generator()).inputs) == 3


@each("task", TASKS.values())
def test_a_guess_is_right_as_often_as_chance_says(task):
    examples = task.held_out_examples(64)
    right = examples.targets[examples.asked].tolist()
    counts = Counter(right)
    assert len(counts) == task.n_answers
    chance, n = 1 / task.n_answers, len(right)
    assert task.chance_loss == task.unigram_loss == pytest.approx(-math.log(chance))
    # answers of one example hang together, so that the spread is that of fewer; still a tenth off is noticed
    assert all(count / n == pytest.approx(chance, rel=0.2) for count in counts.values())


@each("task", TASKS.values())
def test_the_same_seed_brings_the_same_examples(task):
    first, again, other = (vars(task.draw(64, 48, generator(seed))) for seed in (3, 3, 4))
    assert_close(first, again, rtol=0, atol=0)
    assert not torch.equal(first["inputs"], other["inputs"])
    assert_close(vars(task.held_out_examples(48)), vars(task.held_out_examples(48)), rtol=0, atol=0)


@each("task", TASKS.values())
def test_all_sizes_that_fit_are_trained_on_each_as_often(task):
    examples = task.draw(1_000, 40, generator())
    assert examples.inputs.shape == examples.targets.shape == (1_000, 40)
    found = Counter(len(text) for text, _ in read(examples))
    n_sizes = task.size(40)
    assert sorted(found) == [task.tokens(size) for size in range(1, n_sizes + 1)]
    expected = 1_000 / n_sizes
    assert all(abs(count - expected) < 5 * expected**0.5 for count in found.values())


@each("length", [33, 100])
@each("task", TASKS.values())
def test_held_out_examples_have_the_largest_size_and_the_whole_length(task, length):
    examples = task.held_out_examples(length)
    assert examples.inputs.shape == examples.targets.shape == (EVALUATED_CHARACTERS // length, length)
    assert {len(text) for text, _ in read(examples)} == {task.tokens(task.size(length))}
    for text, asked in read(examples)[:50]:
        assert asked == ORACLES[task.key](text)
    assert len(task.held_out_examples(EVALUATED_CHARACTERS + 1).inputs) == 1


@each("task", TASKS.values())
def test_what_is_filled_in_cannot_be_seen(task, tiny):
    model = build_model(tiny, "rope", task)
    examples = task.draw(32, 24, generator())
    filled = torch.stack([torch.arange(24) > int(asked.nonzero().max()) for asked in examples.asked])
    assert bool(filled.any())
    other = torch.where(filled, 5, examples.inputs)
    assert not torch.equal(other, examples.inputs)
    plain, changed = (answers(model, Examples(inputs, examples.targets)) for inputs in (examples.inputs, other))
    assert_close(changed.losses, plain.losses)
    assert torch.equal(changed.right, plain.right)


@each("length", [16, 40])
@each("task", TASKS.values())
def test_a_worked_example_is_the_first_held_out_one_cut_where_asking_begins_and_ends(task, length):
    text, asked = read(task.held_out_examples(length))[0]
    parts = task.worked_example(length)
    assert "".join(symbols for symbols, _ in parts) == text
    flags = [is_asked for symbols, is_asked in parts for _ in symbols]
    assert [place for place, is_asked in enumerate(flags) if is_asked] == sorted(asked)
    assert all(one[1] != other[1] for one, other in pairwise(parts))


@each("task", TASKS.values())
def test_the_defaults_of_a_task_are_allowed_and_change_nothing_else(task):
    parameters = parameters_for(task.key)
    assert {name: parameters[name].default for name in FOR_TASKS} == suited(task.key)
    assert all(parameters[name] == one for name, one in PARAMETERS.items() if name not in FOR_TASKS)
    config = RunConfig(**suited(task.key))
    task.check_length(config.train_length)
    task.check_length(int(PARAMETERS["train_length"].minimum or 0))


def test_a_task_is_a_material_of_its_own():
    assert parameters_for(None) == parameters_for("text") == PARAMETERS
    assert len({task.sha256 for task in TASKS.values()}) == len(TASKS)
    for key, task in TASKS.items():
        assert (task.key, task.name, task.n_characters, task.n_held_out) == (key, task.title, 0, EVALUATED_CHARACTERS)
        assert len(set(task.vocabulary)) == len(task.vocabulary)


@each("task", TASKS.values())
def test_every_task_is_trained_and_measured(task, tiny, monkeypatch):
    monkeypatch.setattr("pe_core.lab.experiment.task.EVALUATED_CHARACTERS", 1_024)
    *steps, outcome = run_encoding(tiny, "none", task)
    assert steps[49].loss < steps[0].loss
    assert [mark.length for mark in outcome.lengths] == [16, 32, 48, 64, 96, 128]
    assert all(0 <= mark.exact <= mark.accuracy <= 1 for mark in outcome.lengths)
