"""A run with its models: its file, the files of the project, and what models read where nobody has a text for them."""

import json
from dataclasses import replace

import pytest
import safetensors.torch
import torch

from pe_core.lab.experiment.datasets import NOT_ASKED, built_in, from_text
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.sample_input import question, sample_input, task_of
from pe_core.lab.inspection.trained_run import KEPT, KEPT_COPY, TrainedRun, from_bytes, kept, read, to_bytes, trained
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage import weights
from pe_core.lab.storage.weights import unpacked
from tests.cases import each, refuses
from tests.lab.running import alone
from tests.lab.task_answers import suited

CONFIG = RunConfig(("learned", "rope"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=3)


@pytest.fixture(scope="module")
def run(text):
    return trained(CONFIG, text)


def test_the_run_is_that_of_the_lab(run, text):
    curves, outcomes = alone(CONFIG, text)
    assert (run.record.curves, run.record.outcomes) == (curves, outcomes)
    assert (run.record.config, run.record.text, run.vocabulary) == (CONFIG, text_facts(text), text.vocabulary)


def same_answers(one, other, tokens):
    return all(torch.equal(one.models[key](tokens), model(tokens)) for key, model in other.models.items())


def test_a_run_comes_back_from_its_file_and_gives_the_same_numbers(run, text):
    again = from_bytes(to_bytes(run))
    assert same_answers(again, run, text.held_out[None, :40])
    assert (again.vocabulary, again.record.config) == (run.vocabulary, run.record.config)
    assert again.record.text.sha256 == text.sha256
    assert again.record.mean("rope").lengths[0].loss == pytest.approx(run.record.mean("rope").lengths[0].loss, abs=1e-5)
    half = to_bytes(run, torch.float16)
    assert {weights.dtype for weights in unpacked(half)[0].values()} == {torch.float16}
    assert {weights.dtype for weights in from_bytes(half).models["rope"].parameters()} == {torch.float32}


def test_other_bytes_are_refused():
    bare = safetensors.torch.save({"x": torch.zeros(1)})
    refuses(lambda: from_bytes(bare), "file must hold a trained run, got weights without a run")


def kept_weights(run):
    return {key: weights.to_bytes(model, key, run.vocabulary) for key, model in run.models.items()}


def test_a_run_of_several_seeds_is_had_from_the_weights_of_one(run, text):
    curves, outcomes = (
        {key: {3: by_seed[3], 4: by_seed[3]} for key, by_seed in found.items()}
        for found in (run.record.curves, run.record.outcomes)
    )
    whole = RunRecord(replace(CONFIG, n_seeds=2), run.record.text, curves, outcomes)
    found = trained_run.of_seed(whole, 4, kept_weights(run))
    assert (found.record, found.vocabulary) == (whole.of_seed(4), text.vocabulary)
    assert found.record.config == CONFIG.of_seed(4)
    assert same_answers(found, run, text.held_out[None, :40])


def test_weights_that_do_not_make_a_run_are_refused(run):
    kept = kept_weights(run)
    none = replace(run.record, outcomes={})
    refuses(lambda: trained_run.of_seed(none, 3, kept), "run must have at least one encoding that is done, got none")
    swapped = {**kept, "rope": kept["learned"]}
    refuses(lambda: trained_run.of_seed(run.record, 3, swapped), "weights must be those of rope, got those of learned")
    other = {**kept, "rope": weights.to_bytes(run.models["rope"], "rope", run.vocabulary[::-1])}
    rule = "weights must have one vocabulary for all encodings, got 2"
    refuses(lambda: trained_run.of_seed(run.record, 3, other), rule)


def test_text_becomes_tokens_and_text_again_and_characters_that_no_model_knows_are_named(run, text):
    assert torch.equal(run.tokens("the cat"), torch.tensor([text.vocabulary.index(letter) for letter in "the cat"]))
    assert run.text(run.tokens("the cat")) == "the cat"
    rule = f"text must be made of the {len(run.vocabulary)} characters that the models have learned, got "
    refuses(lambda: run.tokens("cat é pig É é"), f"{rule}'é', 'p', 'g', 'É'")
    refuses(lambda: run.tokens("ABCDEFGHIJK"), f"{rule}'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H' and others")
    refuses(lambda: run.tokens(""), "text must have at least one character, got none")


# The files that come with the project.


def test_the_kept_file_is_small_and_names_its_settings_and_versions():
    kept, content = read(), KEPT.read_bytes()
    assert len(content) < 1_000_000
    assert kept.record.config == RunConfig()
    assert json.loads(unpacked(content)[1]["run"])["versions"].keys() == {"python", "torch"}
    assert kept.record.text.sha256 == built_in().sha256
    for key in RunConfig().encodings:
        loss = kept.record.mean(key).lengths[0]
        found = measure(kept.models[key], kept.record.config, built_in(), loss.length)
        assert float(found.by_place.mean()) == pytest.approx(loss.loss, abs=0.01)  # as in full precision


def test_the_kept_models_of_a_task_have_learned_to_copy():
    run, task = read(KEPT_COPY), TASKS["copy"]
    assert KEPT_COPY.stat().st_size < 1_000_000
    assert run.record.config == RunConfig(**suited("copy"))
    assert (run.record.text.sha256, run.vocabulary) == (task.sha256, task.vocabulary)
    for key in run.record.done:
        mark = run.record.mean(key).lengths[0]
        found = measure(run.models[key], run.record.config, task, mark.length)
        assert found.accuracy == pytest.approx(mark.accuracy, abs=0.01)


# What models read: held-out text, an example of their task, or their own writing.


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
