"""Files of other programs in the names of transformers: MLC LLM, OpenCLIP, timm, and the metadata of llama.cpp's GGUF.

What they say is the same, so a reading of them is no guess but for what the names of a model tell.
"""

from collections.abc import Mapping
from typing import Any, TypeGuard

from pe_core.models.classes import CLASSES
from pe_core.models.names import LENGTH, ORIGINAL, canonical, first_class
from pe_core.models.reading import ConfigError, Json, shown
from pe_core.models.robots import of_lerobot
from pe_core.models.timm import WIDTHS, of_timm

Told = tuple[str, ...]
MLC = "model_config has the settings, and context_window_size is the length that MLC LLM serves: the released model "
MLC += "may claim another one."
OPEN_CLIP = "The names are those of OpenCLIP: they are read by those of CLIP."
OF_GGUF = (
    "These are the metadata of a GGUF file: the factors of LongRoPE and of the rule of Llama 3 are tensors of it, and "
)
OF_GGUF += "not told here; llama.cpp may have reordered the channels of queries and keys."
NAMES_OF_MLC = {
    "position_embedding_base": "rope_theta",
    "context_window_size": "max_position_embeddings",
    "sliding_window_size": "sliding_window",
}
ONNX = "These are settings of ONNX Runtime GenAI, which have no base and no rule: those of the class count here."
MOSHI = (
    "The names are those of Moshi's own code: max_period is the base, and context how many tokens one sees. It is read "
)
MOSHI += "as mistral. This is a guess."
DEPTH = "depformer_pos_emb is none: the transformer over the codes of one step has no positional encoding."
TIMESFM = "The names are those of TimesFM's own code: they are read by those of transformers."
MAMBA = "The names are those of mamba-ssm: its layers of attention are read by what its code does."
LAG = "The names are those of Lag-Llama, whose base 10,000 is in its code: it is read as llama. This is a guess."
WAN = "The names are those of Wan's authors: they are read by those of diffusers."
SANM = ("SANMEncoder", "SenseVoiceEncoderSmall")  # encoders of FunASR
NANO_VLM = "The names are those of nanoVLM: they are read by those of transformers."
GPT_OSS = "The names are those of OpenAI's code of GPT-OSS: they are read by those of transformers."
DEEPSEEK = "The names are those of DeepSeek's own code: base, rule and length not given are those of it."
DIA = "The names are those of Dia's first code: they are read by those of transformers."
FAIRSEQ = "The names are those of fairseq: they are read by those of transformers."
CHRONOS_2 = "Chronos-2 is read as llama: its layers across series turn nothing. This is a guess."
SCGPT = "The names are those of scGPT, whose genes have no order: it is read as esm without positions. This is a guess."
MOIRAI = "The names are those of Moirai's own code."
TIMESFM_3 = "use_variate_attention: attention across series, which turns nothing, is in each layer, too."
COCA = "multimodal_cfg reads what the encoder of text makes, and adds no positions of its own."
EVA = "vision_cfg.rope says that the part that sees turns pairs with the row and the column of a patch, too (2-D RoPE)."
VITS = "The names are those of VITS's first code and its kin: they are read by those of transformers."
CLIP = "The names are those of CLIP's first code: they are read by those of transformers."
WHISPER = "The names are those of Whisper's first code: they are read by those of transformers."
OPEN_LM = (
    "The names are those of OpenLM, which turns by RoPE of base 10,000 where its file names no encoding: it is read "
)
OPEN_LM += "as llama. This is a guess."
TIME_MIXER = (
    "tinytimemixer is no type of transformers 5.23: it is read as patchtsmixer, which it comes from. This is a guess."
)
COGVLM_2 = "CogVLM 2 has the base 500,000 in its code, and no field of it."
RADIO = "The names are those of RADIO's own code: they are read by those of transformers."
KERAS = "The names are those of Keras: they are read by those of transformers."
OF_BERT = ("max_position_embeddings", "hidden_size", "num_attention_heads")
OF_WHISPER = {"n_audio_ctx": "max_source_positions", "n_text_ctx": "max_target_positions", "n_text_state": "d_model"}
TYPES_OF_KERAS = {
    "BertBackbone": "bert",
    "DistilBertBackbone": "distilbert",
    "GPT2Backbone": "gpt2",
    "GemmaBackbone": "gemma",
    "LlamaBackbone": "llama",
    "Llama3Backbone": "llama",
    "MistralBackbone": "mistral",
}
OF_KERAS = {
    "hidden_dim": "hidden_size",
    "num_heads": "num_attention_heads",
    "num_query_heads": "num_attention_heads",
    "num_layers": "num_hidden_layers",
    "max_sequence_length": "max_position_embeddings",
    "num_key_value_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "rope_max_wavelength": "rope_theta",
    "sliding_window": "sliding_window",
}
COQUI = "The names are those of Coqui TTS: they are read by those of VITS."
OF_TIMESFM = {
    "context_len": "context_length",
    "context_limit": "context_length",
    "input_patch_len": "patch_length",
    "use_positional_embedding": "use_positional_embedding",
}
OF_ONNX = {"head_size": "head_dim"} | {
    name: name for name in ("num_attention_heads", "num_hidden_layers", "num_key_value_heads")
}
TYPES_OF_ONNX = {"gemma3": "gemma3_text", "gptoss": "gpt_oss", "phi3v": "phi3", "phi3small": "phi3", "phi4mm": "phi3"}
NAMES_OF_GGUF = {
    "embedding_length": "hidden_size",
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.sliding_window": "sliding_window",
    "rope.freq_base": "rope_theta",
}
OF_SCALING = {"type": "rope_type", "factor": "factor", "original_context_length": "original_max_position_embeddings"}
TYPES_OF_GGUF = {  # where llama.cpp has another name
    "command-r": "cohere",
    "deepseek2": "deepseek_v3",
    "ernie4_5-moe": "ernie4_5_moe",
    "falcon-h1": "falcon_h1",
    "gemma3": "gemma3_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "glm4moe": "glm4_moe",
    "gpt-oss": "gpt_oss",
    "gptneox": "gpt_neox",
    "granitehybrid": "granitemoehybrid",
    "hunyuan-dense": "hunyuan_v1_dense",
    "hunyuan-moe": "hunyuan_v1_moe",
    "lfm2moe": "lfm2_moe",
    "llama4": "llama4_text",
    "minimax-m2": "minimax_m2",
    "modern-bert": "modernbert",
    "nomic-bert": "nomic_bert",
    "phi2": "phi",
    "qwen2moe": "qwen2_moe",
    "qwen2vl": "qwen2_vl_text",
    "qwen35": "qwen3_5_text",
    "qwen3moe": "qwen3_moe",
    "qwen3next": "qwen3_next",
    "qwen3vl": "qwen3_vl_text",
    "qwen3vlmoe": "qwen3_vl_moe_text",
    "starcoder": "gpt_bigcode",
    "t5encoder": "t5",
}


