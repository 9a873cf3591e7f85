"""Kinds of published files that the reader had wrong, each as a small configuration with its right reading."""

import pytest

from pe_core.models import ConfigError, inspected
from tests.cases import each
from tests.models.make_parts import built
from tests.models.modules import made, quietly

SIZES = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
TURNING = {**SIZES, "rope_theta": 1e4}
VIEW = {"image_size": 32, "patch_size": 8}
SWIN = {"model_type": "swin", "window_size": 12}
TALKER = {
    "model_type": "qwen3_tts_talker",
    **TURNING,
    "head_dim": 16,
    "rope_scaling": {"interleaved": True, "mrope_section": [2, 3, 3]},
}
PREDICTOR = {"model_type": "qwen3_tts_talker_code_predictor", **TURNING, "head_dim": 16}
GLM_HEARING = {"model_type": "whisper", "d_model": 256, "encoder_attention_heads": 4, "max_position_embeddings": 96}
OF_GPT = {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 96}
EVO = {"attn_layer_idxs": [1], "use_interpolated_rotary_pos_emb": True, "max_position_embeddings": 96}
GROK = {"rope_type": "rope_extended", "scaling_factor": 16.0, "original_max_position_embeddings": 64} | {
    "max_position_embeddings": 1024,
    "beta_fast": 8,
    "beta_slow": 1,
}
STATIC_NTK = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}
AROUND = {"model_type": "aimv2_visual_tokenizer", "backbone_config": {"model_type": "aimv2", **SIZES, **VIEW}}
HYBRID = {
    "high_res_cfg": {"model_name": "sam_b_downsample", "image_size": 512},
    "low_res_cfg": {"model_name": "siglip_large_patch16_384"},
}
TURNED = {"model_dims": 64, "num_heads": 4, "use_rotary_position_embeddings": True}
OF_LENS = {"d_model": 64, "n_heads": 4, "n_layers": 2, "rotary_base": 5e5, "positional_embedding_type": "rotary"}
BY_PARTS = {"use_NTK_by_parts_rope": True, "NTK_by_parts_factor": 32.0} | {
    "NTK_by_parts_low_freq_factor": 1.0,
    "NTK_by_parts_high_freq_factor": 4.0,
}


