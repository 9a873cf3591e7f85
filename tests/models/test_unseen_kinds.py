"""Kinds of files that the reader had wrong or did not know, each as a small configuration with its right reading."""

import copy
import json

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.built import BUILT
from pe_core.models.classes import CLASSES
from pe_core.models.layers import OLDER
from pe_core.models.others import OTHERS
from pe_core.models.reading import parsed
from pe_core.models.unread import distinct
from tests.cases import each
from tests.models.make_parts import WIDTHS, built
from tests.models.modules import made, quietly

HEADS = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1e4}


def turning(config):
    """Return the numbers of the layers that turn."""
    groups = inspected(config).groups
    return sorted(layer for group in groups if group.rotation is not None for layer in group.layers)


@each(("config", "layers"), [
    ({"model_type": "mllama_text_model", "num_hidden_layers": 5, "cross_attention_layers": [1, 3]}, [0, 2, 4]),
    ({"model_type": "recurrent_gemma", "num_hidden_layers": 7, "block_types": ["recurrent", "attention"]}, [1, 3, 5]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 5, "first_k_dense_replace": 1}, [0, 1, 2, 3]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 5, "first_k_dense_replace": 1,
     "prefix_dense_sliding_window_pattern": 2}, [0, 1, 2, 3]),
    ({"model_type": "cohere2_moe", "num_hidden_layers": 2, "layer_types": ["full_attention"] * 2,
     "mlp_layer_types": ["dense", "sparse"]}, [0]),
    ({"model_type": "minimax_m1", "num_hidden_layers": 3, "head_dim": 16, "attn_type_list": [0, 0, 1]}, [2]),
    ({"model_type": "exaone4", "sliding_window": None, "num_hidden_layers": 2, "layer_types": ["full_attention"] * 2},
     [0, 1]),
    ({"model_type": "granite_swa", "num_hidden_layers": 4, "layer_rope_theta": [1e4, 0, 1e4, 0]}, [0, 2]),
])  # fmt: skip
def test_which_layers_turn(config, layers):
    assert turning({**HEADS, **config}) == layers


LONG = {"long_factor": [2.0] * 8, "short_factor": [1.0] * 8}


@each(("config", "expected"), [
    ({"model_type": "minimax_m3", "head_dim": 16, "partial_rotary_factor": 0.5}, ("rope", 8)),
    ({"model_type": "minicpmv", "patch_size": 14, "vision_config": {}}, ("rope", 16)),
    ({"model_type": "glm_moe_dsa", "layer_types": ["deepseek_sparse_attention"] * 2}, ("rope", 64)),
    ({"model_type": "phi3_v", "rope_scaling": {**LONG, "type": "su"}, "original_max_position_embeddings": 100,
     "max_position_embeddings": 800}, ("rope", 16)),
    ({"model_type": "rwkv5"}, ("none", None)),
])  # fmt: skip
def test_what_real_files_showed(config, expected):
    found = inspected({**HEADS, "num_hidden_layers": 2, **config})
    turned = [group.rotation.n_rotated for group in found.groups if group.rotation is not None]
    assert (found.mechanism, *(turned or [None])) == expected


def test_older_names_of_kinds_of_layers_are_those_of_transformers():
    from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP

    assert OLDER.items() <= _LEGACY_LAYER_TYPE_REMAP.items()


@each(("config", "windows"), [
    ({"model_type": "mimo_v2_flash", "sliding_window": 128, "sliding_window_size": 128}, {None, 129}),  # and itself
    ({"model_type": "neomme"}, {None, 513}),  # both sides
    ({"model_type": "dots3_note_text"}, {None, 512}),
    ({"model_type": "minimax", "num_hidden_layers": 2, "sliding_window": 4}, {None, 4}),
])  # fmt: skip
def test_windows_of_classes_whose_layers_differ(config, windows):
    assert {group.window for group in inspected(config).groups} == windows


def test_a_window_on_both_sides_of_embedding_gemma():
    found = inspected({"model_type": "gemma3_text", "use_bidirectional_attention": True, "sliding_window": 512})
    assert {group.window for group in found.groups} == {None, 513}
    assert all(group.both_sides for group in found.groups)


def settings_of(name, settings):
    """The configuration of transformers, loaded here as the model is."""
    from transformers import AutoConfig

    return AutoConfig.for_model(name, **settings)


def of_class(name, settings):
    """The model of transformers, which is loaded here: it takes nearly a second, and most processes need none."""
    from transformers import AutoConfig, AutoModel

    return AutoModel.from_config(AutoConfig.for_model(name, **settings)).eval()


def test_distinct_positions_of_a_format():
    for length in (1, 200, 257, 258, 1000, 5000, 65_519, 2**18, 1_000_003):
        for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
            numbers = torch.arange(length).to(dtype).unique()
            assert distinct(name, length) == len(numbers)


def test_a_long_list_of_quantised_layers_is_read_over():
    layers = {f"model.layers.{i}.experts.{j}.up": {"bits": 4} for i in range(100) for j in range(200)}
    text = json.dumps({"model_type": "llama", **HEADS, "quantization_config": {"layers": layers}})
    assert {group.rotation.n_rotated for group in inspected(text).groups} == {16}
    assert "quantization_config" not in parsed(text)


LENGTHS = {**HEADS, "num_hidden_layers": 2, "max_position_embeddings": 4096}


@each(("config", "trained", "claimed"), [
    ({"model_type": "qwen", "seq_length": 2048}, 2048, 4096),
    ({"model_type": "qwen", "seq_length": 8192}, 4096, 4096),
    ({"model_type": "llama", "max_sequence_length": 16_384, "rope_scaling": {"type": "linear", "factor": 4.0}},
     4096, 16_384),
    ({"model_type": "llama", "max_sequence_length": 16_384, "rope_scaling": {"type": "linear", "factor": 2.0}},
     None, 4096),
])  # fmt: skip
def test_a_length_under_another_name_counts_where_the_rule_is_clear(config, trained, claimed):
    found = inspected({**LENGTHS, **config})
    assert (found.original_length, found.claimed_length) == (trained, claimed)
    assert {group.rotation.original_length for group in found.groups} == {trained}


@each(("config", "expected"), [
    ({"model_type": "phi3", "rope_scaling": {**LONG, "type": "su"}, "original_max_position_embeddings": 100,
     "max_position_embeddings": 800}, ("longrope", 100, False)),
    ({"model_type": "llama4_text", "attn_temperature_tuning": 4}, ("default", 131_072, True)),
    ({"model_type": "llama4_text", "attn_temperature_tuning": 0}, ("default", 131_072, False)),
])  # fmt: skip
def test_what_transformers_refuses_is_read_where_it_is_certain_and_said(config, expected):
    found = inspected({**HEADS, "num_hidden_layers": 4, **config})
    rotation = next(group.rotation for group in found.groups if group.rotation is not None)
    grows = any(group.query_factor is not None for group in found.groups)
    assert (rotation.rule, rotation.original_length, grows) == expected
    assert any("transformers 5.23 refuses this file" in line for line in found.warnings)
    with pytest.raises(Exception, match=r"original_max_position_embeddings|attn_temperature_tuning"):
        of_class(config["model_type"], {name: value for name, value in config.items() if name != "model_type"})


def test_what_is_only_known_by_its_parts_is_said_to_be_a_guess():
    assert all("guess" in " ".join(inspected({"model_type": kind}).warnings) for kind in BUILT)


@each(("kind", "config"), [
    ("bamba", {"attn_layer_indices": [1, 4]}),
    ("bamba", {"attn_layer_indices": None}),
    ("bamba", {}),
    ("lfm2", {"full_attn_idxs": [0, 3]}),
    ("lfm2", {}),
    ("qwen3_next", {"full_attention_interval": 3}),
    ("qwen3_5_text", {"full_attention_interval": 2}),
    ("bailing_hybrid", {"layer_group_size": 4}),
])  # fmt: skip
def test_layers_with_attention_are_those_of_the_class(kind, config):
    given = {"num_hidden_layers": 6, **config}
    own = settings_of(kind, given).layer_types
    turned = {i for group in inspected({"model_type": kind, **given}).groups if group.rotation for i in group.layers}
    assert turned == {i for i, one in enumerate(own) if one == "full_attention"}


@each("kind", [kind for kind, model in CLASSES.items() if not model.bases and model.scaled == [""]])
@each("name", ["rope_scaling", "rope_parameters"])
def test_a_class_with_settings_of_its_own_reads_the_base_of_the_top_level_beside_those_of_the_file(kind, name):
    given = {name: {"rope_type": "linear", "factor": 2.0}, "rope_theta": 777.0}
    found = inspected({"model_type": kind, **given})
    assert settings_of(kind, given).rope_parameters["rope_theta"] == 777
    assert {group.rotation.base for group in found.groups if group.rotation} == {777}
    alone = inspected({"model_type": kind, "rope_theta": 777.0})
    assert 777 not in {group.rotation.base for group in alone.groups if group.rotation}


