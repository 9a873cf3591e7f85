"""What a reader of published files missed: parts of OpenCLIP, classes of diffusers, fields of a model's own code."""

import pytest

from pe_core.models import ConfigError, inspected
from tests.cases import each
from tests.models.small import GPT, TURNING, has

SIZES = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
OPEN_CLIP = {"embed_dim": 64, "text_cfg": {"context_length": 48, "width": 64}}
VIEW = {"image_size": 32, "patch_size": 8, "width": 96, "layers": 2}
MLC = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "context_window_size": 96}


@each(("config", "words"), [
    ({**OPEN_CLIP, "vision_cfg": {"timm_model_name": "vit_large_patch16_siglip_384", "image_size": 384}},
     "(timm_vit) adds a learned vector for each of 24 x 24 patches, 576 rows"),
    ({**OPEN_CLIP, "vision_cfg": {"timm_model_name": "convnext_base", "image_size": 320}}, "no positional encoding"),
    ({"_class_name": "UNetSpatioTemporalConditionModel"}, "of a sinusoid of the number of the frame"),
    ({"_class_name": "UNetMotionModel", "motion_max_seq_length": 24}, "each of 24 frames"),
    ({"_class_name": "UNet3DConditionModel"}, "no positional encoding"),
    ({"_class_name": "SD3ControlNetModel", "pos_embed_max_size": 12}, "144 rows"),
    ({"_class_name": "SD3Transformer2DModel", "sample_size": 64}, "places of rows and columns are divided by 3"),
    ({"_class_name": "PixArtTransformer2DModel", "sample_size": 192}, "places of rows and columns are divided by 3"),
    ({"_class_name": "PixArtTransformer2DModel", "interpolation_scale": 1}, "between the same ends; its text"),
    ({"model_type": "detr", "backbone_config": {"model_type": "swin", "window_size": 4}},
     "(swin) adds a learned bias for each of 49 offsets"),
    ({"model_type": "rt_detr", "backbone_config": {"model_type": "timm_backbone", "backbone": "swin_tiny_window7",
      "img_size": 56}}, "backbone_config (swin_tiny_window7) adds a learned bias for each of 169 offsets"),
    ({"model_type": "mask2former", "backbone_config": {"model_type": "timm_backbone", "backbone": "resnet50"}},
     "timm_convolutional has no positional encoding"),
    ({"model_type": "neucodec", "semantic_model_config": {"left_max_position_embeddings": 3}},
     "(wav2vec2-bert) adds to its scores products of queries and learned vectors of distances; those from 3 frames"),
    ({"model_type": "nystromformer", "conv_kernel_size": 9}, "each layer has a convolution over 9 tokens, too"),
    ({"model_type": "nystromformer", "conv_kernel_size": None}, "stand for no position; its vectors"),
    ({"model_type": "mra", "block_per_row": 2}, "2 rows of its table stand for no position; of the scores of blocks"),
    ({"model_type": "funnel", "block_sizes": [2, 3], "block_repeats": [2, 1]}, "its blocks run 2, 1 times; a decoder"),
    ({"model_type": "funnel", "block_sizes": [2], "architectures": ["FunnelBaseModel"]}, "have 2 layers; its vectors"),
    ({"model_type": "whisper", "architectures": ["WhisperForAudioClassification"]}, "frames is refused, too; its"),
    ({"model_type": "cohere_asr", "max_position_embeddings": 96}, "96 tokens that are written, a hard limit; its rows"),
    ({"model_type": "canary", "decoder_config": {"max_position_embeddings": 96}},
     "(canary_decoder) adds a fixed sinusoid for each of 96 tokens that are written, a hard limit, divided by"),
    ({"model_type": "parakeet_tdt", "num_decoder_layers": 3}, "it reads what it has written with an LSTM of 3 layers"),
    ({"model_type": "parakeet_rnnt", "num_decoder_layers": 1}, "parakeet_rnnt reads what it has written with an LSTM"),
    ({"model_type": "speecht5", "architectures": ["SpeechT5ForSpeechToSpeech"]}, "of what is spoken are multiplied"),
    ({"model_type": "vits", "ffn_kernel_size": 5}, "each layer has two convolutions over 5 tokens, too"),
    ({"model_type": "fastspeech2_conformer", "use_cnn_in_conformer": False, "positionwise_conv_kernel_size": 5},
     "more are computed where they are needed; each layer has two convolutions over 5 of them"),
    ({"model_type": "swinv2"}, "an image may have any size: places are added until whole windows cover it"),
    ({"model_type": "swin", "use_absolute_embeddings": True}, "another number of patches is refused unless inter"),
    ({"model_type": "sam3_vit_model", "image_size": 672}, "48 x 48 patches, and another number of patches is refused"),
    ({"model_type": "vitdet", "use_relative_position_embeddings": True, "image_size": 96, "window_size": 4,
      "window_block_indices": [0]}, "7 rows each for a window and 11 rows each for the whole image"),
    ({"model_type": "clip", "text_config": {"max_position_embeddings": 96}, "text_config_dict": {"hidden_size": 96}},
     "each of 77 positions, a hard limit; its vectors of positions have 96 channels"),
    ({"model_type": "blip-2", "architectures": ["Blip2ForImageTextRetrieval"], "text_config": {"model_type": "opt"},
      "qformer_config": {"use_qformer_text_input": True, "max_position_embeddings": 96}},
     "qformer_config (blip_2_qformer) adds a learned vector for each of 96 positions"),
    ({"model_type": "git", "num_image_with_embedding": 6, "vision_config": {"hidden_size": 96}},
     "patches of each of 6 frames get a learned vector of the frame, of 96 channels"),
    ({"model_type": "granite_speech", "window_size": 12, "downsample_rate": 4}, "windows of 12 frames, 3 for each"),
    ({"model_type": "phi4_multimodal_audio", "chunk_size": 8, "left_chunk": 2}, "of 8 frames and 2 blocks before it"),
    ({"model_type": "t5gemma2_text", "num_hidden_layers": 6, "sliding_window": 96}, "96 tokens; 1 full"),
    ({"model_type": "qwen3_asr_encoder", "max_position_embeddings": 9}, "its table has 9 rows"),
    ({"model_type": "molmo2", "adapter_config": {}}, "(molmo2_adapter) has no positional encoding: its queries"),
    ({"model_type": "m2m_100", "pad_token_id": 4}, "its places begin with 5, and padding gets none"),
    ({"model_type": "xglm"}, "its places begin with 2;"),
    ({"model_type": "fuyu", "patch_size": 20}, "fuyu reads patches of 20 x 20 pixels as tokens of its text"),
    ({"model_type": "vit_mae"}, "14 x 14 patches, and none for the class token"),
    ({"model_type": "vitdet"}, "1 row of its table stands for no patch"),
    ({"model_type": "layoutlm", "max_2d_position_embeddings": 96}, "learned vectors of 96 places each, a hard limit"),
    ({"model_type": "encodec", "num_lstm_layers": 3}, "an LSTM of 3 layers tell the order"),
    ({"model_type": "deformable_detr", "two_stage": True, "two_stage_num_proposals": 9}, "9 object queries are boxes"),
    ({"model_type": "sam3_vit_model", "image_size": 672}, "layers 7, 15, 23, 31 count places as 0.5 each"),
    ({"model_type": "t5", "architectures": ["T5EncoderModel"]}, "; half of the buckets are for keys behind, and"),
    ({"model_type": "mt5"}, "for those before; in its decoder all buckets are for keys before, and where it asks"),
    ({"model_type": "longt5", "architectures": ["LongT5EncoderModel"]}, "; half of the buckets are for keys behind"),
    ({"model_type": "pix2struct"}, "no hard limit; all buckets are for keys before, and where it asks what was read"),
    ({"model_type": "aria"}, "the patches, 128 for 1,225 patches and 256 for 4,900 patches; another number of"),
    ({"model_type": "aria", "projector_patch_to_query_dict": {"1225": 96}}, "patches, 96 for 1,225 patches; another"),
    ({"model_type": "blip-2", "num_query_tokens": 48}, "blip-2 has 48 learned queries without places, which ask the"),
    ({"model_type": "idefics2", "perceiver_config": {"resampler_n_latents": 48}}, "its 48 learned queries ask what"),
    ({"model_type": "EvollaModel", "resampler_num_latents": 48, "protein_encoder_config": {**SIZES}},
     "has 48 learned queries without places, which ask the protein; where the text asks these, nothing is turned; "
     "protein_encoder_config (esm)"),
    ({"model_type": "siglip2"}, "siglip2 has a learned query without a place, which asks the patches and makes one"),
    ({"model_type": "aimv2", "vision_config": {"use_head": False}}, "positions have 768 channels; vision_config"),
    ({"model_type": "videoprism"}, "videoprism has a learned query without a place"),
    ({"model_type": "clipseg"}, "clipseg has a decoder, which adds no positions"),
    ({"model_type": "bridgetower", "num_hidden_layers": 3}, "joins text and image in 3 layers, which add no positions"),
    ({"model_type": "xclip", "prompt_layers": 3}, "ask the patches in 3 layers without positions"),
    ({"model_type": "xclip"}, "a vector of each frame asks those of the others, without positions; where frames are"),
    ({"model_type": "groupvit", "vision_config": {"num_group_tokens": [9, 8, 0]}},
     "stage by stage 9, 8, 0 learned vectors without places stand beside the patches, which become 64, 8, 8 groups"),
    ({"model_type": "vjepa2", "num_pooler_layers": 2, "architectures": ["VJEPA2ForVideoClassification"]},
     "behind its encoder 2 layers attend without positions, and a learned query asks what they make"),
    ({"model_type": "sam_hq"}, "random directions; its decoder of masks adds them to queries and keys of each layer"),
    ({"model_type": "tvp"}, "10 learned vectors without places stand in front of the text"),
    ({"model_type": "seamless_m4t", "t2u_max_position_embeddings": 96},
     "96 positions, and more where they are needed; the encoder of what becomes units attends without positions"),
    ({"model_type": "seamless_m4t"}, "over 31 frames, too; behind these layers an adapter attends without positions"),
    ({"model_type": "seamless_m4t_v2", "add_adapter": False}, "over 31 frames, too; what makes the sound"),
    ({"model_type": "wav2vec2-bert", "add_adapter": True}, "behind these layers an adapter attends without positions"),
    ({"model_type": "graphormer"}, "a token of the whole has one learned bias for all atoms; no order counts"),
    ({"model_type": "blt"}, "which tell their order; its local decoder sees at most 512 bytes, too; where patches ask"),
    ({"model_type": "t5gemma"}, "t5gemma turns nothing where its decoder asks what its encoder made"),
    ({"model_type": "t5gemma2", "encoder": {"vision_config": {}}}, "; t5gemma2_encoder cannot ask for that, and takes"),
    ({"model_type": "qwen2_5_omni", "token2wav_config": {"dit_config": {}}},
     "token2wav_config.dit_config (qwen2_5_omni_dit) turns q and k"),
    ({"model_type": "maskformer"}, "529 offsets in windows of 12 x 12 patches"),
    ({"model_type": "sam3"}, "each of 32 positions, a hard limit; its vectors of positions have 1,024 channels"),
    ({"model_type": "longt5", "encoder_attention_type": "transient-global"}, "counted in blocks, have a table"),
    ({"model_type": "owlvit"}, "owlvit finds boxes that begin on a fixed grid"),
    ({"model_type": "levit", "depths": [1, 1]}, "of 196, 49 offsets of rows and columns, stage by stage, and of 196"),
    ({"model_type": "granite_speech_encoder", "conv_kernel_size": 7}, "each layer has a convolution over 7 frames"),
    ({"model_type": "parakeet_ctc", "encoder_config": {"conv_kernel_size": 5}}, "has a convolution over 5 frames"),
    ({"model_type": "fastspeech2_conformer", "decoder_kernel_size": 9}, "too, over 7 tokens or 9 frames"),
    ({"model_type": "sam2_video", "memory_encoder_output_channels": 32}, "has a learned vector of 32 channels"),
    ({"model_type": "got_ocr2", "vision_config": {"model_type": ""}}, "(got_ocr2_vision) adds a learned vector"),
    ({"lm_config": {**SIZES, "architectures": ["DeepseekV2ForCausalLM"], "use_mla": False, "qk_rope_head_dim": 0}},
     "llama (lm_config): all 2 layers turn all 16 channels"),
    ({"model_type": "mobilebert"}, "joins each token with the one before it and the one behind it"),
    ({"model_type": "mobilebert", "trigram_input": False}, "a hard limit; its vectors"),
    ({"model_type": "deformable_detr", "encoder_n_points": 5}, "a head of its encoder reads 5 points of each"),
    ({"model_type": "mask2former"}, "a head of its pixel decoder reads 4 points of each of 3 maps"),
    ({"model_type": "rf_detr", "decoder_n_points": 2}, "a head of its decoder reads 2 points of each map"),
    ({"model_type": "dpt", "is_hybrid": True}, "another size is refused"),
    ({"model_type": "dpt"}, "the table is interpolated"),
    ({"model_type": "blip_vision_model"}, "an image of fewer patches takes the first rows and one of more"),
    ({"model_type": "flava_multimodal_model"}, "flava_multimodal_model adds no positions"),
    ({"model_type": "video_llava"}, "video_llava has its part that sees twice"),
    ({"model_type": "mbart", "max_position_embeddings": 96}, "its encoder and its decoder have one each"),
    ({"model_type": "seamless_m4t_v2"}, "where they are needed, and so have characters of the text"),
    ({"model_type": "qwen2_5_vl", "vision_config": {"tokens_per_second": 3}}, "a second of a film 3 places"),
    ({"model_type": "minicpmv", **SIZES, "version": 4.5, "vision_config": {}}, "of a film they get a sinusoid"),
    ({"model_type": "qwen", **SIZES, "use_dynamic_ntk": True, "seq_length": 64, "max_position_embeddings": 256},
     "with dynamic NTK, factor 2 from 64 tokens"),
    ({"_class_name": "SD3ControlNetModel", "use_pos_embed": False}, "sinusoids of the transformer that it is"),
    ({"_class_name": "StableAudioDiTModel", "sample_size": 96.0}, "attends to its text; its sound has 96 places"),
    ({"model_type": "layoutlmv2", "image_feature_pool_shape": [3, 5, 8]},
     "3 x 5 places of its image take the first 15 rows of its table, and by their corners those of boxes"),
    ({"model_type": "hyenadna", "short_filter_order": 5}, "before each a convolution reads 5 tokens"),
    ({"model_type": "minicpmv", **SIZES, "query_num": 49, "vision_encoder": "vit_so400m"}, "as on a grid of 7 x 7"),
    ({"model_type": "qwen", **SIZES, "visual": {"n_queries": 9, "width": 64}}, "column to its 9 queries and its keys"),
    ({"model_type": "xclip", "text_config": {}, "vision_config": {"mit_hidden_size": 48, "num_frames": 6}},
     "of 48 channels is added for each of 6"),
    ({"model_type": "superglue", "hidden_size": 96}, "a vector of 96 channels"),
    ({"model_type": "internlm", **SIZES, "rotary": {"base": 500, "type": "dynamic", "scaling_factor": 2.0}},
     "base 500 with dynamic NTK"),
    ({"max_position_embeddings": 96, **SIZES, "rms_norm_eps": 1e-6}, "llama: all 2 layers turn all 16"),
    ({"model_type": "bigbird_pegasus", "block_size": 8}, "in its encoder a block of 8 tokens sees itself"),
    ({"model_type": "big_bird", "block_size": 8}, "; a block of 8 tokens sees itself"),
    ({"model_type": "yoso", "max_position_embeddings": 96}, "each of 96 positions, a hard limit; 2 rows of its table"),
    ({"model_type": "bros", "hidden_size": 96, "num_attention_heads": 4}, "24 channels of them become 24"),
    ({"model_type": "sam2_video"}, "256 channels wide and divided by 10, and to memories, 64 wide"),
    ({"_class_name": "EasyAnimateTransformer3DModel", "patch_size": 4}, "a grid of 15 x 22 patches; its text turns"),
    ({"_class_name": "HunyuanVideoTransformer3DModelPacked", "rope_axes_dim": [8, 12, 12], "attention_head_dim": 32},
     "turns 8 + 12 + 12 of 32 channels"),
    ({"model_type": "seggpt", "image_size": [64, 32], "patch_size": 8, "hidden_size": 64, "num_attention_heads": 4},
     "28 x 28 patches, interpolated to its 8 x 4; its scores have learned vectors of 15 offsets of rows and 7 of"),
    ({"model_type": "swinv2", "use_absolute_embeddings": True}, "is added to each patch of its first stage, too"),
    ({"model_type": "kimi_k25_vision", "pos_emb_time": 8}, "sinusoid of the frame, of base 10,000, of which it has 8"),
    ({"model_type": "sew-d", "relative_attention": False}, "768 channels in 16 groups)."),
    ({"model_type": "seggpt", "use_relative_position_embeddings": False}, "its 56 x 28; an image of 896 x 448 pixels"),
    ({"model_type": "zoedepth", "backbone_config": {"model_type": "beit"}, "bin_configurations": [{}, {}]},
     "zoedepth has a head that adds sinusoids of base 10,000"),
    ({"model_type": "perceiver", "architectures": ["PerceiverForImageClassificationLearned"], "image_size": 32},
     "joins 256 learned channels to each of 32 x 32 pixels, 1,024 rows"),
    ({"_class_name": "Lumina2Transformer2DModel", "axes_lens": [64, 32, 32]}, "at most 64, 32, 32 places of its axes"),
    ({"_class_name": "QwenImageTransformer2DModel", "use_layer3d_rope": True}, "of a place is that of its layer"),
    ({"model_type": "maskformer", "backbone_config": {"model_type": "swin"}}, "until whole windows cover it"),
    ({"model_type": "swin", "image_size": 64}, "has a window or more; an image of 64 x 64 pixels has 16 x 16 patches"),
    ({"model_type": "dinov3_vit", "image_size": 64}, "an image of 64 x 64 pixels has 4 x 4 patches"),
    ({"model_type": "qwen3_vl_vision", "num_position_embeddings": 64}, "each of 8 x 8 places, 64 rows, interpolated"),
    ({"model_type": "qwen3_omni_moe", "code2wav_config": {"sliding_window": 9}}, "lets a token see 9 tokens"),
    ({"model_type": "own", "text_config": {"model_type": "llama"}, "vision_config":
      {"model_type": "vision", "model_name": "deeplip_b_l"}}, "257 rows; for another size the table is interpolated; "
     "these have 1,024 channels"),
    ({"model_type": "longcat_flash", "qk_nope_head_dim": 24}, "turn 64 of 88 channels of a head"),
    ({"model_type": "mambavision"}, "no positional encoding"),
    ({"model_type": "mllama_vision_model", "supported_aspect_ratios": [[1, 1]]}, "for each of 1 shapes of tiles"),
    ({"model_type": "clap_audio_model", "spec_size": 128}, "up to 256 frames becomes 32 x 32 patches"),
    ({"model_type": "musicgen_melody", "decoder": {}, "chroma_length": 9}, "puts 9 frames of a melody"),
    ({"model_type": "chameleon", "vq_config": {"resolution": 256}}, "image of 256 x 256 pixels as 16 x 16 tokens"),
    ({"model_type": "paddleocr_vl_vision", "image_size": 28}, "each of 2 x 2 patches, 4 rows … for another size"),
    ({"model_type": "gemma3n", "vision_config": {"architecture": "mobilenetv5_300m_enc"}},
     "vision_config (timm_convolutional) has no positional encoding"),
    ({"_class_name": "AuraFlowTransformer2DModel", "pos_embed_max_size": 64}, "more than 8 rows are refused"),
    ({"_class_name": "CogView4Transformer2DModel", "sample_size": 32}, "32 x 32 latents has 16 x 16 patches"),
    ({"model_type": "perceiver", "architectures": ["PerceiverForMaskedLM"]}, "asks by a table of as many learned"),
    ({"model_type": "aimv2", **VIEW, "hidden_size": 64}, "16 rows … an image of fewer patches takes the first rows"),
    ({"_class_name": "CogVideoXTransformer3DModel", "use_rotary_positional_embeddings": True}, "a film has 13 x 30 x"),
    ({"_class_name": "CogVideoXTransformer3DModel", "use_rotary_positional_embeddings": True, "max_text_seq_length": 9,
      "use_learned_positional_embeddings": True}, "each of 17,559 tokens, too, of which 9 are a text and 13 x 30 x 45"),
    ({"model_type": "big_bird", "block_size": 16, "num_random_blocks": 2},
     "sees 2 random blocks, too, in whose place the first one counts again later; the first and the last block see all,"
     " and so do those of a text up to 144 tokens"),
    ({"model_type": "borzoi", "flashed": False}, "compares its queries with mixtures of 32 steps of a distance"),
    ({"_class_name": "OmniGen2Transformer2DModel", "axes_dim_rope": [8, 8, 8], "axes_lens": [9, 16, 17]},
     "turns 8 + 8 + 8 of 24 channels of a head by 3 numbers of a place (RoPE of several axes); its base is 10,000; at "
     "most 9, 16, 17 places of its axes"),
    ({"_class_name": "Showo", "llm_model_path": "microsoft/phi-1_5"}, "all 24 layers turn 32 of 64 channels"),
    ({"model_type": "sam_vision_model", "image_size": 96}, "an image of 96 x 96 pixels has 6 x 6 patches; another"),
    ({"model_type": "vit_mae", "image_size": 96}, "an image of 96 x 96 pixels has patches of 16 x 16; another size"),
    ({"model_type": "dasheng", "target_length": 96}, "each of 1 rows and 24 columns of the patches of its sound; its"),
    ({"model_type": "ConvNet", "dilation_base": 2}, "has no attention, and no table of positions: its convolutions"),
    ({"model_type": "pix2struct_vision_model", "seq_len": 96}, "96 of each, a hard limit; its processor counts them"),
    ({"_class_name": "UniDiffuserModel", "sample_size": 32, "patch_size": 2}, "latents has 16 x 16 patches; another"),
    ({"model_type": "xclip", "vision_config": {"mit_hidden_size": 64, "num_frames": 6}}, "each of 6, and another"),
    ({"model_type": "prophetnet", "pad_token_id": 3, "max_position_embeddings": 96}, "for each of 92 positions, of"),
    ({"model_type": "moondream1", "phi_config": {}}, "an image of 384 x 384 pixels"),
    ({"model_type": "mambavision", "window_size": [8, 8, 6, 3]}, "windows of 6 x 6 and of 3 x 3 places, which do not"),
    ({"model_type": "xlm-token", "max_position_embeddings": 98, "pad_token_id": 1, "hidden_size": 64}, "each of 96"),
    ({"model_type": "omdet-turbo", "backbone": "swin_tiny_patch4_window7_224", "backbone_kwargs": {"img_size": 64}},
     "an image of 64 x 64 pixels has 16 x 16 patches"),
    ({"model_type": "speecht5", "architectures": ["SpeechT5ForSpeechToSpeech"], "max_speech_positions": 64},
     "each of 64 frames that are heard, more are computed, and of 64 steps that speak 2 frames each"),
    ({"model_type": "efficientloftr", "hidden_size": 64}, "turns 64 channels, before they are split into heads"),
    ({"model_type": "kosmos_2_5_text_model"}, "each of 4,096 positions, more are computed for a longer text"),
    ({"model_type": "prophetnet"}, "its decoder makes a bias of each query for 32 buckets"),
    ({"model_type": "beit", "use_relative_position_bias": True, "image_size": 64}, "its grid has 4 x 4 patches"),
    ({"model_type": "seamless_m4t", "max_source_positions": 64}, "for 127 distances, more are computed"),
    ({"model_type": "moshi_depth", "num_codebooks": 4}, "each of 4 places of a step has weights of its own"),
    ({"_class_name": "PixArtTransformer2DModel"}, "those of another size are computed between the same ends"),
    ({"model_type": "blip", "architectures": ["BlipForQuestionAnswering"]}, "has a decoder, too, with such a table"),
    ({"model_type": "deta", "backbone_config": {"model_type": "swin", "window_size": 12}}, "each of 529 offsets in"),
    ({"model_type": "udop", "image_size": 64}, "the 4 x 4 patches of its image have boxes, too"),
    ({"model_type": "swin2sr", "window_size": 4}, "an image is refused unless each side is a multiple of 4 pixels"),
    ({"model_type": "levit", "depths": [1, 1]}, "its stages have 14, 7 patches a side"),
    ({"model_type": "sam2_video", "memory_attention_rope_feat_sizes": [8, 4]}, "on 8 x 4 places; sinusoids"),
    ({"model_type": "qwen2_5_omni_dit", "look_ahead_layers": [1, 3]}, "in layers 1, 3 the one behind it"),
    ({"_class_name": "MochiTransformer3DModel"}, "scaled to an area of 192 x 192"),
    ({"model_type": "rt_detr", "encoder_hidden_dim": 96, "d_model": 64},
     "makes vectors of 64 channels; these begin on a fixed grid, each in the middle of its place; a head of its "
     "decoder reads 4 points of each of 3 maps of features, wherever its query says; the base of its sinusoids is "
     "10,000; its vectors of positions have 96 channels"),
    ({"model_type": "rt_detr"}, "sides have to be multiples of 32 pixels, or some of those up to 7 off"),
    ({"model_type": "rt_detr_v2", "eval_size": [64, 64]}, "because of eval_size it does so in training alone"),
    ({"model_type": "omdet-turbo", "eval_size": [64, 64]}, "because of eval_size it does so in training alone"),
    ({"model_type": "d_fine", "anchor_image_size": [64, 96]},
     "but for training it is that of an image of 64 x 96 pixels, and another number of places is refused"),
    ({"model_type": "pp_doclayout_v3", "num_queries": 9}, "its 9 object queries are boxes"),
    ({"model_type": "pp_doclayout_v3"}, "a box is drawn anew, around the mask that a query gives"),
    ({"model_type": "pp_doclayout_v4", "hidden_size": 64}, "quadrangles, of which a small network makes vectors of 64"),
    ({"model_type": "deimv2", "positional_encoding_temperature": 96}, "the base of its sinusoids is 96"),
    ({"model_type": "deimv2", "encoder_type": "lite", "num_queries": 9}, "deimv2 has 9 object queries that are boxes"),
    ({"model_type": "pp_doclayout_v2", "reading_order_config": {"max_position_embeddings": 96, "pad_token_id": 3}},
     "each of 96 positions, a hard limit, of which those up to 3 stand for none"),
    ({"model_type": "pp_doclayout_v2", "reading_order_config": {"relation_bias_scale": 9, "relation_bias_theta": 96}},
     "times 9, with 16 channels each and a base of 96"),
    ({"model_type": "lw_detr", "decoder_n_points": 2}, "a head of its decoder reads 2 points of each map of features"),
    ({"model_type": "lw_detr_vit", "pretrain_image_size": 64, "window_block_indices": [0, 2], "num_windows": 4},
     "4 x 4 patches, 17 rows, of which the first is left out; for another size the table is interpolated; an image of "
     "256 x 256 pixels has 16 x 16 patches; in layers 0, 2 a patch sees its window alone, of 2 x 2 in an image, whose "
     "patches must be whole windows"),
    ({"model_type": "lw_detr_vit", "num_windows": 4}, "the patches of an image must be 2 x 2 windows of one size"),
    ({"model_type": "hiera", "query_stride": 1}, "an image is refused unless each side is a multiple of 4 pixels"),
    ({"model_type": "hiera", "image_size": [224, 192]}, "2,688 rows; another number of patches is refused; an"),
    ({"model_type": "radio", "patch_size": 8}, "an image is refused unless each side is a multiple of 8 pixels"),
    ({"model_type": "blip_vision_model", "image_size": [64, 32]}, "the first rows and one of more is refused; its"),
    ({"model_type": "perceiver", "architectures": ["PerceiverForImageClassificationLearned"]},
     "another number of pixels is refused unless interpolate_pos_encoding is asked for"),
    ({"model_type": "sam2", "prompt_encoder_config": {"image_size": 64, "patch_size": 8}},
     "an image of 64 x 64 pixels has 8 x 8 places; another number of places is refused"),
    ({"model_type": "sam2_vision_model", "backbone_config": {"image_size": [64, 32]}},
     "an image of 64 x 32 pixels has 16 x 8 patches"),
    ({"model_type": "edgetam_video", "memory_attention_rope_k_sizes": [8, 4]}, "windows alone turn, on 8 x 4 places"),
    ({"model_type": "sam3_tracker", "prompt_encoder_config": {"hidden_size": 64}}, "cosines in 32 random directions"),
    ({"model_type": "sam3_tracker_video", "num_maskmem": 5}, "each of 5 memories has a learned vector of 64 channels"),
    ({"model_type": "sam3_video", "detector_config": {}, "tracker_config": {"num_maskmem": 5}},
     "tracker_config (sam3_tracker_video) makes vectors of the places of points"),
    ({"model_type": "sam3", "text_config": {}, "detr_decoder_config": {"num_queries": 9}},
     "detr_decoder_config (sam3_detr_decoder) has 9 object queries, which begin as learned vectors and learned boxes"),
    ({"model_type": "sam3", "text_config": {}, "geometry_encoder_config": {"hidden_size": 64}},
     "of row and column; a place is its share of the rows or of the columns, times 2 pi; its vectors of positions have "
     "64 channels"),
    ({"model_type": "sam3_detr_encoder", "hidden_size": 64}, "to its queries and keys, whatever the size of the image"),
    ({"model_type": "sam3_lite_text", "text_config": {"max_position_embeddings": 96, "repmixer_kernel_size": 9}},
     "96 positions, interpolated for a text of another length; its first and its last layer have no attention, but "
     "convolutions over 9 tokens"),
    ({"model_type": "oneformer", "num_queries": 9, "query_dec_layers": 3, "task_seq_len": 96},
     "each of its 8 object queries has a learned vector, and so has its task; its task is a text of exactly 96 tokens, "
     "of which a small network makes one vector; a decoder of 3 layers makes these"),
    ({"model_type": "oneformer", "is_training": True, "text_encoder_width": 64, "text_encoder_context_length": 96},
     "a learned vector of 64 channels for each of 96 tokens, and takes no other number of them"),
    ({"model_type": "dab-detr", "num_patterns": 3}, "each box asks with each of 3 learned patterns"),
    ({"model_type": "dab-detr"}, "a small network makes of each token what its sinusoids are multiplied by"),
    ({"model_type": "grounding-dino"}, "these places are counted anew in each phrase"),
    ({"model_type": "hiera", "architectures": ["HieraForPreTraining"], "decoder_hidden_size": 64, "image_size": 64,
      "num_query_pool": 2}, "a learned vector of 64 channels for each of 4 x 4 places, and takes no other size"),
    ({"model_type": "perceiver", "architectures": ["PerceiverForMultimodalAutoencoding"]},
     "its decoder asks by such features of the places that it writes"),
    ({"model_type": "siglip", "architectures": ["SiglipForImageClassification"], "text_config": {}, "vision_config":
      {"image_size": 64}}, "siglip_vision_model adds a learned vector for each of 4 x 4 patches, 16 rows"),
    ({"model_type": "clip", "text_config": {"max_position_embeddings": 96}},
     "vision_config (clip_vision_model) adds a learned vector for each of 7 x 7 patches and 1 more"),
    ({"model_type": "vitpose_backbone"}, "the one more is added to every patch, and there is no class token"),
    ({"model_type": "vjepa2"}, "an image of another size gets rows and columns that are not its own"),
    ({"model_type": "mlcd", "image_size": 56}, "an image of 56 x 56 pixels has 4 x 4 patches"),
    ({"model_type": "dinov3_vit", "pos_embed_rescale": 3}, "are multiplied by a random number from 1/3 to 3; an image"),
    ({"model_type": "dinov3_vit", "pos_embed_jitter": 1.5, "pos_embed_rescale": None},
     "of patches alone; in training rows and columns are multiplied by one each from 1/1.5 to 1.5"),
    ({"model_type": "dinov3_vit", "pos_embed_shift": 0.25}, "rows and columns are moved by a random number up to 0.25"),
    ({"model_type": "videomt", "image_size": 64, "num_queries": 9},
     "4 x 4 patches, 16 rows … another number of patches is refused; each of its 9 queries has a learned vector, to"),
    ({"model_type": "videoprism_vision_model", "image_size": 64, "tubelet_size": [1, 16, 8], "num_frames": 6},
     "4 x 8 patches of a frame, 32 rows, and before its last layers one for each of 6 frames … another size, or "
     "another number of frames but one, is refused unless"),
    ({"model_type": "videoprism_text_model", "max_position_embeddings": 96}, "a fixed sinusoid for each of 96"),
    ({"model_type": "yolos"}, "an image of 512 x 864 pixels has patches of 16 x 16; for another size"),
    ({"model_type": "unlimited_ocr_vision_encoder"}, "257 rows; for another size"),  # its patches are of SAM
    ({"model_type": "tipsv2_vision_model", "image_size": 56}, "4 x 4 patches and 1 more, 17 rows; an image of 56"),
    ({"model_type": "tvp", "max_grid_row_position_embeddings": 9}, "gets learned vectors of 9 rows and 100 columns"),
    ({"model_type": "pixio", "image_size": 64, "n_cls_tokens": 3}, "4 x 4 patches and 3 more, 19 rows … for another"),
    ({"model_type": "vit", "image_size": [64, 32]}, "4 x 2 patches and 1 more, 9 rows … another size is refused; its"),
    ({"model_type": "beit", "use_shared_relative_position_bias": True}, "all layers share one table of biases; each"),
    ({"model_type": "dinat"}, "an image may have any size: places are added where a stage has fewer than a patch sees"),
    ({"model_type": "align_vision_model"}, "align_vision_model has no positional encoding: its convolutions tell"),
    ({"model_type": "slanext", "max_text_length": 9}, "writes with a recurrence, up to 10 steps, which asks a map"),
    ({"model_type": "pp_ocrv5_server_rec"}, "pp_ocrv5_server_rec adds no positions to what its backbone makes"),
    ({"model_type": "depth_pro", "image_model_config": {"model_type": "dinov2"}, "patch_model_config":
      {"model_type": "dinov2", "image_size": 56}, "fov_model_config": {"model_type": "dinov2", "image_size": 28}},
     "each of 4 x 4 patches and 1 more, 17 rows … for another size the table is interpolated; its vectors of positions "
     "have 768 channels."),
    ({"model_type": "depth_pro", "patch_size": 64, "scaled_images_ratios": [0.4, 1]}, "depth_pro refuses an image with "
     "a side of fewer than 160 pixels, and cuts a larger one, in 2 sizes, into pieces of 64 x 64, so that its tables"),
    ({"model_type": "gemma3", "vision_config": {"image_size": 64}},
     "16 rows … another number of patches is refused unless interpolate_pos_encoding is asked for, which "
     "interpolates the table; its vectors of positions have 768 channels; gemma3 cannot ask for that, and takes no"),
    ({"model_type": "llava_next", "text_config": {}, "vision_config": {"model_type": "clip_vision_model"}},
     "llava_next cannot ask for that, and takes no other number of patches; images are cut into pieces that fit"),
    ({"model_type": "llama4_vision_model"}, "the token behind its patches turns nothing"),
    ({"model_type": "distilbert", "sinusoidal_pos_embds": True}, "its rows begin as sinusoids of base 10,000"),
    ({"model_type": "rf_detr_dinov2", "image_size": 56, "num_windows": 2, "out_indices": [1, 3]},
     "4 x 4 patches and 1 more, 17 rows; an image of 56 x 56 pixels has patches of 14 x 14; for another size the table "
     "is interpolated; in layers 0, 2 a patch sees its window alone, of 2 x 2 in an image, whose patches must be"),
    ({"model_type": "rf_detr_dinov2", "out_features": ["stage2", "stage4"]}, "in layers 0, 1, 3 a patch sees"),
    ({"model_type": "rf_detr_dinov2", "window_block_indexes": [5], "out_indices": [1]}, "in layers 5 a patch sees"),
    ({"model_type": "rf_detr", "num_feature_levels": 2}, "reads 4 points of each of 2 maps of features, wherever"),
    ({"model_type": "lw_detr", "projector_scale_factors": [2.0, 1.0, 0.5]}, "reads 4 points of each of 3 maps"),
    ({"model_type": "detr", "backbone": "resnet18"}, "backbone (resnet18) has no positional encoding: its conv"),
    ({"model_type": "dpt", "is_hybrid": True, "backbone_config": {"model_type": "bit"}}, "backbone_config (bit) has"),
    ({"model_type": "eomt", "num_queries": 9, "num_blocks": 3},
     "each of its 9 queries is a learned vector, in front of the patches from layer 21 on"),
    ({"model_type": "eomt_dinov3", "rope_parameters": {"rope_theta": 50}, "num_queries": 9, "num_blocks": 3},
     "an image of 640 x 640 pixels has 40 x 40 patches; each of its 9 queries is a learned vector, in front of"),
    ({"model_type": "sapiens2", "rope_theta": 50}, "sapiens2 turns some pairs with the row and others with the column "
     "of a patch (2-D RoPE); its base is 50"),
    ({"model_type": "siglip2_vision_model", "num_patches": 1024}, "for each of 32 x 32 patches, 1,024 rows"),
    ({"model_type": "beit", "image_size": 32, "use_absolute_position_embeddings": True}, "and 1 more, 5 rows; for"),
    ({"model_type": "superpoint"}, "its convolutions tell where things are"),
    ({"architecture": "vit_pe_core_gigantic_patch14_448", "input_size": [3, 56, 56]},
     "4 x 4 patches, 16 rows … another size is refused; it turns some pairs with the row and others with the column of "
     "a patch (2-D RoPE); all 96 channels of a head turn"),
    ({"architecture": "vit_pe_spatial_tiny_patch16_512", "input_size": [3, 64, 64]}, "4 x 4 patches and 1 more, 17"),
    ({"architecture": "vit_base_patch16_rope_ape_224", "input_size": [3, 64, 64]}, "16 rows … another size is refused; "
     "it turns some pairs with the row and others with the column of a patch (2-D RoPE); all 64 channels of a head "
     "turn, half with the row and half with the column, with a base of 100"),
    ({"architecture": "vit_mediumd_patch16_rope_reg1_gap_256", "input_size": [3, 64, 64]}, "timm_vit turns some pairs"),
    ({"architecture": "aimv2_large_patch14_224", "input_size": [3, 56, 56]}, "4 x 4 patches, 16 rows"),
    ({"architecture": "cait_s24_224", "input_size": [3, 64, 64]}, "4 x 4 patches, 16 rows"),
    ({"model_type": "rf_detr"}, "37 x 37 patches and 1 more, 1,370 rows; an image of 518 x 518 pixels has patches "
     "of 14 x 14; for another size the table is interpolated; in layers 0, 1, 3, 4, 6, 7, 9, 10 a patch sees"),
    ({"model_type": "prompt_depth_anything"}, "1,370 rows … for another size the table is interpolated; its vectors of "
     "positions have 384 channels"),
    ({"model_type": "zoedepth"}, "its grid has 24 x 24 patches; for another size the table is interpolated; each"),
    ({"model_type": "chmv2"}, "an image of 416 x 416 pixels has 26 x 26 patches"),
    ({"architectures": ["BiRefNet"], "bb_pretrained": False}, "each of 529 offsets in windows of 12 x 12 patches; "
     "every second layer of a stage shifts its windows by 6 patches"),
    ({"model_type": "gla", "num_hidden_layers": 3, "use_short_conv": True},
     "gla has no positional encoding: only recurrent layers tell the order, of which it has 3; a convolution in each "
     "reads 4 tokens at a time"),
    ({"model_type": "mamba"}, "mamba has no positional encoding: only recurrent layers tell the order; a convolution"),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M"}, "tell the order; 0 of 3 layers have attention"),
    ({"model_type": "jamba"}, "and the causal mask of attention layers; 4 of 32 layers have attention"),
    ({"model_type": "gLM2", "dim": 64, "heads": 4, "depth": 2},
     "gLM2 turns q and k with RoPE of base 10,000, all 16 channels of a head; a token sees as far ahead as back"),
    ({"model_type": "E1", **SIZES, "rope_theta_global": 5e4, "max_num_sequences": 8,
      "global_attention_every_n_layers": 2},
     "of base 10,000, all 16 channels of a head; 1 of 2 layers see earlier sequences, too, and turn by the place among "
     "all, with the base 50,000; the number of each of 8 sequences gets a vector, which is learned; it claims 8,192"),
    ({"model_type": "E1", **SIZES, "global_attention_every_n_layers": 0}, "all 16 channels of a head; the number of"),
    ({"model_type": "mplug_owl2", **SIZES, "visual_config": {
        "visual_model": {"model_type": "mplug_owl_vision_model", "image_size": 28},
        "visual_abstractor": {"num_learnable_queries": 6, "grid_size": 2, "hidden_size": 96}}},
     "one of more is refused; 6 queries read it, with fixed sinusoids of their number, and keys with those of "
     "row and column of 2 x 2 patches, 96 channels wide"),
    ({"model_type": "ovis", "llm_config": {"model_type": "qwen2"}, "visual_tokenizer_config": {"model_type": "a",
      "backbone_config": {"model_type": "aimv2", "image_size": 32, "patch_size": 8}}},
     "(aimv2_of_authors) adds a learned vector for each of 4 x 4 patches, 16 rows … an image of fewer patches takes "
     "the first rows and one of more is refused; its vectors of positions have 1,024 channels"),
    ({"model_type": "aimv2", "patch_size": 8, "is_native": True}, "sinusoids of the row and of the column"),
    ({"model_type": "llava_qwen2", **TURNING, "mm_vision_tower": "mobileclip_l_1024"},
     "where things are; in front of each stage whose layers attend, one over 7 x 7 places is added"),
    ({"model_type": "codet5p", "encoder": {"model_type": "codet5p_module", **GPT, "rotary_dim": 8},
      "decoder": {"model_type": "codet5p_module", **GPT, "rotary_dim": 4, "is_decoder": True}},
     "codegen turns the first 4 of 16 channels of q and k with RoPE of base 10,000, neighbours in pairs, and claims "
     "1,024 tokens; encoder (codegen) turns the first 8 of 16 channels of q and k with RoPE of base 10,000, neighbours "
     "in pairs, and claims 1,024 tokens; a token sees as far ahead as back"),
    ({"model_type": "gpt_refact", **GPT}, "by ALiBi, and turns nothing, and claims 1,024 tokens; each of its 4 heads"),
    ({"model_type": "codet5p_embedding", "num_heads": 4}, "half for those before; each of its 4 heads"),
    ({"model_type": "llada_moe", **TURNING}, "all 16 channels of a head by RoPE of base 10,000; a token sees as far"),
    ({"model_type": "own", "architectures": ["OwnLlamaForCausalLM"], **SIZES, "max_position_embeddings": 96},
     "llama: all 2 layers turn all 16 channels of a head"),
    ({"model_type": "own", "architectures": ["OwnQwenForCausalLM"], **TURNING}, "qwen2: all 2 layers turn all 16"),
    ({"model_type": "telechat", **SIZES, "base_seqlen": 48, "training_seqlen": 96}, "by RoPE of base 35,098;"),
    ({"model_type": "telechat", **SIZES, "base_seqlen": 96, "training_seqlen": 96}, "by RoPE of base 10,000;"),
    ({"model_type": "stripedhyena", **TURNING, "attn_layer_idxs": [1], "rotary_emb_scaling_factor": 4,
      "use_interpolated_rotary_pos_emb": False}, "layers turn all 16 channels of a head by RoPE of base 10,000; the"),
    ({"model_type": "own", "rope_base": 500, "n_embd": 64, "n_head": 4, "block_size": 96, "patch_size": 8},
     "turn all 16 channels of a head by RoPE of base 500; it claims 96 tokens"),
    ({"architectures": ["BriaRMBG"], "model_type": "SegformerForSemanticSegmentation"}, "its convolutions tell where"),
    ({"architecture": "davit_tiny", "input_size": [3, 64, 64]}, "its convolutions tell where things are"),
    ({"architecture": "maxvit_base_tf_512", "input_size": [3, 512, 512]},
     "each of 961 offsets in windows of 16 x 16 places and in grids of 16 x 16 places spread over the image; its "
     "convolutions tell where things are, too; an image must have whole windows in each stage; an image has 512 x 512 "
     "pixels; each head has biases of its own, and the stages have 3, 6, 12, 24 heads"),
])  # fmt: skip
def test_parts_and_sizes_that_a_reader_missed_are_told(config, words):
    assert has(words, inspected(config).summary)


