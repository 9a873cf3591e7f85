"""What a run can be told, what is refused, and what the model is given of it in training and in evaluation."""

import json
import math
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS, Shape
from pe_core.lab.experiment.evaluation import summarise
from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.settings import (
    PAPER,
    PARAMETERS,
    SIZES,
    SMALL,
    RunConfig,
    build_mask,
    build_positions,
    parse_config,
    read_config,
)
from pe_core.lab.experiment.training import build_model, train
from pe_core.masks import MASKS, sinks, sliding_window
from pe_core.positions import REMAPS
from tests.cases import each, refuses
from tests.lab.running import position_losses

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


# Defaults, what follows from them, rules, and what is refused.


def test_lengths_characters_and_shape_follow_from_the_fields():
    config = RunConfig(train_length=16, d_model=32, n_heads=2, batch_size=32)
    assert config.lengths == (16, 32, 48, 64, 96, 128)
    assert config.tokens_per_step == 32 * 16
    assert config.shape == Shape(d_model=32, n_heads=2, train_length=16, max_length=128)
    several = RunConfig(seed=3, n_seeds=3)
    assert several.seeds == (3, 4, 5)
    assert several.of_seed(4) == RunConfig(seed=4)


def test_settings_hold_every_field_but_what_is_as_ever_and_come_back_from_json():
    config = RunConfig(("rope", "none"), seed=7, repairs=("window",))
    settings = config.settings()
    assert settings.keys() == vars(config).keys() - {"layers", "max_multiple"}
    assert (settings["encodings"], settings["repairs"], settings["seed"]) == (["rope", "none"], ["window"], 7)
    for one in (config, RunConfig(layers="local : global", max_multiple=16)):
        assert read_config(json.loads(json.dumps(one.settings()))) == one


MASK_KEYS = ", ".join(key for key, spec in MASKS.items() if not spec.sees_ahead)
RULES = {  # and what they refuse
    "train_length": ("be a whole number from 16 to 256 in steps of 16", (0, 15, 17, 272, 64.0, "64")),
    "d_model": ("be a whole number from 16 to 256 in steps of 16", (0, 8, 24, 272, True)),
    "n_heads": ("be one of 1, 2, 4, 8", (0, 3, 16, 4.0, True)),
    "n_layers": ("be a whole number from 1 to 6", (0, 7, 1.5)),
    "steps": ("be a whole number from 50 to 5,000 in steps of 50", (0, 49, 75, 5_050, math.inf)),
    "batch_size": ("be one of 8, 16, 32", (0, 4, 12, 16.0, 64)),
    "peak_learning_rate": ("be one of 0.001, 0.003, 0.01, 0.03", (0, 0.02, 1, "0.01", math.nan)),
    "seed": ("be a whole number from 0 to 9,999", (-1, 10_000, 0.5, math.nan, None)),
    "n_seeds": ("be a whole number from 1 to 10", (0, 11, 1.5)),
    "tune_steps": ("be a whole number from 0 to 500 in steps of 50", (-50, 75, 550)),
    # Under a prefix a token sees the one that it is to predict.
    "mask": (f"be one of {MASK_KEYS}", ("", "Causal", "prefix", None)),
    "remap": (f"be one of {', '.join(REMAPS)}", ("", "causal", 0)),
    # What is wrong with a text: test_layers.py
    "layers": ("be empty or a pattern such as 5 local : 1 global", (5, None)),
}


@each(("name", "value"), [(name, value) for name, (_, refused) in RULES.items() for value in refused])
def test_every_parameter_has_its_rule_and_rejects_other_values(name, value):
    assert RULES.keys() == PARAMETERS.keys()
    refuses(lambda: PARAMETERS[name].check(value), f"{name} must {RULES[name][0]}, got {value}")
    if name not in WIDER or not SIZES[PAPER][name].allows(value):
        refuses(lambda: RunConfig(**{name: value}), f"{name} must {SIZES[PAPER][name].rule}, got {value}")


# What only the large size allows, and what no size does.
WIDER = {
    "train_length": (4_096, 4_112),
    "d_model": (1_024, 1_040),
    "n_heads": (16, 32),
    "n_layers": (16, 17),
    "steps": (100_000, 100_050),
    "batch_size": (512, 1_024),
    "peak_learning_rate": (0.0001, 0.00001),
    "max_multiple": (16, 32),
}


@each(("name", "allowed", "refused"), [(name, *values) for name, values in WIDER.items()])
def test_a_gpu_is_allowed_more_and_pages_and_links_are_not(name, allowed, refused):
    large = parse_config(["none"], {name: str(allowed)}, size=PAPER)
    assert (large.size, RunConfig().size) == (PAPER, SMALL)
    assert read_config(large.settings()) == large
    for value, size in ((allowed, SMALL), (refused, PAPER)):
        rule = f"{name} must {SIZES[size][name].rule}, got {str(value)!r}"
        refuses(lambda text=str(value), size=size: parse_config(["none"], {name: text}, size=size), rule)


def test_sizes_differ_in_limits_alone():
    for name, wider in SIZES[PAPER].items():
        one = SIZES[SMALL][name]
        assert (wider != one) == (name in WIDER)
        assert (wider.name, wider.default, wider.help) == (one.name, one.default, one.help)
    assert SIZES[SMALL].keys() - PARAMETERS.keys() == {"max_multiple"}  # pages have no control of it
    assert RunConfig(train_length=4_096).lengths[-1] == 32_768


def test_sixteen_training_lengths_are_read_where_a_run_is_told_so():
    large = RunConfig(("none",), train_length=2_048, max_multiple=16)
    assert large.lengths == (2_048, 4_096, 6_144, 8_192, 12_288, 16_384, 32_768)
    rule = "max_multiple must lead to texts of at most 32,768 tokens, got 65,536"
    refuses(lambda: RunConfig(("none",), train_length=4_096, max_multiple=16), rule)


def test_other_encodings_are_rejected():
    known = f"encodings must be among {', '.join(ENCODINGS)}, got bogus"
    refuses(lambda: RunConfig(()), "encodings must name at least one, got an empty list")
    refuses(lambda: RunConfig(("rope", "bogus")), known)
    refuses(lambda: RunConfig(("rope", "none", "rope")), "encodings must be different, got rope, none, rope")
    refuses(lambda: RunConfig(tuple(ENCODINGS)[:9]), "encodings must be at most 8 in one run, got 9")
