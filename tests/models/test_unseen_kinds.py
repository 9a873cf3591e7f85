"""Kinds of files that the reader had wrong or did not know, each as a small configuration with its right reading."""

import json

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.reading import parsed
from tests.cases import each
from tests.models.small import (
    BERT,
    GPT,
    HEADS,
    HEARS,
    LONG,
    MOON,
    OF_CLIP,
    OF_SIGLIP,
    SEEN,
    SIZES,
    TURNING,
    VIEW,
    XDROPE,
    has,
)

FLAT = {**SIZES, "rope_theta": 500.0}
SECOND = {"model_type": "dab-detr", "temperature_height": 30}
TWO_BLOCKS = {"num_hidden_layers": 3, "layer_types": ["mamba", "attention", "mamba"], **HEADS}
FRAMED = {"image_pos_embed": {"max_pos_embeddings": 20}, "visual_temporal_embedding": {"max_temporal_embeddings": 9}}
SWIN = {"model_type": "swin", "window_size": 12}
PREDICTOR = {"model_type": "qwen3_tts_talker_code_predictor", **TURNING, "head_dim": 16}
TALKER = {**PREDICTOR, "model_type": "qwen3_tts_talker"}
TALKER |= {"rope_scaling": {"interleaved": True, "mrope_section": [2, 3, 3]}}
GLM_HEARING = {"model_type": "whisper", "d_model": 256, "encoder_attention_heads": 4, "max_position_embeddings": 96}
EVO = {"attn_layer_idxs": [1], "use_interpolated_rotary_pos_emb": True, "max_position_embeddings": 96}
GROK = {"rope_type": "rope_extended", "scaling_factor": 16.0, "original_max_position_embeddings": 64}
GROK |= {"max_position_embeddings": 1024, "beta_fast": 8, "beta_slow": 1}
STATIC_NTK = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}
AROUND = {"model_type": "aimv2_visual_tokenizer", "backbone_config": {"model_type": "aimv2", **SIZES, **VIEW}}
HYBRID = {"low_res_cfg": {"model_name": "siglip_large_patch16_384"}}
HYBRID |= {"high_res_cfg": {"model_name": "sam_b_downsample", "image_size": 512}}
OF_LENS = {"d_model": 64, "n_heads": 4, "n_layers": 2, "rotary_base": 5e5, "positional_embedding_type": "rotary"}
BY_PARTS = {"use_NTK_by_parts_rope": True, "NTK_by_parts_factor": 32.0}
BY_PARTS |= {"NTK_by_parts_low_freq_factor": 1.0, "NTK_by_parts_high_freq_factor": 4.0}
TURNED = {"model_dims": 64, "num_heads": 4, "use_rotary_position_embeddings": True}
OF_WHISPER = {"n_audio_ctx": 50, "n_audio_state": 64, "n_text_ctx": 20, "n_text_state": 64}
OF_KERAS = {"num_layers": 2, "num_heads": 4, "hidden_dim": 64, "max_sequence_length": 96}
RAISED = {"factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_context_length": 64}
OF_VITS = {"hidden_channels": 64, "filter_channels": 128, "n_heads": 4}
HEARING = {"d_model": 64, "n_heads": 4, "att_context_size": [8, 2]}
NMT = {"encoder_type": "transformer", "hidden_size": 64, "heads": 4}
ESM = {"model_type": "esm", "position_embedding_type": "rotary", "vocab_size": 8}
BASED = {"model_type": "xlm-roberta", **SIZES, "position_embedding_type": "rotary", "rotary_emb_base": 2e4}


JINA = {"model_type": "bert", "position_embedding_type": "alibi", "auto_map": {}, **SIZES}


