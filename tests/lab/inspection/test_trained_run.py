"""A run with its models in a file: made by the command, read again, checked; and the file of the project."""

import json
from dataclasses import replace

import pytest
import safetensors.torch
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab import trained_file
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.trained_run import KEPT, KEPT_COPY, TrainedRun, from_bytes, read, to_bytes, trained
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage import weights
from pe_core.lab.storage.weights import unpacked
from pe_core.lab.trained_file import main
from tests.cases import each, refuses
from tests.lab.running import alone
from tests.lab.task_answers import suited


@pytest.fixture(scope="module")
def config():
    return RunConfig(("learned", "rope"), train_length=16, d_model=16, n_heads=1, n_layers=1, steps=50, seed=3)


@pytest.fixture(scope="module")
def run(config, text):
    *_, last = trained(config, text)
    assert isinstance(last, TrainedRun)
    return last


@pytest.fixture(scope="module")
def kept():
    return read()


def message(act):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        act()
    return str(caught.value)


def test_the_run_is_that_of_the_lab(run, config, text):
    curves, outcomes = alone(config, text)
    assert (run.record.curves, run.record.outcomes) == (curves, outcomes)
    assert (run.record.config, run.record.text, run.vocabulary) == (config, text_facts(text), text.vocabulary)


def test_a_run_comes_back_from_its_file_and_gives_the_same_numbers(run, text):
    again = from_bytes(to_bytes(run))
    tokens = text.held_out[None, :40]
    for key, model in run.models.items():
        assert torch.equal(again.models[key](tokens), model(tokens))
    assert (again.vocabulary, again.record.config, again.record.text.sha256) == (
        run.vocabulary,
        run.record.config,
        text.sha256,
    )
    assert again.record.mean("rope").lengths[0].loss == pytest.approx(run.record.mean("rope").lengths[0].loss, abs=1e-5)


def test_half_precision_is_kept_and_read_as_single(run):
    content = to_bytes(run, torch.float16)
    assert {weights.dtype for weights in unpacked(content)[0].values()} == {torch.float16}
    assert {weights.dtype for weights in from_bytes(content).models["rope"].parameters()} == {torch.float32}


def test_other_bytes_are_refused(run):
    content = to_bytes(run)
    for garbage in (b"", b"garbage " * 100, content[:-5]):
        found = message(lambda garbage=garbage: from_bytes(garbage))
        assert found.startswith("weights must be in the format of safetensors, got ")
    bare = safetensors.torch.save({"x": torch.zeros(1)})
    refuses(lambda: from_bytes(bare), "file must hold a trained run, got weights without a run")


def test_weights_and_facts_that_do_not_belong_together_are_refused(run):
    tensors, facts = unpacked(to_bytes(run))

    def changed(tensors, **other):
        return safetensors.torch.save(tensors, metadata={**facts, **other})

    less = {name: weights for name, weights in tensors.items() if name != "learned/encoding.table"}
    assert message(lambda: from_bytes(changed(less))).startswith("weights of learned must hold encoding.table, got ")
    symbols = json.dumps(run.vocabulary[:-1])
    n = len(run.vocabulary)
    refuses(
        lambda: from_bytes(changed(tensors, symbols=symbols)),
        f"symbols must have {n} entries, as in the run, got {n - 1}",
    )
    for none in ("{", "7", "[1, 2]", "null"):
        assert message(lambda none=none: from_bytes(changed(tensors, symbols=none))).startswith("symbols must be ")
    assert message(lambda: from_bytes(changed(tensors, run="{"))).startswith("file must hold JSON, got ")
    wide = json.loads(facts["run"])
    wide["settings"]["d_model"] = 32
    assert "must have the shape" in message(lambda: from_bytes(changed(tensors, run=json.dumps(wide))))


def kept_weights(run):
    return {key: weights.to_bytes(model, key, run.vocabulary) for key, model in run.models.items()}


def test_a_run_of_several_seeds_is_had_from_the_weights_of_one(run, config, text):
    curves, outcomes = (
        {key: {3: by_seed[3], 4: by_seed[3]} for key, by_seed in found.items()}
        for found in (run.record.curves, run.record.outcomes)
    )
    whole = RunRecord(replace(config, n_seeds=2), run.record.text, curves, outcomes)
    found = trained_run.of_seed(whole, 4, kept_weights(run))
    assert (found.record, found.vocabulary) == (whole.of_seed(4), text.vocabulary)
    assert found.record.config == config.of_seed(4)
    tokens = text.held_out[None, :40]
    for key, model in run.models.items():
        assert torch.equal(found.models[key](tokens), model(tokens))


