"""Runs with own encodings: the same losses as those of the registry, what is learned, and what is refused."""

import pytest
import torch

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import one_thread
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.queue import estimate
from pe_core.lab.queue.estimate import OWN, SMALL, Calibration, Step, of
from tests.cases import each, refuses
from tests.encodings.test_own import ALIBI, ROPE

LEARNED = "own:bias:-abs(a)*log(1+abs(b)*distance);a=1;b=0.5"
SIZES = {"train_length": 16, "d_model": 16, "n_heads": 4, "n_layers": 2, "steps": 50, "batch_size": 8}
CONFIG = RunConfig((ALIBI, "alibi", ROPE, "rope", LEARNED), **SIZES)


def losses(key, steps=20):
    text = built_in()
    model = build_model(CONFIG, key, text)
    with one_thread():
        trained = [step.loss for step, _ in zip(train(model, key, text, CONFIG), range(steps), strict=False)]
        tokens = text.held_out_examples(max(CONFIG.lengths)).inputs[:4]
        with torch.inference_mode():
            return trained, model.eval()(tokens)


@each(("typed", "known"), [(ALIBI, "alibi"), (ROPE, "rope")])
def test_a_typed_encoding_has_the_losses_of_the_registry_to_the_last_digit(typed, known):
    (own_losses, own_logits), (losses_known, logits) = losses(typed), losses(known)
    assert own_losses == losses_known
    assert torch.equal(own_logits, logits)  # at 8 times the training length
    assert len(set(own_losses)) == 20


def test_what_is_learned_is_trained():
    model = build_model(CONFIG, LEARNED, built_in())
    for _ in zip(train(model, LEARNED, built_in(), CONFIG), range(5), strict=False):
        pass
    learned = dict(model.encoding.named_parameters())
    assert set(learned) == {"formula.learned.a", "formula.learned.b"}
    assert all(len(set(one.tolist())) == 4 for one in learned.values())  # each head has gone its own way


@each(
    ("key", "message"),
    [
        (
            "own:bias:q",
            "formula must use the names of a bias (m, n, distance, h, head, heads, width, head_width, length, pi, "
            "a, b, c), got 'q' in column 1 of 'q'",
        ),
        ("own:embedding:exp(m)", "own embedding must be finite, got inf at m = 95, channel = 0 in 'exp(m)'"),
        (
            "own:bias:-2**distance*1e9",
            "own bias must be finite, got -inf at m = 127, n = 0, h = 0 in '-2**distance*1e9'",
        ),
    ],
)
def test_a_wrong_formula_is_refused_before_the_training(key, message):
    refuses(lambda: RunConfig((key,), **SIZES), message)


def test_what_a_formula_costs_grows_with_its_operations():
    bare = Step(1.0, 100.0)
    small = {estimate.BARE: bare, **{key: Step(1.7, 170.0) for key in OWN.values()}}
    calibration = Calibration(small, Step(0.5, 10.0), Step(2.0, 200.0))
    once = calibration.step(of(SMALL), OWN["bias"])  # 8 operations
    twice = calibration.step(of(SMALL), "own:bias:-a*(1+distance)**b+m*n*h+0")  # 16
    nothing = calibration.step(of(SMALL), estimate.BARE)
    assert twice.held - nothing.held == pytest.approx(2 * (once.held - nothing.held))
    assert twice.seconds - nothing.seconds == pytest.approx(2 * (once.seconds - nothing.seconds))
