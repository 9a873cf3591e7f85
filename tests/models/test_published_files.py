"""Files of types that are not known, of authors and of other programs: what is read of them, as a guess or by name."""

from pe_core.models import inspected
from pe_core.models.classes import CLASSES
from pe_core.models.guessing.programs.served import TYPES_OF_GGUF
from pe_core.models.kinds.others import OTHERS
from tests.cases import each
from tests.models.small import BERT, GPT, HEADS, OWN, SEEN, SIZES, STUDENT, TURNING, VIEW, has

ROPED = {"position_embedding_type": "rope", "rope_base": 1e4}
SHORT = {"vocab_size": 50, "hidden_size": 64, "num_layers": 3, "num_heads": 4, "rope_theta": 1e4}
RUN = {"optimizer": {"type": "adamw", "lr": 0.1}, "model": STUDENT}
OF_META = {"dim": 64, "n_heads": 4, "n_kv_heads": 2, "n_layers": 3, "vocab_size": 50, "rope_theta": 500}
SERVED = {"context_window_size": 96, "sliding_window_size": -1, "quantization": "q4f16_1"}
OF_MLC = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 3, "context_window_size": 96}


def timm(name, size=(3, 64, 64)):
    return {"architecture": name, "pretrained_cfg": {"input_size": list(size)}}


TOWER = {"text_cfg": {"context_length": 77, "width": 64, "heads": 4}, "vision_cfg": {"image_size": 32, "patch_size": 8}}
DUMP = {
    "general.architecture": "llama", "llama.embedding_length": 64, "llama.block_count": 3,
    "llama.attention.head_count": 4, "llama.context_length": 96, "llama.rope.freq_base": 500.0,
    "llama.rope.dimension_count": 16,
}  # fmt: skip
SCALED = {"type": "yarn", "factor": 4.0, "original_context_length": 24}
KINDS = ["sliding_attention", "full_attention"] * 2
WIDE = {"num_attention_heads": 2, "attention_head_dim": 32}


