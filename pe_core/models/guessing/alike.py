"""Types that are read as another one, and the rules and names of their own code."""

import math
from collections.abc import Mapping

from pe_core.models.classes import CLASSES
from pe_core.models.fields import MAX_LENGTH, MAX_NUMBER, is_number
from pe_core.models.guessing.rotary_fields import by_rotary_fields
from pe_core.models.kinds.retired import LIKE_ANOTHER
from pe_core.models.kinds.sizes import kept_sizes
from pe_core.models.names import LENGTH, MAX_NAME, canonical, first_class, without
from pe_core.models.reading import Json, is_whole, shown
from pe_core.models.turning.layers import MAX_LAYERS
from pe_core.models.turning.rotation import RULES

MAX_FACTOR = 1_000_000  # of the rule `ntk`
LLAMAS = ("internlm3", "iquestcoder")  # types of transformers 5.23 whose model is Llama's
OF_AXES_OF_TEXT = ("mrope_section", "mrope_interleaved", "interleaved")  # of M-RoPE
# Types that files have and transformers 5.23 does not, or whose class is that of another: read as the type in front.
# `llava` is a flat file of the first code, without text_config, `transformer` that of flash-linear-attention.
KINDS_ALIKE: Mapping[str, str] = {
    "bart": "florence2_language",
    "bloom": "gpt_refact",
    "codegen": "codet5p_module progen",
    "deepseek_v3": "kimi_k2",
    "ernie4_5_vl_moe_text": "ernie4_5_moe_vl",
    "esm": "fast_esm rinalmo utrlm",
    "falcon": "RefinedWeb RefinedWebModel",
    "gemma2": "cost_wise_gemma t5_gemma_module",
    "glm": "chatglm",
    "gptj": "moss",
    "helium": "huginn_raven",
    "hubert": "mert_model",
    "hunyuan_v1_moe": "hunyuan",
    "lfm2": "stripedhyena",
    "llama": "Emu3 Yi aquila arctic baichuan bd3lm bidir_mistral codeshell cogvlm deci deepseek exaone "
    "granite4_vision_text grok-1 higgs_audio_v2 internlm internlm2 internlm3 iquestcoder llada llada_moe "
    "llama_bidirec llava llava_llama mdlm minicpm minicpmo minicpmv molformer molmo monkey mplug_owl2 "
    "nemotron-nas openelm orion ouro phi3small plamo progen3 qwen skywork step3_text sundial telechat time_moe "
    "timer xverse",
    "minimax_m2": "minimax_m1 minimax_text_01",
    "minimax_m3_vl_text": "minimax_m3",
    "ministral": "plamo2",
    "mistral": "llava_mistral transformer videollama2_mistral",
    "olmo": "hf_olmo",
    "persimmon": "fuyu",
    "phi": "mixformer-sequential moondream1 phi-msft",
    "phi3": "phi3_v phi4-siglip",
    "phi4_multimodal": "phi4mm",
    "qwen2": "Dream GOT dots_ocr hymba kimi_audio llava-qwen2 llava_qwen llava_qwen2 mimo mplugowl3 valley "
    "videollama3_qwen2",
    "qwen2_5_vl_text": "Keye KeyeVL1_5",
    "qwen3": "LLaVAOneVision1_5_text sdar qwen3_tts_talker_code_predictor",
    "qwen3_vl_text": "qwen3_asr_text qwen3_tts_talker",
    "rwkv": "rwkv5 rwkv6 rwkv7",
    "stablelm": "bailing_moe bailing_moe_linear bailing_moe_v2 llada2_moe stablelm_epoch yuan",
    "t5": "codet5p_embedding",
    "xlm-roberta": "xlm-token",
    "xlnet": "transfo-xl",
    "xlstm": "tirex",
}
ALIKE = {kind: like for like, kinds in KINDS_ALIKE.items() for kind in kinds.split()} | dict(LIKE_ANOTHER)
OBEYED: Mapping[str, str] = {  # fields that the code of such a type obeys, and no class of transformers
    "block_configs": "block_configs is ignored by transformers, and obeyed by the model's own code: some layers "
    "may have no attention.",
    "blocksparse_block_size": "blocksparse_block_size is obeyed by the code of that model alone: in some layers a "
    "token sees only blocks near it and some far ones.",
    "kimia_mimo_layers": "kimia_mimo_layers is obeyed by the code of that model alone: so many further layers speak, "
    "which turn as the others do.",
    "use_whisper_feature": "use_whisper_feature is obeyed by the code of that model alone: what it hears comes from an "
    "encoder of Whisper, whose positions are not told here.",
    "layer_group_size": "layer_group_size is obeyed by the code of that model alone: one layer of so many has softmax "
    "attention, the others have linear attention that fades with the distance; all of them turn.",
    "sparse_config": "sparse_config is obeyed by the code of that model alone: in a long text a token reads the first "
    "blocks, those near it, and some others that it picks.",
    "position_encoding_2d": "position_encoding_2d is obeyed by the code of that model alone: the other half of the "
    "channels turns with the place within the answer, for which the first half stands still; tokens of the prompt see "
    "each other, those behind them, too.",
    "lookahead": "lookahead is obeyed by the code of that model alone: it limits how far ahead a token sees.",
    "hyper_layers": "hyper_layers is obeyed by the code of that model alone: these layers read images, too, and all "
    "patches of one turn by its place in the text.",
    "use_dynamic_ntk": "use_dynamic_ntk is ignored by transformers, and obeyed by the model's own code: the base grows "
    "with a text beyond seq_length, the trained length, in steps: each time that the text is twice as long.",
    "attn": "attn is ignored by transformers, and obeyed by the model's own code: the layers that it names have "
    "attention, with RoPE.",
    "use_logn_attn": "use_logn_attn is ignored by transformers, and obeyed by the model's own code: queries grow with "
    "their position beyond seq_length, the trained length.",
}


