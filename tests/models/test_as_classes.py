"""What is said of a configuration is what the classes of transformers make of the same one."""

import copy
import inspect

import pytest
import torch

from pe_core.models import ConfigError, inspected
from pe_core.models.classes import CLASSES
from pe_core.models.kinds.others import OTHERS
from pe_core.models.turning.layers import CONVOLVED_BY_DEFAULT, OLDER
from tests.cases import each
from tests.models.make_parts import WIDTHS, built
from tests.models.modules import made, quietly
from tests.models.small import HEADS, LONG, SIZES


def settings_of(name, settings):
    """The configuration of transformers, loaded here as the model is."""
    from transformers import AutoConfig

    return AutoConfig.for_model(name, **settings)


def of_class(name, settings):
    """The model of transformers, which is loaded here: it takes nearly a second, and most processes need none."""
    from transformers import AutoConfig, AutoModel

    return AutoModel.from_config(AutoConfig.for_model(name, **settings)).eval()


def test_older_names_of_kinds_of_layers_are_those_of_transformers():
    from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP

    assert OLDER.items() <= _LEGACY_LAYER_TYPE_REMAP.items()


@each("kind", list(CONVOLVED_BY_DEFAULT))
def test_convolutions_have_the_width_of_their_class(kind):
    name, count = CONVOLVED_BY_DEFAULT[kind]
    assert getattr(made(quietly()[kind]), name) == count


@each(("kind", "given"), [
    *(("dots3_note_text", more) for more in ({}, {"use_dsa": False}, {"use_sliding_window": False})),
    ("dots3_note_text", {"layer_types": ["full_attention"] * 4 + ["sliding_attention"] * 4}),
    ("modernbert-decoder", {"global_attn_every_n_layers": 4}),
    ("qwen4_exp_text", {"full_attention_interval": 2}),
    ("qwen4_exp_text", {"layer_types": ["full_attention", "linear_attention"] * 4}),
])  # fmt: skip
def test_kinds_of_layers_are_those_that_a_class_makes_of_other_fields(kind, given):
    given = {**given, "num_hidden_layers": 8}
    groups = inspected({"model_type": kind, **given}).groups
    assert [one for _, one in sorted((i, group.kind) for group in groups for i in group.layers)] == settings_of(
        kind, given
    ).layer_types


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
    given = {"use_sliding_window": True, "num_hidden_layers": 6}
    given |= {"max_window_layers": 3} if "max_window_layers" in CLASSES[kind].fields else {}
    own, found = settings_of(kind, given), inspected({"model_type": kind, **given})
    kinds = {i: group.kind for group in found.groups for i in group.layers}
    assert own.sliding_window in {group.window for group in found.groups}
    if "max_window_layers" in given:
        assert [kinds[i] for i in range(6)] == own.layer_types
    assert {group.window for group in inspected({"model_type": kind}).groups} == {None}


@each(("name", "bands", "axes"), [
    ("ImageClassificationFourier", 64, 2), ("ImageClassificationConvProcessing", 64, 2), ("OpticalFlow", 64, 2),
    ("MultimodalAutoencoding", 32, 3), ("MultimodalAutoencoding", 192, 1),
])  # fmt: skip
def test_fourier_features_of_perceiver_are_as_wide_as_its_class_makes_them(name, bands, axes):
    from transformers.models.perceiver import modeling_perceiver as own

    width = own.PerceiverFourierPositionEncoding(bands, (32,) * axes).output_size()
    assert f'num_bands": {bands}' in inspect.getsource(getattr(own, f"PerceiverFor{name}"))
    assert (
        f"{width} channels" in inspected({"model_type": "perceiver", "architectures": [f"PerceiverFor{name}"]}).summary
    )


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
    groups = [(i, group.kind) for group in inspected({"model_type": kind, **given}).groups for i in group.layers]
    assert kinds[-1] == "full_attention" or "layer_types" in given
    assert [one for _, one in sorted(groups)] == kinds


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
AXIAL = [kind for kind in OTHERS if "channels of a head turn" in inspected({"model_type": kind}).summary]
AXIAL.remove("eomt_dinov3")  # which no class without a head builds


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
    assert f"base is {base:,.0f}" in summary or f"base of {base:,.0f}" in summary


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


