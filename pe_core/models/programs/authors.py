"""Models of text, of points in time and of cells by the names of their authors."""

from pe_core.models.names import LENGTH, ORIGINAL, canonical, first_class
from pe_core.models.programs.naming import Told, is_whole, kept, known_as, renamed
from pe_core.models.reading import Json

MAMBA = "The names are those of mamba-ssm: its layers of attention are read by what its code does."
LAG = "The names are those of Lag-Llama, whose base 10,000 is in its code: it is read as llama. This is a guess."
DEEPSEEK = "The names are those of DeepSeek's own code: base, rule and length not given are those of it."
CHRONOS_2 = "Chronos-2 is read as llama: its layers across series turn nothing. This is a guess."
SCGPT = "The names are those of scGPT, whose genes have no order: it is read as esm without positions. This is a guess."
MOIRAI = "The names are those of Moirai's own code."
TIMESFM_3 = "use_variate_attention: attention across series, which turns nothing, is in each layer, too."
OPEN_LM = "The names are those of OpenLM, which turns by RoPE of base 10,000 where its file names no encoding: it is "
OPEN_LM += "read as llama. This is a guess."
TIME_MIXER = "tinytimemixer is no type of transformers 5.23: it is read as patchtsmixer, which it comes from. This is "
TIME_MIXER += "a guess."
OF_TIMESFM = {
    "context_len": "context_length",
    "context_limit": "context_length",
    "input_patch_len": "patch_length",
    "use_positional_embedding": "use_positional_embedding",
}


def of_open_nmt(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of OpenNMT, whose encoder and decoder are named."""
    if "transformer" not in (given.get("encoder_type"), given.get("decoder_type")) or "model_type" in given:
        return None
    found = kept(given, ("position_encoding", "max_relative_positions", "heads"))
    if found.keys() <= {"heads"}:
        return None
    return {"model_type": "open_nmt", **found, "hidden_size": given.get("hidden_size", given.get("rnn_size"))}, ()


def of_open_lm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of OpenLM where they name no encoding, as its models of the first months do."""
    if not {"hidden_dim", "n_heads", "n_layers", "post_embed_norm", "weight_tying"} <= given.keys():
        return None
    if "positional_embedding_type" in given or "model_type" in given:
        return None
    sizes = kept(canonical(given), ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH))
    return {"model_type": "llama", "rope_theta": 10_000.0, **sizes}, (OPEN_LM,)


