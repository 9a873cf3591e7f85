"""Which object of a configuration has the settings of the text, and as which type of model it is read.

A type that is not known here is read as another one where `architectures` names its class, or where it is known to be
alike, or where the fields look like it. Such a reading is a guess, and is told as one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pe_core.models.classes import CLASSES, COMPOSITES, PREFIXES
from pe_core.models.others import OTHERS
from pe_core.models.reading import ConfigError, Json, refuse, shown

LEVELS = ("text_config", "llm_config", "language_config", "thinker_config", "decoder")
BESIDE = ("vision_config", "audio_config", "encoder", "speech_config", "audio_encoder")
MAX_NAME = 100
TURNS = re.compile("rope|rotary|alibi")

# Types that files have and transformers 5.23 does not, or whose class is that of another type: read as the second.
ALIKE: Mapping[str, str] = {
    "aquila": "llama",
    "baichuan": "llama",
    "deepseek": "llama",
    "internlm": "llama",
    "internlm2": "llama",
    "minicpm": "llama",
    "xverse": "llama",
    "kimi_k2": "deepseek_v3",
    "mimo": "qwen2",
    "minimax_m1": "minimax_m2",
    "minimax_text_01": "minimax_m2",
    "exaone": "llama",
    "fuyu": "persimmon",
    "hf_olmo": "olmo",
    "llava": "llama",  # a flat file of the first code, without text_config
    "llava_llama": "llama",
    "llava_mistral": "mistral",
    "llava_qwen": "qwen2",
    "minimax_m3": "minimax_m3_vl_text",
    "nemotron-nas": "llama",
    "phi3_v": "phi3",
    "phi3small": "llama",
    "rwkv5": "rwkv",
    "rwkv6": "rwkv",
    "skywork": "llama",
    "step3_text": "llama",
    "transfo-xl": "xlnet",
    "phi-msft": "phi",
    "qwen": "llama",
    "stablelm_epoch": "stablelm",
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
    "chatglm": "glm",
    "t5_gemma_module": "gemma2",
    "yuan": "llama",
    "delta_net": "mamba",
    "gated_deltanet": "mamba",
    "gla": "mamba",
}
# What older code of such a type calls a field, and what it is here.
NAMES: Mapping[str, Mapping[str, str]] = {
    "phi-msft": {
        "n_positions": "max_position_embeddings",
        "n_embd": "hidden_size",
        "n_head": "num_attention_heads",
        "n_layer": "num_hidden_layers",
    },
    "qwen": {"seq_length": "max_position_embeddings", "kv_channels": "head_dim", "rotary_emb_base": "rope_theta"},
    "stablelm_epoch": {"rope_pct": "partial_rotary_factor"},
    "exaone": {"num_layers": "num_hidden_layers"},
    "hf_olmo": {
        "d_model": "hidden_size",
        "n_heads": "num_attention_heads",
        "n_layers": "num_hidden_layers",
        "max_sequence_length": "max_position_embeddings",
    },
    "nomic_bert": {
        "n_positions": "max_position_embeddings",
        "n_embd": "hidden_size",
        "n_head": "num_attention_heads",
        "n_layer": "num_hidden_layers",
        "rotary_emb_base": "rope_theta",
        "rotary_emb_fraction": "partial_rotary_factor",
    },
    "phi3small": {"rope_embedding_base": "rope_theta"},
    "step3_text": {"max_position_embedding": "max_position_embeddings"},
    "RefinedWeb": {"n_head": "num_attention_heads", "n_layer": "num_hidden_layers"},
    "RefinedWebModel": {"n_head": "num_attention_heads", "n_layer": "num_hidden_layers"},
    "chatglm": {
        "seq_length": "max_position_embeddings",
        "max_sequence_length": "max_position_embeddings",
        "kv_channels": "head_dim",
        "num_layers": "num_hidden_layers",
    },
    "baichuan": {"model_max_length": "max_position_embeddings"},
}
OWN_CODE: Mapping[str, str] = {  # what the code of such a type obeys, and no class of transformers
    "block_configs": "block_configs is obeyed by the code of that model alone: some layers may have no attention.",
    "blocksparse_block_size": "blocksparse_block_size is obeyed by the code of that model alone: most tokens see "
    "blocks near them and some far ones.",
    "position_encoding_2d": "position_encoding_2d is obeyed by the code of that model alone: half of the rotated "
    "channels turn with the place within the answer.",
    "use_dynamic_ntk": "use_dynamic_ntk is obeyed by the code of that model alone: the base grows with a text "
    "beyond seq_length, the trained length.",
    "use_logn_attn": "use_logn_attn is obeyed by the code of that model alone: queries grow with their position.",
}
OF_TABLES: Mapping[str, str] = {  # names of classes that have no RoPE
    "Albert": "albert",
    "Bart": "bart",
    "Bert": "bert",
    "DistilBert": "distilbert",
    "Electra": "electra",
    "MPNet": "mpnet",
    "OPT": "opt",
    "Roberta": "roberta",
    "T5": "t5",
    "ViT": "vit",
    "XLMRoberta": "xlm-roberta",
}
TEXTS: Mapping[str, Mapping[str, str]] = {
    "clip": {"text_config": "clip_text_model"},
    "siglip": {"text_config": "siglip_text_model"},
    "siglip2": {"text_config": "siglip2_text_model"},
    "blip": {"text_config": "blip_text_model"},
    "musicgen": {"decoder": "musicgen_decoder"},
    "t5gemma": {"decoder": "t5_gemma_module"},
    "kimi_k25": {"text_config": "kimi_k2"},
    "align": {"text_config": "align_text_model"},
    "aimv2": {"text_config": "aimv2_text_model"},
    "altclip": {"text_config": "altclip_text_model"},
    "bridgetower": {"text_config": "bridgetower_text_model"},
    "chinese_clip": {"text_config": "chinese_clip_text_model"},
    "clap": {"text_config": "clap_text_model"},
    "clipseg": {"text_config": "clipseg_text_model"},
    "flava": {"text_config": "flava_text_model"},
    "groupvit": {"text_config": "groupvit_text_model"},
    "kosmos-2": {"text_config": "kosmos_2_text_model"},
    "metaclip_2": {"text_config": "metaclip_2_text_model"},
    "musicgen_melody": {"decoder": "musicgen_melody_decoder"},
    "owlv2": {"text_config": "owlv2_text_model"},
    "owlvit": {"text_config": "owlvit_text_model"},
    "xclip": {"text_config": "xclip_text_model"},
    # No text: what sees.
    "depth_anything": {"backbone_config": "dinov2"},
    "mask2former": {"backbone_config": "swin"},
    "maskformer": {"backbone_config": "swin"},
    "sam": {"vision_config": "sam_vision_model"},
    "sam2": {"vision_config": "sam2_vision_model"},
    "sam_hq": {"vision_config": "sam_hq_vision_model"},
    "upernet": {"backbone_config": "swin"},
    "vitmatte": {"backbone_config": "vitdet"},
    "vitpose": {"backbone_config": "vitpose_backbone"},
    "zoedepth": {"backbone_config": "beit"},
}
KINDS_BESIDE: Mapping[str, Mapping[str, str]] = {
    "clip": {"vision_config": "clip_vision_model"},
    "siglip": {"vision_config": "siglip_vision_model"},
    "siglip2": {"vision_config": "siglip2_vision_model"},
    "qwen3_vl": {"vision_config": "qwen3_vl_vision"},
    "qwen3_vl_moe": {"vision_config": "qwen3_vl_vision"},
    "qwen3_5": {"vision_config": "qwen3_vl_vision"},
    "qwen3_5_moe": {"vision_config": "qwen3_vl_vision"},
    "idefics2": {"vision_config": "idefics2_vision"},
    "internvl_chat": {"vision_config": "internvl_vision"},
    "blip": {"vision_config": "blip_vision_model"},
    "altclip": {"vision_config": "altclip_vision_model"},
    "bridgetower": {"vision_config": "bridgetower_vision_model"},
    "chinese_clip": {"vision_config": "chinese_clip_vision_model"},
    "clap": {"audio_config": "clap_audio_model"},
    "clipseg": {"vision_config": "clipseg_vision_model"},
    "gemma4": {"vision_config": "gemma4_vision"},
    "git": {"vision_config": "git_vision_model"},
    "glm4v": {"vision_config": "glm4v_vision"},
    "glm4v_moe": {"vision_config": "glm4v_vision"},
    "groupvit": {"vision_config": "groupvit_vision_model"},
    "idefics": {"vision_config": "idefics_vision"},
    "instructblip": {"vision_config": "instructblip_vision_model"},
    "janus": {"vision_config": "janus_vision_model"},
    "kimi_k25": {"vision_config": "kimi_k25_vision"},
    "kosmos-2": {"vision_config": "kosmos_2_vision_model"},
    "llama4": {"vision_config": "llama4_vision_model"},
    "metaclip_2": {"vision_config": "metaclip_2_vision_model"},
    "mllama": {"vision_config": "mllama_vision_model"},
    "owlv2": {"vision_config": "owlv2_vision_model"},
    "owlvit": {"vision_config": "owlvit_vision_model"},
    "pix2struct": {"vision_config": "pix2struct_vision_model"},
    "xclip": {"vision_config": "xclip_vision_model"},
    "llava": {"vision_config": "clip_vision_model"},
    "gemma3": {"vision_config": "siglip_vision_model"},
    "internvl": {"vision_config": "internvl_vision"},
    "qwen2_vl": {"vision_config": "qwen2_vl_vision"},
    "qwen2_5_vl": {"vision_config": "qwen2_5_vl_vision"},
    "qwen2_audio": {"audio_config": "qwen2_audio_encoder"},
    "voxtral": {"audio_config": "voxtral_encoder"},
}


@dataclass(frozen=True)
class Level:
    """The settings of the text, their path, the type as which they are read, and what is told of this choice."""

    given: Json
    path: str
    kind: str
    told: tuple[str, ...] = field(default=())


def level_of(given: Json, path: str = "", default: str | None = None) -> Level:
    """Return the object that has the settings of the text; `ConfigError` where it cannot be told."""
    kind = given.get("model_type", default)
    if kind is not None and not isinstance(kind, str):
        refuse(f"{path}.model_type" if path else "model_type", "be a text", kind)
    if kind is not None and "auto_map" in given and kind in OTHERS and given.get("position_embedding_type") == "alibi":
        told = f"{kind} has code of its own, and position_embedding_type alibi: it is read as bloom. This is a guess."
        return Level({"seq_length": given.get("max_position_embeddings")}, path, "bloom", (told,))
    if kind is not None and (kind in CLASSES or kind in OTHERS):
        if kind == "nomic_bert" and "n_embd" in given:
            told = "n_embd and others are names of that model's own code, read here by those of transformers: a guess."
            return Level(_renamed(given, kind), path, kind, (told,))
        return Level(given, path, kind)
    known = {**COMPOSITES.get(kind or "", {}), **TEXTS.get(kind or "", {})}
    names = [*known, *LEVELS]
    names.sort(key=lambda name: not isinstance(given.get(name), dict) or "model_type" not in given[name])
    for name in names:  # of two levels the one that says what its fields mean
        inside = f"{path}.{name}" if path else name
        if isinstance(given.get(name), dict) and inside.count(".") < len(LEVELS):
            return level_of(given[name], inside, known.get(name))
        if given.get(name) is not None and name in known:
            refuse(inside, "be an object", given[name])
    if known:  # older files of composite models have the fields of the text at the top
        kind, given = next(iter(known.values())), {**given, "model_type": next(iter(known.values()))}
        return Level(given, path, kind) if kind in CLASSES or kind in OTHERS else level_of(given, path)
    return _guess(given, path, kind)


def _guess(given: Json, path: str, kind: str | None) -> Level:
    named = f"{kind[:MAX_NAME]} is not known here" if kind else "No model_type is given"
    given, own = _without_own_rule(given)
    found = _guessed(given, path, kind, named)
    return Level(found.given, found.path, found.kind, (*found.told, *own))


def _without_own_rule(given: Json) -> tuple[Json, tuple[str, ...]]:
    """Return the fields without a rule that the code of such a model has and transformers has not, and what is told."""
    scaling = given.get("rope_scaling")
    rule = scaling.get("rope_type", scaling.get("type")) if isinstance(scaling, dict) else None
    if rule != "ntk":
        return given, ()
    told = "rope_scaling.type ntk is a rule of that model's own code: the frequencies here are those before it."
    return {name: value for name, value in given.items() if name != "rope_scaling"}, (told,)


def _guessed(given: Json, path: str, kind: str | None, named: str) -> Level:
    like, architecture = _architecture(given)
    if like is not None:
        told = f"{named}: it is read as {like}, because architectures names {architecture}. This is a guess."
        return Level(_renamed(given, kind), path, like, (told,))
    if kind is not None and kind in ALIKE:
        return _alike(given, path, kind, named)
    looks = _by_fields(given)
    if looks is not None:
        like, why = looks
        told = f"{named}: it is read as {like}, because it has {why}. This is a guess."
        part = given.get("qk_rope_head_dim") if like == "llama" else None
        return Level({**given, "head_dim": part} if part else given, path, like, (told,))
    if not kind:
        hint = "; its fields look like those of RoPE, which is a guess" if "rope_theta" in given else ""
        raise ConfigError(f"model_type must be given, because it decides what the fields mean, got nothing{hint}")
    near = get_close_matches(kind[:MAX_NAME], [*CLASSES, *OTHERS, *COMPOSITES, *ALIKE], n=3)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    names = len(CLASSES) + len(OTHERS) + len(COMPOSITES) + len(ALIKE)
    raise ConfigError(f"model_type must be one of the {names} that are known here{hint}, got {shown(kind)}")


def _architecture(given: Json) -> tuple[str | None, str]:
    """Return the type whose class `architectures` names, and that name."""
    listed = given.get("architectures")
    name = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else ""
    fits = [prefix for prefix in PREFIXES if name in {f"{prefix}{end}" for end in ("Model", "LMHeadModel")}]
    fits += [prefix for prefix in PREFIXES if name.startswith(f"{prefix}For")]
    table = next(
        (kind for prefix, kind in OF_TABLES.items() if name.startswith((f"{prefix}For", f"{prefix}Model"))), ""
    )
    if table and not fits:
        return table, name[:MAX_NAME]
    return (PREFIXES[fits[0]] if fits else None), name[:MAX_NAME]


def _renamed(given: Json, kind: str | None) -> Json:
    """Return the fields by the names that they have here, and without those that say the same in another way."""
    names = NAMES.get(kind or "", {})
    found = {name: value for name, value in given.items() if name not in names}
    found |= {names[name]: value for name, value in given.items() if name in names and names[name] not in given}
    if kind == "baichuan" and given.get("hidden_size") not in (None, 4096):  # the model of 13B has ALiBi, in no field
        return {"model_type": kind, "seq_length": found.get("max_position_embeddings")}
    if kind == "phi-msft":
        turned, width, heads = found.pop("rotary_dim", None), given.get("n_embd"), given.get("n_head")
        if isinstance(turned, int) and isinstance(width, int) and isinstance(heads, int) and width >= heads > 0:
            found["partial_rotary_factor"] = turned / (width // heads)
    if kind == "phi3_v" and isinstance(scaling := found.get("rope_scaling"), dict) and scaling.get("type") == "su":
        found["rope_scaling"] = {**scaling, "type": "longrope"}  # its own code reads the lengths at the top
    if kind in ("minimax_text_01", "minimax_m1") and isinstance(kinds := found.pop("attn_type_list", None), list):
        found["layer_types"] = ["full_attention" if one == 1 else "linear_attention" for one in kinds]
    if kind == "chatglm" and isinstance(ratio := found.pop("rope_ratio", 1), int | float):
        found["rope_theta"] = 10_000.0 * ratio
    return found


def _alike(given: Json, path: str, kind: str, named: str) -> Level:
    found = _renamed(given, kind)
    like = "bloom" if "seq_length" in found else ALIKE[kind]
    told = [f"{named}: it is read as {like}, whose positions are like its own. This is a guess."]
    told += [sentence for name, sentence in OWN_CODE.items() if found.pop(name, None)]
    return Level(found, path, like, tuple(told))


def _by_fields(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the type that the fields look like, and which fields; None where they look like none."""
    rope_parameters = given.get("rope_parameters")
    if isinstance(rope_parameters, Mapping) and rope_parameters.get("rope_type") == "axial":
        return "pixtral", "rope_parameters.rope_type axial"
    if "hidden_size" in given and "num_attention_heads" in given:
        rope = next((name for name in ("rope_theta", "rope_parameters", "rope_scaling") if given.get(name)), None)
        if rope is not None and "patch_size" in given and "vision_config" not in given:
            return "pixtral", f"{rope} and patch_size"
        if rope is not None:
            return "llama", f"{rope}, hidden_size and num_attention_heads"
        if given.get("alibi") is True:
            return "bloom", "alibi"
        if given.get("position_embedding_type") == "absolute" and "max_position_embeddings" in given:
            return "bert", "position_embedding_type absolute"
    if all(name in given for name in ("n_embd", "n_head", "n_positions")) and not any(map(TURNS.search, given)):
        return "gpt2", "n_embd, n_head and n_positions"
    if "relative_attention_num_buckets" in given:
        return "t5", "relative_attention_num_buckets"
    return None
