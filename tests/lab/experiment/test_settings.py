"""Masks and remaps on their way into a run: what the model is given in training and in evaluation."""

import math
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.evaluation import position_losses, summarise
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import RunConfig, build_mask, build_positions
from pe_core.lab.experiment.training import build_model, train
from pe_core.masks import MASKS, sinks, sliding_window
from pe_core.positions import REMAPS
from tests.cases import each

CHANGES = [{"mask": key} for key, spec in MASKS.items() if not spec.sees_ahead] + [{"remap": key} for key in REMAPS]

every_change = each("change", CHANGES)


def told(config, corpus, n_steps=5):
    """The tokens, positions and masks that a model gets in its first steps."""
    model, given = build_model(config, "sinusoidal", corpus), []
    model.register_forward_pre_hook(
        lambda _, inputs, named: given.append({"tokens": inputs[0], **named}), with_kwargs=True
    )
    list(islice(train(model, "sinusoidal", corpus, config), n_steps))
    return {name: [step[name] for step in given] for name in given[0]}


def losses(config, corpus):
    """The losses of the first steps, after which runs that differ have other ones."""
    steps = train(build_model(config, "sinusoidal", corpus), "sinusoidal", corpus, config)
    return [step.loss for step in islice(steps, 12)]


def test_a_causal_mask_is_left_to_the_kernel_and_another_is_built_once(tiny, text):
    assert told(tiny, text)["mask"] == [None] * 5
    assert build_mask(replace(tiny, mask="lambda"), 16) is None  # nothing to leave out at the training length
    assert torch.equal(build_mask(replace(tiny, mask="lambda"), 32), sinks(32, 16, 1))
    given = told(replace(tiny, mask="window"), text)["mask"]
    assert torch.equal(given[0], sliding_window(16, 8))
    assert all(mask is given[0] for mask in given)


@each("remap", ["shape", "randomised"])
def test_random_positions_are_drawn_anew_at_each_step_and_repeat_with_the_seed(remap, tiny, text):
    config = replace(tiny, remap=remap)
    first, again, other = (
        [positions.tolist() for positions in told(replace(config, seed=seed), text)["positions"]] for seed in (3, 3, 4)
    )
    assert len(set(map(tuple, first))) == 5
    assert first == again
    assert first != other
    assert max(map(max, first)) < 128


@every_change
def test_masks_and_remaps_change_neither_batches_nor_weights(change, tiny, text):
    config = replace(tiny, **change)
    torch.testing.assert_close(told(config, text)["tokens"], told(tiny, text)["tokens"], rtol=0, atol=0)
    own, plain = (dict(build_model(one, "sinusoidal", text).state_dict()) for one in (config, tiny))
    torch.testing.assert_close(own, plain, rtol=0, atol=0)


def test_a_remap_changes_training_where_its_entry_says_so_and_repeats_whatever_the_global_seed(tiny, text):
    usual = losses(tiny, text)
    for remap, spec in REMAPS.items():
        config = replace(tiny, remap=remap)
        torch.manual_seed(1)
        first = losses(config, text)
        torch.manual_seed(2)
        assert losses(config, text) == first, remap
        assert (first == usual) == (remap == "consecutive" or not spec.in_training), remap


def test_positions_know_training_length_and_longest_length(tiny):
    config, generator = replace(tiny, remap="interpolated"), torch.Generator()
    pressed = build_positions(config, 128, generator, training=False)
    assert pressed.tolist() == [place / 8 for place in range(128)]
    assert build_positions(config, 128, generator, training=True).tolist() == list(range(128))


@every_change
def test_a_run_is_measured_under_its_mask_and_with_its_positions(change, tiny, text):
    config = replace(tiny, **change)
    *events, outcome = run_encoding(config, "sinusoidal", text)
    model = events[config.steps]
    assert all(math.isfinite(event.loss) for event in events[: config.steps])
    for measured in outcome.lengths:
        generator = torch.Generator().manual_seed(config.seed)
        told = partial(build_positions, config, measured.length, generator, training=False)
        mask = build_mask(config, measured.length)
        whole = replace(measured, end=None, within=None, blocks=())
        assert whole == summarise(position_losses(model, text.held_out, measured.length, mask=mask, positions=told))
    plain = summarise(position_losses(model, text.held_out, 128))
    applies = change in ({"mask": "causal"}, {"remap": "consecutive"}, {"remap": "shape"})
    whole = replace(outcome.lengths[-1], end=None, within=None, blocks=())
    assert (whole == plain) == (applies or change == {"remap": "randomised"})  # all of 0 .. 127
    if change == {"remap": "randomised"}:
        assert outcome.lengths[2].loss != summarise(position_losses(model, text.held_out, 48)).loss


@each("key", ["learned", "binary", "shaw"])
def test_a_remap_that_an_encoding_cannot_take_is_refused_before_anything_is_trained(key):
    message = rf"^remap must suit {ENCODINGS[key].title}, got interpolated: .+ must be whole"
    with pytest.raises(ValueError, match=message):
        RunConfig((key,), remap="interpolated")
