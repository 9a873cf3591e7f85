"""What a change of rule, factor and base would do, and the lines that do it."""

import json

import pytest
import torch

from pe_core.models import KNOWN, ConfigError, inspected
from pe_core.models.what_if import RULES, what_if

LLAMA = {"model_type": "llama", "max_position_embeddings": 1000, "rope_theta": 10_000.0}
TURNING = [key for key, known in KNOWN.items() if any(group.rotation for group in inspected(known.config).groups)]


def turning(config, kind):
    return next(group.rotation for group in inspected(config).groups if group.kind == kind)


@pytest.mark.parametrize("key", [key for key in TURNING if key != "gpt_j_6b"])
def test_the_lines_do_what_was_asked_and_nothing_else(key):
    config = KNOWN[key].config
    found = what_if(config, rule="default", factor=2, base=777.0)
    own = turning({**config, **found.lines}, found.kind)
    pairs = torch.arange(own.n_rotated // 2, dtype=torch.float64)
    assert torch.allclose(own.frequencies, 777.0 ** (-2 * pairs / own.n_rotated), rtol=1e-12, atol=0)
    assert own.n_rotated == found.before.n_rotated
    assert inspected({**config, **found.lines}).claimed_length == found.length == 2 * found.trained


def test_each_rule_has_its_lines():
    lines = {rule: what_if(LLAMA, rule=rule, factor=4).lines for rule in RULES}
    assert lines == {
        "default": {"rope_theta": 10_000, "rope_scaling": None, "max_position_embeddings": 4000},
        "linear": {
            "rope_theta": 10_000,
            "rope_scaling": {"rope_type": "linear", "factor": 4},
            "max_position_embeddings": 4000,
        },
        "dynamic": {
            "rope_theta": 10_000,
            "rope_scaling": {"rope_type": "dynamic", "factor": 4},
            "max_position_embeddings": 1000,
        },
        "yarn": {
            "rope_theta": 10_000,
            "rope_scaling": {
                "rope_type": "yarn",
                "factor": 4,
                "original_max_position_embeddings": 1000,
                "beta_fast": 32,
                "beta_slow": 1,
            },
            "max_position_embeddings": 4000,
        },
        "llama3": {
            "rope_theta": 10_000,
            "rope_scaling": {
                "rope_type": "llama3",
                "factor": 4,
                "original_max_position_embeddings": 1000,
                "low_freq_factor": 1,
                "high_freq_factor": 4,
            },
            "max_position_embeddings": 4000,
        },
    }


@pytest.mark.parametrize("rule", RULES)
def test_other_kinds_of_layers_stay_as_they_are(rule):
    for key, other in (("gemma_3_4b", "sliding_attention"), ("modernbert_base", "sliding_attention")):
        found = what_if(KNOWN[key].config, rule=rule, factor=4, base=5_000.0)
        assert found.kind == "full_attention"
        before, after = (turning(config, other) for config in (KNOWN[key].config, {**KNOWN[key].config, **found.lines}))
        assert torch.equal(before.frequencies, after.frequencies)


def test_the_dialect_is_that_of_the_file():
    newer = {"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 7.0}, "rope_theta": 7.0}
    lines = what_if(newer, rule="linear", factor=4, base=9.0).lines
    assert lines["rope_parameters"] == {"rope_type": "linear", "rope_theta": 9, "factor": 4}
    assert lines["rope_theta"] == 9
    older = {"model_type": "gpt_neox", "rotary_emb_base": 10_000}
    assert what_if(older, rule="linear", factor=4, base=9.0).lines["rotary_emb_base"] == 9


def test_a_fraction_that_only_the_class_knows_is_kept():
    found = what_if({"model_type": "stablelm"}, rule="yarn", factor=4)
    assert found.after.n_rotated == found.before.n_rotated == 20


def test_lines_belong_to_the_object_of_the_text():
    inner = {"model_type": "gemma3_text", "max_position_embeddings": 8192}
    found = what_if(json.dumps({"model_type": "gemma3", "text_config": inner}), rule="linear", factor=4)
    assert found.level == "text_config"
    assert inspected({**inner, **found.lines}).claimed_length == 32_768


@pytest.mark.parametrize(
    ("config", "rule", "message"),
    [
        (LLAMA, "longrope", "rule must be one of default, linear, dynamic, yarn, llama3, got longrope"),
        ({"model_type": "bloom"}, "yarn", "the model must turn pairs for another base, got one that turns nothing"),
        (
            {"model_type": "gptj"},
            "yarn",
            "the configuration must have a field for the base to be changed, got a model without one",
        ),
        (
            {"model_type": "recurrent_gemma"},
            "yarn",
            "max_position_embeddings must be given for another length, got nothing",
        ),
        (
            {"model_type": "mistral4"},
            "default",
            "the configuration must obey another rule and base, got a mistral4 that does not",
        ),
    ],
)
def test_what_cannot_be_changed_is_a_sentence(config, rule, message):
    with pytest.raises(ConfigError) as error:
        what_if(config, rule=rule, factor=4, base=777.0)
    assert str(error.value) == message