@each(
    ("config", "words"),
    [
        ({"model_type": "minicpmv", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}, ("4 x 4",)),
        ({"model_type": "own", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}, ("16 rows",)),
        ({"model_type": "own", **TURNING, "vision_config": {"model_type": "clip", **SIZES, **VIEW}}, ("17 rows",)),
        ({"img_size": 32, "patch_size": 8, "embed_dim": 64, "depth": 2, "n_heads": 4}, ("vit adds", "4 x 4 patches")),
        ({"model_type": "BitNet-b1.58", **SIZES}, ("bitnet: all 2 layers", "base 500,000")),
        ({"model_type": "efficientnet_b3"}, ("efficientnet has no positional encoding",)),
        ({"model_type": "bert-base-uncased", "max_position_embeddings": 96}, ("bert adds", "96 positions")),
        ({**OF_LENS, **BY_PARTS}, ("base 500,000 with the rule of Llama 3, factor 32 from 8,192 tokens",)),
        ({**OF_LENS, **BY_PARTS, "NTK_original_ctx_len": 4096}, ("factor 32 from 4,096 tokens",)),
        (
            {"model_type": "t5", "architectures": ["Chronos2Model"], "d_model": 64, "num_heads": 4, "rope_theta": 1e4},
            ("llama: all layers turn all 16 channels",),
        ),
        (
            {"model_type": "reformer", "lsh_attn_chunk_length": 32},
            ("LSH layers sort tokens by a hash, and see blocks of 32 of them, with 1 before and 0 after",),
        ),
        ({"model_type": "deberta-v2", "conv_kernel_size": 3}, ("a convolution over 3 tokens",)),
        (
            {"model_type": "lilt", "max_position_embeddings": 98},
            ("the layout has a learned table of 98 rows of its own, 192 channels wide",),
        ),
        ({"model_type": "vjepa2", "pred_hidden_size": 96, "pred_num_attention_heads": 2}, ("turns 16 channels each",)),
        ({"model_type": "sam_vision_model"}, ("27 rows each for a window and 127 rows each for the whole image",)),
        ({"model_type": "sam_vision_model", "window_size": 0}, ("offsets have 127 rows each for the whole image",)),
        ({"model_type": "sam", "vision_config": {"num_pos_feats": 64}}, ("cosines in 64 random directions",)),
        (
            {"model_type": "mask2former", "num_queries": 9, "backbone_config": SWIN},
            (
                "529 offsets",
                "to queries of its pixel decoder and to keys of its decoder",
                "each of its 9 object queries",
            ),
        ),
        (
            {"model_type": "maskformer", "decoder_config": {"model_type": "detr", "num_queries": 9}},
            ("maskformer adds sinusoids of row and column to keys of its decoder", "each of its 9 object queries"),
        ),
        ({"model_type": "oneformer", "num_queries": 9, "backbone_config": SWIN}, ("each of its 9 object queries",)),
        (
            {"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper", "max_source_positions": 9}},
            ("audio_config (whisper_encoder) adds a fixed sinusoid for each of 9 frames",),
        ),
        ({"model_type": "sam2", "prompt_encoder_config": {"hidden_size": 64}}, ("cosines in 32 random directions",)),
        (
            {"model_type": "sam2_video", "memory_attention_num_attention_heads": 2, "num_maskmem": 5},
            ("where it attends to memories it turns", "all 128 channels of a head turn", "each of 5 memories"),
        ),
        ({"model_type": "sam2_video", "memory_attention_rope_theta": 500.0}, ("with a base of 500",)),
        ({"model_type": "sam2_video", "rope_parameters": {"rope_theta": 300.0}}, ("with a base of 300",)),
        (
            {**TURNING, "rotary_scaling": {"rope_type": "linear", "factor": 4.0}},
            ("with position interpolation, factor 4",),
        ),
        (
            {"model_type": "grounding-dino", "num_queries": 9, "backbone_config": SWIN},
            ("529 offsets", "each of its 9 object queries begins as a learned vector", "sinusoids is 20"),
        ),
        (
            {"model_type": "mm-grounding-dino", "position_embedding_type": "learned"},
            ("50 rows and 50 columns to queries of its encoder",),
        ),
        (
            {"model_type": "patchtsmixer", "context_length": 96},
            ("no positional encoding; it reads 96 points in patches",),
        ),
        (
            {"model_type": "patchtsmixer", "context_length": 96, "use_positional_encoding": True},
            ("each of 12 patches",),
        ),
        ({"model_type": "progen", **OF_GPT, "rotary_dim": 8}, ("codegen turns the first 8 of 16 channels",)),
        (
            {"model_type": "stripedhyena", **TURNING, **EVO, "rotary_emb_scaling_factor": 16},
            (
                "1 full attention layers turn all 16 channels",
                "position interpolation, factor 16",
                "1 conv layers turn no",
            ),
        ),
        ({**TURNING, **GROK}, ("with YaRN, factor 16 from 64 tokens",)),
        ({"model_type": "hunyuan", **TURNING, "rope_scaling": STATIC_NTK}, ("with static NTK of alpha 1000",)),
        (
            {"model_type": "new", "architectures": ["NewModel"], **TURNING},
            ("gte: all 2 layers", "far ahead as back"),
        ),
        (
            {"model_type": "cogvlm", **SIZES, "vision_config": {**SIZES, **VIEW}},
            (
                "llama: all 2 layers",
                "vision_config (eva_clip) adds a learned vector for each of 4 x 4 patches and 1 more",
            ),
        ),
        (
            {"model_type": "llava_llama", "llm_cfg": {"model_type": "qwen2", **TURNING}, "hidden_size": 96},
            ("qwen2 (llm_cfg): all 2 layers turn all 16 channels",),
        ),
        (
            {"model_type": "ovis", "llm_config": {"model_type": "qwen2", **TURNING}, "visual_tokenizer_config": AROUND},
            ("visual_tokenizer_config (aimv2_vision_model) adds a learned vector for each of 4 x 4 patches",),
        ),
        (
            {"model_type": "own", **TURNING, "vision_encoder_config": {"model_type": "videollama3_vision_encoder"}},
            ("(2-D RoPE); all 72 channels of a head turn, with a base of 10,000",),
        ),
        ({"model_type": "zamba", "num_hidden_layers": 16}, ("3 of 16 layers have attention",)),
        ({"model_type": "KeyeVL1_5", **TURNING, "rope_scaling": {"mrope_section": [2, 3, 3]}}, ("pairs 2 : 3 : 3",)),
        (
            {"model_type": "KeyeVL1_5", **TURNING, "vision_config": {"model_type": "KeyeVL1_5", **SIZES, **VIEW}},
            ("vision_config (siglip2_navit) adds a learned vector for each of 4 x 4 patches", "all 16 channels"),
        ),
        (
            {"model_type": "qwen3_tts", "talker_config": {**TALKER, "code_predictor_config": PREDICTOR}},
            ("its pairs 3 : 3 : 2", "qwen3 (talker_config.code_predictor_config): all 2 layers turn all 16 channels"),
        ),
        (
            {"model_type": "own", **TURNING, "depth_config": {**PREDICTOR, "model_type": "own"}},
            ("llama (depth_config)",),
        ),
        (
            {"model_type": "glmasr", "lm_config": {"model_type": "llama", **TURNING}, "whisper_config": GLM_HEARING},
            ("glmasr_encoder (whisper_config)", "turn 32 of 64 channels", "claims 96 tokens"),
        ),
        (
            {"model_type": "own", **TURNING, "vision_config": {"model_name": "deeplip_b_l", "model_type": "vision"}},
            ("64 x 64 patches", "27 rows each for a window", "beside that of SAM another encoder", "257 rows"),
        ),
        (
            {"model_type": "own", **TURNING, "vision_config": {"model_type": "vision", "params": HYBRID}},
            ("32 x 32 patches", "beside that of SAM another encoder", "24 x 24 patches, 576 rows"),
        ),
        (
            {"input_patch_len": 16, "context_len": 96, "model_dims": 64, "num_heads": 4},
            ("a sinusoid of the number of each patch of 16 points; it reads 96 points", "64 channels"),
        ),
        (
            {
                "input_patch_len": 16,
                "context_limit": 96,
                "stacked_transformers": {"num_layers": 2, "transformer": TURNED},
            },
            ("timesfm2_5: all 2 layers turn all 16 channels of a head by RoPE of base 10,000; it claims 96",),
        ),
        (
            {"model": "xtts", "model_args": {"gpt_max_text_tokens": 94, "gpt_max_audio_tokens": 105}},
            ("96 tokens that are read and of 108 frames",),
        ),
        (
            {"model": "vits", "model_args": {"hidden_channels": 64, "num_heads_text_encoder": 4}},
            ("vits has learned vectors of distances up to 4", "16 channels"),
        ),
        (
            {
                "model": "vits",
                "model_args": {
                    "hidden_channels": 64,
                    "num_heads_text_encoder": 4,
                    "use_language_embedding": True,
                    "embedded_language_dim": 8,
                },
            },
            ("vits has learned vectors of distances up to 4", "18 channels"),
        ),
        (
            {"encoder": "conformer", "encoder_conf": {"output_size": 64}, "decoder": "transformer"},
            (
                "espnet compares its queries with sinusoids of distances; its decoder adds a fixed sinusoid",
                "64 channels",
            ),
        ),
        ({"encoder": "transformer", "encoder_conf": {}}, ("espnet adds a fixed sinusoid for each frame",)),
        ({"model_type": "bloom", "n_head": 6}, ("each of its 6 heads has a slope of its own",)),
        ({"model_type": "falcon", "alibi": True, "num_attention_heads": 6}, ("each of its 6 heads has a slope",)),
        ({"d_model": 96, "nhead": 6, "num_layers": 2, "use_alibi": True}, ("each of its 6 heads has a slope",)),
        ({"model_type": "t5", "num_heads": 6}, ("each of its 6 heads has biases of its own",)),
        (
            {"model_type": "swin", "num_heads": [2, 4]},
            ("the stages have 2, 4 heads", "shifts its windows by 3 patches"),
        ),
        ({"model_type": "marian", "d_model": 96}, ("have 96 channels", "the base of its sinusoids is 10,000")),
        ({"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper", "d_model": 96}}, ("96 channels",)),
        ({"model_type": "recurrent_gemma", "num_hidden_layers": 4}, ("3 recurrent layers turn nothing", "1 sliding")),
        (
            {"model_type": "layoutlmv3", "has_spatial_attention_bias": False},
            ("of tokens fall into 32 buckets up to 128; f",),
        ),
        ({"model_type": "deberta-v2", "relative_attention": True, "position_buckets": 96}, ("up to 512 fall into 96",)),
        (
            {"model_type": "gte", "rope_scaling": {"type": "ntk", "factor": 2.0}, "architectures": ["GteModel"]},
            ("factor 2",),
        ),
        ({"model_type": "reformer"}, ("the rows have 64 and 192 channels",)),
        (
            {"model_type": "deberta-v2", "relative_attention": True, "pos_att_type": "c2p", "hidden_size": 96},
            ("1,024 rows of 96 channels", "queries meet them (c2p)"),
        ),
        ({"model_type": "deberta", "relative_attention": True}, ("so that no score has them",)),
        ({"model_type": "wav2vec2-bert", "hidden_size": 96}, ("its vectors of distances have 6 channels",)),
        ({"model_type": "sam_vision_model", "hidden_size": 96}, ("each of these rows has 8 channels",)),
        ({"model_type": "vivit"}, ("16 x 14 x 14 patches of a film and 1 more, 3,137 rows",)),
        (
            {"model_type": "omdet-turbo", "learn_initial_query": True, "num_queries": 9},
            ("to queries and keys of its encoder", "each of its 9 object queries begins as a learned vector"),
        ),
        ({"model_type": "rf_detr", "num_queries": 9}, ("sinusoids of each box", "each of its 9 object queries begins")),
        (
            {"model_type": "edgetam_video", "perceiver_resampler_num_latents": 9},
            ("all 256 channels of a head turn", "a memory becomes 9 vectors of the whole image and 256 of its windows"),
        ),
        ({"model_type": "minicpmv", **TURNING, "query_num": 9}, ("has 9 queries that read the patches", "64 channels")),
        (
            {"model_type": "cpmbee", "position_bias_num_buckets": 96},
            ("each of 96 buckets of distances within a part", "256 relations of two parts"),
        ),
        ({"model_type": "cpmant"}, ("1,024 relations of two parts", "each of its 32 heads has biases")),
        (
            {"model_type": "kimi_linear", "num_hidden_layers": 4, "linear_attn_config": {"full_attn_layers": [4]}},
            ("1 of 4 layers have attention",),
        ),
        (
            {"model_type": "mpt", "d_model": 96, "attn_config": {"alibi": False}},
            ("gpt2 adds a learned vector for each of 2,048 positions", "have 96 channels"),
        ),
        (
            {"model_type": "mpt", "n_heads": 8, "attn_config": {"alibi": False, "rope": True, "rope_theta": 500}},
            ("llama: all layers turn all 256 channels of a head by RoPE of base 500",),
        ),
        ({"model_type": "mpt", "learned_pos_emb": False, "attn_config": {"alibi": False}}, ("no positional encoding",)),
        (
            {**TURNING, "vocab_size": 9, "nope_layer_interval": 2},
            ("1 full attention layers without RoPE turn nothing",),
        ),
        (
            {"model": {"type": "qwen2", "context_length": 96, "decoder": {**SIZES, "head_size": 32}}, "search": {}},
            ("qwen2: all 2 layers turn all 32 channels", "claims 96"),
        ),
        (
            {
                "dim": 64,
                "num_heads": 4,
                "num_layers": 2,
                "max_period": 500,
                "context": 96,
                "positional_embedding": "rope",
            },
            ("all 16 channels of a head by RoPE of base 500, seeing at most 96 tokens",),
        ),
        (
            {**SIZES, "max_len": 96, "positional_encoding": {"use_learned": False, "use_rope": True}},
            ("llama: all 2 layers turn all 16 channels", "claims 96"),
        ),
        (
            {"max_position_embeddings": 96, "type_vocab_size": 2, **SIZES},
            ("bert adds a learned vector for each of 96 positions",),
        ),
        (
            {"max_position_embeddings": 98, "type_vocab_size": 1, **SIZES},
            ("roberta adds a learned vector for each of 96 positions",),
        ),
        (
            {"model_type": "sam", "vision_config": {"model_type": "", "image_size": 64}, "mask_decoder_config": {}},
            ("4 x 4 patches",),
        ),
        (
            {"emb_size": 64, "hidden_size": 64, "heads_num": 4, "layers_num": 2, "rotary_position_embedding": True},
            ("llama: all 2 layers turn all 16 channels",),
        ),
        (
            {"model_type": "gpt2-rope", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 96},
            ("llama: all 2 layers turn all 16 channels", "claims 96"),
        ),
        (
            {"model_type": "chatglm", "hidden_size": 64, "num_attention_heads": 4, "num_layers": 2},
            ("turn 8 of 16 channels",),
        ),
        (
            {"model_type": "luke", "max_position_embeddings": 98, "hidden_size": 64},
            ("each of 96 positions", "from a table of 98 rows of its own"),
        ),
        (
            {"model_type": "vit_mae", "decoder_hidden_size": 96},
            ("its decoder adds sinusoids of its own, 96 channels", "sinusoids is 10,000"),
        ),
        (
            {"model_type": "seamless_m4t_v2", "t2u_max_position_embeddings": 96},
            ("units of speech have sinusoids for 96 positions",),
        ),
        ({"model_type": "conditional_detr"}, ("a point of each of these vectors, and queries of its decoder have",)),
        (
            {"model_type": "donut", "max_length": 96, "window_size": 3},
            ("donut adds a learned vector for each of 96 positions", "25 offsets in windows of 3 x 3"),
        ),
        (
            {"model_type": "nougat", "max_position_embeddings": 96, "embed_dim": 8, "hidden_dimension": 64},
            ("each of 96 positions", "361 offsets", "have 64 channels"),
        ),
        (
            {"emb_size": 64, "heads_num": 4, "layers_num": 2, "max_seq_length": 96, "embedding": ["word", "pos"]},
            ("gpt2 adds a learned vector for each of 96 positions",),
        ),
        ({"hidden_size": 64, "max_seq_length": 96, "embedding": "word_sinusoidalpos"}, ("ctrl adds a fixed sinusoid",)),
        ({"model_type": "d_fine", "num_queries": 9}, ("its 9 object queries are boxes",)),
    ],
)
def test_what_counts_is_said(config, words):
    summary = inspected(config).summary
    assert all(word in summary for word in words), summary


