"""Files as they lie about: what is read, with what words, and what is no reason to refuse them."""

import json

import pytest

from pe_core.models import ConfigError, inspected
from tests.cases import each

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32}
HUGE = "9" * 5000


@each(
    "text",
    [
        '\ufeff{"model_type":"llama"}',
        '\ufeff{"model_type":"llama"}'.encode(),
        '{"model_type":"bamba","time_step_limit":[0.0,Infinity]}',
        '{"model_type":"bamba","time_step_min":-Infinity,"time_step_max":NaN}',
        f'{{"model_type":"llama","vocab_size":{HUGE},"seed":-{HUGE},"scale":1e999}}',
        {"model_type": "bamba", "time_step_limit": [0.0, float("inf")]},
    ],
)
def test_numbers_that_say_nothing_of_positions_and_a_byte_order_mark_are_no_reason_to_refuse(text):
    assert inspected(text).mechanism == "rope"


@each("field", ["rope_theta", "head_dim", "max_position_embeddings", "num_hidden_layers"])
def test_such_a_number_is_refused_where_it_counts(field):
    for number in ("Infinity", "NaN", HUGE):
        with pytest.raises(ConfigError, match=f"^{field} must be "):
            inspected(f'{{"model_type":"llama","{field}":{number}}}')


def test_equal_betas_make_a_step():
    scaling = {"type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "mscale": 1.0}
    scaling |= {"beta_fast": 1.0, "beta_slow": 1.0, "mscale_all_dim": 1.0}
    kimi = {"model_type": "deepseek_v3", "max_position_embeddings": 131_072, "rope_theta": 50_000.0}
    (group,) = inspected({**kimi, "qk_rope_head_dim": 64, "rope_scaling": scaling}).groups
    found = group.rotation.frequencies.tolist()
    assert found[:3] == pytest.approx([1, 0.7131, 0.5085], abs=5e-5)  # as transformers 5.23 builds them
    assert found[-1] == pytest.approx(8.764e-7, rel=1e-3)


def test_an_odd_head_is_read_where_transformers_builds_it():
    found = inspected({"model_type": "qwen3_omni_moe_text"})  # 2048 / 28 = 73
    assert found.groups[0].rotation.frequencies.shape == (37,)
    assert found.groups[0].rotation.n_rotated == 73
    assert any("73 channels has no partner" in line for line in found.warnings)
    with pytest.raises(ConfigError, match="head_dim must be even where all channels turn, got 127"):
        inspected({**LLAMA, "head_dim": 127})


def test_of_two_levels_the_one_is_read_that_says_what_its_fields_mean():
    inner = {"model_type": "qwen2", "rope_theta": 1e6}
    for text in ({}, {"rope_theta": 5.0}, {"model_type": "qwen2", "rope_theta": 1e6}):
        config = {"model_type": "internvl_chat", "text_config": text, "llm_config": inner}
        assert inspected(json.dumps(config)).groups[0].rotation.base == 1e6
