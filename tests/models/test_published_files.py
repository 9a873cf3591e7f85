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
        ({"model_type": "lilt", "max_position_embeddings": 98}, ("the layout has a learned table of 98 rows",)),
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


def test_rope_of_mpt_s_own_code_is_said_to_be_ignored():
    told = inspected({"model_type": "mpt", "attn_config": {"alibi": False, "rope": True}}).warnings
    assert any("attn_config.rope is ignored by transformers" in line for line in told)


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
