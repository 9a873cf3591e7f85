"""What a model answers: losses and shares by loops, what is read at once, and what length costs."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from pe_core.encodings import PositionalEncoding
from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.datasets import NOT_ASKED, Examples
from pe_core.lab.experiment.evaluation import (
    Answers,
    Glance,
    LengthLoss,
    answers,
    end_loss,
    marked,
    summarise,
)
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import measure, run_encoding
from pe_core.lab.experiment.settings import FARTHER, MULTIPLES, RunConfig, build_mask
from pe_core.lab.experiment.training import build_model
from pe_core.masks import sliding_window
from tests.cases import each
from tests.lab.running import position_losses
from tests.strategies import seeds


class ReadAtOnce(PositionalEncoding):
    """Lets no text be read in parts."""

    def check_cache(self, cached, new):
        raise ValueError("the text grows")


class Opinion(nn.Module):
    """Has made up its mind about every place, whatever it reads, or has no opinion; remembers what it was asked."""

    def __init__(self, scores=None):
        super().__init__()
        self.scores, self.device, self.encoding = scores, torch.device("cpu"), ReadAtOnce()
        self.asked, self.told, self.modes = [], [], []

    def forward(self, tokens, *, positions, mask, encoding):
        first = sum(map(len, self.asked))
        self.asked.append(tokens)
        self.told.append((positions, mask, encoding))
        self.modes.append(self.training)
        return torch.zeros(*tokens.shape, 10) if self.scores is None else self.scores[first : first + len(tokens)]


def counting(size):
    return torch.arange(size) % 10


@pytest.mark.parametrize("key", ["learned", "rope", "cope", "cable", "gemma3", "normalised", "rope_scaled"])
@pytest.mark.parametrize("mask", ["causal", "window"])
def test_a_long_text_that_is_read_in_parts_has_the_same_losses(key, mask, tiny, text, monkeypatch):
    config = replace(tiny, mask=mask)
    model = build_model(config, key, text).double()
    told = {"mask": build_mask(config, 100), "positions": lambda: torch.arange(100)}
    whole = position_losses(model, text.held_out[:301], 100, **told)
    monkeypatch.setattr(evaluation, "WHOLE", 64)
    monkeypatch.setattr(evaluation, "PART", 24)
    read = []
    model.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].shape[1]))
    torch.testing.assert_close(position_losses(model, text.held_out[:301], 100, **told), whole)
    in_parts = key not in ("normalised", "rope_scaled")  # they change what a longer text's beginning is
    assert read == ([24, 24, 24, 24, 4] if in_parts else [100])


@each(
    ("size", "length", "batches"),
    [
        (101, 10, [10]),
        (100, 10, [9]),
        (11, 10, [1]),
        (50_000, 64, [32] * 16),
        (50_000, 192, [10] * 17),
        (50_000, 512, [4] * 16),
        (50_000, 2_048, [1] * 16),
        (50_000, 5_000, [1] * 6),
    ],
)
def test_windows_lie_side_by_side_from_the_start_and_are_read_in_small_batches(size, length, batches):
    model, tokens = Opinion(), counting(size)
    position_losses(model, tokens, length)
    assert [tuple(batch.shape) for batch in model.asked] == [(n, length) for n in batches]
    assert torch.equal(torch.cat([batch.flatten() for batch in model.asked]), tokens[: sum(batches) * length])


@each(("length", "batches"), [(64, [0, 1, 2, 3, 4]), (512, [0, 0, 1, 1, 2])])
def test_the_mask_is_the_same_for_every_batch_and_positions_are_asked_for_anew(length, batches):
    """Of 17 windows of 512 tokens 8 are in a batch, of which 4 are read together."""
    model, mask, numbers = Opinion(), sliding_window(length, 3), itertools.count()
    other, told = PositionalEncoding(), lambda: torch.arange(length) + 1_000 * next(numbers)
    losses = position_losses(model, counting(9_000), length, mask=mask, positions=told, encoding=other)
    assert len(losses) == length
    for batch, (positions, seen, encoding) in zip(batches, model.told, strict=True):
        assert seen is mask
        assert encoding is other
        assert torch.equal(positions, torch.arange(length) + 1_000 * batch)


@each("training", [True, False])
def test_the_model_is_evaluated_in_evaluation_mode_and_gets_its_own_back_also_when_it_raises(training):
    model = Opinion().train(training)
    position_losses(model, counting(100), 10)
    assert not any(model.modes)
    assert model.training is training
    model.forward = lambda tokens, **told: 1 / 0
    with pytest.raises(ZeroDivisionError):
        position_losses(model, counting(100), 10)
    assert model.training is training


@each(
    ("losses", "mean", "last_quarter"),
    [([3.0], 3, 3), ([1.0, 2.0, 6.0], 3, 6), ([8.0, 0.0, 2.0, 6.0], 4, 6), ([9.0, 1, 2, 3, 4, 5, 6, 10], 5, 8)],
)
def test_the_summary_is_the_mean_and_the_mean_of_the_last_quarter(losses, mean, last_quarter):
    assert summarise(torch.tensor(losses, dtype=torch.float64)) == LengthLoss(len(losses), mean, last_quarter)


def test_glances_change_nothing_of_what_a_run_brings_and_its_weights_are_counted(text):
    config = RunConfig(("rope",), 16, 16, 1, 1, 50, remap="randomised", repairs=("window",))
    *_, whole = plain = list(run_encoding(config, "rope", text))
    layer = 2 * 16 + 3 * 16 * 16 + 16 * 16 + 2 * 16 * 64
    assert whole.n_parameters == layer + 16 + 2 * 16 * len(text.vocabulary)
    glanced = list(run_encoding(config, "rope", text, glanced=(10, 25)))
    glances = [event for event in glanced if isinstance(event, Glance)]
    assert [(one.step, one.length, one.repair) for one in glances] == [
        (step, length, repair)
        for step, repairs in ((10, ("as_trained", "window")), (25, ("as_trained",)))
        for repair in repairs
        for length in config.lengths
    ]
    rest = [event for event in glanced if not isinstance(event, Glance)]
    own, other = rest.pop(config.steps), plain.pop(config.steps)  # the trained models
    assert rest == plain
    torch.testing.assert_close(list(own.parameters()), list(other.parameters()), rtol=0, atol=0)


# Examples some of whose places are asked.


def some(seed, n, length, vocab_size):
    """Random scores, targets some of which are not asked, and that at least one is asked of each example."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(n, length, vocab_size, generator=generator, dtype=torch.float64)
    targets = torch.randint(vocab_size, (n, length), generator=generator)
    hidden = torch.rand(n, length, generator=generator) < 0.4
    hidden[:, -1] = False
    return scores, Examples(torch.zeros_like(targets), torch.where(hidden, NOT_ASKED, targets))


