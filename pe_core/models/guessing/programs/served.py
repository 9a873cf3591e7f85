"""Files that engines and other libraries keep: MLC LLM, llama.cpp's GGUF, ONNX Runtime GenAI, KerasHub."""

import re

from pe_core.models.classes import CLASSES
from pe_core.models.names import ORIGINAL, Told, canonical, kept, known_as, renamed
from pe_core.models.reading import Json, is_whole

MLC = "model_config has the settings, and context_window_size is the length that MLC LLM serves: the released model "
MLC += "may claim another one."
OF_GGUF = "These are the metadata of a GGUF file: the factors of LongRoPE and of the rule of Llama 3 are tensors of "
OF_GGUF += "it, and not told here; llama.cpp may have reordered the channels of queries and keys."
NAMES_OF_MLC = {
    "position_embedding_base": "rope_theta",
    "context_window_size": "max_position_embeddings",
    "sliding_window_size": "sliding_window",
}
ONNX = "These are settings of ONNX Runtime GenAI, which have no base and no rule: those of the class count here."
TYPES_OF_KERAS = ("bert", "distilbert", "gpt2", "gemma", "gemma3", "llama", "llama3", "mistral")  # "LlamaBackbone"
OF_GEMMA = {"gemma": "gemma2", "gemma3": "gemma3_text"}
NAMES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "num_key_value_heads", "head_dim")
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
    "granitehybrid": "granitemoehybrid",
    "hunyuan-dense": "hunyuan_v1_dense",
    "hunyuan-moe": "hunyuan_v1_moe",
    "phi2": "phi",
    "starcoder": "gpt_bigcode",
    "t5encoder": "t5",
}
JOINED = {re.sub("[-_]", "", kind): kind for kind in CLASSES}  # as llama.cpp joins the words of a type


def of_mlc(given: Json) -> tuple[Json, Told] | None:
    """Return the settings that MLC LLM keeps of a model, with the length that it serves."""
    inner = given.get("model_config")
    if not isinstance(inner, dict) or "context_window_size" not in {*given, *inner} or "model_type" not in given:
        return None
    text, kind = inner.get("text_config"), given["model_type"]
    if isinstance(text, dict) and "vision_config" in inner:
        return {**inner, "model_type": kind, "text_config": _of_mlc(text, kind)}, (MLC,)
    settings = (
        text if isinstance(text, dict) else {**kept(given, ("context_window_size", "sliding_window_size")), **inner}
    )
    return {"model_type": kind, **_of_mlc(settings, kind)}, (MLC,)


def _of_mlc(inner: Json, kind: object) -> Json:
    """Return the settings with the names of transformers; -1 stands for none, and 0 for the base of the class."""
    found = {NAMES_OF_MLC.get(name, name): value for name, value in inner.items()}
    if found.get("sliding_window") == -1:
        found["sliding_window"] = None  # which is a value, where the class may have a window
    found = {name: value for name, value in found.items() if value not in (-1, 0) or name not in NAMES_OF_MLC.values()}
    return with_names(found, kind)


def with_names(given: Json, kind: object) -> Json:
    """Return the fields with the base and the rotated fraction by the names that the class of this type reads."""
    model = CLASSES.get(str(kind))
    own = {} if model is None else {"rope_theta": model.bases, "partial_rotary_factor": model.parts}
    names = {name: read.get("", []) for name, read in own.items()}
    renamed = {name: read[0] for name, read in names.items() if read and name not in read}
    return {renamed.get(name, name): value for name, value in given.items()}


