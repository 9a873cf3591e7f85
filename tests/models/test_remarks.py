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
CONFORMER = {"self_attention_model": "rel_pos", "d_model": 64}
NOBODYS = "Not read by this model, though the name speaks of positions"


def timm(name, width=None):
    """Return a file of timm for an image of 224 x 224 pixels."""
    return {"architecture": name, "num_features": width, "pretrained_cfg": {"input_size": [3, 224, 224]}}


def lines_of(config):
    """Return what is told: the summary, warnings, and what is not known."""
    found = inspected(config)
    return [found.summary, *found.warnings, *found.unknown]


@each(("config", "words"), [
    ({"model_type": "dbrx", "attn_config": {"rope_theta": 5e5}}, "attn_config.rope_theta … 500000"),
    ({**HEADS, "model_type": "llama", "compress_pos_emb": 4}, "Not read … compress_pos_emb"),
    ({**HEADS, "model_type": "skywork", "rope_scaling": {"type": "ntk", "factor": 2.0}}, "ntk … own code"),
    ({**HEADS, "model_type": "phi3small", "blocksparse_block_size": 64}, "blocksparse … that model alone"),
    ({**HEADS, "model_type": "chatglm", "position_encoding_2d": True}, "position_encoding_2d … alone … of the prompt"),
    ({**HEADS, "model_type": "minicpm", "sparse_config": {"dense_len": 9}}, "sparse_config … blocks … that it picks"),
    ({**HEADS, "model_type": "mplugowl3", "hyper_layers": [1]}, "hyper_layers … read images, too"),
    ({"model_type": "progen", "n_positions": 96, "rotary_dim": 32}, "Its causal mask has 96 rows, a hard limit"),
    ({"model_type": "codegen", "n_positions": 96}, "Its angles come from a table of 96 places"),
    ({**HEADS, "model_type": "hymba", "num_memory_tokens": 8}, "In front of a text are 8 learned vectors"),
    ({**HEADS, "model_type": "hymba", "mamba_d_conv": 3}, "a recurrent part with a convolution over 3 tokens"),
    ({"model_type": "huginn_raven", "n_embd": 64, "n_heads": 4, "block_size": 96, "mean_recurrence": 9},
     "The 4 layers in the middle run 9 times"),
    ({"model_type": "huginn_raven", "n_embd": 64, "n_heads": 4, "block_size": 96}, "table of 96 places, a hard limit"),
    ({**HEADS, "model_type": "ouro", "total_ut_steps": 3}, "All layers run 3 times, at the same places"),
    ({**HEADS, "model_type": "yuan"}, "two convolutions, each over 2 tokens"),
    ({**HEADS, "model_type": "sdar", "block_size": 4}, "tokens of one block see each other"),
    ({**HEADS, "model_type": "progen3", "max_num_sequences": 8}, "the number of each of 8 sequences"),
    ({**HEADS, "model_type": "stripedhyena", "attn_layer_idxs": [0], "short_filter_length": 5}, "over 5 tokens and"),
    ({**HEADS, "model_type": "telechat", "training_seqlen": 96}, "Beyond training_seqlen the base grows"),
    ({**HEADS, "model_type": "llama", "max_position_embeddings": 96, "rope_scaling": {"type": "linear", "factor": 8}},
     "if 96 is the trained one, its factor makes it 768; if it is the raised one, 12 were trained"),
    ({**HEADS, "model_type": "llava_qwen2", "mm_vision_tower": "mobileclip_l"}, "mm_vision_tower does: it is read by"),
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
    ({"model_type": "moshi"}, "Its own window counts where tokens are read one by one"),
    *(({"model_type": kind}, "Where its decoder asks what its encoder made, nothing is turned.")
      for kind in ("dia", "moonshine", "moonshine_streaming")),
    ({"model_type": "idefics"}, "Where the text asks the patches, nothing is turned."),
    ({"model_type": "t5gemma2"}, "ask keys of its encoder, too, and those are not turned."),
    ({"model_type": "esmfold2", "esmc_config": {**SIZES, "model_type": "esmc", "vocab_size": 33}},
     'what else the code of "esmfold2" does with positions'),
    ({"model_type": "moonshine", "encoder_num_hidden_layers": 3}, "the 3 of its encoder turn alike, and see both ways"),
    ({**OWN, **TALKS}, "what talker does with positions: its type is not known here"),
    ({"model_type": "deepseek_v32", "num_hidden_layers": 2, "index_topk": 96},
     "A token reads at most 96 tokens, which an indexer picks (index_topk)."),
    ({"model_type": "t5", "architectures": ["ChronosBoltModelForForecasting"]},
     '"ChronosBoltModelForForecasting", no class of t5'),
    ({"model_type": "internlm3", **HEADS}, "transformers 5.23 reads internlm3 with the classes of llama."),
    ({"model_type": "iquestcoder", **HEADS}, "transformers 5.23 reads iquestcoder with the classes of llama."),
    ({**OWN, **SECTIONS}, "mrope_section [2, 3, 3] splits pairs over time, height and width"),
    ({"model_type": "hunyuan_vl", **XDROPE},
     "rope_scaling.xdrope_section gives channels of a head to position, width, height, image, 4 : 4 : 4 : 4"),
    ({"model_type": "minimax_m3_vl_text", "num_hidden_layers": 2, "sparse_attention_config":
     {"sparse_attention_freq": [0, 1], "sparse_topk_blocks": 9}}, "at most 9 blocks of 128 tokens"),
    ({"model_type": "qwen4_exp_text", "indexer_budget": 96, "indexer_compress_ratio": 3, "indexer_n_heads": 2,
     "indexer_head_dim": 64}, "at most 96 tokens in blocks of 3, which an indexer of 2 heads of 64 channels"),
    ({"model_type": "unlimited_ocr_text", "sliding_window": 96}, "the whole prompt and the last 96"),
    ({"model_type": "muse_glimmer_assistant", "block_size": 9}, "a block of 9 tokens"),
    ({"model_type": "mistral_large4_text", "index_topk": 96, "index_n_heads": 2, "index_head_dim": 96},
     "96 tokens, which an indexer of 2 heads of 96 channels picks (index_topk); it turns 64 of them, in pairs of n"),
    ({"model_type": "vibevoice", "decoder_config": {"model_type": "qwen2", **HEADS}},
     "transformers 5.23 would not read it"),
    ({"model_type": "llama", **HEADS, "rope_traditional": True},
     "rope_traditional is obeyed by MLX alone, which turns pairs of neighbours."),
    *(({"model_type": kind, **SLIDING}, "transformers fails") for kind in ("qwen2", "qwen3", "qwen3_moe")),
    *(({"model_type": kind, "sliding_window": None}, "there is no window: transformers fails")
      for kind in ("afmoe", "cohere2", "gemma3_text", "gpt_oss", "ministral", "olmo3")),
    *(({"model_type": kind, "sliding_window": 64}, "what they do to positions is not said here: sliding_window")
      for kind in ("qwen3_omni_moe_text", "qwen3_omni_moe_talker_text")),
    ({"model_type": "gemma", "use_bidirectional_attention": True}, "Where a mask is made, as beside padding"),
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
    ({"model_type": "inkling_text", "swa_head_dim": 96}, f"{OBEYED_HERE}: swa_head_dim."),
    ({"model_type": "t5", "n_positions": 96}, f"{NOBODYS}: n_positions (96)."),
    ({"model_type": "t5", "n_positions": 96, "auto_map": {}}, "and code of the model's own may: n_positions (96)."),
    *(({"model_type": "edgetam_video", "memory_attention_rope_dropout": 0.2, "window_of_mine": 4}, f"{said}")
      for said in (f"{OBEYED_HERE}: memory_attention_rope_dropout.", f"{NOBODYS}: window_of_mine (4).")),
    ({"model_type": "own", **TURNING, "use_video_3d_rope": True}, "because it has rope_theta"),
    ({"model_type": "own_vl", "text_config": TURNING}, "own_vl is not known here: it is read as llama"),
    ({"model_type": "fuyu", **TURNING}, "transformers 5.23 reads fuyu with the classes of persimmon."),
    ({"vision_cfg": {"width": 64, "rope": True}, "text_cfg": {"width": 64}}, "vision_cfg.rope … 2-D RoPE"),
    *(({"model_type": "llava_llama", **TURNING, field: "a/file"}, f"what {field} does")
      for field in ("mm_vision_tower", "speech_encoder")),
    *(({"model_type": "own", **TURNING, "own_config": {"model_type": "own", **part}},
       "what own_config does with positions: its type is not known here")
      for part in ({}, {"rope_theta": "a"}, {"rope_theta": 1})),
    ({"model_type": "wav2vec2-conformer", "max_source_positions": 96}, "sinusoids of 191 distances are kept"),
    ({"model_type": "wav2vec2-bert", "max_source_positions": 96},
     "With position_embeddings_type relative_key these fields are not read: max_source_positions."),
    ({"model_type": "seamless_m4t", "position_embeddings_type": None, "rotary_embedding_base": 96},
     "With position_embeddings_type null these fields are not read: rotary_embedding_base."),
    ({"model_type": "fastspeech2_conformer"}, "sinusoids of 9,999 distances are kept"),
    ({"model_type": "parakeet_encoder", "max_position_embeddings": 96}, "and 96 frames are no limit"),
    ({"model_type": "xcodec2", "max_position_embeddings": 96}, "96 frames are no limit"),
    ({"model_type": "gemma3n_audio", "hidden_size": 96}, "its vectors of positions have 96 channels"),
    ({"model_type": "encodec", "chunk_length_s": 0.5, "overlap": 0.25, "sampling_rate": 96},
     "each chunk of 48 samples for itself, and a chunk begins 36 samples behind the one before"),
    ({"model_type": "encodec", "chunk_length_s": 0.5, "sampling_rate": 96}, "each chunk of 48 samples for itself."),
    ({"model_type": "moonshine_streaming", "max_position_embeddings": 96, "encoder_config": {"hidden_size": 48}},
     "adds a vector of 48 channels, which is learned, for each of 96 frames"),
    ({"model_type": "moonshine_streaming_encoder", "num_hidden_layers": 3, "sliding_windows": [[9, 5], [8, 0], [9, 5]]},
     "of the layers 0, 2 a frame sees at most 8 frames before it and 4 after it; … layers 1 … 7 frames … 0 after"),
    ({"model_type": "granite_speech5_encoder", "max_position_embeddings": 48, "context_size": 24, "head_dim": 96,
      "conv_kernel_size": 5, "subsample_layers": [2, 3]},
     "has 97; … have 96 channels; behind each of the layers 2, 3 half … of 24 frames; … a convolution over 5 frames"),
    ({"model_type": "moss_transcribe_diarize_audio", "max_source_positions": 96}, "sinusoid for each of 96 frames, a"),
    ({"model_type": "clvp_encoder", "projection_dim": 960}, "turns the first 40 of 64 channels of q, k and v"),
    ({"model_type": "clvp_encoder", "use_rotary_embedding": False}, "clvp_encoder has no positional encoding."),
    ({"model_type": "clvp", "decoder_config": {"max_text_tokens": 96, "hidden_size": 48}},
     "of 48 channels, which is learned, for each of 96 tokens of the text"),
    ({"model_type": "clvp_decoder", "max_position_embeddings": 96}, "learned vector for each of 96 positions, a hard"),
    ({"model_type": "pe_audio_encoder", "rope_parameters": {"rope_theta": 500}, "head_dim": 48},
     "two convolutions over 3 frames … of base 500, neighbours in pairs, all 48 channels of a head"),
    ({"model_type": "pe_audio_video", "audio_video_config": {"audio_config": {"head_dim": 48}}},
     "audio_video_config.audio_config (pe_audio_encoder) … all 48 channels"),
    ({"model_type": "pe_video", "video_config": {"vision_config": {"architecture": "something"}}},
     "what video_config.vision_config does with positions"),
    ({"model_type": "pe_video_encoder"}, "In front of its layers are two convolutions over 3 frames, too."),
    *(({"model_type": f"pocket_tts_audio_tokenizer{part}", "sliding_window": 96, "head_dim": 48},
       "lets a token see 96 tokens, and turns q and k with RoPE of base 10,000, all 48 channels")
      for part in ("", "_encoder", "_decoder")),
    ({"model_type": "fun_asr_nano", "adaptor_config": {"num_hidden_layers": 3}}, "has 3 layers between sound and text"),
    ({"model_type": "nemotron3_diarization", "chunk_length": 96, "chunk_left_context": 5, "chunk_right_context": 7},
     "chunks of 96 frames, in which … a chunk sees 5 frames before it and 7 after it; frames kept of earlier chunks"),
    ({"model_type": "nemotron3_5_transcribe_audio", "diarization_config": {"chunk_length": 96}},
     "chunks of 96 frames, in which … a chunk sees 50 frames before it and 50 after it"),
    ({"model_type": "nemo_speechlm", "audio_config": {"diarization_config": {"chunk_length": 96}}},
     "nemo_speechlm cuts a recording into chunks of 96 frames"),
    ({"model_type": "nemo_speechlm", "text_config": {"model_type": "nemotron_h"}, "audio_config": {}},
     "nemotron_h has no … nemotron3_diarization_audio (audio_config.diarization_config.audio_config)"),
    ({"architectures": ["XCodec2Model"], "model_type": "xcodec"}, "xcodec2 has no … turns q and k by the number of a"),
    ({"model_type": "whisper", "architectures": ["WhisperVQEncoder"], "quantize_causal_block_size": 96},
     "1,500 frames, a hard limit; a frame sees its block of 96 frames, and all before it; its"),
    ({"model_type": "fine_acoustics"}, "a hard limit; a token sees as far ahead as back"),
    ({**CONFORMER, "conv_kernel_size": 7, "decoder": {"prednet": {"pred_rnn_layers": 3}}}, "with an LSTM of 3 layers"),
    ({"perception": {"encoder": {**CONFORMER, "conv_kernel_size": 7}}, "pretrained_llm": "a/file"},
     "a convolution over 7 frames, too; its vectors of positions have 64 channels"),
    ({"perception": {"encoder": CONFORMER}, "pretrained_llm": "a/file"}, "perception alone is read"),
    ({**CONFORMER, "att_context_size": [[12, 3], [12, 0]]}, "at most 12 frames before it and 3 after it"),
    ({**CONFORMER, "att_context_size": [12, 3], "att_context_style": "chunked_limited"},
     "its chunk of 4 frames and 3 chunks before it"),
    ({"encoder": "e_branchformer", "encoder_conf": {"cgmlp_conv_kernel": 7}}, "a convolution over 7 frames, too"),
    ({"encoder": "conformer", "encoder_conf": {"cnn_module_kernel": 7}}, "a convolution over 7 frames, too"),
    ({"encoder": "conformer", "encoder_conf": {"cnn_module_kernel": 7, "use_cnn_module": False}}, "distances; the"),
    ({"positional_embedding": "rope", "dim": 64, "num_heads": 4, "max_period": 96, "context": 8}, "That code turns"),
    ({**TURNING, "multimodal": {"whisper_model_args": {"dim": 48}}}, "what multimodal does with positions"),
])  # fmt: skip
def test_what_has_to_be_said(config, words):
    lines = lines_of(config)
    assert any(has(words, line) for line in lines), lines


