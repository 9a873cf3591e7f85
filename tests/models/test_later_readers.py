"""What sets 11 to 13 of docs/inspector.md showed, each kind as a small configuration."""

import pytest

from pe_core.models import ConfigError, inspected
from tests.cases import each
from tests.models.small import GPT, HEADS, OF_CLIP, SIZES, STUDENT, TURNING, VIEW

OPEN_LM = {
    "hidden_dim": 64, "n_heads": 4, "n_layers": 2, "seq_len": 96, "post_embed_norm": False, "weight_tying": False,
}  # fmt: skip
OF_CHINESE_CLIP = {**OF_CLIP, "text_max_position_embeddings": 96, "text_hidden_size": 64}
PROTEINS = {**SIZES, "type_vocab_size": 1, "max_position_embeddings": 96}
PLAMO = {"model_type": "plamo2", **SIZES, "num_hidden_layers": 4, "mamba_step": 2, "hidden_size_per_head": 16}
RADIO = {"architectures": ["RADIOModel"], "max_resolution": 64, "patch_size": 8, "args": {"model": "vit_base_patch16"}}
JINA = {
    "text_config": {"hf_model_name_or_path": "some/model"},
    "vision_config": {"width": 64, "head_width": 16, **VIEW},
}
MOIRAI = {"d_model": 128, "num_layers": 2, "max_seq_len": 96, "patch_sizes": [8, 16], "scaling": True}
HYBRID = {"d_model": 64, "n_layer": 4, "attn_layer_idx": [1, 3], "attn_cfg": {"num_heads": 4, "rotary_emb_dim": 8}}
OWL = {"model_type": "mplug_owl_vision_model", **VIEW}
INTERN = {"model_type": "intern_vit_6b", **VIEW, "hidden_size": 96}
SEES = {"model_name": "g/siglip-b-patch8-32"}
LLAMA = {"model_type": "llama", **TURNING}
BEATS = {"conv_pos": 9, "conv_pos_groups": 3, "encoder_embed_dim": 96, "num_buckets": 32, "max_distance": 64}
TOTO = {"embed_dim": 64, "num_heads": 4, "num_layers": 4, "spacewise_every_n_layers": 4}
CHRONOS = {"d_model": 64, "d_kv": 16, "num_heads": 4, "num_layers": 2, "rope_theta": 500.0} | {
    "chronos_config": {"context_length": 96, "input_patch_size": 8}
}
POLICY = {"n_obs_steps": 1, "input_features": {}}
GPT_NEO = {"model_type": "gpt_neo", "num_layers": 4, "attention_types": [[["global", "local"], 2]], "window_size": 8}
FOLDS = {"trunk": {"position_bins": 3}}
STEP3 = {"model_type": "step3_vision_encoder", **VIEW}
INSIDE = {"rope_parameters": {"rope_theta": 500.0, "rope_type": "default"}}
INSIDE_HALF = {"rope_parameters": {"rope_theta": 500.0, "rope_type": "default", "partial_rotary_factor": 0.5}}
DIA = {"n_layer": 2, "n_embd": 64, "n_head": 4, "head_dim": 16}
LAGS = {"n_layer": 3, "n_embd_per_head": 16, "n_head": 2, "max_context_length": 96, "lags_seq": ["D"]}
GIGAAM = {"self_attention_model": "rotary", "d_model": 64, "n_heads": 4}


def timm(name):
    return {"architecture": name, "pretrained_cfg": {"input_size": [3, 32, 32]}}