@each(("kind", "fields", "name", "rows"), [
    ("lilt", {"max_position_embeddings": 98}, "box_position_embeddings", 98),
    ("sam_vision_model", {}, "rel_pos_h", 27),
    ("sam_vision_model", {}, "rel_pos_h", 127),
    ("mask2former", {"num_queries": 9}, "queries_embedder", 9),
    ("oneformer", {"num_queries": 9}, "queries_embedder", 9),
    ("sam2_video", {"num_maskmem": 5}, "memory_temporal_positional_encoding", 5),
    ("grounding-dino", {"num_queries": 9}, "query_position_embeddings", 9),
])  # fmt: skip
def test_parts_have_tables_with_the_rows_that_are_said(kind, fields, name, rows):
    held = built(made(quietly()[kind], **fields)).named_parameters()
    assert any(name in one and weight.shape[0] == rows for one, weight in held)


def test_the_table_of_hiera_follows_the_image():
    given = {"image_size": [448, 448], "patch_stride": [4, 4]}
    found = inspected({"model_type": "hiera", **given})
    table = built(made(quietly()["hiera"], **given)).embeddings.position_embeddings
    assert f"{table.shape[1]:,} rows" in found.summary
    assert "in stages 1, 2 a patch sees its unit of 8 x 8 patches" in found.summary


@each("kind", ["llama", "mistral", "qwen2"])
def test_a_field_lets_a_decoder_see_both_ways(kind):
    """What is said is what the class does: the first token changes with the last one."""
    given = {**SIZES, "is_causal": False, "vocab_size": 8, "num_key_value_heads": 4, "intermediate_size": 16}
    assert "a token sees as far ahead as back" in inspected({"model_type": kind, **given, "rope_theta": 1e4}).summary
    model = pytest.importorskip("transformers").AutoModel.from_config(quietly()[kind](**given)).eval()
    with torch.no_grad():
        one, other = (model(torch.tensor([[1, 2, last]])).last_hidden_state[0, 0] for last in (3, 4))
    assert not torch.allclose(one, other)


@each("given", [{"no_rope_layer_interval": 3}, {"no_rope_layers": [1, 0, 0, 1, 1, 1]}])
def test_chunks_of_llama_4_are_those_of_the_layers_that_turn(given):
    kinds = made(quietly()["llama4_text"], num_hidden_layers=6, **given).layer_types
    for group in inspected({"model_type": "llama4_text", "num_hidden_layers": 6, **given}).groups:
        assert {kinds[layer] for layer in group.layers} == {group.kind.removesuffix(" without RoPE")}


@each("kind", ["deepseek_v4", "dots3_note_text"])
@each("given", [{"qk_rope_head_dim": 32}, {"qk_rope_head_dim": 32, "partial_rotary_factor": 0.5}])
def test_a_width_of_turning_channels_counts_as_in_the_class(kind, given):
    config = made(quietly()[kind], **given)
    turned = {rule["partial_rotary_factor"] * config.to_dict()["head_dim"] for rule in config.rope_parameters.values()}
    groups = inspected({"model_type": kind, **given}).groups
    assert {group.rotation.n_rotated for group in groups} == turned


@each("kind", ["bert", "roberta", "electra", "roformer", "albert", "gpt2"])
@each("more", [{}, {"is_decoder": True}])
def test_cross_attention_of_what_is_no_decoder_is_refused(kind, more):
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


