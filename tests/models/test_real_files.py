"""Files as they lie about: what is read, with what words, and what is no reason to refuse them."""

import json

import pytest

from pe_core.models import ConfigError, inspected
from tests.cases import each

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32}
HUGE = "9" * 5000


@each("text", [
    '\ufeff{"model_type":"llama"}',
    '\ufeff{"model_type":"llama"}'.encode(),
    '{"model_type":"falcon_h1","time_step_limit":[0.0,Infinity]}',
    '{"model_type":"falcon_h1","time_step_min":-Infinity,"time_step_max":NaN}',
    f'{{"model_type":"llama","vocab_size":{HUGE},"seed":-{HUGE},"scale":1e999}}',
    {"model_type": "falcon_h1", "time_step_limit": [0.0, float("inf")]},
])  # fmt: skip
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


HUNYUAN = {"model_type": "hunyuan_v1_dense", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128}
ALPHA = {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0}


def test_alpha_of_hunyuan_is_a_larger_base_at_every_length():
    found = inspected({**HUNYUAN, "rope_theta": 10_000.0, "rope_scaling": {**ALPHA, "type": "dynamic"}})
    rotation = found.groups[0].rotation
    base = 10_000 * 1000 ** (128 / 126)
    assert base == pytest.approx(11_158_840, abs=0.5)
    assert rotation.frequencies.tolist() == pytest.approx([base ** (-i / 64) for i in range(64)], rel=1e-12)
    assert rotation.beyond is None
    assert "with static NTK of alpha 1000" in found.summary
    assert any("the base is 11,158,840 at every length" in line for line in found.warnings)
    assert not any("not understood" in line or "changes nothing" in line for line in found.warnings)
    other = inspected({**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0, "alpha": 1000.0}})
    assert "rope_scaling.alpha is not understood, and ignored." in other.warnings


def test_phimoe_multiplies_by_its_own_factors():
    scaling = {"type": "longrope", "short_factor": [1.0] * 64, "long_factor": [2.0] * 64, "short_mscale": 1.243}
    scaling |= {"long_mscale": 1.25, "original_max_position_embeddings": 4096}
    config = {**LLAMA, "model_type": "phimoe", "max_position_embeddings": 131_072}
    found = inspected({**config, "rope_scaling": scaling})
    assert found.groups[0].rotation.attention_factor == pytest.approx(1.243)
    assert any("beyond by long_mscale 1.25" in line for line in found.warnings)
    assert found.groups[0].rotation.beyond is None  # its class takes the short factors at every length
    assert not any("not understood" in line for line in found.warnings)


def test_modern_bert_sees_64_tokens_on_each_side_and_itself():
    config = {"model_type": "modernbert", "local_attention": 128, "global_attn_every_n_layers": 3}
    config |= {"num_hidden_layers": 22, "max_position_embeddings": 8192}
    groups = {group.kind: group for group in inspected(config).groups}
    assert groups["sliding_attention"].window == 129
    assert groups["sliding_attention"].both_sides
    assert "seeing at most 129 tokens; a token sees as far ahead as back" in inspected(config).summary
    causal = {"model_type": "modernbert-decoder", "local_attention": 128}
    assert {group.window for group in inspected(causal).groups} == {None, 64}


def test_the_local_layers_of_gpt_neo_see_256_tokens():
    found = inspected({"model_type": "gpt_neo"})
    assert "12 of 24 layers are local, seeing at most 256 tokens" in found.summary
    assert [(group.kind, len(group.layers), group.window) for group in found.groups] == [
        ("global", 12, None),
        ("local", 12, 256),
    ]
    with pytest.raises(ConfigError, match="attention_types must say for each of 24 layers"):
        inspected({"model_type": "gpt_neo", "attention_types": [[["global"], 3]]})


def test_the_layout_is_told_once():
    found = inspected({"model_type": "deepseek_v3"})
    assert found.pairs == "neighbours"
    assert not any("neighbours or of halves" in line for line in found.unknown)
    assert inspected({"model_type": "deepseek_v3", "rope_interleave": False}).pairs == "halves"
    assert inspected({"model_type": "gpt2"}).pairs is None
    moshi = {"positional_embedding": "rope", "dim": 64, "num_heads": 4, "max_period": 96}
    assert inspected(moshi).pairs == "neighbours"
    assert {kind: inspected({"model_type": kind}).pairs for kind in ("llama", "cohere", "glm", "gptj")} == {
        "llama": "halves",
        "cohere": "neighbours",
        "glm": "neighbours",
        "gptj": "neighbours",
    }


NOPE = {"sliding_window": 4096, "num_hidden_layers": 32}


@each(("config", "layers"), [
    ({"model_type": "cohere2", "sliding_window_pattern": 4, **NOPE}, 8),
    ({"model_type": "cohere2_moe"}, None),
    ({"model_type": "exaone4", **NOPE}, 8),
    ({"model_type": "exaone_moe"}, None),
    ({"model_type": "afmoe", **NOPE}, 8),
    ({"model_type": "flint"}, None),
    ({"model_type": "kolibri1"}, None),
    ({"model_type": "muse_glimmer_text"}, None),
    ({"model_type": "muse_spark_text"}, None),
    ({"model_type": "exaone4_5", "text_config": {"model_type": "exaone4", **NOPE}}, 8),
])  # fmt: skip
def test_full_layers_that_skip_their_rotary_module_are_said_to_turn_nothing(config, layers):
    found = inspected(config)
    groups = {group.kind: group for group in found.groups}
    full = groups.pop("full_attention without RoPE")
    assert full.rotation is None
    assert layers in (None, len(full.layers))
    assert all(group.rotation is not None for group in groups.values())
    assert "full attention layers without RoPE turn nothing" in found.summary


YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768, "rope_theta": 1e6}
SILENT = {**LLAMA, "max_position_embeddings": 4096, "rope_theta": 10_000.0}


@each(("config", "words"), [
    ({**SILENT, "rope_scalling": {"type": "linear", "factor": 8.0}},
     ("rope_scalling is not read", "mean rope_scaling?")),
    ({**SILENT, "rope_teta": 5e5}, ("rope_teta is not read by this model: did you mean rope_theta?",)),
    ({**SILENT, "rope_scaling_factor": 8.0, "rope_scaling_type": "linear"},
     ("rope_scaling_factor (8.0), rope_scaling_type",)),
    ({**SILENT, "swa_rope_theta": 10_000}, ("Not read by this model", "swa_rope_theta")),
    ({**SILENT, "rope_scaling": {"type": "linear", "factr": 8.0, "factor": 2.0}}, ("factr is not", "mean factor?")),
    ({**LLAMA, "rope_theta": 1e4, "max_sequence_length": 32_768},
     ("max_sequence_length 32,768 is not read", "2,048, its own default")),
    ({**LLAMA, "rope_theta": 1e4, "max_sequence_length": 32_768}, ("is not read by this class",)),
    ({**LLAMA, "max_position_embeddings": 32_768, "rope_scaling": YARN}, ("made for 131,072", "still", "32,768")),
    ({**LLAMA, "max_position_embeddings": 16_384, "rope_scaling": {"type": "dynamic", "factor": 4.0}},
     ("If 16,384 is the raised length (4 times 4,096)",)),
    ({**SILENT, "max_position_embeddings": 1_048_576}, ("54,4", "1,048,576", "no rule scales")),
    ({**SILENT, "rope_scaling": {"type": "yarn", "rope_type": "linear", "factor": 2.0}}, ("type is ignored",)),
    ({**SILENT, "max_position_embeddings": 2**18, "torch_dtype": "bfloat16"},
     ("In bfloat16", "257", "1,537 different", "float32")),
    ({**SILENT, "max_position_embeddings": 2**21, "dtype": "float16"}, ("In float16", "2,049", "float32")),
])  # fmt: skip
def test_a_word_where_an_engineer_needs_one(config, words):
    warnings = inspected(config).warnings
    assert any(all(word in line for word in words) for line in warnings), warnings


@each("more", [
    {"routed_scaling_factor": 2.5, "position_embedding_type": "absolute", "sliding_window": None},
    {"v_head_dim": 128, "num_key_value_heads": 8, "vocab_size": 32_000, "rope_scaling": None},
    {"torch_dtype": "float32", "use_cache": True, "pretraining_tp": 1, "mlp_bias": False},
])  # fmt: skip
def test_fields_that_say_nothing_of_positions_are_passed_over(more):
    assert inspected({**SILENT, **more}).warnings == ()


KIMI = {"model_type": "kimi_k2", "max_position_embeddings": 131_072, "rope_theta": 50_000.0}
HEADS = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32}


@each(("config", "words", "warning"), [
    ({**KIMI, "architectures": ["DeepseekV3ForCausalLM"]}, ("64 of 192", "50,000"), "names DeepseekV3ForCausalLM"),
    (KIMI, ("64 of 192", "50,000"), "whose positions are like its own"),
    ({"architectures": ["LlamaForCausalLM"], **HEADS, "rope_theta": 1e4}, ("all 128",), "No model_type is given"),
    ({"model_type": "new", **HEADS, "rope_theta": 1e6}, ("1,000,000",), "because it has rope_theta, hidden_size"),
    ({"model_type": "new", **HEADS, "alibi": True}, ("ALiBi",), "because it has alibi"),
    ({"model_type": "new", "rope_parameters": {"rope_type": "axial"}}, ("2-D RoPE",), "rope_type axial"),
    ({"model_type": "baichuan", **HEADS, "model_max_length": 4096}, ("all 128", "4,096"), "read as llama"),
    ({"model_type": "baichuan", **HEADS, "hidden_size": 5120, "model_max_length": 4096}, ("ALiBi", "4,096"), "bloom"),
    ({"model_type": "chatglm", **HEADS, "kv_channels": 128, "seq_length": 8192, "rope_ratio": 500},
     ("64 of 128", "5,000,000", "8,192"), "read as glm"),
    ({"model_type": "phi-msft", "n_embd": 2048, "n_head": 32, "n_layer": 24, "n_positions": 2048, "rotary_dim": 16},
     ("16 of 64", "24 layers"), "read as phi"),
    ({"model_type": "minimax_text_01", **HEADS, "head_dim": 128, "rotary_dim": 64, "attn_type_list": [0, 1] * 16},
     ("16 full attention layers turn 64 of 128", "16 linear attention layers turn nothing"), "read as minimax_m2"),
])  # fmt: skip
def test_a_type_that_is_not_known_is_read_as_another_one_and_said_to_be_a_guess(config, words, warning):
    found = inspected(config)
    assert all(word in found.summary for word in words), found.summary
    assert any(warning in line and line.endswith("This is a guess.") for line in found.warnings), found.warnings
    assert not any("Not read" in line for line in found.warnings), found.warnings


def test_a_level_of_images_that_is_not_known_is_said_to_be():
    config = {"model_type": "llava", "text_config": {"model_type": "llama"}, "vision_config": {"model_type": "new"}}
    assert "577" not in inspected({**config, "model_type": "paligemma"}).summary
    told = inspected({**config, "model_type": "paligemma"}).unknown
    assert "what vision_config does with positions: its type is not known here" in told