@each(("config", "words"), [
    (OPEN_LM, ("llama: all 2 layers turn all 16 channels", "base 10,000", "claims 96 tokens")),
    ({"hidden_size": 64, "num_heads": 4, "axes_dim": [4, 6, 6], "theta": 2e3}, ("turns 4 + 6 + 6 of 16", "is 2,000")),
    (OF_CHINESE_CLIP, ("chinese_clip_text_model adds", "each of 96 positions", "4 x 4 patches and 1 more")),
    ({"model_type": "tinytimemixer", "context_length": 64, "patch_length": 16}, ("no positional encoding",
     "64 points")),
    ({**PROTEINS, "vocab_size": 30}, ("bert adds", "each of 96 positions")),
    ({**PROTEINS, "vocab_size": 50_265}, ("roberta adds", "each of 94 positions")),
    ({"model_type": "Dream", **TURNING}, ("a token sees as far ahead as back", )),
    ({"model_type": "llada", "rope": True, **TURNING}, ("a token sees as far ahead as back", )),
    ({"model_type": "mamba2", "conv_kernel": 3}, ("reads 3 tokens at a time (conv_kernel)", )),
    ({"model_type": "perceiver", "num_latents": 5, "d_latents": 64}, ("its 5 latents are learned, of 64 channels", )),
    ({"model_type": "deformable_detr", "decoder_n_points": 5}, ("reads 5 points of each of 4 maps", )),
    ({"model_type": "d_fine", "decoder_n_points": [3, 6, 3]}, ("reads 3, 6, 3 points of each of 3 maps", )),
    ({"model_type": "grounding-dino", "num_feature_levels": 2}, ("reads 4 points of each of 2 maps", )),
    ({"model_type": "videomae", "decoder_hidden_size": 96},
     ("in pre-training a decoder adds sinusoids of its own, 96 channels", )),
    (PLAMO, ("2 mamba layers turn nothing", "seeing at most 2,048", "are 1, 3, counted from 0")),
    ({**PLAMO, "full_attention_idx": [3]}, ("1 full attention layers turn all 16", )),
    ({**PLAMO, "mamba_enabled": False}, ("all 4 layers turn all 16", "seeing at most 2,048")),
    ({**PLAMO, "num_hidden_layers": 3, "mamba_step": 8}, ("2 mamba layers", "attention layers are 2, counted")),
    (RADIO, ("8 x 8 patches, 64 rows", "cut to its shorter one", "have 768 channels")),
    ({"model_type": "jina_clip", **JINA}, ("4 x 4 patches and 1 more", "all 16 channels of a head turn")),
    ({"model_type": "lxmert", "visual_pos_dim": 5}, ("of the 5 numbers of its box", )),
    ({"encoder_type": "rel_pos_transformer", "encoder_params": {"rel_attn_window_size": 4}}, ("distances up to 4", )),
    ({"encoder_type": "rel_pos_transformer", "encoder_params": {}}, ("vits has no positional encoding", )),
    ({"input_patch_len": 4, "transformer_config": {"transformer": {"model_dims": 64, "use_rope_seq": True}}},
     ("timesfm2_5: all layers turn all 4 channels", )),
    ({"model_type": "levit", "image_size": 112, "depths": [2, 3]}, ("each of 49, 16 offsets", "whatever its sign")),
    ({"model_type": "moss", "n_embd": 64, "n_head": 4, "rotary_dim": 8}, ("gptj turns the first 8 of 16 channels", )),
    ({"encoder": {**GIGAAM, "rope_base": 500}}, ("base 500, all 16 channels", "as far ahead as back")),
    ({"encoder": GIGAAM}, ("base 5,000", )),
    ({"architectures": ["CogVLMForCausalLM"], **SIZES, "num_multi_query_heads": 2}, ("llama: all 2 layers turn all 16",
     "base 500,000")),
    ({"architectures": ["CogVLMForCausalLM"], **SIZES}, ("base 10,000", )),
    ({**SIZES, "position_bucket_size": 32, "max_position_embeddings": 96, "attention_probs_dropout_prob": 0},
     ("ltg_bert has learned vectors of distances", "32 buckets", "(c2p) and keys meet them (p2c)")),
    ({"_class_name": "AutoencoderKLWan"}, ("has no positional encoding", )),
    ({"model_type": "IndicTrans", "max_source_positions": 48, "encoder_embed_dim": 64}, ("each of 48 tokens", )),
    ({"model_type": "graphormer", "num_spatial": 7, "num_out_degree": 5}, ("each of 7 lengths", "from it (5)")),
    ({"model_type": "mega", "max_positions": 96}, ("two vectors that it learns, of 64", "made for 96 tokens")),
    ({"model_type": "mega", "relative_positional_bias": "simple", "max_positions": 96}, ("each of 191 distances",
     "96 tokens are a hard limit")),
    ({"model_type": "mega", "use_chunking": True, "chunk_size": 32}, ("a token sees its chunk of 32 tokens", )),
    ({"model_type": "mctct", "max_position_embeddings": 96}, ("in its scores, 191 of 384", "at most 96 frames")),
    ({"model_type": "efficientformer", "resolution": 5}, ("each of 25 offsets", "whatever its sign")),
    ({"model_type": "tvlt", **VIEW, "num_frames": 3}, ("4 x 4 patches and of 3 frames", "128 times and of 8 freq")),
    ({"model_type": "speech_to_text_2", "max_target_positions": 96}, ("each of 96 positions", "for a longer text")),
    ({"model_type": "trajectory_transformer", "block_size": 24}, ("gpt2 adds", "each of 24 positions")),
    ({"model_type": "vit-hybrid", "backbone_featmap_shape": [1, 64, 6, 6]}, ("6 x 6 patches and 1 more", )),
    ({"model_type": "ernie_m", "max_position_embeddings": 98}, ("roberta adds", "each of 96 positions")),
    ({"model_type": "retnet", "decoder_embed_dim": 64, "decoder_retention_heads": 2}, ("all 32 channels", "31/32")),
    (MOIRAI, ("first 32 of 64 channels", "neighbours in pairs", "claims 96", "as far ahead as back")),
    (HYBRID, ("the first 8 of 16 channels", "2 of 4 layers have attention; these are 1, 3", "base 10,000")),
    ({**HYBRID, "attn_layer_idx": [0, 1, 2, 3]}, ("all 4 layers have attention", )),
    ({**HYBRID, "attn_cfg": {"num_heads": 4}}, ("mamba_ssm has no positional encoding; 2 of 4 layers have", )),
    ({"backbone": {**HYBRID, "attn_cfg": {"num_heads": 4, "rotary_emb_dim": 16}}}, ("all 16 channels", )),
    ({"t5_config": {"d_model": 64}, "seq_len": 96, "patch_len": 8}, ("t5 adds a learned bias", )),
    ({"_class_name": "WanModel", "dim": 64, "num_heads": 2}, ("turns 12 + 10 + 10 of 32", )),
    (LAGS, ("llama: all 3 layers turn all 16 channels", "base 10,000", "claims 96 tokens")),
    ({"embsize": 64, "nheads": 4, "nlayers": 2}, ("esm has no positional encoding", )),
    (timm("vit_base_patch8_32"), ("4 x 4 patches and 1 more, 17 rows", "have 768 channels")),
    (timm("vit_small_patch8_reg4_dinov2"), ("timm_vit adds", "4 x 4 patches, 16 rows", "have 384 channels")),
    (timm("deit3_base_patch8_32"), ("4 x 4 patches, 16 rows", )),
    (timm("deit_tiny_distilled_patch8_32"), ("4 x 4 patches and 2 more, 18 rows", )),
    ({**timm("vit_giant_patch14"), "num_features": 96, "model_args": {"patch_size": 16}}, ("2 x 2", "have 96")),
    (timm("vit_7b_patch16_dinov3"), ("dinov3_vit turns", "all 128 channels")),
    (timm("beit_large_patch8_32"), ("timm_beit adds a learned bias", "for each of 52", "each of its 16 heads")),
    (timm("hiera_base_plus"), ("timm_hiera adds", "8 x 8 patches", "have 112 channels")),
    (timm("samvit_large_patch8"), ("4 x 4 patches", "layers 5, 11, 17, 23", "have 1,024 channels")),
    (timm("mobilevit_s"), ("has no positional encoding", )),
    (timm("eva02_base_patch8_32"), ("4 x 4 patches and 1 more", "(2-D RoPE); all 64", "have 768 channels")),
    (timm("eva_giant_patch8_32"), ("4 x 4 patches and 1 more, 17 rows", "have 1,408 channels")),
    ({"model_type": "qwen", **TURNING, "visual": {**VIEW, "width": 96, "heads": 4}},
     ("16 x 16, 256 rows, interpolated to 4 x 4 patches", "96 channels wide")),
    ({"model_type": "mplug_owl2", **TURNING, "visual_config": {"visual_model": OWL}},
     ("visual_config (mplug_owl_vision_model) adds", "17 rows", "an image of fewer patches takes the first rows")),
    ({"model_type": "own", "llm_config": LLAMA, "vision_config": INTERN}, ("4 x 4 patches", "have 96 channels")),
    ({"model_type": "own", "llm_config": LLAMA, "vision_tower_cfg": INTERN}, ("4 x 4 patches", "have 96 channels")),
    ({"model_type": "own", "text_config": LLAMA, "vision_encoder_config": SEES},
     ("vision_encoder_config (siglip_vit) adds", "4 x 4 patches, 16 rows")),
    ({**BEATS, "relative_position_embedding": True}, ("wavlm adds", "(9 frames", "32 buckets", "from 64 on")),
    (BEATS, ("wav2vec2 adds", "9 frames wide, 96 channels in 3 groups")),
    ({"encoder": "SANMEncoder", "encoder_conf": {"kernel_size": 7, "output_size": 64}},
     ("espnet adds a fixed sinusoid for each frame; each layer has a convolution over 7 frames", )),
    ({"model_type": "step1", "num_attention_heads": 6, "max_seq_len": 96}, ("root of the distance", "its 6 heads")),
    ({**TOTO, "spacewise_first": False}, ("xPos", "all 16 channels", "3 of 4 layers", "these are 3")),
    (TOTO, ("these are 0", )),
    ({"model_type": "rnafm", "max_position_embeddings": 98}, ("each of 96 positions", "2 rows of its table")),
    ({"_class_name": "LatteT2V", "sample_size": 8, "patch_size": 2, "num_frames": 4}, ("4 x 4 patches", )),
    ({"model": {"encoder": DIA, "decoder": {**DIA, "gqa_head_dim": 8},
     "rope_max_timescale": 500}} | {"data": {"text_length": 48, "audio_length": 96}},
     ("all 2 layers turn all 8 channels", "claims 96", "all 2 layers turn all 16", "base 500", "claims 48")),
    ({"model_type": "nemotron_asr_streaming_encoder", "sliding_window": 17, "default_num_lookahead_tokens": 3},
     ("a frame sees its chunk of 4 frames and 4 chunks before it", )),
    ({"model_type": "qwen2_5_omni_dit", "head_dim": 16, "block_size": 8},
     ("first head of each layer with RoPE of base 10,000, all 16", "its block of 8 frames")),
    ({"model_type": "pe_audio", "audio_config": {"model_type": "pe_audio_encoder", **SIZES, **INSIDE}},
     ("audio_config", "turn q and k with RoPE of base 500, neighbours in pairs, all 128 channels")),
    ({"model_type": "own", **SIZES, **INSIDE_HALF}, ("stablelm: all 2 layers turn 8 of 16 channels", )),
    ({"model_type": "evolla", "protein_encoder_config": {**SIZES, "position_embedding_type": "rotary"}},
     ("protein_encoder_config (esm) turns q and k with RoPE of base 10,000", )),
    ({"model_type": "fun_asr_nano_encoder", "num_mel_bins": 10, "num_stacked_frames": 4}, ("each of 2,048 frames",
     "these have 40 channels", "a convolution over 11 frames")),
    ({"model_type": "omdet-turbo", "backbone": "swin_base_patch4_window5_224", "text_config": {}},
     ("(swin_base_patch4_window5_224) adds a learned bias for each of 81 offsets", "image is refused")),
    ({"model_type": "own", "text_config": LLAMA, "vision_config": STEP3}, ("4 x 4 patches and 1 more, 17 rows", )),
    ({"model_type": "lightglue", "descriptor_dim": 64}, ("all 16 channels of a head, neighbours in pairs", )),
    ({"model_type": "superglue"}, ("of the two coordinates and the score of a point", )),
    ({"model_type": "eomt", **VIEW, "hidden_size": 64}, ("4 x 4 patches, 16 rows", "have 64 channels")),
    ({"model_type": "musicflamingo", "text_config": {}}, ("musicflamingo turns what it hears", )),
    ({"model_type": "mlcd_vision_model", "hidden_size": 64}, ("all 4 channels", "its class token turns by angles")),
    ({"model_type": "retnet", "hidden_size": 64, "num_heads": 8}, ("all 8 channels of a head, halves in pairs",
     "each of 8 heads")),
    *(({"model_type": kind}, ("by the number of a head", "only its convolutions")) for kind in ("xcodec2", "neucodec")),
    ({"model_type": "deformable_detr", "num_feature_levels": 2}, ("each of 2 maps of features has a learned", )),
    ({"model_type": "grounding-dino", "num_feature_levels": 3}, ("each of 3 maps of features has a learned", )),
    ({"model_type": "mask2former"}, ("each of 3 maps of features has a learned vector in both", )),
    ({"text_cfg": {"context_length": 47, "embed_cls": True}, "vision_cfg": VIEW}, ("each of 48 positions", )),
    ({"model_type": "molmo2", "text_config": {}, "vit_config": {"image_num_pos": 9, "hidden_size": 64}},
     ("(molmo2_vision) adds a learned vector for each of 9 patches", "have 64 channels")),
    ({**timm("vit_base_patch8"), "model_args": {"dynamic_img_size": True}}, ("the table is interpolated", )),
    ({"model_type": "own", "dim_model": 64, "nheads": 4, "block": 96, "learnable_pe": True}, ("each of 96", )),
    ({"_class_name": "UniDiffuserModel", "sample_size": 8, "patch_size": 2, "num_text_tokens": 5},
     ("each of 24 tokens", )),
    ({"_class_name": "ZImageTransformer2DModel", "axes_lens": [96, 8, 8]}, ("at most 96, 8, 8 places", )),
    ({"model_type": "levit", "num_attention_heads": [3, 5, 6]}, ("the stages have 3, 5, 6 heads", )),
    ({"model_type": "pvt", "image_size": 64, "patch_sizes": [4, 2], "hidden_sizes": [16, 32]},
     ("in each stage, of 256 x 16, 65 x 32; an image has 64 x 64 pixels; another number", )),
    ({"model_type": "visual_bert", "max_position_embeddings": 96}, ("each of 96", "a second table of 96 rows")),
    ({"model_type": "decision_transformer", "n_positions": 96}, ("of the 96 rows of the table of its GPT-2", )),
    ({"model_type": "dab-detr"}, ("center and the sides of each box, of base 10,000", "its sinusoids is 20")),
    ({"_class_name": "HunyuanDiT2DModel", "text_len_t5": 8}, ("44 + 44 of 88", "it adds 9 rows of 2,048 channels")),
    ({"_class_name": "CogVideoXTransformer3DModel", "max_text_seq_length": 8}, ("the 8 tokens of its text",
     "places along frames, rows and columns are divided by 1, 1.875, 1.875")),
    ({"_class_name": "AllegroTransformer3DModel", "interpolation_scale_w": 4.0}, ("32 + 32 + 32 of 96",
     "places along frames, rows and columns are divided by 2.2, 2, 4")),
    ({"embed_dim": 32, "vision_cfg": {"image_size": 56, "layers": 2, "width": 64, "patch_size": 14}}, ("4 x 4 patches",
     "have 64 channels")),
    ({"model_type": "moshi", "depth_decoder_config": {}}, ("(moshi_depth) has no positional encoding", )),
    ({**POLICY, "type": "pi05"}, ("gemma (text_config): all layers turn all 256", "16 x 16 patches, 256 rows")),
    ({**POLICY, "type": "smolvla"}, ("llama (text_config): all layers turn all 64", "32 x 32 patches, 1,024 rows")),
    ({**POLICY, "type": "diffusion"}, ("has no positional encoding", )),
    ({**POLICY, "type": "act", "chunk_size": 7, "input_features": {"observation.state": {}}}, ("act adds to queries",
     "each of 7 steps", "and one each for 1 states", "a fixed sinusoid to each of 9 places")),
    ({**POLICY, "type": "act", "input_features": {"seen": {"shape": [3, 90, 128]}}}, ("has 3 x 4 places", )),
    ({**POLICY, "type": "act", "use_vae": False}, ("and one each for 0 states that it reads", )),
    ({"dim": 64, "n_heads": 4, "kv_lora_rank": 32, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32},
     ("deepseek_v3: all", "turn 16 of 48", "base 10,000 with YaRN, factor 40 from 4,096", "claims 16,384")),
    (GPT_NEO, ("2 of 4 layers are local, seeing at most 8 tokens; these are 1, 3, counted from 0", )),
    ({**GPT_NEO, "attention_types": [[["local"], 4]]}, ("4 of 4 layers are local, seeing at most 8 tokens; its", )),
    ({"model_type": "llama"}, ("its class has 2,048 tokens by default", )),
    ({"vit_hidden_dim": 96, "vit_img_size": 32, "vit_patch_size": 8, "lm_hidden_dim": 64,
     "lm_n_heads": 4} | {"lm_re_base": 500.0, "lm_max_position_embeddings": 48, "lm_n_blocks": 3},
     ("all 3 layers turn all 16", "base 500", "claims 48 tokens", "4 x 4 patches, 16 rows", "have 96 channels")),
    ({**HEADS, "initial_context_length": 48, "rope_scaling_factor": 4.0, "rope_ntk_beta": 32, "head_dim": 16},
     ("gpt_oss:", "YaRN, factor 4 from 48 tokens", "claims 192 tokens")),
    ({**SIZES, "rotary_percentage": 0.25, "block_size": 96}, ("turn 4 of 16", "claims 96 tokens")),
    ({**SIZES, "pe": "rotary", "pe_rotary_dims": 8, "seq": 96}, ("turn 8 of 16", "claims 96 tokens")),
    ({"emb_dim": 64, "num_heads": 4, "num_encoder_layers": 2, "num_decoder_layers": 2, "mlp_dim": 9}, ("t5 adds", )),
    ({"model_type": "bd3lm", **SIZES, "model_length": 96, "block_size": 4}, ("as far ahead", "claims 96 tokens")),
    ({"model_type": "tirex"}, ("xlstm has no positional encoding", )),
    ({"architectures": ["Chronos2Model"], "model_type": "t5", **CHRONOS}, ("llama: all 2 layers turn all 16",
     "base 500", "as far ahead as back", "claims 12 tokens")),
    ({"maxlen": 96, "hidden_units": 64, "num_heads": 2}, ("each of 96 positions", "have 64 channels")),
    ({**SIZES, "MAX_ITEM_LIST_LENGTH": 96}, ("each of 96 positions", )),
    ({"model_type": "pair", "source": {"model_type": "bert", **SIZES}, "target": {"model_type": "gpt2", **GPT}},
     ("bert adds", "target (gpt2) adds a learned vector for each of 1,024")),
    ({"model_type": "markuplm", "max_xpath_tag_unit_embeddings": 9, "max_xpath_subs_unit_embeddings": 11},
     ("too, of 9 tags and 11 places", "32 channels wide")),
    ({"model_type": "inkling_text", "num_hidden_layers": 12, "sliding_window_size": 8, "rel_extent": 96,
     "sconv_kernel_size": 3},
     ("behind it below 96, and turns nothing", "2 of 12 layers see all tokens; these are 5, 11", "most 8 tokens",
      "convolutions over 3 tokens")),
    ({"model_type": "inkling_text", "num_hidden_layers": 3, "local_layer_ids": [0, 1]}, ("these are 2, counted", )),
    ({"model_type": "inkling2_text", "layer_types": ["hybrid", "hybrid_sliding"]}, ("these are 0, counted from 0", )),
    ({"model_type": "tipsv2_text_model", "max_position_embeddings": 96}, ("each of 96 positions, a hard limit",
     "sinusoids is 10,000")),
    ({"model_type": "sam3_lite_text_text_model", "max_position_embeddings": 96, "repmixer_kernel_size": 7},
     ("each of 96 positions, interpolated for a text", "convolutions over 7 tokens")),
    ({"model_type": "blt", "encoder_hash_byte_group_size": [2, 3], "local_attention_window_len": 8,
     "encoder_config": {}, "patcher_config": {}}, ("end with it, of 2, 3 bytes", "decoder sees at most 8 bytes",
     "base 500,000, seeing at most 8 tokens")),
    ({"model_type": "informer", "encoder_layers": 3}, ("a convolution over 3 points", "only some of its queries")),
    ({"model_type": "autoformer", "autocorrelation_factor": 5, "moving_average": 7}, ("best 5 ln(length) shifts",
     "a mean over 7 points away")),
    ({"model_type": "patchtst", "context_length": 48, "patch_length": 8, "patch_stride": 8, "use_cls_token": True},
     ("each of 6 patches of 8 points; another is of its class token", "another length than 48 points is refused")),
    ({"model_type": "patchtsmixer", "context_length": 48}, ("joins the 6 patches", "than 48 points is refused")),
    ({"model_type": "timesfm", "use_positional_embedding": True, "max_timescale": 500}, ("sinusoids is 500", )),
    ({"model_type": "canine", "num_hash_buckets": 96, "upsampling_kernel_size": 3}, ("each of 96 positions",
     "a convolution reads 3 characters at a time")),
    ({"model_type": "reformer", "max_position_embeddings": 96}, ("of which the first 96 are used, a hard limit", )),
    ({"model_type": "prophetnet", "architectures": ["ProphetNetForCausalLM"]}, ("each of 510 positions, a hard limit",
     "distances from 128 on, at the latest, share a bucket")),
    ({"model_type": "rag", "generator": {"model_type": "t5", "num_heads": 6}, "question_encoder": {"hidden_size": 96}},
     ("t5 adds", "its 6 heads", "question_encoder (dpr) adds", "have 96 channels")),
    ({"model_type": "zamba2", "use_mem_rope": True}, ("9 of its 54 layers (6, 12, 18, 24, 30, 36, 42, 47, 51", )),
    ({"model_type": "esm", "position_embedding_type": "rotary", "rope_theta": 500.0}, ("esm turns q and k with RoPE of "
     "base 500", "as far ahead as back")),
    ({"model_type": "t5gemma", "is_encoder_decoder": False, "encoder": {"num_hidden_layers": 2, "sliding_window": 8}},
     ("1 sliding attention layers turn all 256", "at most 17 tokens", "as far ahead as back")),
    ({"model_type": "colpali", "vlm_config": {"model_type": "paligemma", "text_config": {"model_type": "gemma"}}},
     ("gemma (vlm_config.text_config)", "as far ahead as back")),
    ({"model_type": "minimax_m3_vl_text", "num_hidden_layers": 3,
     "sparse_attention_config": {"sparse_attention_freq": [0, 1, 1]}}, ("2 indexed attention layers turn", )),
    ({"model_type": "minimax_m3_vl_text", "num_hidden_layers": 2,
     "layer_types": ["full_attention", "minimax_m3_sparse"]}, ("1 indexed attention layers turn", )),
    ({"model_type": "modernbert-decoder", "num_hidden_layers": 6, "global_attn_every_n_layers": 4},
     ("the full attention layers are 0, 4, counted", )),
    ({"model_type": "longcat_flash", "num_layers": 3}, ("all 6 layers turn 64 of 192", )),
    ({"model_type": "hrm_text", "num_hidden_layers": 2, "H_cycles": 3, "L_cycles": 1}, ("all 12 layers turn", )),
    ({"model_type": "qwen4_exp_text", "num_hidden_layers": 4, "full_attention_interval": 2},
     ("2 indexed attention layers turn", )),
    ({"model_type": "dots3_note_text", "num_hidden_layers": 6, "swa_rope_theta": 500.0, "use_dsa": False},
     ("3 full attention layers turn 64 of 192", "3 sliding attention layers turn 64 of 256", "base 500, seeing")),
    ({"model_type": "gemma4_text", "num_hidden_layers": 6, "sliding_window": 8, "use_bidirectional_attention": "all"},
     ("seeing at most 11 tokens", )),
    ({"model_type": "neomme", "num_hidden_layers": 3, "default_long_sliding_window": 8},
     ("1 sliding attention layers turn all 64 channels of a head by RoPE of base 10,000, seeing at most 17 tokens", )),
    ({"model_type": "neomme", "num_hidden_layers": 3, "per_layer_config": {"00": {"sliding_window": 8}}},
     ("1 sliding attention layers turn all 64 channels of a head by RoPE of base 10,000, seeing at most 17 tokens", )),
    ({"model_type": "lfm3", "num_hidden_layers": 3, "layer_types": ["conv", "full_attention", "sliding_attention"]},
     ("the full attention layers are 1, counted from 0; the sliding attention layers are 2, counted", )),
    ({"model_type": "mixtral", "num_hidden_layers": 1, "sliding_window": 8, "layer_types": ["full_attention"]},
     ("seeing at most 8 tokens", )),
    ({"model_type": "zaya", "num_hidden_layers": 2, "layer_types": ["hybrid"] * 2}, ("zaya: all 2 layers turn", )),
    ({"model_type": "olmo_hybrid", "num_hidden_layers": 4, "rope_theta": None}, ("olmo_hybrid turns nothing", )),
    ({"model_type": "smollm3", "num_hidden_layers": 4, "no_rope_layers": None}, ("layers without RoPE are 3", )),
    ({"model_type": "molmo", **TURNING}, ("(molmo_vision) adds", "24 x 24 patches and 1 more, 577", "have 1,024")),
    ({"model_type": "moondream1"}, ("24 layers turn 32 of 64", "claims 2,048", "27 x 27 patches, 729 rows")),
    ({"model_type": "GOT", **SIZES}, ("(got_ocr2_vision) adds a learned vector for each of 64 x 64", )),
    ({"model_type": "gr00t_n1_5", "action_head_cfg": {}}, ("qwen3 (text_config): all 12", "16 x 16 patches, 256")),
    ({"dim": 64, "n_heads": 4, "n_layers": 2, "rope_theta": 500.0, "vision_encoder": {**VIEW, "hidden_size": 64,
     "num_attention_heads": 4, "rope_theta": 900.0}}, ("base 500", "(pixtral) turns", "all 16", "base of 900")),
    ({"model_type": "interns1", "text_config": LLAMA, "vision_config": {"model_type": "interns1_vision", **VIEW}},
     ("(internvl_vision) adds", "4 x 4 patches and 1 more")),
    ({"model_type": "Llama_Nemotron_Nano_VL", "llm_config": LLAMA, "vision_config": {**RADIO, "model_type": ""}},
     ("vision_config (radio) adds", "8 x 8 patches, 64 rows", "have 768 channels")),
    ({"model_type": "llavaonevision1_5", "text_config": LLAMA, "vision_config": {"model_type": "rice_vit",
     "embed_dim": 64, "num_heads": 2}}, ("all 32 channels of a head", "class token turns by angles that it learns")),
    ({"model_type": "perception_lm", "vision_config": {"architecture": "vit_pe_core_large_patch14_336",
     "model_type": "timm_wrapper", "model_args": {"img_size": [56, 56]}}},
     ("4 x 4 patches and 1 more, 17 rows", "(2-D RoPE); all 64", "have 1,024 channels")),
    (timm("vit_pe_lang_gigantic_patch14_448"), ("2 x 2 patches, 4 rows", "all 96 channels", "have 1,536")),
    ({"model_type": "deepseek_vl_v2", "language_config": LLAMA, "vision_config": {"model_name": "deepencoderv2"}},
     ("144 or 256 learned queries", "64 x 64 patches", "(vision_config.encoder_config): all 24 layers turn all 64")),
    ({"model_type": "llava_qwen2", **TURNING, "mm_vision_tower": "mobileclip_l_1024"},
     ("qwen2: all", "(mobileclip_l_1024) has no positional encoding")),
    ({"model_type": "llava_llama", **TURNING, "mm_vision_tower": "g/clip-vit-large-patch14-336"},
     ("llava_llama cannot ask for that, and takes no other number of patches", )),
    ({"model_type": "minicpmo", **TURNING, "tts_config": {"model_type": "conditional_chattts", "hidden_size": 48}},
     ("llama (tts_config): all 20 layers turn all 4 channels", "claims 4,096")),
    ({"model_type": "own", "decoder": LLAMA, "vision_encoder": {"model_type": "qwen2_5_vl", "hidden_size": 64,
     "num_heads": 2}}, ("vision_encoder (qwen2_5_vl_vision) turns", "all 32 channels")),
    ({"model_type": "step_robotics", "text_config": LLAMA, "vision_config": {"model_type": "perception_encoder",
     **VIEW}}, ("vision_config (step3p5_vision) adds", "4 x 4 patches")),
    ({"architectures": ["CogAgentForCausalLM"], **SIZES}, ("llama: all 2 layers turn all 16", "base 10,000")),
])  # fmt: skip
def test_sizes_and_programs_that_a_reader_missed_are_told(config, words):
    summary = inspected(config).summary
    assert [word for word in words if word not in summary] == []