@each(("config", "told"), [
    ({"model_type": "jina_clip", "text_config": {}, "vision_config": {"intp_freq": True, "pt_hw_seq_len": 12}},
     "Places are counted as on a square of 12 x 12 patches, to which those of an image of any size are scaled."),
    ({"model_type": "qwen2_5_omni", "thinker_config": {"position_id_per_seconds": 9}},
     "A second of sound or film takes 9 places of time (thinker_config.position_id_per_seconds)."),
    ({"model_type": "mimi"},
     "It has two such transformers, one behind its encoder and one before its decoder, which are made of "
     "convolutions."),
    ({"model_type": "falcon_h1", "mamba_d_conv": 3},
     "Beside its attention each layer has a recurrent part with a convolution over 3 tokens: both tell the order, "
     "too."),
    ({"model_type": "paligemma", "vision_config": {}},
     "Tokens of the image and the prompt see each other, those behind them, too."),
    ({**OPEN_CLIP, "vision_cfg": {**VIEW, "npatch": 9}},
     "OpenCLIP has no such field, and what code of another one does with it is not known: vision_cfg.npatch."),
    ({**OPEN_CLIP, "vision_cfg": {**VIEW, "pos_embed_type": "sin_cos_2d"}},
     'vision_cfg.pos_embed_type is "sin_cos_2d": vectors of patches are fixed sinusoids of row and column, 96 channels '
     "wide, and not learned."),
    ({**OPEN_CLIP, "vision_cfg": {"timm_model_name": "vit_large_patch16_siglip_384", "image_size": 384}},
     'vision_cfg names "vit_large_patch16_siglip_384" of timm: what it does is read from its name. This is a guess.'),
    ({**OPEN_CLIP, "vision_cfg": {"timm_model_name": "resnet50", "timm_pool": "rot_attn"}},
     "timm_pool says that attention pools its last map, and turns pairs with row and column."),
    ({**OPEN_CLIP, "text_cfg": {"context_length": 7, "embed_cls": True}, "vision_cfg": VIEW},
     "A text has 7 tokens and, behind them, one of its own, which takes the last row."),
    ({"_class_name": "Own", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 2.0},
     '_class_name names a class that is not read here: "Own".'),
    ({"vision_cfg": {"width": 64}, "text_cfg": {"width": 64, "no_causal_mask": True}},
     "text_cfg.no_causal_mask says that a token of the text sees as far ahead as back."),
    ({**OPEN_CLIP, "vision_cfg": {"timm_model_name": "nest_base_jx"}},
     'vision_cfg names "nest_base_jx" of timm, whose positions are not read here.'),
    ({"architectures": ["Chronos2Model"], "d_model": 64, "num_heads": 4, "num_layers": 2, "d_kv": 16,
      "chronos_config": {"context_length": 96, "input_patch_size": 8, "time_encoding_scale": 128}},
     "It reads the number of a point in time, divided by 128, beside its value."),
    ({"model_type": "timesfm2_5", "patch_length": 48}, "A position is a patch of 48 points in time."),
    ({"model_type": "kimi_audio", **SIZES, "kimia_mimo_layers": 6},
     "kimia_mimo_layers is obeyed by the code of that model alone: so many further layers speak, which turn as the "
     "others do."),
])  # fmt: skip
def test_what_code_of_other_programs_does_is_said(config, told):
    assert told in inspected(config).warnings