def of_gguf(given: Json) -> tuple[Json, Told] | None:
    """Return the settings that the metadata of a GGUF file have, from any dump of them."""
    for whole in (given, given.get("metadata"), given.get("model_info")):
        if isinstance(whole, dict) and "general.architecture" in whole:
            break
    else:
        return None
    values = {  # which a dump of gguf-py has inside objects
        name: value["value"] if isinstance(value, dict) and "value" in value else value for name, value in whole.items()
    }
    kind = values["general.architecture"]
    own = {name.removeprefix(f"{kind}."): value for name, value in values.items() if name.startswith(f"{kind}.")}
    found = renamed(own, NAMES_OF_GGUF)
    if isinstance(found.get("num_key_value_heads"), list):
        del found["num_key_value_heads"]
    given_scaling = {name: own.get(f"rope.scaling.{other}") for other, name in OF_SCALING.items()}
    scaling = {name: value for name, value in given_scaling.items() if value is not None}
    multiplier = own.get("rope.scaling.yarn_log_multiplier")  # a tenth of DeepSeek's mscale
    if isinstance(multiplier, int | float):
        scaling |= dict.fromkeys(("mscale", "mscale_all_dim"), 10 * multiplier)
    if scaling.get("rope_type") not in (None, "none"):
        found["rope_scaling"] = scaling
    turned, width, heads = own.get("rope.dimension_count"), found.get("hidden_size"), found.get("num_attention_heads")
    head_dim = found.get("head_dim")
    if head_dim is None and is_whole(width) and is_whole(heads):
        head_dim = width // heads
    if kind == "deepseek2":
        whole_head = own.get("attention.key_length_mla", found.pop("head_dim", None))
        found["qk_rope_head_dim"] = turned
        if is_whole(turned) and is_whole(whole_head, turned):
            found["qk_nope_head_dim"] = whole_head - turned
    elif is_whole(turned) and is_whole(head_dim) and turned < head_dim:
        found["partial_rotary_factor"] = turned / head_dim
    joined = re.sub("[-_]", "", str(kind))  # of two parts that of the text
    named = TYPES_OF_GGUF.get(str(kind)) or JOINED.get(f"{joined}text") or JOINED.get(joined, kind)
    return {"model_type": named, **with_names(found, named)}, (OF_GGUF,)


def _rule_of_keras(inner: Json) -> Json:
    """Return the rule by which a Llama of Keras scales its frequencies; empty where it has none."""
    if (factor := inner.get("rope_frequency_adjustment_factor")) is not None:
        sizes = {f"{name}_freq_factor": inner.get(f"rope_{name}_freq_factor") for name in ("low", "high")}
        return {
            "rope_type": "llama3",
            "factor": factor,
            **sizes,
            ORIGINAL: inner.get("rope_pretraining_sequence_length"),
        }
    factor = inner.get("rope_position_scaling_factor", inner.get("rope_scaling_factor", 1))
    return {} if factor in (None, 1) else {"rope_type": "linear", "factor": factor}


def _scaled(inner: Json) -> Json:
    """Return the rule of the layers of Gemma 3 in Keras that see all tokens; empty where there is none."""
    factor = inner.get("global_rope_scaling_factor", 1)
    return {} if factor in (None, 1) else {"rope_scaling": {"rope_type": "linear", "factor": factor}}


def of_served(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a file of ONNX Runtime GenAI, which has no base, or of a backbone of KerasHub."""
    match given:
        case {"model": {"decoder": dict() as inner, "type": named} as model, "search": _}:
            found = kept(canonical(inner), NAMES)
            found |= {"max_position_embeddings": model["context_length"]} if "context_length" in model else {}
            window = inner.get("sliding_window")
            if isinstance(window, dict) and "window_size" in window:
                found["sliding_window"] = window["window_size"]
            kind = TYPES_OF_ONNX.get(str(named), named)
            return {"model_type": kind, **with_names(found, kind)}, (ONNX,)
        case {"class_name": str() as named, "config": dict() as inner} if (
            named.endswith("Backbone") and (kind := named.removesuffix("Backbone").lower()) in TYPES_OF_KERAS
        ):
            found = kept(canonical(inner), (*NAMES, "max_position_embeddings", "rope_theta", "sliding_window"))
            if kind == "gpt2" and "max_position_embeddings" in found:
                found = {"n_positions": found["max_position_embeddings"], "n_embd": found.get("hidden_size")}
            if kind == "distilbert":
                found["dim"] = found.pop("hidden_size", None)
            if kind.startswith("llama") and (rule := _rule_of_keras(inner)):
                found["rope_scaling"] = rule
            if kind.startswith("gemma") and inner.get("use_sliding_window_attention") is True:  # Gemma 2, and 3
                window = {"sliding_window": inner.get("sliding_window_size", 4096 if kind == "gemma" else 1024)}
                return {**found, "model_type": OF_GEMMA[kind], **window, **_scaled(inner)}, (known_as("Keras"),)
            if kind == "gemma3":  # all of whose layers see all tokens, and have the base of those
                found |= {"rope_theta": 1_000_000.0, **_scaled(inner)}
            return {"model_type": kind.removesuffix("3"), **found}, (known_as("Keras"),)
    return None
