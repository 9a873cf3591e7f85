"""A training that is stopped goes on from its checkpoint to the same numbers."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from pe_core.lab.experiment import checkpoint as module
from pe_core.lab.experiment import training
from pe_core.lab.experiment.checkpoint import Checkpoint
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.training import build_model, train, tune
from tests.lab.running import finished


@pytest.fixture
def at_every_step(monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.0)


def trained(config, corpus, path=None, n_steps=None, key="t5"):
    """The losses of a training run, and the model after it."""
    model = build_model(config, key, corpus)
    steps = train(model, key, corpus, config, path and Checkpoint(path))
    return [step.loss for step in islice(steps, n_steps)], model


@pytest.mark.usefixtures("at_every_step")
def test_a_stopped_training_goes_on_to_the_same_numbers(tiny, text, tmp_path):
    config = replace(tiny, remap="randomised")
    expected, whole = trained(config, text)
    path = tmp_path / "one.pt"
    assert trained(config, text, path, 20)[0] == expected[:20]
    again, model = trained(config, text, path)
    assert again == expected
    torch.testing.assert_close(dict(model.state_dict()), dict(whole.state_dict()), rtol=0, atol=0)
    assert [one.name for one in tmp_path.iterdir()] == ["one.pt"]


def test_a_checkpoint_is_written_once_in_a_while_and_at_the_end(tiny, text, tmp_path, monkeypatch):
    path = tmp_path / "one.pt"
    trained(tiny, text, path, 30)
    assert not path.exists()
    kept = Checkpoint(path)
    list(train(build_model(tiny, "none", text), "none", text, tiny, kept))
    assert (kept.kept, len(kept.curve)) == (50, 50)
    made = []
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda *_, **__: made.append(1))
    assert trained(tiny, text, path, key="none")[0] == kept.curve
    assert not made


class Executed:
    """What a file could hold that is no checkpoint."""

    def __reduce__(self):
        return pytest.fail, ("a file was executed",)


@pytest.mark.usefixtures("at_every_step")
def test_what_is_no_checkpoint_of_this_training_is_refused(tiny, text, tmp_path):
    path = tmp_path / "one.pt"
    trained(tiny, text, path, 2)
    with pytest.raises(ValueError, match=r"^checkpoint must be of this training, got .+one\.pt: "):
        trained(replace(tiny, d_model=32), text, path)
    cut = path.read_bytes()[:-7]
    torch.save({"model": Executed()}, path)
    for content in (cut, path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"^checkpoint must be of this training, got "):
            trained(tiny, text, path)


@pytest.mark.usefixtures("at_every_step")
def test_a_stopped_fine_tuning_goes_on_to_the_same_numbers(tiny, text, tmp_path, monkeypatch):
    config, model = replace(tiny, remap="randomised", tune_steps=50), build_model(tiny, "rope", text)
    _, (expected, _) = finished(tune(model, config, text, named("pi")))
    path = tmp_path / "one.pt"
    stopped = tune(model, config, text, named("pi"), Checkpoint(path).of_tuning("pi"))
    assert len(list(islice(stopped, 20))) == 20
    assert [one.name for one in tmp_path.iterdir()] == ["one.pi.pt"]
    learn, made = training.learn, []
    monkeypatch.setattr(training, "learn", lambda *arguments: made.append(1) or learn(*arguments))
    kept = Checkpoint(path)
    count, (tuned, _) = finished(tune(model, config, text, named("pi"), kept.of_tuning("pi")))
    assert (count, len(made), kept.newest.tuned, kept.newest.kept) == (50, 30, "pi", 50)
    torch.testing.assert_close(dict(tuned.state_dict()), dict(expected.state_dict()), rtol=0, atol=0)
    kept.remove()
    assert list(tmp_path.iterdir()) == []
