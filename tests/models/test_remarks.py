"""What is said beside the sentence: warnings, what is not known, and refusals, each with a small configuration."""

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.kinds.built import BUILT
from pe_core.models.unread import distinct
from tests.cases import each
from tests.models.small import HEADS, HEARS, MOON, OF_SIGLIP, OWN, SEEN, SIZES, STUDENT, TURNING, VIEW, XDROPE, has

NMT = {"encoder_type": "transformer", "hidden_size": 64, "heads": 4}
SLIDING = {**HEADS, "num_hidden_layers": 1, "layer_types": ["sliding_attention"], "sliding_window": 4}
TALKS = {"talker": {"d_model": 64, "n_heads": 4}, "data": {"path": "x"}}
SECTIONS = {"rope_scaling": {"type": "default", "mrope_section": [2, 3, 3], "interleaved": True}}
PARTS = {"model_type": "multi_modality", "language_config": {"model_type": "llama"}, "vision_config": OF_SIGLIP}
OBEYED_HERE = "The class reads these fields, and what they do to positions is not said here"
NOBODYS = "Not read by this model, though the name speaks of positions"


def lines_of(config):
    """Return what is told beside the summary: warnings, and what is not known."""
    found = inspected(config)
    return [*found.warnings, *found.unknown]


@each(("config", "words"), [
    ({"model_type": "dbrx", "attn_config": {"rope_theta": 5e5}}, "attn_config.rope_theta … 500000"),
    ({**HEADS, "model_type": "llama", "compress_pos_emb": 4}, "Not read … compress_pos_emb"),
    ({**HEADS, "model_type": "skywork", "rope_scaling": {"type": "ntk", "factor": 2.0}}, "ntk … own code"),
    ({**HEADS, "model_type": "phi3small", "blocksparse_block_size": 64}, "blocksparse … that model alone"),
    ({**HEADS, "model_type": "chatglm", "position_encoding_2d": True}, "position_encoding_2d … alone"),
    ({"model_type": "bert", "auto_map": {}, "position_embedding_type": "alibi"}, "bloom … guess"),
    ({**HEADS, "model_type": "nemotron-nas", "block_configs": [{}]}, "block_configs … no attention"),
    ({**HEADS, "model_type": "qwen", "use_dynamic_ntk": True}, "seq_length … the trained length"),
    ({"architectures": ["BertForMaskedLM"]}, "bert … architectures … guess"),
    ({**HEADS, "mla_use_nope": True}, "mla_use_nope says that no layer turns"),
    ({"dim": 64, "n_heads": 4, "rope_theta": 1e4}, "dim and n_heads are Meta's names"),
    ({**OWN, "audio_encoder_config": {"n_audio_ctx": 96}}, "what audio_encoder_config does with positions"),
    ({**OWN, "vit_config": {"patch_size": 8}}, "what vit_config does with positions"),
    ({**HEADS, "model_type": "llama", "sliding_window": 64}, "Not read … sliding_window"),
    ({"model_type": "unheard", "auto_map": {}, "text_config": {"model_type": "llama"}}, "read from the fields alone"),
    ({"model_type": "nemotron-nas", **HEADS, "block_configs": [{"attention": {"no_op": True}}, {"attention": {}}]},
     "1 of the 2 layers in block_configs have no attention"),
    ({"type": "pi0", "n_obs_steps": 1, "input_features": {}}, "A second, narrower transformer writes the actions"),
    ({"model_type": "moshi"}, "The window counts where tokens are read one by one"),
    ({"model_type": "moonshine", "encoder_num_hidden_layers": 3}, "the 3 of its encoder"),
    ({**OWN, **TALKS}, "what talker does with positions: its type is not known here"),
    ({"model_type": "deepseek_v32", "num_hidden_layers": 2, "index_topk": 96},
     "A token reads at most 96 tokens, which an indexer picks (index_topk)."),
    ({"model_type": "t5", "architectures": ["ChronosBoltModelForForecasting"]},
     '"ChronosBoltModelForForecasting", no class of t5'),
    ({"model_type": "internlm3", **HEADS}, "transformers 5.23 reads internlm3 with the classes of llama."),
    ({"model_type": "iquestcoder", **HEADS}, "transformers 5.23 reads iquestcoder with the classes of llama."),
    ({**OWN, **SECTIONS}, "mrope_section [2, 3, 3] splits pairs over time, height and width"),
    ({"model_type": "hunyuan_vl", **XDROPE},
     "rope_scaling.xdrope_section splits channels in a way that is not shown here."),
    ({"model_type": "vibevoice", "decoder_config": {"model_type": "qwen2", **HEADS}},
     "transformers 5.23 would not read it"),
    ({"model_type": "llama", **HEADS, "rope_traditional": True},
     "rope_traditional is obeyed by MLX alone, which turns pairs of neighbours."),
    *(({"model_type": kind, **SLIDING}, "transformers fails") for kind in ("qwen2", "qwen3", "qwen3_moe")),
    *(({**OWN, "partial_rotary_factor": 0.5, field: 2}, f"What {field} says of its layers is not known")
      for field in ("layer_group_size", "full_attention_interval", "full_attention_idx")),
    ({"model_type": "mpt", "attn_config": {"rope": True}}, "attn_config.rope is ignored by transformers"),
    ({"model_type": "mpt", "attn_config": {"alibi": False}}, "attn_config.alibi is false"),
    ({"model_type": "t5", "chronos_config": {"context_length": 96, "input_patch_size": 8}}, "96, 8 of them as one"),
    ({**SIZES, "max_len": 96, "use_rope": True, "use_alibi": True}, "use_alibi names another encoding"),
    ({"model": {"type": "qwen2", "decoder": SIZES}, "search": {}}, "settings of ONNX Runtime GenAI"),
    ({"model_type": "chatglm", "position_encoding_2d": True}, "the other half of the channels turns with the place"),
    ({"model_type": "gpt2-rope", "n_embd": 64, "n_head": 4, "n_positions": 96}, "because its name has RoPE"),
    ({"model_type": "own_vit", **SIZES, **VIEW, "use_rel_pos_emb": True}, "type is a guess: use_rel_pos_emb"),
    ({"model_type": "bidir_mistral", "architectures": ["MistralModel"], **TURNING},
     "bidir_mistral is called bidirectional"),
    ({"model_type": "qwen3_vl_text", **TURNING, "head_dim": 128}, "M-RoPE interleaves here"),
    ({"model_type": "t5", "architectures": ["T5OwnForMaskedLM"]}, "no class of t5: this is what the built-in"),
    ({"model_type": "timesfm2_5", "context_length": 96}, f"{OBEYED_HERE}: context_length."),
    ({"model_type": "t5", "n_positions": 96}, f"{NOBODYS}: n_positions."),
    *(({"model_type": "lw_detr_vit", "num_windows": 16, "window_of_mine": 4}, f"{said}.")
      for said in (f"{OBEYED_HERE}: num_windows", f"{NOBODYS}: window_of_mine")),
    ({"model_type": "own", **TURNING, "use_video_3d_rope": True}, "because it has rope_theta"),
    ({"model_type": "own_vl", "text_config": TURNING}, "own_vl is not known here: it is read as llama"),
    ({"model_type": "fuyu", **TURNING}, "transformers 5.23 reads fuyu with the classes of persimmon."),
    ({"vision_cfg": {"width": 64, "rope": True}, "text_cfg": {"width": 64}}, "vision_cfg.rope … 2-D RoPE"),
    *(({"model_type": "llava_llama", **TURNING, field: "a/file"}, f"what {field} does")
      for field in ("mm_vision_tower", "speech_encoder")),
    *(({"model_type": "own", **TURNING, "own_config": {"model_type": "own", **part}},
       "what own_config does with positions: its type is not known here")
      for part in ({}, {"rope_theta": "a"}, {"rope_theta": 1})),
])  # fmt: skip
def test_what_has_to_be_said(config, words):
    lines = lines_of(config)
    assert any(has(words, line) for line in lines), lines


