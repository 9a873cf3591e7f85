"""Models of images, of films and of robots by the names of their authors, OpenCLIP and CLIP among them."""

from collections.abc import Mapping

from pe_core.models.kinds.own_code import of_radio
from pe_core.models.kinds.timm import IN_NAME, SCALED, by_name
from pe_core.models.names import Told, canonical, first_class, known_as, renamed, without
from pe_core.models.reading import ConfigError, Json, is_whole, shown
from pe_core.models.unread import few

BIREFNET = "BiRefNet's file does not say what it sees with: it is read as the Swin of its releases, the small one "
BIREFNET += "where its name is that of the small BiRefNet. This is a guess."
OPEN_CLIP = "The names are those of OpenCLIP: they are read by those of CLIP."
WAN = "The names are those of Wan's authors: they are read by those of diffusers."
MEISSONIC = "The fields are those of Meissonic: its class is read as that of Flux."
FRAMEPACK = "The name is that of FramePack's authors: it is read by that of diffusers."
COCA = "multimodal_cfg reads what the encoder of text makes, and adds no positions of its own."
OF_FORKS = "OpenCLIP has no such field, and what code of another one does with it is not known: {}."
EVA = "vision_cfg.rope says that the part that sees turns pairs with the row and the column of a patch, too (2-D RoPE)."
CLASS = "A text has {} tokens and, behind them, one of its own, which takes the last row."
UNMASKED = "text_cfg.no_causal_mask says that a token of the text sees as far ahead as back."
POOLS = {
    "abs_attn": "timm_pool says that attention pools its last map, with a learned vector for each place of it.",
    "rot_attn": "timm_pool says that attention pools its last map, and turns pairs with row and column.",
}
COGVLM_2 = "CogVLM 2 has the base 500,000 in its code, and no field of it."
BY_NAME = "text_cfg names {}: it is read as the model that was released by this name."
ROBERTA: Json = {"model_type": "xlm-roberta", "max_position_embeddings": 514, "hidden_size": 768}
NLLB: Json = {"model_type": "m2m_100", "max_position_embeddings": 1024, "d_model": 1024}
TEXTS: Mapping[str, Json] = {  # what the configurations of OpenCLIP name
    "roberta-base": {**ROBERTA, "model_type": "roberta"},
    "xlm-roberta-base": ROBERTA,
    "xlm-roberta-large": {**ROBERTA, "hidden_size": 1024},
    "mt5-base": {"model_type": "mt5", "num_heads": 12},
    "mt5-xl": {"model_type": "mt5", "num_heads": 32},
    "nllb-200-distilled-600M": NLLB,
    "nllb-200-distilled-1.3B": NLLB,
}
# Fields of each part in OpenCLIP 3.3, and of forks of it; what they do to positions is read, or is nothing.
FIELDS = (
    "layers width head_width heads mlp_ratio patch_size image_size ls_init_value patch_dropout attentional_pool "
    "attn_pooler_queries attn_pooler_heads no_ln_pre pos_embed_type final_ln_after_pool pool_type output_tokens "
    "act_kwargs norm_kwargs block_type qk_norm scaled_cosine_attn scale_heads scale_attn_inner scale_attn scale_fc "
    "timm_model_name timm_model_pretrained timm_pool timm_proj timm_proj_bias timm_drop timm_drop_path context_length "
    "vocab_size hf_tokenizer_name tokenizer_mode tokenizer_kwargs embed_cls pad_id eos_id no_causal_mask proj_bias "
    "proj_type hf_model_name hf_model_pretrained hf_proj_type hf_pooler_type hf_model_config text_mask rope "
    "eva_model_name drop_path_rate qkv_bias naiveswiglu subln xattn fusedLN postnorm input_patchnorm "
    "global_average_pool pt_hw_seq_len intp_freq n_queries attn_pooler_contrastive context_dim"
)
KNOWN = frozenset(FIELDS.split())
OF_JINA = {"width": "hidden_size", "head_width": "head_dim"} | {name: name for name in ("image_size", "patch_size")}
OF_BERT = ("max_position_embeddings", "hidden_size", "num_attention_heads")