@each(("config", "words"), [
    (JINA, "a token sees as far ahead as back"),
    ({"model_type": "big_bird"}, "block of 64 … 3 random"),
    ({"model_type": "longt5"}, "32 buckets … 127 others on each side"),
    ({"model_type": "layoutlmv3"}, "510 positions … 1,024 places … biases of distances"),
    ({"model_type": "led"}, "16,384 … 1,024"),
    ({"model_type": "speech_to_text"}, "6,000 frames … 1,024 tokens"),
    ({"model_type": "funnel"}, "sinusoids of distances"),
    ({"model_type": "transfo-xl"}, "sinusoids of distances"),
    ({**HEADS, "model_type": "fuyu", "patch_size": 30}, "persimmon … RoPE"),
    ({"model_type": "hf_olmo", "d_model": 64, "n_heads": 4, "n_layers": 2}, "all 2 layers … 16 channels"),
    ({"model_type": "llava_llama", **HEADS}, "llama … 16 channels"),
    ({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text"}, "vision_config": {}},
     "2,304 … 2-D RoPE"),
    ({"model_type": "mimi", "sliding_window": 250}, "seeing at most 250 tokens"),
    ({"model_type": "glmasr_encoder"}, "32 of 64 channels"),
    ({"model_type": "got_ocr2_vision", "image_size": 512}, "32 x 32 patches"),
    ({"model_type": "qianfan_ocr_vision"}, "32 x 32 patches and 1 more"),
    ({"model_type": "pp_formulanet_text", "max_position_embeddings": 100}, "each of 100 positions … 2 rows"),
    ({"model_type": "exaone4_5_vision"}, "2-D RoPE"),
    ({"model_type": "bark", "semantic_config": {"block_size": 64}}, "semantic … each of 64 positions"),
    ({"model_type": "dia", "encoder_config": {}, "decoder_config": {}}, "dia_decoder … 3,072 … dia_encoder"),
    ({"model_type": "pegasus_x", "block_size": 64}, "a block of 64 tokens … 32 global … shifts its blocks"),
    ({"model_type": "unheard", "first_config": {"model_type": "bert", "vocab_size": 33, "num_attention_heads": 4},
     "second_config": {"model_type": "bert", "max_position_embeddings": 128}},
     "512 positions … second_config (bert) … 128 positions"),
    ({"model_type": "unheard", **HEADS, "encoder_config": {"model_type": "modernbert"}},
     "llama … modernbert (encoder_config)"),
    ({"model_type": "qwen2_5_vl", "vision_config": {"model_type": "qwen2_5_vl"}},
     "vision_config (qwen2_5_vl_vision) … 2-D RoPE"),
    ({"model_type": "glmasr", "lm_config": {"model_type": "llama", "max_position_embeddings": 512}},
     "llama (lm_config) … 512 tokens"),
    ({"architectures": ["UnheardForCausalLM"], **HEADS, "num_hidden_layers": 2, "sliding_window": 8,
     "layer_types": ["sliding_attention", "full_attention"], "rope_parameters": {"full_attention": {"rope_theta": 500.0,
     "partial_rotary_factor": 0.5}, "sliding_attention": {"rope_theta": 20.0, "partial_rotary_factor": 1.0}},
     "head_dim": 16}, "base 20, seeing at most 8 tokens … 8 of 16 channels of a head by RoPE of base 500"),
    ({"model_type": "unheard", **HEADS, "partial_rotary_factor": 0.5}, "8 of 16 channels"),
    ({"model_type": "unheard", **HEADS, "rotary_dim": 4, "head_dim": 16}, "4 of 16 channels"),
    ({"model_type": "mixformer-sequential", **GPT, "rotary_dim": 8}, "8 of 16 channels … 1,024 tokens"),
    ({"model_type": "unheard", "model_config": {"vocab_size": 50, "context_length": 96, "embedding_dim": 64,
     "num_heads": 4, "rope_base": 1e4}}, "llama (model_config) … 96 tokens"),
    ({"model_type": "canine", "local_transformer_stride": 16, "downsampling_rate": 2},
     "16,384 positions … blocks of 16 characters … group of 2 characters"),
    ({"model_type": "layoutlmv3", "input_size": 64, "patch_size": 16},
     "510 positions … 4 x 4 patches and 1 more, 17 rows"),
    ({"model_type": "reformer", "local_attn_chunk_length": 32}, "64 + 64 rows … blocks of 32 tokens, with 1 before"),
    ({"model_type": "deberta-v2", "relative_attention": True, "position_buckets": 64}, "64 buckets … below 32"),
    ({"model_type": "wav2vec2-bert", "left_max_position_embeddings": 12}, "from 12 frames before … from 8 after"),
    ({"model_type": "vjepa2", "hidden_size": 80, "num_attention_heads": 1}, "26 channels each of 80"),
    ({"model_type": "dinov3_vit", "rope_theta": 50.0}, "2-D RoPE … its base is 50"),
    ({"model_type": "qwen2_5_vl_vision", "window_size": 56, "fullatt_block_indexes": [3]},
     "layers 3 see the whole image, the others windows of 56 x 56 pixels"),
    ({"model_type": "qwen2_5_vl_vision", "fullatt_block_indexes": []}, "its layers see windows of 112"),
    ({"model_type": "pixtral", "image_size": 64, "patch_size": 16}, "images up to 4 x 4 patches"),
    ({"model_type": "sam_vision_model", "window_size": 7, "global_attn_indexes": [1]},
     "layers 1 see all patches, the others windows of 7 x 7"),
    ({"model_type": "sam_vision_model", "global_attn_indexes": []}, "all layers see windows of 14 x 14"),
    ({"model_type": "sam2_vision_model", "backbone_config": {"window_size_per_stage": [4, 2]}},
     "7 x 7 rows, the second 4 x 4 … windows are 4, 2 patches wide … layers 5, 7, 9 see all"),
    ({"model_type": "vitdet", "window_block_indices": [0], "window_size": 14}, "layers 0 see windows of 14 x 14"),
    ({"model_type": "aimv2_vision_model", "is_native": True}, "sinusoids of the row"),
    ({"model_type": "internvl_vision", "use_absolute_position_embeddings": False}, "no positional encoding"),
    ({"model_type": "xlm", "sinusoidal_embeddings": True}, "begin as sinusoids"),
    ({"model_type": "distilbert", "sinusoidal_pos_embds": True}, "begin as sinusoids"),
    ({"model_type": "led", "attention_window": 64}, "sees at most 32 others on each side"),
    ({"model_type": "longt5", "encoder_attention_type": "transient-global"}, "blocks of 16"),
    ({"model_type": "xlnet", "clamp_len": 9}, "distances beyond 9"),
    ({"model_type": "roformer", "rotary_value": True}, "q, k and v"),
    ({"model_type": "wavlm", "max_bucket_distance": 99}, "distances from 99 on"),
    ({"model_type": "layoutlmv2", "rel_pos_bins": 8}, "fall into 8 buckets up to 128"),
    ({"model_type": "gemma3n_audio", "conf_attention_context_left": 5}, "sees at most 4 frames before it and 0"),
    ({"model_type": "qwen3_omni_moe_audio_encoder", "n_window": 10}, "a chunk has 20 frames … within 800"),
    ({"model_type": "seamless_m4t_v2", "left_max_position_embeddings": 3}, "from 3 frames before"),
    ({"model_type": "wav2vec2-conformer", "position_embeddings_type": "rotary"}, "all 64 channels … 10,000"),
    ({"model_type": "zamba2", "use_mem_rope": True, "use_long_context": True}, "all 160 channels … 16,384"),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "M*-M"}, "1 of 4 layers have attention"),
    ({"model_type": "sam2_video", "vision_config": {}}, "sam2_vision_model"),
    ({"model_type": "eomt_dinov3", "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}}, "is 50"),
    ({"model_type": "informer", "prediction_length": 24, "context_length": 48}, "each of 72 points"),
    ({"model_type": "autoformer", "prediction_length": 24}, "each of 48 points"),
    ({"model_type": "patchtst", "context_length": 512, "patch_length": 12, "patch_stride": 12}, "of 42 patches"),
    ({"model_type": "patchtst", "positional_encoding_type": "random", "use_cls_token": True},
     "learned vector for each of 32 patches of 1 points; another is of its class token"),
    ({"model_type": "timesfm", "use_positional_embedding": True}, "each patch of 32 points"),
    ({"model_type": "decision_transformer", "max_ep_len": 9}, "each of 9 steps"),
    ({"model_type": "perceiver", "max_position_embeddings": 9}, "each of 9 positions"),
    ({"model_type": "dinat", "kernel_size": 3}, "25 offsets … 3 x 3 patches"),
    ({"model_type": "florence2", "text_config": {}, "vision_config": {"model_type": "florence_vision"}},
     "florence_vision … 50 of each … the first of 100 sinusoids … 12 x 12"),
    ({"model_type": "dpt", "backbone_config": {"model_type": "dinov2", "image_size": 28}},
     "dinov2 adds … 2 x 2 patches"),
    ({"model_type": "dpt", "is_hybrid": True, "backbone_config": {"model_type": "bit"}}, "dpt adds … 24 x 24"),
    ({**SEEN, "model_type": "parler_tts_decoder", "rope_embeddings": False, "rope_theta": 1e4},
     "fixed sinusoid for each of 96"),
    ({**SEEN, "model_type": "parler_tts_decoder", "rope_embeddings": True, "rope_theta": 500.0},
     "base 500, all 16 channels of a head, and claims 96 tokens"),
    ({**FLAT, "model_type": "deepseek_v2", "use_mla": False, "qk_rope_head_dim": 0, "qk_nope_head_dim": 0},
     "all 2 layers turn all 16 channels … base 500"),
    ({**FLAT, "model_type": "GOT", "sliding_window": 8, "use_sliding_window": True, "max_window_layers": 1}, "8"),
    ({**FLAT, "model_type": "ernie4_5_moe_vl", "hidden_size": 512, "vision_config": {"model_type": "own",
     "hidden_size": 320}}, "for time, height and width … ernie4_5_vl_moe_vision … all 20 channels"),
    ({"model_type": "sam3", "vision_config": {"model_type": "sam3_vision_model"}},
     "vision_config.backbone_config (sam3_vit_model) … windows of 24 x 24"),
    ({"model_type": "kosmos_2_5_vision_model", "max_num_patches": 9}, "9 of each"),
    ({**FLAT, "model_type": "phi4mm", "sliding_window": 8, "partial_rotary_factor": 0.5},
     "8 of 16 channels … seeing at most 8 tokens"),
    ({"model_type": "trocr", "max_position_embeddings": 96}, "96 positions, a hard limit; 2 rows of its table stand"),
    ({"model_type": "vjepa2", "crop_size": 64, "frames_per_clip": 6}, "its clips have 3 x 4 x 4 patches"),
    ({"model_type": "rt_detr", "positional_encoding_temperature": 20}, "the base of its sinusoids is 20"),
    ({"model_type": "timesfm", "context_length": 96}, "it reads 96 points in patches of 32"),
    ({"model_type": "phi4flash", **HEADS}, "phi4flash has no positional encoding"),
    ({"model_type": "zamba2", "use_mem_rope": True, "layers_block_type": ["mamba", "hybrid", "mamba"]},
     "turns q and k of 1 of its 3 layers (1, counted from 0) with RoPE"),
    ({"model_type": "granitemoehybrid", "position_embedding_type": "nope", **TWO_BLOCKS},
     "turns nothing; 1 of 3 layers have attention"),
    ({"model_type": "glm5_next_text", "layer_types": ["linear_attention", "deepseek_sparse_attention"]},
     "1 of 2 layers have attention"),
    ({"model_type": "florence2", "text_config": {"model_type": "bart"}, "vision_config": {"model_type": "davit",
     **FRAMED}}, "of the row and of the column of a patch, 20 of each, a hard limit; the first of 9 sinusoids"),
    ({"model_type": "x", "encoder": {"d_model": 64, "n_heads": 4, "n_layers": 2, "rope_base": 5e3}},
     "all 2 layers turn all 16 channels of a head by RoPE of base 5,000"),
    ({"model_type": "dab-detr"}, "the base of its sinusoids is 20"),
    (SECOND, "the bases of its sinusoids are 30 for rows and 20 for columns"),
    ({"model_type": "phi4_multimodal", "audio_config": {"bias_max_distance": 8}},
     "a learned bias for each of 16 distances between frames … frames more than 8 before, or more than 7 after"),
    ({"model_type": "phi4_multimodal", "audio_config": {"bias_max_distance": 8, "bias_symmetric": True}},
     "a learned bias for each of 8 distances between frames, alike in both … more than 8 frames are refused"),
    ({"model_type": "phi4mm", **HEADS, **HEARS},
     "(phi4_multimodal_audio) adds a learned bias for each of 16 distances between frames"),
    ({"model_type": "phi4flash", "num_hidden_layers": 12, "sliding_window": 8},
     "6 of 12 layers have attention; layers 1, 3, 5 see at most 8 tokens; the last 2 layers with attention read the "
     "keys and values of layer 7"),
    ({"model_type": "kimi_vl", "text_config": {"model_type": "llama"}, "vision_config": MOON},
     "adds a learned vector of 8 x 8, interpolated for other sizes; it turns some pairs with the row and others with "
     "the column of a patch (2-D RoPE); all 4 channels of a head turn … with a base of 10,000; images of more than 512 "
     "x 512 patches are refused"),
    ({"model_type": "multi_modality", "language_config": {"model_type": "llama"}, "vision_config": OF_SIGLIP},
     "vision_config (siglip_vit) adds a learned vector for each of 4 x 4 patches, 16 rows … another size is"),
    ({"model_type": "deepseek_vl_v2", "language_config": {"model_type": "llama"},
     "vision_config": {"model_type": "vision", "model_name": "siglip_so400m_patch14_384", "width": 1152}},
     "27 x 27 patches, 729 rows"),
    ({"model_type": "dots_ocr", **HEADS, "vision_config": {"embed_dim": 64, "num_attention_heads": 4}},
     "vision_config (dots_vit) turns some pairs with the row and others with the column of a patch (2-D RoPE); all 16 "
     "channels of a head turn … with a base of 10,000"),
    ({"model_type": "x", "rope_base": 5e4, "block_size": 64, "depth": 2},
     "rope turns q and k with RoPE of base 50,000, and claims 64 tokens"),
    ({"architecture": {"d_model": 64, "n_heads": 4,
     "positional_embedding": "Learned positional embeddings"}} | {"context_length": 96},
     "gpt2 adds a learned vector for each of 96 positions"),
    ({"model_type": "beit", "use_relative_position_bias": True}, "732 offsets"),
    ({"model_type": "beit", "use_absolute_position_embeddings": True}, "14 x 14 patches and 1 more"),
    ({"model_type": "detr", "position_embedding_type": "learned"}, "50 rows and 50 columns"),
    ({"model_type": "detr"}, "sinusoids of row and column … 100 object queries"),
    ({"model_type": "sam", "vision_config": {}}, "64 x 64 patches … windows of 14"),
    ({"model_type": "sam_vision_model", "use_rel_pos": False, "window_size": 0}, "64 x 64 patches; another"),
    ({"model_type": "speecht5"}, "450 tokens … 4,000 steps that speak 2 frames … up to 160 … a convolution 128 wide"),
    ({"model_type": "videomae"}, "8 x 14 x 14 patches of a film, 1,568 rows"),
    ({"model_type": "vits"}, "up to 4 on each side"),
    ({"model_type": "depth_anything", "backbone_config": {"model_type": "dinov2"}}, "16 x 16 patches"),
    ({"model_type": "owlvit", "text_config": {}, "vision_config": {}}, "16 positions … 24 x 24 patches"),
    ({"model_type": "vision-encoder-decoder", "decoder": {"model_type": "trocr"}, "encoder": {"model_type": "vit"}},
     "trocr adds a learned vector for each of 512 … encoder (vit) … 14 x 14"),
    ({"model_type": "trocr", "use_learned_position_embeddings": False}, "fixed sinusoid … longer text"),
    ({"model_type": "vit", "image_size": 384}, "24 x 24 patches and 1 more, 577 rows … interpolate_pos_encoding"),
    ({"model_type": "dinov2", "image_size": [518, 518]}, "37 x 37 … 1,370 rows … interpolated"),
    ({"model_type": "swin"}, "169 offsets in windows of 7 x 7"),
    ({"model_type": "whisper"}, "1,500 frames … 448 tokens"),
    ({"model_type": "wav2vec2"}, "convolution over its frames … 128 frames wide"),
    ({"model_type": "longformer", "max_position_embeddings": 4098}, "4,096 positions … 256 others on each side"),
    ({"model_type": "marian"}, "sinusoid for each of 1,024 positions, a hard limit"),
    ({"model_type": "m2m_100"}, "more are computed for a longer text"),
    ({"model_type": "xlnet"}, "as Transformer-XL does"),
    ({"model_type": "mamba"}, "no positional encoding"),
    ({"model_type": "zamba2", "use_mem_rope": True}, "RoPE of base 10,000"),
    ({"model_type": "roformer"}, "neighbours in pairs … 1,536 tokens"),
    ({"model_type": "clip", "text_config": {}, "vision_config": {"image_size": 336, "patch_size": 14}},
     "77 positions … vision_config (clip_vision_model) … 24 x 24 patches and 1 more, 577 rows"),
    ({"model_type": "llava", "text_config": {"model_type": "llama", "rope_theta": 1e4},
     "vision_config": {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}},
     "all 128 channels … 577 rows"),
    ({"model_type": "qwen2_audio", "text_config": {"model_type": "qwen2"}, "audio_config": {"d_model": 1280}},
     "audio_config (qwen2_audio_encoder) … 1,500 frames"),
    ({"model_type": "timesformer"},
     "unless a film has a multiple of 112 patches; learned vectors of 8 frames are added"),
    ({"model_type": "vitdet", "image_size": 1024}, "14 x 14 patches"),  # of the images of pretraining
    ({"model_type": "glm5_next", "text_config": {"model_type": "glm5_next_text", "hidden_size": 64,
     "num_attention_heads": 4, "qk_rope_head_dim": 0}}, "has no positional encoding"),
    ({"model_type": "gemma4_text"}, "turn 128 of 512 channels"),  # p-RoPE: the others have no frequency
    ({"model_type": "vision-encoder-decoder", "decoder": None, "encoder": {"model_type": "vit", **VIEW}},
     "encoder (vit) adds a learned vector for each of 4 x 4 patches"),
    ({"model_type": "minicpmv", **HEADS, "vision_config": {"model_type": "siglip_vision_model", **VIEW}},
     "4 x 4 patches, 16 rows … for another shape each patch takes the row at its"),
    ({**SEEN, "model_type": "git", "architectures": ["GitForCausalLM"], "rope_theta": 500.0}, "learned"),
    ({"model_type": "phi4flash", "num_hidden_layers": 4, "sliding_window": [None, 8, None, None]},
     "layers 1 see at most 8 tokens"),
    ({"model_type": "hunyuan_vl", **XDROPE}, "with static NTK of alpha 1000"),
    ({"model_type": "vibevoice", "decoder_config": {"model_type": "qwen2", **HEADS}},
     "(decoder_config): all layers turn all 16 channels"),
    ({"model_type": "minicpmv", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}, "4 x 4"),
    ({"model_type": "own", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}, "16 rows"),
    ({"model_type": "own", **TURNING, "vision_config": {"model_type": "clip", **SIZES, **VIEW}}, "17 rows"),
    ({"img_size": 32, "patch_size": 8, "embed_dim": 64, "depth": 2, "n_heads": 4}, "vit adds … 4 x 4 patches"),
    ({"model_type": "BitNet-b1.58", **SIZES}, "bitnet: all 2 layers … base 500,000"),
    ({"model_type": "efficientnet_b3"}, "efficientnet has no positional encoding"),
    ({"model_type": "bert-base-uncased", "max_position_embeddings": 96}, "bert adds … 96 positions"),
    ({**OF_LENS, **BY_PARTS}, "base 500,000 with the rule of Llama 3, factor 32 from 8,192 tokens"),
    ({**OF_LENS, **BY_PARTS, "NTK_original_ctx_len": 4096}, "factor 32 from 4,096 tokens"),
    ({"model_type": "t5", "architectures": ["Chronos2Model"], "d_model": 64, "num_heads": 4, "rope_theta": 1e4},
     "llama: all layers turn all 16 channels"),
    ({"model_type": "reformer", "lsh_attn_chunk_length": 32},
     "LSH layers sort tokens by a hash, and see blocks of 32 of them, with 1 before and 0 after"),
    ({"model_type": "deberta-v2", "conv_kernel_size": 3}, "a convolution over 3 tokens"),
    ({"model_type": "lilt", "max_position_embeddings": 98},
     "the layout has a learned table of 98 rows of its own, 192 channels wide"),
    ({"model_type": "vjepa2", "pred_hidden_size": 96, "pred_num_attention_heads": 2}, "turns 16 channels each"),
    ({"model_type": "sam_vision_model"}, "27 rows each for a window and 127 rows each for the whole image"),
    ({"model_type": "sam_vision_model", "window_size": 0}, "offsets have 127 rows each for the whole image"),
    ({"model_type": "sam", "vision_config": {"num_pos_feats": 64}}, "cosines in 64 random directions"),
    ({"model_type": "mask2former", "num_queries": 9, "backbone_config": SWIN},
     "529 offsets … to queries of its pixel decoder and to keys of its decoder … each of its 9 object queries"),
    ({"model_type": "maskformer", "decoder_config": {"model_type": "detr", "num_queries": 9}},
     "maskformer adds sinusoids of row and column to keys of its decoder … each of its 9 object queries"),
    ({"model_type": "oneformer", "num_queries": 9, "backbone_config": SWIN}, "each of its 8 object queries"),
    ({"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper", "max_source_positions": 9}},
     "audio_config (whisper_encoder) adds a fixed sinusoid for each of 9 frames"),
    ({"model_type": "sam2", "prompt_encoder_config": {"hidden_size": 64}}, "cosines in 32 random directions"),
    ({"model_type": "sam2_video", "memory_attention_num_attention_heads": 2, "num_maskmem": 5},
     "where it attends to memories it turns … all 128 channels of a head turn … each of 5 memories"),
    ({"model_type": "sam2_video", "memory_attention_rope_theta": 500.0}, "with a base of 500"),
    ({"model_type": "sam2_video", "rope_parameters": {"rope_theta": 300.0}}, "with a base of 300"),
    ({**TURNING, "rotary_scaling": {"rope_type": "linear", "factor": 4.0}}, "with position interpolation, factor 4"),
    ({"model_type": "grounding-dino", "num_queries": 9, "backbone_config": SWIN},
     "each of its 9 object queries begins as a learned vector … cut behind 256 … a head of its encoder reads 4 "
     "points … the sinusoids of its image is 20, that of its text and boxes is 10,000 … 529 offsets"),
    ({"model_type": "mm-grounding-dino", "position_embedding_type": "learned"},
     "50 rows and 50 columns to queries of its encoder"),
    ({"model_type": "patchtsmixer", "context_length": 96}, "no positional encoding; it reads 96 points in patches"),
    ({"model_type": "patchtsmixer", "context_length": 96, "use_positional_encoding": True}, "each of 12 patches"),
    ({"model_type": "progen", **GPT, "n_positions": 96, "rotary_dim": 8}, "codegen turns the first 8 of 16 channels"),
    ({"model_type": "stripedhyena", **TURNING, **EVO, "rotary_emb_scaling_factor": 16},
     "1 conv layers turn no … 1 full attention layers turn all 16 channels … position interpolation, factor 16"),
    ({**TURNING, **GROK}, "with YaRN, factor 16 from 64 tokens"),
    ({"model_type": "hunyuan", **TURNING, "rope_scaling": STATIC_NTK}, "with static NTK of alpha 1000"),
    ({"model_type": "new", "architectures": ["NewModel"], **TURNING}, "gte: all 2 layers … far ahead as back"),
    ({"model_type": "cogvlm", **SIZES, "vision_config": {**SIZES, **VIEW}},
     "llama: all 2 layers … vision_config (eva_clip) adds a learned vector for each of 4 x 4 patches and 1 more"),
    ({"model_type": "llava_llama", "llm_cfg": {"model_type": "qwen2", **TURNING}, "hidden_size": 96},
     "qwen2 (llm_cfg): all 2 layers turn all 16 channels"),
    ({"model_type": "ovis", "llm_config": {"model_type": "qwen2", **TURNING}, "visual_tokenizer_config": AROUND},
     "visual_tokenizer_config (aimv2_of_authors) adds a learned vector for each of 4 x 4 patches"),
    ({"model_type": "own", **TURNING, "vision_encoder_config": {"model_type": "videollama3_vision_encoder"}},
     "(2-D RoPE); all 72 channels of a head turn … with a base of 10,000"),
    ({"model_type": "zamba", "num_hidden_layers": 16}, "3 of 16 layers have attention"),
    ({"model_type": "KeyeVL1_5", **TURNING, "rope_scaling": {"mrope_section": [2, 3, 3]}}, "pairs 2 : 3 : 3"),
    ({"model_type": "KeyeVL1_5", **TURNING, "vision_config": {"model_type": "KeyeVL1_5", **SIZES, **VIEW}},
     "all 16 channels … vision_config (siglip2_navit) adds a learned vector for each of 4 x 4 patches"),
    ({"model_type": "qwen3_tts", "talker_config": {**TALKER, "code_predictor_config": PREDICTOR}},
     "its pairs 3 : 3 : 2 … qwen3 (talker_config.code_predictor_config): all 2 layers turn all 16 channels"),
    ({"model_type": "own", **TURNING, "depth_config": {**PREDICTOR, "model_type": "own"}}, "llama (depth_config)"),
    ({"model_type": "glmasr", "lm_config": {"model_type": "llama", **TURNING}, "whisper_config": GLM_HEARING},
     "glmasr_encoder (whisper_config) … turn 32 of 64 channels … claims 96 tokens"),
    ({"model_type": "own", **TURNING, "vision_config": {"model_name": "deeplip_b_l", "model_type": "vision"}},
     "64 x 64 patches … 27 rows each for a window … beside that of SAM another encoder … 257 rows"),
    ({"model_type": "own", **TURNING, "vision_config": {"model_type": "vision", "params": HYBRID}},
     "32 x 32 patches … beside that of SAM another encoder … 24 x 24 patches, 576 rows"),
    ({"input_patch_len": 16, "context_len": 96, "model_dims": 64, "num_heads": 4},
     "a sinusoid of the number of each patch of 16 points … it reads 96 points … 64 channels"),
    ({"input_patch_len": 16, "context_limit": 96, "stacked_transformers": {"num_layers": 2, "transformer": TURNED}},
     "timesfm2_5: all 2 layers turn all 16 channels of a head by RoPE of base 10,000; it claims 96"),
    ({"model": "xtts", "model_args": {"gpt_max_text_tokens": 94, "gpt_max_audio_tokens": 105}},
     "96 tokens that are read and of 108 frames"),
    ({"model": "vits", "model_args": {"hidden_channels": 64, "num_heads_text_encoder": 4}},
     "vits has learned vectors of distances up to 4 … 16 channels"),
    ({"model": "vits", "model_args": {"hidden_channels": 64, "num_heads_text_encoder": 4,
     "use_language_embedding": True, "embedded_language_dim": 8}},
     "vits has learned vectors of distances up to 4 … 18 channels"),
    ({"encoder": "conformer", "encoder_conf": {"output_size": 64}, "decoder": "transformer"},
     "espnet compares its queries with sinusoids of distances; its decoder adds a fixed sinusoid … 64 channels"),
    ({"encoder": "transformer", "encoder_conf": {}}, "espnet adds a fixed sinusoid for each frame"),
    ({"model_type": "bloom", "n_head": 6}, "each of its 6 heads has a slope of its own"),
    ({"model_type": "falcon", "alibi": True, "num_attention_heads": 6}, "each of its 6 heads has a slope"),
    ({"d_model": 96, "nhead": 6, "num_layers": 2, "use_alibi": True}, "each of its 6 heads has a slope"),
    ({"model_type": "t5", "num_heads": 6}, "each of its 6 heads has biases of its own"),
    ({"model_type": "swin", "num_heads": [2, 4]}, "shifts its windows by 3 patches … the stages have 2, 4 heads"),
    ({"model_type": "marian", "d_model": 96}, "have 96 channels … the base of its sinusoids is 10,000"),
    ({"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper", "d_model": 96}}, "96 channels"),
    ({"model_type": "recurrent_gemma", "num_hidden_layers": 4}, "3 recurrent layers turn nothing … 1 sliding"),
    ({"model_type": "layoutlmv3", "has_spatial_attention_bias": False}, "of tokens fall into 32 buckets up to 128; f"),
    ({"model_type": "deberta-v2", "relative_attention": True, "position_buckets": 96}, "up to 512 fall into 96"),
    ({"model_type": "gte", "rope_scaling": {"type": "ntk", "factor": 2.0}, "architectures": ["GteModel"]}, "factor 2"),
    ({"model_type": "reformer"}, "the rows have 64 and 192 channels"),
    ({"model_type": "deberta-v2", "relative_attention": True, "pos_att_type": "c2p", "hidden_size": 96},
     "1,024 rows of 96 channels … queries meet them (c2p)"),
    ({"model_type": "deberta", "relative_attention": True}, "so that no score has them"),
    ({"model_type": "wav2vec2-bert", "hidden_size": 96}, "its vectors of distances have 6 channels"),
    ({"model_type": "sam_vision_model", "hidden_size": 96}, "each of these rows has 8 channels"),
    ({"model_type": "vivit"}, "16 x 14 x 14 patches of a film and 1 more, 3,137 rows; its film has 32 frames of"),
    ({"model_type": "omdet-turbo", "learn_initial_query": True, "num_queries": 9},
     "to queries and keys of its encoder … each of its 9 object queries begins as a learned vector"),
    ({"model_type": "rf_detr", "num_queries": 9}, "sinusoids of each box … each of its 9 object queries begins"),
    ({"model_type": "edgetam_video", "perceiver_resampler_num_latents": 9},
     "all 256 channels of a head turn … a memory becomes 9 vectors of the whole image and 256 of its windows"),
    ({"model_type": "minicpmv", **TURNING, "query_num": 9}, "has 9 queries that read the patches … 64 channels"),
    ({"model_type": "cpmbee", "position_bias_num_buckets": 96},
     "each of 96 buckets of distances within a part … 256 relations of two parts"),
    ({"model_type": "cpmant"}, "1,024 relations of two parts … each of its 32 heads has biases"),
    ({"model_type": "kimi_linear", "num_hidden_layers": 4, "linear_attn_config": {"full_attn_layers": [4]}},
     "1 of 4 layers have attention"),
    ({"model_type": "mpt", "d_model": 96, "attn_config": {"alibi": False}},
     "gpt2 adds a learned vector for each of 2,048 positions … have 96 channels"),
    ({"model_type": "mpt", "n_heads": 8, "attn_config": {"alibi": False, "rope": True, "rope_theta": 500}},
     "llama: all layers turn all 256 channels of a head by RoPE of base 500"),
    ({"model_type": "mpt", "learned_pos_emb": False, "attn_config": {"alibi": False}}, "no positional encoding"),
    ({**TURNING, "vocab_size": 9, "nope_layer_interval": 2}, "1 full attention layers without RoPE turn nothing"),
    ({"model": {"type": "qwen2", "context_length": 96, "decoder": {**SIZES, "head_size": 32}}, "search": {}},
     "qwen2: all 2 layers turn all 32 channels … claims 96"),
    ({"dim": 64, "num_heads": 4, "num_layers": 2, "max_period": 500, "context": 96, "positional_embedding": "rope"},
     "all 16 channels of a head by RoPE of base 500, seeing at most 96 tokens"),
    ({**SIZES, "max_len": 96, "positional_encoding": {"use_learned": False, "use_rope": True}},
     "llama: all 2 layers turn all 16 channels … claims 96"),
    ({"max_position_embeddings": 96, "type_vocab_size": 2, **SIZES},
     "bert adds a learned vector for each of 96 positions"),
    ({"max_position_embeddings": 98, "type_vocab_size": 1, **SIZES},
     "roberta adds a learned vector for each of 96 positions"),
    ({"model_type": "sam", "vision_config": {"model_type": "", "image_size": 64}, "mask_decoder_config": {}},
     "4 x 4 patches"),
    ({"emb_size": 64, "hidden_size": 64, "heads_num": 4, "layers_num": 2, "rotary_position_embedding": True},
     "llama: all 2 layers turn all 16 channels"),
    ({"model_type": "gpt2-rope", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 96},
     "llama: all 2 layers turn all 16 channels … claims 96"),
    ({"model_type": "chatglm", "hidden_size": 64, "num_attention_heads": 4, "num_layers": 2}, "turn 8 of 16 channels"),
    ({"model_type": "luke", "max_position_embeddings": 98, "hidden_size": 64},
     "each of 96 positions … from a table of 98 rows of its own"),
    ({"model_type": "vit_mae", "decoder_hidden_size": 96},
     "in pre-training a decoder adds sinusoids of its own, 96 channels … sinusoids is 10,000"),
    ({"model_type": "seamless_m4t_v2", "t2u_max_position_embeddings": 96},
     "units of speech have sinusoids for 96 positions"),
    ({"model_type": "conditional_detr"}, "a point of each of these vectors, and queries of its decoder have"),
    ({"model_type": "donut", "max_length": 96, "window_size": 3},
     "donut adds a learned vector for each of 96 positions … 25 offsets in windows of 3 x 3"),
    ({"model_type": "nougat", "max_position_embeddings": 96, "embed_dim": 8, "hidden_dimension": 64},
     "each of 96 positions … 361 offsets … have 64 channels"),
    ({"emb_size": 64, "heads_num": 4, "layers_num": 2, "max_seq_length": 96, "embedding": ["word", "pos"]},
     "gpt2 adds a learned vector for each of 96 positions"),
    ({"hidden_size": 64, "max_seq_length": 96, "embedding": "word_sinusoidalpos"}, "ctrl adds a fixed sinusoid"),
    ({"model_type": "d_fine", "num_queries": 9}, "its 9 object queries are boxes"),
    (OF_WHISPER, "each of 50 frames, a hard limit, and a learned vector for each of 20 tokens"),
    ({"dims": OF_WHISPER}, "its vectors of positions have 64 channels"),
    ({"class_name": "BertBackbone", "config": OF_KERAS}, "bert adds a learned vector for each of 96 positions"),
    ({"class_name": "GPT2Backbone", "config": OF_KERAS}, "gpt2 adds a learned vector for each of 96 positions"),
    ({"class_name": "MistralBackbone", "config": {**OF_KERAS, "rope_max_wavelength": 20_000}},
     "all 16 channels of a head by RoPE of base 20,000"),
    ({"class_name": "DistilBertBackbone", "config": OF_KERAS}, "distilbert adds a learned vector"),
    ({"class_name": "Llama3Backbone", "config": {**OF_KERAS, "rope_frequency_adjustment_factor": 2.0,
      "rope_low_freq_factor": 1.0, "rope_high_freq_factor": 4.0, "rope_pretraining_sequence_length": 48}},
     "with the rule of Llama 3, factor 2 from 48 tokens"),
    ({"class_name": "LlamaBackbone", "config": {**OF_KERAS, "rope_scaling_factor": 3.0}}, "interpolation, factor 3"),
    ({"class_name": "GemmaBackbone", "config": {**OF_KERAS, "use_sliding_window_attention": True,
      "sliding_window_size": 8}}, "gemma2: … seeing at most 8 tokens"),
    ({"class_name": "Gemma3Backbone", "config": {**OF_KERAS, "use_sliding_window_attention": True, "num_layers": 6,
      "global_rope_scaling_factor": 2.0}}, "seeing at most 1,024 tokens; … base 1,000,000 with position interpolation"),
    ({"class_name": "Gemma3Backbone", "config": OF_KERAS}, "gemma: … base 1,000,000"),
    ({"emb_dim": 64, "n_heads": 4, "rope_base": 5e5, "context_length": 2048, "rope_freq": RAISED}, "of Llama 3"),
    ({"hidden_dim": 64, "num_queries": 9, "position_embedding": "learned", "enc_layers": 2},
     "detr adds learned vectors of 50 rows and 50 columns"),
    ({"input_size": 32, "patch_size": 2, "hidden_size": 64, "num_heads": 4, "learn_sigma": True},
     "a fixed sinusoid for each of 16 x 16 patches, 64 channels wide"),
    ({"d_model": 64, "n_heads": 4, "attn_config": {"alibi": True}}, "mpt lowers each score with the distance"),
    ({"d_model": 64, "nhead": 4, "max_len": 5000}, "ctrl adds a fixed sinusoid for each of 5,000 positions"),
    ({**SIZES, "max_position_embeddings": 96, "attention_probs_dropout_prob": 0.1}, "bert adds a learned vector"),
    ({"run": 1, "MODEL": {"SWIN": {"WINDOW_SIZE": 4, "PATCH_SIZE": 4, "DEPTHS": [2], "NUM_HEADS": [2]}}}, "swin adds"),
    ({"own": {"encoder": {**SIZES, "max_len": 96, "pos_encoding": "sinusoidal"}}}, "ctrl adds a fixed sinusoid"),
    ({"model_type": "nezha", **SIZES, "max_relative_position": 9}, "up to 9 on each side"),
    ({"model_type": "nezha", **SIZES}, "these have 16 channels; 512 tokens are a hard limit; it has no table"),
    ({"model_type": "enformer", "dim": 64, "heads": 4}, "mixtures of 16 functions of a distance"),
    ({"model_type": "hyenadna", "max_seq_len": 96, "emb_dim": 3}, "from 3 numbers of a place, for at most 96"),
    ({"model_type": "molformer", **SIZES}, "RoPE of base 10,000; a token sees as far ahead as back"),
    ({"encoder": "conformer", "encoder_conf": {"output_size": 64}, "decoder": "bitransformer"},
     "its decoder adds a fixed sinusoid"),
    ({**BERT, "embedding_size": 16}, "electra adds … have 16 channels"),
    ({"model": {**OF_VITS, "upsample_rates": [8]}}, "vits has learned vectors of distances up to 4 … 16 channels"),
    ({"model": {**OF_VITS, "window_size": 6}}, "up to 6 on each side"),
    ({"model": {**OF_VITS, "n_blocks_dec": 2}}, "vits has no positional encoding"),
    (OF_CLIP, "open_clip_vision adds … 4 x 4 patches and 1 more … have 64 channels"),
    ({**OF_CLIP, "context_length": 7, "transformer_width": 32}, "each of 7 positions … have 32 channels"),
    ({"encoder": {**HEARING, "self_attention_model": "rel_pos"}}, "sinusoids of distances … at most 8 frames"),
    ({**HEARING, "self_attention_model": "abs_pos"}, "a fixed sinusoid for each frame … have 64 channels"),
    ({**NMT, "position_encoding": True}, "adds a fixed sinusoid for each position … have 64 channels"),
    ({**NMT, "max_relative_positions": 20}, "up to 20 on each side … have 16 channels"),
    ({**NMT, "position_encoding": False}, "open_nmt has no positional encoding"),
    ({**SIZES, "positional_embedding": "sin"}, "uer adds a fixed sinusoid for each position"),
    ({"model_type": "lfm2", "num_hidden_layers": 4, "full_attn_idxs": [1, 3]},
     "the full attention layers are 1, 3, counted from 0"),
    ({"model_type": "gemma2", "num_hidden_layers": 40}, "attention layers are 1, 3 and so on to 39, counted from 0"),
    ({"model_type": "dinat", "dilations": [[1, 8], [1, 4]]}, "these lie up to 8 patches apart"),
    ({"model_type": "gemma2", "num_hidden_layers": 3}, "the full attention layers are 1, counted from 0"),
    ({"model_type": "jamba", "num_hidden_layers": 16}, "2 of 16 layers have attention; these are 4, 12, counted"),
    ({"model_type": "funnel", "block_sizes": [2, 3], "num_decoder_layers": 1},
     "its blocks have 2, 3 layers, and each but the first has half as many places … a decoder of 1 layers"),
    ({"model_type": "speecht5", "architectures": ["SpeechT5ForSpeechToText"]}, "a convolution 128 wide"),
    ({"model_type": "gemma4_audio", "attention_context_left": 9, "attention_context_right": 4},
     "sees at most 7 frames before it and 3 after it"),
    ({"model_type": "gemma4_text", "use_bidirectional_attention": "all", "sliding_window": 64},
     "seeing at most 67 tokens … a token sees as far ahead as back"),
    ({"model_type": "gemma4_text", "per_layer_config": {"5": {"head_dim": 384}}}, "96 of 384 channels"),
    ({"model_type": "glm4v_vision", "num_attention_heads": 24}, "all 64 channels of a head"),
    ({"model_type": "ovis2_vision", **VIEW}, "16 rows; an image of 32 x 32 pixels … 8 x 8; another number of"),
    ({"model_type": "qianfan_ocr_vision", "use_absolute_position_embeddings": False}, "no positional encoding"),
    ({"model_type": "minicpmv4_6_vision", "image_size": 64, "window_kernel_size": [4, 4]},
     "4 x 4 patches, 16 rows … its window of 4 x 4 patches"),
    ({"model_type": "granite_docling_vision", "image_size": 256, "out_hidden_size": 96},
     "16 x 16 patches, 256 rows … to the 4 x 4 or 8 x 8 tokens … 96 wide"),
    ({"model_type": "granite_docling_vision", "scale_factor": 2, "use_fine_route": False}, "to the 16 x 16 tokens"),
    ({"model_type": "hunyuan_vl_vision", "max_image_size": 64}, "4 x 4 patches, 17 rows … 1 row of its table stands"),
    ({"model_type": "cosmos3_edge_vision", "num_patches": 16}, "4 x 4 patches, 16 rows … interpolated"),
    ({"model_type": "glm_image_vision", **VIEW}, "4 x 4 patches, 16 rows … interpolated"),
    ({"model_type": "unlimited_ocr_vision_encoder", **VIEW}, "4 x 4 patches and 1 more, 17 rows … interpolated"),
    ({"model_type": "inkling2_vision", "posemb_grid_size": 16}, "16 x 16 patches, 256 rows … token has a vector … 2-D"),
    ({"model_type": "muse_glimmer_vision", "pos_emb_height": 8, "pos_emb_width": 8, "num_hidden_layers": 6},
     "8 x 8 patches, 64 rows … layers 3, 5 see the whole image, the others windows of 8 x 8 patches"),
    ({"model_type": "muse_spark_vision", "layer_types": ["window_attention"]}, "its layers see windows of 32 x 32"),
    ({"model_type": "lfm3_vl_vision", "num_hidden_layers": 5, "conv_kernel_size": 5},
     "base of 1,000,000; rows and columns have no limit; layers 2, 4 attend, the others have a convolution over 5 x 5"),
    ({"model_type": "video_llama_3_vision", "hidden_size": 96}, "all 8 channels of a head"),
    ({"model_type": "dots3_note_vision_encoder", "hidden_size": 96}, "all 4 channels of a head"),
    ({"model_type": "ernie4_5_vl_moe_vision", "hidden_size": 160}, "all 10 channels of a head"),
    ({"model_type": "glm5_next_vision", "hidden_size": 160}, "all 10 channels of a head"),
    ({"model_type": "pixtral", "patch_size": 32}, "made for images up to 32 x 32 patches"),
    ({"model_type": "gemma4_unified", "vision_config": {"mm_posemb_size": 9, "mm_embed_dim": 64}, "audio_config": {}},
     "patch, 9 of each, a hard limit … have 64 channels … audio_config (gemma4_unified_audio) has no attention"),
    ({"model_type": "step3p7", "vision_config": {"model_type": "perception_encoder", "width": 96, "heads": 6}},
     "(step3p5_vision) adds … 52 x 52 patches … all 16 channels of a head … have 96 channels"),
    ({"model_type": "minimax_m3_vl", "vision_config": {"model_type": "clip_vision_model"}}, "(minimax_m3_vl_vision)"),
    ({"model_type": "pp_chart2table", "vision_config": {"image_size": 512}}, "(got_ocr2_vision) adds … 32 x 32"),
    ({"model_type": "moss_transcribe_diarize_audio", "max_source_positions": 9}, "each of 9 frames, a hard limit"),
    ({"model_type": "idefics", "use_resampler": True, "perceiver_config": {}}, "perceiver_config (idefics_perciever)"),
    ({"model_type": "instructblip_qformer", "max_position_embeddings": 9}, "9 positions … in front of the text"),
    ({"model_type": "blip-2", "qformer_config": {"use_qformer_text_input": True}}, "512 … in front of the text"),
    ({"model_type": "kosmos-2", "latent_query_num": 9, "text_config": {"pad_token_id": 4}},
     "its places begin with 5 … kosmos-2 has 9 learned queries"),
    ({"model_type": "kosmos-2.5"}, "kosmos-2.5 has 2,048 learned queries"),
    ({"model_type": "granite4_vision", "text_config": TURNING, "downsample_rate": "2/6"},
     "each of 6 x 6 patches of a window … each of 2 x 2 places"),
    ({"model_type": "qwen2_5_vl", "vision_config": {"tokens_per_second": 9}}, "a second of a film 9 places of time"),
    ({"model_type": "minicpmv4_6"}, "minicpmv4_6 gives each token one place"),
    ({"model_type": "nougat", "decoder": {"model_type": "mbart", "max_position_embeddings": 96}, "encoder": SWIN},
     "mbart adds … 96 positions … encoder (swin) … windows of 12 x 12"),
    ({"model_type": "exaone4_5", "text_config": {"model_type": "exaone4_5_text"}}, "exaone4 (text_config)"),
    ({"model_type": "colpali", "vlm_config": {"model_type": "paligemma", "text_config": {"model_type": "gemma"}}},
     "gemma (vlm_config.text_config) … a token sees as far ahead as back"),
    ({"model_type": "fuyu", **HEADS, "partial_rotary_factor": 1.0}, "8 of 16 channels"),
    ({"model_type": "intern_vit_300m", **VIEW}, "4 x 4 patches and 1 more, 17 rows … for another size the table is"),
    ({"model_type": "cosmos3_edge_text", "head_dim": 64, "rope_parameters": {"mrope_section": [12, 10, 10]}},
     "all 64 channels of a head … 12 : 10 : 10"),
    ({"model_type": "dots3_note_text", "swa_head_dim": 96, "swa_qk_nope_head_dim": 64, "swa_rope_theta": 2e4},
     "64 of 192 channels of a head by RoPE of base 80,000,000 … 32 of 96 channels of a head by RoPE of base 20,000"),
    ({"model_type": "mllama_text_model", "num_hidden_layers": 9}, "the cross attention layers are 3, 8, counted"),
    ({"model_type": "qwen4_exp_text", "num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"]},
     "the indexed attention layers are 1, counted from 0"),
    ({"model_type": "glm5_next_text", "index_topk": 96, "index_kpool": 8}, "at most 96 tokens for each, in pools of 8"),
    *((config, "a token sees as far ahead as back") for config in (ESM, BASED)),
    *(({"model_type": kind}, "a token sees as far ahead as back")
      for kind in ("roformer", "xlnet", "funnel", "dia_encoder", "glmasr_encoder", "lasr_encoder", "pe_video_encoder",
                   "nemotron3_5_transcribe_asr_audio", "nemotron3_5_transcribe_word_timestamp",
                   "nemotron3_diarization_audio")),
    ({"model_type": "xlnet", "bi_data": True}, "second half of the texts of a batch counts distances the other way"),
    ({"model_type": "reformer"}, "with 1 before and 0 after; the first block follows the last"),
    ({"model_type": "reformer", "is_decoder": True}, "see blocks of 64 of them, with 1 before and 0 after."),
    ({"model_type": "modernbert", "local_attention": 128, "sliding_window": 32}, "seeing at most 65 tokens"),
    ({"model_type": "modernbert-decoder", "local_attention": 128, "sliding_window": 32}, "seeing at most 32 tokens"),
    ({"model_type": "whisper", "architectures": ["WhisperForCausalLM"], "max_target_positions": 96},
     "whisper adds a learned vector for each of 96 tokens of its text, a hard limit;"),
    ({"model_type": "whisper", "architectures": ["WhisperEncoder"], "max_source_positions": 96},
     "96 frames, a hard limit;"),
    ({"model_type": "whisper", "architectures": ["WhisperVQEncoder"], "max_source_positions": 90, "pooling_position": 3,
     "pooling_kernel_size": 4, "quantize_position": 5, "quantize_vocab_size": 16},
     "behind 3 layers 4 frames become one; behind 5 layers a second table … for each of 23 places"),
    ({"model_type": "seamless_m4t_v2", "pad_token_id": 4}, "its places begin with 5, and padding gets none"),
    ({"model_type": "qwen2_5_omni_dit", "max_position_embeddings": 96}, "more than 96 frames are refused"),
    ({"model_type": "hifigan", "upsample_rates": [4]}, "speecht5_hifigan has no attention, and no table of positions"),
    ({"upsample_rates": [4], "resblock_kernel_sizes": [3], "upsample_initial_channel": 8}, "has no attention"),
    ({"plbert": {**SIZES, "max_position_embeddings": 96}, "istftnet": {}, "n_layer": 2, "text_encoder_kernel_size": 7},
     "albert adds a learned vector for each of 96 positions … 128 channels"),
    ({"model_type": "qwen3_asr", "thinker_config": {"audio_config": {"model_type": "qwen3_asr_audio_encoder",
     "max_source_positions": 96}, "text_config": {"model_type": "qwen3_asr_text", **TURNING}}},
     "its table has 96 rows"),
    ({"encoder_rates": [2], "decoder_rates": [2], "attn_window_size": None, "vq_strides": [2]}, "snac has no"),
    ({"encoder_rates": [2], "decoder_rates": [2], "attn_window_size": 9, "vq_strides": [2]},
     "see their window of 9 frames … base 10,000, all 64 channels"),
    ({"model_type": "gigaam", "cfg": {"encoder": {**HEARING, "self_attention_model": "rotary", "rope_base": 700}}},
     "nemo_encoder turns q and k with RoPE of base 700, all 16 channels"),
    ({"model_type": "step_audio_2", "text_config": {"model_type": "llama"}, "audio_encoder_config": {"n_mels": 8,
     "n_audio_ctx": 96, "n_audio_state": 64}}, "(whisper_encoder) adds … 96 frames … 64 channels"),
    ({"model_type": "parler_tts", "decoder": {"model_type": "parler_tts_decoder", "max_position_embeddings": 96}},
     "96 positions … parler_tts puts the text that it speaks before the tokens of sound"),
    ({"model_type": "parler_tts", "decoder": {"model_type": "parler_tts_decoder"}, "prompt_cross_attention": True,
     "audio_encoder": {"model_type": "dac_on_the_hub"}}, "to each token of the text that it speaks … (dac) has no"),
    ({"model_type": "tinytimemixer", "context_length": 64, "patch_length": 16, "patch_stride": 16, "d_model": 64,
     "adaptive_patching_levels": 3, "num_layers": 2, "resolution_prefix_tuning": True, "decoder_num_layers": 6},
     "3 groups of 2 layers, in which a linear layer joins 20, 10, 5 pieces … in front of them stands one … its decoder "
     "has 6 such layers of all 4 patches … of a longer series than 64 points it reads the last"),
    ({"model_type": "tspulse", "context_length": 96, "patch_length": 12}, "96 points in patches of 12 … all patches"),
    ({"model_type": "flowstate", "context_length": 96, "encoder_num_layers": 3}, "3 recurrent … 96 points"),
    ({"model_type": "caduceus", "ssm_cfg": {"d_conv": 3}, "rcps": True}, "from both ends … 3 tokens … both strands"),
    ({"model_type": "AMPLIFY", **SIZES, "max_length": 96}, "base 10,000, all 16 channels … 96 tokens"),
    ({"model_type": "minicpmo", **HEADS, "tts_config": {"model_type": "conditional_chattts", "num_hidden_layers": 3}},
     "llama (tts_config): all 3 layers turn all 64 channels … base 10,000; it claims 4,096 tokens"),
    ({"model_type": "qwen3_tts_tokenizer_12hz", "decoder_config": {**SIZES, "head_dim": 32, "sliding_window": 9},
     "encoder_config": {**SIZES, "head_dim": 8}},
     "see 9 tokens … base 10,000, all 32 channels … mimi (encoder_config): all 2 layers turn all 8 channels"),
    ({"model_type": "qwen3_omni_moe", "code2wav_config": {"max_position_embeddings": 96}},
     "code2wav_config (qwen3_omni_moe_code2wav) lets … all 64 channels of a head, and claims 96 tokens"),
    ({"model_type": "clvp"}, "speech_config (clvp_encoder) turns … a token sees as far ahead as back"),
    ({**ESM, **SIZES, "model_type": "fast_esm"}, "esm turns … all 16 channels … a token sees as far ahead as back"),
])  # fmt: skip
def test_what_the_sentence_says(config, words):
    assert has(words, inspected(config).summary)


