"""What models read where nobody has a text for them: held-out text, an example of their task, or their own writing."""

from dataclasses import replace

import pytest
import torch

from pe_core.lab.experiment.datasets import NOT_ASKED, built_in, from_text
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection.sample_input import question, sample_input, task_of
from pe_core.lab.inspection.trained_run import read, trained
from tests.cases import each, refuses

TINY = RunConfig(("rope", "alibi"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
FOREIGN = from_text("мороз и солнце день чудесный " * 300, name="пушкин.txt")


@pytest.fixture(scope="module")
def project():
    return read()


@pytest.fixture(scope="module")
def copying():
    *_, last = trained(TINY, TASKS["copy"])
    return last


@pytest.fixture(scope="module")
def foreign():
    *_, last = trained(TINY, FOREIGN)
    return last


def test_of_the_built_in_text_it_is_the_part_that_was_held_out(project):
    found = sample_input(project, 500)
    assert (len(found.text), found.origin) == (500, "held-out")
    corpus = built_in()
    if project.record.text.sha256 == corpus.sha256:
        assert project.tokens(found.text).tolist() == corpus.held_out[:500].tolist()
    without = replace(project, vocabulary=tuple(symbol for symbol in project.vocabulary if symbol != "e"))
    assert sample_input(without, 100).text == found.text.replace("e", "")[:100]


def test_of_an_own_text_it_is_other_text_in_known_characters(project):
    facts = replace(project.record.text, name="hamlet.txt", sha256="0" * 64)
    own = replace(project, record=replace(project.record, text=facts))
    assert sample_input(own, 300).origin == "other"
    assert sample_input(own, 300).text == sample_input(project, 300).text


def test_where_most_characters_are_unknown_the_first_model_writes_in_pieces_of_its_training_length(foreign):
    found = sample_input(foreign, 40)
    assert (len(found.text), found.origin) == (40, "written")
    assert set(found.text) <= set(foreign.vocabulary)
    assert [found.text[start] for start in (0, 16, 32)] == [foreign.vocabulary[0]] * 3
    assert sample_input(foreign, 40) == found
    other = replace(foreign, models=dict(reversed(foreign.models.items())))
    assert sample_input(other, 40) != found


def test_what_is_written_follows_the_model(foreign):
    model = foreign.models["rope"]
    before = model.head.weight.clone()
    with torch.no_grad():
        model.head.weight.mul_(1_000)  # as good as certain of each symbol
    text = sample_input(foreign, 16).text
    for place in range(1, 16):
        logits = model(foreign.tokens(text[:place])[None])[0, -1]
        assert text[place] == foreign.vocabulary[int(logits.argmax())]
    with torch.no_grad():
        model.head.weight.copy_(before)


@each("length", [16, 32, 40, 128])
def test_of_a_task_it_is_what_is_read_of_its_first_held_out_example(copying, length):
    found = sample_input(copying, length)
    asked, _, again = found.text.partition("=")
    assert (len(found.text), found.origin) == (2 * (length // 2), "task")
    assert again == asked[:-1]
    inputs = TASKS["copy"].held_out_examples(length).inputs[0, : len(found.text)]
    assert copying.tokens(found.text).tolist() == inputs.tolist()


@each("key", TASKS)
def test_a_question_says_what_is_asked_as_the_examples_do(key):
    task = TASKS[key]
    for length in (16, 33, 128):
        found, examples = question(task, length), task.held_out_examples(length)
        targets = examples.targets[0]
        read_of_it = [task.vocabulary[token] for token in examples.inputs[0, : len(found.read)].tolist()]
        assert list(found.read) == read_of_it
        assert not bool(found.asked[0])
        assert found.asked[1:].tolist() == (targets != NOT_ASKED)[: len(found.read)].tolist()
        answers = [task.vocabulary[token] for token in targets[targets != NOT_ASKED].tolist()]
        asked = zip(found.text, found.asked.tolist(), strict=True)
        assert [symbol for symbol, is_asked in asked if is_asked] == answers


def test_the_task_of_a_run(project, copying):
    assert task_of(copying) is TASKS["copy"]
    assert task_of(project) is None


def test_a_task_that_is_not_here_or_has_other_symbols_is_refused(copying):
    rule = r"^run must be of a task that this version has, got Copy$"
    gone = replace(copying.record, text=replace(copying.record.text, sha256="0" * 64))
    with pytest.raises(ValueError, match=rule):
        task_of(replace(copying, record=gone))
    with pytest.raises(ValueError, match=rule):
        task_of(replace(copying, vocabulary=copying.vocabulary[::-1]))


def test_messages_speak_of_the_symbols_of_a_task(copying):
    n = len(copying.vocabulary)
    with pytest.raises(
        ValueError, match=rf"^text must be made of the {n} symbols that the models have learned, got 'x'$"
    ):
        copying.tokens("12x=12")
    refuses(lambda: copying.tokens(""), "text must have at least one symbol, got none")
