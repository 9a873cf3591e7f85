"""Fields by whose names a class is known in a file that has no type, or one that is not known here."""

import re
from collections.abc import Mapping
from typing import Any

from pe_core.models.reading import is_whole

MAX_NAME, MAX_SIZE = 100, 2**24

# The names of fields that no other class has together; of two that fit the first is taken, which has more of them.
SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("deberta-v2", ("relative_attention", "position_buckets")),
    ("deberta-v2", ("pos_att_type", "position_buckets")),
    ("deberta-v2", ("pos_att_type", "share_att_key")),
    ("ltg_bert", ("position_bucket_size", "hidden_size")),
    ("deberta", ("relative_attention", "pos_att_type")),
    ("deberta", ("pos_att_type", "max_relative_positions")),
    ("albert", ("num_hidden_groups", "embedding_size")),
    ("albert", ("inner_group_num", "embedding_size")),
    ("mobilebert", ("intra_bottleneck_size", "hidden_size")),
    ("convbert", ("head_ratio", "hidden_size")),
    ("cpmbee", ("position_bias_num_segment_buckets", "position_bias_num_buckets")),
    ("cpmant", ("position_bias_num_buckets", "segment_types")),
    ("rembert", ("input_embedding_size", "output_embedding_size")),
    ("ernie", ("task_type_vocab_size", "hidden_size", "max_position_embeddings")),
    ("electra", ("embedding_size", "hidden_size", "max_position_embeddings", "type_vocab_size")),
    ("layoutlmv3", ("max_2d_position_embeddings", "visual_embed")),
    ("layoutlmv2", ("max_2d_position_embeddings", "has_visual_segment_embedding")),
    ("lilt", ("max_2d_position_embeddings", "channel_shrink_ratio")),
    ("layoutlm", ("max_2d_position_embeddings", "hidden_size")),
    ("tapas", ("type_vocab_sizes", "reset_position_index_per_cell")),
    ("luke", ("entity_vocab_size", "entity_emb_size")),
    ("xlnet", ("untie_r", "d_model")),
    ("funnel", ("block_sizes", "d_model", "n_head")),
    ("led", ("attention_window", "max_encoder_position_embeddings")),
    ("longformer", ("attention_window", "hidden_size", "max_position_embeddings")),
    ("bigbird_pegasus", ("block_size", "num_random_blocks", "encoder_layers")),
    ("big_bird", ("block_size", "num_random_blocks")),
    ("nystromformer", ("num_landmarks", "max_position_embeddings")),
    ("yoso", ("num_hash", "hash_code_len")),
    ("mra", ("approx_mode", "initial_prior_first_n_blocks")),
    ("squeezebert", ("q_groups", "k_groups")),
    ("reformer", ("axial_pos_embds", "attn_layers")),
    ("canine", ("downsampling_rate", "local_transformer_stride")),
    ("roformer", ("rotary_value", "hidden_size")),
    ("fnet", ("use_tpu_fourier_optimizations", "hidden_size")),
    ("esm", ("token_dropout", "emb_layer_norm_before")),
    ("mpnet", ("relative_attention_num_buckets", "hidden_size", "max_position_embeddings")),
    ("longt5", ("local_radius", "relative_attention_num_buckets")),
    ("t5", ("relative_attention_num_buckets", "d_kv")),
    ("t5", ("d_kv", "d_ff", "num_heads", "d_model")),
    ("t5", ("num_encoder_layers", "num_decoder_layers", "emb_dim", "mlp_dim")),
    ("distilbert", ("sinusoidal_pos_embds", "dim")),
    ("xlm", ("sinusoidal_embeddings", "emb_dim")),
    ("gpt_neo", ("attention_types", "window_size", "max_position_embeddings")),
    ("bloom", ("slow_but_exact", "n_layer")),
    ("opt", ("word_embed_proj_dim", "max_position_embeddings")),
    ("wavlm", ("num_conv_pos_embeddings", "max_bucket_distance")),
    ("data2vec-audio", ("num_conv_pos_embeddings", "conv_pos_kernel_size")),
    ("wav2vec2", ("num_conv_pos_embeddings", "num_conv_pos_embedding_groups")),
    ("speech_to_text", ("max_source_positions", "max_target_positions", "num_conv_layers")),
    ("whisper", ("max_source_positions", "max_target_positions", "num_mel_bins")),
    ("audio-spectrogram-transformer", ("frequency_stride", "time_stride", "num_mel_bins")),
    ("decision_transformer", ("max_ep_len", "act_dim", "state_dim")),
    ("swinv2", ("pretrained_window_sizes", "window_size", "depths")),
    ("swin", ("window_size", "patch_size", "depths", "num_heads")),
    ("segformer", ("sr_ratios", "decoder_hidden_size", "depths")),
    ("hiera", ("masked_unit_size", "embed_dim")),
    ("vivit", ("tubelet_size", "image_size", "num_hidden_layers")),
    ("beit", ("use_shared_relative_position_bias", "image_size", "patch_size")),
    ("detr", ("position_embedding", "num_queries", "enc_layers")),
    ("DiTTransformer2DModel", ("input_size", "patch_size", "learn_sigma", "num_heads")),
    ("patchtst", ("patch_length", "patch_stride", "d_model")),
)
# Names of the rows of a table, before what other code calls a length alone, and of a width and heads by any prefix.
ROWS = ("max_position_embeddings", "max_position_embedding", "n_positions", "max_position", "max_positions")
LENGTHS = ("max_len", "maxlen", "block_size", "n_ctx", "max_item_list_length", "bert_max_len")
WIDTH = re.compile(
    r"(.*_)?(hidden_size|hidden_dim|hidden_units|d_model|n_embd|embedding_size|"
    r"(att|attn|attention|emb|embed|embedding|model|trans|transformer)_dim)|dim"
)
HEADS = re.compile(r"(?!.*mtp)(.*_)?(n_?heads?|heads|nhead|heads_num|num_attention_heads)")
ELSEWHERE = ("patch_size", "image_size", "sr_ratios", "ssm_cfg")  # of models whose places are no tokens
OF_STATES = re.compile("(ssm|rwkv|mamba|liquid|recurrent)_|state_dim|state_size")  # without heads they have no table


