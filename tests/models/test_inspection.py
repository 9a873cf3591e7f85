"""What an inspection says: by hand, for released models, and for the traps of configurations."""

import math
import re

import pytest

from pe_core.models import KNOWN, ConfigError, inspected
from pe_core.models.axes import in_words
from pe_core.models.kinds.others import OTHERS
from pe_core.models.sentences import grows, pairs, times
from tests.cases import each

LLAMA = {"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}


def only(config):
    """Return the one kind of layer that a configuration has."""
    (group,) = inspected(config).groups
    return group


def warned(config, *parts):
    """Assert that one warning has all these words."""
    warnings = inspected(config).warnings
    assert any(all(part in warning for part in parts) for warning in warnings), warnings


def test_turns_in_the_original_length_are_those_before_the_rule():
    """As a text of that length was met in training; the pair of wavelength 6,283 is slowed to 25,133."""
    rule = {"rope_type": "linear", "factor": 4.0, "original_max_position_embeddings": 1000}
    found = inspected({**LLAMA, "rope_theta": 10_000.0, "max_position_embeddings": 4000, "rope_scaling": rule})
    slowest = pairs(found.trained(1000), found.trained(1000).groups[0], 9)[3]
    assert (slowest["turns in original 1,000"], slowest["turns in claimed 4,000"]) == ("0.159", "0.159")


def test_eight_channels_by_hand():
    found = inspected({**LLAMA, "rope_theta": 10_000.0, "max_position_embeddings": 1000})
    assert found.summary == (
        "llama: all 2 layers turn all 8 channels of a head by RoPE of base 10,000; it claims 1,000 tokens."
    )
    rotation = found.groups[0].rotation
    assert rotation.frequencies.tolist() == pytest.approx([1, 0.1, 0.01, 0.001])
    assert rotation.never_turning(1000) == 1  # wavelengths 6.3, 62.8, 628 and 6,283
    assert float(rotation.turns(1000)[2]) == pytest.approx(10 / (2 * math.pi))
    rows = pairs(found, found.groups[0], 9)
    assert [row["wavelength"] for row in rows] == ["6.3", "62.8", "628.3", "6,283.2"]
    assert rows[3]["turns in claimed 1,000"] == "0.159"
    assert found.said["rope_theta"] == 10_000.0
    assert "head_dim" not in found.filled
    assert (found.original_length, found.claimed_length) == (1000, 1000)


@each("key", KNOWN)
def test_every_known_model_is_understood_and_has_a_source(key):
    model = KNOWN[key]
    found = inspected(model.config)
    assert found.summary.endswith(".")
    assert model.source
    assert model.label in ("class", "quoted")
    assert (model.label == "class") == (set(model.config) <= {"model_type", "max_seq_len"})


def test_the_windows_and_layers_of_known_models():
    gemma = {group.kind: group for group in inspected(KNOWN["gemma_3_4b"].config).groups}
    assert gemma["sliding_attention"].window == 1024
    assert gemma["full_attention"].window is None
    assert gemma["full_attention"].rotation.factor == 8
    assert gemma["full_attention"].layers == (5, 11, 17, 23, 29)
    llama = {group.kind: group for group in inspected(KNOWN["llama_4_scout"].config).groups}
    assert llama["chunked_attention"].chunk == 8192
    assert llama["full_attention without RoPE"].rotation is None
    assert llama["full_attention without RoPE"].layers[:2] == (3, 7)
    assert only(KNOWN["mistral_7b"].config).window == 4096
    assert only(KNOWN["qwen_2_5_coder_7b"].config).window is None
    deepseek = only(KNOWN["deepseek_v3"].config).rotation
    assert deepseek.attention_factor == 1
    assert deepseek.softmax_scale == pytest.approx(1.8739, abs=5e-5)
    assert only(KNOWN["phi_2"].config).rotation.n_rotated == 32
    assert only(KNOWN["gpt_neox_20b"].config).rotation.n_rotated == 24


def test_qwen_slides_from_max_window_layers_on():
    config = {"model_type": "qwen2", "num_hidden_layers": 4, "max_window_layers": 2, "sliding_window": 64}
    kinds = {group.kind: group.layers for group in inspected({**config, "use_sliding_window": True}).groups}
    assert kinds == {"full_attention": (0, 1), "sliding_attention": (2, 3)}
    warned({**config, "use_sliding_window": False}, "switched off")


@each(("config", "words"), [
    ({**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, ("original_max", "is missing")),
    ({**LLAMA, "max_position_embeddings": 32_768, "rope_scaling": YARN}, ("factor 4", "= 8", "16,384 tokens")),
    ({**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, ("beta_fast", "32 and 1")),
    ({**LLAMA, "rope_scaling": {**YARN, "mscale": 1.0}}, ("one alone leaves it",)),
    ({**LLAMA, "rope_scaling": YARN, "original_max_position_embeddings": 8192}, ("8,192", "replaces 4096")),
    ({**LLAMA, "rope_scaling": {"factor": 4.0}}, ("rope_scaling.factor is ignored", "no rule is named")),
    ({**LLAMA, "rope_scaling": YARN, "rope_parameters": {"rope_theta": 1.5}}, ("replaces rope_parameters",)),
    ({**LLAMA, "rope_theta": 7.0, "rope_parameters": {"rope_theta": 123.0}}, ("rope_theta at the top", "ignored")),
    ({**LLAMA, "partial_rotary_factor": 0.5}, ("partial_rotary_factor 0.5 is ignored",)),
    ({**LLAMA, "rope_theta": 1}, ("all pairs turn alike",)),
    ({**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, ("nothing up to", "2,048")),
    ({**LLAMA, "auto_map": {}}, ("code of the model's own",)),
    ({**LLAMA, "rope_parameters": {"rope_typo": 1}}, ("rope_typo is not understood",)),
    ({**LLAMA, "dual_chunk_attention_config": {}}, ("dual_chunk",)),
    ({"model_type": "deepseek_v3", "head_dim": 128}, ("head_dim 128 replaces",)),
    ({"model_type": "deepseek_v3", "rope_scaling": {**YARN, "attention_factor": 1.2, "mscale_all_dim": 1.0}},
     ("scaled twice", "1.2000")),
    ({"model_type": "deepseek_v3"}, ("pairs of neighbours",)),
    ({"model_type": "gemma3_text", "rope_parameters": {"factor": 8.0}}, ("flat", "lost")),
    ({"model_type": "granitemoehybrid"}, ("nothing is turned",)),
    ({"model_type": "bert", "position_embedding_type": "relative_key"}, ("is ignored", "table")),
    ({"model_type": "mpt", "attn_config": {"alibi": False}}, ("ALiBi all the same",)),
    (LLAMA, ("No base is given",)),
    ({"model_type": "falcon", "alibi": True, "rope_theta": 1e4}, ("rope_theta",)),
])  # fmt: skip
def test_traps_are_told(config, words):
    warned(config, *words)


def test_nothing_is_said_where_nothing_is_wrong():
    scaled = {**LLAMA, "rope_theta": 1e6, "max_position_embeddings": 16_384, "rope_scaling": YARN}
    assert inspected(scaled).warnings == ()
    assert inspected({"model_type": "gpt2", "n_positions": 96, "n_ctx": 96}).warnings == ()  # an older name


@each(("kind", "mechanism", "length"), [
    ("gpt2", "learned", 1024),
    ("roberta", "learned", 510),
    ("bloom", "alibi", None),
    ("mpt", "alibi", 2048),
    ("t5", "buckets", None),
    ("deberta-v2", "learned", 512),
    ("gptj", "rope", 2048),
    ("esm", "learned", 1026),
])  # fmt: skip
def test_other_mechanisms(kind, mechanism, length):
    found = inspected({"model_type": kind})
    assert (found.mechanism, found.claimed_length) == (mechanism, length)
    assert kind in OTHERS


def test_gpt_j_turns_64_channels_by_the_ladder_of_64():
    rotation = only({"model_type": "gptj"}).rotation
    expected = [10_000 ** (-2 * i / 64) for i in range(32)]
    assert rotation.frequencies.tolist() == pytest.approx(expected, rel=1e-14)


def test_esm_turns_where_it_says_so():
    rotation = only({"model_type": "esm", "position_embedding_type": "rotary"}).rotation
    assert rotation.n_rotated == rotation.head_dim == 64


@each(("config", "message"), [
    ({"model_type": "gptj", "rotary_dim": None}, "rotary_dim must be a whole number from 2 to 65,536, got null"),
    ({"model_type": "gptj", "rotary_dim": 63}, "rotary_dim must be even and at most the width of a head (256), got 63"),
    ({**LLAMA, "head_dim": 10**6}, "head_dim must be a whole number from 1 to 65,536, got 1000000"),
    ({**LLAMA, "rope_scaling": {**YARN, "beta_slow": 64}},
     "rope_scaling.beta_slow must be at most beta_fast (32), because the ramp runs backwards otherwise, got 64.0"),
    ({"model_type": "gemma3", "text_config": {"rope_parameters": {"full_attention": 3}}},
     "rope_parameters.full_attention must be an object or null, got 3"),
    ({"model_type": "gemma3", "text_config": {"num_hidden_layers": 0}},
     "text_config.num_hidden_layers must be a whole number from 1 to 10,000, got 0"),
    ({"model_type": "mellum", "rope_parameters": {"rope_theta": 1e4}},
     "rope_parameters must have an object for each kind of layer (full_attention, sliding_attention), "
     'got {"rope_theta": 10000.0}'),
])  # fmt: skip
def test_refusals_name_the_field(config, message):
    with pytest.raises(ConfigError) as error:
        inspected(config)
    assert str(error.value) == message


def test_sections_say_which_pair_counts_which_axis():
    chunked = {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    found = inspected(chunked)
    (group,) = found.groups
    assert in_words(group.rotation.axes) == "time 0 to 15; height 16 to 39; width 40 to 63"
    assert "its pairs 16 : 24 : 24 for time, height and width" in found.summary
    assert not any("sections" in line for line in found.warnings)
    interleaved = inspected({"model_type": "qwen3_vl_text"}).groups[0].rotation.axes
    assert in_words(interleaved) == "time 0, 3 ... 60, 61 to 63; height 1, 4 ... 58; width 2, 5 ... 59"


@each(("kind", "sizes", "more", "warning"), [
    ("qwen2_vl_text", [16, 24, 23], {}, "16 + 24 + 23 = 63 are not the 64 pairs that turn: transformers fails"),
    ("qwen3_vl_text", [24, 20, 19], {}, "24 + 20 + 19 = 63 are not the 64 pairs that turn: time has the others"),
    ("ernie4_5_vl_moe_text", [20, 24, 20], {}, "The sections of height and width, 20 and 24, must be equal"),
    ("qwen2_vl_text", [16, 24, 24], {"mrope_interleaved": True}, "mrope_interleaved is not read"),
    ("llama", [16, 24, 24], {}, "rope_parameters.mrope_section is ignored by this model."),
    ("llama", None, {"llama_4_scaling_beta": 0.1}, "llama_4_scaling_beta is ignored by this model."),
])  # fmt: skip
def test_sections_that_do_not_fit_and_fields_that_are_not_read_are_told(kind, sizes, more, warning):
    rope = {"rope_type": "default", "rope_theta": 1e4, **more} | ({"mrope_section": sizes} if sizes else {})
    assert any(warning in line for line in inspected({"model_type": kind, "rope_parameters": rope}).warnings)


@each("sizes", [None, "16", [16, 24], [16, 24, -24], [16, 24, True], [1] * 17])
def test_sections_that_are_none_are_refused(sizes):
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": sizes}
    rule = "rope_parameters.mrope_section must be a list of whole numbers of pairs, for time, height and width, got"
    with pytest.raises(ConfigError, match=re.escape(rule)):
        inspected({"model_type": "qwen2_vl_text", "rope_parameters": rope})


def test_queries_that_grow_are_told_with_their_factors():
    ministral = inspected({"model_type": "ministral3"})
    assert "with queries that grow with their position" in ministral.summary
    told = grows(ministral.groups[0].query_factor, ministral)
    assert told == (
        "1 + 0.1 ln(1 + floor(m / 16,384)) = 1.0000 at the end of the original 16,384 tokens and 1.2773 at the end of "
        "the claimed 262,144 tokens"
    )  # 1 + 0.1 ln(1 + 15)
    llama = inspected({"model_type": "llama4_text", "max_position_embeddings": 262_144})
    told = grows(llama.groups[1].query_factor, llama)
    assert told.startswith("1 + 0.1 ln(1 + floor((m + 1) / 8,192)) = 1.3497 at")  # 1 + 0.1 ln(1 + 32)
    rope = {"rope_type": "default", "rope_theta": 1e4}
    found = inspected({"model_type": "ministral3", "rope_parameters": rope})
    assert found.groups[0].query_factor is None
    assert (
        "rope_parameters.llama_4_scaling_beta is missing: transformers fails when the model reads a text."
        in found.warnings
    )


@each(
    ("ratio", "text"),
    [(1.099, "1.1"), (24.41, "24.4"), (999.4, "999"), (999.6, "1,000"), (2929.7, "2,930"), (1.234e8, "123,000,000")],
)
def test_ratios_are_never_powers_of_ten(ratio, text):
    assert times(ratio) == text
