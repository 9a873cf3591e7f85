"""Runs with own encodings: the same losses as those of the registry, and what is refused."""

from itertools import islice

import torch

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, train
from tests.cases import each, refuses
from tests.encodings.test_own import ALIBI, ROPE

SIZES = {"train_length": 16, "d_model": 16, "n_heads": 4, "n_layers": 2, "steps": 50, "batch_size": 8}
CONFIG = RunConfig((ALIBI, "alibi", ROPE, "rope"), **SIZES)


def trained(key, text):
    """The losses of some steps, and the model after them."""
    model = build_model(CONFIG, key, text)
    return [step.loss for step in islice(train(model, key, text, CONFIG), 20)], model.eval()


@each(("typed", "known"), [(ALIBI, "alibi"), (ROPE, "rope")])
def test_a_typed_encoding_has_the_losses_of_the_registry_to_the_last_digit(typed, known, text):
    (own_losses, own), (losses, model) = trained(typed, text), trained(known, text)
    assert own_losses == losses
    assert len(set(losses)) == 20
    tokens = text.held_out[None, : max(CONFIG.lengths)]
    assert torch.equal(own(tokens), model(tokens))


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
