"""What we read out of a configuration or change in it, rows of tables too, held against what transformers builds."""

import copy
import importlib
import json
import math
import re

import pytest
from torch.testing import assert_close

from pe_core.models import ConfigError, inspected
from pe_core.models.classes import CLASSES
from pe_core.models.kinds.others import OTHERS
from pe_core.models.kinds.tables import LIKE_ROBERTA, LIKE_XL, TABLES
from pe_core.models.turning.layers import TURNS_AS
from pe_core.models.what_if import RULES, what_if
from tests.cases import each
from tests.models.modules import attention_factors, axes, frequencies, made, quietly, read, rotary_of
from tests.models.tried import model_class
from tests.parity import oracle

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # of rope_scaling, where it is an attribute
IN_FLOAT32 = 4e-6  # theirs on a ramp: near its slow end little is left of a difference
BUILD_FAILS = (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, AttributeError)
EXPLAINED = {
    "ernie4_5_vl_moe_text": "the same frequencies in another order: those of height and width first",
    "qwen2_5_omni_dit": "only the first head of a layer turns",
    **dict.fromkeys(("neucodec", "xcodec2"), "frequencies are built, and turn by the number of a head"),
    "granitemoehybrid": "position_embedding_type is null by default: nothing is turned, though frequencies are built",
}


# Without these no layer turns, or not by all settings of RoPE that are built.
TURNING = {"bamba": {"attn_layer_indices": [0]}, "deepseek_v4": {"compress_ratios": [0, 4, 128] * 100}}


@pytest.fixture(scope="module")
def classes():
    oracle("transformers")
    return quietly()


def theirs(classes, config):
    """Frequencies and attention factors by kind of layer; an error where transformers refuses or fails to build."""
    given = copy.deepcopy(config)
    made = classes[given.pop("model_type")].from_dict(given)
    rotary = rotary_of(made)
    if rotary is None:
        raise ValueError("not built")
    return frequencies(rotary), attention_factors(rotary)


def same(found, expected, rtol=1e-6):
    """Compare every kind of layer that transformers has frequencies for."""
    own = {}
    for group in found.groups:
        if group.rotation is not None:
            settings = TURNS_AS.get(group.kind, "")
            kind = settings if settings in expected[0] else group.kind
            own.setdefault("" if "" in expected[0] else kind, group.rotation)
    assert set(expected[0]) <= set(own)
    for kind, there in expected[0].items():
        assert_close(there.double(), own[kind].frequencies, rtol=rtol, atol=0)
        assert own[kind].attention_factor == pytest.approx(expected[1][kind] or 1, rel=1e-6)


@each("kind", sorted(set(CLASSES) - set(EXPLAINED)))
def test_the_default_of_every_type_of_model(classes, kind):
    config = {"model_type": kind, **TURNING.get(kind, {})}
    same(inspected(config), theirs(classes, config))


def test_the_differences_are_those_that_are_explained(classes):
    kind = "ernie4_5_vl_moe_text"
    own = inspected({"model_type": kind}).groups[0].rotation.frequencies
    there = theirs(classes, {"model_type": kind})[0][""].double()
    assert_close(there.sort(descending=True).values, own, rtol=1e-6, atol=0)
    for kind in ("granitemoehybrid", "neucodec", "xcodec2"):
        assert inspected({"model_type": kind}).mechanism == "none"
    assert "first head" in inspected({"model_type": "qwen2_5_omni_dit"}).summary


A = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 16_384}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
LISTS = {
    "rope_type": "longrope",
    "short_factor": [1.0 + 0.01 * i for i in range(48)],
    "long_factor": [0.9978 + i for i in range(48)],
}
PHI3 = {"model_type": "phi3", "max_position_embeddings": 131_072, "original_max_position_embeddings": 4096}
GEMMA3 = {"model_type": "gemma3_text"}
LEGACY = {"rope_theta": 2e6, "rope_local_base_freq": 5e3}
LINEAR = {"rope_type": "linear", "factor": 8.0}
NESTED = {
    "full_attention": {**LINEAR, "rope_theta": 2e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 5e3},
}
HALF = {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 1e6}