def test_weights_that_do_not_make_a_run_are_refused(run):
    kept = kept_weights(run)
    none = replace(run.record, outcomes={})
    refuses(lambda: trained_run.of_seed(none, 3, kept), "run must have at least one encoding that is done, got none")
    swapped = {**kept, "rope": kept["learned"]}
    refuses(lambda: trained_run.of_seed(run.record, 3, swapped), "weights must be those of rope, got those of learned")
    other = {**kept, "rope": weights.to_bytes(run.models["rope"], "rope", run.vocabulary[::-1])}
    refuses(
        lambda: trained_run.of_seed(run.record, 3, other), "weights must have one vocabulary for all encodings, got 2"
    )


def test_text_becomes_tokens_and_text_again(run, text):
    assert torch.equal(run.tokens("the cat"), torch.tensor([text.vocabulary.index(letter) for letter in "the cat"]))
    assert run.text(run.tokens("the cat")) == "the cat"


@each(
    ("given", "got"),
    [("cat é pig É é", "'é', 'p', 'g', 'É'"), ("ABCDEFGHIJK", "'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H' and others")],
)
def test_characters_that_no_model_knows_are_named(run, given, got):
    rule = f"text must be made of the {len(run.vocabulary)} characters that the models have learned, got {got}"
    refuses(lambda: run.tokens(given), rule)
    refuses(lambda: run.tokens(""), "text must have at least one character, got none")


# The command.


def test_the_command_writes_a_file_that_can_be_read(tmp_path, text, capsys, monkeypatch):
    monkeypatch.setattr(trained_file, "built_in", lambda: text)
    out = tmp_path / "models.safetensors"
    settings = ["none", "--train-length", "16", "--d-model", "16", "--n-heads", "1", "--n-layers", "1", "--steps", "50"]
    assert main([*settings, "--seed", "9", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    found = read(out)
    assert list(found.models) == ["none"]
    assert found.record.config == RunConfig(("none",), 16, 16, 1, 1, 50, seed=9)


def test_a_task_can_be_learned_instead_with_its_own_defaults(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(trained_file, "trained", lambda *given: asked.append(given) or iter(()))
    assert main(["rope", "--task", "addition", "--steps", "50", "--out", str(tmp_path / "x")]) == 0
    assert asked == [(RunConfig(("rope",), **{**suited("addition"), "steps": 50}), TASKS["addition"])]
    with pytest.raises(SystemExit) as ended:
        main(["--task", "nope"])
    assert ended.value.code == 2


@each(
    ("arguments", "problem"),
    [
        (["nope"], "encodings must be among "),
        (["--steps", "7"], "steps must be a whole number from 50 to 5,000 in steps of 50, got '7'"),
        (["--out", "/nowhere/x"], "out must lie in a folder that exists, got /nowhere"),
        (["--out", "."], "out must name a file, not a folder, got ."),
        (["--out", "/proc/x"], "out must lie in a folder that can be written, got /proc: No such file or directory"),
    ],
)
def test_the_command_names_what_is_wrong_before_any_training(arguments, problem, capsys, monkeypatch):
    monkeypatch.setattr(trained_file, "trained", None)
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"error: {problem}")


def test_an_interrupted_command_writes_nothing(tmp_path, monkeypatch, capsys):
    def stop(config, dataset):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(trained_file, "trained", stop)
    assert main(["--out", str(tmp_path / "x.safetensors")]) == 130
    assert list(tmp_path.iterdir()) == []
    assert "stopped; nothing was written" in capsys.readouterr().err


# The file that comes with the project.


def test_the_kept_file_is_small_and_names_its_settings_and_versions(kept):
    assert KEPT.stat().st_size < 1_000_000
    assert kept.record.config == RunConfig()
    facts = json.loads(unpacked(KEPT.read_bytes())[1]["run"])
    assert facts["versions"].keys() == {"python", "torch"}
    assert kept.models.keys() == set(RunConfig().encodings) <= ENCODINGS.keys()


@each("key", RunConfig().encodings)
def test_its_losses_are_within_a_hundredth_of_those_in_full_precision(kept, key):
    assert kept.record.text.sha256 == built_in().sha256
    loss = kept.record.mean(key).lengths[0]
    found = measure(kept.models[key], kept.record.config, built_in(), loss.length)
    assert float(found.by_place.mean()) == pytest.approx(loss.loss, abs=0.01)


def test_the_kept_models_of_a_task_have_learned_to_copy():
    run, task = read(KEPT_COPY), TASKS["copy"]
    assert KEPT_COPY.stat().st_size < 1_000_000
    assert run.record.config == RunConfig(**suited("copy"))
    assert (run.record.text.sha256, run.vocabulary) == (task.sha256, task.vocabulary)
    for key in run.record.done:
        mark = run.record.mean(key).lengths[0]
        found = measure(run.models[key], run.record.config, task, mark.length)
        assert found.accuracy == pytest.approx(mark.accuracy, abs=0.01)