@each(("config", "words"), [
    ({**JINA, "is_decoder": True}, "as far ahead"),
    ({"model_type": "own", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}, "siglip_text_model"),
    ({"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper"}}, "tokens of its text"),
    ({"model_type": "maskformer", "decoder_config": {"model_type": "detr"}}, "of its encoder"),
    ({"model_type": "grounding-dino", "embedding_init_target": False}, "begins as"),
    ({"model_type": "layoutlmv3", "visual_embed": False}, "patches"),
    ({"model_type": "layoutlmv3", "has_relative_attention_bias": False}, "biases"),
    ({"model_type": "speecht5", "architectures": ["SpeechT5ForTextToSpeech"]}, "a convolution 128 wide"),
    *(({**config, "is_decoder": True}, "as far ahead") for config in (ESM, BASED)),
    ({"model_type": "xlnet", "attn_type": "uni"}, "as far ahead"),
    ({"model_type": "transfo-xl", "d_model": 64}, "as far ahead"),
    *(({**config, "max_position_embeddings": 96}, "counted from 0") for config in ({"model_type": "gemma2"},
     {"model_type": "llama"})),
    ({"architectures": ["BertModel"], "max_position_embeddings": 96}, "its vectors of positions have"),
    ({"architecture": "vit_giant_patch14_224", "input_size": [3, 224, 224]}, "its vectors of positions have"),
    ({"model_type": "bert-base-uncased"}, "its vectors of positions have"),
    *(({"model_type": kind, "architectures": [name]}, "its encoder and its decoder") for kind, name in (
        ("t5", "T5ForTokenClassification"), ("m2m_100", "M2M100Encoder"), ("mbart", "MBartForCausalLM"))),
    ({"t5_config": {"d_model": 64}, "seq_len": 96, "patch_len": 8, "transformer_type": "encoder_only"}, "its encoder"),
    ({"model_type": "bigbird_pegasus", "architectures": ["BigBirdPegasusForCausalLM"]}, "random blocks"),
    ({"model_type": "big_bird", "is_decoder": True, "add_cross_attention": True}, "random blocks"),
    ({"model_type": "prophetnet", "architectures": ["ProphetNetEncoder"]}, "its decoder"),
])  # fmt: skip
def test_what_the_sentence_leaves_out(config, words):
    assert words not in inspected(config).summary