LEROBOT = "The names are those of LeRobot: what a policy of its type does is read from its code. This is a guess."
ACTS = "A second, narrower transformer writes the actions, and turns as that of the text does."
PREFIX = "Tokens of the images and of the instruction see each other, those behind them, too."
STEPS = "Sinusoids tell the step of the diffusion, and no positions."
GEMMA: Json = {"model_type": "gemma", "hidden_size": 2048, "num_attention_heads": 8, "head_dim": 256}
SMOL: Json = {"model_type": "llama", "hidden_size": 960, "num_attention_heads": 15, "rope_theta": 10_000.0}
SIGLIP: Json = {"model_type": "siglip_vit", "image_size": 224, "patch_size": 14, "width": 1152}
VISION_OF_SMOL: Json = {"model_type": "smolvlm_vision", "image_size": 512, "patch_size": 16, "hidden_size": 768}
PALIGEMMA: Json = {"text_config": {**GEMMA, "rope_theta": 10_000.0}, "vision_config": SIGLIP}
VIEW_OF_MOLMO: Json = {"model_type": "molmo_vision", "image_size": 336, "patch_size": 14, "hidden_size": 1024}
GROOT: Json = {
    "text_config": {
        "model_type": "qwen3", "hidden_size": 2048, "num_attention_heads": 16, "num_hidden_layers": 12,
        "head_dim": 128, "rope_theta": 1_000_000.0, "max_position_embeddings": 40_960,
    },
    "vision_config": SIGLIP,
}  # fmt: skip
INSIDE = "What its parts are stands in its code, and in no field: it is told as its releases have it."
POOLED = "Attention without positions joins 2 x 2 patches each."
FIRST = "The first 730 tokens, those of the image among them, see each other, those behind them, too."
JOINED = "Behind the text further layers attend without positions, and so does what writes the actions."
STEPPED = "What writes the actions adds a learned vector for each of {:,} steps, {:,} channels wide."
IN_THE_TEXT = "Tokens of an image stand in the text, and see each other, those behind them, too."
PHI: Json = {"model_type": "phi", "hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 24}
POLICIES: Mapping[str, tuple[Json, tuple[str, ...]]] = {
    **dict.fromkeys(("pi0", "pi05"), (PALIGEMMA, (ACTS, PREFIX))),
    "pi0_fast": (PALIGEMMA, (PREFIX,)),  # which writes its actions as tokens of the text
    "smolvla": ({"text_config": SMOL, "vision_config": VISION_OF_SMOL}, (ACTS, PREFIX)),
    "diffusion": ({"model_type": "resnet"}, (STEPS,)),
}


def _view(seen: Json) -> Json:
    """Return the part of CLIP that sees, in the names of transformers: unlike theirs it refuses another size."""
    sizes = {"image_size": seen.get("image_size", 224), "patch_size": seen.get("patch_size", 16)}
    return {"model_type": "open_clip_vision", **sizes, "hidden_size": seen.get("width", 768)}


def _scaled(seen: Json) -> list[str]:
    """Return to which square EVA scales the places of patches, where its fields say so."""
    side = seen.get("pt_hw_seq_len")
    return [SCALED.format(side)] if seen.get("intp_freq") is True and is_whole(side) else []


def _of_timm(seen: Json) -> tuple[Json, Told]:
    """Return the settings of a part that sees and is a model of timm, by its name, and what is told of it."""
    named, size = shown(seen["timm_model_name"]), seen.get("image_size", 224)
    # OpenCLIP asks for no other size than that in a name.
    in_name = IN_NAME.search(str(seen["timm_model_name"]).partition(".")[0]) is not None
    try:
        size = None if in_name else size if isinstance(size, int) else 224
        view = by_name(seen["timm_model_name"], size, seen.get("timm_pool"))
    except ConfigError:
        return {}, (f"vision_cfg names {named} of timm, whose positions are not read here.",)
    told = f"vision_cfg names {named} of timm: what it does is read from its name. This is a guess."
    pool = POOLS.get(str(seen.get("timm_pool")))
    return {"vision_config": view}, (told, *([pool] if pool else []))


def _unknown(whole: Json) -> list[str]:
    """Return a sentence on fields of both parts that OpenCLIP does not have, as forks of it."""
    parts = [(name, whole.get(name)) for name in ("vision_cfg", "text_cfg")]
    left = [f"{name}.{one}" for name, part in parts if isinstance(part, dict) for one in part if one not in KNOWN]
    return [OF_FORKS.format(few(left))] if left else []


def of_open_clip(given: Json) -> tuple[Json, Told] | None:
    """Return both parts of a model of OpenCLIP, but for those that are only named."""
    whole = given.get("model_cfg", given)
    if not isinstance(whole, dict) or not isinstance(whole.get("text_cfg"), dict):
        return None
    seen, text = whole.get("vision_cfg"), whole["text_cfg"]
    if not isinstance(seen, dict):
        return None
    found: Json = {"model_type": "clip"}
    length = text.get("context_length", 77)
    joined = []
    if text.get("embed_cls") is True and is_whole(length):  # of CoCa
        joined, length = [CLASS.format(length)], length + 1
    if text.get("no_causal_mask") is True:
        joined.append(UNMASKED)
    named = seen.get("timm_model_name")
    vision = _view(seen)
    reads = TEXTS.get(str(text.get("hf_model_name")).rpartition("/")[2])
    if reads is not None:
        joined.append(BY_NAME.format(shown(text["hf_model_name"])))
    elif "hf_model_name" in text:
        another = f"text_cfg names {shown(text['hf_model_name'])}, whose positions are those of its own config.json."
        if named is None:
            return vision, (OPEN_CLIP, another)
        view, told = _of_timm(seen)
        if not view:
            raise ConfigError(f"text_cfg or vision_cfg must have settings, got names of other models, {shown(named)}")
        return view["vision_config"], (OPEN_CLIP, *told, another)
    width = {"hidden_size": text.get("width", 512)}
    found["text_config"] = reads or {"model_type": "clip_text_model", "max_position_embeddings": length, **width}
    if named is not None:
        view, told = _of_timm(seen)
        return found | view, (OPEN_CLIP, *told, *joined)
    if isinstance(seen.get("layers"), list):
        wide = 32 * first if is_whole(first := seen.get("width", 64)) else None
        pooled = {"model_type": "clip_resnet", "image_size": seen.get("image_size", 224), "hidden_size": wide}
        return found | {"vision_config": pooled}, (OPEN_CLIP, *joined)
    more = joined + ([EVA, *_scaled(seen)] if seen.get("rope") is True else [])
    more += [COCA] if isinstance(whole.get("multimodal_cfg"), dict) else []
    more += _unknown(whole)
    if seen.get("pos_embed_type", "learnable") != "learnable":
        fixed = f"vision_cfg.pos_embed_type is {shown(seen.get('pos_embed_type'))}: vectors of patches are fixed "
        fixed += f"sinusoids of row and column, {seen.get('width', 768)} channels wide, and not learned."  # of CLIPA
        return found, (OPEN_CLIP, fixed, *more)
    return found | {"vision_config": vision}, (OPEN_CLIP, *more)


def of_images(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a model of images or films by the names of its authors."""
    match given:
        case {"embed_dim": _, "vision_cfg": {"layers": layers} as seen} if (
            is_whole(layers) and "timm_model_name" not in seen and "text_cfg" not in given
        ):
            told = "text_cfg is not given: the part that reads is not told."
            return _view(seen), (OPEN_CLIP, told, *_unknown(given))
        case {
            "model_type": "phi4mm",
            "audio_processor": {"config": {"relative_attention_bias_args": dict() as found}},
        } if not given.keys() & {"vision_config", "audio_config"}:
            bias = renamed(found, {"t5_bias_max_distance": "bias_max_distance", "t5_bias_symmetric": "bias_symmetric"})
            audio = {"model_type": "phi4_multimodal_audio", **bias}
            return {**given, "audio_config": audio, "vision_config": {"model_type": "phi4_multimodal_vision"}}, ()
        case {"image_resolution": size, "vision_patch_size": patch, "vision_width": width} if is_whole(patch):
            return _of_clip(given, _view({"image_size": size, "patch_size": patch, "width": width}))
        case {"axes_dim": axes, "theta": base, "num_heads": heads} if not given.keys() & {"model_type", "_class_name"}:
            width = given.get("hidden_size")
            own = {"attention_head_dim": width // heads} if is_whole(width) and is_whole(heads) else {}
            return {"model_type": "flux", "axes_dim": axes, "theta": base, **own}, ()
        case {"architectures": ["BiRefNet"], "bb_pretrained": _}:
            large, small = {"window_size": 12, "num_heads": [6, 12, 24, 48]}, {"window_size": 7}
            sizes = small if "lite" in str(given.get("_name_or_path")) else large
            return {"model_type": "swin", "architectures": ["SwinBackbone"], **sizes}, (BIREFNET,)
        case {"architectures": ["BriaRMBG"]}:
            return {"model_type": "timm_convolutional"}, ()
        case {"architectures": ["RADIOModel"], "max_resolution": _, "args": dict() as inner}:
            return of_radio(given, inner), (known_as("RADIO's own code"),)
        case {"model_type": "jina_clip", "vision_config": dict() as inner, "text_config": dict() as text}:
            another = shown(text.get("hf_model_name_or_path"))
            told = f"text_config names {another}, whose positions are those of its own config.json."
            return {"model_type": "jina_clip_vision", **renamed(inner, OF_JINA)}, (told, *_scaled(inner))
        case {"_class_name": "LatteT2V"}:  # of Latte's authors, with the fields of diffusers
            return {**given, "_class_name": "LatteTransformer3DModel"}, ()
        case {"_class_name": "OmniGen2Transformer2DModel"}:
            return {**without(given, "_class_name"), "model_type": "omnigen2"}, ()
        case {"_class_name": "Showo", "llm_model_path": str() as named} if "phi-1" in named:
            return PHI, (INSIDE, IN_THE_TEXT)
        case {"_class_name": "HunyuanVideoTransformer3DModelPacked"}:
            return {**given, "_class_name": "HunyuanVideoFramepackTransformer3DModel"}, (FRAMEPACK,)
        case {"_class_name": "Transformer2DModel", "axes_dims_rope": _}:  # of Meissonic
            return {**given, "_class_name": "FluxTransformer2DModel"}, (MEISSONIC,)
        case {
            "_class_name": "WanModel" | "VaceWanModel" | "WanTransformer3DModel" | "WanAnimateModel",
            "dim": width,
            "num_heads": heads,
        } if is_whole(width) and is_whole(heads):
            rows = {"pos_embed_seq_len": 2 * 257, "image_dim": 1280} if given.get("model_type") == "flf2v" else {}
            words = [f"Its text has at most {most:,} tokens."] if is_whole(most := given.get("text_len")) else []
            return {"_class_name": "WanTransformer3DModel", "attention_head_dim": width // heads, **rows}, (WAN, *words)
        case {"type": "act", "n_obs_steps": _, "input_features": _}:
            return {"model_type": "act", **given}, (LEROBOT,)
        case {"type": str() as kind, "n_obs_steps": _, "input_features": _} if kind in POLICIES:
            policy, more = POLICIES[kind]  # of LeRobot, whose files have no sizes of the models inside
            return policy, (LEROBOT, *more)
        case {"model_type": "GOT"}:
            return without({**given, "vision_config": {"model_type": "got_ocr2_vision"}}, "image_token_len"), (INSIDE,)
        case {"model_type": "molmo"} if "vision_config" not in given:
            return {**given, "vision_config": VIEW_OF_MOLMO}, (INSIDE, POOLED)
        case {"model_type": "moondream1"}:
            return _of_moondream(given), (INSIDE, *([] if given.keys() & {"phi_config", "text_config"} else [FIRST]))
        case {"model_type": "gr00t_n1_5", "action_head_cfg": dict() as inner}:
            rows, width = inner.get("max_seq_len", 1024), inner.get("input_embedding_dim", 1536)
            adds = inner.get("add_pos_embed", True) is True and is_whole(rows) and is_whole(width)
            joined = [JOINED] if isinstance(inner.get("vl_self_attention_cfg"), dict) else []
            return GROOT, (INSIDE, STEPS, *joined, *([STEPPED.format(rows, width)] if adds else []))
        case {"dim": _, "n_heads": _, "vision_encoder": {"patch_size": _, "rope_theta": _} as inner} if (
            "model_type" not in given  # of Mistral's own files
        ):
            return {**without(given, "vision_encoder"), "vision_config": {**inner, "model_type": "pixtral"}}, ()
        case {"model_type": "molmo2", "vit_config": dict() as inner} if "vision_config" not in given:
            rest = without(given, "vit_config")
            rows = {"num_position_embeddings": inner["image_num_pos"]} if "image_num_pos" in inner else {}
            return {**rest, "vision_config": {**inner, **rows}}, ()
    if "model_type" not in given and first_class(given).startswith(("CogAgent", "CogVLM")):
        second = "num_multi_query_heads" in given  # which has another base
        base = {"rope_theta": 500_000.0} if second else {}
        return {**given, "model_type": "cogvlm", **base}, (COGVLM_2,) if second else ()
    return None


def _of_moondream(given: Json) -> Json:
    """Return the parts of Moondream, by the sizes of its code where the file has none of them.

    The files of its first releases have a `phi_config`, later ones a `text_config`, and the last ones neither.
    """
    text = given.get("text_config")
    sizes = {"hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 24, "partial_rotary_factor": 0.5}
    own = text if isinstance(text, dict) else {"rope_theta": 10_000.0, "max_position_embeddings": 2048}
    return {
        **without(given, "phi_config"),
        "text_config": {**sizes, **own, "model_type": "phi"},
        "vision_config": {**SIGLIP, "image_size": 384 if "phi_config" in given else 378},
    }


def _of_clip(given: Json, vision: Json) -> tuple[Json, Told]:
    """Return the parts of CLIP by the names of OpenAI's code; its text only where they have it."""
    told = (known_as("CLIP's first code"),)
    if "text_max_position_embeddings" in given:  # of Chinese CLIP, whose text is read by a BERT
        bert = {name: given[f"text_{name}"] for name in OF_BERT if f"text_{name}" in given}
        text = {"model_type": "chinese_clip_text_model", **bert}
    elif "context_length" in given:
        sizes = {"max_position_embeddings": given["context_length"], "hidden_size": given.get("transformer_width", 512)}
        text = {"model_type": "clip_text_model", **sizes}
    else:
        return vision, told
    return {"model_type": "clip", "text_config": text, "vision_config": vision}, told


def of_nano_vlm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of nanoVLM, whose fields begin with the part that they are of."""
    if not {"vit_hidden_dim", "lm_hidden_dim", "lm_n_heads"} <= given.keys():
        return None
    parts = [
        {name.removeprefix(start): value for name, value in given.items() if name.startswith(start)}
        for start in ("lm_", "vit_")
    ]
    text, view = (canonical({"hidden_size": part.get("hidden_dim"), **part}) for part in parts)
    text = {**text, "model_type": "llama", "rope_theta": text.get("re_base", 100_000)}
    if isinstance(layers := text.pop("n_blocks", None), int):
        text["num_hidden_layers"] = layers
    return {"text_config": text, "vision_config": {**view, "model_type": "siglip_vision_model"}}, (known_as("nanoVLM"),)