def test_a_part_under_the_type_of_a_pair_is_no_pair():
    given = {"model_type": "own", **TURNING, "vision_config": {"model_type": "siglip", **SIZES, **VIEW}}
    assert "siglip_text_model" not in inspected(given).summary


@each("kind", ["phi-3", "gemma-3-4b", "llama-moe"])
def test_a_name_with_more_than_a_size_is_not_read_by_its_beginning(kind):
    with pytest.raises(ConfigError, match="model_type must be one of"):
        inspected({"model_type": kind})


def test_of_whisper_as_a_part_only_the_encoder_is_told():
    given = {"model_type": "own", **TURNING, "audio_config": {"model_type": "whisper"}}
    assert "tokens of its text" not in inspected(given).summary


@each(
    ("config", "words"),
    [
        ({"model_type": "mpt", "attn_config": {"rope": True}}, "attn_config.rope is ignored by transformers"),
        ({"model_type": "mpt", "attn_config": {"alibi": False}}, "attn_config.alibi is false"),
        ({"model_type": "t5", "n_positions": 96}, "Not read by this model, though the name speaks of positions: n_pos"),
        ({"model_type": "t5", "chronos_config": {"context_length": 96, "input_patch_size": 8}}, "96, 8 of them as one"),
        ({**SIZES, "max_len": 96, "use_rope": True, "use_alibi": True}, "use_alibi names another encoding"),
        ({"model": {"type": "qwen2", "decoder": SIZES}, "search": {}}, "settings of ONNX Runtime GenAI"),
        (
            {"model_type": "chatglm", "position_encoding_2d": True},
            "the other half of the channels turns with the place",
        ),
        ({"model_type": "gpt2-rope", "n_embd": 64, "n_head": 4, "n_positions": 96}, "because its name has RoPE"),
        ({"model_type": "own_vit", **SIZES, **VIEW, "use_rel_pos_emb": True}, "type is a guess: use_rel_pos_emb"),
        (
            {"model_type": "bidir_mistral", "architectures": ["MistralModel"], **TURNING},
            "bidir_mistral is called bidirectional",
        ),
        ({"model_type": "qwen3_vl_text", **TURNING, "head_dim": 128}, "M-RoPE interleaves here"),
        ({"model_type": "t5", "architectures": ["T5OwnForMaskedLM"]}, "no class of t5: this is what the built-in"),
    ],
)
def test_what_has_to_be_said(config, words):
    told = inspected(config).warnings
    assert any(words in line for line in told), told


