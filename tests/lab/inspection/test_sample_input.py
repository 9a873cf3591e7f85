"""What models read where nobody has a text for them: held-out text, an example of their task, or their own writing."""

from dataclasses import replace

import torch

from pe_core.lab.experiment.datasets import NOT_ASKED, built_in, from_text
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.inspection.sample_input import question, sample_input, task_of
from pe_core.lab.inspection.trained_run import TrainedRun, kept
from pe_core.lab.results.record import RunRecord, text_facts
from tests.cases import each, refuses

TINY = RunConfig(("rope", "alibi"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50)
FOREIGN = from_text("мороз и солнце день чудесный " * 300)


def untrained(dataset):
    """A run of a text or a task that has learned nothing yet."""
    models = {key: build_model(TINY, key, dataset).eval() for key in TINY.encodings}
    return TrainedRun(RunRecord(TINY, text_facts(dataset)), dataset.vocabulary, models)


def test_of_a_text_it_is_held_out_text_in_known_characters():
    project = kept()
    found = sample_input(project, 500)
    assert (len(found.text), found.origin) == (500, "held-out")
    assert project.tokens(found.text).tolist() == built_in().held_out[:500].tolist()
    without = replace(project, vocabulary=tuple(symbol for symbol in project.vocabulary if symbol != "e"))
    assert sample_input(without, 100).text == found.text.replace("e", "")[:100]
    facts = replace(project.record.text, name="hamlet.txt", sha256="0" * 64)
    own = sample_input(replace(project, record=replace(project.record, text=facts)), 500)
    assert (own.origin, own.text) == ("other", found.text)


def test_where_most_characters_are_unknown_the_first_model_writes_in_pieces_of_its_training_length():
    foreign = untrained(FOREIGN)
    found = sample_input(foreign, 40)
    assert (len(found.text), found.origin) == (40, "written")
    assert set(found.text) <= set(foreign.vocabulary)
    assert [found.text[start] for start in (0, 16, 32)] == [foreign.vocabulary[0]] * 3
    assert sample_input(foreign, 40) == found
    other = replace(foreign, models=dict(reversed(foreign.models.items())))
    assert sample_input(other, 40) != found


def test_what_is_written_follows_the_model():
    foreign = untrained(FOREIGN)
    model = foreign.models["rope"]
    with torch.no_grad():
        model.head.weight.mul_(1_000)  # as good as certain of each symbol
    text = sample_input(foreign, 16).text
    for place in range(1, 16):
        logits = model(foreign.tokens(text[:place])[None])[0, -1]
        assert text[place] == foreign.vocabulary[int(logits.argmax())]


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


def test_of_a_task_it_is_its_question():
    found = sample_input(untrained(TASKS["copy"]), 40)
    assert (found.text, found.origin) == (question(TASKS["copy"], 40).read, "task")
    assert len(found.text) == 40


def test_the_task_of_a_run_is_refused_where_it_is_not_here_or_has_other_symbols():
    copying = untrained(TASKS["copy"])
    assert task_of(copying) is TASKS["copy"]
    assert task_of(kept()) is None
    rule = "run must be of a task that this version has, got Copy"
    gone = replace(copying.record, text=replace(copying.record.text, sha256="0" * 64))
    refuses(lambda: task_of(replace(copying, record=gone)), rule)
    refuses(lambda: task_of(replace(copying, vocabulary=copying.vocabulary[::-1])), rule)


def test_messages_speak_of_the_symbols_of_a_task():
    copying = untrained(TASKS["copy"])
    n = len(copying.vocabulary)
    rule = f"text must be made of the {n} symbols that the models have learned, got 'x'"
    refuses(lambda: copying.tokens("12x=12"), rule)
    refuses(lambda: copying.tokens(""), "text must have at least one symbol, got none")