def test_a_base_that_does_not_reach_a_kind_of_layer_is_said():
    given = {"rope_theta": 777.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}
    found = inspected({"model_type": "olmo3", **given})
    own = settings_of("olmo3", given).rope_parameters
    assert {group.rotation.base for group in found.groups} == {one["rope_theta"] for one in own.values()}
    assert any("does not reach sliding_attention" in line for line in found.warnings)


@each(("ratios", "turned"), [
    ([0, 0, 4, 128, 4, 0], {(0, 1): (10_000, 128), (2, 4): (160_000, None), (3,): (160_000, None)}),
    ([128, 128, 4, 128, 4, 0], {(0, 1, 3): (160_000, None), (2, 4): (160_000, None)}),
])  # fmt: skip
def test_layers_of_deepseek_v4_turn_by_their_ratio(ratios, turned):
    given = {"num_hidden_layers": 5, "compress_ratios": ratios}
    found = inspected({"model_type": "deepseek_v4", **given})
    assert {group.layers: (group.rotation.base, group.window) for group in found.groups} == turned
    kinds = {i: group.kind for group in found.groups for i in group.layers}
    assert [kinds[i] for i in range(5)] == settings_of("deepseek_v4", given).layer_types
    assert "turn nothing" not in found.summary


STEP = {"num_hidden_layers": 3, "layer_types": ["full_attention", "sliding_attention", "full_attention"]}


@each("more", [
    {"rope_theta": 500.0},
    {"rope_theta": [500.0, 20.0, 500.0], "partial_rotary_factors": [0.5, 1.0, 0.5]},
    {"rope_theta": [500.0, 20.0, 500.0, 20.0],
     "layer_types": [*STEP["layer_types"], "sliding_attention"], "num_nextn_predict_layers": 1},
    {"rope_theta": [500.0, 20.0, 500.0], "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
    {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 77.0},
     "sliding_attention": {"rope_type": "default", "rope_theta": 7.0}}},
])  # fmt: skip
def test_layers_of_step_turn_by_lists_of_bases(more):
    given = {**STEP, "sliding_window": 8, **more}
    found, own = inspected({"model_type": "step3p5", **given}), settings_of("step3p5", given)
    assert [group.window for group in found.groups] == [None, 8]
    for group in found.groups:
        rope = own.rope_parameters[group.kind]
        part, factor = rope.get("partial_rotary_factor", 1.0), rope.get("factor")
        expected = (rope["rope_theta"], int(128 * part), rope["rope_type"], factor)
        assert (group.rotation.base, group.rotation.n_rotated, group.rotation.rule, group.rotation.factor) == expected
        assert group.layers == tuple(i for i, kind in enumerate(own.layer_types) if kind == group.kind)


@each("kind", [kind for kind, model in CLASSES.items() if model.fields.get("use_sliding_window") is False])
def test_a_window_that_is_only_switched_on_is_that_of_the_class(kind):
    own = settings_of(kind, {"use_sliding_window": True}).sliding_window
    first = {"max_window_layers": 0} if "max_window_layers" in CLASSES[kind].fields else {}
    found = inspected({"model_type": kind, "use_sliding_window": True, **first})
    assert own in {group.window for group in found.groups}
    assert {group.window for group in inspected({"model_type": kind}).groups} == {None}


@each("kind", ["gpt2", "gpt_bigcode", "openai-gpt", "gptj", "codegen"])
@each("given", [{"max_position_embeddings": 96}, {"n_positions": 32, "max_position_embeddings": 96}])
def test_newer_names_count_in_classes_with_older_ones(kind, given):
    assert settings_of(kind, given).n_positions == 96
    assert inspected({"model_type": kind, **given}).claimed_length == 96


@each(("kind", "name"), [("kimi_linear", "model_max_length"), ("rwkv", "context_length")])
def test_a_length_without_positions_is_read_by_the_name_of_its_class(kind, name):
    for given in ({name: 96}, {"max_position_embeddings": 96}):
        assert settings_of(kind, given).max_position_embeddings == 96
        assert inspected({"model_type": kind, **given}).claimed_length == 96
    assert inspected({"model_type": kind}).claimed_length is None


@each(("config", "absent"), [({"visual_embed": False}, "patches"), ({"has_relative_attention_bias": False}, "biases")])
def test_tables_that_a_page_does_without_are_not_said(config, absent):
    assert absent not in inspected({"model_type": "layoutlmv3", **config}).summary
    assert absent in inspected({"model_type": "layoutlmv3"}).summary


OF_MANY_FILES = ("bert", "deberta-v2", "gemma2", "gpt_neox", "llama", "m2m_100", "qwen2", "roberta", "t5", "whisper")


def test_a_class_of_an_author_is_said_and_none_of_transformers():
    from transformers.models.auto import modeling_auto

    def strange(kind, name):
        told = inspected({"model_type": kind, "architectures": [name]}).warnings
        return any("architectures names" in line for line in told)

    assert strange("bert", "TotalLossModel")
    assert not inspected({"model_type": "bert", "architectures": []}).warnings
    pairs = [
        (kind, name)
        for table in ("MODEL_MAPPING_NAMES", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_MASKED_LM_MAPPING_NAMES")
        for kind, names in getattr(modeling_auto, table).items()
        for name in ([names] if isinstance(names, str) else names)
        if kind in OF_MANY_FILES
    ]
    assert len(pairs) > 15
    assert not [pair for pair in pairs if strange(*pair)]


FORCED = [kind for kind, model in CLASSES.items() if model.last_layer is not None]


@each("kind", FORCED)
@each("given", [{"num_hidden_layers": 8}, {"num_hidden_layers": 2, "layer_types": ["sliding_attention"] * 2}])
def test_the_last_layer_has_the_kind_that_its_class_gives_it(kind, given):
    kinds = settings_of(kind, given).layer_types
    groups = {group.kind: group.layers for group in inspected({"model_type": kind, **given}).groups}
    assert kinds[-1] == "full_attention" or "layer_types" in given
    assert groups == {one: tuple(i for i, own in enumerate(kinds) if own == one) for one in groups}


def test_layers_without_rope_see_a_window_where_smollm3_has_one():
    given = {"num_hidden_layers": 8, "use_sliding_window": True, "sliding_window": 64}
    kinds = settings_of("smollm3", given).layer_types
    found = {group.window: group for group in inspected({"model_type": "smollm3", **given}).groups}
    assert found[64].layers == tuple(i for i, kind in enumerate(kinds) if kind == "sliding_attention")
    assert found[64].rotation is None
    assert found[None].rotation is not None


LONGER = {"original_max_position_embeddings": 64, "llama_4_scaling_beta": 0.1}


@each("given", [{}, {"qk_rope_head_dim": 32}, {"qk_rope_head_dim": 32, "qk_nope_head_dim": 96}])
@each("rule", [{}, {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0} | LONGER}])
def test_heads_of_mistral_4_turn_the_channels_that_are_made_for_it(given, rule):
    own = settings_of("mistral4", copy.deepcopy({**given, **rule}))  # the class writes into its settings
    (group,) = inspected({"model_type": "mistral4", **given, **rule}).groups
    assert (group.rotation.n_rotated, group.rotation.head_dim) == (own.qk_rope_head_dim, own.head_dim)


def test_gpt_neo_has_as_many_layers_as_its_newer_name_says():
    given = {"num_hidden_layers": 2, "attention_types": [[["global", "local"], 1]]}
    kinds = settings_of("gpt_neo", given).attention_layers
    groups = {group.kind: group.layers for group in inspected({"model_type": "gpt_neo", **given}).groups}
    assert (kinds, groups) == (["global", "local"], {"global": (0,), "local": (1,)})


DEPTHS = ("num_hidden_layers", "depth", "num_layers", "encoder_layers", "decoder_layers")  # one layer has it all
AXIAL = [kind for kind in OTHERS if "2-D RoPE" in inspected({"model_type": kind}).summary]


