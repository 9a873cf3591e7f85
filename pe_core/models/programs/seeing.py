"""Models of images and of films by the names of their authors, OpenCLIP and CLIP among them."""

from typing import Any

from pe_core.models.names import canonical, first_class
from pe_core.models.programs.naming import Told, is_whole, known_as, renamed
from pe_core.models.reading import ConfigError, Json, shown
from pe_core.models.timm import WIDTHS, by_name
from pe_core.models.unread import few

OPEN_CLIP = "The names are those of OpenCLIP: they are read by those of CLIP."
WAN = "The names are those of Wan's authors: they are read by those of diffusers."
FRAMEPACK = "The name is that of FramePack's authors: it is read by that of diffusers."
COCA = "multimodal_cfg reads what the encoder of text makes, and adds no positions of its own."
OF_FORKS = "OpenCLIP has no such field, and what code of another one does with it is not known: {}."
EVA = "vision_cfg.rope says that the part that sees turns pairs with the row and the column of a patch, too (2-D RoPE)."
COGVLM_2 = "CogVLM 2 has the base 500,000 in its code, and no field of it."
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
OF_BERT = ("max_position_embeddings", "hidden_size", "num_attention_heads")


def _view(seen: Json) -> Json:
    """Return the part of CLIP that sees, in the names of transformers."""
    sizes = {"image_size": seen.get("image_size", 224), "patch_size": seen.get("patch_size", 16)}
    return {"model_type": "clip_vision_model", **sizes, "hidden_size": seen.get("width", 768)}


def _of_timm(seen: Json) -> tuple[Json, str]:
    """Return the settings of a part that sees and is a model of timm, by its name, and what is told of it."""
    named, size = shown(seen["timm_model_name"]), seen.get("image_size", 224)
    try:
        view = by_name(seen["timm_model_name"], size if isinstance(size, int) else 224, seen.get("timm_pool"))
    except ConfigError:
        return {}, f"vision_cfg names {named} of timm, whose positions are not read here."
    told = f"vision_cfg names {named} of timm: what it does is read from its name. This is a guess."
    return {"vision_config": view}, told


def _sinusoids(seen: Json) -> str:
    """Return the sentence on a part that sees by fixed sinusoids, as that of CLIPA."""
    return (
        f"vision_cfg.pos_embed_type is {shown(seen.get('pos_embed_type'))}: vectors of patches are fixed sinusoids of "
        f"row and column, {seen.get('width', 768)} channels wide, and not learned."
    )


def _unknown(whole: Json) -> list[str]:
    """Return a sentence on fields of both parts that OpenCLIP does not have, as forks of it."""
    parts = [(name, whole.get(name)) for name in ("vision_cfg", "text_cfg")]
    left = [f"{name}.{one}" for name, part in parts if isinstance(part, dict) for one in part if one not in KNOWN]
    return [OF_FORKS.format(few(left))] if left else []


def of_view_of_open_clip(given: Json) -> tuple[Json, Told] | None:
    """Return the part of a model of OpenCLIP that sees, where its file has no part that reads."""
    seen = given.get("vision_cfg")
    if "embed_dim" not in given or "text_cfg" in given or not isinstance(seen, dict):
        return None
    if "timm_model_name" in seen or not is_whole(seen.get("layers")):  # a tower that is not of CLIP
        return None
    return _view(seen), (OPEN_CLIP, "text_cfg is not given: the part that reads is not told.", *_unknown(given))


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
    if text.get("embed_cls") is True and is_whole(length):  # of CoCa, whose text ends with a token of its own
        length += 1
    named = seen.get("timm_model_name")
    vision = _view(seen)
    if "hf_model_name" in text:
        if named is not None:
            raise ConfigError(f"text_cfg or vision_cfg must have settings, got names of other models, {shown(named)}")
        another = f"text_cfg names {shown(text['hf_model_name'])}, whose positions are those of its own config.json."
        return vision, (OPEN_CLIP, another)
    width = {"hidden_size": text.get("width", 512)}
    found["text_config"] = {"model_type": "clip_text_model", "max_position_embeddings": length, **width}
    if named is not None:
        view, told = _of_timm(seen)
        return found | view, (OPEN_CLIP, told)
    if isinstance(seen.get("layers"), list):
        return found, (OPEN_CLIP, "vision_cfg is a ResNet: a learned table is added where its image is pooled.")
    more = [EVA] if seen.get("rope") is True else []
    more += [COCA] if isinstance(whole.get("multimodal_cfg"), dict) else []
    more += _unknown(whole)
    if seen.get("pos_embed_type", "learnable") != "learnable":
        return found, (OPEN_CLIP, _sinusoids(seen), *more)
    return found | {"vision_config": vision}, (OPEN_CLIP, *more)


