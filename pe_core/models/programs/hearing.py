"""Models that hear or speak by the names of their authors, and of the toolkits that they were made with."""

from pe_core.models.names import LENGTH, canonical
from pe_core.models.programs.naming import Told, is_whole, kept, known_as, renamed
from pe_core.models.reading import Json, shown

MOSHI = "The names are those of Moshi's own code: max_period is the base, and context how many tokens one sees. It is "
MOSHI += "read as mistral. This is a guess."
DEPTH = "depformer_pos_emb is none: the transformer over the codes of one step has no positional encoding."
SANM = ("SANMEncoder", "SenseVoiceEncoderSmall")  # encoders of FunASR
OF_WHISPER = {"n_audio_ctx": "max_source_positions", "n_text_ctx": "max_target_positions", "n_text_state": "d_model"}
COQUI = "The names are those of Coqui TTS: they are read by those of VITS."


def of_moshi(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of Kyutai's own code, in which a base is a period and a window a context."""
    if given.get("positional_embedding") != "rope" or not {"dim", "num_heads", "max_period"} <= given.keys():
        return None
    names = {"dim": "hidden_size", "num_heads": "num_attention_heads", "num_layers": "num_hidden_layers"}
    names |= {"max_period": "rope_theta", "context": "sliding_window"}
    found = renamed(given, names)
    inner = (DEPTH,) if given.get("depformer_pos_emb") == "none" else ()
    return {"model_type": "mistral", **found}, (MOSHI, *inner)


def of_coqui(given: Json) -> tuple[Json, Told] | None:
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
    found = renamed(inner, names)
    width, of_language = found.get("hidden_size"), inner.get("embedded_language_dim", 4)
    if inner.get("use_language_embedding") is True and is_whole(width) and is_whole(of_language):
        found["hidden_size"] = width + of_language  # of each token, before the encoder
    return {"model_type": "vits", **found}, (COQUI,)


def of_espnet(given: Json) -> tuple[Json, Told] | None:
    """Return what settings of ESPnet tell: the names of encoder and decoder, and the settings of the first."""
    inner = given.get("encoder_conf")
    if not isinstance(given.get("encoder"), str) or not isinstance(inner, dict):
        return None
    if given["encoder"] in SANM:  # whose sinusoids are as wide as what it hears
        inner = {name: value for name, value in inner.items() if name != "output_size"}
    return {"model_type": "espnet", **inner, **{name: given.get(name) for name in ("encoder", "decoder")}}, ()


def of_whisper(given: Json) -> tuple[Json, Told] | None:
    """Return the sizes of Whisper by the names of OpenAI's code, at the top or in an object `dims`."""
    inner = given.get("dims", given)
    if not isinstance(inner, dict) or not {"n_audio_ctx", "n_text_ctx"} <= inner.keys():
        return None
    return {"model_type": "whisper", **renamed(inner, OF_WHISPER)}, (known_as("Whisper's first code"),)


def of_vits(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of the encoder of VITS and Glow-TTS, whose window is 4 in the code of the first alone."""
    inner = given.get("model")
    if not isinstance(inner, dict) or not {"hidden_channels", "filter_channels", "n_heads"} <= inner.keys():
        return None
    window = inner.get("window_size", 4 if "upsample_rates" in inner else 0)
    sizes = {"hidden_size": inner["hidden_channels"], "num_attention_heads": inner["n_heads"]}
    return {"model_type": "vits", "window_size": window, **sizes}, (known_as("VITS's first code and its kin"),)


def of_nemo(given: Json) -> tuple[Json, Told] | None:
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
    found = kept(inner, names)
    return {"model_type": "nemo_encoder", **found}, (told,) if told else ()


def of_beats(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of BEATs and of WavLM by the names of their first code, those of fairseq."""
    if not {"conv_pos", "conv_pos_groups", "encoder_embed_dim"} <= given.keys():
        return None
    names = {"conv_pos": "num_conv_pos_embeddings", "conv_pos_groups": "num_conv_pos_embedding_groups"}
    names |= {"num_buckets": "num_buckets", "max_distance": "max_bucket_distance"}
    names |= {"encoder_embed_dim": "hidden_size", "encoder_attention_heads": "num_attention_heads"}
    kind = "wavlm" if given.get("relative_position_embedding") is True else "wav2vec2"
    return {"model_type": kind, **renamed(given, names)}, (known_as("fairseq"),)


def of_dia(given: Json) -> tuple[Json, Told] | None:
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
    return found, (known_as("Dia's first code"),)
