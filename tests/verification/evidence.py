"""Which tests prove which entry: their names and nothing else; what they find is measured when they run.

`OWN` are cases by hand and loops from the definition; comparisons with code that others wrote are in `public`. A name
is that of a file of tests, of a test in it, and of a case where the test runs for several entries.
"""

MASKS_BY_RULE = ("test_masks.py::test_masks_of_6_positions", "test_masks.py::test_masks_equal_their_definition")
BY_DISTANCE = "encodings/test_distance_biases.py"
AXES = "encodings/test_axes.py"
VECTORS = "encodings/test_vectors_of_the_distance.py"
SUMMED = "encodings/test_summed_along_the_text.py"
TABLES = "encodings/test_index.py"
SINUSOIDS = "encodings/test_sinusoidal.py"
ROTARY = "encodings/test_rotary.py"
MORE = "encodings/test_more_than_a_turn.py"
SWIN = "encodings/test_swin.py"
KERPLE = f"{BY_DISTANCE}::test_kerple_equals_the_definition"
LEAKY = f"{MORE}::test_scores_equal_the_definition[rerope"
TWO_AXES = "encodings/test_axes.py::test_rotate_equals_the_definition"
FREQUENCIES = "rope_scaling/test_formulas.py::"
FOUR_PAIRS = f"{FREQUENCIES}test_four_pairs_twice_as_long"
BY_PARTS = f"{FREQUENCIES}test_by_parts_llama3_and_yarn_in_turns_equal_the_definition"
REMAPPED = "test_positions.py::test_functions_equal_their_definition"
EIGHT_TOKENS = "test_positions.py::test_8_tokens_for_a_model_trained_on_4"

PRECISION = "test_extremes.py::test_float32_agrees_with_float64"  # a case for each encoding


def of(file, *tests):
    """Return the names of some tests of one file."""
    return tuple(f"{file}::test_{test}" for test in tests)


def measured(module, *tests):
    """Return the names of some tests of measures."""
    return of(f"measures/test_{module}.py", *tests)


MROPE = of(AXES, "sections_equal_the_definition", "mrope_equals_the_definition", "position_ids_equal_the_definition")
RELATIVE_KEY = of(VECTORS, "four_channels_of_ones_at_a_distance_of_3", "relative_keys_equal_the_definition")
INDEX = of(TABLES, "the_first_positions", "tables_equal_the_definition")

