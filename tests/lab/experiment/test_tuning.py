"""Fine-tuning, at the longest length but for one repair: on a copy, under what is read with, and measured as such."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from pe_core.lab.experiment import training
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import plan, run_encoding, tuned_of
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, tune
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import exact_json, from_json
from pe_core.lab.results.table import rows
from tests.cases import refuses
from tests.lab.running import finished
from tests.lab.seeded import one_seed

SIZES = {"train_length": 16, "d_model": 16, "n_heads": 2, "n_layers": 1, "batch_size": 32}
CONFIG = RunConfig(("rope",), **SIZES, steps=50, tune_steps=50, repairs=("pi", "window"))


@pytest.fixture(scope="module")
def run(text):
    """What happens in the run, step by step, and its outcome at the end."""
    return list(run_encoding(CONFIG, "rope", text))


def test_the_trained_model_is_left_alone_and_its_copy_gets_the_encoding_but_not_the_mask(text):
    model, untouched = (build_model(CONFIG, "rope", text) for _ in range(2))
    count, (tuned, rest) = finished(tune(model, CONFIG, text, named("pi+window")))
    assert count == 50
    torch.testing.assert_close(dict(model.state_dict()), dict(untouched.state_dict()), rtol=0, atol=0)
    assert not torch.equal(tuned.head.weight, model.head.weight)
    q = torch.randn(1, 2, 64, 8, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(64)  # more than the training length
    turned = tuned.encoding.rotate(q, q, positions)[0]
    pressed = named("pi").build(model.encoding, CONFIG.shape).rotate(q, q, positions)[0]
    torch.testing.assert_close(turned, pressed, rtol=0, atol=0)
    assert not torch.allclose(turned, model.encoding.rotate(q, q, positions)[0])
    assert (rest.stand_in, rest.log_n) == (None, False)
    assert rest.build(tuned.encoding, CONFIG.shape) is tuned.encoding
    torch.testing.assert_close(rest.mask(64, 16), named("window").mask(64, 16))


def test_a_step_is_adamw_on_the_longest_texts(text, monkeypatch):
    model, by_hand = (build_model(CONFIG, "rope", text) for _ in range(2))
    optimiser = torch.optim.AdamW(by_hand.parameters(), lr=CONFIG.peak_learning_rate / 10)
    starts = torch.randint(len(text.train) - 128, (4, 1), generator=torch.Generator().manual_seed(0))
    pieces = text.train[starts + torch.arange(129)]
    loss = F.cross_entropy(by_hand(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(by_hand.parameters(), 1.0)
    optimiser.step()
    copies = []
    monkeypatch.setattr(training.copy, "deepcopy", lambda model: copies.append(model) or model)
    next(tune(model, CONFIG, text, AS_TRAINED))
    assert copies == [model]
    torch.testing.assert_close(model.head.weight, by_hand.head.weight, rtol=1e-4, atol=1e-6)


def test_drope_takes_rope_away_and_is_recalibrated_at_the_training_length(text, monkeypatch):
    """After a step the copy has learned from as many tokens as ever, in texts of the training length."""
    model, by_hand = (build_model(CONFIG, key, text) for key in ("rope", "none"))
    drawn, learn = [], training.learn
    monkeypatch.setattr(training, "learn", lambda *given: drawn.append(given[1].inputs.shape) or learn(*given))
    _, (tuned, rest) = finished(tune(model, CONFIG, text, named("drope")))
    assert drawn == [(32, 16)] * 50
    tokens = text.held_out[None, :40]
    by_hand.load_state_dict(tuned.state_dict())
    assert torch.equal(tuned(tokens), by_hand(tokens))
    assert rest.build(tuned.encoding, CONFIG.shape) is tuned.encoding
    assert named("drope+window").recalibrates
    assert not named("pi+window").recalibrates


def test_a_run_tunes_the_model_as_it_is_and_under_each_repair(run, text):
    assert [repair.key for repair in tuned_of(CONFIG, "rope")] == ["as_trained", "pi", "window"]
    assert tuned_of(replace(CONFIG, tune_steps=0), "rope") == []
    *pieces, outcome = run
    assert pieces[51:] == [None] * (6 * 3 + 3 * 50 + 6 * 3)
    assert sum(n for _, n in plan(CONFIG, "rope")) == len(pieces) - 1  # the trained model is no work
    assert list(outcome.tuned) == ["as_trained", "pi", "window"]
    longest = {name: read.lengths[-1].loss for name, read in outcome.tuned.items()}
    assert longest["pi"] < outcome.repaired["pi"].lengths[-1].loss
    assert longest["as_trained"] < outcome.lengths[-1].loss
    assert len(set(longest.values())) == 3


def test_a_record_keeps_what_was_repaired_and_tuned(run, text):
    record = one_seed(CONFIG, text_facts(text), {"rope": tuple(step.loss for step in run[:50])}, {"rope": run[-1]})
    assert from_json(exact_json(record)) == record
    names = [row["Encoding"] for row in rows(record)]
    assert names[1] == f"RoPE, {named('pi').title}"
    assert names[3:] == ["RoPE, As trained, fine-tuned", *(f"{name}, fine-tuned" for name in names[1:3])]
    damaged = exact_json(record).replace('"tuned": {\n    "as_trained"', '"tuned": {\n    "yarn"')
    refuses(lambda: from_json(damaged), "repair must be one of pi, window, the repairs of the run, got yarn")