def of_phi4(given: Json) -> tuple[Json, Told] | None:
    """Return a file for Phi-4-multimodal's own code with the parts that hear and see as transformers has them."""
    if given.get("model_type") != "phi4mm" or "vision_config" in given or "audio_config" in given:
        return None
    found: Any = given
    for name in ("audio_processor", "config", "relative_attention_bias_args"):
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    bias = renamed(found, {"t5_bias_max_distance": "bias_max_distance", "t5_bias_symmetric": "bias_symmetric"})
    parts = {"audio_config": {"model_type": "phi4_multimodal_audio", **bias}}
    return {**given, **parts, "vision_config": {"model_type": "phi4_multimodal_vision"}}, ()


def of_clip(given: Json) -> tuple[Json, Told] | None:
    """Return the sizes of CLIP by the names of OpenAI's code; its text only where they have it."""
    names = ("image_resolution", "vision_patch_size", "vision_width")
    if not all(name in given for name in names) or not is_whole(given["vision_patch_size"]):
        return None
    size, patch, width = (given[name] for name in names)
    vision = _view({"image_size": size, "patch_size": patch, "width": width})
    if "text_max_position_embeddings" in given:  # of Chinese CLIP, whose text is read by a BERT
        bert = {name: given[f"text_{name}"] for name in OF_BERT if f"text_{name}" in given}
        text = {"model_type": "chinese_clip_text_model", **bert}
    elif "context_length" in given:
        sizes = {"max_position_embeddings": given["context_length"], "hidden_size": given.get("transformer_width", 512)}
        text = {"model_type": "clip_text_model", **sizes}
    else:
        return vision, (known_as("CLIP's first code"),)
    return {"model_type": "clip", "text_config": text, "vision_config": vision}, (known_as("CLIP's first code"),)


def of_flux(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of FLUX by the names of its authors, which have the channels of each axis and a base."""
    if not {"axes_dim", "theta", "num_heads"} <= given.keys() or "model_type" in given:
        return None
    width, heads = given.get("hidden_size"), given["num_heads"]
    own = {"attention_head_dim": width // heads} if is_whole(width) and is_whole(heads) else {}
    return {"model_type": "flux", "axes_dim": given["axes_dim"], "theta": given["theta"], **own}, ()


def of_radio(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of RADIO's own code, whose class alone is named, by those of transformers."""
    inner = given.get("args")
    if given.get("architectures") != ["RADIOModel"] or "max_resolution" not in given or not isinstance(inner, dict):
        return None
    named = str(inner.get("model")).split("_")
    width = next((width for one, width in WIDTHS.items() if one in named), None)
    sizes = {"max_img_size": given["max_resolution"], "patch_size": given.get("patch_size", 16), "hidden_size": width}
    return {"model_type": "radio", **sizes}, (known_as("RADIO's own code"),)


def of_jina_clip(given: Json) -> tuple[Json, Told] | None:
    """Return the part of Jina CLIP that sees; the one that reads is another model, which is only named."""
    inner, text = given.get("vision_config"), given.get("text_config")
    if given.get("model_type") != "jina_clip" or not isinstance(inner, dict) or not isinstance(text, dict):
        return None
    names = {"width": "hidden_size", "head_width": "head_dim", "image_size": "image_size", "patch_size": "patch_size"}
    found = renamed(inner, names)
    named = shown(text.get("hf_model_name_or_path"))
    told = f"text_config names {named}, whose positions are those of its own config.json."
    return {"model_type": "jina_clip_vision", **found}, (told,)


def of_cogvlm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of CogVLM's own code, which has no type, and whose second version has another base."""
    if "model_type" in given or not first_class(given).startswith("CogVLM"):
        return None
    second = "num_multi_query_heads" in given
    base = {"rope_theta": 500_000.0} if second else {}
    return {**given, "model_type": "cogvlm", **base}, (COGVLM_2,) if second else ()


def of_wan(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Wan, Latte and FramePack by the names of their authors."""
    if given.get("_class_name") == "LatteT2V":  # of Latte's authors, with the fields of diffusers
        return {**given, "_class_name": "LatteTransformer3DModel"}, ()
    if given.get("_class_name") == "HunyuanVideoTransformer3DModelPacked":
        return {**given, "_class_name": "HunyuanVideoFramepackTransformer3DModel"}, (FRAMEPACK,)
    width, heads = given.get("dim"), given.get("num_heads")
    if given.get("_class_name") not in ("WanModel", "VaceWanModel") or not is_whole(width) or not is_whole(heads):
        return None
    return {"_class_name": "WanTransformer3DModel", "attention_head_dim": width // heads}, (WAN,)


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


def of_molmo(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Molmo 2 with the older names of the part that sees by those of transformers."""
    inner = given.get("vit_config")
    if given.get("model_type") != "molmo2" or not isinstance(inner, dict) or "vision_config" in given:
        return None
    rest = {name: value for name, value in given.items() if name != "vit_config"}
    rows = {"num_position_embeddings": inner["image_num_pos"]} if "image_num_pos" in inner else {}
    return {**rest, "vision_config": {**inner, **rows}}, ()