def in_names_of_transformers(given: Json) -> tuple[Json, Told]:
    """Return the fields by the names of transformers, and what is told of it; the same where no program is known."""
    for reader in PROGRAMS:
        if (found := reader(given)) is not None:
            return found
    return given, ()


def _mlc(given: Json) -> tuple[Json, Told] | None:
    inner = given.get("model_config")
    if not isinstance(inner, dict) or "context_window_size" not in {*given, *inner} or "model_type" not in given:
        return None
    text, kind = inner.get("text_config"), given["model_type"]
    if isinstance(text, dict) and "vision_config" in inner:
        return {**inner, "model_type": kind, "text_config": _of_mlc(text, kind)}, (MLC,)
    settings = text if isinstance(text, dict) else {**_lengths(given), **inner}
    return {"model_type": kind, **_of_mlc(settings, kind)}, (MLC,)


def _lengths(given: Json) -> Json:
    return {name: given[name] for name in ("context_window_size", "sliding_window_size") if name in given}


def _of_mlc(inner: Json, kind: object) -> Json:
    """Return the settings with the names of transformers; -1 stands for none, and 0 for the base of the class."""
    found = {NAMES_OF_MLC.get(name, name): value for name, value in inner.items()}
    found = {name: value for name, value in found.items() if value not in (-1, 0) or name not in NAMES_OF_MLC.values()}
    return _with_names(found, kind)