@each(
    ("kind", "name"),
    [
        ("d_fine", "DFineForObjectDetection"),
        ("t5", "T5EncoderModel"),
        ("marian", "MarianMTModel"),
        ("swin", "SwinBackbone"),
        ("dpr", "DPRQuestionEncoder"),
    ],
)
def test_a_class_of_transformers_is_not_called_foreign(kind, name):
    assert not any("no class of" in line for line in inspected({"model_type": kind, "architectures": [name]}).warnings)


@each("field", ["mm_vision_tower", "speech_encoder"])
def test_a_part_that_is_only_named_is_not_known(field):
    given = {"model_type": "llava_llama", **TURNING, field: "a/file"}
    assert any(f"what {field} does" in line for line in inspected(given).unknown)


def test_a_layout_of_norms_is_no_position():
    given = {**TURNING, "layernorm_positioning": "pre"}
    assert not any("layernorm" in line for line in inspected(given).warnings)


def test_an_older_name_of_a_length_that_is_read_is_not_said_to_be_left():
    assert not inspected({"model_type": "gpt2", "n_positions": 96, "n_ctx": 96}).warnings


def test_the_decoder_of_maskformer_has_no_encoder_of_detr():
    given = {"model_type": "maskformer", "decoder_config": {"model_type": "detr"}}
    assert "of its encoder" not in inspected(given).summary


def test_queries_that_do_not_begin_as_vectors_are_not_said_to():
    given = {"model_type": "grounding-dino", "embedding_init_target": False}
    assert "begins as" not in inspected(given).summary


@each(
    ("config", "refusal"),
    [
        (
            {"model_type": "grounding-dino", "position_embedding_type": "rope"},
            'position_embedding_type must be sine or learned, got "rope"',
        ),
        (
            {"model_type": "sam2_video", "memory_attention_hidden_size": 2},
            "memory_attention_hidden_size must give a head at least 4 channels, got 2",
        ),
    ],
)
def test_what_no_class_can_be_built_with_is_refused(config, refusal):
    with pytest.raises(ConfigError, match=f"^{refusal}$"):
        inspected(config)


def test_a_conflict_of_git_is_called_one():
    with pytest.raises(ConfigError, match="got a conflict of git that is not resolved"):
        inspected('<<<<<<< HEAD\n{"model_type": "llama"\n=======\n{"model_type": "gemma"\n>>>>>>> main\n}')


@each(
    ("kind", "fields", "name", "rows"),
    [
        ("lilt", {"max_position_embeddings": 98}, "box_position_embeddings", 98),
        ("sam_vision_model", {}, "rel_pos_h", 27),
        ("sam_vision_model", {}, "rel_pos_h", 127),
        ("mask2former", {"num_queries": 9}, "queries_embedder", 9),
        ("oneformer", {"num_queries": 9}, "queries_embedder", 9),
        ("sam2_video", {"num_maskmem": 5}, "memory_temporal_positional_encoding", 5),
        ("grounding-dino", {"num_queries": 9}, "query_position_embeddings", 9),
    ],
)
def test_tables_have_the_rows_that_are_said(kind, fields, name, rows):
    held = built(made(quietly()[kind], **fields)).named_parameters()
    assert any(name in one and weight.shape[0] == rows for one, weight in held)


@each("kind", ["llama", "mistral", "qwen2"])
def test_a_field_lets_a_decoder_see_both_ways(kind):
    """What is said is what the class does: the first token changes with the last one."""
    given = {**SIZES, "is_causal": False, "vocab_size": 8, "num_key_value_heads": 4, "intermediate_size": 16}
    assert "a token sees as far ahead as back" in inspected({"model_type": kind, **given, "rope_theta": 1e4}).summary
    torch = pytest.importorskip("torch")
    model = pytest.importorskip("transformers").AutoModel.from_config(quietly()[kind](**given)).eval()
    with torch.no_grad():
        one, other = (model(torch.tensor([[1, 2, last]])).last_hidden_state[0, 0] for last in (3, 4))
    assert not torch.allclose(one, other)


@each("architectures", [["MistralModel"], ["OwnModel"]])
def test_a_bidirectional_mistral_has_no_window(architectures):
    given = {"model_type": "bidir_mistral", "architectures": architectures, **TURNING, "sliding_window": 9}
    group, *_ = inspected(given).groups
    assert (group.both_sides, group.window) == (True, None)


@each("part", [{"model_type": "own"}, {"model_type": "own", "rope_theta": "a"}, {"model_type": "own", "rope_theta": 1}])
def test_a_part_of_an_unknown_type_that_cannot_be_read_is_not_known(part):
    found = inspected({"model_type": "own", **TURNING, "own_config": part})
    assert "what own_config does with positions: its type is not known here" in found.unknown


@each(
    ("kind", "value", "both"),
    [
        ("gemma3_text", True, True),
        ("gemma4_text", "all", True),
        ("gemma4_text", "vision", False),
        ("qwen3", True, False),
    ],
)
def test_the_field_of_gemma_counts_where_the_class_obeys_it(kind, value, both):
    found = inspected({"model_type": kind, "use_bidirectional_attention": value})
    assert [group.both_sides for group in found.groups] == [both] * len(found.groups)
    assert any("lets no token of a text" in line for line in found.warnings) != both


def test_a_window_of_a_decoder_that_sees_both_ways_lies_on_each_side():
    group, *_ = inspected({"model_type": "mistral", **TURNING, "is_causal": False, "sliding_window": 4}).groups
    assert group.window == 9