@each(("config", "told"), [
    ({"model_type": "qwen3_next", "linear_conv_kernel_dim": 3},
     "A convolution in recurrent or convolutional layers reads 3 tokens at a time (linear_conv_kernel_dim)."),
    ({"model_type": "deepseek_v32", "index_topk": 64, "index_n_heads": 3, "index_head_dim": 16},
     "A token reads at most 64 tokens, which an indexer of 3 heads of 16 channels picks (index_topk); it turns "
     "64 of them, in pairs of halves."),
    ({"model_type": "dual_ar", **TURNING, "n_fast_layer": 3},
     "Its 3 fast layers turn by the place of a code within one step, with the same base."),
    ({"model_type": "r_mabe", **PROTEINS, "num_attention_heads": 3},
     "hidden_size 64 is no multiple of num_attention_heads 3: most classes cannot be built so."),
    ({"model_type": "llava", **TURNING},
     "llava has no text_config: it is read as llama, whose positions are like its own. This is a guess."),
    ({"encoder": {**GIGAAM, "rope_base": 500}, "transf_decoder": {"config_dict": {"max_sequence_length": 48}}},
     "Its decoder (transf_decoder) adds a fixed sinusoid for each of 48 tokens, a hard limit."),
    ({"encoder": GIGAAM, "transf_decoder": {"config_dict": {"learn_positional_encodings": True}}},
     "Its decoder (transf_decoder) adds a learned vector for each of 512 tokens, a hard limit."),
    ({"input_patch_len": 4, "use_variate_attention": True, "transformer_config": {"transformer": {"model_dims": 64,
     "use_rope_seq": True}}},
     "use_variate_attention: attention across series, which turns nothing, is in each layer, too."),
    ({"model_type": "esm", "position_embedding_type": "rotary", "esmfold_config": {"trunk": {"position_bins": 3}}},
     "What folds (esmfold_config) has 8 learned vectors of distances in the chain, of 128 channels."),
    ({"model_type": "phi3small", **TURNING, "dense_attention_every_n_layers": 2,
     "blocksparse_block_size": 64} | {"blocksparse_num_local_blocks": 16, "blocksparse_vert_stride": 8},
     "One layer of 2 sees all tokens; in the others a token sees its own and 15 blocks before it, and one of 8 "
     "of those farther off; a block has 64 tokens."),
    ({"model_type": "bailing_moe_linear", **TURNING, "partial_rotary_factor": 0.5, "layer_group_size": 5},
     "layer_group_size is obeyed by the code of that model alone: one layer of so many has softmax attention, "
     "the others have linear attention that fades with the distance; all of them turn."),
    ({"model_type": "beam"},
     "Layers without RoPE multiply the query at place m by (1 + (m + 1) / 2,048) to the power of 0.1."),
    ({"model_type": "inkling2_text"}, "Queries grow with the logarithm of their place beyond log_scaling_n_floor."),
    ({"model_type": "nezha", "own_position_width": 8},
     "What these fields do to positions is not said here: own_position_width."),
    ({"model_type": "own", **STUDENT, "n_kv_heads": 2},
     "own is not known here: it is read as llama, because it has n_kv_heads. This is a guess."),
    ({"model_type": "own", "n_embd": 64, "n_head": 4, "block_size": 96},
     "own is not known here: it is read as gpt2, because it has n_embd, n_head and block_size. This is a guess."),
    ({"t5_config": {"d_model": 64}, "seq_len": 96, "patch_len": 8},
     "MOMENT adds a fixed sinusoid for each of 12 patches before its T5: its width is 64, its base 10,000."),
    ({"model_type": "esm", "position_embedding_type": "rotary", "rope_parameters": {"rope_theta": 500.0}},
     "rope_parameters is ignored: this class reads rope_theta alone."),
    ({"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "n_positions": 48, "max_trained_positions": 48,
      "rotary_scaling_factor": 2},
     "rotary_scaling_factor 2 is obeyed by that model's own code: beyond 48 tokens the base grows with the text, by "
     "dynamic NTK."),
    ({"model_type": "qwen3_next"},
     "A convolution in recurrent or convolutional layers reads 4 tokens at a time (linear_conv_kernel_dim)."),
    ({"model_type": "zamba2", "use_mem_rope": True, "rope_scaling": {"type": "linear", "factor": 2.0}},
     "rope_scaling has a rule, which this class obeys: it is not read here."),
    ({"model_type": "timesfm2_5", "context_length": 96, "patch_length": 8},
     "It reads 96 points: of a longer series the last ones, and a shorter one is filled up in front; these are 12 "
     "positions."),
    ({"model_type": "doge", "keep_window_size": 96},
     "In a text of more than 96 tokens each reads at most so many before it, which a mask that is learned picks by "
     "their values."),
    ({"model_type": "hrm_text"},
     "Two stacks of layers are passed through several times, and each pass counts as layers of its own here."),
    ({"model_type": "hrm_text"},
     "With prefix_lm tokens that token_type_ids call a prefix see each other, those behind them, too."),
    ({"model_type": "neomme"},
     "Of a patch even pairs count the row and odd ones the column; of text both count the place of a token."),
    ({"model_type": "minimax_m3_vl_text", "num_hidden_layers": 1, "index_topk_blocks": 3, "index_block_size": 8,
     "index_n_heads": 2, "index_head_dim": 96, "layer_types": ["minimax_m3_sparse"]},
     "A token reads at most 3 blocks of 8 tokens, its own among them, which an indexer of 2 heads of 96 channels "
     "picks, and it turns, too."),
    ({"model_type": "deepseek_v4", "index_topk": 9, "compress_rates": {"heavily_compressed_attention": 64}},
     "Heavily compressed layers see all blocks of 64 tokens, and the others 9 of their blocks of 4, which an indexer "
     "picks; a learned vector for each place in a block weighs its tokens."),
    ({"model_type": "lfm2_moe", "full_attn_idxs": [2]},
     "layer_types is missing: transformers fails when it builds the model."),
    ({"model_type": "minimax", "attn_type_list": [0, 1]},
     "Not read by this model, though the name speaks of positions: attn_type_list."),
    ({"model_type": "gemma4", "text_config": {"use_bidirectional_attention": "vision"}},
     "In layers with a window tokens of one image see each other, those behind them, too."),
    ({"model_type": "chatglm", **SIZES, "vision_config": {**VIEW}},
     "Patches of one image share one place, so that an image takes three places of the text."),
    ({"model_type": "molmo", **TURNING}, "Attention without positions joins 2 x 2 patches each."),
    ({"model_type": "moondream1"},
     "The first 730 tokens, those of the image among them, see each other, those behind them, too."),
    ({"model_type": "GOT", **SIZES, "image_token_len": 256},
     "What its parts are stands in its code, and in no field: it is told as its releases have it."),
    ({**POLICY, "type": "pi0_fast"},
     "Tokens of the images and of the instruction see each other, those behind them, too."),
    ({"model_type": "gr00t_n1_5", "action_head_cfg": {"vl_self_attention_cfg": {}}},
     "Behind the text further layers attend without positions, and so does what writes the actions."),
    ({"model_type": "gr00t_n1_5", "action_head_cfg": {"max_seq_len": 96, "input_embedding_dim": 64}},
     "What writes the actions adds a learned vector for each of 96 steps, 64 channels wide."),
])  # fmt: skip
def test_sizes_beside_those_that_turn_are_told(config, told):
    assert told in inspected(config).warnings