def _with_names(given: Json, kind: object) -> Json:
    """Return the fields with the base and the rotated fraction by the names that the class of this type reads."""
    model = CLASSES.get(str(kind))
    own = {} if model is None else {"rope_theta": model.bases, "partial_rotary_factor": model.parts}
    names = {name: read.get("", []) for name, read in own.items()}
    renamed = {name: read[0] for name, read in names.items() if read and name not in read}
    return {renamed.get(name, name): value for name, value in given.items()}


def _view(seen: Json) -> Json:
    """Return the part of CLIP that sees, in the names of transformers."""
    sizes = {"image_size": seen.get("image_size", 224), "patch_size": seen.get("patch_size", 16)}
    return {"model_type": "clip_vision_model", **sizes, "hidden_size": seen.get("width", 768)}


def _view_of_open_clip(given: Json) -> tuple[Json, Told] | None:
    seen = given.get("vision_cfg")
    if "embed_dim" not in given or "text_cfg" in given or not isinstance(seen, dict):
        return None
    if "timm_model_name" in seen or not _whole(seen.get("layers")):  # a tower that is not of CLIP
        return None
    return _view(seen), (OPEN_CLIP, "text_cfg is not given: the part that reads is not told.")


def _open_clip(given: Json) -> tuple[Json, Told] | None:
    whole = given.get("model_cfg", given)
    if not isinstance(whole, dict) or not isinstance(whole.get("text_cfg"), dict):
        return None
    seen, text = whole.get("vision_cfg"), whole["text_cfg"]
    if not isinstance(seen, dict):
        return None
    found: Json = {"model_type": "clip"}
    length = text.get("context_length", 77)
    if text.get("embed_cls") is True and _whole(length):  # of CoCa, whose text ends with a token of its own
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
        return found, (OPEN_CLIP, f"vision_cfg names {shown(named)} of timm, whose positions are not read here.")
    if isinstance(seen.get("layers"), list):
        return found, (OPEN_CLIP, "vision_cfg is a ResNet: a learned table is added where its image is pooled.")
    more = [EVA] if seen.get("rope") is True else []
    more += [COCA] if isinstance(whole.get("multimodal_cfg"), dict) else []
    return found | {"vision_config": vision}, (OPEN_CLIP, *more)


def _gguf(given: Json) -> tuple[Json, Told] | None:
    for whole in (given, given.get("metadata"), given.get("model_info")):
        if isinstance(whole, dict) and "general.architecture" in whole:
            break
    else:
        return None
    values = {name: _value(value) for name, value in whole.items()}
    kind = values["general.architecture"]
    own = {name.removeprefix(f"{kind}."): value for name, value in values.items() if name.startswith(f"{kind}.")}
    found = {name: own[other] for other, name in NAMES_OF_GGUF.items() if other in own}
    if isinstance(found.get("num_key_value_heads"), list):
        del found["num_key_value_heads"]
    given_scaling = {name: own.get(f"rope.scaling.{other}") for other, name in OF_SCALING.items()}
    scaling = {name: value for name, value in given_scaling.items() if value is not None}
    if isinstance(
        multiplier := own.get("rope.scaling.yarn_log_multiplier"), int | float
    ):  # a tenth of DeepSeek's mscale
        scaling |= dict.fromkeys(("mscale", "mscale_all_dim"), 10 * multiplier)
    if scaling.get("rope_type") not in (None, "none"):
        found["rope_scaling"] = scaling
    turned, width, heads = own.get("rope.dimension_count"), found.get("hidden_size"), found.get("num_attention_heads")
    head_dim = found.get("head_dim")
    if head_dim is None and _whole(width) and _whole(heads):
        head_dim = width // heads
    if kind == "deepseek2":
        found.pop("head_dim", None)
        found["qk_rope_head_dim"] = turned
    elif _whole(turned) and _whole(head_dim) and turned < head_dim:
        found["partial_rotary_factor"] = turned / head_dim
    named = TYPES_OF_GGUF.get(str(kind), kind)
    return {"model_type": named, **_with_names(found, named)}, (OF_GGUF,)