def obeyed(given: Json) -> list[str]:
    """Return sentences on fields that the code of such a type obeys alone, and take these fields away."""
    block = given.get("blocksparse_block_size")
    own = given.get("block_configs")  # of Nemotron
    blocks = own if isinstance(own, list) else []
    attentions = [one.get("attention") for one in blocks if isinstance(one, dict)]
    without = sum(isinstance(one, dict) and one.get("no_op") is True for one in attentions)
    told = [sentence for name, sentence in OBEYED.items() if given.pop(name, None)]
    if without:
        told.append(f"{without:,} of the {len(blocks):,} layers in block_configs have no attention.")
    sizes = [given.pop(f"blocksparse_{name}", None) for name in ("num_local_blocks", "vert_stride")]
    every = given.pop("dense_attention_every_n_layers", None)
    if all(type(one) is int for one in (block, *sizes, every)):  # of Phi-3-small
        told.append(
            f"One layer of {every:,} sees all tokens; in the others a token sees its own and {sizes[0] - 1:,} blocks "
            f"before it, and one of {sizes[1]:,} of those farther off; a block has {block:,} tokens."
        )
    return told


def ntk_factor(given: Json) -> float | None:
    """Return the factor of the rule `ntk` of GTE's own code, None without it and for its mixed form."""
    scaling, ours = given.get("rope_scaling"), first_class(given).startswith(("New", "Gte"))
    if not isinstance(scaling, dict) or scaling.get("mixed_b") is not None:
        return None
    factor = scaling.get("factor")
    named = "ntk" in (scaling.get("type"), scaling.get("rope_type")) and (
        ours or given.get("model_type") in ("gte", "new")
    )
    if not named or isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= MAX_FACTOR:
        return None
    return float(factor)


def without_own_rule(given: Json) -> tuple[Json, tuple[str, ...]]:
    """Return the fields without a rule that the code of such a model has and transformers has not, and what is told."""
    scaling = given.get("rope_scaling")
    if given.get("model_type") == "hymba" and given.get("rope_type") == "ntk":
        return _of_hymba(given)
    rule = scaling.get("rope_type", scaling.get("type")) if isinstance(scaling, dict) else None
    rest = without(given, "rope_scaling")
    like = CLASSES.get(ALIKE.get(str(given.get("model_type")), ""))
    if isinstance(scaling, dict) and like is not None and like.multimodal is not None:
        return {**given, "rope_scaling": {one: scaling[one] for one in scaling if one != "interleaved"}}, ()
    if rule == "mrope":
        told = "rope_scaling.type mrope splits pairs over time, height and width: a text turns them as plain RoPE does."
        return rest, (told,)
    if isinstance(scaling, dict) and "mrope_section" in scaling and rule in (None, *RULES):
        plain = without(scaling, *OF_AXES_OF_TEXT)
        told = f"rope_scaling.mrope_section {shown(scaling['mrope_section'])} splits pairs over time, height and "
        return {**given, "rope_scaling": plain}, (f"{told}width: a text turns them as RoPE of one axis does.",)
    if not isinstance(rule, str) or rule in (*RULES, "su"):
        return given, ()
    if (factor := ntk_factor(given)) is not None:
        told = f"rope_scaling.type ntk is a rule of that model's own code: the base is multiplied by {factor:g}, and "
        told += f"all frequencies are divided by {factor:g} to the power of 2 / channels."
        return rest, (told,)
    told = f"rope_scaling.type {rule[:MAX_NAME]} is a rule of that model's own code: the frequencies here are those "
    told += "before it."
    return rest, (told,)