@each("kind", AXIAL)
def test_the_channels_and_the_base_of_two_dimensions_are_those_of_the_module(kind):
    usual = made(quietly()[kind]).to_dict()
    small = {name: 8 for name in ("num_heads", "num_attention_heads") if name in usual}
    one_layer = {name: 1 for name in DEPTHS if isinstance(usual.get(name), int)}
    own = made(quietly()[kind], **small, **one_layer) or made(quietly()[kind], **small)
    said = {name: value for name, value in own.to_dict().items() if name in WIDTHS and value is not None}
    module = built(own)
    rotary = next(one for name, one in module.named_buffers() if name.endswith(("inv_freq", "freqs_ci")))
    width = 4 * len(rotary) if rotary.dim() == 1 and kind != "pixtral" else 2 * rotary.shape[-1]  # pixtral keeps both
    base = (getattr(own, "rope_parameters", None) or own.to_dict())["rope_theta"]
    summary = inspected({"model_type": kind, **said}).summary
    assert f"all {width} channels of a head turn" in summary
    assert f"base {'is' if kind == 'dinov3_vit' else 'of'} {base:,.0f}" in summary


@each("given", [{"rope_theta": 77.0}, {"rope_parameters": {"rope_type": "axial", "rope_theta": 77.0}}])
@each("kind", ["pixtral", "qwen2_5_vl_vision", "gemma4_vision", "mlcd"])
def test_another_base_of_two_dimensions_is_read(kind, given):
    assert "base of 77" in inspected({"model_type": kind, **given}).summary


def rows_of(kind, **fields):
    """Return the sizes of what a class holds, without memory."""
    usual = made(quietly()[kind]).to_dict()
    config = made(quietly()[kind], **{name: 1 for name in DEPTHS if isinstance(usual.get(name), int)} | fields)
    return {size for tensor in built(config).state_dict().values() for size in tensor.shape}


@each(("kind", "fields", "count"), [
    ("opt", {"max_position_embeddings": 95}, 97),
    ("bart", {"max_position_embeddings": 95}, 97),
    ("nystromformer", {"max_position_embeddings": 95}, 97),
    ("deberta", {"relative_attention": True, "max_relative_positions": 95}, 190),
    ("deberta-v2", {"relative_attention": True, "max_position_embeddings": 95}, 190),
    ("deberta-v2", {"relative_attention": True, "position_buckets": 95}, 190),
    ("sew-d", {"position_buckets": 95}, 190),
    ("granite_speech_encoder", {"max_pos_emb": 205}, 411),
    ("seamless_m4t_v2", {"left_max_position_embeddings": 90, "right_max_position_embeddings": 6}, 97),
    ("layoutlm", {"max_2d_position_embeddings": 1001}, 1001),
    ("lilt", {"max_2d_position_embeddings": 1001}, 1001),
    ("xclip_vision_model", {"image_size": 320}, 101),
])  # fmt: skip
def test_tables_have_the_rows_that_are_said(kind, fields, count):
    assert count in rows_of(kind, **fields)
    assert count not in rows_of(kind)
    assert inspected({"model_type": kind, **fields}).summary != inspected({"model_type": kind}).summary


def test_the_trained_length_of_nomic_is_read():
    given = {"n_embd": 64, "n_head": 4, "n_layer": 2, "rotary_emb_base": 1000, "max_trained_positions": 2048}
    found = inspected({"model_type": "nomic_bert", **given, "n_positions": 8192})
    assert (found.original_length, found.claimed_length) == (2048, 8192)
    assert not any("Not read" in line for line in found.warnings)
    same = inspected({"model_type": "nomic_bert", **given, "n_positions": 2048})
    assert (same.original_length, same.claimed_length) == (2048, 2048)


def test_the_rule_ntk_of_gte_stretches_the_frequencies_as_its_code_does():
    given = {"model_type": "new", "architectures": ["NewModel"], **HEADS, "num_hidden_layers": 3}
    scaling = {"type": "ntk", "factor": 8.0}
    found = inspected({**given, "rope_scaling": scaling})
    turned = found.groups[0].rotation
    expected = [(1e4 * 8) ** (-2 * i / 16) / 8 ** (2 / 16) for i in range(8)]
    torch.testing.assert_close(turned.frequencies, torch.tensor(expected, dtype=turned.frequencies.dtype))
    assert (turned.rule, turned.factor, turned.base) == ("ntk", 8, 1e4)
    assert (
        "all 3 layers turn all 16 channels of a head by RoPE of base 10,000 with fixed NTK, factor 8" in found.summary
    )
    assert at_length(found, 5000)
    for other in ({**scaling, "mixed_b": 0.5}, {"type": "ntk"}):
        same = inspected({**given, "rope_scaling": other})
        assert same.groups[0].rotation.rule == "default"
        assert any("the frequencies here are those before it" in line for line in same.warnings)


def test_the_types_of_gguf_are_known():
    from pe_core.models.frameworks import TYPES_OF_GGUF
    from pe_core.models.others import OTHERS

    assert not [kind for kind in TYPES_OF_GGUF.values() if kind not in CLASSES and kind not in OTHERS]


def test_names_that_are_long_and_many_come_to_an_end():  # an expression that goes back and forth would not
    for name in ("model_" * 100_000 + "\n", "pos" * 100_000, "attn_layer" * 50_000):
        with pytest.raises(ConfigError):
            inspected({name: {"hidden_size": 64, "num_attention_heads": 4}, name[1:]: True, "hidden_size": 64})
    with pytest.raises(ConfigError):
        inspected({f"rope{i}": True for i in range(100_000)})


def test_parts_without_a_type_of_their_own_are_read():
    talker = {"text_config": {"num_hidden_layers": 3, **HEADS}, "code_predictor_config": {"num_hidden_layers": 2}}
    whole = {"model_type": "qwen3_omni_moe", "thinker_config": {"text_config": HEADS}}
    found = inspected({**whole, "talker_config": {"model_type": "qwen3_omni_moe_talker", **talker}})
    assert "(talker_config.text_config): all 3 layers turn" in found.summary
    assert "(talker_config.code_predictor_config): all 2 layers turn all 128 channels" in found.summary
    predictor = found.summary.split("(talker_config.code_predictor_config)")[1]
    assert "for time, height and width" not in predictor.split(";")[0]
    assert not any("talker_config" in line for line in found.unknown)


def test_angles_of_a_file_without_a_width_are_said_to_be_unknown():
    found = inspected({"rope_theta": 5e4, "n_layer": 2, "max_seq_len": 64})
    assert (found.mechanism, found.claimed_length, found.original_length) == ("rope", 64, None)
    assert any("The file tells no width of a head" in line for line in found.warnings)
    assert "new angles cannot be counted" in at_length(found, 100)[0]
    two = inspected({"rope_theta_global": 1e6, "rope_theta_local": 1e4, "num_layers": 6, "sliding_window": 8})
    assert "RoPE of base 1,000,000" in two.summary
    wide = inspected({"rope_theta": 5e4, "n_layer": 2, "max_seq_len": 64, "dim_head": 16})
    assert "llama: all 2 layers turn all 16 channels of a head by RoPE of base 50,000; it claims 64" in wide.summary
    assert "Layers with a window of 8 tokens turn by another base, 10,000." in two.warnings


def test_neobert_turns_by_the_base_that_its_code_has():
    found = inspected({"model_type": "neobert", "hidden_size": 64, "num_attention_heads": 4, "max_length": 96})
    assert "turns q and k with RoPE of base 10,000, all 16 channels of a head, and claims 96 tokens" in found.summary
    assert (found.pairs, found.groups[0].rotation.base) == ("neighbours", 1e4)
    with pytest.raises(ConfigError, match="rope must be true"):
        inspected({"model_type": "neobert", "rope": False})