def _phi4(given: Json) -> tuple[Json, Told] | None:
    """Return a file for Phi-4-multimodal's own code with the parts that hear and see as transformers has them."""
    if given.get("model_type") != "phi4mm" or "vision_config" in given or "audio_config" in given:
        return None
    found: Any = given
    for name in ("audio_processor", "config", "relative_attention_bias_args"):
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    names = {"bias_max_distance": "t5_bias_max_distance", "bias_symmetric": "t5_bias_symmetric"}
    bias = {name: found[own] for name, own in names.items() if own in found}
    parts = {"audio_config": {"model_type": "phi4_multimodal_audio", **bias}}
    return {**given, **parts, "vision_config": {"model_type": "phi4_multimodal_vision"}}, ()


def _onnx(given: Json) -> tuple[Json, Told] | None:
    """Return what settings of ONNX Runtime GenAI tell, in which a model has sizes and no base."""
    model = given.get("model")
    inner = model.get("decoder") if isinstance(model, dict) else None
    if not isinstance(model, dict) or not isinstance(inner, dict) or "search" not in given or "type" not in model:
        return None
    found = {name: inner[name] for name in ("hidden_size", *OF_ONNX.values()) if name in inner}
    found |= {name: inner[other] for other, name in OF_ONNX.items() if other in inner}
    found |= {"max_position_embeddings": model["context_length"]} if "context_length" in model else {}
    window = inner.get("sliding_window")
    found |= {"sliding_window": window["window_size"]} if isinstance(window, dict) and "window_size" in window else {}
    kind = TYPES_OF_ONNX.get(str(model["type"]), model["type"])
    return {"model_type": kind, **_with_names(found, kind)}, (ONNX,)