@each("given", [{"no_rope_layer_interval": 3}, {"no_rope_layers": [1, 0, 0, 1, 1, 1]}])
def test_chunks_of_llama_4_are_those_of_the_layers_that_turn(given):
    kinds = made(quietly()["llama4_text"], num_hidden_layers=6, **given).layer_types
    for group in inspected({"model_type": "llama4_text", "num_hidden_layers": 6, **given}).groups:
        assert {kinds[layer] for layer in group.layers} == {group.kind.removesuffix(" without RoPE")}


@each("kind", ["deepseek_v4", "dots3_note_text"])
@each("given", [{"qk_rope_head_dim": 32}, {"qk_rope_head_dim": 32, "partial_rotary_factor": 0.5}])
def test_a_width_of_turning_channels_counts_as_in_the_class(kind, given):
    rules = made(quietly()[kind], **given).rope_parameters
    parts = {rule["partial_rotary_factor"] for rule in rules.values()}
    groups = inspected({"model_type": kind, **given}).groups
    assert {group.rotation.n_rotated / group.rotation.head_dim for group in groups} == parts


@each("kind", ["llama", "own"])
def test_of_many_parts_only_some_are_read(kind):
    parts = {f"part{i}_config": {"model_type": kind, **TURNING} for i in range(1000)}
    found = inspected({"model_type": "own", **TURNING, **parts})
    assert found.summary.count("part") < 100
    assert "what further parts do with positions: at most 100 are read" in found.unknown


@each(("field", "both"), [({}, True), ({"is_decoder": True}, False)])
def test_an_encoder_with_a_base_sees_both_ways(field, both):
    given = {"model_type": "xlm-roberta", **SIZES, "position_embedding_type": "rotary", "rotary_emb_base": 2e4}
    assert ("a token sees as far ahead as back" in inspected(given | field).summary) == both


BERT = {**SIZES, "max_position_embeddings": 96, "type_vocab_size": 2}


@each(
    ("fields", "kind"),
    [
        ({"relative_attention": True, "position_buckets": 16}, "deberta-v2"),
        ({"relative_attention": True, "pos_att_type": "c2p"}, "deberta"),
        ({"embedding_size": 16, "num_hidden_groups": 1}, "albert"),
        ({"embedding_size": 16, "inner_group_num": 1}, "albert"),
        ({"intra_bottleneck_size": 16}, "mobilebert"),
        ({"attention_window": 8}, "longformer"),
        ({"block_size": 8, "num_random_blocks": 3}, "big_bird"),
        ({"num_landmarks": 8}, "nystromformer"),
        ({"max_2d_position_embeddings": 64}, "layoutlm"),
        ({"rotary_value": False}, "roformer"),
        ({"relative_attention_num_buckets": 32}, "mpnet"),
    ],
)
def test_fields_of_one_class_tell_it_before_those_of_bert(fields, kind):
    found = inspected(BERT | fields)
    assert found.summary.startswith(f"{kind} ")
    assert "This is a guess" in found.warnings[0]