@each("kind", ["wav2vec2", "hubert", "wavlm", "sew", "unispeech", "data2vec-audio", "sew-d"])
def test_the_groups_of_a_convolution_are_told(kind):
    assert "channels in 16 groups" in inspected({"model_type": kind}).summary
    assert (
        "96 channels in 4 groups"
        in inspected({"model_type": kind, "num_conv_pos_embedding_groups": 4, "hidden_size": 96}).summary
    )


@each("given", [{"rope_theta": 77.0}, {"rope_parameters": {"rope_type": "axial", "rope_theta": 77.0}}])
@each("kind", ["pixtral", "qwen2_5_vl_vision", "gemma4_vision", "mlcd"])
def test_another_base_of_two_dimensions_is_read(kind, given):
    assert "base of 77" in inspected({"model_type": kind, **given}).summary


@each(("config", "layers"), [
    ({"model_type": "mllama_text_model", "num_hidden_layers": 5, "cross_attention_layers": [1, 3]}, [0, 2, 4]),
    ({"model_type": "recurrent_gemma", "num_hidden_layers": 7, "block_types": ["recurrent", "attention"]}, [1, 3, 5]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 5, "first_k_dense_replace": 1}, [0, 1, 2, 3]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 5, "first_k_dense_replace": 1,
     "prefix_dense_sliding_window_pattern": 2}, [0, 1, 2, 3]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 2, "layer_types": ["full_attention"] * 2,
     "mlp_layer_types": ["dense", "sparse"]}, [0]),
    ({"model_type": "minimax_m1", "num_hidden_layers": 3, "head_dim": 16, "attn_type_list": [0, 0, 1]}, [2]),
    ({"model_type": "exaone4", "sliding_window": None, "num_hidden_layers": 2, "layer_types": ["full_attention"] * 2},
     [0, 1]),
    ({"model_type": "granite_swa", "num_hidden_layers": 4, "layer_rope_theta": [1e4, 0, 1e4, 0]}, [0, 2]),
])  # fmt: skip
def test_which_layers_turn(config, layers):
    groups = inspected({**HEADS, **config}).groups
    assert sorted(layer for group in groups if group.rotation for layer in group.layers) == layers