def _moshi(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Kyutai's own code, in which a base is a period and a window a context."""
    if given.get("positional_embedding") != "rope" or not {"dim", "num_heads", "max_period"} <= given.keys():
        return None
    names = {"dim": "hidden_size", "num_heads": "num_attention_heads", "num_layers": "num_hidden_layers"}
    names |= {"max_period": "rope_theta", "context": "sliding_window"}
    found = {name: given[other] for other, name in names.items() if other in given}
    inner = (DEPTH,) if given.get("depformer_pos_emb") == "none" else ()
    return {"model_type": "mistral", **found}, (MOSHI, *inner)


def _timesfm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of TimesFM's own code, whose model of version 2.5 alone turns."""
    around = given.get("stacked_transformers", given.get("transformer_config", given))
    inner = around.get("transformer", around) if isinstance(around, dict) else None
    if not isinstance(inner, dict) or "model_dims" not in inner or "input_patch_len" not in given:
        return None
    found = {name: given[other] for other, name in OF_TIMESFM.items() if other in given}
    found |= {"hidden_size": inner["model_dims"], "num_attention_heads": inner.get("num_heads", 16)}
    if isinstance(around, dict) and "num_layers" in around:
        found["num_hidden_layers"] = around["num_layers"]
    if True in (inner.get("use_rotary_position_embeddings"), inner.get("use_rope_seq")):
        width, heads = found["hidden_size"], found["num_attention_heads"]
        found |= {"head_dim": width // heads} if _whole(width) and _whole(heads) else {}
        if "context_length" in found:
            found["max_position_embeddings"] = found.pop("context_length")
        across = (TIMESFM_3,) if given.get("use_variate_attention") is True else ()
        return {"model_type": "timesfm2_5", **found}, (TIMESFM, *across)
    return {"model_type": "timesfm", "use_positional_embedding": True, **found}, (TIMESFM,)


def _coqui(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of XTTS and of VITS by Coqui's code, which have them in an object of their own."""
    inner, params = given.get("model_args"), given.get("encoder_params")
    if given.get("encoder_type") == "rel_pos_transformer" and isinstance(params, dict):  # of Glow-TTS
        sizes = {
            "hidden_size": given.get("hidden_channels_enc", 192),
            "num_attention_heads": params.get("num_heads", 2),
        }
        return {"model_type": "vits", "window_size": params.get("rel_attn_window_size") or 0, **sizes}, (COQUI,)
    if not isinstance(inner, dict) or given.get("model") not in ("xtts", "vits"):
        return None
    if given["model"] == "xtts":
        return {"model_type": "xtts", **inner}, ()
    names = {"hidden_channels": "hidden_size", "num_heads_text_encoder": "num_attention_heads"}
    found = {name: inner[own] for own, name in names.items() if own in inner}
    width, of_language = found.get("hidden_size"), inner.get("embedded_language_dim", 4)
    if inner.get("use_language_embedding") is True and _whole(width) and _whole(of_language):
        found["hidden_size"] = width + of_language  # of each token, before the encoder
    return {"model_type": "vits", **found}, (COQUI,)


def _espnet(given: Json) -> tuple[Json, Told] | None:
    """Return what settings of ESPnet tell: the names of encoder and decoder, and the settings of the first."""
    inner = given.get("encoder_conf")
    if not isinstance(given.get("encoder"), str) or not isinstance(inner, dict):
        return None
    if given["encoder"] in SANM:  # whose sinusoids are as wide as what it hears
        inner = {name: value for name, value in inner.items() if name != "output_size"}
    return {"model_type": "espnet", **inner, **{name: given.get(name) for name in ("encoder", "decoder")}}, ()


def _whisper(given: Json) -> tuple[Json, Told] | None:
    """Return the sizes of Whisper by the names of OpenAI's code, at the top or in an object `dims`."""
    inner = given.get("dims", given)
    if not isinstance(inner, dict) or not {"n_audio_ctx", "n_text_ctx"} <= inner.keys():
        return None
    return {"model_type": "whisper", **{name: inner[own] for own, name in OF_WHISPER.items() if own in inner}}, (
        WHISPER,
    )


def _keras(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a backbone of KerasHub, whose Mistral has base and window under names of its own."""
    kind, inner = TYPES_OF_KERAS.get(str(given.get("class_name"))), given.get("config")
    if kind is None or not isinstance(inner, dict):
        return None
    found = {name: inner[own] for own, name in OF_KERAS.items() if own in inner}
    if kind == "gpt2" and "max_position_embeddings" in found:
        found = {"n_positions": found["max_position_embeddings"], "n_embd": found.get("hidden_size")}
    if kind == "distilbert":
        found["dim"] = found.pop("hidden_size", None)
    return {"model_type": kind, **found}, (KERAS,)


def _vits(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of the encoder of VITS and Glow-TTS, whose window is 4 in the code of the first alone."""
    inner = given.get("model")
    if not isinstance(inner, dict) or not {"hidden_channels", "filter_channels", "n_heads"} <= inner.keys():
        return None
    window = inner.get("window_size", 4 if "upsample_rates" in inner else 0)
    sizes = {"hidden_size": inner["hidden_channels"], "num_attention_heads": inner["n_heads"]}
    return {"model_type": "vits", "window_size": window, **sizes}, (VITS,)


def _clip(given: Json) -> tuple[Json, Told] | None:
    """Return the sizes of CLIP by the names of OpenAI's code; its text only where they have it."""
    names = ("image_resolution", "vision_patch_size", "vision_width")
    if not all(name in given for name in names) or not _whole(given["vision_patch_size"]):
        return None
    size, patch, width = (given[name] for name in names)
    vision = {"model_type": "clip_vision_model", "image_size": size, "patch_size": patch, "hidden_size": width}
    if "text_max_position_embeddings" in given:  # of Chinese CLIP, whose text is read by a BERT
        bert = {name: given[f"text_{name}"] for name in OF_BERT if f"text_{name}" in given}
        text = {"model_type": "chinese_clip_text_model", **bert}
    elif "context_length" in given:
        sizes = {"max_position_embeddings": given["context_length"], "hidden_size": given.get("transformer_width", 512)}
        text = {"model_type": "clip_text_model", **sizes}
    else:
        return vision, (CLIP,)
    return {"model_type": "clip", "text_config": text, "vision_config": vision}, (CLIP,)


def _nemo(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of an encoder of NeMo that hears, at the top or in an object `encoder`."""
    around = given.get("model", given)
    inner = around.get("encoder", around) if isinstance(around, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("self_attention_model"), str):
        return None
    names = ("self_attention_model", "att_context_size", "d_model", "n_heads", "pos_emb_max_len", "rope_base")
    writes, told = around.get("transf_decoder"), ""
    if isinstance(writes, dict) and isinstance(decoder := writes.get("config_dict"), dict):
        what = "learned vector" if decoder.get("learn_positional_encodings") is True else "fixed sinusoid"
        length = shown(decoder.get("max_sequence_length", 512))
        told = f"Its decoder (transf_decoder) adds a {what} for each of {length} tokens, a hard limit."
    found = {name: inner[name] for name in names if name in inner}
    return {"model_type": "nemo_encoder", **found}, (told,) if told else ()


def _open_nmt(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of OpenNMT, whose encoder and decoder are named."""
    if "transformer" not in (given.get("encoder_type"), given.get("decoder_type")) or "model_type" in given:
        return None
    names = ("position_encoding", "max_relative_positions", "heads")
    found = {name: given[name] for name in names if name in given}
    if not found.keys() & set(names[:2]):
        return None
    return {"model_type": "open_nmt", **found, "hidden_size": given.get("hidden_size", given.get("rnn_size"))}, ()


def _open_lm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of OpenLM where they name no encoding, as its models of the first months do."""
    if not {"hidden_dim", "n_heads", "n_layers", "post_embed_norm", "weight_tying"} <= given.keys():
        return None
    if "positional_embedding_type" in given or "model_type" in given:
        return None
    names, found = ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH), canonical(given)
    sizes = {name: found[name] for name in names if name in found}
    return {"model_type": "llama", "rope_theta": 10_000.0, **sizes}, (OPEN_LM,)


def _flux(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of FLUX by the names of its authors, which have the channels of each axis and a base."""
    if not {"axes_dim", "theta", "num_heads"} <= given.keys() or "model_type" in given:
        return None
    width, heads = given.get("hidden_size"), given["num_heads"]
    own = {"attention_head_dim": width // heads} if _whole(width) and _whole(heads) else {}
    return {"model_type": "flux", "axes_dim": given["axes_dim"], "theta": given["theta"], **own}, ()


def _time_mixer(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of TinyTimeMixer by the type that it comes from, whose names it has."""
    if given.get("model_type") != "tinytimemixer":
        return None
    own = {name: value for name, value in given.items() if name not in ("architectures", "auto_map")}
    return {**own, "model_type": "patchtsmixer"}, (TIME_MIXER,)


def _radio(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of RADIO's own code, whose class alone is named, by those of transformers."""
    inner = given.get("args")
    if given.get("architectures") != ["RADIOModel"] or "max_resolution" not in given or not isinstance(inner, dict):
        return None
    named = str(inner.get("model")).split("_")
    width = next((width for one, width in WIDTHS.items() if one in named), None)
    sizes = {"max_img_size": given["max_resolution"], "patch_size": given.get("patch_size", 16), "hidden_size": width}
    return {"model_type": "radio", **sizes}, (RADIO,)


def _jina_clip(given: Json) -> tuple[Json, Told] | None:
    """Return the part of Jina CLIP that sees; the one that reads is another model, which is only named."""
    inner, text = given.get("vision_config"), given.get("text_config")
    if given.get("model_type") != "jina_clip" or not isinstance(inner, dict) or not isinstance(text, dict):
        return None
    names = {"width": "hidden_size", "head_width": "head_dim", "image_size": "image_size", "patch_size": "patch_size"}
    found = {name: inner[own] for own, name in names.items() if own in inner}
    named = shown(text.get("hf_model_name_or_path"))
    told = f"text_config names {named}, whose positions are those of its own config.json."
    return {"model_type": "jina_clip_vision", **found}, (told,)


def _cogvlm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of CogVLM's own code, which has no type, and whose second version has another base."""
    if "model_type" in given or not first_class(given).startswith("CogVLM"):
        return None
    second = "num_multi_query_heads" in given
    base = {"rope_theta": 500_000.0} if second else {}
    return {**given, "model_type": "cogvlm", **base}, (COGVLM_2,) if second else ()


def _mamba(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a model of mamba-ssm with some layers of attention, at the top or in an object."""
    inner = given.get("backbone", given)
    if not isinstance(inner, dict) or not {"d_model", "n_layer", "attn_cfg"} <= inner.keys():
        return None
    return ({"model_type": "mamba_ssm", **inner}, (MAMBA,)) if inner.get("attn_layer_idx") else None


def _moirai(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Moirai, which has no heads and no base in its file."""
    several = given.keys() & {"patch_sizes", "num_predict_token"}
    if "model_type" in given or not several or not {"d_model", "num_layers", "max_seq_len", "scaling"} <= given.keys():
        return None
    return {"model_type": "moirai", **given}, (MOIRAI,)


def _moment(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of the T5 inside MOMENT, which adds sinusoids to the patches of a series before it."""
    inner, length, size = (given.get(name) for name in ("t5_config", "seq_len", "patch_len"))
    if not isinstance(inner, dict) or not _whole(length) or not _whole(size):
        return None
    told = f"MOMENT adds a fixed sinusoid for each of {length // size:,} patches before its T5."
    return {**inner, "model_type": "t5"}, (told,) if given.get("add_positional_embedding", True) is True else ()


def _wan(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Wan and Latte by the names of their authors."""
    if given.get("_class_name") == "LatteT2V":  # of Latte's authors, with the fields of diffusers
        return {**given, "_class_name": "LatteTransformer3DModel"}, ()
    width, heads = given.get("dim"), given.get("num_heads")
    if given.get("_class_name") not in ("WanModel", "VaceWanModel") or not _whole(width) or not _whole(heads):
        return None
    return {"_class_name": "WanTransformer3DModel", "attention_head_dim": width // heads}, (WAN,)


def _lag_llama(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Lag-Llama, which has the width of a head and no base."""
    each, heads = given.get("n_embd_per_head"), given.get("n_head")
    if not _whole(each) or not _whole(heads) or "lags_seq" not in given:
        return None
    names = {"n_layer": "num_hidden_layers", "max_context_length": LENGTH, "rope_scaling": "rope_scaling"}
    sizes = {"hidden_size": each * heads, "num_attention_heads": heads, "rope_theta": 10_000.0}
    return {"model_type": "llama", **sizes, **{own: given[one] for one, own in names.items() if one in given}}, (LAG,)


def _scgpt(given: Json) -> tuple[Json, Told] | None:
    """Return that scGPT has no positional encoding: it reads the genes of a cell, in any order."""
    if not {"embsize", "nheads", "nlayers"} <= given.keys():
        return None
    return {"model_type": "esm", "position_embedding_type": "none"}, (SCGPT,)


def _beats(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of BEATs and of WavLM by the names of their first code, those of fairseq."""
    if not {"conv_pos", "conv_pos_groups", "encoder_embed_dim"} <= given.keys():
        return None
    names = {"conv_pos": "num_conv_pos_embeddings", "conv_pos_groups": "num_conv_pos_embedding_groups"}
    names |= {"num_buckets": "num_buckets", "max_distance": "max_bucket_distance"}
    names |= {"encoder_embed_dim": "hidden_size", "encoder_attention_heads": "num_attention_heads"}
    kind = "wavlm" if given.get("relative_position_embedding") is True else "wav2vec2"
    return {"model_type": kind, **{name: given[own] for own, name in names.items() if own in given}}, (FAIRSEQ,)


def _chronos_2(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Chronos-2, which has the names of T5, and turns."""
    inner = given.get("chronos_config")
    if not first_class(given).startswith("Chronos2") or not isinstance(inner, dict):
        return None
    length, size = inner.get("context_length"), inner.get("input_patch_size")
    tokens = {LENGTH: length // size} if _whole(length) and _whole(size) else {}
    names = ("d_model", "num_heads", "num_layers", "d_kv", "rope_theta")
    own = canonical({name: given[name] for name in names if name in given})
    return {"model_type": "llama", "is_causal": False, **tokens, **own, "chronos_config": inner}, (CHRONOS_2,)


def _toto(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Toto with a type, which its file has not."""
    if "model_type" in given or "spacewise_every_n_layers" not in given:
        return None
    return {"model_type": "toto", **given}, ()


def _nano_vlm(given: Json) -> tuple[Json, Told] | None:
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
    return {"text_config": text, "vision_config": {**view, "model_type": "siglip_vision_model"}}, (NANO_VLM,)


def _gpt_oss(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of GPT-OSS by the names of OpenAI's code, which has YaRN in fields of its own."""
    first, factor = given.get("initial_context_length"), given.get("rope_scaling_factor")
    if "model_type" in given or not _whole(first) or not isinstance(factor, int | float):
        return None
    betas = {"beta_slow": given.get("rope_ntk_alpha", 1), "beta_fast": given.get("rope_ntk_beta", 32)}
    rule = {"rope_type": "yarn", "factor": factor, ORIGINAL: first, "truncate": False, **betas}
    own = ("initial_context_length", "rope_scaling_factor", "rope_ntk_alpha", "rope_ntk_beta")
    rest = {name: value for name, value in given.items() if name not in own}
    return {"model_type": "gpt_oss", LENGTH: round(first * factor), **rest, "rope_scaling": rule}, (GPT_OSS,)


def _deepseek(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of DeepSeek-V3 by the names of its own code, which has YaRN, in its code and no field."""
    if "model_type" in given or not {"dim", "n_heads", "kv_lora_rank", "qk_rope_head_dim"} <= given.keys():
        return None
    rule = {"original_seq_len": 4096, "rope_factor": 40, "beta_fast": 32, "beta_slow": 1, "max_seq_len": 16_384}
    found = canonical({"rope_theta": 10_000.0, **rule, **given})
    widths = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "kv_lora_rank", "q_lora_rank")
    names = ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH, "rope_theta", "rope_scaling", *widths)
    return {"model_type": "deepseek_v3", **{name: found[name] for name in names if name in found}}, (DEEPSEEK,)


def _molmo(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Molmo 2 with the older names of the part that sees by those of transformers."""
    inner = given.get("vit_config")
    if given.get("model_type") != "molmo2" or not isinstance(inner, dict) or "vision_config" in given:
        return None
    rest = {name: value for name, value in given.items() if name != "vit_config"}
    rows = {"num_position_embeddings": inner["image_num_pos"]} if "image_num_pos" in inner else {}
    return {**rest, "vision_config": {**inner, **rows}}, ()


def _dia(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Dia by the names of its first code, in which a base is the longest time scale."""
    inner, lengths = given.get("model"), given.get("data")
    if not isinstance(inner, dict) or not isinstance(lengths, dict) or "rope_max_timescale" not in inner:
        return None
    found: Json = {"model_type": "dia"}
    for name, own, length in (("encoder", "head_dim", "text_length"), ("decoder", "gqa_head_dim", "audio_length")):
        part = inner.get(name)
        if not isinstance(part, dict):
            return None
        sizes = {**part, "head_dim": part.get(own), "rope_theta": inner["rope_max_timescale"]}
        sizes |= {LENGTH: lengths[length]} if length in lengths else {}
        found[f"{name}_config"] = {"model_type": f"dia_{name}", **canonical(sizes)}
    return found, (DIA,)


def _value(value: Any) -> Any:
    """Return a value, which a dump of gguf-py has inside an object."""
    return value["value"] if isinstance(value, Mapping) and "value" in value else value


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


PROGRAMS = (
    _mlc,
    _open_clip,
    _view_of_open_clip,
    of_timm,
    _gguf,
    _phi4,
    _onnx,
    _moshi,
    _timesfm,
    _coqui,
    _espnet,
    _whisper,
    _keras,
    _vits,
    _clip,
    _nemo,
    _open_nmt,
    _open_lm,
    _flux,
    _time_mixer,
    _radio,
    _jina_clip,
    _cogvlm,
    _mamba,
    _moirai,
    _moment,
    _wan,
    _lag_llama,
    _scgpt,
    _beats,
    _chronos_2,
    _toto,
    _nano_vlm,
    _gpt_oss,
    _deepseek,
    of_lerobot,
    _molmo,
    _dia,
)