@each(("kind", "fields", "name"), [
    ("albert", {"embedding_size": 96}, "position_embeddings"),
    ("electra", {"embedding_size": 96}, "position_embeddings"),
    ("bert", {"hidden_size": 96}, "position_embeddings"),
    ("bart", {"d_model": 96}, "embed_positions"),
    ("opt", {"hidden_size": 96}, "embed_positions"),
    ("gpt2", {"n_embd": 96}, "wpe"),
    ("xlm", {"emb_dim": 96}, "position_embeddings"),
    ("vit", {"hidden_size": 96}, "position_embeddings"),
    ("whisper", {"d_model": 96}, "embed_positions"),
    ("time_series_transformer", {"d_model": 96, "prediction_length": 8}, "embed_positions"),
])  # fmt: skip
def test_tables_have_the_width_that_is_said(kind, fields, name):
    tables = [*(module := built(made(quietly()[kind], **fields))).named_parameters(), *module.named_buffers()]
    assert {one.shape[-1] for path, one in tables if name in path and one.dim() > 1} == {96}
    assert "its vectors of positions have 96 channels" in inspected({"model_type": kind, **fields}).summary


YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 64, "rope_theta": 1e4}
MOLMO = {"model_type": "molmo2_text", **SIZES, "head_dim": 16, "num_hidden_layers": 4, "rope_parameters": YARN}


def test_molmo_2_scales_the_layers_that_are_named():
    """The class has two tables of frequencies, and the layers beside the list take that without the rule."""
    module = pytest.importorskip("transformers.models.molmo2.modeling_molmo2")
    config = quietly()["molmo2_text"](**{**MOLMO, "rope_scaling_layers": [1, 3]}, num_key_value_heads=4)
    scaled, unscaled = inspected({**MOLMO, "rope_scaling_layers": [1, 3]}).groups
    assert (scaled.layers, unscaled.layers) == ((1, 3), (0, 2))
    for group, own in ((scaled, True), (unscaled, False)):
        theirs = module.Molmo2RotaryEmbedding(config, scaled=own)
        assert torch.allclose(theirs.inv_freq.double(), group.rotation.frequencies, rtol=1e-6)
        assert theirs.attention_scaling == pytest.approx(group.rotation.attention_factor)
    assert inspected({**MOLMO, "rope_scaling_layers": [3, 1, 1]}).groups[0].layers == (1, 3)
    assert len(inspected({**MOLMO, "rope_scaling_layers": []}).groups) == 1
    assert len(inspected(MOLMO).groups) == 1
    with pytest.raises(
        ConfigError, match=r"^rope_scaling_layers must be a list of numbers of layers from 0 to 3, got "
    ):
        inspected({**MOLMO, "rope_scaling_layers": [4]})


@each(("size", "window", "told"), [
    (64, 8, "its last stage has one window, of 4 patches a side and with 49 offsets, and no shift"),
    (64, 16, "its last 2 stages have one window each, of 8, 4 patches a side and with 225, 49 offsets, and no shift"),
    (64, 4, None),
])  # fmt: skip
def test_windows_of_swin_v2_are_no_larger_than_their_stage(size, window, told):
    given = {"image_size": size, "patch_size": 4, "window_size": window, "depths": [2, 2, 2], "num_heads": [1, 2, 4]}
    module = pytest.importorskip("transformers.models.swinv2.modeling_swinv2")
    stages = module.Swinv2Model(quietly()["swinv2"](**given, embed_dim=16)).encoder.layers
    small = [stage.blocks[1].window_size for stage in stages if stage.blocks[1].window_size < window]
    assert all(stage.blocks[1].shift_size == 0 for stage in stages[len(stages) - len(small) :] if small)
    summary = inspected({"model_type": "swinv2", **given}).summary
    assert bool(small) == ("and no shift" in summary) == (told is not None)
    assert told is None or told in summary
    before = inspected({"model_type": "swinv2", **given, "pretrained_window_sizes": [6, 6, 3]})
    assert "windows of its first training, of 6, 6, 3 patches a side in its stages" in before.summary
    assert not any("pretrained_window_sizes" in line for line in before.warnings)