@given(seeds, st.integers(1, 7), st.integers(1, 6), st.integers(2, 5))
def test_answers_equal_the_definition_and_are_read_in_batches(seed, n, length, vocab_size):
    scores, examples = some(seed, n, length, vocab_size)
    model = Opinion(scores)
    with pytest.MonkeyPatch.context() as few:
        few.setattr(evaluation, "texts_at_once", lambda length: 3)
        found = answers(model, examples)
    assert list(map(len, model.asked)) == [min(3, n - first) for first in range(0, n, 3)]
    n_right, n_asked, n_whole = 0, 0, 0
    by_place = [[] for _ in range(length)]
    for example in range(n):
        whole = True
        for place in range(length):
            target = int(examples.targets[example, place])
            if target == NOT_ASKED:
                assert found.losses[example, place] == 0
                assert not found.right[example, place]
                continue
            chances = [math.exp(score) for score in scores[example, place].tolist()]
            by_place[place].append(-math.log(chances[target] / sum(chances)))
            is_right = chances[target] == max(chances)
            n_right, n_asked, whole = n_right + is_right, n_asked + 1, whole and is_right
        n_whole += whole
    assert found.losses.dtype == torch.float64
    assert found.accuracy == pytest.approx(n_right / n_asked)
    assert found.exact == pytest.approx(n_whole / n)
    means = [sum(losses) / len(losses) for losses in by_place if losses]
    assert found.by_place.tolist() == pytest.approx(means)


def test_the_marks_of_a_task_by_hand():
    losses = torch.tensor([[0.0, 4.0, 1.0, 1.0, 8.0], [0.0, 2.0, 3.0, 1.0, 4.0]], dtype=torch.float64)
    asked = torch.tensor([[False, True, True, True, True]] * 2)
    right = torch.tensor([[False, True, True, True, True], [False, True, False, True, True]])
    assert marked(Answers(losses, right, asked), 6, 2) == LengthLoss(6, 3.0, 6.0, 7 / 8, 1 / 2, 5 / 6)
    assert marked(Answers(losses, right, asked), 6, 6) == LengthLoss(6, 3.0, 6.0, 7 / 8, 1 / 2, 7 / 8)


