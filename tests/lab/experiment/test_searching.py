"""The repair that searches factors: what its losses are, what it reads, and how a run counts it."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from pe_core.chapters import inside
from pe_core.encodings import rotary
from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.repair import REPAIRS, named
from pe_core.lab.experiment.run import Unit, plan, run_encoding
from pe_core.lab.experiment.searching import N_TEXTS, N_TRIED, searched
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.experiment.training import build_model, train
from pe_core.rope_scaling.longrope2 import candidates
from tests.cases import refuses
from tests.lab.running import finished
from tests.rope_scaling.test_longrope2 import bounds

CONFIG = RunConfig(("rope",), 16, 16, n_heads=2, n_layers=1, steps=50, batch_size=32, repairs=("longrope2",))


@pytest.fixture(scope="module")
def trained(text):
    model = build_model(CONFIG, "rope", text)
    finished(train(model, "rope", text, CONFIG))
    return model


@pytest.fixture
def asked(monkeypatch):
    """The frequencies at the longest length, the examples and the loss, each time the search asks for one."""
    met, answers = [], evaluation.answers

    def note(model, examples, **conditions):
        found = answers(model, examples, **conditions)
        frequencies = conditions["encoding"].scaled(torch.tensor([127])).frequencies
        met.append((frequencies, examples, float(found.losses.sum() / found.asked.sum()), conditions))
        return found

    monkeypatch.setattr(evaluation, "answers", note)
    return met


def test_it_takes_the_best_of_what_it_tried_within_the_bounds(trained, text, asked):
    count, (repair, found) = finished(searched(trained, CONFIG, text, named("longrope2")))
    assert count == len(asked) == N_TRIED
    assert found.loss == min(loss for _, _, loss, _ in asked) < max(loss for _, _, loss, _ in asked)
    assert found.critical in candidates(8, 10_000, 16)
    low, high = bounds(4, found.critical, 8)
    assert (low - 1e-9 <= found.factors).all()
    assert (found.factors <= high + 1e-9).all()
    encoding = repair.build(trained.encoding, CONFIG.shape)
    plain = rotary.frequencies(8)
    for length, factors in ((16, torch.ones(4)), (17, found.factors), (128, found.factors)):
        scaled = encoding.scaled(torch.tensor([length - 1]))
        torch.testing.assert_close(scaled.frequencies, plain / factors.double())
        assert scaled.temperature == 1
    best = min(asked, key=lambda one: one[2])[0]
    assert torch.equal(best, encoding.scaled(torch.tensor([127])).frequencies)


def test_a_loss_is_the_mean_of_long_windows_of_training_text(trained, text, asked):
    next(searched(trained, CONFIG, text, named("longrope2")))
    (_, examples, loss, conditions), *_ = asked
    assert examples.inputs.shape == (N_TEXTS, 128)
    starts = torch.randint(len(text.train) - 128, (N_TEXTS, 1), generator=torch.Generator().manual_seed(0))
    assert torch.equal(examples.inputs, text.train[starts + torch.arange(128)])
    with torch.inference_mode():
        logits = trained(examples.inputs, encoding=conditions["encoding"])
    expected = F.cross_entropy(logits.flatten(0, 1), examples.targets.flatten())
    assert loss == pytest.approx(float(expected), rel=1e-4)


def test_seed_and_mask_decide_and_the_held_out_text_is_never_read(trained, text):
    def search(config=CONFIG, text=text, name="longrope2"):
        return finished(searched(trained, config, text, named(name)))[1]

    _, found = search()
    _, unread = search(text=replace(text, held_out=torch.zeros_like(text.held_out)))
    _, other = search(replace(CONFIG, seed=1))
    repair, windowed = search(name="longrope2+window")
    assert torch.equal(found.factors, unread.factors)
    assert not torch.equal(found.factors, other.factors)
    assert windowed.loss != found.loss
    assert torch.equal(repair.mask(64, 16), named("window").mask(64, 16))


def test_in_a_task_only_answers_count(asked):
    task = TASKS["copy"]
    next(searched(build_model(CONFIG, "rope", task), CONFIG, task, named("longrope2")))
    (_, examples, loss, _), *_ = asked
    assert 0 < int(examples.asked.sum()) < examples.asked.numel()
    assert loss > 0


def test_before_the_search_it_cannot_be_read_with(trained):
    message = "repair must be searched for the trained model before it is evaluated (`searching.searched`)"
    refuses(lambda: named("longrope2+log_n").build(trained.encoding, CONFIG.shape), message)


def test_a_run_counts_every_loss_and_tunes_under_what_was_found(text):
    config = replace(CONFIG, tune_steps=50)
    *events, outcome = run_encoding(config, "rope", text)
    units = plan(config, "rope")
    assert sum(n for _, n in units) == 50 + N_TRIED + 6 * 2 + 2 * 50 + 6 * 2
    assert (Unit("search", 128, N_TEXTS * 128, "longrope2"), N_TRIED) in units
    assert events[51:] == [None] * (len(events) - 51)
    assert len(events) == sum(n for _, n in units) + 1  # the trained model is an event too
    assert list(outcome.repaired) == ["longrope2"]
    assert list(outcome.tuned) == ["as_trained", "longrope2"]
    assert outcome.repaired["longrope2"].lengths[0].loss == pytest.approx(outcome.lengths[0].loss, rel=1e-6)
    assert outcome.repaired["longrope2"].lengths[-1].loss != outcome.lengths[-1].loss


def test_inside_offers_no_search_for_no_run_keeps_its_factors():
    offered = {key for key, one in REPAIRS.items() if one.is_for("rope")} - {"longrope2"}
    assert set(inside.repairs_for("rope")) == offered
