"""Models of text, of points in time and of cells by the names of their authors."""

from pe_core.models.names import LENGTH, ORIGINAL, Told, canonical, first_class, kept, known_as, renamed, without
from pe_core.models.reading import Json, is_whole, shown

MAMBA = "The names are those of mamba-ssm: its layers of attention are read by what its code does."
LAG = "The names are those of Lag-Llama, whose base 10,000 is in its code: it is read as llama. This is a guess."
DEEPSEEK = "The names are those of DeepSeek's own code: base, rule and length not given are those of it."
CHRONOS_2 = "Chronos-2 is read as llama: its layers across series turn nothing. This is a guess."
SCGPT = "The names are those of scGPT, whose genes have no order: it is read as esm without positions. This is a guess."
MOIRAI = "The names are those of Moirai's own code."
TIMESFM_3 = "use_variate_attention: attention across series, which turns nothing, is in each layer, too."
OPEN_LM = "The names are those of OpenLM, which turns by RoPE of base 10,000 where its file names no encoding: it is "
OPEN_LM += "read as llama. This is a guess."
OF_LAG = {"n_layer": "num_hidden_layers", "max_context_length": LENGTH, "rope_scaling": "rope_scaling"}
OF_CHRONOS = ("context_length", "input_patch_size", "time_encoding_scale")
OF_OPEN_NMT = ("position_encoding", "max_relative_positions")
OF_TIMESFM = {
    "context_len": "context_length",
    "context_limit": "context_length",
    "input_patch_len": "patch_length",
    "use_positional_embedding": "use_positional_embedding",
}


def of_authors(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a model of text, of points in time or of cells by the names of its authors."""
    untyped = "model_type" not in given
    match given:
        case {"encoder_type": "transformer"} | {"decoder_type": "transformer"} if untyped and given.keys() & {
            *OF_OPEN_NMT
        }:
            width = given.get("hidden_size", given.get("rnn_size"))
            return {"model_type": "open_nmt", **kept(given, (*OF_OPEN_NMT, "heads")), "hidden_size": width}, ()
        case {"hidden_dim": _, "n_heads": _, "n_layers": _, "post_embed_norm": _, "weight_tying": _} if (
            untyped and "positional_embedding_type" not in given  # which its models of the first months have not
        ):
            sizes = kept(canonical(given), ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH))
            return {"model_type": "llama", "rope_theta": 10_000.0, **sizes}, (OPEN_LM,)
        case {"initial_context_length": first, "rope_scaling_factor": int() | float() as factor} if (
            untyped and is_whole(first)  # GPT-OSS, which has YaRN in fields of its own
        ):
            betas = {"beta_slow": given.get("rope_ntk_alpha", 1), "beta_fast": given.get("rope_ntk_beta", 32)}
            rule = {"rope_type": "yarn", "factor": factor, ORIGINAL: first, "truncate": False, **betas}
            own = ("initial_context_length", "rope_scaling_factor", "rope_ntk_alpha", "rope_ntk_beta")
            rest = without(given, *own)
            found = {"model_type": "gpt_oss", LENGTH: round(first * factor), **rest, "rope_scaling": rule}
            return found, (known_as("OpenAI's code of GPT-OSS"),)
        case {"dim": _, "n_heads": _, "kv_lora_rank": _, "qk_rope_head_dim": _} if untyped:  # YaRN is in its code
            rule = {"original_seq_len": 4096, "rope_factor": 40, "beta_fast": 32, "beta_slow": 1, "max_seq_len": 16_384}
            widths = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "kv_lora_rank", "q_lora_rank")
            names = ("hidden_size", "num_attention_heads", "num_hidden_layers", LENGTH, "rope_theta", "rope_scaling")
            found = kept(canonical({"rope_theta": 10_000.0, **rule, **given}), (*names, *widths))
            return {"model_type": "deepseek_v3", **found}, (DEEPSEEK,)
        case {"backbone": {"d_model": _, "n_layer": _, "attn_cfg": _, "attn_layer_idx": attending} as inner} | (
            {"d_model": _, "n_layer": _, "attn_cfg": _, "attn_layer_idx": attending} as inner
        ) if attending:
            return {"model_type": "mamba_ssm", **inner}, (MAMBA,)
        case {"d_model": _, "num_layers": _, "max_seq_len": _, "scaling": _} if untyped and given.keys() & {
            "patch_sizes",
            "num_predict_token",
        }:
            return {"model_type": "moirai", **given}, (MOIRAI,)
        case {"t5_config": dict() as inner, "seq_len": length, "patch_len": size} if is_whole(length) and is_whole(
            size
        ):
            width = shown(inner.get("d_model", 512))
            patches = f"MOMENT adds a fixed sinusoid for each of {length // size:,} patches before its T5: "
            patches += f"its width is {width}, its base 10,000."
            adds = given.get("add_positional_embedding", True) is True
            alone = {"is_encoder_decoder": False} if str(given.get("transformer_type")).endswith("_only") else {}
            return {**inner, "model_type": "t5", **alone}, (patches,) if adds else ()
        case {"n_embd_per_head": each, "n_head": heads, "lags_seq": _} if is_whole(each) and is_whole(heads):
            sizes = {"hidden_size": each * heads, "num_attention_heads": heads, "rope_theta": 10_000.0}
            return {"model_type": "llama", **sizes, **renamed(given, OF_LAG)}, (LAG,)
        case {"chronos_config": dict() as inner} if first_class(given).startswith("Chronos2"):
            length, size, scale = (inner.get(one) for one in OF_CHRONOS)
            tokens = {LENGTH: length // size} if is_whole(length) and is_whole(size) else {}
            sizes = canonical(kept(given, ("d_model", "num_heads", "num_layers", "d_kv", "rope_theta")))
            told: Told = (CHRONOS_2,)
            if is_whole(scale):
                told += (f"It reads the number of a point in time, divided by {scale:,}, beside its value.",)
            return {"model_type": "llama", "is_causal": False, **tokens, **sizes, "chronos_config": inner}, told
        case {"spacewise_every_n_layers": _} if untyped:
            return {"model_type": "toto", **given}, ()
        case {"embsize": _, "nheads": _, "nlayers": _}:  # scGPT reads the genes of a cell, in any order
            return {"model_type": "esm", "position_embedding_type": "none"}, (SCGPT,)
    return None


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
            found["max_position_embeddings"] = found["context_length"]
        across = (TIMESFM_3,) if given.get("use_variate_attention") is True else ()
        return {"model_type": "timesfm2_5", **found}, (known_as("TimesFM's own code"), *across)
    return {"model_type": "timesfm", "use_positional_embedding": True, **found}, (known_as("TimesFM's own code"),)