ACCEPTED = {
    "theta": {**A, "rope_theta": 5e5},
    "empty scaling": {**A, "rope_scaling": {}, "rope_theta": 5e5},
    "null scaling": {**A, "rope_scaling": None},
    "factor without a type": {**A, "rope_scaling": {"factor": 4.0}},
    "type and rope_type": {**A, "rope_scaling": {"type": "linear", **YARN}},
    "older type": {**A, "rope_scaling": {"type": "linear", "factor": 4.0}},
    "both objects": {**A, "rope_scaling": LINEAR, "rope_parameters": {**YARN, "rope_theta": 123.0}},
    "two bases": {**A, "rope_theta": 777.0, "rope_parameters": {"rope_type": "default", "rope_theta": 123.0}},
    "linear below 1": {**A, "rope_scaling": {"rope_type": "linear", "factor": 0.5}},
    "yarn factor null": {**A, "rope_scaling": {**YARN, "factor": None}},
    "yarn without original": {**A, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
    "yarn other length": {**A, "max_position_embeddings": 32_768, "rope_scaling": YARN},
    "yarn one mscale": {**A, "rope_scaling": {**YARN, "mscale_all_dim": 1.0}},
    "yarn mscale 0": {**A, "rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 0}},
    "yarn mscales": {**A, "rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.5}},
    "yarn attention factor": {**A, "rope_scaling": {**YARN, "attention_factor": 1.5}},
    "yarn betas": {**A, "rope_scaling": {**YARN, "beta_fast": 16, "beta_slow": 2}},
    "yarn beta 0": {**A, "rope_scaling": {**YARN, "beta_fast": 0}},
    "yarn not truncated": {**A, "rope_scaling": {**YARN, "truncate": False}},
    "original at the top": {**A, "rope_scaling": YARN, "original_max_position_embeddings": 8192},
    "llama3": {**A, "rope_theta": 5e5, "max_position_embeddings": 131_072, "rope_scaling": LLAMA3},
    "llama3 a step": {**A, "rope_scaling": {**LLAMA3, "high_freq_factor": 1.0}},
    "llama3 long original": {**A, "rope_scaling": {**LLAMA3, "original_max_position_embeddings": 32_768}},
    "dynamic": {**A, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
    "part ignored": {**A, "partial_rotary_factor": 0.5},
    "part obeyed": {**A, "partial_rotary_factor": 0.5, "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
    "mixtral linear": {"model_type": "mixtral", "rope_scaling": LINEAR},
    "phi": {"model_type": "phi", "partial_rotary_factor": 0.25},
    "phi3 longrope": {**PHI3, "rope_scaling": LISTS},
    "phi3 yarn is longrope": {**PHI3, "rope_scaling": {**LISTS, "rope_type": "yarn"}},
    "phi3 factor": {**PHI3, "rope_scaling": {**LISTS, "factor": 4.0}},
    "neox": {"model_type": "gpt_neox", "rotary_pct": 0.5, "rotary_emb_base": 5e4},
    "gemma3 legacy": {**GEMMA3, **LEGACY, "rope_scaling": LINEAR},
    "gemma3 nested": {**GEMMA3, "rope_parameters": NESTED},
    "gemma3 flat": {**GEMMA3, "rope_parameters": {**LINEAR, "rope_theta": 2e6}},
    "gemma3 older type": {**GEMMA3, "rope_scaling": {"type": "linear", "factor": 8.0}},
    "olmo3 one base": {"model_type": "olmo3", "rope_theta": 1e6},
    "modernbert": {"model_type": "modernbert", "global_rope_theta": 1e5, "local_rope_theta": 1e3},
    "modernbert scaled": {"model_type": "modernbert", "rope_scaling": LINEAR},
    "nested on llama": {**A, "rope_parameters": NESTED},
    "gpt_oss base": {"model_type": "gpt_oss", "rope_theta": 1e4},
    "gpt_oss scaled": {"model_type": "gpt_oss", "rope_theta": 1e4, "rope_scaling": {**YARN, "factor": 32.0}},
    "deepseek": {"model_type": "deepseek_v3", "rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
    "deepseek head_dim": {"model_type": "deepseek_v3", "head_dim": 128},
    "minimax": {"model_type": "minimax_m2", "head_dim": 128, "rotary_dim": 64},
    "qwen2_vl": {"model_type": "qwen2_vl_text", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}},
    "gemma4": {"model_type": "gemma4_text", "rope_parameters": {**NESTED, "full_attention": HALF}},
}  # fmt: skip


@each("name", ACCEPTED)
def test_dialects(classes, name):
    config = json.loads(json.dumps(ACCEPTED[name]))
    same(inspected(config), theirs(classes, config), rtol=IN_FLOAT32)


REFUSED = {
    "base null": ({**A, "rope_theta": None}, "rope_theta must be a number of at least 1, got null"),
    "base text": ({**A, "rope_theta": "10000"}, 'rope_theta must be a number of at least 1, got "10000"'),
    "scaling text": ({**A, "rope_scaling": "linear"}, 'rope_scaling must be an object or null, got "linear"'),
    "no factor": ({**A, "rope_scaling": {"type": "linear"}}, "rope_scaling.factor must be a number above 0, got null"),
    "factor text": ({**A, "rope_scaling": {"type": "linear", "factor": "4.0"}},
     'rope_scaling.factor must be a number above 0, got "4.0"'),
    "ntk": ({**A, "rope_scaling": {"type": "ntk", "factor": 2.0}},
     "rope_scaling.type must be one of default, linear, dynamic, yarn, longrope, llama3, proportional, got \"ntk\""),
    "capitals": ({**A, "rope_scaling": {**YARN, "rope_type": "YaRN"}},
     "rope_scaling.rope_type must be one of default, linear, dynamic, yarn, longrope, llama3, proportional, "
     "got \"YaRN\""),
    "yarn without factor": ({**A, "rope_scaling": {"type": "yarn", "original_max_position_embeddings": 4096}},
     "rope_scaling.factor must be given for the rule yarn, got null"),
    "llama3 without ends": ({**A, "rope_scaling": {"type": "llama3", "factor": 8.0}},
     "rope_scaling.low_freq_factor must be a number above 0, got null"),
    "mixtral yarn": ({"model_type": "mixtral", "rope_scaling": YARN},
     "head_dim must be given for the rule yarn, because transformers cannot build the model otherwise, got null"),
    "mixtral dynamic": ({"model_type": "mixtral", "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
     "head_dim must be given for the rule dynamic, because transformers cannot build the model otherwise, got null"),
    "odd head": ({**A, "head_dim": 127}, "head_dim must be even where all channels turn, got 127"),
    "hidden size": ({**A, "hidden_size": 4100}, "hidden_size must be a multiple of num_attention_heads (32), got 4100"),
    "no heads": ({**A, "num_attention_heads": 0},
     "num_attention_heads must be a whole number from 1 to 1,099,511,627,776, got 0"),
    "length text": ({**A, "max_position_embeddings": "4096"},
     'max_position_embeddings must be a whole number from 1 to 1,099,511,627,776, got "4096"'),
    "phi3 short list": ({**PHI3, "rope_scaling": {**LISTS, "long_factor": [1.0] * 40}},
     "rope_scaling.long_factor must have one number per pair (48), got 40"),
    "phi3 linear": ({**PHI3, "rope_scaling": LINEAR},
     'rope_scaling.rope_type must be one of default, longrope, got "linear"'),
    "layer_types": ({"model_type": "gemma3_text", "layer_types": ["full_attention"]},
     "layer_types must have one kind per layer (26), got 1"),
    "no_rope_layers": ({"model_type": "smollm3", "no_rope_layers": []},
     "no_rope_layers must have one flag per layer (36), got 0"),
}  # fmt: skip


@each("name", REFUSED)
def test_what_transformers_refuses_or_fails_to_build_is_refused_in_a_sentence(classes, name):
    config, message = REFUSED[name]
    with pytest.raises(ConfigError) as error:
        inspected(config)
    assert str(error.value) == message
    strict = oracle("huggingface_hub.errors").StrictDataclassError
    with pytest.raises((*BUILD_FAILS, strict)):
        theirs(classes, config)


EDITS = (
    {"rope_scaling": YARN},
    {"rope_parameters": YARN},
    {"rope_scaling": {"type": "linear", "factor": 2.0}},
    {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
    {"rope_scaling": {"rope_type": "proportional", "partial_rotary_factor": 0.5}},
    {"rope_scaling": LLAMA3, "max_position_embeddings": 65_536},
    {"rope_scaling": YARN, "original_max_position_embeddings": 2048},
    {"rope_parameters": {"rope_type": "default", "rope_theta": 3e4}},
    {"rope_parameters": NESTED},
    {"rope_parameters": LINEAR},
    {"rope_scaling": {"rope_type": "default"}},
    {"rope_theta": 5e5},
    {"partial_rotary_factor": 0.5},
    {"head_dim": 64},
    {"hidden_size": 1024, "num_attention_heads": 8},
)
EDITED = [
    "llama", "qwen2", "qwen3", "mistral", "mixtral", "gemma2", "gemma3_text", "olmo2", "phi", "phi3", "glm4",
    "gpt_neox", "stablelm", "ministral3", "gpt_oss", "bamba", "deepseek_v3", "minicpm3", "bailing_hybrid",
    "moonshine_streaming", "cohere2_moe", "gemma4_text", "mellum", "smollm3", "llama4_text", "axk2",
    "cosmos3_edge_text", "deepseek_v4", "diffusion_gemma_text", "falcon", "lfm3", "mimo_v2_flash", "mistral4",
    "modernbert", "neomme", "step3p5", "ultrabert",
]  # fmt: skip


@each("kind", EDITED)
def test_one_field_at_a_time_has_the_same_effect_and_the_same_verdict(classes, kind):
    errors = (*BUILD_FAILS, oracle("huggingface_hub.errors").StrictDataclassError)
    for edit in EDITS:
        config = {"model_type": kind, **TURNING.get(kind, {}), **edit}
        try:
            expected = theirs(classes, config)
        except errors:
            with pytest.raises(ConfigError):
                inspected(config)
            continue
        same(inspected(config), expected, rtol=IN_FLOAT32)


@each("rule", sorted(RULES))
def test_the_lines_of_a_what_if_are_valid_for_the_functions_of_transformers(classes, rule):
    rules = oracle("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    part = 0.25 if rule == "proportional" else None
    found = what_if(A, rule=rule, factor=4, base=5e4, part=part, long_factors=[1.0 + i / 8 for i in range(64)])
    config = json.loads(json.dumps({**A, **found.lines}))
    same(inspected(config), theirs(classes, config), rtol=IN_FLOAT32)
    if rule == "default":
        return
    made = classes["llama"].from_dict({key: value for key, value in config.items() if key != "model_type"})
    there, attention = rules[rule](made, "cpu", seq_len=found.length)
    after = found.after.frequencies if found.after.beyond is None else found.after.beyond
    assert_close(there.double(), after, rtol=IN_FLOAT32, atol=0)
    assert attention == pytest.approx(found.after.attention_factor)


MULTIMODAL = sorted(kind for kind, model in CLASSES.items() if model.multimodal and kind not in EXPLAINED)
STRICT = "cosmos3_edge_text"  # refuses other sections than its own sizes have


@each("kind", [*MULTIMODAL, "ernie4_5_vl_moe_text"])
@each("sizes", [None, [2, 2, 2], [4, 1, 1], [2, 2, 1]])
def test_each_pair_counts_the_axis_that_it_counts_there(classes, kind, sizes):
    config = {"model_type": kind}
    if sizes is not None and kind != STRICT:
        rope = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0, "mrope_section": sizes}
        config |= {"head_dim": 12, "hidden_size": 12, "num_attention_heads": 1, "rope_parameters": rope}
    found = inspected(config)
    made = classes[kind].from_dict({key: value for key, value in config.items() if key != "model_type"})
    own = next(group.rotation.axes for group in found.groups if group.rotation is not None)
    there = axes(made)
    assert there == (None if own is None else own.tolist())
    if sizes is not None and kind != STRICT:
        assert any("are not the 6 pairs" in line for line in found.warnings) == (sum(sizes) != 6)


def test_queries_grow_with_their_position_as_they_do_in_ministral_and_llama_4(classes):
    positions = [0, 16_382, 16_383, 16_384, 32_767, 32_768, 262_143]
    scale = oracle("transformers.models.ministral3.modeling_ministral3").get_llama_4_attn_scale
    (group,) = inspected({"model_type": "ministral3"}).groups
    for position in positions:
        there = scale(oracle("torch").tensor([[position]]), 0.1, 16_384)
        assert group.query_factor.at_end(position + 1) == pytest.approx(float(there), rel=1e-6)
    turned, still = inspected({"model_type": "llama4_text", "floor_scale": 16_384, "attn_scale": 0.2}).groups
    assert turned.query_factor is None
    for position in positions:
        there = 1 + 0.2 * math.log1p((position + 1) // 16_384)  # the lines of Llama4TextAttention.forward
        assert still.query_factor.at_end(position + 1) == pytest.approx(there, rel=1e-12)
    off = inspected({"model_type": "llama4_text", "attn_temperature_tuning": False})
    assert all(one.query_factor is None for one in off.groups)


SINUSOIDS = [
    "marian", "pegasus", "m2m_100", "nllb-moe", "xglm", "fsmt", "roformer", "ctrl", "kosmos_2_text_model",
    "musicgen_melody_decoder",
]  # fmt: skip
ROWS = re.compile(r"(?<!x )\b([\d,]+) (?:rows(?! of)|patches;)")
# Their part of images has no model of its own in transformers, or needs a package; that of vitdet has a row more.
SAM = ("got_ocr2_vision", "slanext_vision", "deepseek_ocr2_sam_vision_model", "unlimited_ocr_sam_vision_model")
NO_TENSOR = ("eomt", "idefics_vision", "unlimited_ocr_vision_encoder", "videomt", "vitdet", *SAM)
IMAGES = [
    kind
    for kind in OTHERS
    if kind not in NO_TENSOR
    and re.search(r"learned vector.* patches", told := inspected({"model_type": kind}).summary)
    and ROWS.search(told)
]
TEXTS = [kind for kinds in TABLES.values() for kind in kinds.split()] + LIKE_ROBERTA.split() + LIKE_XL.split()
DEPTHS = ("num_hidden_layers", "encoder_layers", "decoder_layers", "n_layers", "num_layers", "n_layer")


def sizes(classes, kind):
    """The sizes of all tensors of a model by default whose name speaks of positions."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    config = made(classes[kind])
    for name in DEPTHS:
        if isinstance(read(config, name), int):
            setattr(config, name, 1)
    with torch.device("meta"):
        model = model_class(transformers, config)(config)
    tensors = [*model.named_parameters(), *model.named_buffers()]
    return {size for name, one in tensors if "pos" in name for size in one.shape}


@each("kind", [*TEXTS, *SINUSOIDS])
def test_the_rows_of_a_table_of_positions(classes, kind):
    length = inspected({"model_type": kind}).claimed_length
    assert {length, length + 2} & sizes(classes, kind)
    assert (kind in (f"{LIKE_ROBERTA} {LIKE_XL}").split()) <= (length + 2 in sizes(classes, kind))


@each("kind", IMAGES)
def test_the_rows_of_a_table_of_patches(classes, kind):
    told = [int(one.replace(",", "")) for one in ROWS.findall(inspected({"model_type": kind}).summary)]
    assert set(told) & sizes(classes, kind), told


def test_offsets_of_swin(classes):
    assert "169 offsets" in inspected({"model_type": "swin"}).summary
    assert 169 in sizes(classes, "swin")
