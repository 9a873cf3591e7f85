"""Models that hear or speak, beside those of `images`: what counts frames, tokens and distances."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import MAX_SIZE, two_sides
from pe_core.models.reading import refuse


def speecht5(top: Fields) -> Found:
    """Return what SpeechT5 does: sinusoids for text and for speech, and learned vectors of distances in its encoder."""
    tokens, frames = top.whole("max_text_positions"), top.whole("max_speech_positions")
    far = top.whole("encoder_max_relative_position")
    clause = f"adds a fixed sinusoid for each of {tokens:,} tokens that are read and of {frames:,} frames that are "
    clause += f"spoken, a hard limit; its encoder has learned vectors of distances up to {far:,}, which farther ones "
    return Found("sinusoidal", f"{clause}share", tokens)


def vits(top: Fields) -> Found:
    """Return what VITS does: learned vectors of distances within a window, on both sides."""
    near = top.whole("window_size", minimum=0)
    if near == 0:
        return Found("none", "has no positional encoding", None)
    clause = f"has learned vectors of distances up to {near:,} on each side in its scores and values"
    return Found("relative", f"{clause}, and none of farther ones", None)


def spectrogram(top: Fields) -> Found:
    """Return what the Audio Spectrogram Transformer does: a table with a row for each patch of mel bins and frames."""
    (tall, wide), bins, frames = two_sides(top, "patch_size"), top.whole("num_mel_bins"), top.whole("max_length")
    rows = (bins - tall) // top.whole("frequency_stride", maximum=MAX_SIZE) + 1
    columns = (frames - wide) // top.whole("time_stride", maximum=MAX_SIZE) + 1
    if min(rows, columns) < 1:
        refuse(top.place("patch_size"), f"be at most {min(bins, frames)}", max(tall, wide))
    clause = f"adds a learned vector for each of {rows} x {columns} patches and 2 more, {rows * columns + 2:,} rows"
    return Found("learned", f"{clause}; another length of sound is refused", None)


def seamless(top: Fields) -> Found:
    """Return what SeamlessM4T does: sinusoids for text, and vectors of distances for speech."""
    length, kind = top.whole("max_position_embeddings"), top.text("position_embeddings_type")
    ways = {"relative": "sinusoids of distances", "relative_key": "learned vectors of distances", "rotary": "RoPE"}
    if kind is not None and kind not in ways:
        refuse(top.place("position_embeddings_type"), f"be one of {', '.join(ways)} or null", kind)
    clause = f"adds a fixed sinusoid for each of {length:,} positions of text, more are computed for a longer text"
    return Found("sinusoidal", clause + (f"; its encoder of speech has {ways[kind]}" if kind else ""), length)


def distances(top: Fields) -> Found:
    """Return what a conformer of NVIDIA's kind does: sinusoids of distances."""
    return Found("relative", "compares its queries with sinusoids of distances", None)


def in_chunks(top: Fields) -> Found:
    """Return what the hearing part of Qwen's Omni models does: sinusoids that begin anew with each chunk."""
    return Found("sinusoidal", "adds a fixed sinusoid for each frame of a chunk, and begins anew with each chunk", None)


AST = {"patch_size": 16, "num_mel_bins": 128, "max_length": 1024, "frequency_stride": 10, "time_stride": 10}
SEAMLESS = {"max_position_embeddings": 1024, "position_embeddings_type": "relative"}
CONFORMERS = "fastspeech2_conformer gemma3n_audio gemma4_audio parakeet_ctc parakeet_encoder parakeet_tdt"

SPEECH: Mapping[str, Other] = {
    "speecht5": Other(
        {"max_text_positions": 450, "max_speech_positions": 4000, "encoder_max_relative_position": 160}, speecht5
    ),
    "vits": Other({"window_size": 4}, vits),
    "audio-spectrogram-transformer": Other(AST, spectrogram),
    "seamless_m4t": Other(SEAMLESS, seamless),
    "seamless_m4t_v2": Other({"max_position_embeddings": 4096, "position_embeddings_type": "relative_key"}, seamless),
    **dict.fromkeys(CONFORMERS.split(), Other({}, distances)),
    "qwen2_5_omni_audio_encoder": Other({}, in_chunks),
    "qwen3_omni_moe_audio_encoder": Other({}, in_chunks),
}