@each(("kind", "known"), [("own_pair", False), ("clip", True)])
def test_what_an_unknown_model_does_around_known_parts_is_said_to_be_unknown(kind, known):
    parts = {"text_config": {"model_type": "clip_text_model"}, "vision_config": {"model_type": "clip_vision_model"}}
    told = f'what else the code of "{kind}" does with positions: its type is not known here'
    assert (told in inspected({"model_type": kind, **parts}).unknown) is not known


def test_sinusoids_of_a_part_that_sees_are_not_called_learned():
    sees = inspected({**OPEN_CLIP, "vision_cfg": {**VIEW, "pos_embed_type": "sin_cos_2d"}})
    assert "vision_config" not in sees.summary


@each("window", [None, 48])
def test_a_window_that_mlc_switches_off_is_none(window):
    given = {"model_type": "mistral", "model_config": {**MLC, "sliding_window_size": window or -1}}
    assert [group.window for group in inspected(given).groups] == [window]


@each(("kind", "field"), [
    ("layoutlm", "has_relative_attention_bias"), ("lilt", "has_spatial_attention_bias"),
    ("distilbert", "sinusoidal_embeddings"), ("flaubert", "sinusoidal_pos_embds"), ("vjepa2", "rope_theta"),
    ("sew-d", "max_relative_positions"),
])  # fmt: skip
def test_the_class_fills_in_no_field_that_it_has_not(kind, field):
    assert field not in inspected({"model_type": kind}).filled


