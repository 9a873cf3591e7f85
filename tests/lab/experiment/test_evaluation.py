import itertools
import math
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest
import torch
from torch import nn

from pe_core.encodings import PositionalEncoding
from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.evaluation import LengthLoss, position_losses, summarise
from pe_core.lab.experiment.glance import Glance
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig, build_mask
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.results.statistics import verdict
from pe_core.masks import sliding_window
from tests.cases import each


class ReadAtOnce(PositionalEncoding):
    """Lets no text be read in parts."""

    def check_cache(self, cached, new):
        raise ValueError("the text grows")


class Guess(nn.Module):
    """Knows that the next token is the next number, and by how much; remembers what it was asked."""

    def __init__(self, vocab_size=10, certainty=0.0):
        super().__init__()
        self.vocab_size, self.certainty = vocab_size, certainty
        self.asked, self.told, self.modes = [], [], []
        self.device = torch.device("cpu")
        self.encoding = ReadAtOnce()

    def forward(self, tokens, *, positions, mask, encoding):
        self.asked.append(tokens)
        self.told.append((positions, mask, encoding))
        self.modes.append(self.training)
        return self.certainty * nn.functional.one_hot((tokens + 1) % self.vocab_size, self.vocab_size).float()


def counting(size):
    return torch.arange(size) % 10


@torch.no_grad()
def losses_by_loops(model, tokens, length):
    """Every window on its own, every position on its own, summed up in the order of the text."""
    totals, n_windows = [0.0] * length, 0
    for start in range(0, len(tokens) - length, length):
        scores = model(tokens[None, start : start + length])[0]
        for place in range(length):
            chances = [math.exp(score) for score in scores[place].tolist()]
            totals[place] -= math.log(chances[tokens[start + place + 1]] / sum(chances))
        n_windows += 1
    return [total / n_windows for total in totals]


@pytest.mark.parametrize("key", ["learned", "rope", "cope", "cable", "gemma3", "normalised", "rope_scaled"])
@pytest.mark.parametrize("mask", ["causal", "window"])
def test_a_long_text_that_is_read_in_parts_has_the_same_losses(key, mask, tiny, text, monkeypatch):
    config = replace(tiny, mask=mask)
    model = build_model(config, key, text).double()
    given = {"mask": build_mask(config, 100), "positions": lambda: torch.arange(100)}
    whole = position_losses(model, text.held_out[:301], 100, **given)
    monkeypatch.setattr(evaluation, "WHOLE", 64)
    monkeypatch.setattr(evaluation, "PART", 24)
    read = []
    model.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].shape[1]))
    torch.testing.assert_close(position_losses(model, text.held_out[:301], 100, **given), whole)
    in_parts = key not in ("normalised", "rope_scaled")  # they change what a longer text's beginning is
    assert read == ([24, 24, 24, 24, 4] if in_parts else [100])


@each("length", [16, 7, 100])
def test_losses_equal_the_definition_also_under_a_mask_and_with_positions(length, tiny, text):
    model, mask, positions = build_model(tiny, "rope", text), sliding_window(length, 3), torch.arange(length) * 2 + 1
    list(islice(train(model, "rope", text, tiny), 10))
    model.double()
    plain, told = losses_by_loops(model, text.held_out[:301], length), partial(model, mask=mask, positions=positions)
    losses = position_losses(model, text.held_out[:301], length)
    assert (losses.dtype, losses.shape) == (torch.float64, (length,))
    assert losses.tolist() == pytest.approx(plain, rel=1e-12)
    losses = position_losses(model, text.held_out[:301], length, mask=mask, positions=lambda: positions)
    assert losses.tolist() == pytest.approx(losses_by_loops(told, text.held_out[:301], length), rel=1e-12)
    assert losses.tolist() != pytest.approx(plain, rel=1e-3)


@each(
    ("size", "length", "n_windows"),
    [(101, 10, 10), (100, 10, 9), (11, 10, 1), (50_000, 64, 512), (50_000, 5_000, 6)],
)
def test_the_windows_lie_side_by_side_from_the_start(size, length, n_windows):
    model, tokens = Guess(), counting(size)
    position_losses(model, tokens, length)
    assert all(batch.shape[1] == length for batch in model.asked)
    assert torch.equal(torch.cat([batch.flatten() for batch in model.asked]), tokens[: n_windows * length])


@each(("length", "n_texts"), [(64, 32), (192, 10), (512, 4), (2_048, 1), (5_000, 1)])
def test_batches_are_small_and_long_windows_come_one_by_one(length, n_texts):
    model = Guess()
    position_losses(model, counting(50_000), length)
    *whole, last = [len(batch) for batch in model.asked]
    assert set(whole) == {n_texts}
    assert last <= n_texts


