"""What the inspector says of a configuration is said in Chinese: no English word is left but names."""

import re
from collections.abc import Iterator

import pytest

from pe_core.models import ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.classes import CLASSES
from pe_core.models.diffusers import DIFFUSERS
from pe_core.models.layers import KINDS
from pe_core.models.others import OTHERS
from pe_core.models.own_code import OWN_CODE
from pe_core.models.retired import RETIRED
from pe_core.models.rotation import RULES
from pe_core.translation import CONTENT, speaking
from tests.cases import each

# Values in quotes; fields and types, which have an underscore, a dot or a digit.
NO_WORD = re.compile(r'"[^"]*"|[\w.-]*[_.\d][\w.-]*')
WORD = re.compile(r"\b[a-z]{4,}\b")
NAMES = {
    *(CONTENT / "zh/latin.txt").read_text(encoding="utf-8").split(),
    *RULES,
    *(word for kind in (*CLASSES, *OTHERS, *OWN_CODE) for word in kind.split("-")),
    *(kind for model in CLASSES.values() for kind in model.rope),  # as a file names them
}
LENGTHS = (16, 2048, 10_000_000)
HEADS = {"hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4}


def left(english: str) -> list[str]:
    """Return the English words that stay in the Chinese of a sentence; all of it where it stays as it is."""
    said = speaking("zh")(english)
    words = WORD.findall(NO_WORD.sub(" ", said))
    return [english] if said == english else [word for word in words if word not in NAMES]


def sentences(config: dict[str, object]) -> Iterator[str]:
    """Yield what is said of a configuration, and of texts of some lengths."""
    found = inspected(config)
    yield from (found.summary, *found.warnings, *found.unknown)
    for length in LENGTHS:
        yield from at_length(found, length)


def test_every_sentence_on_the_defaults_of_a_class_is_said_in_chinese():
    told = {line for kind in (*CLASSES, *OTHERS, *RETIRED) for line in sentences({"model_type": kind})}
    assert len(told) > 500
    assert not {line: words for line in told if (words := left(line))}


def test_every_sentence_on_a_class_of_diffusers_is_said_in_chinese():
    settings = {"patch_size": 2, "sample_size": 64, "use_rotary_positional_embeddings": True}
    for more in ({}, {"use_learned_positional_embeddings": True, "interpolation_scale": 1}):
        told = {line for name in DIFFUSERS for line in sentences({"_class_name": name, **settings, **more})}
        assert not {line: words for line in told if (words := left(line))}


@each(
    "config",
    [
        {**HEADS, "model_type": "llama", "max_position_embeddings": 2**18, "torch_dtype": "bfloat16"},
        {**HEADS, "model_type": "mllama_text_model", "num_hidden_layers": 5, "cross_attention_layers": [1, 3]},
        {"model_type": "recurrent_gemma", "num_hidden_layers": 7, "block_types": ["recurrent", "attention"]},
        {"model_type": "longt5", "encoder_attention_type": "transient-global"},
        {"model_type": "qwen2_vl_text", "use_sliding_window": True, "max_window_layers": 0},
        {"model_type": "dbrx", "attn_config": {"rope_theta": 5e5}},
        {**HEADS, "model_type": "skywork", "rope_scaling": {"type": "ntk", "factor": 2.0}},
        {**HEADS, "model_type": "phi3small", "blocksparse_block_size": 64},
        {**HEADS, "model_type": "chatglm", "position_encoding_2d": True},
        {"model_type": "bert", "auto_map": {}, "position_embedding_type": "alibi"},
        {"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text"}, "vision_config": {}},
        {**HEADS, "model_type": "llama", "rope_scaling": {"rope_type": "yarn", "factor": 1.0}},
        {**HEADS, "model_type": "qwen3", "num_hidden_layers": 1, "layer_types": ["sliding_attention"]},
        {"model_type": "qwen2_5_vl_vision", "fullatt_block_indexes": []},
        {"model_type": "pixtral", "image_size": 64},
        {"model_type": "sam_vision_model", "global_attn_indexes": []},
        {"model_type": "vitdet", "window_block_indices": [0], "window_size": 14},
        {"model_type": "aimv2_vision_model", "is_native": True},
        {"model_type": "distilbert", "sinusoidal_pos_embds": True},
        {"model_type": "xlnet", "clamp_len": 9},
        {"model_type": "roformer", "rotary_value": True},
        {"model_type": "zamba2", "use_mem_rope": True},
        {"model_type": "esm", "position_embedding_type": "rotary"},
        {"model_type": "seamless_m4t_v2", "speech_encoder_left_chunk_num": -1},
        {**HEADS, "model_type": "git", "architectures": ["OwnForCausalLM"]},
        {**HEADS, "model_type": "deepseek_v2", "use_mla": False},
        {"model_type": "informer", "prediction_length": 24},
        {"model_type": "own", **HEADS, "vision_config": {"model_name": "deeplip_b_l"}},
        {"model_type": "own", **HEADS, "own_config": {"model_type": "own", **HEADS}},
        {"model_type": "llama_bidirec", **HEADS},
        {"model_type": "own", **HEADS, **{f"part{i}_config": {"model_type": "own"} for i in range(200)}},
        {"model_type": "gemma4_text", "use_bidirectional_attention": "vision"},
        {"model_type": "own", **HEADS, "rope_scaling": {"mrope_section": [2, 3, 3]}},
        {"model": "xtts", "model_args": {}},
        {"model": "vits", "model_args": {}},
        {"encoder": "transformer", "encoder_conf": {}, "decoder": "transformer"},
        {"input_patch_len": 32, "model_dims": 64},
        {"model_type": "patchtst", "positional_encoding_type": "random"},
        {"model_type": "timesfm", "use_positional_embedding": True},
        {"model_type": "mask2former"},
        {"model_type": "nezha"},
        {"model_type": "enformer"},
        {"model_type": "hyenadna"},
        {"model_type": "bert", "add_cross_attention": True},
        {"emb_size": 64, "heads_num": 4, "embedding": ["speech", "sinusoidalpos"], "tgt_embedding": ["pos"]},
        {"n_audio_ctx": 50, "n_text_ctx": 20},
        {"model": {"hidden_channels": 64, "filter_channels": 128, "n_heads": 4, "window_size": 4}},
        {"image_resolution": 32, "vision_patch_size": 8, "vision_width": 64},
        {"self_attention_model": "abs_pos", "att_context_size": [8, 2]},
        {"encoder_type": "transformer", "max_relative_positions": 20, "position_encoding": True, "rnn_size": 64},
        {"vision_cfg": {"width": 64, "rope": True}, "text_cfg": {"width": 64}},
        {"seed": 1, "own_part": {"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 96}},
        {"model_type": "own", **HEADS, "vision_tower": "openai/clip-vit-base-patch16"},
        {"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "max_trained_positions": 8, "n_positions": 96},
        {"model_type": "pegasus_x", "stagger_local_blocks": False},
        {"model_type": "olmo3", "rope_theta": 777.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
        {"model_type": "glmasr", "lm_config": {"model_type": "llama"}, "whisper_config": {"model_type": "whisper"}},
        {"model_type": "mega", "relative_positional_bias": "simple"},
        {"model_type": "mega", "use_chunking": True, "chunk_size": 32},
        {"d_model": 128, "num_layers": 2, "max_seq_len": 96, "patch_sizes": [8, 16], "scaling": True},
        {"d_model": 64, "n_layer": 2, "attn_layer_idx": [1], "attn_cfg": {"num_heads": 4, "rotary_emb_dim": 8}},
        {"d_model": 64, "n_layer": 2, "attn_layer_idx": [1], "attn_cfg": {"num_heads": 4, "rotary_emb_dim": 16}},
        {"d_model": 64, "n_layer": 2, "attn_layer_idx": [0, 1], "attn_cfg": {"num_heads": 4}},
        {"t5_config": {"d_model": 64}, "seq_len": 96, "patch_len": 8},
        {"_class_name": "WanModel", "dim": 64, "num_heads": 2},
        {"n_layer": 3, "n_embd_per_head": 16, "n_head": 2, "max_context_length": 96, "lags_seq": ["D"]},
        {"embsize": 64, "nheads": 4, "nlayers": 2},
        {"vit_hidden_dim": 96, "lm_hidden_dim": 64, "lm_n_heads": 4},
        {"_class_name": "HunyuanDiT2DModel"},
        {"model": {"encoder": {}, "decoder": {}, "rope_max_timescale": 500}, "data": {}},
        {"text_config": {"model_type": "llama"}, "skip_audio_tower": True, "audio_encoder_config": {"d_model": 8}},
        {"model_type": "bailing_moe_linear", **HEADS, "layer_group_size": 5},
        {"model_type": "phi3small", **HEADS, "dense_attention_every_n_layers": 2, "blocksparse_num_local_blocks": 16}
        | {"blocksparse_vert_stride": 8},
        {"model_type": "retnet", "hidden_size": 64, "num_heads": 4},
        {"model_type": "retnet", "decoder_embed_dim": 64, "decoder_retention_heads": 4},
        {"model_type": "esm", "position_embedding_type": "rotary", "esmfold_config": {}},
        {"text_cfg": {"embed_cls": True, "context_length": 76}, "vision_cfg": {}, "multimodal_cfg": {}},
        {"n_obs_steps": 1, "input_features": {}, "type": "act"},
        {"n_obs_steps": 1, "input_features": {}, "type": "diffusion"},
        {"dim": 64, "n_heads": 4, "kv_lora_rank": 32, "qk_rope_head_dim": 16},
        {"model_type": "moshi", "depth_decoder_config": {}},
        {"model_type": "nezha", "own_position_width": 8},
        {**HEADS, "initial_context_length": 48, "rope_scaling_factor": 4.0},
        {"conv_pos": 9, "conv_pos_groups": 3, "encoder_embed_dim": 96, "relative_position_embedding": True},
        {"encoder": "SANMEncoder", "encoder_conf": {"kernel_size": 7}},
        {"model_type": "step1", "num_attention_heads": 6, "max_seq_len": 96},
        {"embed_dim": 64, "num_heads": 4, "num_layers": 4, "spacewise_every_n_layers": 4},
        {"architectures": ["Chronos2Model"], "d_model": 64, "num_heads": 4, "rope_theta": 5e2, "chronos_config": {}},
        {"encoder": {"self_attention_model": "abs_pos"}, "transf_decoder": {"config_dict": {}}},
        {"architecture": "eva02_base_patch8_32", "input_size": [3, 32, 32]},
        {"model_type": "own", **HEADS, "n_fast_layer": 3},
        {"type_vocab_size": 2, "hidden_size": 62, "num_attention_heads": 4, "max_position_embeddings": 96},
        {"model_type": "llava", **HEADS},
        {"model_type": "deepseek_v32", "index_n_heads": 3, "index_head_dim": 16},
    ],
)
def test_what_other_settings_bring_is_said_in_chinese(config):
    own = {str(config.get("model_type")), "alibi"}
    assert not {line: words for line in sentences(config) if (words := set(left(line)) - own)}


@each(
    "config",
    [
        {"model_type": "llama4_text", "no_rope_layers": 3},
        {"model_type": "llama4_text", "no_rope_layers": [1]},
        {"model_type": "recurrent_gemma", "block_types": ["x"]},
        {"model_type": "mllama_text_model", "cross_attention_layers": [100]},
        {"model_type": "gemma3_text", "num_hidden_layers": 1, "layer_types": ["x"]},
        {"model_type": "mellum", "rope_parameters": {"rope_theta": 1e4}},
        {"model_type": "mellum", "rope_scaling": {"rope_type": "linear"}},
        {"model_type": "qwen2_vl_text", "rope_parameters": {"rope_type": "default", "mrope_section": "16"}},
        {"model_type": "gptj", "rotary_dim": 63},
        {"model_type": "sam_vision_model", "global_attn_indexes": [-1]},
        {"model_type": "sam2_hiera_det_model", "window_size_per_stage": []},
        {"model_type": "tapas", "type_vocab_sizes": []},
        {"model_type": "pixtral", "hidden_size": 8, "num_attention_heads": 8},
        {"model_type": "patchtst", "positional_encoding_type": "x"},
        {"model_type": "roformer", "hidden_size": 12},
        {"model_type": "phi3", "rope_scaling": {"type": "su"}},
        {"model_type": "lfm2", "full_attn_idxs": "2"},
        {"model_type": "deepseek_v4", "compress_ratios": [3]},
        {"model_type": "wav2vec2-bert", "position_embeddings_type": "x"},
    ],
)
def test_what_is_refused_is_said_in_chinese(config):
    with pytest.raises(ConfigError) as error:
        inspected(config)
    assert not set(left(str(error.value))) - {"null", "relative", "rotary", "random", "sincos", *KINDS}