def test_the_pooled_image_of_layoutlm_2_has_rows_and_columns():
    with pytest.raises(ConfigError) as error:
        inspected({"model_type": "layoutlmv2", "image_feature_pool_shape": [7]})
    told = "image_feature_pool_shape must begin with a number of rows and one of columns, got [7]"
    assert str(error.value) == told


@each(("part", "told"), [
    ({"model_type": "siglip_vision_model", "rope_max": 9},
     "Not read by this model, though the name speaks of positions: vision_config.rope_max (9)."),
    ({"model_type": "mistral", "rope_thetas": 9},
     "vision_config.rope_thetas is not read by this model: did you mean rope_theta?"),
])  # fmt: skip
def test_a_field_that_a_part_does_not_read_is_named(part, told):
    whole = {"model_type": "llava", "text_config": {"model_type": "llama"}, "vision_config": part}
    assert told in inspected(whole).warnings


def test_what_hears_is_read_where_the_text_is_a_model_that_is_only_named():
    hears = {"model_type": "whisper", "d_model": 64, "max_source_positions": 1500}
    found = inspected({"model_type": "ultravox", "text_model_id": "an/llama", "audio_config": hears})
    assert "whisper_encoder adds a fixed sinusoid for each of 1,500 frames" in found.summary
    told = "text_model_id names the model of the text, which has a file of its own: audio_config alone is read."
    assert told in found.warnings