@each(("config", "words"), [
    ({"dim": 64, "n_layers": 3, "n_heads": 4, "multiple_of": 32, "norm_eps": 1e-5},
     "llama: all 3 layers turn all 16 channels of a head by RoPE of base 10,000"),
    ({"emb_dim": 64, "n_heads": 4, "n_layers": 3, "context_length": 96, "rope_base": 500.0},
     "all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96 tokens"),
    ({"nEmbd": 64, "nHead": 4, "nLayer": 3, "blockSize": 96}, "gpt2 adds a learned vector for each of 96"),
    ({"hiddenSize": 64, "numHeads": 4, "numLayers": 3, "ropeTheta": 500.0}, "all 3 layers … base 500"),
    ({**SHORT, "head_dim": 16, "max_position": 96}, "all 3 layers turn all 16 channels … claims 96 tokens"),
    ({**RUN, "architecture": {"positional": "learned", "bias": True}}, "gpt2 adds a learned vector for each of 96"),
    ({**STUDENT, "positional_encoding": "rope"}, "llama: all 3 layers turn all 16 … claims 96 tokens"),
    ({**STUDENT, "pos_encoding_type": "sinusoidal"}, "a fixed sinusoid for each of 96 positions"),
    ({**STUDENT, "use_rotary_embeddings": True}, "llama: all 3 layers turn all 16"),
    ({**STUDENT, "use_alibi": True}, "ALiBi … claims 96 tokens"),
    ({**STUDENT, "learned_pos_emb": True}, "gpt2 adds a learned vector for each of 96"),
    ({**STUDENT, "use_sinusoidal_positions": True}, "a fixed sinusoid for each of 96 positions"),
    ({**STUDENT, "pos_emb": "alibi"}, "ALiBi … claims 96 tokens"),
    ({"hidden-size": 64, "num-attention-heads": 4, "num-layers": 3, "pos-emb": "rotary"}, "llama: all 3 layers"),
    ({**STUDENT, "pos_emb": "rotary", "rotary_pct": 0.25}, "stablelm: all 3 layers turn 4 of 16"),
    ({**STUDENT, "position_embedding_type": "rope", "rotary_percent": 0.5, "rotary_base": 500},
     "turn 8 of 16 channels of a head by RoPE of base 500"),
    ({**STUDENT, "rope_base": 500, "rope_condense_ratio": 4}, "base 500 with position interpolation, factor 4"),
    ({**STUDENT, "n_kv_head": 2}, "llama: all 3 layers turn all 16 channels of a head by RoPE of base 10,000"),
    ({"emb_dim": 64, "n_heads": 4, "n_layers": 3, "context_length": 96, "drop_rate": 0.1, "qkv_bias": False},
     "gpt2 adds a learned vector for each of 96 positions"),
    ({**STUDENT, "rope_theta_global": 7e5, "rope_theta_local": 7e3, "sliding_window": 8, "global_attn_every_n": 3},
     "2 sliding attention layers turn all 16 … base 7,000, seeing at most 8 tokens … 1 full attention layers … "
     "700,000"),
    ({"n_layer": 3, "n_head": 4, "n_embd": 64, "ctx_size": 96}, "gpt2 adds a learned vector for each of 96"),
    ({"n_layers": 3, "num_heads": 4, "n_embd": 64, "block_size": 96}, "gpt2 adds a learned vector for each of 96"),
    ({"model": {"n_layer": 3, "n_head": 4, "n_embd": 64, "block_size": 96}, "train": {"lr": 0.1}},
     "gpt2 adds a learned vector for each of 96"),
    ({"width": 64, "layers": 3, "heads": 4, "kv_heads": 2, "context": 96, "rope_base": 500},
     "llama: all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96"),
    ({**STUDENT, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16}, "all 3 layers turn all 8 channels"),
    ({**STUDENT, "rope_theta": 500, "rope_factor": 4, "original_seq_len": 24, "beta_fast": 32, "beta_slow": 1},
     "base 500 with YaRN, factor 4 from 24 tokens; it claims 96"),
    ({**OF_META, "sliding_window": 8, "hidden_dim": 128},
     "mistral: all 3 layers turn all 16 channels of a head by RoPE of base 500, seeing at most 8 tokens"),
    ({**OF_META, "max_seq_len": 96, "yarn": {"factor": 4, "original_max_position_embeddings": 24, "beta": 32}},
     "base 500 with YaRN, factor 4 from 24 tokens; it claims 96"),
    ({**OF_META, "multiple_of": 32, "use_scaled_rope": True},
     "base 500 with the rule of Llama 3, factor 8 from 8,192 tokens; it claims 131,072"),
    ({"hidden_dim": 64, "n_heads": 4, "n_layers": 3, "positional_embedding_type": "rotary"}, "all 3 layers"),
    ({"d_model": 64, "n_layer": 3, "vocab_size": 50, "ssm_cfg": {}}, "mamba has no positional encoding"),
    ({"model_hyperparams": {"n_layer": 3, "n_head": 4, "n_embd": 64, "block_size": 96}, "train_params": STUDENT},
     "gpt2 adds a learned vector for each of 96"),
    ({"context_length": 96, "model": {"d_model": 64, "n_heads": 4, "n_layers": 3, "rope_theta": 500}},
     "llama (model): all 3 layers turn all 16 … base 500; it claims 96"),
    ({**STUDENT, "theta": 500}, "llama: all 3 layers turn all 16 channels of a head by RoPE of base 500"),
    ({"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 96, "position_bucket_size": 8},
     "ltg_bert has learned vectors of distances … 8 buckets on each side … below 4 … has 15 rows of 64"),
    ({"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 98, "type_vocab_size": 1,
      "position_embedding_type": "absolute"}, "roberta adds a learned vector for each of 96 positions"),
    ({"d_model": 64, "num_heads": 4, "image_size": 32, "patch_size": 8, "use_sine": True},
     "a fixed sinusoid for each of 4 x 4 patches"),
    ({"decoder_learned_pos": True, "tokens_per_sample": 96}, "adds a learned vector for each of 96 positions"),
    ({"decoder_learned_pos": False, "max_target_positions": 96}, "a fixed sinusoid for each of 96 positions, more"),
    ({**SEEN, "model_type": "git", "architectures": ["OwnForCausalLM"], "rope_theta": 500.0},
     "all 2 layers turn all 16 channels of a head by RoPE of base 500"),
    *(({"optimizer": {"lr": 0.1}, name: {**SHORT, "max_seq_len": 96}}, f"llama ({name}): all 3 … 96 tokens")
      for name in ("model", "cfg", "config", "model_args")),
])  # fmt: skip
def test_fields_of_authors_that_name_their_positions_are_read_as_a_guess(config, words):
    found = inspected(config)
    assert has(words, found.summary)
    assert any("This is a guess." in line for line in found.warnings), found.warnings


@each(("config", "mechanism", "length", "channels"), [
    ({"model_type": "transformer", "hidden_size": 64, "num_heads": 4, "window_size": None}, "rope", 2048, 16),
    ({"model_type": "unheard", "gpt2_config": {"model_type": "gpt2", **GPT, **ROPED}}, "rope", 1024, 16),
    ({"model_type": "unheard", "gpt2_config": {**GPT, **ROPED}}, "rope", 1024, 16),
    ({**GPT, "block_size": 512, "n_positions": None}, "learned", 512, None),
    ({"model_type": "xlm-roberta", **HEADS, **ROPED, "max_position_embeddings": 514}, "rope", 514, 16),
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
    ({"model_type": "yuan", **HEADS, "rotary_percent": 0.5, "attention_projection_size": 128,
      "max_position_embeddings": 96}, "rope", 96, 8),
    ({"model_type": "llava", **HEADS, "max_position_embeddings": 4096}, "rope", 4096, 16),
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
     "qwen2: all 3 layers turn all 16 channels … base 500; it claims 96"),
    ({"model_type": "gpt_neox", "model_config": {**OF_MLC, "position_embedding_base": 500}, **SERVED},
     "gpt_neox: all 3 layers turn … base 500"),
    ({"model_type": "mistral", "model_config": {**OF_MLC, "context_window_size": -1}, "sliding_window_size": 8,
     "context_window_size": -1}, "seeing at most 8 tokens … has 131,072 tokens by default"),
    ({"model_type": "gemma3_text", "model_config": {"text_config": {**OF_MLC, "sliding_window_size": 8}}, **SERVED},
     "all 3 layers turn … seeing at most 8 tokens … claims 96"),
    ({"model_cfg": {"embed_dim": 64, **TOWER}}, "each of 77 positions … 4 x 4 patches and 1 more, 17 rows"),
    ({"embed_dim": 64, **TOWER}, "each of 77 positions … 4 x 4 patches and 1 more, 17 rows"),
    ({**TOWER, "text_cfg": {"hf_model_name": "some/model"}},
     "open_clip_vision adds a learned vector for each of 4 x 4 … another number of patches is refused; its vectors"),
    ({"architecture": "vit_base_patch16_224", "pretrained_cfg": {"input_size": [3, 224, 224]}},
     "14 x 14 patches and 1 more, 197 rows"),
    ({"architecture": "vit_base_patch16_siglip_224", "input_size": [3, 224, 224]}, "14 x 14 patches, 196 rows"),
    ({"architecture": "efficientnet_b0", "input_size": [3, 224, 224]}, "no positional encoding"),
    ({"architecture": "swin_tiny_patch4_window7_224", "input_size": [3, 224, 224]}, "windows of 7 x 7"),
    (timm("swinv2_tiny_window8_64"), "in windows of 8 x 8 … an image of 64 x 64 pixels has 16 x 16 patches"),
    (timm("swinv2_base_window6to8_48to64"), "225 offsets in windows of 8 x 8 … by 4 patches … 16 x 16 "
     "patches; its last 2 stages have one window each, of 4, 2 patches … of 6, 6, 6, 3 patches … 4, 8, 16, 32 heads"),
    ({**timm("swin_base_patch4_window7_64"), "model_args": {"window_size": 8}}, "225 offsets in windows of 8 x 8"),
    (timm("vit_small_r26_s32_64"), "2 x 2 patches and 1 more, 5 rows"),
    (timm("vit_base_r50_s16_64"), "4 x 4 patches and 1 more, 17 rows"),
    (timm("vit_tiny_r_s16_p8_64"), "2 x 2 patches and 1 more, 5 rows"),
    (timm("vit_so150m_patch16_reg4_gap_64"), "4 x 4 patches and 4 more, 20 rows"),
    (timm("vit_base_mci_64"), "4 x 4 patches, 16 rows"),
    (timm("vit_base_patch16_rpn_64"), "4 x 4 patches, 16 rows"),
    (timm("vit_base_patch16_xp_64"), "4 x 4 patches, 16 rows"),
    (timm("vit_base_patch16_radio_v3"), "4 x 4 patches, 16 rows"),
    (timm("vit_intern300m_patch16_64"), "17 rows … for another size the table is interpolated"),
    ({**timm("vit_huge_patch16_64"), "model_args": {"reg_tokens": 4}}, "4 x 4 patches and 5 more, 21 rows"),
    ({**timm("vit_giant_patch16_64"), "model_args": {"reg_tokens": 8, "no_embed_class": True}}, "patches, 16 rows"),
    ({**timm("vit_base_patch16_64"), "model_args": {"class_token": False}}, "4 x 4 patches, 16 rows"),
    ({**timm("vit_base_patch16_64"), "model_args": {"pos_embed": "none"}}, "timm_vit has no positional encoding"),
    ({**timm("eva02_base_patch16_64"), "model_args": {"use_rot_pos_emb": False}}, "17 rows … another size is refused"),
    (timm("vit_base_patch16_dinov3"), "dinov3_vit turns … an image of 64 x 64 pixels has 4 x 4 patches"),
    (timm("vit_huge_patch16_sapiens2", [3, 64, 32]), "dinov3_vit turns … all 80 channels … 64 x 32 pixels has 4 x 2"),
    (timm("beit_base_patch16_64"), "its grid has 4 x 4 patches; another size is refused; each"),
    (timm("hiera_base_plus_64"), "256 rows; another number of patches is refused; in stages"),
    (timm("samvit_base_patch16"), "4 x 4 patches and has … for another size the tables are interpolated"),
    (timm("samvit_base_patch16_224"), "timm_samvit has learned vectors of offsets"),
    (timm("levit_conv_192"), "its stages have 4, 2, 1 patches … 3, 5, 6 heads"),
    (timm("levit_512_s8"), "its stages have 8, 4, 2 patches … 8, 10, 14 heads"),
    (timm("efficientvit_m2"), "16, 4, 1 offsets … in windows of 4, 2, 1 places a side … 4, 3, 2 heads"),
    (timm("efficientvit_b2"), "timm_convolutional has no positional encoding"),
    (timm("resnet50x4_clip"), "2 x 2 places of its last map and 1 more, 5 rows … interpolated … 2,560 channels"),
    (timm("resnet50x4_clip_gap"), "timm_convolutional has no positional encoding"),
    ({**TOWER, "vision_cfg": {"layers": [1, 1, 1, 1], "width": 8, "image_size": 64}},
     "(clip_resnet) adds a learned vector for each of 2 x 2 places … 5 rows … is refused … have 256 channels"),
    ({"text_cfg": {"hf_model_name": "some/model"}, "vision_cfg": {"timm_model_name": "vit_base_patch16_64",
     "image_size": 64}}, "timm_vit adds a learned vector for each of 4 x 4 patches and 1 more, 17 rows"),
    ({"_class_name": "WanModel", "model_type": "flf2v", "dim": 64, "num_heads": 2}, "514 tokens of images that it is"),
    (DUMP, "llama: all 3 layers turn all 16 channels of a head by RoPE of base 500; it claims 96 tokens"),
    ({"model_info": {**DUMP, "llama.rope.dimension_count": 8, "general.architecture": "llama"}}, "base 500"),
    ({"metadata": {name: {"value": value} for name, value in DUMP.items()}},
     "all 3 layers turn all 16 channels of a head by RoPE of base 500"),
    ({**{name.replace("llama.", "gptneox."): value for name, value in DUMP.items()}, "general.architecture": "gptneox",
     "gptneox.rope.dimension_count": 8}, "gpt_neox: all 3 layers turn 8 of 16 channels of a head by RoPE of base 500"),
    ({**{name.replace("llama.", "deepseek2."): value for name, value in DUMP.items()},
     "general.architecture": "deepseek2", "deepseek2.attention.key_length": 24, "deepseek2.rope.dimension_count": 8},
     "deepseek_v3: all 3 layers turn 8 of 24 channels of a head by RoPE of base 500"),
    (DUMP | {f"llama.rope.scaling.{name}": value for name, value in SCALED.items()},
     "base 500 with YaRN, factor 4 from 24 tokens; it claims 96"),
])  # fmt: skip
def test_files_of_other_programs_are_read_by_the_names_of_transformers(config, words):
    found = inspected(config)
    assert has(words, found.summary)
    assert any("MLC LLM" in line or "The names are" in line or "GGUF" in line for line in found.warnings)