@each(("config", "told"), [
    ({**HYBRID, "attn_layer_idx": [4]}, "attn_layer_idx must be a list of numbers of layers from 0 to 3, got [4]"),
    ({**HYBRID, "attn_cfg": {"num_heads": 4, "rotary_emb_dim": 24}},
     "attn_cfg.rotary_emb_dim must be even and at most the width of a head (16), got 24"),
    (timm("nest_base"), 'architecture must be a model of timm that is known here, got "nest_base"'),
    ({"model_type": "upernet", "backbone": "own/swin", "backbone_config": None},
     'backbone_config must be given, because backbone only names another model ("own/swin"), got null'),
    ({"model_type": "pvt", "patch_sizes": [4]},
     "patch_sizes must be a list of 1 to 10 sizes, as many as hidden_sizes, got [4]"),
    ({"_class_name": "ZImageTransformer2DModel", "axes_lens": []}, "axes_lens must be a list of 1 to 10 sizes, got []"),
    ({"model_type": "lightglue", "descriptor_dim": 64, "num_attention_heads": 64},
     "num_attention_heads must be at most half of the width (64), got 64"),
    ({**TOTO, "num_heads": 64}, "num_heads must be at most half of the width (64), got 64"),
    ({**MOIRAI, "d_model": 32}, "d_model must be at least 64, the width of one head, got 32"),
    ({"model_type": "mega", "relative_positional_bias": "x"},
     'relative_positional_bias must be "rotary" or "simple", got "x"'),
    ({"model_type": "retnet", "decoder_embed_dim": 64, "decoder_retention_heads": 64},
     "decoder_retention_heads must be at most half of the width (64), got 64"),
])  # fmt: skip
def test_sizes_that_own_code_cannot_have_are_refused(config, told):
    with pytest.raises(ConfigError) as error:
        inspected(config)
    assert str(error.value) == told