@each(("name", "words", "unknown"), [
    ("vit_base_patch16_siglip_224", "(vit_base_patch16_siglip_224) adds a learned vector for each of 14 x 14 patches",
     "what the code of timm_model_ids does: it is read by its name"),
    ("nest_base_jx", "", "what timm_model_ids does with positions: it is only named, and has a file of its own"),
    ("../2", "", "what timm_model_ids does with positions: it is only named, and has a file of its own"),
])  # fmt: skip
def test_towers_of_timm_are_read_by_their_names(name, words, unknown):
    given = {"text_config": {"model_type": "llama"}, "timm_model_ids": [name], "image_sizes": [224]}
    found = inspected({"model_type": "openvla", **given})
    assert words in found.summary
    assert unknown in found.unknown


@each("kind", ["lightnet", "linear_attn", "samba"])
def test_layers_with_attention_of_recurrent_models_are_told(kind):
    attends = {"layers": [1], "num_heads": 2, "rope_theta": 500.0, "window_size": 9}
    found = inspected({"model_type": kind, **SIZES, "attn": attends})
    assert [(one.layers, one.window, one.rotation and one.rotation.head_dim) for one in found.groups] == [
        ((1,), 9, 32), ((0,), None, None)
    ]  # fmt: skip
    told = "turns all 32 channels of q and k with RoPE of base 500 where it has attention; 1 of 2 layers have attention"
    assert f"{kind} {told}; these are 1, counted from 0; the others are recurrent" in found.summary