def _of_hymba(given: Json) -> tuple[Json, tuple[str, ...]]:
    """Return the fields of Hymba with the base of its rule: that of dynamic NTK, factor 2, at the claimed length."""
    names = ("hidden_size", "num_attention_heads", LENGTH, "orig_max_position_embeddings")
    sizes = [one for name in names if type(one := given.get(name)) is int and one > 0]
    base = given.get("rope_theta", 10_000.0)
    if len(sizes) < len(names) or type(base) not in (int, float):
        return given, ()
    width, heads, length, original = sizes
    head_dim = width // heads
    if head_dim < 4 or length < original or not 1 <= base <= MAX_NUMBER:
        return given, ()
    raised = base * (2 * length / original - 1) ** (head_dim / (head_dim - 2))
    told = f"rope_type ntk is a rule of that model's own code: for {length:,} tokens in place of {original:,} the base "
    told += f"{base:,.0f} becomes {raised:,.0f}."
    read = ("rope_theta", "rope_type", "orig_max_position_embeddings", "seq_length")
    return without(given, *read) | {"rope_theta": raised}, (told,)


def by_names_here(given: Json, kind: str | None) -> Json:
    """Return the fields by the names that they have here, and without those that say the same in another way."""
    found = canonical(given)
    match kind:
        case "Dream" | "llada_moe" | "mdlm" | "molformer":  # all but the last write by diffusion
            found["is_causal"] = False
        case "codet5p_embedding":  # the encoder alone
            found["is_encoder_decoder"] = False
        case "codet5p_module" if found.get("is_decoder") is not True:
            found["is_causal"] = False
        case "gpt_refact":
            return kept_sizes(given) | {"model_type": kind, "seq_length": found.get(LENGTH)}
        case "hymba":
            return without(by_rotary_fields(given, "").given, "rope")
        case "hf_olmo" | "llada":
            if kind == "llada":
                found["is_causal"] = False
            if found.get("rope") is True and not found.get("alibi"):
                return without(found, "rope", "rope_full_precision", "alibi_bias_max")
        case "bailing_moe" | "bailing_moe_v2" | "llada2_moe":  # the first turns all channels, the others say how many
            found.setdefault("partial_rotary_factor", 1.0)
            return without(found, "rotary_dim")  # which its code does not read
        case "openelm":  # so many places are prepared, and more when a text is longer
            return without(found, "rope_max_length")
        case "bd3lm":  # block_size is that of its diffusion, by which it writes
            rest = without(found, "block_size")
            return {**rest, LENGTH: given.get("model_length", 1024), "is_causal": False}
        case "minimax_m1" | "minimax_text_01" if isinstance(kinds := found.pop("attn_type_list", None), list):
            found["layer_types"] = ["full_attention" if one == 1 else "linear_attention" for one in kinds]
        case "mixformer-sequential" | "phi-msft":  # Phi's first code tells how many channels turn
            turned, width, heads = found.pop("rotary_dim", None), given.get("n_embd"), given.get("n_head")
            if isinstance(turned, int) and isinstance(width, int) and isinstance(heads, int) and width >= heads > 0:
                found["partial_rotary_factor"] = turned / (width // heads)
        case "internlm" if isinstance(own := found.pop("rotary", None), dict):  # base and rule of the first version
            found["rope_theta"] = own.get("base", 10_000)
            if own.get("type") == "dynamic":
                found["rope_scaling"] = {"type": "dynamic", "factor": own.get("scaling_factor", 1.0)}
        case "baichuan" if given.get("hidden_size") not in (None, 4096):  # that of 13B has ALiBi, and no field of it
            return kept_sizes(found) | {"model_type": "baichuan", "alibi": True, "seq_length": found.get(LENGTH)}
        case "chatglm" | "huginn_raven" | "hunyuan":
            width, heads = found.get("hidden_size"), found.get("num_attention_heads")
            if isinstance(width, int) and isinstance(heads, int) and width >= heads > 0:
                found.setdefault("head_dim", width // heads)
            found.pop("original_rope", None)  # of GLM-4, whose code hands it on and does not look at it
            if kind == "chatglm" and isinstance(ratio := found.pop("rope_ratio", 1), int | float):
                found["rope_theta"] = 10_000.0 * ratio
        case "minicpmo" | "minicpmv" if found.get("use_sliding_window") is False:  # with the fields of Qwen 2
            return without(found, "sliding_window", "use_sliding_window", "max_window_layers")
        case "molmo":
            found.pop("use_position_ids", None)
        case "phi3_v" | "phi3small":  # with the older name of LongRoPE, whose lengths its own code reads at the top
            scaling = found.get("rope_scaling")
            if isinstance(scaling, dict) and scaling.get("type") == "su":
                found["rope_scaling"] = {**scaling, "type": "longrope"}
        case "plamo2":
            return _of_plamo2(found)
        case "stripedhyena":
            scaled = given.get("use_interpolated_rotary_pos_emb") is True
            found = found if scaled else canonical(without(given, "rotary_emb_scaling_factor"))
            own = {"full_attn_idxs": found.get("attn_layer_idxs")}
            return without(found, "attn_layer_idxs", "use_interpolated_rotary_pos_emb") | own
        case "telechat":
            return _of_telechat(found)
        case "trajectory_transformer":  # its table has a row for each number of a state, an action or a reward
            return kept_sizes(found) | {"n_positions": given.get("block_size", 249)}
        case "transfo-xl":
            found["attn_type"] = "uni"
        case "transformer":
            return {"sliding_window": found.pop("window_size", None), LENGTH: 2048, **found}
        case "yuan":  # of whose heads the first channels turn, counted by the width of the model and not of its heads
            part = found.setdefault("partial_rotary_factor", 1.0)
            width, heads = found.get("hidden_size"), found.get("num_attention_heads")
            whole = found.get("attention_projection_size")
            if is_number(part) and isinstance(width, int) and isinstance(heads, int) and is_whole(whole, width):
                found |= {"partial_rotary_factor": part * width / whole, "head_dim": whole // max(heads, 1)}
                del found["attention_projection_size"]
        case "vit-hybrid":
            if isinstance(maps := given.get("backbone_featmap_shape", [1024, 24, 24]), list) and maps:
                found |= {"image_size": maps[-1], "patch_size": given.get("patch_size", 1)}
    return found


def _of_telechat(given: Json) -> Json:
    """Return the fields of TeleChat with the base that its code has for a text of the trained length."""
    names = ("base_seqlen", "training_seqlen", "hidden_size", "num_attention_heads")
    sizes = [one for name in names if is_whole(one := given.get(name), 1, MAX_LENGTH)]
    if len(sizes) < len(names) or sizes[2] < 4 * sizes[3]:
        return given
    first, seen, width, heads = sizes
    alpha, head_dim = max(2 ** math.ceil(math.log2(seen / first) + 1) - 1, 1), width // heads
    return {**given, "rope_theta": 10_000.0 * alpha ** (head_dim / (head_dim - 2))}


def _of_plamo2(given: Json) -> Json:
    """Return the fields of PLaMo 2 with the kind of each layer: one in `mamba_step` has attention, and a window."""
    count, step, whole = (given.get(name) for name in ("num_hidden_layers", "mamba_step", "full_attention_idx"))
    found = {
        "sliding_window": given.get("attention_window_size", 2048),
        "head_dim": given.get("hidden_size_per_head", 128),
        **without(given, "attention_window_size", "full_attention_idx"),
    }
    if type(count) is not int or type(step) is not int or step < 2 or not 0 < count <= MAX_LAYERS:
        return found
    attends = step // 2 if count > step // 2 else count - 1
    seen = whole if isinstance(whole, list) else []
    kinds = ["full_attention" if i in seen else "sliding_attention" for i in range(count)]
    mamba = given.get("mamba_enabled", True) is True
    found["layer_types"] = ["mamba" if mamba and i % step != attends else kind for i, kind in enumerate(kinds)]
    return found