def by_own_names(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the class whose own field names a file has, and the names; None where it has those of none."""
    for kind, names in SIGNS:
        if all(given.get(name) is not None for name in names):
            if kind == "vivit" and not isinstance(given["tubelet_size"], list):
                kind = "videomae"
            return kind, f"{', '.join(names[:-1])} and {names[-1]}"
    if given.get("static_position_embeddings") is True:
        return "marian", "static_position_embeddings"
    return None


def in_its_names(given: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the fields of the first code of DETR and DiT by the names of their classes; others as they are."""
    if kind == "detr" and "position_embedding" in given:
        own = {"position_embedding": "position_embedding_type", "hidden_dim": "d_model", "num_queries": "num_queries"}
        return {name: given[one] for one, name in own.items() if one in given}
    if kind == "DiTTransformer2DModel":
        width, heads = given.get("hidden_size", 1152), given["num_heads"]
        each = width // heads if is_whole(width) and is_whole(heads) else None
        sizes = {"num_attention_heads": heads, "attention_head_dim": each}
        return {"sample_size": given["input_size"], "patch_size": given["patch_size"], **sizes}
    return dict(given)


def of_the_tutorial(given: Mapping[str, Any]) -> bool:
    """Return whether a length is that of the sinusoids in PyTorch's tutorial, which much code has copied."""
    return any(given.get(name) == 5000 for name in ("max_len", "maxlen"))


def of_a_table(given: Mapping[str, Any]) -> tuple[int, dict[str, int], str] | None:
    """Return rows, width and heads of what is likely to be a learned table, and the field of its rows; None without.

    A length alone needs heads beside it: networks without attention have one, too.
    """
    name = next((name for name in (*ROWS, *LENGTHS) if is_whole(given.get(name), 1, MAX_SIZE)), None)
    sizes = {one: value for one, value in given.items() if is_whole(value, 1, MAX_SIZE) and len(one) <= MAX_NAME}
    width, heads = (
        next((value for one, value in sizes.items() if sign.fullmatch(one)), None) for sign in (WIDTH, HEADS)
    )
    enough = (width or heads) if name in ROWS else (width and heads)
    if name is None or not enough or any(one in given for one in ELSEWHERE):
        return None
    if heads is None and any(OF_STATES.search(one[:MAX_NAME]) for one in given):
        return None
    named = {"hidden_size": width, "num_attention_heads": heads}
    return given[name], {one: size for one, size in named.items() if size is not None}, name
