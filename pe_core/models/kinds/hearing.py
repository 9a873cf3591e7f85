"""Models that hear or speak: what counts frames, tokens and distances."""

from collections.abc import Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says, sentences
from pe_core.models.kinds.images import COUNTED, MAX_LISTED, numbered, two_sides
from pe_core.models.kinds.images_turned import base_of
from pe_core.models.kinds.sizes import with_sizes
from pe_core.models.kinds.tables import counted
from pe_core.models.reading import is_whole, refuse

PIECE = 500  # frames of Phi-4-multimodal, in its code and no field
DISTANCES = "compares its queries with sinusoids of distances"
SHORTER = "a sound of fewer frames is refused, too"
UNATTENDED = "has no attention, and no table of positions: its convolutions tell the order"
OF_SOUND = "what makes the sound is made of convolutions"
SMOOTHED = "convolutions smooth the frames that it writes"


def _whisper(top: Fields) -> Found:
    kind = top.given.get("architectures")
    for name in ("max_source_positions", "max_target_positions"):  # which classes of one half have all the same
        top.value(name)
    if kind == ["WhisperForCausalLM"]:  # the decoder alone
        alone = top.whole("max_target_positions")
        return Found("learned", f"adds a learned vector for each of {alone:,} tokens of its text, a hard limit", alone)
    clause = f"adds a fixed sinusoid for each of {top['max_source_positions']:,} frames, a hard limit"
    if kind in (["WhisperForAudioClassification"], ["WhisperEncoder"]):
        return Found("sinusoidal", clause).also(SHORTER)
    if kind == ["WhisperVQEncoder"]:
        return _glm_voice(top, Found("sinusoidal", clause))
    length = top.whole("max_target_positions")
    clause += f", and a learned vector for each of {length:,} tokens of its text, a hard limit, too"
    return Found("learned", clause, length).also(SHORTER)