@each(("config", "words"), [
    (timm("maxvit_base_tf", 512), "169 offsets in windows of 7 x 7 places and in grids of … have 2, 4, 8, 16 heads"),
    (timm("maxxvitv2_rmlp_base_rw"), "that a small network computes for each of 169 offsets in grids of 7 x 7"),
    (timm("coatnet_0_rw"), "729, 169 offsets in its last two stages, of 14, 7 places a side"),
    (timm("gcvit_base"), "169, 169, 729, 169 offsets … windows of 7, 7, 14, 7 places … 4, 8, 16, 32 heads"),
    (timm("tiny_vit_11m"), "49, 196, 49 offsets of rows … the stages have 4, 8, 14 heads"),
    (timm("mvitv2_large"), "it has 111, 55, 27, 13 of each, stage by stage, of 72 channels"),
    (timm("vit_srelpos_medium_patch16"), "729 offsets of 14 x 14 patches; all layers share it … each of its 8 heads"),
    (timm("xcit_nano_12_p8", 96), "32 sinusoids each of the row and the column of a patch … have 96 channels"),
    (timm("edgenext_base"), "adds, in its second stage, what a learned layer makes of 32 sinusoids"),
    (timm("efficientformer_l1"), "each of 49 offsets of rows and columns in its last layers"),
    (timm("gmlp_s16"), "each place has of its own; an image of 224 x 224 pixels has patches of 16 x 16; another"),
    (timm("crossvit_15"), "of 18 x 18 patches and 1 more, 325 rows, and of 13 x 13 … have 192, 384 channels"),
    (timm("pit_b_distilled"), "31 x 31 patches, 961 rows; these overlap by half … have 256 channels"),
    (timm("visformer_small"), "a table of learned vectors in each stage, of 28 x 28, 14 x 14, 7 x 7 places"),
    (timm("cait_s24", 384), "14 x 14 patches, 196 rows … another size is refused … have 384 channels"),
    (timm("vitamin_large"), "196 rows … another number of patches is refused; its convolutions … 1,024 channels"),
    (timm("vit_small_r26_s32_224"), "50 rows … has patches of 32 x 32; another number of patches is"),
    (timm("coatnet_0_rw"), "where a place sees all others … another number of places is refused"),
    (timm("vitamin_xlarge_256"), "no positional encoding … 14 x 14 patches; its convolutions"),
    (timm("volo_d1", 384), "another number of patches … layers mix patches of half the size with those … 384 channels"),
    (timm("tnt_s_patch16"), "197 rows … within each patch it adds a learned vector for each of 4 x 4 places"),
    (timm("convit_small", 432), "196 rows … its first 10 layers … have 432 channels"),
    (timm("naflexvit_base_patch16_siglip"), "16 x 16 patches, 256 rows … for another size the table is interpolated"),
    (timm("vit_pe_core_base_patch16"), "and 1 more, 197 rows … all 64 channels … base of 10,000"),
    (timm("vit_pe_lang_gigantic_patch14"), "16 x 16 patches, 256 rows … all 96 channels … base of 10,000"),
    (timm("vit_base_patch16_rope"), "timm_vit turns … with a base of 100 … 14 x 14 patches; another size is refused"),
    (timm("vit_base_patch16_rope_mixed_ape"), "196 rows … it turns each pair by a learned frequency of the row"),
    (timm("vit_base_patch16_rope_mixed"), "timm_vit turns each pair by a learned frequency … has 14 x 14 patches"),
    (timm("davit_base"), "timm_convolutional has no positional encoding"),
    (timm("fastvit_ma36"), "whose layers attend, one over 7 x 7 places is added"),
    ({"model_type": "sam2_video", "max_object_pointers_in_encoder": 9, "memory_attention_hidden_size": 64},
     "64 channels wide and divided by 10, and to memories, 64 wide … of up to 9 objects a sinusoid tells the time, 64"),
    ({"model_type": "xlm-roberta", **SIZES, "position_embedding_type": "rotary", "auto_map": {"AutoModel": "jinaai/a"}},
     "turn all 16 channels of a head by RoPE of base 10,000 … a token sees as far ahead as back"),
    ({"architectures": ["BiRefNet"], "bb_pretrained": False, "_name_or_path": "own/BiRefNet_lite"}, "of 169 offsets"),
    ({"encoder": {"self_attention_model": "rel_pos", "d_model": 64, "pos_emb_max_len": 6}}, "of 11 distances"),
    ({"model_type": "qwen2_5_omni_dit"}, "convolutions make of a voice the vector that it speaks with"),
])  # fmt: skip
def test_architectures_of_timm_whose_stages_have_places_are_read(config, words):
    assert has(words, inspected(config).summary), inspected(config).summary


