"""Which tests prove which entry: their names and nothing else; what they find is measured when they run.

`OWN` are cases by hand and loops from the definition, `PUBLIC` are comparisons with code that others wrote. A name is
that of a file of tests, of a test in it, and of a case where the test runs for several entries.
"""


def tests_of(path):
    """Return what names tests of a file, given its place in a path; without tests it names the whole file."""
    return lambda file, *tests: tuple(path.format(file) + test for test in [f"::test_{one}" for one in tests] or [""])


encoding, scaling = tests_of("encodings/test_{}.py"), tests_of("rope_scaling/test_{}.py")
measure, parity = tests_of("measures/test_{}.py"), tests_of("parity/test_{}_parity.py")
top = tests_of("test_{}.py")

PRECISION = "test_precision.py::test_float32_agrees_with_float64"  # a case for each encoding
CASES = ("measures/test_criteria_cases.py", "claims/test_rules.py::test_every_verdict_comes_out")

MASKS_BY_RULE = top("masks", "masks_of_6_positions", "masks_equal_their_definition")
KERPLE = encoding("kerple", "biases_equal_the_definition")
FOUR_PAIRS = "four_pairs_twice_as_long"
BY_PARTS = "by_parts_llama3_and_yarn_in_turns_equal_the_definition"
REMAPPED = "functions_equal_their_definition"
LAYERS_OF = "scores_equal_the_definition[2-1-"
EIGHT_TOKENS = "8_tokens_for_a_model_trained_on_4"
MROPE = encoding(
    "mrope", "sections_equal_the_definition", "rotate_equals_the_definition", "position_ids_equal_the_definition"
)
RELATIVE_KEY = encoding("relative_key", "four_channels_of_ones_at_a_distance_of_3", "scores_equal_the_definition")
INDEX = encoding("index", "the_first_positions", "table_equals_the_definition")

