"""Tests that hold an entry against code of other authors, by registry and key."""

from tests.verification.evidence import of

TABLES, ROTARY, AXES, BIASES, MASKS = (
    f"parity/test_{name}_parity.py" for name in ("tables", "rotary", "axes", "biases", "masks")
)

# An entry that is missing here has no public code that pip installs and that a test is held against.
PUBLIC = {
    "encodings": {
        "sinusoidal": of(
            TABLES,
            "sinusoid_of_marian_is_the_concatenated_variant",
            "sinusoid_of_xlm_is_the_variant_of_the_paper",
            "sinusoid_of_fsmt_is_the_variant_of_tensor2tensor",
            "sinusoid_of_x_transformers_is_the_concatenated_variant_times_a_scale",
        ),
        "sincos_2d_mae": of(TABLES, "the_table_that_mae_of_transformers_starts_with"),
        "sincos_2d_detr": of(TABLES, "the_sinusoid_of_detr_of_transformers"),
        "timestep": of(TABLES, "the_time_step_of_qwen2_5_omni"),
        "rope": of(
            ROTARY, "rope_of_rotary_embedding_torch_turns_interleaved_pairs_alike", "rope_of_llama_turns_halves_alike"
        ),
        "rope_partial": of(
            ROTARY,
            "partial_rope_of_gpt_neox_turns_the_first_channels_in_halves",
            "partial_rope_of_rotary_embedding_torch_turns_the_first_channels_interleaved",
        ),
        "rope_p": of(ROTARY, "proportional_rope_of_transformers_is_p_rope"),
        "xpos": of(
            ROTARY, "xpos_of_x_transformers_has_the_same_scores", "xpos_of_rotary_embedding_torch_has_the_same_scores"
        ),
        "rope_layers": of(MASKS, "transformers_turns_the_same_layers"),
        **{key: (f"{MASKS}::test_layers_of_transformers[{key}",) for key in ("rnope_window", "gemma3", "llama4")},
        "modernbert": of(MASKS, "modernbert_of_transformers_where_it_looks_back"),
        "rope_decoupled": of(
            ROTARY,
            "deepseek_v3_of_transformers",
            "the_factors_of_transformers",
            "deepseek_turns_interleaved_pairs_alike",
        ),
        "rope_axial": of(
            AXES,
            "the_vision_tower_of_qwen2_vl_turns_halves_alike",
            "the_memory_of_sam_2_turns_interleaved_pairs_alike",
            "rotary_embedding_torch_turns_rows_and_columns_alike",
        ),
        "mrope": of(
            AXES,
            "the_rotation_of_the_model_at_any_distance[chunked",
            "the_model_as_it_comes_on_text_and_images[chunked",
            "the_ids_of_qwen2_vl",
            "the_ids_of_qwen2_5_vl_count_time",
        ),
        "mrope_interleaved": of(
            AXES,
            "the_rotation_of_the_model_at_any_distance[interleaved",
            "the_model_as_it_comes_on_text_and_images[interleaved",
        ),
        "relative_key": of(BIASES, "wav2vec2_bert_adds_the_same_to_the_scores"),
        "deberta": of(BIASES, "deberta_of_transformers_adds_the_same_terms"),
        "deberta_v2": of(
            BIASES, "deberta_v2_of_transformers_has_the_same_buckets", "deberta_v2_of_transformers_adds_the_same_terms"
        ),
        "pope": of(ROTARY, "pope_of_x_transformers_has_the_same_queries_and_keys_but_for_the_scale"),
        "transformer_xl": of(BIASES, "xlnet_attends_alike"),
        "t5": of(
            BIASES,
            "t5_buckets_of_transformers_and_of_x_transformers",
            "t5_of_transformers",
            "t5_of_x_transformers_is_ours_times_its_scale",
        ),
        "alibi": of(BIASES, "alibi_of_bloom_and_mpt_attends_alike", "alibi_of_x_transformers_is_the_symmetric_one"),
        "cope": of(BIASES, "cope_of_x_transformers_counts_alike"),
        "forgetting": of(BIASES, "forgetting_of_x_transformers_forgets_alike"),
        "swin": of(BIASES, "swin_of_transformers"),
        "swin_v2": of(
            BIASES, "swin_v2_of_transformers_has_the_same_coordinates", "swin_v2_of_transformers_attends_alike"
        ),
    },
    "rope_scaling": {
        "pi": of("parity/test_rope_scaling_parity.py", "linear_is_position_interpolation"),
        "dynamic_ntk": of("parity/test_rope_scaling_parity.py", "dynamic"),
        "yarn": of("parity/test_rope_scaling_parity.py", "yarn", "yarn_with_attention_factors"),
        "llama3": of(
            "parity/test_rope_scaling_parity.py", "llama3", "the_factor_and_not_the_claimed_length_of_llama_3_1"
        ),
        "longrope": of("parity/test_rope_scaling_parity.py", "longrope", "longrope_with_both_lists"),
    },
    "masks": {
        "causal": of(MASKS, "transformers_has_the_same_causal_mask"),
        "window": of(MASKS, "transformers_counts_the_window_with_self"),
        "chunked": of(MASKS, "transformers_cuts_the_same_chunks"),
        "prefix": of(MASKS, "a_prefix_is_one_block_of_transformers_beside_the_causal_mask"),
    },
}