def test_the_types_of_gguf_are_known():
    assert not [kind for kind in TYPES_OF_GGUF.values() if kind not in CLASSES and kind not in OTHERS]


@each(("config", "words", "told"), [
    ({"layer_types": KINDS, "sliding_window": 8}, "2 sliding attention layers … seeing at most 8 tokens",
     "read as qwen2"),
    ({"sliding_window_pattern": 4, "sliding_window": 8},
     "3 sliding attention layers … seeing at most 8 tokens … 1 full attention layers", "read as qwen2"),
    ({"global_attn_idx": [0, 3], "sliding_window": 8},
     "2 full attention layers … 2 sliding attention layers … seeing at most 8 tokens", "read as qwen2"),
    ({"sliding_window": 8}, "all 4 layers", "a window of 8 tokens, as sliding_window says, is not known"),
    ({"no_rope_layer_interval": 2}, "2 full attention layers without RoPE turn nothing", "read as smollm3"),
    ({"no_rope_layers": [1, 1, 1, 0]}, "1 full attention layers without RoPE", "read as smollm3"),
    ({"attn_layer_indices": [3]}, "all 4 layers", "What attn_layer_indices says of its layers is not known"),
    ({"ssm_every_n": 4}, "all 4 layers", "What ssm_every_n says of its layers is not known"),
    ({"rotary_dim": 4}, "all 4 layers turn 4 of 16 channels", "it has rotary_dim"),
    ({"qk_rope_head_dim": 8, "qk_nope_head_dim": 16}, "all 8 channels", "channels counted here are qk_rope_head_dim"),
    ({"rope_scaling": {"rope_type": "of_its_own", "factor": 4.0}},
     "all 4 layers turn all 16 channels of a head by RoPE of base 10,000;",
     "type of_its_own is a rule of that model's own code"),
    ({"rope_theta": None, "position_embedding_type": "NoPE"}, "has no positional encoding", "read as esm"),
    ({"global_rope_theta": 7e5, "local_rope_theta": 7e3, "local_attention": 8, "global_attn_every_n_layers": 2},
     "base 700,000 … base 7,000, seeing at most 9 tokens", "read as modernbert"),
    ({"rope_theta": 500.0, "rope_adjustments": {"factor": 8.0, "low_freq_factor": 1, "high_freq_factor": 4,
     "original_max_seq_len": 24}}, "base 500 with the rule of Llama 3, factor 8 from 24 tokens", "read as llama"),
])  # fmt: skip
def test_what_a_type_that_is_not_known_says_of_its_layers_is_read_or_said_to_be_unknown(config, words, told):
    found = inspected({**OWN, **config})
    assert has(words, found.summary)
    assert any(told in line for line in found.warnings), found.warnings