@each(("config", "words"), [
    ({"model_type": "gemma3_text", "num_hidden_layers": 1, "layer_types": ["full_attention"],
     "_sliding_window_pattern": 6}, "_sliding"),  # a field that transformers writes itself
    ({**OWN, **TALKS}, "what data does"),
    ({"model_type": "parakeet_ctc", "encoder_config": {"model_type": "parakeet_encoder"}}, "what encoder_config does"),
    ({"model_type": "phi4mm", **HEADS, **HEARS}, "_config does"),
    ({"model_type": "kimi_vl", "text_config": {"model_type": "llama"}, "vision_config": MOON}, "_config does"),
    ({**PARTS, "aligner_config": {"model_type": "aligner"}}, "_config does"),
    ({"model_type": "t5", "architectures": ["T5EncoderModel"]}, "T5EncoderModel"),
    ({"model_type": "llama", **HEADS, "max_sequence_length": 96}, "No length is given"),
    ({"model_type": "llama", **HEADS, "max_sequence_length": 96}, "Not read by this model"),
    ({"model_type": "internlm3", **HEADS}, "guess"),
    ({"model_type": "qwen2", **SLIDING, "use_sliding_window": True}, "transformers fails"),
    ({"model_type": "gpt_neox", "rotary_emb_base": 10_000}, "No base is given"),
    ({"model_type": "modernbert", "global_rope_theta": 160_000.0, "local_rope_theta": 1e4}, "No base is given"),
    ({"model_type": "gemma3_text", "rope_theta": 1e6, "rope_local_base_freq": 1e4}, "No base is given"),
    ({"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}, "No base is given"),
    ({"model_type": "xlm-roberta", **HEADS, "position_embedding_type": "rotary"}, "position_embedding_type"),
    ({**OWN, **SECTIONS}, "ignored"),
    *(({"model_type": kind, "architectures": [name]}, "no class of") for kind, name in (
        ("d_fine", "DFineForObjectDetection"), ("t5", "T5EncoderModel"), ("marian", "MarianMTModel"),
        ("swin", "SwinBackbone"), ("dpr", "DPRQuestionEncoder"),
    )),
    ({**TURNING, "layernorm_positioning": "pre"}, "layernorm"),
    ({"model_type": "nezha", **SIZES, "auto_map": {}}, "built-in class"),
    ({"model_type": "llama", "router_scaling_factor": 2.5, "moe_router_scaling_factor": 2.5}, "scaling_factor"),
])  # fmt: skip
def test_what_need_not_be_said(config, words):
    lines = lines_of(config)
    assert not any(words in line for line in lines), lines


def test_what_is_only_known_by_its_parts_is_said_to_be_a_guess():
    assert all("guess" in " ".join(inspected({"model_type": kind}).warnings) for kind in BUILT)


def test_distinct_positions_of_a_format():
    for length in (1, 200, 257, 258, 1000, 5000, 65_519, 2**18, 1_000_003):
        for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
            numbers = torch.arange(length).to(dtype).unique()
            assert distinct(name, length) == len(numbers)


@each(("file", "words"), [
    ({"_class_name": "OwnTransformer2DModel", "num_attention_heads": 4}, "a class of diffusers"),
    ({"_class_name": "Own", "dim": 64, "n_heads": 4, "n_kv_heads": 2, "axes_dims": [4, 4, 8]}, "a class of diffusers"),
    ({"_class_name": "Own", "hidden_size": 64, "heads_num": 4, "rope_theta": 2, "rope_dim_list": [8]}, "a class of"),
    ({"peft_type": "LORA", "base_model_name_or_path": "some/model"}, "it belongs to a base model"),
    (STUDENT, "no field tells what it does with positions"),
    ({**STUDENT, "no_rope": True}, "no_rope alone does not tell what it does with positions"),
    ({**STUDENT, "pos_emb": "something"}, "pos_emb alone does not tell what it does with positions"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "a pointer of Git LFS: fetch the file"),
    ({"model_type": "tvp"}, "known here"),
    ({"model_type": "vit", "image_size": 8}, r"patch_size must be at most image_size \(8\), got 16"),
    ({"model_type": "vit", "image_size": "224"}, "image_size must be a whole number of pixels"),
    ({"model_type": "longformer", "attention_window": []}, "attention_window must be a whole number of at least 2"),
    ({"model_type": "wav2vec2-bert", "position_embeddings_type": "x"}, "position_embeddings_type must be one of"),
    ({"model_type": "detr", "position_embedding_type": "x"}, ", got"),
    ({"model_type": "vivit", "tubelet_size": 2}, ", got"),
    ({"model_type": "reformer", "axial_pos_shape": [64]}, ", got"),
    ({"model_type": "seamless_m4t", "position_embeddings_type": "x"}, ", got"),
    ({"model_type": "audio-spectrogram-transformer", "max_length": 8}, ", got"),
    ({"model_type": ""}, ", got"),
    ({"model_type": "levit", "depths": 3}, "depths must be a list of 1 to 10 stages"),
    ({"model_type": "lfm2", "full_attn_idxs": "2, 5"}, "full_attn_idxs must be a list of numbers of layers"),
    ({"model_type": "LLaMA", "hidden_size": 64}, "did you mean llama"),
    ({**SEEN, "model_type": "new", "use_rope": False, "rope_theta": 1e4}, "model_type must be one of"),
    ({**SEEN, "model_type": "new", "rope_embeddings": False, "rope_theta": 1e4}, "model_type must be one of"),
    ({"architecture": "something_patch16", "input_size": [3, 8, 8]}, ", got"),
    ({"text_cfg": {"hf_model_name": "one"}, "vision_cfg": {"timm_model_name": "other"}}, ", got"),
    ({"general.architecture": "unheard_of"}, ", got"),
    ({"model_type": "sam_vision_model", "global_attn_indexes": [True]}, ", got"),
    ({"model_type": "sam_vision_model", "global_attn_indexes": list(range(1001))}, ", got"),
    ({"model_type": "sam2_hiera_det_model", "window_size_per_stage": []}, ", got"),
    ({"model_type": "sam2_vision_model", "backbone_config": 3}, ", got"),
    ({"model_type": "tapas", "type_vocab_sizes": [3, -1, 256]}, ", got"),
    ({"model_type": "pixtral", "rope_parameters": {"rope_type": "axial", "rope_theta": None}}, ", got"),
    ({"model_type": "pixtral", "hidden_size": 8, "num_attention_heads": 8}, ", got"),
    ({"model_type": "patchtst", "positional_encoding_type": "x"}, ", got"),
    ({"model_type": "gemma3n_audio", "conf_attention_context_left": -1}, ", got"),
    ({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [3, 5]}, ", got"),
    ({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": []}, ", got"),
    ({"_class_name": "Transformer2DModel"}, ", got"),
    ({"_class_name": "CogView4Transformer2DModel", "rope_axes_dim": [1]}, ", got"),
    ({"_class_name": "CosmosTransformer3DModel", "rope_scale": [1, 0, 1]}, "be three numbers from 1e-15 to .*, got"),
    ({"_class_name": "CosmosTransformer3DModel", "max_size": [128]}, "be three sizes, got"),
    ({"_class_name": "Ideogram4Transformer2DModel", "mrope_section": [0, 0, 96]}, "of which a head has enough, got"),
    ({"_class_name": "DDIMScheduler"}, ", got"),
    ({"self_attention_model": "x", "d_model": 64}, ", got"),
    ({**NMT, "max_relative_positions": -1}, ", got"),
    (NMT, ", got"),
    ({"model_type": "grounding-dino", "position_embedding_type": "rope"},
     '^position_embedding_type must be sine or learned, got "rope"$'),
    ({"model_type": "sam2_video", "memory_attention_hidden_size": 2},
     "^memory_attention_hidden_size must give a head at least 4 channels, got 2$"),
    ('<<<<<<< HEAD\n{"model_type": "llama"\n=======\n{"model_type": "gemma"\n>>>>>>> main\n}',
     "got a conflict of git that is not resolved"),
    *(({"model_type": kind}, "model_type must be one of") for kind in ("phi-3", "gemma-3-4b", "llama-moe")),
    ({"model_type": "ultravox", "text_model_id": "some/model", "hidden_size": 64},
     'got "ultravox"; text_model_id names the model that decides, "some/model"'),
    ({"model_type": "d_fine", "decoder_n_points": [3, 6]},
     "decoder_n_points must be a whole number, or one for each of 3 maps, got"),
    ({"model_type": "d_fine", "num_feature_levels": 2**40},
     "num_feature_levels must be a whole number from 1 to 1,000, got"),
    ({"hidden_dim": 64, "max_len": 96}, "model_type must be given"),  # a length without heads
    ({**SIZES, "max_len": 96, "no_rope": True}, "model_type must be given"),  # and beside other positions
    ({"one": SEEN, "other": SEEN}, "model_type must be given"),  # of two objects with sizes none is taken
])  # fmt: skip
def test_what_cannot_be_read_is_refused(file, words):
    with pytest.raises(ConfigError, match=words):
        inspected(file)


def test_names_that_are_long_and_many_come_to_an_end():  # an expression that goes back and forth would not
    for name in ("model_" * 100_000 + "\n", "pos" * 100_000, "attn_layer" * 50_000):
        with pytest.raises(ConfigError):
            inspected({name: {"hidden_size": 64, "num_attention_heads": 4}, name[1:]: True, "hidden_size": 64})
    with pytest.raises(ConfigError):
        inspected({f"rope{i}": True for i in range(100_000)})