def test_layers_with_attention_of_rwkv_are_told():
    found = inspected({"model_type": "rwkv7", **SIZES, "attn": {"layers": [1], "rope_theta": 10_000.0}})
    assert found.mechanism == "none"
    assert any(line.startswith("attn is ignored by transformers") for line in found.warnings)


def test_more_than_is_told_may_be_done_by_the_code_of_a_type_that_is_not_known():
    alone = {"model_type": "molmoact", "rope_theta": 1e6, **SIZES}
    assert (
        'what else the code of "molmoact" does with positions: its type is not known here' in inspected(alone).unknown
    )


def test_a_clip_that_is_named_in_an_image_processor_is_read():
    given = {"model_type": "phi3_v", **SIZES, "img_processor": {"model_name": "openai/clip-vit-large-patch14-336"}}
    words = "img_processor (clip_vision_model) adds a learned vector for each of 24 x 24 patches and 1 more, 577 rows"
    assert words in inspected(given).summary


@each(("given", "kind", "words"), [
    ({"model_type": "gpt_neo", "hidden_size": 64, "num_heads": 4, "rotary": True, "rotary_dim": 8}, "gptj",
     "turns the first 8 of 16 channels of q and k"),
    ({"model_type": "bert", **SIZES, "use_relative_position": True, "max_relative_position": 8}, "nezha",
     "up to 8 on each side"),
    ({"position_bias_num_segment_buckets": 8, "position_bias_num_buckets": 16, "num_heads": 2}, "cpmbee",
     "for each of 16 buckets of distances"),
    ({"position_bias_num_buckets": 16, "segment_types": 3, "num_heads": 2}, "cpmant", "for each of 9 relations"),
    ({"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "n_positions": 0, "use_pos_embed": True, "img_size": 56,
      "patch_size": 14, "use_rotary_pos_emb": True}, "timm_vit", "for each of 4 x 4 patches and 1 more, 17 rows"),
    ({"model_type": "minicpmv", **SIZES, "rope_theta": 10_000.0, "patch_size": 14}, "llama", "by RoPE"),
])  # fmt: skip
def test_files_of_other_code_under_a_known_type_or_none(given, kind, words):
    found = inspected(given)
    assert found.model_type == kind
    assert words in found.summary


def test_what_qwen_audio_hears_is_told():
    hears = {"n_mels": 80, "n_ctx": 1500, "n_state": 64, "n_head": 4, "n_layer": 2}
    words = "audio (whisper_encoder) adds a fixed sinusoid for each of 1,500 frames"
    assert words in inspected({"model_type": "qwen", **SIZES, "audio": hears}).summary


def test_a_key_that_stands_twice_with_one_value_is_read():
    assert inspected('{"model_type": "llama", "model_type": "llama"}').model_type == "llama"


def test_layers_of_minimax_m1_forget():
    told = "Layers with linear attention forget: a key counts the less the farther it is, by a rate of each head."
    assert told in inspected({"model_type": "minimax_m1", **SIZES, "attn_type_list": [0, 1]}).warnings


@each(("field", "named"), [("vision_tower_dino", True), ("mm_vision_tower", True), ("vision_tower_dtype", False)])
def test_each_tower_that_is_only_named_is_said_to_be_open(field, named):
    told = f"what {field} does with positions: it is only named, and has a file of its own"
    given = {"model_type": "bunny-phi", **SIZES, "rope_theta": 10_000.0, field: "some/tower"}
    assert (told in inspected(given).unknown) is named
