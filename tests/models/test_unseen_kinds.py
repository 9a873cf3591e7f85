"""Kinds of files that the reader had wrong or did not know, each as a small configuration with its right reading."""

import json

import pytest
import torch

from pe_core.models import inspected
from pe_core.models.at_length import at_length
from pe_core.models.layers import OLDER
from pe_core.models.reading import parsed
from pe_core.models.unread import distinct
from tests.cases import each

HEADS = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1e4}


def turning(config):
    """Return the numbers of the layers that turn."""
    groups = inspected(config).groups
    return sorted(layer for group in groups if group.rotation is not None for layer in group.layers)


@each(
    ("config", "layers"),
    [
        ({"model_type": "mllama_text_model", "num_hidden_layers": 5, "cross_attention_layers": [1, 3]}, [0, 2, 4]),
        (
            {"model_type": "recurrent_gemma", "num_hidden_layers": 7, "block_types": ["recurrent", "attention"]},
            [1, 3, 5],
        ),
        ({"model_type": "cohere2_moe", "num_hidden_layers": 5, "first_k_dense_replace": 1}, [0, 1, 2, 3]),
        (
            {
                "model_type": "cohere2_moe",
                "num_hidden_layers": 5,
                "first_k_dense_replace": 1,
                "prefix_dense_sliding_window_pattern": 2,
            },
            [0, 1, 2, 3],
        ),
        (
            {
                "model_type": "cohere2_moe",
                "num_hidden_layers": 2,
                "layer_types": ["full_attention"] * 2,
                "mlp_layer_types": ["dense", "sparse"],
            },
            [0],
        ),
        ({"model_type": "minimax_m1", "num_hidden_layers": 3, "head_dim": 16, "attn_type_list": [0, 0, 1]}, [2]),
    ],
)
def test_which_layers_turn(config, layers):
    assert turning({**HEADS, **config}) == layers


LONG = {"long_factor": [2.0] * 8, "short_factor": [1.0] * 8}


@each(
    ("config", "expected"),
    [
        ({"model_type": "minimax_m3", "head_dim": 16, "partial_rotary_factor": 0.5}, ("rope", 8)),
        ({"model_type": "minicpmv", "patch_size": 14, "vision_config": {}}, ("rope", 16)),
        ({"model_type": "glm_moe_dsa", "layer_types": ["deepseek_sparse_attention"] * 2}, ("rope", 64)),
        (
            {
                "model_type": "phi3_v",
                "rope_scaling": {**LONG, "type": "su"},
                "original_max_position_embeddings": 100,
                "max_position_embeddings": 800,
            },
            ("rope", 16),
        ),
        ({"model_type": "rwkv5"}, ("none", None)),
    ],
)
def test_what_real_files_showed(config, expected):
    found = inspected({**HEADS, "num_hidden_layers": 2, **config})
    turned = [group.rotation.n_rotated for group in found.groups if group.rotation is not None]
    assert (found.mechanism, *(turned or [None])) == expected


def test_the_window_of_mimo_counts_the_tokens_before_the_query():
    from transformers import AutoConfig  # here: it takes nearly a second, and most processes need none

    config = {"model_type": "mimo_v2_flash", "sliding_window": 128, "sliding_window_size": 128}
    made = AutoConfig.for_model(**config)
    assert {group.window for group in inspected(config).groups} == {None, 129} == {None, made.sliding_window}


def test_a_window_that_the_class_does_not_know_is_not_read():
    found = inspected({**HEADS, "model_type": "llama", "num_hidden_layers": 2, "sliding_window": 64})
    assert [group.window for group in found.groups] == [None]
    assert any("Not read" in line and "sliding_window" in line for line in found.warnings)


def test_older_names_of_kinds_of_layers_are_those_of_transformers():
    from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP

    assert OLDER.items() <= _LEGACY_LAYER_TYPE_REMAP.items()