OWN = {
    "encodings": {
        "none": of("encodings/test_composition.py", "the_base_class_is_no_encoding"),
        "integer": INDEX,
        "normalised": INDEX,
        "binary": INDEX,
        "learned": of(TABLES, "within_the_table_every_choice_is_the_row_itself", "rows_equal_the_definition"),
        "sinusoidal": of(SINUSOIDS, "table_equals_the_definition"),
        "fourier": of(SINUSOIDS, "four_octaves_of_three_tenths", "features_equal_the_definition"),
        "random_fourier": of(SINUSOIDS, "an_eighth_of_a_unit_by_hand", "features_equal_the_definition"),
        "timestep": of(
            SINUSOIDS, "the_two_settings_in_use_at_time_10_and_width_8", "the_table_of_times_equals_the_definition"
        ),
        "sincos_2d_mae": of(SINUSOIDS, "mae_equals_the_definition"),
        "sincos_2d_detr": of(SINUSOIDS, "detr_equals_the_definition"),
        "rope": of(ROTARY, "rotate_equals_the_definition"),
        "rope_scaled": of(
            "rope_scaling/test_rules.py", "rope_scaled_turns_by_the_frequencies_and_divides_by_the_temperature"
        ),
        "rope_partial": of(
            ROTARY,
            "frequencies_of_a_share_equal_the_definition",
            "the_first_channels_are_a_head_of_their_own_and_the_rest_stays",
        ),
        "rope_p": of(ROTARY, "frequencies_at_width_8", "frequencies_of_a_share_equal_the_definition"),
        "fope": of(MORE, "fope_with_two_frequencies", "fope_equals_the_definition"),
        "xpos": of(MORE, "xpos_with_two_tokens_gamma_apart", "xpos_equals_the_definition"),
        "rope_log_n": of(
            ROTARY,
            "the_factor_of_log_n_equals_the_definition",
            "log_n_is_rope_with_a_factor_of_the_keys_that_are_seen",
        ),
        "rope_ssmax": of(ROTARY, "one_key_that_stands_out_as_in_figure_1", "the_weights_of_ssmax_equal_the_definition"),
        "rerope": of(MORE, "the_distances_that_the_last_query_is_told", "scores_equal_the_definition[rerope"),
        "rerope_leaky": (LEAKY,),
        "self_extend": of(MORE, "the_distances_that_the_last_query_is_told", "scores_equal_the_definition[self_extend"),
        "dual_chunk": of(MORE, "the_distances_that_the_last_query_is_told", "scores_equal_the_definition[dual_chunk"),
        "string": of(MORE, "the_distances_that_the_last_query_is_told", "scores_equal_the_definition[string"),
        "rope_layers": of("encodings/test_composition.py", "a_layer_is_rope_or_no_encoding"),
        **{
            key: (
                *of("encodings/test_composition.py", "the_published_orders_of_layers"),
                f"encodings/test_composition.py::test_scores_equal_the_definition[2-1-{key}",
            )
            for key in ("rnope_window", "gemma3", "modernbert")
        },
        "llama4": (
            "encodings/test_composition.py::test_scores_equal_the_definition[2-1-llama4",
            *of(ROTARY, "the_steps_of_llama_4", "the_steps_equal_the_definition"),
        ),
        "rope_decoupled": of(ROTARY, "the_temperatures_of_deepseek", "decoupled_rope_equals_the_definition"),
        "rope_axial": (
            *of(
                AXES,
                "axial_frequencies_at_width_8_and_a_head_that_looks_along_the_diagonal",
                "rotate_equals_the_definition",
            ),
            *of("parity/test_axes_parity.py", "the_code_of_the_paper_has_the_column_first"),
        ),
        "rope_mixed": (
            TWO_AXES,
            *of("parity/test_axes_parity.py", "the_mixed_form_of_the_paper_is_ours_with_another_direction"),
        ),
        "mrope": MROPE,
        "mrope_interleaved": MROPE,
        "videorope": of(
            AXES,
            "pairs_as_published",
            "ids_by_hand",
            "position_ids_of_videorope_equal_the_definition",
        ),
        "pope": of(MORE, "pope_without_content", "pope_equals_the_definition"),
        "shaw": of(VECTORS, "shaw_equals_the_definition"),
        "relative_key": RELATIVE_KEY,
        "relative_key_query": RELATIVE_KEY,
        "deberta": of(VECTORS, "deberta_with_one_channel_and_two_positions", "deberta_equals_the_definition[deberta]"),
        "deberta_v2": of(
            VECTORS, "buckets_of_deberta_equal_the_definition", "deberta_equals_the_definition[deberta_v2]"
        ),
        "transformer_xl": of(VECTORS, "transformer_xl_equals_the_definition"),
        "t5": of(BY_DISTANCE, "buckets_of_t5_equal_the_definition", "t5_equals_the_definition"),
        "alibi": of(BY_DISTANCE, "alibi_equals_the_definition"),
        "kerple_log": (KERPLE,),
        "kerple_power": (KERPLE,),
        "sandwich": of(BY_DISTANCE, "sandwich_equals_the_definition"),
        "fire": of(SUMMED, "fire_equals_the_definition"),
        "cope": of(SUMMED, "cope_equals_the_definition"),
        "swin": of(SWIN, "a_window_of_2_by_2", "the_bias_is_a_number_for_each_difference_of_rows_and_columns"),
        "swin_v2": of(SWIN, "the_bias_of_swin_v2_equals_the_definition", "the_cosine_of_two_pairs_by_hand"),
        "forgetting": of(SUMMED, "forgetting_and_cable_equal_the_definition"),
        "dape": of(SUMMED, "dape_with_a_network_of_one_number_by_hand", "dape_equals_the_definition"),
        "cable": of(SUMMED, "three_tokens_by_hand", "forgetting_and_cable_equal_the_definition"),
    },
    "rope_scaling": {
        "plain": of("rope_scaling/test_formulas.py", "without_a_rule_the_frequencies_stay_at_any_length"),
        "base_change": (
            FOUR_PAIRS,
            f"{FREQUENCIES}test_another_base_is_a_power_of_the_frequencies_and_the_ladder_of_that_base",
        ),
        "pi": (FOUR_PAIRS, f"{FREQUENCIES}test_interpolation_equals_the_definition"),
        "ntk": of("rope_scaling/test_formulas.py", "ntk_is_the_ladder_of_a_larger_base", "the_relatives_of_ntk"),
        "dynamic_ntk": of("rope_scaling/test_formulas.py", "dynamic_ntk_equals_the_definition"),
        "by_parts": (BY_PARTS,),
        "yarn": (BY_PARTS, f"{FREQUENCIES}test_yarn_along_the_index_equals_the_definition"),
        "llama3": (FOUR_PAIRS, BY_PARTS, "rope_scaling/test_formulas.py::test_where_low_is_high_llama3_is_a_step"),
        "longrope": (
            FOUR_PAIRS,
            f"{FREQUENCIES}test_longrope_switches_at_the_token_after_the_training_length",
            *of(
                "rope_scaling/test_longrope2.py",
                "the_critical_pairs_of_the_paper",
                "the_critical_pair_equals_the_definition",
                "the_search_equals_the_definition",
            ),
        ),
    },
    "masks": dict.fromkeys(("causal", "window", "sinks", "lambda", "dilated", "chunked", "prefix"), MASKS_BY_RULE),
    "positions": {
        "consecutive": (f"{EIGHT_TOKENS}[consecutive",),
        "shape": of(
            "test_positions.py",
            "a_shift_is_one_number_for_all",
            "every_shift_is_drawn_about_equally_often_the_largest_too",
        ),
        "randomised": of(
            "test_positions.py",
            "random_indices_are_distinct_sorted_and_in_range",
            "every_choice_of_indices_is_drawn_about_equally_often",
        ),
        "interpolated": (f"{EIGHT_TOKENS}[interpolated", REMAPPED),
        "clipped": (f"{EIGHT_TOKENS}[clipped", REMAPPED),
        "grouped": (f"{EIGHT_TOKENS}[grouped", REMAPPED),
    },
    "measures": {
        "biases": measured(
            "biases",
            "rows_against_a_loop",
            "attention_against_a_loop",
            "what_is_met_against_a_loop",
            "following_against_a_loop",
        ),
        "channels": measured("rotation", "every_column_is_the_channel_it_is_said_to_be_and_the_paper_has_each_once"),
        "entropy": measured("biases", "entropy_by_hand", "entropy_is_the_sum_written_out"),
        "index": measured("jumps", "what_is_left_of_a_token_by_hand", "different_values_are_those_of_a_set"),
        "jumps": measured(
            "jumps", "from_7_to_8_flip_four_bits_if_there_are_four", "steps_are_those_of_the_integers_and_their_waves"
        ),
        "lengths": measured("profile", "the_dilution_of_alibi_equals_the_definition"),
        "masked": measured(
            "masked",
            "influence_is_what_a_walk_through_the_layers_can_reach",
            "every_number_follows_its_formula",
            "one_sink_and_equal_keys_by_hand",
        ),
        "memory": measured("masked", "the_memory_of_a_cache_by_hand", "the_memory_is_what_the_tensors_of_a_cache_take"),
        "order": measured("order", "the_recurrent_layer_by_hand"),
        "pairs": measured(
            "pairs",
            "numbers_of_pairs_equal_their_definition",
            "scores_by_distance_by_hand",
            "scores_by_distance_against_a_loop",
            "uniqueness_and_evenness_equal_the_definition",
            "the_map_of_one_channel_equals_the_definition",
        ),
        "patches": measured("sequence", "similarity_by_hand"),
        "profile": measured("profile", "a_profile_is_the_formula_of_its_encoding_in_every_head"),
        "requirements": measured(
            "criteria",
            "steps_by_hand",
            "a_count_is_read_off_exactly_and_a_table_without_positions_not_at_all",
            "the_order_of_pairs_by_hand",
            "the_cost_by_hand",
        ),
        "rotation": measured(
            "rotation", "a_quarter_turn_by_hand", "partial_sums_equal_the_definition", "the_decay_bound_by_hand"
        ),
        "sequence": measured("sequence", "parts_by_hand", "scores_as_loops_over_the_formula"),
        "similarity": measured("rotation", "dot_products_are_those_of_the_table_forwards_and_backwards"),
        "uncertainty": measured(
            "uncertainty",
            "it_counts_the_pairs",
            "two_degrees_of_freedom_by_hand",
            "holm_by_hand",
            "known_intervals_of_a_fraction",
            "the_interval_of_a_mean_by_hand",
            "two_seeds_by_hand",
        ),
        "within": measured("pairs", "the_direction_of_added_vectors_and_a_bias_equals_the_definition"),
    },
}

CASES = ("measures/test_criteria_cases.py", "claims/test_rules.py::test_every_verdict_comes_out")