@each(("config", "kind"), [
    ({**BERT, "relative_attention": True, "position_buckets": 16}, "deberta-v2"),
    ({**BERT, "relative_attention": True, "pos_att_type": "c2p"}, "deberta"),
    ({**BERT, "embedding_size": 16, "num_hidden_groups": 1}, "albert"),
    ({**BERT, "embedding_size": 16, "inner_group_num": 1}, "albert"),
    ({**BERT, "intra_bottleneck_size": 16}, "mobilebert"),
    ({**BERT, "attention_window": 8}, "longformer"),
    ({**BERT, "block_size": 8, "num_random_blocks": 3}, "big_bird"),
    ({**BERT, "num_landmarks": 8}, "nystromformer"),
    ({**BERT, "max_2d_position_embeddings": 64}, "layoutlm"),
    ({**BERT, "rotary_value": False}, "roformer"),
    ({**BERT, "relative_attention_num_buckets": 32}, "mpnet"),
    ({"untie_r": True, "d_model": 64, "n_head": 4}, "xlnet"),
    ({"block_sizes": [2, 2], "d_model": 64, "n_head": 4}, "funnel"),
    ({"d_kv": 16, "d_ff": 128, "num_heads": 4, "d_model": 64}, "t5"),
    ({"static_position_embeddings": True, "d_model": 64, "max_position_embeddings": 96}, "marian"),
    ({"tubelet_size": 2, "image_size": 32, "num_hidden_layers": 2}, "videomae"),
    ({"num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2}, "wav2vec2"),
    ({"slow_but_exact": False, "n_layer": 2}, "bloom"),
])  # fmt: skip
def test_fields_of_one_class_tell_it(config, kind):
    found = inspected(config)
    assert found.summary.startswith(f"{kind} ")
    assert "This is a guess" in found.warnings[0]


@each("config", [
    {**SIZES, "max_position_embeddings": 96},
    {"model_type": "own", "att_dim": 64, "att_heads": 4, "max_position_embeddings": 96},
    {"embed_dim": 64, "n_heads": 4, "max_len": 96},
    {"seed": 1, "own_part": {**SIZES, "max_position_embeddings": 96}},
])  # fmt: skip
def test_rows_and_a_width_alone_are_a_learned_table(config):
    found = inspected(config)
    assert found.summary.startswith("gpt2 adds a learned vector for each of 96 positions")
    assert "have 64 channels" in found.summary
    assert any("nothing else on positions. This is a guess" in line for line in found.warnings)


def test_the_part_of_kokoro_that_reads_phonemes_is_an_albert():
    found = inspected({"n_mels": 8, "plbert": {**SIZES, "max_position_embeddings": 96}})
    assert (found.level, found.claimed_length) == ("plbert", 96)
    assert "have 128 channels" in found.summary


@each(
    ("embedding", "words"),
    [(["speech", "sinusoidalpos"], "adds a fixed sinusoid for each position"), (["word", "pos"], "a learned vector")],
)
def test_vectors_that_are_added_up_are_told_without_a_length(embedding, words):
    found = inspected({"emb_size": 64, "heads_num": 4, "embedding": embedding, "tgt_embedding": ["word", "pos"]})
    assert words in found.summary
    assert "have 64 channels" in found.summary
    assert "What is written has a learned table: tgt_embedding." in found.warnings


def test_an_image_part_that_is_only_named_is_told_by_its_name():
    found = inspected({"model_type": "own", **TURNING, "vision_model_name": "google/siglip-own-patch14-56"})
    assert "(siglip-own-patch14-56) adds a learned vector for each of 4 x 4 patches, 16 rows" in found.summary
    assert any("vision_model_name" in line for line in found.unknown)
    assert "patches" not in inspected({**TURNING, "vision_model_name": "google/siglip-own-patch0-56"}).summary


@each(("name", "given", "words"), [
    ("FluxTransformer2DModel", {"axes_dims_rope": [8, 12, 12], **WIDE}, "8 + 12 + 12 of 32 … base is 10,000"),
    ("Flux2Transformer2DModel", {}, "32 + 32 + 32 + 32 of 128 … base is 2,000"),
    ("HunyuanVideoTransformer3DModel", {}, "16 + 56 + 56 of 128 … base is 256"),
    ("ZImageTransformer2DModel", {"rope_theta": 64.0}, "32 + 48 + 48 of 128 … base is 64"),
    ("WanTransformer3DModel", WIDE, "12 + 10 + 10 of 32 … at most 1,024 places"),
    ("CogVideoXTransformer3DModel", WIDE, "for each of 13 x 30 x 45 patches of a film, 64 channels wide"),
    ("CogVideoXTransformer3DModel", {"use_rotary_positional_embeddings": True}, "16 + 24 + 24 of 64"),
    ("SD3Transformer2DModel", {"pos_embed_max_size": 8, **WIDE}, "8 x 8 patches, 64 rows … around the middle"),
    ("AuraFlowTransformer2DModel", {"pos_embed_max_size": 64}, "a learned vector for each of 8 x 8 patches"),
    ("PixArtTransformer2DModel", {"sample_size": 64}, "for each of 32 x 32 patches, 1,152 channels wide"),
    ("SanaTransformer2DModel", {}, "has no positional encoding"),
    ("CogView4Transformer2DModel", WIDE, "16 + 16 of 32 … stretched to 256 x 256"),
    ("LuminaNextDiT2DModel", {}, "36 + 36 of 72 … base is 10,000"),
    ("LTXVideoTransformer3DModel", {}, "2,046 of all 2,048 channels"),
    ("MochiTransformer3DModel", {}, "all 64 pairs … 24 heads on their own"),
    ("StableAudioDiTModel", {}, "the first 32 of 64 channels … base 10,000"),
    ("PriorTransformer", {}, "81 tokens"),
    ("LatteTransformer3DModel", {"patch_size": 2}, "32 x 32 patches … sinusoids of 16 of them"),
    ("MotionAdapter", {"motion_max_seq_length": 24}, "each of 24 frames"),
    ("UNet2DConditionModel", {"attention_head_dim": 8}, "has no positional encoding"),
    ("CosmosTransformer3DModel", {},
     "44 + 42 + 42 of 128 … bases are 20,671, 10,000, 10,000; … at 24 frames a second; at most 128 places of each "
     "axis … each of 128 frames, 120 rows and 120 columns, 4,096 channels wide"),
    ("CosmosTransformer3DModel", {**WIDE, "rope_scale": [1, 3, 3.0], "max_size": [16, 48, 64], "patch_size": [1, 4, 4]},
     "12 + 10 + 10 of 32 … bases are 10,000, 39,482, 39,482; … at most 16 places … 16 frames, 12 rows and 16 columns, "
     "64 channels wide"),
    ("CosmosControlNetModel", {}, "44 + 42 + 42 of 128 … 128 places of each axis, a hard limit; its text turns"),
    ("CosmosControlNetModel", {"extra_pos_embed_type": "learnable", "model_channels": 512}, "512 channels wide"),
    ("Cosmos3OmniTransformer", {},
     "48 + 40 + 40 of 128 … base is 5,000,000; of its first pairs every third … 24 frames a second; … 15,000 places"),
    ("Cosmos3OmniTransformer", {"rope_axes_dim": None, "rope_scaling": {"mrope_section": [28, 20, 16]}},
     "56 + 40 + 32 of 128"),
    ("Cosmos3OmniTransformer", {"enable_fps_modulation": False, "unified_3d_mrope_temporal_modality_margin": 96},
     "third with the column; its text has … begin 96 places behind it"),
    ("Ideogram4Transformer2DModel", {}, "176 + 40 + 40 of 256 … base is 5,000,000"),
    ("Ideogram4Transformer2DModel", {**WIDE, "mrope_section": [6, 5, 4], "rope_theta": 500}, "14 + 10 + 8 of 32"),
    ("LTX2VideoTransformer3DModel", {},
     "4,092 of all 4,096 channels … base is 10,000; … at 20 s, 2,048 rows and 2,048 columns … sound turns all 2,048"),
    ("LTX2VideoTransformer3DModel", {**WIDE, "rope_theta": 500.0, "base_width": 96, "audio_attention_head_dim": 8},
     "60 of all 64 channels … to 500 pi / 2 … 2,048 rows and 96 columns … sound turns all 256"),
    ("SanaWMLTX2RefinerTransformer3DModel", {}, "4,092 of all 4,096 channels … 2,048 columns of pixels"),
    ("MiniMaxH3Transformer3DModel", {}, "32 + 32 + 32 of 128 … base is 10,000"),
    ("MiniMaxH3Transformer3DModel", {"rope_freq_dim": 4, "rope_theta": 500.0, **WIDE}, "8 + 8 + 8 of 32 … base is 500"),
    ("OmniGenTransformer2DModel", {},
     "all 96 channels … base 10,000; … up to 4,096 tokens … multiplied by 1.190; … 192 x 192 rows"),
    ("OmniGenTransformer2DModel", {"hidden_size": 512, "rope_base": 500, "max_position_embeddings": 2048,
     "pos_embed_max_size": 32}, "all 16 channels … base 500; … multiplied by 1.000; … 32 x 32 rows"),
    ("AceStepTransformer1DModel", {}, "all 128 channels … base 1,000,000 … is 2 frames … 128 places on each side"),
    ("AceStepTransformer1DModel", {"head_dim": 32, "rope_theta": 500.0, "patch_size": 4, "sliding_window": 8},
     "all 32 channels … base 500 … is 4 frames … 8 places on each side"),
    ("StableAudio3DiTModel", {}, "the first 32 of 64 channels … base 10,000 … 64 learned tokens"),
    ("StableAudio3DiTModel", {"num_heads": 12, "num_memory_tokens": 0}, "the first 64 of 128 channels … 0 learned"),
    ("MiniMaxMusic3Transformer1DModel", {}, "the first 32 of 64 channels of a head by RoPE of base 10,000."),
    ("MiniMaxMusic3Transformer1DModel", {"rotary_dim": 8, **WIDE}, "the first 8 of 32 channels"),
    ("MiniMaxMusic3RVQDepthDecoder", {}, "each of 16 tokens, 4,096 channels wide"),
    ("AutoencoderSAME", {}, "the first 32 of 64 channels … at most 17 others"),
    ("LongCatAudioDiTTransformer", {}, "all 64 channels … base 100,000, also where it attends to its text"),
    ("LongCatAudioDiTTransformer", {"dit_heads": 12}, "all 128 channels"),
    ("AnimaTextConditioner", {}, "all 64 channels … base 10,000, also where it attends to its text"),
    ("T5FilmDecoder", {}, "each of 256 frames of sound, 768 channels wide"),
    ("T5FilmDecoder", {"targets_length": 96, "d_model": 64}, "each of 96 frames of sound, 64 channels wide"),
    ("ZImageControlNetModel", {}, "by the axes of the transformer that it is loaded with"),
    ("Flux3Transformer2DModel", {}, "32 + 32 + 32 + 32 of 128 … base is 10,000"),
    ("Krea2Transformer2DModel", {}, "32 + 48 + 48 of 128 … base is 1,000"),
    ("Krea2Transformer2DModel", {"axes_dims_rope": [8, 12, 12], "rope_theta": 500.0, **WIDE}, "base is 500"),
    ("MotifVideoTransformer3DModel", {}, "16 + 56 + 56 of 128 … base is 256"),
    ("QwenImage21Transformer2DModel", {}, "16 + 56 + 56 of 128 … rows and columns are counted from the middle"),
    ("NucleusMoEImageTransformer2DModel", {}, "16 + 56 + 56 of 128 … counted from the middle"),
    ("ErnieImageTransformer2DModel", {}, "32 + 48 + 48 of 128 … base is 256; … the two turn by different angles"),
    ("ErnieImageTransformer2DModel", {"rope_axes_dim": [8, 12, 12], "rope_theta": 500}, "8 + 12 + 12 of 32 … is 500"),
    ("JoyImageEditTransformer3DModel", {}, "16 + 56 + 56 of 128 … base is 256; its text turns nothing"),
    ("JoyImageEditTransformer3DModel", {"rope_type": "mrope", "theta": 500}, "is 500; its text goes on behind them"),
    ("JoyImageEditPlusTransformer3DModel", {}, "16 + 56 + 56 of 128 … base is 256; its text turns nothing"),
    ("PRXTransformer2DModel", {}, "32 + 32 of 64 … base is 10,000; its text turns nothing"),
    ("PRXTransformer2DModel", {"axes_dim": None, "theta": 500}, "32 + 32 of 64 … base is 500"),
    ("HeliosTransformer3DModel", {}, "44 + 42 + 42 of 128 … base is 10,000; … the mean of the cosines and sines"),
    ("HeliosTransformer3DModel", {"rope_dim": [8, 12, 12], "rope_theta": 500.0, **WIDE}, "8 + 12 + 12 of 32 … is 500"),
    ("BriaFibo2Transformer2DModel", {}, "32 + 48 + 48 of 128 … base is 256; at most 2,048, 512, 512 places"),
    ("Kandinsky6Transformer3DModel", {},
     "32 + 48 + 48 of 128 … base is 10,000; … divided by 1, 2, 2; at most 128 places … 2,048 places of each"),
    ("Kandinsky6Transformer3DModel", {"scale_factor": [1.0, 4.0, 3.0], "audio_freqs_scaling": 0.5},
     "divided by 1, 4, 3; … places of its sound are multiplied by 0.5"),
    ("Kandinsky6SRTransformer3DModel", {}, "16 + 24 + 24 of 64 … divided by 1, 2, 2; at most 128 places of each axis"),
    ("AnyFlowTransformer3DModel", {}, "44 + 42 + 42 of 128 … places of each axis, a hard limit; its text"),
    ("AnyFlowFARTransformer3DModel", WIDE, "12 + 10 + 10 of 32 … at most 1,024 places … at the middle of the places"),
    ("ChronoEditTransformer3DModel", {}, "44 + 42 + 42 of 128 … at most 1,024 places … the places 0 and 7"),
    ("ChronoEditTransformer3DModel", {"rope_temporal_skip_len": 5}, "the places 0 and 4"),
    ("SanaVideoTransformer3DModel", {}, "40 + 36 + 36 of 112 … at most 1,024 places … its attention is linear"),
    ("SanaVideoTransformer3DModel", {"rope_max_seq_len": 64, **WIDE}, "12 + 10 + 10 of 32 … at most 64 places"),
    ("SanaWMTransformer3DModel", {}, "40 + 36 + 36 of 112 … at most 1,024 places … second attention turns 56 channels"),
    ("SanaWMTransformer3DModel", {"use_pe": False}, "has no positional encoding"),
    ("WanAnimate2Transformer3DModel", {}, "44 + 42 + 42 of 128 … at most 512 places … reference begins at 1, 0, -1"),
    ("WanAnimate2Transformer3DModel", {"dim": 96, "num_heads": 1, "refer_offset_t": 3}, "32 + 32 + 32 … 3, 0, -1"),
    ("ConsisIDTransformer3DModel", {}, "for each of 13 x 30 x 45 patches of a film, 1,920 channels wide"),
    ("ConsisIDTransformer3DModel", {"use_rotary_positional_embeddings": True}, "16 + 24 + 24 of 64"),
    ("HunyuanDiT2DControlNetModel", {}, "44 + 44 of 88 … it adds 257 rows of 2,048 channels"),
    ("GlmImageTransformer2DModel", {}, "20 + 20 of 40 … base is 10,000; its text turns nothing"),
    ("UVit2DModel", {}, "has no positional encoding"),
    ("PriorTransformer", {"num_embeddings": 8, "embedding_dim": 96, **WIDE},
     "12 tokens, 64 channels wide, a hard limit; a token sees none behind it."),
    ("SD3ControlNetModel", {"use_pos_embed": False}, "fixed sinusoids of the transformer that it is loaded with"),
    ("Kandinsky5Transformer3DModel", {}, "at most 128 places of each axis … by one number, at most 1,024 places"),
    ("UNet2DConditionModel", {"attention_type": "gated"}, "a box that is given … its four sides, of base 100"),
    ("CogVideoXTransformer3DModel", {"use_rotary_positional_embeddings": True, "patch_size_t": 2, "sample_width": 80},
     "has 7 x 30 x 40 patches; at most 30 rows and 40 columns"),
    ("CogVideoXTransformer3DModel", {"use_rotary_positional_embeddings": True, "sample_width": 80,
     "use_learned_positional_embeddings": True}, "stretched to a grid of 30 x 40 … another number of frames gets"),
    ("UniDiffuserModel", {"use_data_type_embedding": True, "num_text_tokens": 8, "sample_size": 64, "patch_size": 2},
     "each of 1,036 tokens, … 1,408 channels wide"),
    ("PRXTransformer2DModel", {"axes_dim": [8, 8], "theta": 500, "num_heads": 4}, "8 + 8 of 16 … base is 500"),
    ("HunyuanDiT2DModel", {"patch_size": 4}, "a grid of 16 x 16 patches; its text turns nothing"),
    ("HunyuanVideoFramepackTransformer3DModel", {}, "that a call gives them … the mean of the cosines and sines"),
    ("WanTransformer3DModel", {"pos_embed_seq_len": 6, "image_dim": 96}, "each of 6 tokens of images … 96 channels"),
    ("AutoencoderSAME", {"encoder_strides": [2, 4], "sliding_window": 3}, "at most 9, 15 others on each side"),
    ("AutoencoderKL", {"scaling_factor": 0.5}, "has no positional encoding"),
    ("QwenImageTransformer2DModel", {}, "at most 8,192 of them … half of the longer side … up to 4,096"),
    ("OmniGenTransformer2DModel", {"pos_embed_max_size": 96}, "places of rows and columns are divided by 1.5"),
    ("LatteTransformer3DModel", {"patch_size": 2, "video_length": 8}, "of 8 of them; another number of frames is"),
    ("LuminaNextDiT2DModel", {}, "at most 384 rows … times as large its sides are … its text turns nothing"),
    ("Transformer2DModel", {"num_vector_embeds": 9, "sample_size": 6, **WIDE}, "6 rows and 6 columns, 64 channels"),
    ("Transformer2DModel", {"in_channels": 9}, "has no positional encoding"),
    ("MMAudioVocoder", {}, "has no positional encoding"),
    ("FluxTransformer2DModel", {}, "at 0 of all axes and turns nothing … on the last two; images … first axis from 1."),
    *((name, {}, "is 10,000; in its pipeline its text stands at 0 of all axes and turns nothing … on the last two.")
      for name in ("FluxControlNetModel", "ChromaTransformer2DModel", "BriaTransformer2DModel")),
    ("BriaFiboTransformer2DModel", {}, "at 0 of all axes … images that come as further tokens are numbered"),
    ("Krea2Transformer2DModel", {}, "its text stands at 0 of all axes"),
    ("LongCatImageTransformer2DModel", {}, "and behind it rows and columns … the first is 0 for its text, 1 for an"),
    ("OvisImageTransformer2DModel", {}, "rows and columns of an image from 0, too"),
    ("QwenImage21Transformer2DModel", {}, "its text has one number on all axes … from −1,024 to 8,191, and a place"),
    ("QwenImageTransformer2DModel", {}, "images that come as further tokens are numbered on the first axis from 1"),
    ("Flux2Transformer2DModel", {}, "the last axis counts its text … 10, 20 and so on on the first"),
    ("Flux3Transformer2DModel", {}, "the last axis counts its text … these are halved … −1, −2 and so on on the last"),
    ("ErnieImageTransformer2DModel", {}, "its text is counted on the first axis from 0"),
    ("JoyImageEditPlusTransformer3DModel", {}, "images that are given follow as further frames"),
    ("Lumina2Transformer2DModel", {"sample_size": 32}, "an image of 32 x 32 latents has 16 x 16 patches"),
    ("HiDreamImageTransformer2DModel", {"patch_size": 2, "max_resolution": [64, 32]},
     "its text turns nothing; the first number of a place is 0; an image … has at most 512 patches, a hard limit"),
    ("ZImageTransformer2DModel", {"siglip_feat_dim": 8}, "what SigLIP makes of images that are given"),
    ("BriaFibo2Transformer2DModel", {"max_num_gist_tokens": 8}, "stands there at 9, … its text turns nothing"),
    *((name, {}, "; its text turns nothing.") for name in (
        "LTXVideoTransformer3DModel", "MochiTransformer3DModel", "CosmosTransformer3DModel", "CosmosControlNetModel",
        "HeliosTransformer3DModel", "WanTransformer3DModel", "SanaWMTransformer3DModel", "CogView4Transformer2DModel",
        "AllegroTransformer3DModel", "WanAnimate2Transformer3DModel")),
    ("SanaWMLTX2RefinerTransformer3DModel", {}, "columns of pixels; its text turns nothing"),
    ("LTX2VideoTransformer3DModel", {"use_keyframes_abs_pos_embedding": True}, "frames that a call marks have one"),
    ("WanAnimate2Transformer3DModel", {"refer_stride": 2}, "its own size; its frames are 2 places apart"),
    ("Cosmos3OmniTransformer", {"base_fps": 12, "unified_3d_mrope_temporal_modality_margin": 9},
     "at 12 frames a second; its text has one number on all axes, and … begin 9 places behind it."),
    ("Cosmos3OmniTransformer", {"unified_3d_mrope_reset_spatial_ids": False}, "rows and columns begin there, too"),
    ("Ideogram4Transformer2DModel", {}, "one number on all axes from 0, … from 65,536"),
    ("MiniMaxH3Transformer3DModel", {}, "on the first axis alone … scaled to an area of 32 x 32"),
    ("AllegroTransformer3DModel", {"sample_width": 80, "sample_frames": 8}, "a film has 8 x 45 x 40 patches"),
    ("HunyuanDiT2DModel", {"patch_size": 2, "text_len": 8}, "264 vectors … an image of 32 x 32 latents has 16 x 16"),
    ("LuminaNextDiT2DModel", {"sample_size": 64}, "an image of 64 x 64 latents has 32 x 32 patches"),
    ("CogView3PlusTransformer2DModel", {"sample_size": 64}, "has 32 x 32 patches; its text has no positions"),
    ("SD3Transformer2DModel", {"sample_size": 64}, "has 32 x 32 patches; its text has no positions"),
    ("AuraFlowTransformer2DModel", {"sample_size": 32},
     "some are refused, or take vectors of other rows; … has 16 x 16 patches; its text has no positions"),
    ("DiTTransformer2DModel", {}, "for each of 16 x 16 patches"),
    ("PixArtTransformer2DModel", {}, "its text has no positions"),
    ("SanaTransformer2DModel", {"interpolation_scale": 1}, "its text has no positions"),
    ("LatteTransformer3DModel", {"patch_size": 2}, "1,408 channels wide; … its text has no positions"),
    ("Transformer2DModel", {"sample_size": 64, "patch_size": 2, "caption_channels": 8},
     "1,408 channels wide; … its text has no positions"),
    ("StableAudioDiTModel", {}, "1,024 places, behind one of its length"),
])  # fmt: skip
def test_classes_of_diffusers_are_read_by_their_fields(name, given, words):
    found = inspected({"_class_name": name, **given})
    assert has(words, found.summary)
    assert found.warnings == (f"{name} is a class of diffusers: it is read by what its code does in version 0.42.1.",)


@each(("config", "words"), [
    ({"model_type": "roberta", **BERT, "pad_token_id": 3}, "each of 92 positions, a hard limit; 4 rows of its table"),
    ({"model_type": "xlm-roberta-xl", **BERT, "pad_token_id": 0}, "each of 95 positions, a hard limit; 1 row of its"),
    ({"model_type": "deberta", **BERT, "relative_attention": True}, "192 rows … distances from 96 on share one"),
    ({"model_type": "deberta-v2", **BERT, "relative_attention": True, "position_buckets": 8},
     "those below 4 have one each, and farther ones share the last"),
    ({"model_type": "nystromformer", "num_landmarks": 8, "segment_means_seq_len": 96},
     "told from 8 landmarks, each the mean of 12 tokens in a row; a text must have 96 tokens"),
    ({"model_type": "xlnet", "attn_type": "uni", "mem_len": 96, "same_length": True}, "itself and at most 96 before"),
    ({"model_type": "transfo-xl", "mem_len": 96, "same_length": True}, "itself and at most 95 before it"),
    ({"model_type": "model2vec", "seq_length": 96}, "the mean of the vectors of all tokens … it claims 96 tokens"),
    ({"ssm_cfg": {"d_conv": 3}, "d_model": 64, "n_layer": 2}, "reads 3 tokens at a time"),
    ({"model_type": "rwkv7", "max_position_embeddings": 96}, "joins a token with the one before it … claims 96 tokens"),
    ({"model_type": "nvembed", "text_config": {"model_type": "bidir_mistral", **HEADS, "sliding_window": 8},
      "latent_attention_config": {"num_latents_value": 96}}, "as far ahead as back … ask 96 learned latents"),
    ({"model_type": "bailing_moe", **HEADS}, "turn all 16 channels"),
    ({"model_type": "bailing_moe_v2", **HEADS, "partial_rotary_factor": 0.5, "rotary_dim": 8}, "turn 8 of 16 channels"),
    ({"model_type": "cost_wise_gemma", **HEADS, "sliding_window": 8, "head_dim": 16}, "seeing at most 8 tokens"),
    ({"model_type": "phi3small", **HEADS, "max_position_embeddings": 96, "rope_scaling": {"type": "su",
      "short_factor": [1.0] * 8, "long_factor": [2.0] * 8, "original_max_position_embeddings": 24}},
     "with LongRoPE, factor 4 from 24 tokens"),
    ({"model_type": "git", "architectures": ["Grok1ForCausalLM"], **HEADS, "rope_theta": 500.0, "scaling_factor": 4.0,
      "rope_type": "rope_extended", "original_max_position_embeddings": 24, "max_position_embeddings": 96},
     "base 500 with YaRN, factor 4 from 24 tokens; it claims 96 tokens."),
])  # fmt: skip
def test_models_of_text_are_read_as_their_code_does(config, words):
    found = inspected(config)
    assert has(words, found.summary)
    assert not any("not known, because" in line or "built-in" in line for line in found.warnings)
    assert not any("its type is not known" in one for one in found.unknown)


@each(("config", "pairs"), [
    ({"model_type": "new", "architectures": ["NewModel"], **HEADS}, "halves"),
    ({"model_type": "openelm", **HEADS, "rope_max_length": 96}, "halves"),
    ({"model_type": "llada", **HEADS, "rope": True, "rope_full_precision": True, "alibi_bias_max": 8.0}, "halves"),
    ({"model_type": "chatglm", **HEADS, "original_rope": True}, "neighbours"),
    ({"model_type": "xlm-roberta", "auto_map": {"AutoModel": "jinaai/some--code.Model"}, **HEADS, **ROPED}, "halves"),
])  # fmt: skip
def test_the_pairs_of_code_that_is_known_are_told(config, pairs):
    found = inspected(config)
    assert found.pairs == pairs
    assert not any("not known, because" in line for line in found.warnings)


def test_a_rule_of_own_code_is_not_missed_and_a_longer_length_is_told():
    old = {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 8192, "rotary_emb_base": 500.0}
    grows = inspected({"model_type": "nomic_bert", **old, "max_trained_positions": 96, "rotary_scaling_factor": 2})
    assert "no rule scales" not in " ".join(grows.warnings)
    longer = inspected({"model_type": "cohere", "max_position_embeddings": 96, "model_max_length": 8192})
    assert any("model_max_length 8,192 is read by no class" in line for line in longer.warnings)
    assert not any("model_max_length." in line for line in longer.warnings)
    jina = inspected({"model_type": "bert", "auto_map": {"AutoModel": "jinaai/some--modeling.Model"}, **BERT,
                      "position_embedding_type": "alibi"})  # fmt: skip
    assert jina.mechanism == "alibi"
    assert "guess" not in " ".join(jina.warnings)