OWN = {
    "encodings": {
        "none": encoding("base", "the_base_class_is_no_encoding"),
        "integer": INDEX,
        "normalised": INDEX,
        "binary": encoding("binary", "table_equals_the_definition"),
        "learned": encoding("learned", "rows_equal_the_definition", "clamp_and_interpolate_equal_the_definition"),
        "sinusoidal": encoding("sinusoidal", "table_equals_the_definition"),
        "fourier": encoding("fourier", "four_octaves_of_three_tenths", "features_equal_the_definition"),
        "random_fourier": encoding("random_fourier", "an_eighth_of_a_unit_by_hand", "features_equal_the_definition"),
        "timestep": encoding(
            "timestep", "the_two_settings_in_use_at_time_10_and_width_8", "the_table_equals_the_definition"
        ),
        "sincos_2d_mae": encoding("sincos_2d", "mae_equals_the_definition"),
        "sincos_2d_detr": encoding("sincos_2d", "detr_equals_the_definition"),
        "rope": encoding("rotary", "rotate_equals_the_definition"),
        "rope_scaled": scaling("rules", "rope_scaled_turns_by_the_frequencies_and_divides_by_the_temperature"),
        "rope_partial": encoding(
            "partial_rope",
            "frequencies_equal_the_definition",
            "the_first_channels_are_a_head_of_their_own_and_the_rest_stays",
        ),
        "rope_p": encoding("partial_rope", "half_of_8_channels", "frequencies_equal_the_definition"),
        "fope": encoding("fope", "two_frequencies_by_hand", "rotate_equals_the_definition"),
        "xpos": encoding("xpos", "two_tokens_gamma_apart_by_hand", "scores_equal_the_definition"),
        "rope_log_n": encoding(
            "log_n",
            "the_factor_equals_the_definition",
            "the_keys_that_are_seen_are_counted_and_not_the_position_that_is_told",
            "it_is_rope_with_a_factor_on_the_queries",
        ),
        "rope_ssmax": encoding("ssmax", "one_key_that_stands_out_as_in_figure_1", "weights_equal_the_definition"),
        "rerope": encoding("rerope", "a_quarter_turn_per_token_by_hand", "scores_equal_the_definition"),
        "rerope_leaky": encoding("rerope", "scores_equal_the_definition"),
        "self_extend": encoding("self_extend", "scores_equal_the_definition"),
        "dual_chunk": encoding("dual_chunk", "the_figure_of_the_paper", "scores_equal_the_definition"),
        "string": encoding("string_rope", "the_last_row_by_hand", "scores_equal_the_definition"),
        "rope_layers": encoding("rope_layers", "a_layer_is_rope_or_no_encoding"),
        **{
            key: encoding("layer_patterns", "the_published_orders_of_layers", f"{LAYERS_OF}{key}")
            for key in ("rnope_window", "gemma3", "modernbert")
        },
        "llama4": encoding("layer_patterns", f"{LAYERS_OF}llama4")
        + encoding("temperature", "the_steps_of_llama_4", "the_factor_equals_the_definition"),
        "rope_decoupled": encoding("decoupled_rope", "the_temperatures_of_deepseek", "scores_equal_the_definition"),
        "rope_axial": encoding("rope_2d", "axial_frequencies_at_width_8", "rotate_equals_the_definition")
        + parity("rope_2d", "the_code_of_the_paper_has_the_column_first"),
        "rope_mixed": encoding("rope_2d", "rotate_equals_the_definition")
        + parity("rope_2d", "the_mixed_form_of_the_paper_is_ours_with_another_direction"),
        "mrope": MROPE,
        "mrope_interleaved": MROPE,
        "videorope": encoding("videorope", "axes_of_the_model", "ids_by_hand", "position_ids_equal_the_definition"),
        "pope": encoding("pope", "no_content_by_hand", "scores_equal_the_definition"),
        "shaw": encoding("shaw", "scores_equal_the_definition"),
        "relative_key": RELATIVE_KEY,
        "relative_key_query": RELATIVE_KEY,
        "deberta": encoding("deberta", "one_channel_and_two_positions_by_hand", "scores_equal_the_definition[deberta]"),
        "deberta_v2": encoding("deberta", "buckets_equal_the_definition", "scores_equal_the_definition[deberta_v2]"),
        "transformer_xl": encoding("transformer_xl", "scores_equal_the_definition"),
        "t5": encoding("t5", "buckets_equal_the_definition", "bias_equals_the_definition"),
        "alibi": encoding(
            "alibi",
            "slopes_equal_the_definition",
            "bias_equals_the_definition",
            "the_nonsymmetric_bias_equals_the_definition",
        ),
        "kerple_log": KERPLE,
        "kerple_power": KERPLE,
        "sandwich": encoding("sandwich", "bias_equals_the_definition"),
        "fire": encoding("fire", "the_bias_equals_the_definition"),
        "cope": encoding("cope", "bias_equals_the_definition"),
        "swin": encoding(
            "swin", "the_index_equals_the_definition", "the_bias_is_a_number_for_each_difference_of_rows_and_columns"
        ),
        "swin_v2": encoding("swin_v2", "the_bias_equals_the_definition", "the_cosine_of_two_pairs_by_hand"),
        "forgetting": encoding("forgetting", "bias_equals_the_definition"),
        "dape": encoding("dape", "a_network_of_one_number_by_hand", "bias_equals_the_definition"),
        "cable": encoding("cable", "three_tokens_by_hand", "bias_equals_the_definition"),
    },
    "rope_scaling": {
        "plain": scaling("formulas", "without_a_rule_the_frequencies_stay_at_any_length"),
        "base_change": scaling(
            "formulas", FOUR_PAIRS, "another_base_is_a_power_of_the_frequencies_and_the_ladder_of_that_base"
        ),
        "pi": scaling("formulas", FOUR_PAIRS, "interpolation_equals_the_definition"),
        "ntk": scaling("formulas", "ntk_is_the_ladder_of_a_larger_base", "the_relatives_of_ntk"),
        "dynamic_ntk": scaling("formulas", "dynamic_ntk_equals_the_definition"),
        "by_parts": scaling("formulas", BY_PARTS),
        "yarn": scaling("formulas", BY_PARTS, "yarn_along_the_index_equals_the_definition"),
        "llama3": scaling("formulas", FOUR_PAIRS, BY_PARTS) + scaling("factors", "where_low_is_high_llama3_is_a_step"),
        "longrope": scaling("formulas", FOUR_PAIRS, "longrope_switches_at_the_token_after_the_training_length")
        + scaling(
            "longrope2",
            "the_critical_pairs_of_the_paper",
            "the_critical_pair_equals_the_definition",
            "the_search_equals_the_definition",
        ),
    },
    "masks": dict.fromkeys(("causal", "window", "sinks", "lambda", "dilated", "chunked", "prefix"), MASKS_BY_RULE),
    "positions": {
        "consecutive": top("positions", f"{EIGHT_TOKENS}[consecutive"),
        "shape": top(
            "positions", "a_shift_is_one_number_for_all", "every_shift_is_drawn_about_equally_often_the_largest_too"
        ),
        "randomised": top(
            "positions",
            "random_indices_are_distinct_sorted_and_in_range",
            "every_choice_of_indices_is_drawn_about_equally_often",
        ),
        **{key: top("positions", f"{EIGHT_TOKENS}[{key}", REMAPPED) for key in ("interpolated", "clipped", "grouped")},
    },
    "measures": {
        "agreement": measure("agreement", "it_counts_the_pairs", "two_degrees_of_freedom_by_hand", "holm_by_hand"),
        "biases": measure(
            "biases",
            "rows_against_a_loop",
            "attention_against_a_loop",
            "what_is_met_against_a_loop",
            "following_against_a_loop",
        ),
        "channels": measure("sinusoid_measures", "every_column_is_the_channel_it_is_said_to_be"),
        "distances": measure("distances", "by_hand", "against_a_loop"),
        "entropy": measure("entropy", "entropy_by_hand", "entropy_is_the_sum_written_out"),
        "index": measure("index_measures", "what_is_left_of_a_token_by_hand", "different_values_are_those_of_a_set"),
        "jumps": measure(
            "jumps", "from_7_to_8_flip_four_bits_if_there_are_four", "steps_are_those_of_the_integers_and_their_waves"
        ),
        "lengths": measure("lengths", "the_dilution_of_alibi_equals_the_definition"),
        "masked": measure(
            "masked", "influence_is_what_a_walk_through_the_layers_can_reach", "every_number_follows_its_formula"
        ),
        "memory": measure("memory", "a_case_by_hand", "it_is_what_the_tensors_of_a_cache_take"),
        "order": measure("order", "the_recurrent_layer_by_hand"),
        "pairs": measure(
            "pairs",
            "toeplitz_deviation_equals_the_definition",
            "asymmetry_equals_the_definition",
            "local_monotonicity_equals_the_definition",
            "rank_correlation_equals_the_definition",
        ),
        "patches": measure("patches", "similarity_by_hand"),
        "points": measure(
            "points", "uniqueness_and_evenness_equal_the_definition", "the_map_of_one_channel_equals_the_definition"
        ),
        "profile": measure(
            "profile",
            "added_vectors_give_their_gram_matrix_in_every_head",
            "rope_on_a_constant_vector_is_the_sum_of_cosines",
        ),
        "requirements": measure(
            "requirements",
            "steps_by_hand",
            "a_count_is_read_off_exactly_and_a_table_without_positions_not_at_all",
            "the_order_of_pairs_by_hand",
            "the_cost_by_hand",
        ),
        "rotation": measure(
            "rotation", "a_quarter_turn_by_hand", "partial_sums_equal_the_definition", "the_decay_bound_by_hand"
        ),
        "sequence": measure("sequence", "parts_by_hand", "scores_as_loops_over_the_formula"),
        "similarity": measure("sinusoid_measures", "dot_products_are_those_of_the_table_forwards_and_backwards"),
        "sinks": measure("sinks", "one_sink_and_equal_keys_by_hand"),
        "uncertainty": measure(
            "uncertainty",
            "known_intervals_of_a_fraction",
            "the_interval_of_a_mean_by_hand",
            "two_seeds_by_hand",
            "two_blocks_of_one_seed_are_as_two_seeds_of_one_block",
        ),
        "within": measure("within", "the_direction_of_added_vectors_and_a_bias_equals_the_definition"),
    },
}