@each(("config", "expected"), [
    ({"model_type": "minimax_m3", "head_dim": 16, "partial_rotary_factor": 0.5}, ("rope", 8)),
    ({"model_type": "minicpmv", "patch_size": 14, "vision_config": {}}, ("rope", 16)),
    ({"model_type": "glm_moe_dsa", "layer_types": ["deepseek_sparse_attention"] * 2}, ("rope", 64)),
    ({"model_type": "phi3_v", "rope_scaling": {**LONG, "type": "su"}, "original_max_position_embeddings": 100,
     "max_position_embeddings": 800}, ("rope", 16)),
    ({"model_type": "rwkv5"}, ("none", None)),
])  # fmt: skip
def test_what_real_files_showed(config, expected):
    found = inspected({**HEADS, "num_hidden_layers": 2, **config})
    turned = [group.rotation.n_rotated for group in found.groups if group.rotation is not None]
    assert (found.mechanism, *(turned or [None])) == expected


@each(("config", "windows"), [
    ({"model_type": "mimo_v2_flash", "sliding_window": 128, "sliding_window_size": 128}, {None, 129}),  # and itself
    ({"model_type": "neomme"}, {None, 513, 2049}),  # both sides
    ({"model_type": "dots3_note_text"}, {None, 512}),
    ({"model_type": "minimax", "num_hidden_layers": 2, "sliding_window": 4}, {None, 4}),
])  # fmt: skip
def test_windows_of_classes_whose_layers_differ(config, windows):
    assert {group.window for group in inspected(config).groups} == windows