def test_a_window_on_both_sides_of_embedding_gemma():
    found = inspected({"model_type": "gemma3_text", "use_bidirectional_attention": True, "sliding_window": 512})
    assert {group.window for group in found.groups} == {None, 513}
    assert all(group.both_sides for group in found.groups)


@each(
    ("config", "words"),
    [
        ({"model_type": "dbrx", "attn_config": {"rope_theta": 5e5}}, ("attn_config.rope_theta", "500000")),
        ({**HEADS, "model_type": "llama", "compress_pos_emb": 4}, ("Not read", "compress_pos_emb")),
        ({**HEADS, "model_type": "skywork", "rope_scaling": {"type": "ntk", "factor": 2.0}}, ("ntk", "own code")),
        ({**HEADS, "model_type": "phi3small", "blocksparse_block_size": 64}, ("blocksparse", "that model alone")),
        ({**HEADS, "model_type": "chatglm", "position_encoding_2d": True}, ("position_encoding_2d", "alone")),
        ({"model_type": "bert", "auto_map": {}, "position_embedding_type": "alibi"}, ("bloom", "guess")),
        ({**HEADS, "model_type": "nemotron-nas", "block_configs": [{}]}, ("block_configs", "no attention")),
        ({**HEADS, "model_type": "qwen", "use_dynamic_ntk": True}, ("seq_length", "the trained length")),
        ({"architectures": ["BertForMaskedLM"]}, ("bert", "architectures", "guess")),
    ],
)
def test_what_has_to_be_said(config, words):
    warnings = inspected(config).warnings
    assert any(all(word in line for word in words) for line in warnings), warnings


@each(
    ("config", "words"),
    [
        ({"model_type": "big_bird"}, ("block of 64", "3 random")),
        ({"model_type": "longt5"}, ("32 buckets", "127 others on each side")),
        ({"model_type": "layoutlmv3"}, ("510 positions", "1,024 places", "biases of distances")),
        ({"model_type": "led"}, ("16,384", "1,024")),
        ({"model_type": "speech_to_text"}, ("6,000 frames", "1,024 tokens")),
        ({"model_type": "funnel"}, ("sinusoids of distances",)),
        ({"model_type": "transfo-xl"}, ("sinusoids of distances",)),
        ({**HEADS, "model_type": "fuyu", "patch_size": 30}, ("persimmon", "RoPE")),
        ({"model_type": "hf_olmo", "d_model": 64, "n_heads": 4, "n_layers": 2}, ("all 2 layers", "16 channels")),
        ({"model_type": "llava_llama", **HEADS}, ("llama", "16 channels")),
        (
            {"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text"}, "vision_config": {}},
            ("2,304", "2-D RoPE"),
        ),
    ],
)
def test_what_the_sentence_says(config, words):
    summary = inspected(config).summary
    assert all(word in summary for word in words), summary


def of_class(name, settings):
    """The model of transformers, which is loaded here: it takes nearly a second, and most processes need none."""
    from transformers import AutoConfig, AutoModel

    return AutoModel.from_config(AutoConfig.for_model(name, **settings)).eval()


N = 16
PAIR = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
PAIR |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "vocab_size": 50, "max_position_embeddings": N}


@each("name", ["marian", "pegasus", "m2m_100", "nllb-moe"])
def test_sinusoids_behind_their_length_as_the_classes_are_run(name):
    model = of_class(name, {**PAIR, "pad_token_id": 1, "decoder_start_token_id": 2})
    found = inspected({"model_type": name, **PAIR})
    tokens = torch.full((1, N + 1), 7)
    model(input_ids=tokens[:, :N], decoder_input_ids=tokens[:, :N])
    answer = at_length(found, N + 1)[0]
    if "does not fit" in answer:
        with pytest.raises(IndexError):
            model(input_ids=tokens, decoder_input_ids=tokens)
    else:
        assert "No table ends" in answer
        model(input_ids=tokens, decoder_input_ids=tokens)