# An entry that is missing here has no public code that pip installs and that a test is held against.
PUBLIC = {
    "encodings": {
        "sinusoidal": parity("sinusoidal"),
        "sincos_2d_mae": parity("sincos_2d", "the_table_that_mae_of_transformers_starts_with"),
        "sincos_2d_detr": parity(
            "sincos_2d", "the_sinusoid_of_detr_of_transformers", "the_sinusoid_of_detr_in_the_corner_of_a_padded_image"
        ),
        "timestep": parity("timestep"),
        "rope": parity("rotary"),
        "rope_partial": parity(
            "partial_rope",
            "gpt_neox_turns_the_first_channels_in_halves",
            "rotary_embedding_torch_turns_the_first_channels_interleaved",
        ),
        "rope_p": parity("partial_rope", "proportional_rope_of_transformers_is_p_rope"),
        "xpos": parity("xpos"),
        "rope_layers": parity("rope_layers"),
        "rnope_window": parity("layer_patterns", "cohere_2_of_transformers_is_rnope_with_windows"),
        "gemma3": parity("layer_patterns", "gemma_3_of_transformers"),
        "modernbert": parity("layer_patterns", "modernbert_of_transformers_where_it_looks_back"),
        "llama4": parity("layer_patterns", "llama_4_of_transformers", "llama_4_takes_its_steps_at_the_published_sizes"),
        "rope_decoupled": parity("decoupled_rope"),
        "rope_axial": parity(
            "rope_2d",
            "the_vision_tower_of_qwen2_vl_turns_halves_alike",
            "the_memory_of_sam_2_turns_interleaved_pairs_alike",
            "rotary_embedding_torch_turns_rows_and_columns_alike",
        ),
        "mrope": parity(
            "mrope",
            "the_rotation_of_the_model_at_any_distance[chunked",
            "the_model_as_it_comes_on_text_and_images[chunked",
            "the_ids_of_qwen2_vl",
            "the_ids_of_qwen2_5_vl_count_time",
        ),
        "mrope_interleaved": parity(
            "mrope",
            "the_rotation_of_the_model_at_any_distance[interleaved",
            "the_model_as_it_comes_on_text_and_images[interleaved",
        ),
        "relative_key": parity("relative_key"),
        "deberta": parity("deberta", "version_1_of_transformers_adds_the_same_terms"),
        "deberta_v2": parity("deberta", "the_buckets_of_transformers", "version_2_of_transformers_adds_the_same_terms"),
        "pope": parity("pope"),
        "transformer_xl": parity("transformer_xl"),
        "t5": parity("t5"),
        "alibi": parity("alibi"),
        "cope": parity("cope"),
        "forgetting": parity("forgetting"),
        "swin": parity("swin", "the_bias_of_swin_of_transformers"),
        "swin_v2": parity(
            "swin", "the_coordinates_of_swin_v2_of_transformers", "swin_v2_of_transformers_attends_alike"
        ),
    },
    "rope_scaling": {
        "pi": parity("rope_scaling", "linear_is_position_interpolation"),
        "dynamic_ntk": parity("rope_scaling", "dynamic"),
        "yarn": parity("rope_scaling", "yarn", "yarn_with_attention_factors"),
        "llama3": parity("rope_scaling", "llama3", "the_factor_and_not_the_claimed_length_of_llama_3_1"),
        "longrope": parity("rope_scaling", "longrope", "longrope_with_both_lists"),
    },
    "masks": {
        "causal": parity("masks", "transformers_has_the_same_causal_mask"),
        "window": parity("masks", "transformers_counts_the_window_with_self"),
        "chunked": parity("masks", "transformers_cuts_the_same_chunks"),
        "prefix": parity("masks", "a_prefix_is_one_block_of_transformers_beside_the_causal_mask"),
    },
}