GPT = {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 1024, "vocab_size": 50}
VIEW = {"image_size": 32, "patch_size": 8}
TURNED = {"position_embedding_type": "rope", "rope_base": 1e4}
SIZES = {"vocab_size": 50, "hidden_size": 64, "num_layers": 3, "num_heads": 4, "rope_theta": 1e4}
SEEN = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": 96}
FLAT = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "rope_theta": 500.0}
STUDENT = {"d_model": 64, "n_heads": 4, "n_layers": 3, "vocab_size": 50, "max_seq_len": 96}
RUN = {"optimizer": {"type": "adamw", "lr": 0.1}, "model": STUDENT}
OF_META = {"dim": 64, "n_heads": 4, "n_kv_heads": 2, "n_layers": 3, "vocab_size": 50, "rope_theta": 500}
SERVED = {"context_window_size": 96, "sliding_window_size": -1, "quantization": "q4f16_1"}
OF_MLC = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 3, "context_window_size": 96}
TOWER = {"text_cfg": {"context_length": 77, "width": 64, "heads": 4}, "vision_cfg": {"image_size": 32, "patch_size": 8}}
DUMP = {
    "general.architecture": "llama",
    "llama.embedding_length": 64,
    "llama.block_count": 3,
    "llama.attention.head_count": 4,
    "llama.context_length": 96,
    "llama.rope.freq_base": 500.0,
    "llama.rope.dimension_count": 16,
}
SCALED = {"type": "yarn", "factor": 4.0, "original_context_length": 24}
OWN = {"model_type": "something_new", **HEADS, "num_hidden_layers": 4, "max_position_embeddings": 96}
KINDS = ["sliding_attention", "full_attention"] * 2
TWO_BLOCKS = {"num_hidden_layers": 3, "layer_types": ["mamba", "attention", "mamba"], **HEADS}
FRAMED = {"image_pos_embed": {"max_pos_embeddings": 20}, "visual_temporal_embedding": {"max_temporal_embeddings": 9}}
SECOND = {"model_type": "dab-detr", "temperature_height": 30}
MOON = {"model_type": "moonvit", "init_pos_emb_height": 8, "init_pos_emb_width": 8, "hidden_size": 64}
OF_SIGLIP = {"model_type": "vision", "params": {"image_size": 64, "model_name": "siglip_large_patch16_384"}}
HEARS = {"audio_processor": {"config": {"relative_attention_bias_args": {"t5_bias_max_distance": 8}}}}
SLIDING = {**HEADS, "num_hidden_layers": 1, "layer_types": ["sliding_attention"], "sliding_window": 4}
TALKS = {"talker": {"d_model": 64, "n_heads": 4}, "data": {"path": "x"}}
SECTIONS = {"rope_scaling": {"type": "default", "mrope_section": [2, 3, 3], "interleaved": True}}
XDROPE = {"hidden_size": 64, "num_attention_heads": 4, "head_dim": 16, "rope_theta": 1e4} | {
    "rope_scaling": {"type": "xdrope", "alpha": 1000.0, "factor": 1.0, "xdrope_section": [2, 2, 2, 2]}
}
PARTS = {"model_type": "multi_modality", "language_config": {"model_type": "llama"}, "vision_config": OF_SIGLIP}


