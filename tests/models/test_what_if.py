"""What a change of rule, factor and base would do, and the lines that do it."""

import json

import pytest
import torch

from pe_core.models import KNOWN, ConfigError, inspected
from pe_core.models.what_if import RULES, what_if
from tests.cases import each

LLAMA = {"model_type": "llama", "max_position_embeddings": 1000, "rope_theta": 10_000.0}
TURNING = [key for key, known in KNOWN.items() if any(group.rotation for group in inspected(known.config).groups)]


def turning(config, kind):
    return next(group.rotation for group in inspected(config).groups if group.kind == kind)


@each("key", [key for key in TURNING if key != "gpt_j_6b"])
def test_the_lines_do_what_was_asked_and_nothing_else(key):
    config = KNOWN[key].config
    found = what_if(config, rule="default", factor=2, base=777.0)
    own = turning({**config, **found.lines}, found.kind)
    pairs = torch.arange(own.n_rotated // 2, dtype=torch.float64)
    assert torch.allclose(own.frequencies, 777.0 ** (-2 * pairs / own.n_rotated), rtol=1e-12, atol=0)
    assert own.n_rotated == found.before.n_rotated
    assert inspected({**config, **found.lines}).claimed_length == found.length == 2 * found.trained


def test_each_rule_has_its_lines():
    lines = {rule: what_if(LLAMA, rule=rule, factor=4, long_factors=[2.0]).lines for rule in RULES}
    own = {
        "linear": {},
        "dynamic": {},
        "yarn": {"original_max_position_embeddings": 1000, "beta_fast": 32, "beta_slow": 1},
        "llama3": {"original_max_position_embeddings": 1000, "low_freq_factor": 1, "high_freq_factor": 4},
        "longrope": {"original_max_position_embeddings": 1000, "short_factor": [1] * 64, "long_factor": [2] * 64},
        "proportional": {},
    }
    expected = {
        rule: {
            "rope_theta": 10_000,
            "rope_scaling": {"rope_type": rule, "factor": 4, **more},
            "max_position_embeddings": 1000 if rule == "dynamic" else 4000,
        }
        for rule, more in own.items()
    }
    plain = {"rope_theta": 10_000, "rope_scaling": None, "max_position_embeddings": 4000}
    assert lines == {"default": plain, **expected}


def test_p_rope_turns_a_part_of_the_pairs_and_partial_rotation_a_part_of_the_channels():
    proportional = what_if(LLAMA, rule="proportional", factor=2, part=0.25)
    pairs = torch.arange(16, dtype=torch.float64)
    assert torch.allclose(proportional.after.frequencies[:16], 10_000.0 ** (-2 * pairs / 128) / 2, rtol=1e-12, atol=0)
    assert not proportional.after.frequencies[16:].any()
    assert len(proportional.after.frequencies) == 64
    partial = what_if(LLAMA, rule="linear", factor=2, part=0.25)
    assert torch.allclose(partial.after.frequencies, 10_000.0 ** (-2 * pairs / 32) / 2, rtol=1e-12, atol=0)
    assert partial.lines["rope_scaling"]["partial_rotary_factor"] == 0.25
    renamed = what_if({"model_type": "gpt_neox", "rotary_pct": 0.25}, rule="default", factor=1, part=0.5)
    assert renamed.after.n_rotated == 48
    assert renamed.lines["rotary_pct"] == 0.5


def test_longrope_takes_the_lists_of_the_file_and_a_list_that_is_told():
    short, long = [1.0 + 0.5 * i for i in range(48)], [1.0 + i for i in range(48)]
    scaling = {"type": "longrope", "short_factor": short, "long_factor": long}
    phi = {"model_type": "phi3", "max_position_embeddings": 131_072, "original_max_position_embeddings": 4096}
    phi |= {"rope_scaling": scaling}
    own = what_if(phi, rule="longrope", factor=8)
    plain = 10_000.0 ** (-torch.arange(48, dtype=torch.float64) / 48)
    assert torch.allclose(own.after.frequencies, plain / torch.tensor(short, dtype=torch.float64), rtol=1e-12, atol=0)
    assert torch.allclose(own.after.beyond, plain / torch.tensor(long, dtype=torch.float64), rtol=1e-12, atol=0)
    assert (own.length, own.lines["original_max_position_embeddings"]) == (32_768, 4096)
    told = what_if(phi, rule="longrope", factor=8, long_factors=[3.0] * 48)
    assert torch.allclose(told.after.frequencies, plain, rtol=1e-12, atol=0)
    assert torch.allclose(told.after.beyond, plain / 3, rtol=1e-12, atol=0)


def test_what_belongs_to_no_rule_stays():
    lines = what_if({"model_type": "ministral3"}, rule="default", factor=2).lines["rope_parameters"]
    assert (lines["llama_4_scaling_beta"], lines["original_max_position_embeddings"]) == (0.1, 16_384)
    older = {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [20, 22, 22]}}
    found = what_if(older, rule="yarn", factor=2)
    assert found.lines["rope_scaling"]["mrope_section"] == [20, 22, 22]
    assert torch.equal(found.after.axes, found.before.axes)


def test_layers_that_see_all_tokens_change_even_where_no_window_is_told():
    found = what_if({"model_type": "gemma4_text"}, rule="proportional", factor=2, part=0.5)
    assert found.kind == "full_attention"
    assert found.lines["rope_parameters"]["sliding_attention"]["rope_type"] == "default"


@each("rule", RULES)
def test_other_kinds_of_layers_stay_as_they_are(rule):
    for key, other in (("gemma_3_4b", "sliding_attention"), ("modernbert_base", "sliding_attention")):
        found = what_if(KNOWN[key].config, rule=rule, factor=4, base=5_000.0, long_factors=[2.0])
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


@each(("config", "rule", "message"), [
    (LLAMA, "ntk", "rule must be one of default, linear, dynamic, yarn, llama3, longrope, proportional, got ntk"),
    ({"model_type": "phi3"}, "yarn", "rule must be default or longrope: the class of a phi3 reads yarn as longrope"),
    (LLAMA, "longrope", "long_factors must be given for the rule longrope, because the file has none, got nothing"),
    ({"model_type": "bloom"}, "yarn", "the model must turn pairs for another base, got one that turns nothing"),
    ({"model_type": "gptj"},
     "yarn", "the configuration must have a field for the base to be changed, got a model without one"),
    ({"model_type": "recurrent_gemma"},
     "yarn", "max_position_embeddings must be given for another length, got nothing"),
    ({"model_type": "mistral4"},
     "default", "the configuration must obey another rule and base, got a mistral4 that does not"),
])  # fmt: skip
def test_what_cannot_be_changed_is_a_sentence(config, rule, message):
    with pytest.raises(ConfigError) as error:
        what_if(config, rule=rule, factor=4, base=777.0)
    assert str(error.value) == message


def test_a_part_that_a_model_does_not_obey_is_refused():
    with pytest.raises(ConfigError) as error:
        what_if(LLAMA, rule="default", factor=1, part=0.25)
    message = "the configuration must obey partial_rotary_factor 0.25 with this rule, got a llama that does not"
    assert str(error.value) == message
    with pytest.raises(ConfigError, match=r"long_factor must have one number per pair \(64\), got 3"):
        what_if(LLAMA, rule="longrope", factor=4, long_factors=[1.0, 2.0, 3.0])
