"""What a run can be told: defaults, what follows from them, rules, and what is refused."""

import json
import math

from pe_core.encodings import ENCODINGS, Shape
from pe_core.lab.experiment.settings import PAPER, PARAMETERS, SIZES, SMALL, RunConfig, parse_config, read_config
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from tests.cases import each, refuses


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