def of_mamba(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a model of mamba-ssm with some layers of attention, at the top or in an object."""
    inner = given.get("backbone", given)
    if not isinstance(inner, dict) or not {"d_model", "n_layer", "attn_cfg"} <= inner.keys():
        return None
    return ({"model_type": "mamba_ssm", **inner}, (MAMBA,)) if inner.get("attn_layer_idx") else None


def of_gpt_oss(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of GPT-OSS by the names of OpenAI's code, which has YaRN in fields of its own."""
    first, factor = given.get("initial_context_length"), given.get("rope_scaling_factor")
    if "model_type" in given or not is_whole(first) or not isinstance(factor, int | float):
        return None
    betas = {"beta_slow": given.get("rope_ntk_alpha", 1), "beta_fast": given.get("rope_ntk_beta", 32)}
    rule = {"rope_type": "yarn", "factor": factor, ORIGINAL: first, "truncate": False, **betas}
    own = ("initial_context_length", "rope_scaling_factor", "rope_ntk_alpha", "rope_ntk_beta")
    rest = {name: value for name, value in given.items() if name not in own}
    found = {"model_type": "gpt_oss", LENGTH: round(first * factor), **rest, "rope_scaling": rule}
    return found, (known_as("OpenAI's code of GPT-OSS"),)


def of_deepseek(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of DeepSeek-V3 by the names of its own code, which has YaRN, in its code and no field."""
    if "model_type" in given or not {"dim", "n_heads", "kv_lora_rank", "qk_rope_head_dim"} <= given.keys():
        return None
    rule = {"original_seq_len": 4096, "rope_factor": 40, "beta_fast": 32, "beta_slow": 1, "max_seq_len": 16_384}
    found = canonical({"rope_theta": 10_000.0, **rule, **given})
    widths = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "kv_lora_rank", "q_lora_rank")
    names = ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH, "rope_theta", "rope_scaling", *widths)
    return {"model_type": "deepseek_v3", **kept(found, names)}, (DEEPSEEK,)


def of_timesfm(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of TimesFM's own code, whose model of version 2.5 alone turns."""
    around = given.get("stacked_transformers", given.get("transformer_config", given))
    inner = around.get("transformer", around) if isinstance(around, dict) else None
    if not isinstance(inner, dict) or "model_dims" not in inner or "input_patch_len" not in given:
        return None
    found = renamed(given, OF_TIMESFM)
    found |= {"hidden_size": inner["model_dims"], "num_attention_heads": inner.get("num_heads", 16)}
    if isinstance(around, dict) and "num_layers" in around:
        found["num_hidden_layers"] = around["num_layers"]
    if True in (inner.get("use_rotary_position_embeddings"), inner.get("use_rope_seq")):
        width, heads = found["hidden_size"], found["num_attention_heads"]
        found |= {"head_dim": width // heads} if is_whole(width) and is_whole(heads) else {}
        if "context_length" in found:
            found["max_position_embeddings"] = found.pop("context_length")
        across = (TIMESFM_3,) if given.get("use_variate_attention") is True else ()
        return {"model_type": "timesfm2_5", **found}, (known_as("TimesFM's own code"), *across)
    return {"model_type": "timesfm", "use_positional_embedding": True, **found}, (known_as("TimesFM's own code"),)


def of_time_mixer(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of TinyTimeMixer by the type that it comes from, whose names it has."""
    if given.get("model_type") != "tinytimemixer":
        return None
    own = {name: value for name, value in given.items() if name not in ("architectures", "auto_map")}
    return {**own, "model_type": "patchtsmixer"}, (TIME_MIXER,)


def of_moirai(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Moirai, which has no heads and no base in its file."""
    several = given.keys() & {"patch_sizes", "num_predict_token"}
    if "model_type" in given or not several or not {"d_model", "num_layers", "max_seq_len", "scaling"} <= given.keys():
        return None
    return {"model_type": "moirai", **given}, (MOIRAI,)


def of_moment(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of the T5 inside MOMENT, which adds sinusoids to the patches of a series before it."""
    inner, length, size = (given.get(name) for name in ("t5_config", "seq_len", "patch_len"))
    if not isinstance(inner, dict) or not is_whole(length) or not is_whole(size):
        return None
    told = f"MOMENT adds a fixed sinusoid for each of {length // size:,} patches before its T5."
    return {**inner, "model_type": "t5"}, (told,) if given.get("add_positional_embedding", True) is True else ()


def of_lag_llama(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Lag-Llama, which has the width of a head and no base."""
    each, heads = given.get("n_embd_per_head"), given.get("n_head")
    if not is_whole(each) or not is_whole(heads) or "lags_seq" not in given:
        return None
    names = {"n_layer": "num_hidden_layers", "max_context_length": LENGTH, "rope_scaling": "rope_scaling"}
    sizes = {"hidden_size": each * heads, "num_attention_heads": heads, "rope_theta": 10_000.0}
    return {"model_type": "llama", **sizes, **renamed(given, names)}, (LAG,)


def of_chronos_2(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Chronos-2, which has the names of T5, and turns."""
    inner = given.get("chronos_config")
    if not first_class(given).startswith("Chronos2") or not isinstance(inner, dict):
        return None
    length, size = inner.get("context_length"), inner.get("input_patch_size")
    tokens = {LENGTH: length // size} if is_whole(length) and is_whole(size) else {}
    names = ("d_model", "num_heads", "num_layers", "d_kv", "rope_theta")
    own = canonical(kept(given, names))
    return {"model_type": "llama", "is_causal": False, **tokens, **own, "chronos_config": inner}, (
        CHRONOS_2,
        *_times(inner),
    )


def _times(inner: Json) -> Told:
    """Return what is told of the number of a point in time, which Chronos-2 reads beside its value."""
    scale = inner.get("time_encoding_scale")
    return (
        (f"It reads the number of a point in time, divided by {scale:,}, beside its value.",) if is_whole(scale) else ()
    )


def of_toto(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Toto with a type, which its file has not."""
    if "model_type" in given or "spacewise_every_n_layers" not in given:
        return None
    return {"model_type": "toto", **given}, ()


def of_scgpt(given: Json) -> tuple[Json, Told] | None:
    """Return that scGPT has no positional encoding: it reads the genes of a cell, in any order."""
    if not {"embsize", "nheads", "nlayers"} <= given.keys():
        return None
    return {"model_type": "esm", "position_embedding_type": "none"}, (SCGPT,)