@each(
    ("config", "kind"),
    [
        ({"untie_r": True, "d_model": 64, "n_head": 4}, "xlnet"),
        ({"block_sizes": [2, 2], "d_model": 64, "n_head": 4}, "funnel"),
        ({"d_kv": 16, "d_ff": 128, "num_heads": 4, "d_model": 64}, "t5"),
        ({"static_position_embeddings": True, "d_model": 64, "max_position_embeddings": 96}, "marian"),
        ({"tubelet_size": 2, "image_size": 32, "num_hidden_layers": 2}, "videomae"),
        ({"num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2}, "wav2vec2"),
        ({"slow_but_exact": False, "n_layer": 2}, "bloom"),
    ],
)
def test_fields_of_one_class_tell_it_without_a_type(config, kind):
    assert inspected(config).summary.startswith(f"{kind} ")


@each(
    "config",
    [
        {**SIZES, "max_position_embeddings": 96},
        {"model_type": "own", "att_dim": 64, "att_heads": 4, "max_position_embeddings": 96},
        {"embed_dim": 64, "n_heads": 4, "max_len": 96},
        {"seed": 1, "own_part": {**SIZES, "max_position_embeddings": 96}},
    ],
)
def test_rows_and_a_width_alone_are_a_learned_table(config):
    found = inspected(config)
    assert found.summary.startswith("gpt2 adds a learned vector for each of 96 positions")
    assert "have 64 channels" in found.summary
    assert any("nothing else on positions. This is a guess" in line for line in found.warnings)


@each("config", [{"hidden_dim": 64, "max_len": 96}, {**SIZES, "max_len": 96, "no_rope": True}])
def test_a_length_without_heads_or_beside_other_positions_is_no_table(config):
    with pytest.raises(ConfigError, match="model_type must be given"):
        inspected(config)


def test_of_two_objects_with_sizes_none_is_taken():
    inside = {**SIZES, "max_position_embeddings": 96}
    with pytest.raises(ConfigError, match="model_type must be given"):
        inspected({"one": inside, "other": inside})


def test_the_part_of_kokoro_that_reads_phonemes_is_an_albert():
    found = inspected({"n_mels": 8, "plbert": {**SIZES, "max_position_embeddings": 96}})
    assert (found.level, found.claimed_length) == ("plbert", 96)
    assert "have 128 channels" in found.summary


@each(
    ("embedding", "words"),
    [(["speech", "sinusoidalpos"], "adds a fixed sinusoid for each position"), (["word", "pos"], "a learned vector")],
)
def test_vectors_that_are_added_up_are_told_without_a_length(embedding, words):
    found = inspected({"emb_size": 64, "heads_num": 4, "embedding": embedding, "tgt_embedding": ["word", "pos"]})
    assert words in found.summary
    assert "have 64 channels" in found.summary
    assert "What is written has a learned table: tgt_embedding." in found.warnings


def test_an_image_part_that_is_only_named_is_told_by_its_name():
    found = inspected({"model_type": "own", **TURNING, "vision_model_name": "google/siglip-own-patch14-56"})
    assert "by its name a learned table of 4 x 4 patches" in found.summary
    assert any("vision_model_name" in line for line in found.unknown)


def test_a_flag_on_axes_of_films_is_no_reason():
    found = inspected({"model_type": "own", **TURNING, "use_video_3d_rope": True})
    assert "because it has rope_theta" in found.warnings[0]


@each("longer", [True, False])
def test_keys_of_longrope_stay_where_both_lists_are_equal(longer):
    scaling = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [2.0 if longer else 1.0] * 8}
    given = {"model_type": "phi3", **TURNING, "max_position_embeddings": 96}
    found = inspected({**given, "original_max_position_embeddings": 96, "rope_scaling": scaling})
    assert any("have to be computed anew" in line for line in found.warnings) == longer
    assert any("cached keys stay right" in line for line in found.warnings) != longer
    assert (found.groups[0].rotation.beyond is None) != longer


@each(
    ("config", "both"),
    [
        ({"model_type": "esm", "position_embedding_type": "rotary", "vocab_size": 8}, True),
        ({"model_type": "esm", "position_embedding_type": "rotary", "vocab_size": 8, "is_decoder": True}, False),
        ({"model_type": "roformer"}, True),
        ({"model_type": "xlnet"}, True),
        ({"model_type": "xlnet", "attn_type": "uni"}, False),
        ({"model_type": "transfo-xl", "d_model": 64}, False),
        ({"model_type": "funnel"}, True),
    ],
)
def test_encoders_that_turn_or_compare_see_both_ways(config, both):
    assert ("a token sees as far ahead as back" in inspected(config).summary) == both


@each("kind", ["bert", "roberta", "electra", "roformer", "albert", "gpt2"])
@each("more", [{}, {"is_decoder": True}])
def test_cross_attention_of_what_is_no_decoder_is_refused(kind, more):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    given = {"add_cross_attention": True, **more}
    told = any("refuses to build" in line for line in inspected({"model_type": kind, **given}).warnings)
    try:
        with torch.device("meta"):
            transformers.AutoModel.from_config(transformers.AutoConfig.for_model(kind, **given))
        fails = False
    except ValueError:
        fails = True
    assert told == fails


@each("kind", ["wav2vec2", "hubert", "wavlm", "sew", "unispeech", "data2vec-audio", "sew-d"])
def test_the_groups_of_a_convolution_are_told(kind):
    assert "in 16 groups of channels" in inspected({"model_type": kind}).summary
    assert "in 4 groups of channels" in inspected({"model_type": kind, "num_conv_pos_embedding_groups": 4}).summary


def test_the_table_of_hiera_follows_the_image():
    given = {"image_size": [448, 448], "patch_stride": [4, 4]}
    found = inspected({"model_type": "hiera", **given})
    table = built(made(quietly()["hiera"], **given)).embeddings.position_embeddings
    assert f"{table.shape[1]:,} rows" in found.summary
    assert "in stages 1, 2 a patch sees its unit of 8 x 8 patches" in found.summary


@each("head", ["TextToSpeech", "SpeechToText"])
def test_a_convolution_is_told_of_what_hears(head):
    config = {"model_type": "speecht5", "architectures": [f"SpeechT5For{head}"]}
    assert ("a convolution 128 wide" in inspected(config).summary) == (head == "SpeechToText")


def test_funnel_halves_between_its_blocks():
    summary = inspected({"model_type": "funnel", "block_sizes": [2, 3], "num_decoder_layers": 1}).summary
    assert "its blocks have 2, 3 layers, and each but the first has half as many places" in summary
    assert "a decoder of 1 layers" in summary


WIDE = {"num_attention_heads": 2, "attention_head_dim": 32}


@each(
    ("name", "given", "words"),
    [
        ("FluxTransformer2DModel", {"axes_dims_rope": [8, 12, 12], **WIDE}, ("8 + 12 + 12 of 32", "base is 10,000")),
        ("Flux2Transformer2DModel", {}, ("32 + 32 + 32 + 32 of 128", "base is 2,000")),
        ("HunyuanVideoTransformer3DModel", {}, ("16 + 56 + 56 of 128", "base is 256")),
        ("ZImageTransformer2DModel", {"rope_theta": 64.0}, ("32 + 48 + 48 of 128", "base is 64")),
        ("WanTransformer3DModel", WIDE, ("12 + 10 + 10 of 32", "at most 1,024 places")),
        ("CogVideoXTransformer3DModel", WIDE, ("for each of 13 x 30 x 45 patches of a film, 64 channels wide",)),
        ("CogVideoXTransformer3DModel", {"use_rotary_positional_embeddings": True}, ("16 + 24 + 24 of 64",)),
        ("SD3Transformer2DModel", {"pos_embed_max_size": 8, **WIDE}, ("8 x 8 patches, 64 rows", "around the middle")),
        ("AuraFlowTransformer2DModel", {"pos_embed_max_size": 64}, ("a learned vector for each of 8 x 8 patches",)),
        ("PixArtTransformer2DModel", {"sample_size": 64}, ("for each of 32 x 32 patches, 1,152 channels wide",)),
        ("SanaTransformer2DModel", {}, ("has no positional encoding",)),
        ("CogView4Transformer2DModel", WIDE, ("16 + 16 of 32", "stretched to 256 x 256")),
        ("LuminaNextDiT2DModel", {}, ("36 + 36 of 72", "base is 10,000")),
        ("LTXVideoTransformer3DModel", {}, ("2,046 of all 2,048 channels",)),
        ("MochiTransformer3DModel", {}, ("all 64 pairs", "24 heads on their own")),
        ("StableAudioDiTModel", {}, ("the first 32 of 64 channels", "base 10,000")),
        ("PriorTransformer", {}, ("81 tokens",)),
        ("LatteTransformer3DModel", {"patch_size": 2}, ("32 x 32 patches", "sinusoids of 16 of them")),
        ("MotionAdapter", {"motion_max_seq_length": 24}, ("each of 24 frames",)),
        ("UNet2DConditionModel", {"attention_head_dim": 8}, ("has no positional encoding",)),
    ],
)
def test_classes_of_diffusers_are_read_by_their_fields(name, given, words):
    found = inspected({"_class_name": name, **given})
    assert [word for word in words if word not in found.summary] == []
    assert found.warnings == (f"{name} is a class of diffusers: it is read by what its code does in version 0.42.1.",)


@each(
    ("name", "given"),
    [
        ("FluxTransformer2DModel", {"axes_dims_rope": [3, 5]}),
        ("FluxTransformer2DModel", {"axes_dims_rope": []}),
        ("Transformer2DModel", {}),
        ("CogView4Transformer2DModel", {"rope_axes_dim": [1]}),
        ("DDIMScheduler", {}),
    ],
)
def test_what_a_class_of_diffusers_does_not_tell_is_refused(name, given):
    with pytest.raises(ConfigError, match=", got"):
        inspected({"_class_name": name, **given})


OF_WHISPER = {"n_audio_ctx": 50, "n_audio_state": 64, "n_text_ctx": 20, "n_text_state": 64}
OF_KERAS = {"num_layers": 2, "num_heads": 4, "hidden_dim": 64, "max_sequence_length": 96}
RAISED = {"factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_context_length": 64}


@each(
    ("config", "words"),
    [
        (OF_WHISPER, "each of 50 frames, a hard limit, and a learned vector for each of 20 tokens"),
        ({"dims": OF_WHISPER}, "its vectors of positions have 64 channels"),
        ({"class_name": "BertBackbone", "config": OF_KERAS}, "bert adds a learned vector for each of 96 positions"),
        ({"class_name": "GPT2Backbone", "config": OF_KERAS}, "gpt2 adds a learned vector for each of 96 positions"),
        (
            {"class_name": "MistralBackbone", "config": {**OF_KERAS, "rope_max_wavelength": 20_000}},
            "all 16 channels of a head by RoPE of base 20,000",
        ),
        ({"class_name": "DistilBertBackbone", "config": OF_KERAS}, "distilbert adds a learned vector"),
        ({"emb_dim": 64, "n_heads": 4, "rope_base": 5e5, "context_length": 2048, "rope_freq": RAISED}, "of Llama 3"),
        (
            {"hidden_dim": 64, "num_queries": 9, "position_embedding": "learned", "enc_layers": 2},
            "detr adds learned vectors of 50 rows and 50 columns",
        ),
        (
            {"input_size": 32, "patch_size": 2, "hidden_size": 64, "num_heads": 4, "learn_sigma": True},
            "a fixed sinusoid for each of 16 x 16 patches, 64 channels wide",
        ),
        ({"d_model": 64, "n_heads": 4, "attn_config": {"alibi": True}}, "mpt lowers each score with the distance"),
        ({"d_model": 64, "nhead": 4, "max_len": 5000}, "ctrl adds a fixed sinusoid for each of 5,000 positions"),
        ({**SIZES, "max_position_embeddings": 96, "attention_probs_dropout_prob": 0.1}, "bert adds a learned vector"),
        (
            {"run": 1, "MODEL": {"SWIN": {"WINDOW_SIZE": 4, "PATCH_SIZE": 4, "DEPTHS": [2], "NUM_HEADS": [2]}}},
            "swin adds",
        ),
        ({"own": {"encoder": {**SIZES, "max_len": 96, "pos_encoding": "sinusoidal"}}}, "ctrl adds a fixed sinusoid"),
        ({"model_type": "nezha", **SIZES, "max_relative_position": 9}, "up to 9 on each side"),
        ({"model_type": "nezha", **SIZES}, "these have 16 channels; it has no table"),
        ({"model_type": "enformer", "dim": 64, "heads": 4}, "mixtures of 16 functions of a distance"),
        ({"model_type": "hyenadna", "max_seq_len": 96, "emb_dim": 3}, "from 3 numbers of a place, for at most 96"),
        ({"model_type": "molformer", **SIZES}, "RoPE of base 10,000; a token sees as far ahead as back"),
        (
            {"encoder": "conformer", "encoder_conf": {"output_size": 64}, "decoder": "bitransformer"},
            "its decoder adds a fixed sinusoid",
        ),
    ],
)
def test_names_of_other_code_are_read(config, words):
    assert words in inspected(config).summary


def test_of_code_of_its_own_nothing_is_said_of_a_built_in_class():
    found = inspected({"model_type": "nezha", **SIZES, "auto_map": {}})
    assert not any("built-in class" in line for line in found.warnings)


OF_VITS = {"hidden_channels": 64, "filter_channels": 128, "n_heads": 4}
OF_CLIP = {"image_resolution": 32, "vision_patch_size": 8, "vision_width": 64}
HEARING = {"d_model": 64, "n_heads": 4, "att_context_size": [8, 2]}
NMT = {"encoder_type": "transformer", "hidden_size": 64, "heads": 4}


@each(
    ("config", "words"),
    [
        ({**BERT, "embedding_size": 16}, ("electra adds", "have 16 channels")),
        (
            {"model": {**OF_VITS, "upsample_rates": [8]}},
            ("vits has learned vectors of distances up to 4", "16 channels"),
        ),
        ({"model": {**OF_VITS, "window_size": 6}}, ("up to 6 on each side",)),
        ({"model": {**OF_VITS, "n_blocks_dec": 2}}, ("vits has no positional encoding",)),
        (OF_CLIP, ("clip_vision_model adds", "4 x 4 patches and 1 more", "have 64 channels")),
        ({**OF_CLIP, "context_length": 7, "transformer_width": 32}, ("each of 7 positions", "have 32 channels")),
        ({"encoder": {**HEARING, "self_attention_model": "rel_pos"}}, ("sinusoids of distances", "at most 8 frames")),
        ({**HEARING, "self_attention_model": "abs_pos"}, ("a fixed sinusoid for each frame", "have 64 channels")),
        ({**NMT, "position_encoding": True}, ("adds a fixed sinusoid for each position", "have 64 channels")),
        ({**NMT, "max_relative_positions": 20}, ("up to 20 on each side", "have 16 channels")),
        ({**NMT, "position_encoding": False}, ("open_nmt has no positional encoding",)),
        ({**SIZES, "positional_embedding": "sin"}, ("uer adds a fixed sinusoid for each position",)),
    ],
)
def test_other_programs_that_translate_speak_and_hear(config, words):
    summary = inspected(config).summary
    assert [word for word in words if word not in summary] == []


@each("config", [{"self_attention_model": "x", "d_model": 64}, {**NMT, "max_relative_positions": -1}, NMT])
def test_what_these_programs_do_otherwise_is_refused(config):
    with pytest.raises(ConfigError, match=", got"):
        inspected(config)


def test_rope_beside_the_table_of_an_image_is_named():
    found = inspected({"vision_cfg": {"width": 64, "rope": True}, "text_cfg": {"width": 64}})
    assert any("vision_cfg.rope" in line and "2-D RoPE" in line for line in found.warnings)


@each(
    ("config", "words"),
    [
        (
            {"model_type": "lfm2", "num_hidden_layers": 4, "full_attn_idxs": [1, 3]},
            "the full attention layers are 1, 3, counted from 0",
        ),
        ({"model_type": "gemma2", "num_hidden_layers": 3}, "the full attention layers are 1, counted from 0"),
        ({"model_type": "jamba", "num_hidden_layers": 16}, "2 of 16 layers have attention; these are 4, 12, counted"),
    ],
)
def test_the_numbers_of_the_fewer_layers_are_told(config, words):
    assert words in inspected({**config, "max_position_embeddings": 96}).summary


@each("config", [{"model_type": "gemma2"}, {"model_type": "gemma2", "num_hidden_layers": 40}, {"model_type": "llama"}])
def test_numbers_of_layers_are_not_told_of_a_class_or_of_many(config):
    assert "counted from 0" not in inspected(config).summary


OPEN_LM = {
    "hidden_dim": 64,
    "n_heads": 4,
    "n_layers": 2,
    "seq_len": 96,
    "post_embed_norm": False,
    "weight_tying": False,
}
OF_CHINESE_CLIP = {**OF_CLIP, "text_max_position_embeddings": 96, "text_hidden_size": 64}
PROTEINS = {**SIZES, "type_vocab_size": 1, "max_position_embeddings": 96}


@each(
    ("config", "words"),
    [
        (OPEN_LM, ("llama: all 2 layers turn all 16 channels", "base 10,000", "claims 96 tokens")),
        (
            {"hidden_size": 64, "num_heads": 4, "axes_dim": [4, 6, 6], "theta": 2e3},
            ("turns 4 + 6 + 6 of 16", "is 2,000"),
        ),
        (OF_CHINESE_CLIP, ("chinese_clip_text_model adds", "each of 96 positions", "4 x 4 patches and 1 more")),
        (
            {"model_type": "tinytimemixer", "context_length": 64, "patch_length": 16},
            ("no positional encoding", "64 points"),
        ),
        ({**PROTEINS, "vocab_size": 30}, ("bert adds", "each of 96 positions")),
        ({**PROTEINS, "vocab_size": 50_265}, ("roberta adds", "each of 94 positions")),
        ({"model_type": "Dream", **TURNING}, ("a token sees as far ahead as back",)),
        ({"model_type": "llada", "rope": True, **TURNING}, ("a token sees as far ahead as back",)),
        ({"model_type": "mamba2", "conv_kernel": 3}, ("read 3 tokens at a time by a convolution (conv_kernel)",)),
        (
            {"model_type": "perceiver", "num_latents": 5, "d_latents": 64},
            ("its 5 latents are learned, of 64 channels",),
        ),
        ({"model_type": "deformable_detr", "decoder_n_points": 5}, ("reads 5 points of each of 4 maps",)),
        ({"model_type": "d_fine", "decoder_n_points": [3, 6, 3]}, ("reads 3, 6, 3 points of each of 3 maps",)),
        ({"model_type": "grounding-dino", "num_feature_levels": 2}, ("reads 4 points of each of 2 maps",)),
        (
            {"model_type": "videomae", "decoder_hidden_size": 96},
            ("its decoder adds sinusoids of its own, 96 channels",),
        ),
    ],
)
def test_sizes_and_programs_that_a_reader_missed_are_told(config, words):
    summary = inspected(config).summary
    assert [word for word in words if word not in summary] == []


@each(
    ("config", "told"),
    [
        (
            {"model_type": "qwen3_next", "linear_conv_kernel_dim": 3},
            "Layers without attention read 3 tokens at a time by a convolution (linear_conv_kernel_dim).",
        ),
        (
            {"model_type": "deepseek_v3", "qk_nope_head_dim": 24},
            "The channels counted here are qk_rope_head_dim; the others of a head, qk_nope_head_dim (24), stay.",
        ),
    ],
)
def test_sizes_beside_those_that_turn_are_told(config, told):
    assert told in inspected(config).warnings


def test_points_of_another_number_of_maps_are_refused():
    with pytest.raises(ConfigError, match=r"decoder_n_points must be a whole number, or one for each of 3 maps, got"):
        inspected({"model_type": "d_fine", "decoder_n_points": [3, 6]})


@each(
    ("file", "config"),
    [
        ("tokenizer_config.json", {"tokenizer_class": "Qwen2Tokenizer", "model_max_length": 96}),
        ("preprocessor_config.json", {"image_processor_type": "CLIPImageProcessor"}),
        ("model.safetensors.index.json", {"weight_map": {"one": "model.safetensors"}}),
        ("generation_config.json", {"eos_token_id": 2, "transformers_version": "4.31"}),
    ],
)
def test_another_file_of_the_folder_is_called_by_its_name(file, config):
    with pytest.raises(ConfigError, match=f"fields of {file}, and what a model does with positions stands in its conf"):
        inspected(config)
    with pytest.raises(ConfigError, match=r"got nothing(?!.*fields of)"):
        inspected({**config, "vocab_size": 96})


def test_an_encoder_with_alibi_sees_both_ways():
    jina = {"model_type": "bert", "position_embedding_type": "alibi", "auto_map": {}, **SIZES}
    assert "a token sees as far ahead as back" in inspected(jina).summary
    assert "as far ahead" not in inspected({**jina, "is_decoder": True}).summary


PLAMO = {"model_type": "plamo2", **SIZES, "num_hidden_layers": 4, "mamba_step": 2, "hidden_size_per_head": 16}
RADIO = {"architectures": ["RADIOModel"], "max_resolution": 64, "patch_size": 8, "args": {"model": "vit_base_patch16"}}
JINA = {
    "text_config": {"hf_model_name_or_path": "some/model"},
    "vision_config": {"width": 64, "head_width": 16, **VIEW},
}
IN_CHUNKS = {"chunk_size": 32, "original_max_position_embeddings": 48}


@each(
    ("config", "words"),
    [
        (PLAMO, ("2 mamba layers turn nothing", "seeing at most 2,048", "are 1, 3, counted from 0")),
        ({**PLAMO, "full_attention_idx": [3]}, ("1 full attention layers turn all 16",)),
        ({**PLAMO, "mamba_enabled": False}, ("all 4 layers turn all 16", "seeing at most 2,048")),
        ({**PLAMO, "num_hidden_layers": 3, "mamba_step": 8}, ("2 mamba layers", "attention layers are 2, counted")),
        (RADIO, ("8 x 8 patches, 64 rows", "cut to its shorter one", "have 768 channels")),
        ({"model_type": "jina_clip", **JINA}, ("4 x 4 patches and 1 more", "all 16 channels of a head turn")),
        ({"model_type": "lxmert", "visual_pos_dim": 5}, ("of the 5 numbers of its box",)),
        (
            {"encoder_type": "rel_pos_transformer", "encoder_params": {"rel_attn_window_size": 4}},
            ("distances up to 4",),
        ),
        ({"encoder_type": "rel_pos_transformer", "encoder_params": {}}, ("vits has no positional encoding",)),
        (
            {"input_patch_len": 4, "transformer_config": {"transformer": {"model_dims": 64, "use_rope_seq": True}}},
            ("timesfm2_5: all layers turn all 4 channels",),
        ),
    ],
)
def test_programs_and_layers_that_a_later_reader_missed_are_told(config, words):
    summary = inspected(config).summary
    assert [word for word in words if word not in summary] == []


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


def test_a_text_without_a_type_is_told_by_the_type_of_the_whole():
    found = inspected({"model_type": "own_vl", "text_config": TURNING})
    assert found.warnings[0].startswith("own_vl is not known here: it is read as llama")


def test_fuyu_is_read_as_transformers_reads_it():
    found = inspected({"model_type": "fuyu", **TURNING})
    assert "transformers 5.23 reads fuyu with the classes of persimmon." in found.warnings


def test_a_file_that_only_names_its_text_says_which():
    with pytest.raises(ConfigError, match='got "ultravox"; text_model_id names the model that decides, "some/model"'):
        inspected({"model_type": "ultravox", "text_model_id": "some/model", "hidden_size": 64})


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