def test_the_mask_is_the_same_for_every_batch_and_positions_are_asked_for_anew():
    model, mask, numbers = Guess(), sliding_window(64, 3), itertools.count()
    losses = position_losses(
        model,
        counting(10_000),
        64,
        mask=mask,
        positions=lambda: torch.arange(64) + 100 * next(numbers),
        encoding=(other := PositionalEncoding()),
    )
    assert len(losses) == 64
    assert len(model.told) == 5  # 156 windows, 32 at once
    for batch, (positions, given, encoding) in enumerate(model.told):
        assert given is mask
        assert encoding is other
        assert torch.equal(positions, torch.arange(64) + 100 * batch)


def test_texts_of_a_batch_are_told_the_same_also_where_they_are_not_read_together():
    model, numbers = Guess(), itertools.count()
    position_losses(model, counting(9_000), 512, positions=lambda: torch.arange(512) + 1_000 * next(numbers))
    assert [len(texts) for texts in model.asked] == [4, 4, 4, 4, 1]  # 17 windows, 8 in a batch
    assert [int(positions[0]) for positions, _, _ in model.told] == [0, 0, 1_000, 1_000, 2_000]


@each("training", [True, False])
def test_the_model_is_evaluated_in_evaluation_mode_and_gets_its_own_back_also_when_it_raises(training):
    model = Guess().train(training)
    position_losses(model, counting(100), 10)
    assert not any(model.modes)
    assert model.training is training
    model.forward = lambda tokens, **told: 1 / 0
    with pytest.raises(ZeroDivisionError):
        position_losses(model, counting(100), 10)
    assert model.training is training


def test_an_evaluation_leaves_weights_and_gradients_alone(tiny, text):
    model = build_model(tiny, "learned", text)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    losses = position_losses(model, text.held_out, 16)
    assert not losses.requires_grad
    assert all(weights.grad is None and weights.requires_grad for weights in model.parameters())
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


@each(
    ("losses", "mean", "last_quarter"),
    [([3.0], 3, 3), ([1.0, 2.0, 6.0], 3, 6), ([8.0, 0.0, 2.0, 6.0], 4, 6), ([9.0, 1, 2, 3, 4, 5, 6, 10], 5, 8)],
)
def test_the_summary_is_the_mean_and_the_mean_of_the_last_quarter(losses, mean, last_quarter):
    assert summarise(torch.tensor(losses, dtype=torch.float64)) == LengthLoss(len(losses), mean, last_quarter)


def two(first, last):
    return [LengthLoss(64, first, 0.0), LengthLoss(128, 9.9, 0.0), LengthLoss(512, last, 0.0)]


@each(
    ("first", "last", "expected"),
    [
        (1.0, 1.1, "holds"),
        (1.0, math.nextafter(1.1, 2), "degrades"),
        (1.0, math.nextafter(1.5, 0), "degrades"),
        (1.0, 1.5, "breaks"),
        (math.nextafter(3.0, 0), 3.0, "holds"),
        (3.0, 3.0, "not learned"),
        (math.nan, 1.0, "not learned"),
        (0.0, 0.0, "holds"),
        (0.0, 1.0, "breaks"),
    ],
)
def test_the_verdict_follows_from_first_and_last_length(first, last, expected):
    assert verdict(two(first, last), unigram_loss=3.0) == expected


def test_the_weights_of_a_run_are_counted(text):
    config = RunConfig(("none",), train_length=16, d_model=16, n_heads=2, n_layers=3, steps=50)
    vocab_size = len(text.vocabulary)
    layer = 2 * 16 + 3 * 16 * 16 + 16 * 16 + 2 * 16 * 64
    expected = vocab_size * 16 + 3 * layer + 16 + 16 * vocab_size
    *_, learned = run_encoding(replace(config, encodings=("learned",)), "learned", text)
    assert learned.n_parameters == expected + 8 * 16 * 16  # a row for each of 128 positions


def test_glances_change_nothing_of_what_a_run_brings(text):
    config = RunConfig(("rope",), 16, 16, 1, 1, 50, remap="randomised", repairs=("window",))
    plain = list(run_encoding(config, "rope", text))
    glanced = list(run_encoding(config, "rope", text, glanced=(10, 25)))
    glances = [event for event in glanced if isinstance(event, Glance)]
    assert [(one.step, one.length, one.repair) for one in glances] == [
        (step, length, repair)
        for step, repairs in ((10, ("as_trained", "window")), (25, ("as_trained",)))
        for repair in repairs
        for length in config.lengths
    ]
    rest = [event for event in glanced if not isinstance(event, Glance)]
    models = 50  # the trained model is an object of its own
    assert rest[:models] == plain[:models]
    assert rest[models + 1 :] == plain[models + 1 :]
    assert all(
        torch.equal(one, other) for one, other in zip(rest[50].parameters(), plain[50].parameters(), strict=True)
    )