@each(("file", "config"), [
    ("tokenizer_config.json", {"tokenizer_class": "Qwen2Tokenizer", "model_max_length": 96}),
    ("preprocessor_config.json", {"image_processor_type": "CLIPImageProcessor"}),
    ("model.safetensors.index.json", {"weight_map": {"one": "model.safetensors"}}),
    ("generation_config.json", {"eos_token_id": 2, "transformers_version": "4.31"}),
])  # fmt: skip
def test_another_file_of_the_folder_is_called_by_its_name(file, config):
    with pytest.raises(ConfigError, match=f"fields of {file}, and what a model does with positions stands in its conf"):
        inspected(config)
    with pytest.raises(ConfigError, match=r"got nothing(?!.*fields of)"):
        inspected({**config, "vocab_size": 96})


@each(("config", "part"), [
    ({"model_type": "omdet-turbo", "backbone": "own_net", "text_config": {}}, "backbone"),
    ({"model_type": "own", **TURNING, "mm_vision_tower_aux_list": ["a/b", "c/d"]}, "mm_vision_tower_aux_list"),
    ({"model_type": "llama", "own_memory_config": {"rows": 8}}, "own_memory_config"),
    ({"text_config": LLAMA, "skip_audio_tower": True, "audio_encoder_config": INTERN}, "audio_encoder_config"),
])  # fmt: skip
def test_a_part_that_is_not_read_is_named(config, part):
    assert [line for line in inspected(config).unknown if line.startswith(f"what {part} does")]
    assert f"{part} (" not in inspected(config).summary