def test_a_window_on_both_sides_of_embedding_gemma():
    found = inspected({"model_type": "gemma3_text", "use_bidirectional_attention": True, "sliding_window": 512})
    assert {group.window for group in found.groups} == {None, 513}
    assert all(group.both_sides for group in found.groups)


def test_a_window_of_a_decoder_that_sees_both_ways_lies_on_each_side():
    group, *_ = inspected({"model_type": "mistral", **TURNING, "is_causal": False, "sliding_window": 4}).groups
    assert group.window == 9


@each("architectures", [["MistralModel"], ["OwnModel"]])
def test_a_bidirectional_mistral_has_no_window(architectures):
    given = {"model_type": "bidir_mistral", "architectures": architectures, **TURNING, "sliding_window": 9}
    group, *_ = inspected(given).groups
    assert (group.both_sides, group.window) == (True, None)


@each(("kind", "value", "both"), [
    ("gemma3_text", True, True),
    ("gemma4_text", "all", True),
    ("gemma4_text", "vision", False),
    ("qwen3", True, False),
])  # fmt: skip
def test_the_field_of_gemma_counts_where_the_class_obeys_it(kind, value, both):
    found = inspected({"model_type": kind, "use_bidirectional_attention": value})
    assert [group.both_sides for group in found.groups] == [both] * len(found.groups)
    assert any("lets no token of a text" in line for line in found.warnings) != both


