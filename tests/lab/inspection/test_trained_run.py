"""A run with its models in a file: written, read again, checked; and the files of the project."""

import json
from dataclasses import replace

import pytest
import safetensors.torch
import torch

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.trained_run import KEPT, KEPT_COPY, from_bytes, read, to_bytes, trained
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage import weights
from pe_core.lab.storage.weights import unpacked
from tests.cases import refuses
from tests.lab.running import alone
from tests.lab.task_answers import suited

CONFIG = RunConfig(("learned", "rope"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=3)


@pytest.fixture(scope="module")
def run(text):
    *_, last = trained(CONFIG, text)
    return last


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


def test_weights_and_facts_that_do_not_belong_together_are_refused(run):
    tensors, facts = unpacked(to_bytes(run))
    less = {name: weights for name, weights in tensors.items() if name != "learned/encoding.table"}
    wide, n = json.loads(facts["run"]), len(run.vocabulary)
    wide["settings"]["d_model"] = 32
    for kept, changes, message in (
        (less, {}, "^weights of learned must hold encoding.table, got "),
        (tensors, {"run": json.dumps(wide)}, "must have the shape"),
        (tensors, {"run": "{"}, "^file must hold JSON, got "),
        (tensors, {"symbols": json.dumps(run.vocabulary[:-1])}, f"^symbols must have {n} entries, .+, got {n - 1}$"),
        *((tensors, {"symbols": none}, "^symbols must be ") for none in ("{", "7", "[1, 2]", "null")),
    ):
        content = safetensors.torch.save(kept, metadata={**facts, **changes})
        with pytest.raises(ValueError, match=message):
            from_bytes(content)


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