def _glm_voice(top: Fields, found: Found) -> Found:
    """Return what the encoder of GLM-4-Voice does beside Whisper's table: blocks, a pooling, and a second table."""
    size, pooled = top.whole_or_none("quantize_causal_block_size"), top.whole_or_none("pooling_kernel_size")
    if size is not None:
        found = found.also(f"a frame sees its block of {size:,} frames, and all before it")
    if pooled is not None and (behind := top.whole_or_none("pooling_position")) is not None:
        found = found.also(f"behind {behind:,} layers {pooled:,} frames become one")
    last = top.whole_or_none("quantize_position")
    if last is None or top.whole_or_none("quantize_vocab_size") is None:
        return found
    rows = -(-top.whole("max_source_positions") // (pooled or 1))
    return found.also(
        f"behind {last:,} layers a second table adds a vector, which is learned, for each of {rows:,} places"
    )


def _wav2vec2(top: Fields) -> str:
    width = top.value("num_conv_pos_embeddings")
    return OVER_FRAMES + (f" ({width} frames wide, {CHANNELS.format_map(top)})" if isinstance(width, int) else "")


def _conformer(top: Fields) -> Found:
    kind = _kind(top, CONFORMERS)
    clause = CONFORMERS[kind] if kind else "has no positional encoding"
    reaches = kind == "relative_key" and "left_max_position_embeddings" in top.defaults
    details = _details(top, kind, "num_attention_heads") if kind == "rotary" or reaches else ""
    clause += f"; {(KEPT_DISTANCES % 'max_source_positions').format_map(top)}" if kind == "relative" else details
    return Found("relative" if kind else "none", clause, warnings=_of_others(top, kind))


def _of_others(top: Fields, kind: str | None) -> tuple[str, ...]:
    """Return a sentence on fields of a file that the class reads for other kinds of positions alone."""
    fields = (name for one, names in FIELDS_OF.items() if one != kind for name in names)
    left = ", ".join(top.place(name) for name in fields if top.says(name))
    return (f"With position_embeddings_type {kind or 'null'} these fields are not read: {left}.",) if left else ()


def _kind(top: Fields, ways: Mapping[str, str]) -> str | None:
    kind = top.text("position_embeddings_type")
    if kind is not None and kind not in ways:
        refuse(top.place("position_embeddings_type"), f"be one of {', '.join(ways)} or null", kind)
    return kind


def _details(top: Fields, kind: str | None, heads: str) -> str:
    """Return how far vectors of distances between frames reach, or how RoPE turns by frames; empty for others."""
    width = f"{{hidden_size // {heads}:,}} channels"
    if kind == "relative_key":
        before, after = (top.whole(f"{side}_max_position_embeddings", minimum=0) for side in ("left", "right"))
        told = f"; those from {before} frames before and from {after} after share one vector each"
        return told + f"; its vectors of distances have {width}".format_map(top)
    if kind != "rotary":
        return ""
    told = f"; all {width}".format_map(top)
    return f"{told} of a head turn, with a base of {top.number('rotary_embedding_base', minimum=1):,.0f}"


def _vits(top: Fields) -> Found:
    near = top.whole("window_size", minimum=0)
    if near == 0:
        return Found("none", "has no positional encoding")
    clause = f"has learned vectors of distances up to {near:,} on each side in its scores and values, and none of "
    width = top["hidden_size // num_attention_heads"]
    return Found("relative", f"{clause}farther ones; its vectors of distances have {width:,} channels")


def spectrogram(top: Fields) -> str:
    """Return what the Audio Spectrogram Transformer does: a table with a row for each patch of mel bins and frames."""
    (tall, wide), bins, frames = two_sides(top, "patch_size"), top.whole("num_mel_bins"), top.whole("max_length")
    rows = (bins - tall) // top.whole("frequency_stride", maximum=MAX_SIZE) + 1
    columns = (frames - wide) // top.whole("time_stride", maximum=MAX_SIZE) + 1
    if min(rows, columns) < 1:
        refuse(top.place("patch_size"), f"be at most {min(bins, frames)}", max(tall, wide))
    clause = f"adds a learned vector for each of {rows} x {columns} patches and 2 more, {rows * columns + 2:,} rows"
    return f"{clause}; its sound has {frames:,} frames of {bins:,} bands; {COUNTED}"


def _seamless(top: Fields) -> Found:
    length, kind = top.whole("max_position_embeddings"), _kind(top, SEAMLESS)
    clause = f"adds a fixed sinusoid for each of {length:,} positions of text, more are computed for a longer text"
    clause += f"; {told}" if (told := counted(top)) else ""
    clause += f"; units of speech have sinusoids for {top['t2u_max_position_embeddings']:,} positions"
    clause += ", and more where they are needed"
    if "speech_encoder_chunk_size" in top.defaults:  # the second version
        clause += f", and so have characters of the text that is spoken; {SCALED % 'both'}"
        clause += "; each layer that makes units has two convolutions over 7 of them"
    clause += "; the encoder of what becomes units attends without positions"
    clause += f"; its encoder of speech has {SEAMLESS[kind]}" if kind else ""
    if "max_source_positions" in top.defaults and kind == "relative":
        clause += f" for {2 * top['max_source_positions'] - 1:,} distances, more are computed for a longer sound"
    clause += _details(top, kind, "speech_encoder_attention_heads")
    if (size := top.whole_or_none("speech_encoder_chunk_size")) is not None:
        before = top.whole("speech_encoder_left_chunk_num", minimum=-1)
        seen = "all chunks" if before < 0 else f"{before:,} chunks"
        clause += f"; a frame of speech sees its chunk of {size:,} frames and {seen} before it"
    return Found("sinusoidal", clause, length, warnings=_of_others(top, kind))


def _pieces(top: Fields) -> str:
    """Return of how many samples EnCodec reads each chunk for itself, where it cuts what it hears."""
    if top.value("chunk_length_s") is None:
        return ""
    size = int(top.number("chunk_length_s") * top.whole("sampling_rate"))
    told = f"it reads each chunk of {size:,} samples for itself"
    if (shared := top.number_or_none("overlap")) is None:
        return told
    return f"{told}, and a chunk begins {max(1, int((1 - shared) * size)):,} samples behind the one before"


def _granite_speech5(top: Fields) -> str:
    width = top.whole_or_none("head_dim") or top["hidden_size // num_attention_heads"]
    told = (
        f"{KEYS}, of which it has {top['max_position_embeddings * 2 + 1']:,}; its vectors of distances have {width:,} "
    )
    halving = numbered(top, "subsample_layers") if top.value("subsample_layers") != [] else ""
    return f"{told}channels" + (f"; behind each of the layers {halving} half of the frames are left" if halving else "")


def _moonshine_streaming_encoder(top: Fields) -> Found:
    """Return which frames each layer of Moonshine's encoder of streams sees: two numbers for each tell it."""
    count, windows = top.whole("num_hidden_layers", maximum=MAX_LISTED), top.value("sliding_windows")
    seen: dict[tuple[int, ...], list[str]] = {}
    if not isinstance(windows, list) or len(windows) < count:
        refuse(top.place("sliding_windows"), f"be a list of at least {count} pairs", windows)
    for layer, window in enumerate(windows[:count]):
        if not isinstance(window, list) or len(window) != 2 or not all(is_whole(one, 0) for one in window):
            refuse(top.place("sliding_windows"), "have two whole numbers for each layer", window)
        seen.setdefault(tuple(window), []).append(str(layer))
    told = "has no positional encoding: its convolutions and its windows tell the order; without a mask of its frames "
    told += "it has no windows"
    for (before, after), layers in seen.items():
        where = f"in each of the layers {', '.join(layers)} " if len(seen) > 1 else ""
        told += f"; {where}a frame sees at most {max(before - 1, 0):,} frames before it and "
        told += f"{max(after - 1, 0):,} after it"
    return Found("none", told)


def _parakeet(top: Fields) -> Found:
    inner = top.object("encoder_config")
    fields = Fields(inner or {}, PARAKEET.defaults, f"{top.path}encoder_config.", said=top.said, filled=top.filled)
    found = PARAKEET.read(fields)
    return found if inner is None else with_sizes(found, "parakeet_encoder", fields, sure=True)


def streamed(top: Fields) -> str:
    """Return which frames Nemotron's encoder of streams sees, and how many it takes."""
    length, window = top.whole("max_position_embeddings"), top.whole("sliding_window")
    after = top.whole("default_num_lookahead_tokens", minimum=0)
    seen = f"a frame sees its chunk of {after + 1:,} frames and {(window - 1) // (after + 1):,} chunks before it"
    return f"more than {length:,} frames are refused; {seen}"


def spoken(top: Fields) -> Found:
    """Return what the transformer does that speaks in Qwen2.5-Omni: RoPE in the first head of each layer alone."""
    width, size = top.whole("head_dim"), top.whole("block_size")
    clause = f"turns q and k of the first head of each layer with RoPE of base {base_of(top):,.0f}, all {width:,} "
    back, ahead = numbered(top, "look_backward_layers"), numbered(top, "look_ahead_layers")
    told = f"a frame sees its block of {size:,} frames, in layers {back} the block before it, too, and in layers "
    told += f"{ahead} the one behind it"
    return Found("rope", f"{clause}channels; the other heads turn nothing; {told}", pairs="neighbours")


def _speecht5(top: Fields) -> Found:
    """Return what SpeechT5 does where it speaks what it reads or hears, or writes what it hears."""
    kind, length = top.given.get("architectures"), top.whole("max_text_positions")
    heard, spoken = f"{top['max_speech_positions']:,}", f"speak {top['reduction_factor']} frames each, a hard limit"
    if kind == ["SpeechT5ForSpeechToText"]:
        written = f"of {length:,} tokens that are written, more are computed"
        return Found(
            "sinusoidal", f"adds a fixed sinusoid for each of {heard} frames that are heard and {written}", length
        )
    if kind == ["SpeechT5ForSpeechToSpeech"]:
        clause = f"adds a fixed sinusoid for each of {heard} frames that are heard, more are computed, and of {heard}"
        return Found("sinusoidal", f"{clause} steps that {spoken}; {SCALED % 'those of what is spoken'}")
    clause = f"adds a fixed sinusoid for each of {length:,} tokens that are read and of {heard} steps that {spoken}"
    return Found("sinusoidal", f"{clause}; {SCALED % 'those of what is read, and those of what is spoken,'}", length)


def near(before: str, after: str, less: int = 0) -> Other:
    """Return the reader of the hearing part of Gemma: sinusoids of distances, and a window, told by two fields.

    A frame sees so many frames `less` on each side than in the first such model.
    """

    def seen(top: Fields) -> str:
        back, ahead = max(top.whole(before, minimum=0) - 1 - less, 0), max(top.whole(after, minimum=0) - less, 0)
        return f"a frame sees at most {back:,} frames before it and {ahead:,} after it"

    return says("relative", DISTANCES).also(seen, **{before: 13, after: 0})


def _chunks(top: Fields) -> str:
    size = top.whole("chunk_size", minimum=-1)
    return f"a frame sees its block of {size:,} frames and {top['left_chunk']:,} blocks before it" if size > 0 else ""


def cut(top: Fields) -> str:
    """Return into which chunks Nemotron cuts a recording, and that positions begin anew in each."""
    told = (
        f"cuts a recording into chunks of {top['chunk_length']:,} frames, in which positions begin anew; a chunk sees "
    )
    before, after = (top.whole(f"chunk_{side}_context", minimum=0) for side in ("left", "right"))
    return f"{told}{before:,} frames before it and {after:,} after it"


def _phi4(top: Fields) -> str:
    far, alike = top.whole("bias_max_distance"), top.flag("bias_symmetric", False)
    clause = f"adds a learned bias for each of {far if alike else 2 * far:,} distances between frames"
    told = f"a sound of more than {PIECE:,} frames is cut into pieces of so many, which do not see each other"
    if far < PIECE and alike:
        told += f"; more than {far:,} frames are refused"
    elif far < PIECE:
        told += f"; frames more than {far:,} before, or more than {far - 1:,} after, have the bias of the farthest"
    return f"{clause}{', alike in both directions' if alike else ''}; {told}"


CUT = {"chunk_length": 340, "chunk_left_context": 0, "chunk_right_context": 40}
CUT_500 = {"chunk_length": 500, "chunk_left_context": 50, "chunk_right_context": 50}  # inside Nemotron 3.5 Transcribe
BY_LSTM = "reads what it has written with an LSTM of {num_decoder_layers=2} layers, which tells its order"
SCALED = "%s are multiplied by a number that is learned"
OVER_FRAMES = "adds a convolution over its frames, of which the order follows, and has no table and no limit"
CHANNELS = "{hidden_size:,} channels in {num_conv_pos_embedding_groups:,} groups"
KEYS = "adds to its scores products of queries and learned vectors of distances"
TURNED = "turns what q and k are made of with RoPE, by frames"
CONFORMERS = {"relative_key": KEYS, "relative": DISTANCES, "rotary": TURNED}
KEPT_DISTANCES = "sinusoids of {%s * 2 - 1:,} distances are kept, and more are computed where they are needed"
FIELDS_OF = {
    "relative": ["max_source_positions"],
    "relative_key": ["left_max_position_embeddings", "right_max_position_embeddings"],
    "rotary": ["rotary_embedding_base"],
}
SEAMLESS = {"relative": "sinusoids of distances", "relative_key": "learned vectors of distances", "rotary": "RoPE"}
SEAMLESS_1 = {
    "pad_token_id": 0,
    "max_position_embeddings": 1024, "t2u_max_position_embeddings": 2048, "position_embeddings_type": "relative",
    "hidden_size": 1024, "speech_encoder_attention_heads": 16, "rotary_embedding_base": 10_000,
    "max_source_positions": 4096,
}  # fmt: skip
SEAMLESS_2 = {
    "pad_token_id": 0,
    "hidden_size": 1024, "speech_encoder_attention_heads": 16, "max_position_embeddings": 4096,
    "t2u_max_position_embeddings": 4096, "position_embeddings_type": "relative_key",
    "left_max_position_embeddings": 64, "right_max_position_embeddings": 8, "speech_encoder_chunk_size": 20_000,
    "speech_encoder_left_chunk_num": 128,
}  # fmt: skip
CONFORMER = {
    "position_embeddings_type": "relative_key", "hidden_size": 1024, "num_attention_heads": 16,
    "rotary_embedding_base": 10_000, "max_source_positions": 5000,
}  # fmt: skip
CONVOLVED = "each layer has a convolution over {%s} frames, too"
SPOKEN = CONVOLVED.replace("layer", "layer of its encoder of speech") % "conv_depthwise_kernel_size=31"
ADAPTED = "behind these layers an adapter attends without positions"
PARAKEET = says("relative", DISTANCES).also(
    "these are computed for every sound, and {max_position_embeddings=5000:,} frames are no limit",
    CONVOLVED % "conv_kernel_size=9",
)
HEARS = "before it frames go through a convolution {num_conv_pos_embeddings} wide"
AST = {"patch_size": 16, "num_mel_bins": 128, "max_length": 1024, "frequency_stride": 10, "time_stride": 10}
GROUPS = {"hidden_size": 768, "num_conv_pos_embedding_groups": 16}
CONVOLUTION = says("convolution", _wav2vec2, num_conv_pos_embeddings=128, **GROUPS)
FRAMES = says("sinusoidal", "adds a fixed sinusoid for each of {max_source_positions=1500:,} frames, a hard limit")
CHUNKS = "adds a fixed sinusoid for each frame of a chunk, and begins anew with each chunk; a chunk has {%s * 2:,} "
CHUNKS += "frames of the spectrogram, and attention stays within {%s:,} of them; its table has "
CHUNKS += "{%s:,} rows"
ROWS, CHUNKS_OF_3 = "max_source_positions=1500", ("n_window=50", "n_window_infer=800")

HEARING: Mapping[str, Other] = {
    "whisper": Other({"max_source_positions": 1500, "max_target_positions": 448}, _whisper),
    "cohere_asr": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=1024:,} tokens that are written, a hard limit; its "
        "rows begin as sinusoids of base 10,000",
        "max_position_embeddings",
    ),
    "clvp_decoder": says(
        "learned",
        "adds a learned vector for each of {max_position_embeddings=608:,} positions, a hard limit",
        "max_position_embeddings",
    ),
    "canary_decoder": says(
        "sinusoidal",
        "adds a fixed sinusoid for each of {max_position_embeddings=1024:,} tokens that are written, a hard limit, "
        "divided by the root of its width",
        "max_position_embeddings",
    ),
    "audioflamingo3_encoder qwen2_audio_encoder voxtral_encoder moss_transcribe_diarize_audio": FRAMES.also(SHORTER),
    "wav2vec2 hubert sew unispeech unispeech-sat": CONVOLUTION,
    "wavlm": CONVOLUTION.also(
        "its scores have a learned bias for each of {num_buckets=320} buckets of distances, which each query scales",
        "distances from {max_bucket_distance=800:,} on, at the latest, share a bucket in each direction",
    ),
    "encodec": says(
        "convolution",
        "has no positional encoding: its convolutions and an LSTM of {num_lstm_layers=2} layers tell the order",
    ).also(_pieces, sampling_rate=24_000),
    "dac fastspeech2_conformer_hifigan qwen2_5_omni_bigvgan speecht5_hifigan univnet vibevoice_acoustic_tokenizer "
    "vibevoice_acoustic_tokenizer_decoder vibevoice_acoustic_tokenizer_encoder": says("convolution", UNATTENDED),
    "data2vec-audio": says("convolution", OVER_FRAMES).also(
        "it has {num_conv_pos_embeddings=5} of them, each {conv_pos_kernel_size=19} frames wide, " + CHANNELS, **GROUPS
    ),
    "wav2vec2-bert": Other(
        CONFORMER | {"left_max_position_embeddings": 64, "right_max_position_embeddings": 8}, _conformer
    )
    .also(CONVOLVED % "conv_depthwise_kernel_size=31")
    .where("add_adapter", False, ADAPTED),
    "wav2vec2-conformer": Other(
        CONFORMER | {"position_embeddings_type": "relative", "hidden_size": 768, "num_attention_heads": 12}, _conformer
    ).also(CONVOLVED % "conv_depthwise_kernel_size=31"),
    "speecht5": Other({"max_text_positions": 450, "max_speech_positions": 4000, "reduction_factor": 2}, _speecht5).also(
        "its encoder has learned vectors of distances up to {encoder_max_relative_position=160:,}, which farther ones "
        "share, {encoder_max_relative_position * 2:,} rows; its vectors of distances have "
        "{hidden_size=768 // encoder_attention_heads=12:,} channels",
        lambda top: HEARS.format_map(top) * (top.given.get("architectures") != ["SpeechT5ForTextToSpeech"]),
        lambda top: SMOOTHED * (top.given.get("architectures") != ["SpeechT5ForSpeechToText"]),
        num_conv_pos_embeddings=128,
    ),
    "vits": Other({"window_size": 4, "hidden_size": 192, "num_attention_heads": 2}, _vits).also(
        "each layer has two convolutions over {ffn_kernel_size=3} tokens, too",
        "what tells how long each of them sounds, and what makes the sound, is made of convolutions",
    ),
    "audio-spectrogram-transformer": says("learned", spectrogram, **AST),
    "seamless_m4t": Other(SEAMLESS_1, _seamless).also(SPOKEN).where("add_adapter", True, ADAPTED).also(OF_SOUND),
    "seamless_m4t_v2": Other(SEAMLESS_2, _seamless).also(SPOKEN).where("add_adapter", True, ADAPTED).also(OF_SOUND),
    "fastspeech2_conformer": says("relative", f"{DISTANCES}; {KEPT_DISTANCES % 5000}")
    .where(
        "use_cnn_in_conformer",
        True,
        "its layers have a convolution, too, over {encoder_kernel_size=7} tokens or {decoder_kernel_size=31} frames",
    )
    .also(
        "each layer has two convolutions over {positionwise_conv_kernel_size=3} of them",
        f"what tells length, pitch and energy is made of convolutions; {SMOOTHED}",
    ),
    "parakeet_ctc": Other({}, _parakeet),
    "parakeet_tdt": Other({}, _parakeet).also(f"it {BY_LSTM}"),
    "parakeet_encoder": PARAKEET,
    "phi4_multimodal_audio": says("relative", _phi4, bias_max_distance=1000, bias_symmetric=False).also(
        CONVOLVED % "kernel_size=3", _chunks, chunk_size=-1, left_chunk=18
    ),
    "gemma3n_audio": near("conf_attention_context_left", "conf_attention_context_right").also(
        CONVOLVED % "conf_conv_kernel_size=5"
    ),
    "gemma4_audio": near("attention_context_left", "attention_context_right", 1).also(CONVOLVED % "conv_kernel_size=5"),
    "nemotron_asr_streaming_encoder": says("relative", DISTANCES).also(
        streamed,
        CONVOLVED % "conv_kernel_size=9",
        max_position_embeddings=5000,
        sliding_window=71,
        default_num_lookahead_tokens=13,
    ),
    "moonshine_streaming_encoder": Other(
        {"num_hidden_layers": 6, "sliding_windows": [[16, 4], [16, 4], [16, 0], [16, 0], [16, 4], [16, 4]]},
        _moonshine_streaming_encoder,
    ).also("{max_position_embeddings=4096:,} frames are no limit"),
    "qwen2_5_omni_dit": Other(
        {
            "head_dim": 64,
            "rope_theta": 1e4,
            "block_size": 24,
            "look_backward_layers": [0, 20],
            "look_ahead_layers": [10],
        },
        spoken,
    ).also(
        "more than {max_position_embeddings=32768:,} frames are refused",
        "convolutions make of a voice the vector that it speaks with",
    ),
    **sentences(
        "sinusoidal",
        {
            "qwen2_5_omni_audio_encoder": CHUNKS % ("n_window=100", "n_window * 2", ROWS),
            "qwen3_omni_moe_audio_encoder": CHUNKS % (*CHUNKS_OF_3, ROWS),
            "qwen3_asr_encoder": CHUNKS % (*CHUNKS_OF_3, "max_position_embeddings=13"),
            "fun_asr_nano_encoder": "adds a fixed sinusoid for each of {max_position_embeddings=2049 - 1:,} "
            "frames, a hard limit; these have {num_mel_bins=80 * num_stacked_frames=7:,} channels; "
            + CONVOLVED % "fsmn_kernel_size=11"
            + "; the base of its sinusoids is 10,000",
        },
    ),
    "granite_speech5_encoder": says(
        "relative",
        _granite_speech5,
        max_position_embeddings=512,
        hidden_size=1024,
        num_attention_heads=8,
        head_dim=None,
        subsample_layers=[0, 1],
    ).also("a frame sees its block of {context_size=128:,} frames", CONVOLVED % "conv_kernel_size=7"),
    "granite_speech_encoder granite_speech_plus_encoder": says(
        "relative",
        KEYS
        + ", of which it has {max_pos_emb=512 * 2 + 1:,}; its vectors of distances have {dim_head=128:,} channels; "
        "a frame sees its block of {context_size=200:,} frames; " + CONVOLVED % "conv_kernel_size=15",
    ),
}