TINY = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
CONVOLVED = {**TINY, "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2}


@each(
    ("name", "settings"),
    [
        ("xlnet", {"vocab_size": 50, "d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 16}),
        ("xglm", {"vocab_size": 50, "d_model": 16, "ffn_dim": 16, "num_layers": 1, "attention_heads": 2}),
        ("wav2vec2", CONVOLVED),
        ("hubert", CONVOLVED),
    ],
)
def test_classes_without_a_table_read_more(name, settings):
    length = {"max_position_embeddings": N} if name == "xglm" else {}
    model = of_class(name, {**settings, **length})
    model(torch.full((1, 4 * N), 7) if "vocab_size" in settings else torch.randn(1, 4 * 400 * N))
    assert at_length(inspected({"model_type": name, **settings, **length}), 4 * N)[0].startswith("No table ends")


def test_distinct_positions_of_a_format():
    for length in (1, 200, 257, 1000, 5000, 2**18):
        for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
            numbers = torch.arange(length).to(dtype).unique()
            assert distinct(name, length) == pytest.approx(len(numbers), abs=1)  # the last may be rounded up


@each(
    ("config", "mechanism", "length"),
    [
        ({"model_type": "yuan", **HEADS, "max_position_embeddings": 8192}, "rope", 8192),
        ({"model_type": "llava", **HEADS, "max_position_embeddings": 4096}, "rope", 4096),
        ({"model_type": "delta_net", "hidden_size": 64, "num_heads": 4}, "none", None),
        ({"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 1024}, "learned", 1024),
        (
            {
                "model_type": "nomic_bert",
                "n_embd": 64,
                "n_head": 4,
                "n_layer": 2,
                "n_positions": 8192,
                "rotary_emb_base": 500.0,
            },
            "rope",
            8192,
        ),
    ],
)
def test_older_names_of_a_model_are_read_as_a_guess(config, mechanism, length):
    found = inspected(config)
    assert (found.mechanism, found.claimed_length) == (mechanism, length)
    assert "guess" in " ".join(found.warnings)
    assert all(group.rotation.base == config.get("rotary_emb_base", 1e4) for group in found.groups if group.rotation)


def test_glm5_next_has_no_positional_encoding():
    text = {"model_type": "glm5_next_text", "hidden_size": 64, "num_attention_heads": 4, "qk_rope_head_dim": 0}
    assert inspected({"model_type": "glm5_next", "text_config": text}).mechanism == "none"


def test_an_unknown_model_with_latents_turns_its_part_of_a_head():
    found = inspected({"model_type": "unheard", **HEADS, "head_dim": 32, "qk_rope_head_dim": 8})
    assert {group.rotation.n_rotated for group in found.groups} == {8}


@each(
    ("fields", "told"),
    [
        ({**HEADS, "mla_use_nope": True}, "mla_use_nope says that no layer turns"),
        ({"dim": 64, "n_heads": 4, "rope_theta": 1e4}, "dim and n_heads are Meta's names"),
    ],
)
def test_what_another_code_obeys_is_said(fields, told):
    assert told in " ".join(inspected({"model_type": "llama", **fields}).warnings)


def test_a_field_that_transformers_writes_itself_is_no_misspelling():
    config = {"model_type": "gemma3_text", "num_hidden_layers": 1, "layer_types": ["full_attention"]}
    assert "_sliding" not in " ".join(inspected({**config, "_sliding_window_pattern": 6}).warnings)


def test_a_long_list_of_quantised_layers_is_read_over():
    layers = {f"model.layers.{i}.experts.{j}.up": {"bits": 4} for i in range(100) for j in range(600)}
    text = json.dumps({"model_type": "llama", **HEADS, "quantization_config": {"layers": layers}})
    assert len(text) > 2_400_000
    assert {group.rotation.n_rotated for group in inspected(text).groups} == {16}
    assert "quantization_config" not in parsed(text)
