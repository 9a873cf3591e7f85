"""Tests that hold an entry against code of other authors, by registry and key."""

from tests.verification.evidence import of

# An entry that is missing here has no public code that pip installs and that a test is held against.
PUBLIC = {
    "encodings": {
        "sinusoidal": ("parity/test_sinusoidal_parity.py",),
        "sincos_2d_mae": of("parity/test_sincos_2d_parity.py", "the_table_that_mae_of_transformers_starts_with"),
        "sincos_2d_detr": of(
            "parity/test_sincos_2d_parity.py",
            "the_sinusoid_of_detr_of_transformers",
            "the_sinusoid_of_detr_in_the_corner_of_a_padded_image",
        ),
        "timestep": ("parity/test_timestep_parity.py",),
        "rope": ("parity/test_rotary_parity.py",),
        "rope_partial": of(
            "parity/test_partial_rope_parity.py",
            "gpt_neox_turns_the_first_channels_in_halves",
            "rotary_embedding_torch_turns_the_first_channels_interleaved",
        ),
        "rope_p": of("parity/test_partial_rope_parity.py", "proportional_rope_of_transformers_is_p_rope"),
        "xpos": ("parity/test_xpos_parity.py",),
        "rope_layers": ("parity/test_rope_layers_parity.py",),
        "rnope_window": of("parity/test_layer_patterns_parity.py", "cohere_2_of_transformers_is_rnope_with_windows"),
        "gemma3": of("parity/test_layer_patterns_parity.py", "gemma_3_of_transformers"),
        "modernbert": of("parity/test_layer_patterns_parity.py", "modernbert_of_transformers_where_it_looks_back"),
        "llama4": of(
            "parity/test_layer_patterns_parity.py",
            "llama_4_of_transformers",
            "llama_4_takes_its_steps_at_the_published_sizes",
        ),
        "rope_decoupled": ("parity/test_decoupled_rope_parity.py",),
        "rope_axial": of(
            "parity/test_rope_2d_parity.py",
            "the_vision_tower_of_qwen2_vl_turns_halves_alike",
            "the_memory_of_sam_2_turns_interleaved_pairs_alike",
            "rotary_embedding_torch_turns_rows_and_columns_alike",
        ),
        "mrope": of(
            "parity/test_mrope_parity.py",
            "the_rotation_of_the_model_at_any_distance[chunked",
            "the_model_as_it_comes_on_text_and_images[chunked",
            "the_ids_of_qwen2_vl",
            "the_ids_of_qwen2_5_vl_count_time",
        ),
        "mrope_interleaved": of(
            "parity/test_mrope_parity.py",
            "the_rotation_of_the_model_at_any_distance[interleaved",
            "the_model_as_it_comes_on_text_and_images[interleaved",
        ),
        "relative_key": ("parity/test_relative_key_parity.py",),
        "deberta": of("parity/test_deberta_parity.py", "version_1_of_transformers_adds_the_same_terms"),
        "deberta_v2": of(
            "parity/test_deberta_parity.py",
            "the_buckets_of_transformers",
            "version_2_of_transformers_adds_the_same_terms",
        ),
        "pope": ("parity/test_pope_parity.py",),
        "transformer_xl": ("parity/test_transformer_xl_parity.py",),
        "t5": ("parity/test_t5_parity.py",),
        "alibi": ("parity/test_alibi_parity.py",),
        "cope": ("parity/test_cope_parity.py",),
        "forgetting": ("parity/test_forgetting_parity.py",),
        "swin": of("parity/test_swin_parity.py", "the_bias_of_swin_of_transformers"),
        "swin_v2": of(
            "parity/test_swin_parity.py",
            "the_coordinates_of_swin_v2_of_transformers",
            "swin_v2_of_transformers_attends_alike",
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
        "causal": of("parity/test_masks_parity.py", "transformers_has_the_same_causal_mask"),
        "window": of("parity/test_masks_parity.py", "transformers_counts_the_window_with_self"),
        "chunked": of("parity/test_masks_parity.py", "transformers_cuts_the_same_chunks"),
        "prefix": of("parity/test_masks_parity.py", "a_prefix_is_one_block_of_transformers_beside_the_causal_mask"),
    },
}