CONNECTORS = {"video_connector_num_attention_heads": 4, "video_connector_attention_head_dim": 16}
STDIT = {"model_type": "STDiT3", "hidden_size": 96, "num_heads": 4, "input_sq_size": 256}
OF_WAN = {"model_type": "t2v", "dim": 96, "num_heads": 4}


@each(("config", "words"), [
    ({"_class_name": "LTX2TextConnectors", **CONNECTORS, "rope_theta": 9e3, "connector_rope_base_seq_len": 48},
     "turns all 64 channels … to 9,000 pi / 2 … and 1 at 48 tokens; 128 vectors … with 64 bits"),
    ({"_class_name": "LTX2TextConnectors", "rope_type": "split"}, "paired with the one half a head further"),
    ({"_class_name": "LTX2VideoTransformer3DModel", "rope_type": "split"}, "paired with the one half a head further"),
    ({"_class_name": "AudioLDM2ProjectionModel", "max_seq_length": None}, "has no positional encoding"),
    ({"_class_name": "AudioLDM2ProjectionModel", "use_learned_position_embedding": True, "max_seq_length": 48,
      "text_encoder_1_dim": 96}, "a learned vector for each of 48 tokens, 96 channels wide; another number"),
    ({"_class_name": "AudioLDM2UNet2DConditionModel"}, "has no positional encoding: its convolutions"),
    ({"_class_name": "UnCLIPTextProjModel"}, "has no positional encoding"),
    ({"_class_name": "SpectrogramNotesEncoder", "max_length": 96, "d_model": 48}, "96 tokens of notes, 48 channels"),
    ({"_class_name": "SpectrogramContEncoder", "targets_context_length": 96}, "96 frames … takes the last of them"),
    ({"_class_name": "Lumina2Transformer2DModel"}, "its text is counted on the first axis from 0"),
    ({"_class_name": "ZImageTransformer2DModel"}, "its text is counted on the first axis from 1"),
    ({"_class_name": "Transformer2DModel", "axes_dims_rope": [4, 6, 6], "attention_head_dim": 16}, "turns 4 + 6 + 6"),
    ({"_class_name": "WanTransformer3DModel", **OF_WAN}, "turns 8 + 8 + 8 of 24 channels"),
    ({"_class_name": "WanAnimateModel", **OF_WAN}, "turns 8 + 8 + 8 of 24 channels"),
    ({"text_cfg": {"hf_model_name": "xlm-roberta-large"}, "vision_cfg": {"image_size": 96}},
     "xlm-roberta adds a learned vector for each of 512 positions … have 1,024 channels; vision_config"),
    ({"text_cfg": {"context_length": 8}, "vision_cfg": {"timm_model_name": "vitamin_small_160", "image_size": 64}},
     "(timm_vitamin) adds a learned vector for each of 10 x 10 patches"),
    (STDIT, "96 channels wide … those of a square of 256 pixels a side; its layers over frames turn all 24 channels"),
])  # fmt: skip
def test_parts_of_generators_are_read(config, words):
    assert has(words, inspected(config).summary), inspected(config).summary


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
        ("swin", "SwinBackbone"), ("dpr", "DPRQuestionEncoder"), ("dpr", "DPRReader"),
    )),
    ({"model_type": "layoutlmv2", "has_relative_attention_bias": False, "max_rel_pos": 96}, "max_rel_pos"),
    ({**TURNING, "layernorm_positioning": "pre"}, "layernorm"),
    ({"model_type": "llava_llama", **TURNING, "mm_vision_tower": "a/clip-vit-large-patch14-336"}, "it is only named"),
    ({**HEADS, "model_type": "minicpm", "sparse_config": {"dense_len": 9}}, "what sparse_config does"),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "M*"}, "if there are any"),
    ({"model_type": "mamba2"}, "if there are any"),
    ({"model_type": "llama", "max_position_embeddings": 96, "rope_scaling": {"type": "linear", "factor": 8,
      "original_max_position_embeddings": 12}}, "has no original length"),
    ({"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 8}}, "has no original length"),
    ({"model_type": "speecht5", "positional_dropout": 0.1}, "positional_dropout"),
    *(({"model_type": kind, name: {"num_speakers": 8}}, f"what {name} does")
      for kind, name in (("fastspeech2_conformer", "encoder_config"), ("nemotron3_diarization", "streaming_config"))),
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
    ({"_class_name": "Own", "hidden_size": 64, "heads_num": 4, "rope_theta": 2.0, "rope_dim_list": [4, 8]}, "a class"),
    ({"peft_type": "LORA", "base_model_name_or_path": "some/model"}, "it belongs to a base model"),
    (STUDENT, "no field tells what it does with positions"),
    ({**STUDENT, "no_rope": True}, "no_rope alone does not tell what it does with positions"),
    ({**STUDENT, "pos_emb": "something"}, "pos_emb alone does not tell what it does with positions"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "a pointer of Git LFS: fetch the file"),
    ({"model_type": "vibevoice_diffusion"}, "known here"),
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
    ({"model_type": "groupvit_vision_model", "num_group_tokens": 8}, "num_group_tokens must be a list of whole"),
    *(({"model_type": "aria", "projector_patch_to_query_dict": counts}, "whole number for each number of patches, got")
      for counts in ([1225], {"all": 128}, {"1225": -1})),
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