LENGTHS = {**HEADS, "num_hidden_layers": 2, "max_position_embeddings": 4096}


@each(("config", "trained", "claimed"), [
    ({"model_type": "qwen", "seq_length": 2048}, 2048, 4096),
    ({"model_type": "qwen", "seq_length": 8192}, 4096, 4096),
    ({"model_type": "llama", "max_sequence_length": 16_384, "rope_scaling": {"type": "linear", "factor": 4.0}},
     4096, 16_384),
    ({"model_type": "llama", "max_sequence_length": 16_384, "rope_scaling": {"type": "linear", "factor": 2.0}},
     None, 4096),
])  # fmt: skip
def test_a_length_under_another_name_counts_where_the_rule_is_clear(config, trained, claimed):
    found = inspected({**LENGTHS, **config})
    assert (found.original_length, found.claimed_length) == (trained, claimed)
    assert {group.rotation.original_length for group in found.groups} == {trained}


def test_the_trained_length_of_nomic_is_read():
    given = {"n_embd": 64, "n_head": 4, "n_layer": 2, "rotary_emb_base": 1000, "max_trained_positions": 2048}
    found = inspected({"model_type": "nomic_bert", **given, "n_positions": 8192})
    assert (found.original_length, found.claimed_length) == (2048, 8192)
    assert not any("Not read" in line for line in found.warnings)
    same = inspected({"model_type": "nomic_bert", **given, "n_positions": 2048})
    assert (same.original_length, same.claimed_length) == (2048, 2048)