def test_what_goes_on_from_another_model_reads_tokens():
    for kind, tokens in (("muse_glimmer_assistant", True), ("mimi", False)):
        warnings = inspected({"model_type": kind}).warnings
        assert tokens != any(line.startswith("This class reads no tokens of text") for line in warnings)


def test_parts_without_places_are_not_named():
    for part in ({"backbone": "resnet50"}, {"generation_config": {"top_k": 5}}, {"attn_config": {"clip": 8}}):
        unknown = inspected({"model_type": "detr", **part}).unknown
        assert not [line for line in unknown if next(iter(part)) in line]


IN_CHUNKS = {"chunk_size": 32, "original_max_position_embeddings": 48}


def test_the_rule_of_hymba_raises_its_base_once():
    given = {"model_type": "hymba", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "rope": True}
    given |= {"rope_theta": 1e4, "rope_type": "ntk", "max_position_embeddings": 8192}
    found = inspected({**given, "orig_max_position_embeddings": 2048})
    base = 1e4 * 7 ** (16 / 14)  # 2 * 8192 / 2048 - 1, for heads of 16 channels
    assert found.groups[0].rotation.base == pytest.approx(base)
    assert any(f"in place of 2,048 the base 10,000 becomes {base:,.0f}" in line for line in found.warnings)
    for broken in ({}, {"orig_max_position_embeddings": 0}, {"orig_max_position_embeddings": 9000}):
        assert inspected({**given, **broken}).groups[0].rotation.base == 1e4


