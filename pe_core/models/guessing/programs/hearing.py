"""Models that hear or speak by the names of their authors, and of the toolkits that they were made with."""

from pe_core.models.kinds.own_code import SANM
from pe_core.models.names import LENGTH, Told, canonical, has_sizes, kept, known_as, renamed, without
from pe_core.models.reading import Json, is_whole, shown

MOSHI = "The names are those of Moshi's own code: max_period is the base, and context how many tokens one sees. It is "
MOSHI += "read as mistral. This is a guess."
NEIGHBOURS = "That code turns pairs of neighbours."
DEPTH = "depformer_pos_emb is none: the transformer over the codes of one step has no positional encoding."
OF_WHISPER = {"n_audio_ctx": "max_source_positions", "n_text_ctx": "max_target_positions", "n_text_state": "d_model"}
OF_MOSHI = {"dim": "hidden_size", "num_heads": "num_attention_heads", "num_layers": "num_hidden_layers"}
OF_MOSHI |= {"max_period": "rope_theta", "context": "sliding_window"}
OF_FAIRSEQ = {
    "conv_pos": "num_conv_pos_embeddings",
    "conv_pos_groups": "num_conv_pos_embedding_groups",
    "num_buckets": "num_buckets",
    "max_distance": "max_bucket_distance",
    "encoder_embed_dim": "hidden_size",
    "encoder_attention_heads": "num_attention_heads",
}
KOKORO = "The names are those of Kokoro, whose plbert, an ALBERT, reads phonemes: beside it these go through an encoder"
COQUI = "The names are those of Coqui TTS: they are read by those of VITS."


def of_sound(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of a model that hears or speaks by the names of its authors or of a toolkit."""
    match given:
        case {"positional_embedding": "rope", "dim": _, "num_heads": _, "max_period": _}:  # a base is a period
            found = renamed(given, OF_MOSHI)
            told = (MOSHI, NEIGHBOURS, DEPTH) if given.get("depformer_pos_emb") == "none" else (MOSHI, NEIGHBOURS)
            return {"model_type": "mistral", **found}, told
        case {"encoder_type": "rel_pos_transformer", "encoder_params": dict() as params}:  # Glow-TTS by Coqui's code
            width, heads = given.get("hidden_channels_enc", 192), params.get("num_heads", 2)
            sizes = {"hidden_size": width, "num_attention_heads": heads}
            return {"model_type": "vits", "window_size": params.get("rel_attn_window_size") or 0, **sizes}, (COQUI,)
        case {"model": "xtts", "model_args": dict() as inner}:
            return {"model_type": "xtts", **inner}, ()
        case {"model": "vits", "model_args": dict() as inner}:
            found = renamed(inner, {"hidden_channels": "hidden_size", "num_heads_text_encoder": "num_attention_heads"})
            width, of_language = found.get("hidden_size"), inner.get("embedded_language_dim", 4)
            if inner.get("use_language_embedding") is True and is_whole(width) and is_whole(of_language):
                found["hidden_size"] = width + of_language  # of each token, before the encoder
            return {"model_type": "vits", **found}, (COQUI,)
        case {"encoder": str() as encoder, "encoder_conf": dict() as inner}:  # ESPnet
            if encoder in SANM:  # whose sinusoids are as wide as what it hears
                inner = without(inner, "output_size")
            return {"model_type": "espnet", **inner, "encoder": encoder, "decoder": given.get("decoder")}, ()
        case {"architectures": ["XCodec2Model"], "model_type": "xcodec" | "bigcodec"}:
            return {**given, "model_type": "xcodec2"}, (known_as("XCodec2's first code"),)
        case {"dims": {"n_audio_ctx": _, "n_text_ctx": _} as inner} | ({"n_audio_ctx": _, "n_text_ctx": _} as inner):
            return {"model_type": "whisper", **renamed(inner, OF_WHISPER)}, (known_as("Whisper's first code"),)
        case {"model": {"hidden_channels": width, "filter_channels": _, "n_heads": heads} as inner}:
            # VITS and Glow-TTS; the window is 4 in the code of the first alone
            window = inner.get("window_size", 4 if "upsample_rates" in inner else 0)
            sizes = {"hidden_size": width, "num_attention_heads": heads}
            names = known_as("VITS's first code and its kin")
            return {"model_type": "vits", "window_size": window, **sizes}, (names,)
        case {"plbert": dict() as inner, "istftnet": _, "n_layer": int() as count, "text_encoder_kernel_size": size}:
            beside = f"{KOKORO} of {count:,} convolutions over {shown(size)} of them and an LSTM, and LSTMs tell how "
            return {"model_type": "albert", "embedding_size": 128, **inner}, (f"{beside}long each of them sounds.",)
        case {
            "model_type": "qwen3_tts_tokenizer_12hz",
            "decoder_config": dict() as out,
            "encoder_config": dict() as into,
        }:
            own = {"decoder_config": ("qwen3_omni_moe_code2wav", out), "encoder_config": ("mimi", into)}
            return {**given, **{name: {"model_type": kind, **one} for name, (kind, one) in own.items()}}, ()
        case {"encoder_rates": _, "decoder_rates": _, "attn_window_size": _, "vq_strides": _}:
            return {"model_type": "snac", **given}, ()
        case {"model_type": "hifigan"}:  # as transformers called it at first
            return {**given, "model_type": "speecht5_hifigan"}, ()
        case {"upsample_rates": _, "resblock_kernel_sizes": _, "upsample_initial_channel": _} if (
            "model_type" not in given and not has_sizes(given) and "hidden_channels" not in given
        ):
            return {"model_type": "speecht5_hifigan"}, (known_as("HiFi-GAN and its kin"),)
        case {"conv_pos": _, "conv_pos_groups": _, "encoder_embed_dim": _}:  # BEATs and WavLM
            kind = "wavlm" if given.get("relative_position_embedding") is True else "wav2vec2"
            return {"model_type": kind, **renamed(given, OF_FAIRSEQ)}, (known_as("fairseq"),)
    return None


def of_nemo(given: Json) -> tuple[Json, Told] | None:
    """Return the settings of an encoder of NeMo that hears, at the top or in an object `encoder`."""
    around = given.get("model", given.get("perception", given.get("cfg", given)))  # the last of GigaAM
    inner = around.get("encoder", around) if isinstance(around, dict) else None
    if not (isinstance(around, dict) and isinstance(inner, dict)):
        return None
    if not isinstance(inner.get("self_attention_model"), str):
        return None
    names = ("self_attention_model", "att_context_size", "att_context_style", "d_model", "n_heads", "pos_emb_max_len")
    writes, told = around.get("transf_decoder"), ""
    if isinstance(given.get("pretrained_llm"), str) and inner is not given:  # of Canary-Qwen
        told = "pretrained_llm names the model of the text, which has a file of its own: perception alone is read."
    if isinstance(writes, dict) and isinstance(decoder := writes.get("config_dict"), dict):
        what = "learned vector" if decoder.get("learn_positional_encodings") is True else "fixed sinusoid"
        length = shown(decoder.get("max_sequence_length", 512))
        told = f"Its decoder (transf_decoder) adds a {what} for each of {length} tokens, a hard limit."
    found = kept(inner, (*names, "rope_base", "conv_kernel_size"))
    match around.get("decoder"):
        case {"prednet": {"pred_rnn_layers": count}}:
            found["num_decoder_layers"] = count
    return {"model_type": "nemo_encoder", **found}, (told,) if told else ()


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