@each(("config", "words"), [
    ({"model_type": "big_bird"}, ("block of 64", "3 random")),
    ({"model_type": "longt5"}, ("32 buckets", "127 others on each side")),
    ({"model_type": "layoutlmv3"}, ("510 positions", "1,024 places", "biases of distances")),
    ({"model_type": "led"}, ("16,384", "1,024")),
    ({"model_type": "speech_to_text"}, ("6,000 frames", "1,024 tokens")),
    ({"model_type": "funnel"}, ("sinusoids of distances",)),
    ({"model_type": "transfo-xl"}, ("sinusoids of distances",)),
    ({**HEADS, "model_type": "fuyu", "patch_size": 30}, ("persimmon", "RoPE")),
    ({"model_type": "hf_olmo", "d_model": 64, "n_heads": 4, "n_layers": 2}, ("all 2 layers", "16 channels")),
    ({"model_type": "llava_llama", **HEADS}, ("llama", "16 channels")),
    ({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text"}, "vision_config": {}},
     ("2,304", "2-D RoPE")),
    ({"model_type": "mimi", "sliding_window": 250}, ("seeing at most 250 tokens",)),
    ({"model_type": "glmasr_encoder"}, ("32 of 64 channels",)),
    ({"model_type": "got_ocr2_vision", "image_size": 512}, ("32 x 32 patches",)),
    ({"model_type": "qianfan_ocr_vision"}, ("32 x 32 patches and 1 more",)),
    ({"model_type": "pp_formulanet_text", "max_position_embeddings": 100}, ("table of 102 rows",)),
    ({"model_type": "exaone4_5_vision"}, ("2-D RoPE",)),
    ({"model_type": "videoprism_text_model"}, ("has a fixed table of 64 rows;",)),
    ({"model_type": "bark", "semantic_config": {"block_size": 64}}, ("semantic", "each of 64 positions")),
    ({"model_type": "dia", "encoder_config": {}, "decoder_config": {}}, ("dia_decoder", "dia_encoder", "3,072")),
    ({"model_type": "pegasus_x", "block_size": 64}, ("a block of 64 tokens", "32 global", "shifts its blocks")),
    ({"model_type": "unheard", "first_config": {"model_type": "bert", "vocab_size": 33, "num_attention_heads": 4},
     "second_config": {"model_type": "bert", "max_position_embeddings": 128}}, ("512 positions",
     "second_config (bert)", "128 positions")),
    ({"model_type": "unheard", **HEADS, "encoder_config": {"model_type": "modernbert"}},
     ("llama", "modernbert (encoder_config)")),
    ({"model_type": "qwen2_5_vl", "vision_config": {"model_type": "qwen2_5_vl"}},
     ("vision_config (qwen2_5_vl_vision)", "2-D RoPE")),
    ({"model_type": "glmasr", "lm_config": {"model_type": "llama", "max_position_embeddings": 512}},
     ("llama (lm_config)", "512 tokens")),
    ({"architectures": ["UnheardForCausalLM"], **HEADS, "num_hidden_layers": 2, "sliding_window": 8,
     "layer_types": ["sliding_attention", "full_attention"],
     "rope_parameters": {"full_attention": {"rope_theta": 500.0, "partial_rotary_factor": 0.5},
     "sliding_attention": {"rope_theta": 20.0, "partial_rotary_factor": 1.0}}, "head_dim": 16},
     ("base 20, seeing at most 8 tokens", "8 of 16 channels of a head by RoPE of base 500")),
    ({"model_type": "unheard", **HEADS, "partial_rotary_factor": 0.5}, ("8 of 16 channels",)),
    ({"model_type": "unheard", **HEADS, "rotary_dim": 4, "head_dim": 16}, ("4 of 16 channels",)),
    ({"model_type": "mixformer-sequential", **GPT, "rotary_dim": 8}, ("8 of 16 channels", "1,024 tokens")),
    ({"model_type": "unheard", "model_config": {"vocab_size": 50, "context_length": 96, "embedding_dim": 64,
     "num_heads": 4, "rope_base": 1e4}}, ("llama (model_config)", "96 tokens")),
    ({"model_type": "canine", "local_transformer_stride": 16, "downsampling_rate": 2},
     ("16,384 positions", "blocks of 16 characters", "group of 2 characters")),
    ({"model_type": "layoutlmv3", "input_size": 64, "patch_size": 16},
     ("510 positions", "4 x 4 patches and 1 more, 17 rows")),
    ({"model_type": "reformer", "local_attn_chunk_length": 32}, ("64 + 64 rows", "blocks of 32 tokens, with 1 before")),
    ({"model_type": "deberta-v2", "relative_attention": True, "position_buckets": 64}, ("64 buckets", "below 32")),
    ({"model_type": "wav2vec2-bert", "left_max_position_embeddings": 12}, ("from 12 frames before", "from 8 after")),
    ({"model_type": "vjepa2", "hidden_size": 80, "num_attention_heads": 1}, ("26 channels each of 80",)),
    ({"model_type": "dinov3_vit", "rope_theta": 50.0}, ("2-D RoPE", "its base is 50")),
    ({"model_type": "qwen2_5_vl_vision", "window_size": 56, "fullatt_block_indexes": [3]},
     ("layers 3 see the whole image, the others windows of 56 x 56 pixels",)),
    ({"model_type": "qwen2_5_vl_vision", "fullatt_block_indexes": []}, ("its layers see windows of 112",)),
    ({"model_type": "pixtral", "image_size": 64, "patch_size": 16}, ("images up to 4 x 4 patches",)),
    ({"model_type": "sam_vision_model", "window_size": 7, "global_attn_indexes": [1]},
     ("layers 1 see all patches, the others windows of 7 x 7",)),
    ({"model_type": "sam_vision_model", "global_attn_indexes": []}, ("all layers see windows of 14 x 14",)),
    ({"model_type": "sam2_vision_model", "backbone_config": {"window_size_per_stage": [4, 2]}},
     ("7 x 7 rows, the second 4 x 4", "windows are 4, 2 patches wide", "layers 5, 7, 9 see all")),
    ({"model_type": "vitdet", "window_block_indices": [0], "window_size": 14}, ("layers 0 see windows of 14 x 14",)),
    ({"model_type": "aimv2_vision_model", "is_native": True}, ("sinusoids of the row",)),
    ({"model_type": "internvl_vision", "use_absolute_position_embeddings": False}, ("no positional encoding",)),
    ({"model_type": "xlm", "sinusoidal_embeddings": True}, ("begin as sinusoids",)),
    ({"model_type": "distilbert", "sinusoidal_pos_embds": True}, ("begin as sinusoids",)),
    ({"model_type": "led", "attention_window": 64}, ("sees at most 32 others on each side",)),
    ({"model_type": "longt5", "encoder_attention_type": "transient-global"}, ("blocks of 16",)),
    ({"model_type": "xlnet", "clamp_len": 9}, ("distances beyond 9",)),
    ({"model_type": "roformer", "rotary_value": True}, ("q, k and v",)),
    ({"model_type": "wavlm", "max_bucket_distance": 99}, ("distances from 99 on",)),
    ({"model_type": "layoutlmv2", "rel_pos_bins": 8}, ("fall into 8 buckets up to 128",)),
    ({"model_type": "gemma3n_audio", "conf_attention_context_left": 5}, ("sees at most 4 frames before it and 0",)),
    ({"model_type": "qwen3_omni_moe_audio_encoder", "n_window": 10}, ("a chunk has 20 frames", "within 800")),
    ({"model_type": "seamless_m4t_v2", "left_max_position_embeddings": 3}, ("from 3 frames before",)),
    ({"model_type": "wav2vec2-conformer", "position_embeddings_type": "rotary"}, ("all 64 channels", "10,000")),
    ({"model_type": "zamba2", "use_mem_rope": True, "use_long_context": True}, ("all 160 channels", "16,384")),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "M*-M"}, ("1 of 4 layers have attention",)),
    ({"model_type": "jamba", "num_hidden_layers": 16}, ("2 of 16 layers have attention",)),
    ({"model_type": "sam2_video", "vision_config": {}}, ("sam2_vision_model",)),
    ({"model_type": "eomt_dinov3", "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}}, ("is 50",)),
    ({"model_type": "informer", "prediction_length": 24, "context_length": 48}, ("each of 72 points",)),
    ({"model_type": "autoformer", "prediction_length": 24}, ("each of 48 points",)),
    ({"model_type": "patchtst", "context_length": 512, "patch_length": 12, "patch_stride": 12}, ("of 42 patches",)),
    ({"model_type": "patchtst", "positional_encoding_type": "random", "use_cls_token": True},
     ("learned vector for each of 33 patches",)),
    ({"model_type": "timesfm", "use_positional_embedding": True}, ("each patch of 32 points",)),
    ({"model_type": "decision_transformer", "max_ep_len": 9}, ("each of 9 steps",)),
    ({"model_type": "perceiver", "max_position_embeddings": 9}, ("each of 9 positions",)),
    ({"model_type": "dinat", "kernel_size": 3}, ("25 offsets", "3 x 3 patches")),
    ({"model_type": "florence2", "text_config": {}, "vision_config": {"model_type": "florence_vision"}},
     ("florence_vision", "50 of each", "100 frames", "12 x 12")),
    ({"model_type": "dpt", "backbone_config": {"model_type": "dinov2", "image_size": 28}},
     ("dinov2 adds", "2 x 2 patches")),
    ({"model_type": "dpt", "is_hybrid": True, "backbone_config": {"model_type": "bit"}}, ("dpt adds", "24 x 24")),
    ({**SEEN, "model_type": "parler_tts_decoder", "rope_embeddings": False, "rope_theta": 1e4},
     ("fixed sinusoid for each of 96",)),
    ({**SEEN, "model_type": "parler_tts_decoder", "rope_embeddings": True, "rope_theta": 500.0},
     ("all 2 layers turn all 16 channels", "base 500")),
    ({**FLAT, "model_type": "deepseek_v2", "use_mla": False, "qk_rope_head_dim": 0, "qk_nope_head_dim": 0},
     ("all 2 layers turn all 16 channels", "base 500")),
    ({**FLAT, "model_type": "GOT", "sliding_window": 8, "use_sliding_window": True, "max_window_layers": 1}, ("8",)),
    ({**FLAT, "model_type": "ernie4_5_moe_vl", "hidden_size": 512, "vision_config": {"model_type": "own",
     "hidden_size": 320}}, ("for time, height and width", "ernie4_5_vl_moe_vision", "all 20 channels")),
    ({"model_type": "sam3", "vision_config": {"model_type": "sam3_vision_model"}},
     ("vision_config.backbone_config (sam3_vit_model)", "windows of 24 x 24")),
    ({"model_type": "kosmos_2_5_vision_model", "max_num_patches": 9}, ("9 of each",)),
    ({**FLAT, "model_type": "phi4mm", "sliding_window": 8, "partial_rotary_factor": 0.5},
     ("8 of 16 channels", "seeing at most 8 tokens")),
    ({"model_type": "trocr", "max_position_embeddings": 96}, ("96 positions, a hard limit; 2 rows of its table are",)),
    ({"model_type": "vjepa2", "crop_size": 64, "frames_per_clip": 6}, ("its clips have 3 x 4 x 4 patches",)),
    ({"model_type": "rt_detr", "positional_encoding_temperature": 20}, ("the base of its sinusoids is 20",)),
    ({"model_type": "timesfm", "context_length": 96}, ("it reads 96 points in patches of 32",)),
    ({"model_type": "phi4flash", **HEADS}, ("phi4flash has no positional encoding",)),
    ({"model_type": "zamba2", "use_mem_rope": True, "layers_block_type": ["mamba", "hybrid", "mamba"]},
     ("turns q and k of 1 of its 3 layers with RoPE",)),
    ({"model_type": "granitemoehybrid", "position_embedding_type": "nope", **TWO_BLOCKS},
     ("turns nothing; 1 of 3 layers have attention",)),
    ({"model_type": "glm5_next_text", "layer_types": ["linear_attention", "deepseek_sparse_attention"]},
     ("1 of 2 layers have attention",)),
    ({"model_type": "florence2", "text_config": {"model_type": "bart"}, "vision_config": {"model_type": "davit",
     **FRAMED}}, ("of the row and of the column of a patch, 20 of each, a hard limit; sinusoids of up to 9 frames",)),
    ({"model_type": "x", "encoder": {"d_model": 64, "n_heads": 4, "n_layers": 2, "rope_base": 5e3}},
     ("all 2 layers turn all 16 channels of a head by RoPE of base 5,000",)),
    ({"model_type": "dab-detr"}, ("the base of its sinusoids is 20",)),
    (SECOND, ("the bases of its sinusoids are 30 for rows and 20 for columns",)),
    ({"model_type": "phi4_multimodal", "audio_config": {"bias_max_distance": 8}},
     ("a learned bias for each of 16 distances between frames; frames more than 8 before, or more than 7 after",)),
    ({"model_type": "phi4_multimodal", "audio_config": {"bias_max_distance": 8, "bias_symmetric": True}},
     ("a learned bias for each of 8 distances between frames, alike in both directions",)),
    ({"model_type": "phi4mm", **HEADS, **HEARS},
     ("(phi4_multimodal_audio) adds a learned bias for each of 16 distances between frames",)),
    ({"model_type": "phi4flash", "num_hidden_layers": 12, "sliding_window": 8},
     ("6 of 12 layers have attention; layers 1, 3, 5 see at most 8 tokens; the last 2 layers with attention read "
     "the keys and values of layer 7",)),
    ({"model_type": "kimi_vl", "text_config": {"model_type": "llama"}, "vision_config": MOON},
     ("adds a learned vector of 8 x 8, interpolated for other sizes; it turns some pairs with the row and others "
     "with the column of a patch (2-D RoPE); all 4 channels of a head turn, with a base of 10,000; images of "
     "more than 512 x 512 patches are refused",)),
    ({"model_type": "multi_modality", "language_config": {"model_type": "llama"}, "vision_config": OF_SIGLIP},
     ("vision_config (siglip_vit) adds a learned vector for each of 4 x 4 patches, 16 rows; another size is",)),
    ({"model_type": "deepseek_vl_v2", "language_config": {"model_type": "llama"},
     "vision_config": {"model_type": "vision", "model_name": "siglip_so400m_patch14_384", "width": 1152}},
     ("27 x 27 patches, 729 rows",)),
    ({"model_type": "dots_ocr", **HEADS, "vision_config": {"embed_dim": 64, "num_attention_heads": 4}},
     ("vision_config (dots_vit) turns some pairs with the row and others with the column of a patch (2-D RoPE); "
     "all 16 channels of a head turn, with a base of 10,000",)),
    ({"model_type": "x", "rope_base": 5e4, "block_size": 64, "depth": 2},
     ("rope turns q and k with RoPE of base 50,000, and claims 64 tokens",)),
    ({"architecture": {"d_model": 64, "n_heads": 4,
     "positional_embedding": "Learned positional embeddings"}} | {"context_length": 96},
     ("gpt2 adds a learned vector for each of 96 positions",)),
    ({"model_type": "beit", "use_relative_position_bias": True}, ("732 offsets",)),
    ({"model_type": "beit", "use_absolute_position_embeddings": True}, ("14 x 14 patches and 1 more",)),
    ({"model_type": "detr", "position_embedding_type": "learned"}, ("50 rows and 50 columns",)),
    ({"model_type": "detr"}, ("sinusoids of row and column", "100 object queries")),
    ({"model_type": "sam", "vision_config": {}}, ("64 x 64 patches", "windows of 14")),
    ({"model_type": "sam_vision_model", "use_rel_pos": False, "window_size": 0}, ("64 x 64 patches; another",)),
    ({"model_type": "speecht5"}, ("450 tokens", "4,000 frames", "up to 160", "a convolution 128 wide")),
    ({"model_type": "videomae"}, ("8 x 14 x 14 patches of a film, 1,568 rows",)),
    ({"model_type": "vits"}, ("up to 4 on each side",)),
    ({"model_type": "depth_anything", "backbone_config": {"model_type": "dinov2"}}, ("16 x 16 patches",)),
    ({"model_type": "owlvit", "text_config": {}, "vision_config": {}}, ("16 positions", "24 x 24 patches")),
    ({"model_type": "vision-encoder-decoder", "decoder": {"model_type": "trocr"}, "encoder": {"model_type": "vit"}},
     ("trocr adds a learned vector for each of 512", "encoder (vit)", "14 x 14")),
    ({"model_type": "trocr", "use_learned_position_embeddings": False}, ("fixed sinusoid", "longer text")),
    ({"model_type": "vit", "image_size": 384}, ("24 x 24 patches and 1 more, 577 rows", "interpolate_pos_encoding")),
    ({"model_type": "dinov2", "image_size": [518, 518]}, ("37 x 37", "1,370 rows", "interpolated")),
    ({"model_type": "swin"}, ("169 offsets in windows of 7 x 7",)),
    ({"model_type": "dinov3_vit"}, ("2-D RoPE",)),
    ({"model_type": "whisper"}, ("1,500 frames", "448 tokens")),
    ({"model_type": "wav2vec2"}, ("convolution over its frames", "128 frames wide")),
    ({"model_type": "longformer", "max_position_embeddings": 4098}, ("4,096 positions", "256 others on each side")),
    ({"model_type": "marian"}, ("sinusoid for each of 1,024 positions, a hard limit",)),
    ({"model_type": "m2m_100"}, ("more are computed for a longer text",)),
    ({"model_type": "xlnet"}, ("as Transformer-XL does",)),
    ({"model_type": "mamba"}, ("no positional encoding",)),
    ({"model_type": "zamba2", "use_mem_rope": True}, ("RoPE of base 10,000",)),
    ({"model_type": "roformer"}, ("neighbours in pairs", "1,536 tokens")),
    ({"model_type": "clip", "text_config": {}, "vision_config": {"image_size": 336, "patch_size": 14}},
     ("77 positions", "vision_config (clip_vision_model)", "24 x 24 patches and 1 more, 577 rows")),
    ({"model_type": "llava", "text_config": {"model_type": "llama", "rope_theta": 1e4},
     "vision_config": {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}}, ("all 128 channels",
     "577 rows")),
    ({"model_type": "qwen2_audio", "text_config": {"model_type": "qwen2"}, "audio_config": {"d_model": 1280}},
     ("audio_config (qwen2_audio_encoder)", "1,500 frames")),
    ({"model_type": "timesformer"},
     ("unless the number of patches is a multiple of 14; learned vectors of 8 frames are added",)),
    ({"model_type": "vivit"}, ("another size is refused;",)),
    ({"model_type": "vitdet", "image_size": 1024}, ("14 x 14 patches",)),  # of the images of pretraining
    ({"model_type": "glm5_next", "text_config": {"model_type": "glm5_next_text", "hidden_size": 64,
     "num_attention_heads": 4, "qk_rope_head_dim": 0}}, ("has no positional encoding",)),
    ({"model_type": "gemma4_text"}, ("turn 128 of 512 channels",)),  # p-RoPE: the others have no frequency
    ({"model_type": "vision-encoder-decoder", "decoder": None, "encoder": {"model_type": "vit", **VIEW}},
     ("encoder (vit) adds a learned vector for each of 4 x 4 patches",)),
    ({"model_type": "minicpmv", **HEADS, "vision_config": {"model_type": "siglip_vision_model", **VIEW}},
     ("4 x 4 patches, 16 rows; for another shape each patch takes the row at its",)),
    ({**SEEN, "model_type": "git", "architectures": ["GitForCausalLM"], "rope_theta": 500.0}, ("learned",)),
    ({"model_type": "phi4flash", "num_hidden_layers": 4, "sliding_window": [None, 8, None, None]},
     ("layers 1 see at most 8 tokens",)),
    ({"model_type": "hunyuan_vl", **XDROPE}, ("with static NTK of alpha 1000",)),
    ({"model_type": "vibevoice", "decoder_config": {"model_type": "qwen2", **HEADS}},
     ("(decoder_config): all layers turn all 16 channels",)),
])  # fmt: skip
def test_what_the_sentence_says(config, words):
    summary = inspected(config).summary
    assert all(word in summary for word in words), summary


@each(("config", "words"), [
    ({"dim": 64, "n_layers": 3, "n_heads": 4, "multiple_of": 32, "norm_eps": 1e-5},
     ("llama: all 3 layers turn all 16 channels of a head by RoPE of base 10,000",)),
    ({"emb_dim": 64, "n_heads": 4, "n_layers": 3, "context_length": 96, "rope_base": 500.0},
     ("all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96 tokens",)),
    ({"nEmbd": 64, "nHead": 4, "nLayer": 3, "blockSize": 96}, ("gpt2 adds a learned vector for each of 96",)),
    ({"hiddenSize": 64, "numHeads": 4, "numLayers": 3, "ropeTheta": 500.0}, ("all 3 layers", "base 500")),
    ({**SIZES, "head_dim": 16, "max_position": 96}, ("all 3 layers turn all 16 channels", "claims 96 tokens")),
    ({**RUN, "architecture": {"positional": "learned", "bias": True}}, ("gpt2 adds a learned vector for each of 96",)),
    ({**STUDENT, "positional_encoding": "rope"}, ("llama: all 3 layers turn all 16", "claims 96 tokens")),
    ({**STUDENT, "pos_encoding_type": "sinusoidal"}, ("a fixed sinusoid for each of 96 positions",)),
    ({**STUDENT, "use_rotary_embeddings": True}, ("llama: all 3 layers turn all 16",)),
    ({**STUDENT, "use_alibi": True}, ("ALiBi", "claims 96 tokens")),
    ({**STUDENT, "learned_pos_emb": True}, ("gpt2 adds a learned vector for each of 96",)),
    ({**STUDENT, "use_sinusoidal_positions": True}, ("a fixed sinusoid for each of 96 positions",)),
    ({**STUDENT, "pos_emb": "alibi"}, ("ALiBi", "claims 96 tokens")),
    ({"hidden-size": 64, "num-attention-heads": 4, "num-layers": 3, "pos-emb": "rotary"}, ("llama: all 3 layers",)),
    ({**STUDENT, "pos_emb": "rotary", "rotary_pct": 0.25}, ("stablelm: all 3 layers turn 4 of 16",)),
    ({**STUDENT, "position_embedding_type": "rope", "rotary_percent": 0.5, "rotary_base": 500},
     ("turn 8 of 16 channels of a head by RoPE of base 500",)),
    ({**STUDENT, "rope_base": 500, "rope_condense_ratio": 4}, ("base 500 with position interpolation, factor 4",)),
    ({**STUDENT, "n_kv_head": 2}, ("llama: all 3 layers turn all 16 channels of a head by RoPE of base 10,000",)),
    ({"emb_dim": 64, "n_heads": 4, "n_layers": 3, "context_length": 96, "drop_rate": 0.1, "qkv_bias": False},
     ("gpt2 adds a learned vector for each of 96 positions",)),
    ({**STUDENT, "rope_theta_global": 7e5, "rope_theta_local": 7e3, "sliding_window": 8, "global_attn_every_n": 3},
     ("2 sliding attention layers turn all 16", "base 7,000, seeing at most 8 tokens", "1 full attention layers",
     "700,000")),
    ({"n_layer": 3, "n_head": 4, "n_embd": 64, "ctx_size": 96}, ("gpt2 adds a learned vector for each of 96",)),
    ({"n_layers": 3, "num_heads": 4, "n_embd": 64, "block_size": 96}, ("gpt2 adds a learned vector for each of 96",)),
    ({"model": {"n_layer": 3, "n_head": 4, "n_embd": 64, "block_size": 96}, "train": {"lr": 0.1}},
     ("gpt2 adds a learned vector for each of 96",)),
    ({"width": 64, "layers": 3, "heads": 4, "kv_heads": 2, "context": 96, "rope_base": 500},
     ("llama: all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96",)),
    ({**STUDENT, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16}, ("all 3 layers turn all 8 channels",)),
    ({**STUDENT, "rope_theta": 500, "rope_factor": 4, "original_seq_len": 24, "beta_fast": 32, "beta_slow": 1},
     ("base 500 with YaRN, factor 4 from 24 tokens; it claims 96",)),
    ({**OF_META, "sliding_window": 8, "hidden_dim": 128},
     ("mistral: all 3 layers turn all 16 channels of a head by RoPE of base 500, seeing at most 8 tokens",)),
    ({**OF_META, "max_seq_len": 96, "yarn": {"factor": 4, "original_max_position_embeddings": 24, "beta": 32}},
     ("base 500 with YaRN, factor 4 from 24 tokens; it claims 96",)),
    ({**OF_META, "multiple_of": 32, "use_scaled_rope": True},
     ("base 500 with the rule of Llama 3, factor 8 from 8,192 tokens; it claims 131,072",)),
    ({"hidden_dim": 64, "n_heads": 4, "n_layers": 3, "positional_embedding_type": "rotary"}, ("all 3 layers",)),
    ({"d_model": 64, "n_layer": 3, "vocab_size": 50, "ssm_cfg": {}}, ("mamba has no positional encoding",)),
    ({"model_hyperparams": {"n_layer": 3, "n_head": 4, "n_embd": 64, "block_size": 96}, "train_params": STUDENT},
     ("gpt2 adds a learned vector for each of 96",)),
    ({"context_length": 96, "model": {"d_model": 64, "n_heads": 4, "n_layers": 3, "rope_theta": 500}},
     ("llama (model): all 3 layers turn all 16", "base 500; it claims 96")),
    ({**STUDENT, "theta": 500}, ("llama: all 3 layers turn all 16 channels of a head by RoPE of base 500",)),
    ({"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 96, "position_bucket_size": 8},
     ("deberta-v2 has learned vectors of distances", "8 buckets on each side", "below 4")),
    ({"d_model": 64, "num_heads": 4, "image_size": 32, "patch_size": 8, "use_sine": True},
     ("a fixed sinusoid for each of 4 x 4 patches",)),
    ({"decoder_learned_pos": True, "tokens_per_sample": 96}, ("adds a learned vector for each of 96 positions",)),
    ({"decoder_learned_pos": False, "max_target_positions": 96}, ("a fixed sinusoid for each of 96 positions, more",)),
    *(
        ({"optimizer": {"lr": 0.1}, name: {**SIZES, "max_seq_len": 96}}, (f"llama ({name}): all 3", "96 tokens"))
        for name in ("model", "cfg", "config", "model_args")
    ),
    ({**SEEN, "model_type": "git", "architectures": ["OwnForCausalLM"], "rope_theta": 500.0},
     ("all 2 layers turn all 16 channels of a head by RoPE of base 500",)),
])  # fmt: skip
def test_fields_of_authors_that_name_their_positions_are_read_as_a_guess(config, words):
    found = inspected(config)
    assert all(word in found.summary for word in words), found.summary
    assert any("This is a guess." in line for line in found.warnings), found.warnings


@each(("config", "mechanism", "length", "channels"), [
    ({"model_type": "transformer", "hidden_size": 64, "num_heads": 4, "window_size": None}, "rope", 2048, 16),
    ({"model_type": "unheard", "gpt2_config": {"model_type": "gpt2", **GPT, **TURNED}}, "rope", 1024, 16),
    ({"model_type": "unheard", "gpt2_config": {**GPT, **TURNED}}, "rope", 1024, 16),
    ({**GPT, "block_size": 512, "n_positions": None}, "learned", 512, None),
    ({"model_type": "xlm-roberta", **HEADS, **TURNED, "max_position_embeddings": 514}, "rope", 514, 16),
    ({"model_dim": 64, "head_dim": 8, "max_context_length": 100, "rope_freq_constant": 10}, "rope", 100, 8),
    ({"dim": 64, "n_heads": 4, "n_layers": 2, "rope_theta": 5e5, "max_seq_len": 64}, "rope", 64, 16),
    ({"decoder_layers": 2, "decoder_attention_heads": 4, "max_position_embeddings": 4096}, "learned", 4096, None),
    ({"model_type": "rwkv7"}, "none", None, None),
    ({"model_type": "unheard", **GPT, "position_embedding_type": "alibi"}, "alibi", 1024, None),
    ({"model_type": "bert", "auto_map": {}, "alibi_starting_size": 512}, "alibi", None, None),
    ({"model_type": "unheard", "hidden_size": 64, "n_head": 4, "rotary": True, "seq_length": 96}, "rope", 96, 16),
    ({"model_type": "unheard", **HEADS, "rope_scaling": {"type": "mrope", "mrope_section": [8]}}, "rope", 2048, 16),
    ({**GPT, "rope_theta": 1e4, "alibi": False, "alibi_bias_max": 8.0}, "rope", 1024, 16),
    ({**VIEW, "hidden_size": 64, "num_attention_heads": 4, "model_type": "unheard"}, "learned", None, None),
    ({"model_type": "yuan", **HEADS, "max_position_embeddings": 8192}, "rope", 8192, 16),
    ({"model_type": "llava", **HEADS, "max_position_embeddings": 4096}, "rope", 4096, 16),
    ({"model_type": "delta_net", "hidden_size": 64, "num_heads": 4}, "none", None, None),
    ({"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 1024}, "learned", 1024, None),
    ({"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 8192,
     "rotary_emb_base": 500.0}, "rope", 8192, 16),
])  # fmt: skip
def test_names_of_other_code_are_read_as_a_guess(config, mechanism, length, channels):
    found = inspected({name: value for name, value in config.items() if value is not None})
    turned = {group.rotation.n_rotated for group in found.groups if group.rotation is not None}
    assert (found.mechanism, found.claimed_length, turned) == (mechanism, length, {channels} - {None})
    bases = {group.rotation.base for group in found.groups if group.rotation is not None}
    assert bases == {config.get("rotary_emb_base", base) for base in bases}
    assert "guess" in " ".join(found.warnings)


@each(("config", "words"), [
    ({"model_type": "qwen2", "model_config": {**OF_MLC, "rope_theta": 500}, **SERVED},
     ("qwen2: all 3 layers turn all 16 channels", "base 500; it claims 96")),
    ({"model_type": "gpt_neox", "model_config": {**OF_MLC, "position_embedding_base": 500}, **SERVED},
     ("gpt_neox: all 3 layers turn", "base 500")),
    ({"model_type": "mistral", "model_config": {**OF_MLC, "context_window_size": -1}, "sliding_window_size": 8,
     "context_window_size": -1}, ("seeing at most 8 tokens", "claims 131,072")),
    ({"model_type": "gemma3_text", "model_config": {"text_config": {**OF_MLC, "sliding_window_size": 8}}, **SERVED},
     ("sliding attention layers turn", "seeing at most 8 tokens", "claims 96")),
    ({"model_cfg": {"embed_dim": 64, **TOWER}}, ("each of 77 positions", "4 x 4 patches and 1 more, 17 rows")),
    ({"embed_dim": 64, **TOWER}, ("each of 77 positions", "4 x 4 patches and 1 more, 17 rows")),
    ({**TOWER, "text_cfg": {"hf_model_name": "some/model"}},
     ("clip_vision_model adds a learned vector for each of 4 x 4",)),
    ({"architecture": "vit_base_patch16_224", "pretrained_cfg": {"input_size": [3, 224, 224]}},
     ("14 x 14 patches and 1 more, 197 rows",)),
    ({"architecture": "vit_base_patch16_siglip_224", "input_size": [3, 224, 224]}, ("14 x 14 patches, 196 rows",)),
    ({"architecture": "efficientnet_b0", "input_size": [3, 224, 224]}, ("no positional encoding",)),
    ({"architecture": "swin_tiny_patch4_window7_224", "input_size": [3, 224, 224]}, ("windows of 7 x 7",)),
    (DUMP, ("llama: all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96 tokens",)),
    ({"model_info": {**DUMP, "llama.rope.dimension_count": 8, "general.architecture": "llama"}}, ("base 500",)),
    ({"metadata": {name: {"value": value} for name, value in DUMP.items()}},
     ("all 3 layers turn all 16 channels of a head by RoPE of base 500",)),
    ({**{name.replace("llama.", "gptneox."): value for name, value in DUMP.items()}, "general.architecture": "gptneox",
     "gptneox.rope.dimension_count": 8}, ("gpt_neox: all 3 layers turn 8 of 16 channels of a head by RoPE of base 500",
     )),
    ({**{name.replace("llama.", "deepseek2."): value for name, value in DUMP.items()},
     "general.architecture": "deepseek2", "deepseek2.attention.key_length": 24, "deepseek2.rope.dimension_count": 8},
     ("deepseek_v3: all 3 layers turn all 8 channels of a head by RoPE of base 500",)),
    (DUMP | {f"llama.rope.scaling.{name}": value for name, value in SCALED.items()},
     ("base 500 with YaRN, factor 4 from 24 tokens; it claims 96",)),
])  # fmt: skip
def test_files_of_other_programs_are_read_by_the_names_of_transformers(config, words):
    found = inspected(config)
    assert all(word in found.summary for word in words), found.summary
    assert any("MLC LLM" in line or "The names are" in line or "GGUF" in line for line in found.warnings)


@each(("config", "words", "told"), [
    ({"layer_types": KINDS, "sliding_window": 8},
     ("2 sliding attention layers", "seeing at most 8 tokens"), "read as qwen2"),
    ({"sliding_window_pattern": 4, "sliding_window": 8},
     ("3 sliding attention layers", "seeing at most 8 tokens", "1 full attention layers"), "read as qwen2"),
    ({"global_attn_idx": [0, 3], "sliding_window": 8},
     ("2 sliding attention layers", "seeing at most 8 tokens", "2 full attention layers"), "read as qwen2"),
    ({"sliding_window": 8}, ("all 4 layers",), "a window of 8 tokens, as sliding_window says, is not known"),
    ({"no_rope_layer_interval": 2}, ("2 full attention layers without RoPE turn nothing",), "read as smollm3"),
    ({"no_rope_layers": [1, 1, 1, 0]}, ("1 full attention layers without RoPE",), "read as smollm3"),
    ({"attn_layer_indices": [3]}, ("all 4 layers",), "What attn_layer_indices says of its layers is not known"),
    ({"ssm_every_n": 4}, ("all 4 layers",), "What ssm_every_n says of its layers is not known"),
    ({"rotary_dim": 4}, ("all 4 layers turn 4 of 16 channels",), "it has rotary_dim"),
    ({"qk_rope_head_dim": 8, "qk_nope_head_dim": 16},
     ("all 8 channels",), "channels counted here are qk_rope_head_dim"),
    ({"rope_scaling": {"rope_type": "of_its_own", "factor": 4.0}},
     ("all 4 layers turn all 16 channels of a head by RoPE of base 10,000;",),
     "type of_its_own is a rule of that model's own code"),
    ({"rope_theta": None, "position_embedding_type": "NoPE"}, ("has no positional encoding",), "read as esm"),
    ({"global_rope_theta": 7e5, "local_rope_theta": 7e3, "local_attention": 8, "global_attn_every_n_layers": 2},
     ("base 700,000", "base 7,000, seeing at most 9 tokens"), "read as modernbert"),
    ({"rope_theta": 500.0, "rope_adjustments": {"factor": 8.0, "low_freq_factor": 1, "high_freq_factor": 4,
     "original_max_seq_len": 24}}, ("base 500 with the rule of Llama 3, factor 8 from 24 tokens",), "read as llama"),
])  # fmt: skip
def test_what_a_type_that_is_not_known_says_of_its_layers_is_read_or_said_to_be_unknown(config, words, told):
    found = inspected({**OWN, **config})
    assert all(word in found.summary for word in words), found.summary
    assert any(told in line for line in found.warnings), found.warnings


def lines_of(config):
    """Return what is told beside the summary: warnings, and what is not known."""
    found = inspected(config)
    return [*found.warnings, *found.unknown]


@each(("config", "words"), [
    ({"model_type": "dbrx", "attn_config": {"rope_theta": 5e5}}, ("attn_config.rope_theta", "500000")),
    ({**HEADS, "model_type": "llama", "compress_pos_emb": 4}, ("Not read", "compress_pos_emb")),
    ({**HEADS, "model_type": "skywork", "rope_scaling": {"type": "ntk", "factor": 2.0}}, ("ntk", "own code")),
    ({**HEADS, "model_type": "phi3small", "blocksparse_block_size": 64}, ("blocksparse", "that model alone")),
    ({**HEADS, "model_type": "chatglm", "position_encoding_2d": True}, ("position_encoding_2d", "alone")),
    ({"model_type": "bert", "auto_map": {}, "position_embedding_type": "alibi"}, ("bloom", "guess")),
    ({**HEADS, "model_type": "nemotron-nas", "block_configs": [{}]}, ("block_configs", "no attention")),
    ({**HEADS, "model_type": "qwen", "use_dynamic_ntk": True}, ("seq_length", "the trained length")),
    ({"architectures": ["BertForMaskedLM"]}, ("bert", "architectures", "guess")),
    ({**HEADS, "mla_use_nope": True}, ("mla_use_nope says that no layer turns",)),
    ({"dim": 64, "n_heads": 4, "rope_theta": 1e4}, ("dim and n_heads are Meta's names",)),
    ({**OWN, "audio_encoder_config": {"n_audio_ctx": 96}}, ("what audio_encoder_config does with positions",)),
    ({**OWN, "vit_config": {"patch_size": 8}}, ("what vit_config does with positions",)),
    ({**HEADS, "model_type": "llama", "sliding_window": 64}, ("Not read", "sliding_window")),
    ({"model_type": "unheard", "auto_map": {}, "text_config": {"model_type": "llama"}}, ("auto_map",)),
    ({"model_type": "moonshine", "encoder_num_hidden_layers": 3}, ("the 3 of its encoder",)),
    *(({"model_type": kind, **SLIDING}, ("transformers fails",)) for kind in ("qwen2", "qwen3", "qwen3_moe")),
    ({**OWN, **TALKS}, ("what talker does with positions: its type is not known here",)),
    ({"model_type": "deepseek_v32", "num_hidden_layers": 2, "index_topk": 96},
     ("A token reads at most 96 tokens, which an indexer picks (index_topk).",)),
    ({"model_type": "t5", "architectures": ["ChronosBoltModelForForecasting"]},
     ('"ChronosBoltModelForForecasting", no class of t5',)),
    ({"model_type": "internlm3", **HEADS}, ("transformers 5.23 reads internlm3 with the classes of llama.",)),
    ({"model_type": "iquestcoder", **HEADS}, ("transformers 5.23 reads iquestcoder with the classes of llama.",)),
    *(
        ({**OWN, "partial_rotary_factor": 0.5, field: 2}, (f"What {field} says of its layers is not known",))
        for field in ("layer_group_size", "full_attention_interval", "full_attention_idx")
    ),
    ({**OWN, **SECTIONS}, ("mrope_section [2, 3, 3] splits pairs over time, height and width",)),
    ({"model_type": "hunyuan_vl", **XDROPE},
     ("rope_scaling.xdrope_section splits channels in a way that is not shown here.",)),
    ({"model_type": "vibevoice", "decoder_config": {"model_type": "qwen2", **HEADS}},
     ("transformers 5.23 would not read it",)),
    ({"model_type": "llama", **HEADS, "rope_traditional": True},
     ("rope_traditional is obeyed by MLX alone, which turns pairs of neighbours.",)),
])  # fmt: skip
def test_what_has_to_be_said(config, words):
    lines = lines_of(config)
    assert any(all(word in line for word in words) for line in lines), lines


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
])  # fmt: skip
def test_what_need_not_be_said(config, words):
    lines = lines_of(config)
    assert not any(words in line for line in lines), lines


@each(("file", "words"), [
    ({"_class_name": "OwnTransformer2DModel", "num_attention_heads": 4}, "a class of diffusers"),
    ({"peft_type": "LORA", "base_model_name_or_path": "some/model"}, "it belongs to a base model"),
    (STUDENT, "no field tells what it does with positions"),
    ({**STUDENT, "no_rope": True}, "no_rope alone does not tell what it does with positions"),
    ({**STUDENT, "pos_emb": "something"}, "pos_emb alone does not tell what it does with positions"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "a pointer of Git LFS: fetch the file"),
    ({"model_type": "lightglue"}, "known here"),
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
    ({"model_type": "levit"}, "known here"),
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
])  # fmt: skip
def test_what_cannot_be_read_is_refused(file, words):
    with pytest.raises(ConfigError, match=words):
        inspected(file)