@each(("own", "trained"), [(IN_CHUNKS, 48), ({**IN_CHUNKS, "chunk_size": None}, 96), ({"chunk_size": 32}, 96)])
def test_chunks_tell_the_trained_length(own, trained):
    found = inspected(
        {**TURNING, "model_type": "qwen2", "max_position_embeddings": 96} | {"dual_chunk_attention_config": own}
    )
    assert (found.original_length, found.claimed_length) == (trained, 96)
    assert any("dual_chunk_attention_config is ignored by transformers" in line for line in found.warnings)


def test_which_channels_a_guess_pairs_is_not_known():
    assert inspected({"model_type": "llama", **TURNING}).pairs == "halves"
    found = inspected({"model_type": "own", **TURNING})
    assert found.pairs is None
    assert "whether the weights are for pairs of neighbours or of halves" in found.unknown


@each(("factor", "grows"), [(2, True), (None, False)])
def test_the_rule_of_nomics_own_code_is_told(factor, grows):
    given = {"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 96}
    found = inspected({**given, "rotary_emb_base": 1000, "max_trained_positions": 48, "rotary_scaling_factor": factor})
    told = "rotary_scaling_factor 2 is obeyed by that model's own code: beyond 48 tokens the base grows with the text"
    assert any(line.startswith(told) for line in found.warnings) is grows
    assert (found.original_length, found.claimed_length) == (48, 96)


def test_kimi_audio_has_no_window_unless_it_is_switched_on():
    given = {"model_type": "kimi_audio", **TURNING, "sliding_window": 48}
    assert [group.window for group in inspected({**given, "use_sliding_window": False}).groups] == [None]


def test_a_length_that_is_taken_as_the_trained_one_is_not_said_to_be_unknown():
    given = {"model_type": "monkey", **SIZES, "seq_length": 48, "max_position_embeddings": 96}
    found = inspected({**given, "use_dynamic_ntk": True})
    assert (found.original_length, found.claimed_length) == (48, 96)
    assert [line for line in found.warnings if "is not known" in line and "seq_length" in line] == []
    assert any("the base grows with a text beyond seq_length" in line for line in found.warnings)


@each("more", [{"liquid_state_dim": 8}, {"ssm_size": 8}])
def test_rows_of_what_recurs_without_heads_are_no_table(more):
    rows = {"model_type": "own", "hidden_size": 64, "max_position_embeddings": 96}
    assert inspected(rows).mechanism == "learned"
    with pytest.raises(ConfigError, match="must be one of"):
        inspected({**rows, **more, "num_mtp_heads": 2})


@each(("kind", "more", "told"), [
    ("gemma4", {"audio_config": None}, False), ("gemma4", {"audio_config": {}}, True), ("gemma3n", {}, True),
])  # fmt: skip
def test_a_part_that_a_class_may_do_without_is_not_told_where_a_file_has_none(kind, more, told):
    assert ("audio_config" in inspected({"model_type": kind, "text_config": {}, **more}).summary) is told


def test_what_is_known_of_own_code_is_not_said_to_be_unknown():
    whole = {"llm_config": LLAMA, "vision_config": {"model_type": "intern_vit_6b", **VIEW}}
    assert inspected({"model_type": "internvl_chat", **whole}).unknown == inspected(LLAMA).unknown
    given = {"model_type": "minicpmv", **TURNING, "sliding_window": 48, "use_sliding_window": False}
    assert [line for line in inspected(given).warnings if "sliding_window" in line] == []
    given = {"model_type": "chatglm", **SIZES, "original_rope": True, "vision_config": {**VIEW, "num_positions": 17}}
    assert [line for line in inspected(given).warnings if "original_rope" in line or "num_positions" in line] == []