# What length costs: the end of long windows against the same characters within the training length.


multiples = st.sampled_from(MULTIPLES)


def test_twice_the_length_by_hand():
    # L = 2, and of each window the last character counts. Eight short windows make one block.
    within = torch.tensor([[9.0, 1.0], [9.0, 2.0]] * 4, dtype=torch.float64)
    long = torch.tensor([[9.0, 9.0, 9.0, 2.5]] * 2 + [[9.0, 9.0, 9.0, 3.5]] * 2, dtype=torch.float64)
    assert end_loss(long, within, 8) == (3.0, 2.0, (1.0,))


def by_loops(losses, within, max_multiple):
    """Every character on its own, by its place in the text."""
    length, long = within.shape[1], losses.shape[1]
    n_blocks = len(within) // max_multiple
    ends, same, by_block = [], [], [[] for _ in range(n_blocks)]
    for number, window in enumerate(losses.tolist()):
        for place in range(long - length // 2, long):
            character = number * long + place
            if ((number + 1) * long - 1) // (max_multiple * length) >= n_blocks:
                continue
            ends.append(window[place])
            same.append(float(within[character // length, character % length]))
            by_block[((number + 1) * long - 1) // (max_multiple * length)].append(ends[-1] - same[-1])
    per_block = len(ends) / n_blocks
    return sum(ends) / len(ends), sum(same) / len(same), [sum(block) / per_block for block in by_block]


@given(seeds, multiples, st.sampled_from([8, FARTHER]), st.sampled_from([2, 5, 8]), st.integers(0, 300))
def test_it_equals_the_definition(seed, multiple, max_multiple, length, more):
    n_characters = 2 * max_multiple * length + more
    generator = torch.Generator().manual_seed(seed)
    within, long = (
        torch.rand(n_characters // size, size, generator=generator, dtype=torch.float64)
        for size in (length, multiple * length)
    )
    *found, found_blocks = end_loss(long, within, max_multiple)
    *expected, blocks = by_loops(long, within, max_multiple)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found_blocks == pytest.approx(blocks, abs=1e-12)
    assert sum(blocks) / len(blocks) == pytest.approx(found[0] - found[1], abs=1e-12)


CONFIG = RunConfig(("rope",), 16, 16, n_heads=2, n_layers=1, steps=50, tune_steps=50, repairs=("window",))


@pytest.fixture(scope="module")
def run(text):
    """The trained model and the outcome of a run that was measured on two blocks of a text."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pe_core.lab.experiment.datasets.Corpus.n_held_out", 256)
        events = list(run_encoding(CONFIG, "rope", text))
        yield events[CONFIG.steps], events[-1], text


def test_an_outcome_has_it_at_every_length(run):
    model, outcome, text = run
    within = measure(model, CONFIG, text, 16).losses
    assert not within.requires_grad
    for one in outcome.lengths:
        end, same, blocks = by_loops(measure(model, CONFIG, text, one.length).losses, within, 8)
        assert (one.end, one.within) == (pytest.approx(end, abs=1e-12), pytest.approx(same, abs=1e-12))
        assert one.blocks == pytest.approx(blocks, abs=1e-12)
    first = outcome.lengths[0]
    assert (first.end, first.blocks) == (first.within, (0.0, 0.0))
    assert first.end != first.loss  # of the second half of the windows only


def test_repairs_and_fine_tuned_models_are_held_against_the_model_as_trained(run):
    model, outcome, text = run
    within = [one.within for one in outcome.lengths]
    others = {**outcome.repaired, **{f"{key}, fine-tuned": one for key, one in outcome.tuned.items()}}
    assert list(others) == ["window", "as_trained, fine-tuned", "window, fine-tuned"]
    for one in others.values():
        assert [each.within for each in one.lengths] == within
    found, window = measure(model, CONFIG, text, 128, named("window")), outcome.repaired["window"]
    assert window.lengths[-1].end == pytest.approx(float(found.losses[:, -8:].mean()), abs=1e-12)
    assert window.positions == tuple(found.by_place.tolist())
    assert window.lengths[0].loss == pytest.approx(outcome.lengths[0].loss, rel=1e-4)
    assert window.lengths[-1].loss != pytest.approx(outcome.lengths[-1].loss, rel=1e-4)
    own = outcome.tuned[AS_TRAINED.key].lengths
    assert own[0].end != own[0].within  # what the model has learned since counts