def test_the_rule_ntk_of_gte_stretches_the_frequencies_as_its_code_does():
    given = {"model_type": "new", "architectures": ["NewModel"], **HEADS, "num_hidden_layers": 3}
    scaling = {"type": "ntk", "factor": 8.0}
    found = inspected({**given, "rope_scaling": scaling})
    turned = found.groups[0].rotation
    expected = [(1e4 * 8) ** (-2 * i / 16) / 8 ** (2 / 16) for i in range(8)]
    torch.testing.assert_close(turned.frequencies, torch.tensor(expected, dtype=turned.frequencies.dtype))
    assert (turned.rule, turned.factor, turned.base) == ("ntk", 8, 1e4)
    assert (
        "all 3 layers turn all 16 channels of a head by RoPE of base 10,000 with fixed NTK, factor 8" in found.summary
    )
    assert at_length(found, 5000)
    for other in ({**scaling, "mixed_b": 0.5}, {"type": "ntk"}):
        same = inspected({**given, "rope_scaling": other})
        assert same.groups[0].rotation.rule == "default"
        assert any("the frequencies here are those before it" in line for line in same.warnings)


@each("longer", [True, False])
def test_keys_of_longrope_stay_where_both_lists_are_equal(longer):
    scaling = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [2.0 if longer else 1.0] * 8}
    given = {"model_type": "phi3", **TURNING, "max_position_embeddings": 96}
    found = inspected({**given, "original_max_position_embeddings": 96, "rope_scaling": scaling})
    assert any("have to be computed anew" in line for line in found.warnings) == longer
    assert any("cached keys stay right" in line for line in found.warnings) != longer
    assert (found.groups[0].rotation.beyond is None) != longer


def test_angles_of_a_file_without_a_width_are_said_to_be_unknown():
    found = inspected({"rope_theta": 5e4, "n_layer": 2, "max_seq_len": 64})
    assert (found.mechanism, found.claimed_length, found.original_length) == ("rope", 64, None)
    assert any("The file tells no width of a head" in line for line in found.warnings)
    assert "new angles cannot be counted" in at_length(found, 100)[0]
    two = inspected({"rope_theta_global": 1e6, "rope_theta_local": 1e4, "num_layers": 6, "sliding_window": 8})
    assert "RoPE of base 1,000,000" in two.summary
    wide = inspected({"rope_theta": 5e4, "n_layer": 2, "max_seq_len": 64, "dim_head": 16})
    assert "llama: all 2 layers turn all 16 channels of a head by RoPE of base 50,000; it claims 64" in wide.summary
    assert "Layers with a window of 8 tokens turn by another base, 10,000." in two.warnings


def test_neobert_turns_by_the_base_that_its_code_has():
    found = inspected({"model_type": "neobert", "hidden_size": 64, "num_attention_heads": 4, "max_length": 96})
    assert "Its angles come from a table of 96 places, a hard limit." in found.warnings
    assert "turns q and k with RoPE of base 10,000, all 16 channels of a head, and claims 96 tokens" in found.summary
    assert (found.pairs, found.groups[0].rotation.base) == ("neighbours", 1e4)
    with pytest.raises(ConfigError, match="rope must be true"):
        inspected({"model_type": "neobert", "rope": False})


def test_esm_c_turns_by_the_base_that_its_code_has_and_claims_no_length():
    found = inspected({"model_type": "ESMplusplus", "hidden_size": 64, "num_attention_heads": 4})
    assert "ESMplusplus turns q and k with RoPE of base 10,000, all 16 channels of a head; a token" in found.summary
    assert (found.pairs, found.claimed_length, len(found.groups[0].layers)) == ("halves", None, 30)


def test_parts_without_a_type_of_their_own_are_read():
    talker = {"text_config": {"num_hidden_layers": 3, **HEADS}, "code_predictor_config": {"num_hidden_layers": 2}}
    whole = {"model_type": "qwen3_omni_moe", "thinker_config": {"text_config": HEADS}}
    found = inspected({**whole, "talker_config": {"model_type": "qwen3_omni_moe_talker", **talker}})
    assert "(talker_config.text_config): all 3 layers turn" in found.summary
    assert "(talker_config.code_predictor_config): all 2 layers turn all 128 channels" in found.summary
    predictor = found.summary.split("(talker_config.code_predictor_config)")[1]
    assert "for time, height and width" not in predictor.split(";")[0]
    assert not any("talker_config" in line for line in found.unknown)


@each("kind", ["llama", "own"])
def test_of_many_parts_only_some_are_read(kind):
    parts = {f"part{i}_config": {"model_type": kind, **TURNING} for i in range(1000)}
    found = inspected({"model_type": "own", **TURNING, **parts})
    assert found.summary.count("part") < 100
    assert "what further parts do with positions: at most 100 are read" in found.unknown


def test_a_long_list_of_quantised_layers_is_read_over():
    layers = {f"model.layers.{i}.experts.{j}.up": {"bits": 4} for i in range(100) for j in range(200)}
    text = json.dumps({"model_type": "llama", **HEADS, "quantization_config": {"layers": layers}})
    assert {group.rotation.n_rotated for group in inspected(text).groups} == {16}
    assert "quantization_config" not in parsed(text)


def test_the_encoder_of_t5gemma_sees_both_ways():
    part = {"model_type": "t5_gemma_module", **SIZES, "head_dim": 16, "sliding_window": 4}
    summary = inspected({"model_type": "t5gemma", "decoder": part, "encoder": part}).summary
    decoder, encoder = summary.split("; t5_gemma_module (encoder)")
    assert has("seeing at most 4 tokens", decoder)
    assert "as far ahead" not in decoder
    assert has("seeing at most 9 tokens … a token sees as far ahead as back", encoder)


def test_the_first_chatglm_turns_halves():
    found = inspected({"model_type": "chatglm", **SIZES, "position_encoding_2d": True})
    assert found.pairs == "halves"
    assert [group.rotation.n_rotated for group in found.groups] == [8]
    assert inspected({"model_type": "chatglm", **SIZES}).pairs == "neighbours"


def test_a_long_list_of_stages_of_swin_v2_has_no_picture_left():
    given = {"model_type": "swinv2", "image_size": 64, "depths": [2] * 100_000, "num_heads": [1]}
    assert "of 4, 2, 1 patches a side" in inspected({**given, "pretrained_window_sizes": [6] * 100_000}).summary
