"""Models that hear or speak, beside those of `images`: what counts frames, tokens and distances."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import MAX_SIZE, base_of, by_frames, of_distances, reach, two_sides
from pe_core.models.reading import refuse
from pe_core.models.sizes import with_sizes


def speecht5(top: Fields) -> Found:
    """Return what SpeechT5 does: sinusoids for text and for speech, and learned vectors of distances in its encoder."""
    tokens, frames = top.whole("max_text_positions"), top.whole("max_speech_positions")
    far = top.whole("encoder_max_relative_position")
    clause = f"adds a fixed sinusoid for each of {tokens:,} tokens that are read and of {frames:,} frames that are "
    clause += f"spoken, a hard limit; its encoder has learned vectors of distances up to {far:,}, which farther ones "
    clause += f"share{of_distances(top, 'hidden_size', 'encoder_attention_heads')}"
    width = top.whole("num_conv_pos_embeddings")
    if top.given.get("architectures") != ["SpeechT5ForTextToSpeech"]:  # which hears nothing
        clause += f"; before it frames go through a convolution {width} wide"
    return Found("sinusoidal", clause, tokens)


def vits(top: Fields) -> Found:
    """Return what VITS does: learned vectors of distances within a window, on both sides."""
    near = top.whole("window_size", minimum=0)
    if near == 0:
        return Found("none", "has no positional encoding", None)
    clause = f"has learned vectors of distances up to {near:,} on each side in its scores and values"
    width = of_distances(top, "hidden_size", "num_attention_heads")
    return Found("relative", f"{clause}, and none of farther ones{width}", None)


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
    clause += f"; units of speech have sinusoids for {top.whole('t2u_max_position_embeddings'):,} positions"
    clause += f"; its encoder of speech has {ways[kind]}" if kind else ""
    if kind == "relative_key":
        clause += f"; {reach(top)}{of_distances(top, 'hidden_size', 'speech_encoder_attention_heads')}"
    if kind == "rotary":
        clause += f"; {by_frames(top, 'speech_encoder_attention_heads')}"
    if (size := top.whole_or_none("speech_encoder_chunk_size")) is not None:
        before = top.whole("speech_encoder_left_chunk_num", minimum=-1)
        seen = "all chunks" if before < 0 else f"{before:,} chunks"
        clause += f"; a frame of speech sees its chunk of {size:,} frames and {seen} before it"
    return Found("sinusoidal", clause, length)


def distances(top: Fields) -> Found:
    """Return what a conformer of NVIDIA's kind does: sinusoids of distances."""
    found = Found("relative", "compares its queries with sinusoids of distances", None)
    if (inner := top.object("encoder_config")) is None:
        return found
    fields = Fields(inner, {}, f"{top.path}encoder_config.", said=top.said, filled=top.filled)
    return with_sizes(found, "parakeet_encoder", fields, sure=True)


def streamed(top: Fields) -> Found:
    """Return what Nemotron's encoder of streams does: sinusoids of distances, up to a length, within some chunks."""
    length, window = top.whole("max_position_embeddings"), top.whole("sliding_window")
    after = top.whole("default_num_lookahead_tokens", minimum=0)
    clause = f"compares its queries with sinusoids of distances; more than {length:,} frames are refused"
    seen = f"a frame sees its chunk of {after + 1:,} frames and {(window - 1) // (after + 1):,} chunks before it"
    return Found("relative", f"{clause}; {seen}", None)


def spoken(top: Fields) -> Found:
    """Return what the transformer does that speaks in Qwen2.5-Omni: RoPE in the first head of each layer alone."""
    width, size = top.whole("head_dim"), top.whole("block_size")
    clause = f"turns q and k of the first head of each layer with RoPE of base {base_of(top):,.0f}, all {width:,} "
    told = f"a frame sees its block of {size:,} frames, in layers of look_backward_layers the block before it, too, "
    told += "and in those of look_ahead_layers the one behind it"
    return Found("rope", f"{clause}channels; the other heads turn nothing; {told}", None, pairs="neighbours")


def near(before: str, after: str) -> Callable[[Fields], Found]:
    """Return the reader of the hearing part of Gemma: sinusoids of distances, and a window, told by two fields."""

    def read(top: Fields) -> Found:
        seen = _sees(max(top.whole(before, minimum=0) - 1, 0), top.whole(after, minimum=0))
        return Found("relative", f"compares its queries with sinusoids of distances; {seen}", None)

    return read


def _sees(before: int, after: int) -> str:
    return f"a frame sees at most {before:,} frames before it and {after:,} after it"


def in_chunks(top: Fields) -> Found:
    """Return what the hearing part of Qwen's Omni models does: sinusoids that begin anew with each chunk."""
    chunk = 2 * top.whole("n_window")
    window = top.whole("n_window_infer") if "n_window_infer" in top.defaults else chunk
    clause = "adds a fixed sinusoid for each frame of a chunk, and begins anew with each chunk"
    clause += f"; a chunk has {chunk:,} frames of the spectrogram, and attention stays within {window:,} of them"
    return Found("sinusoidal", clause, None)


def in_blocks(top: Fields) -> Found:
    """Return what the encoder of Granite Speech does: learned vectors of distances, within blocks."""
    rows, size = 2 * top.whole("max_pos_emb") + 1, top.whole("context_size")
    clause = f"adds to its scores products of queries and learned vectors of distances, of which it has {rows:,}"
    clause += f"; its vectors of distances have {top.whole('dim_head'):,} channels"
    return Found("relative", f"{clause}; a frame sees its block of {size:,} frames", None)


def by_distance(top: Fields) -> Found:
    """Return what the hearing part of Phi-4-multimodal does: a bias for each distance between frames."""
    far, alike = top.whole("bias_max_distance"), top.flag("bias_symmetric", False)
    clause = f"adds a learned bias for each of {far if alike else 2 * far:,} distances between frames"
    told = f"frames more than {far:,} before, or more than {far - 1:,} after, have the bias of the farthest"
    return Found("relative", f"{clause}{', alike in both directions' if alike else ''}; {told}", None)


AST = {"patch_size": 16, "num_mel_bins": 128, "max_length": 1024, "frequency_stride": 10, "time_stride": 10}
SEAMLESS = {
    "max_position_embeddings": 1024, "t2u_max_position_embeddings": 2048, "position_embeddings_type": "relative",
    "hidden_size": 1024, "speech_encoder_attention_heads": 16, "rotary_embedding_base": 10_000,
}  # fmt: skip
SEAMLESS_2 = {
    "hidden_size": 1024, "speech_encoder_attention_heads": 16, "max_position_embeddings": 4096,
    "t2u_max_position_embeddings": 4096, "position_embeddings_type": "relative_key",
    "left_max_position_embeddings": 64, "right_max_position_embeddings": 8, "speech_encoder_chunk_size": 20_000,
    "speech_encoder_left_chunk_num": 128,
}  # fmt: skip
SPEECHT5 = {
    "max_text_positions": 450, "max_speech_positions": 4000, "encoder_max_relative_position": 160,
    "num_conv_pos_embeddings": 128, "hidden_size": 768, "encoder_attention_heads": 12,
}  # fmt: skip
STREAM = {"max_position_embeddings": 5000, "sliding_window": 71, "default_num_lookahead_tokens": 13}
GEMMA_3N = {"conf_attention_context_left": 13, "conf_attention_context_right": 0}
GEMMA_4 = {"attention_context_left": 13, "attention_context_right": 0}
CONFORMERS = "fastspeech2_conformer parakeet_ctc parakeet_encoder parakeet_tdt"
GRANITE = "granite_speech_encoder granite_speech_plus_encoder"

SPEECH: Mapping[str, Other] = {
    "speecht5": Other(SPEECHT5, speecht5),
    "vits": Other({"window_size": 4, "hidden_size": 192, "num_attention_heads": 2}, vits),
    "audio-spectrogram-transformer": Other(AST, spectrogram),
    "seamless_m4t": Other(SEAMLESS, seamless),
    "seamless_m4t_v2": Other(SEAMLESS_2, seamless),
    **dict.fromkeys(CONFORMERS.split(), Other({}, distances)),
    "phi4_multimodal_audio": Other({"bias_max_distance": 1000, "bias_symmetric": False}, by_distance),
    "gemma3n_audio": Other(GEMMA_3N, near(*GEMMA_3N)),
    "gemma4_audio": Other(GEMMA_4, near(*GEMMA_4)),
    "nemotron_asr_streaming_encoder": Other(STREAM, streamed),
    **dict.fromkeys(GRANITE.split(), Other({"max_pos_emb": 512, "context_size": 200, "dim_head": 128}, in_blocks)),
    "qwen2_5_omni_dit": Other({"head_dim": 64, "rope_theta": 10_000.0, "block_size": 24}, spoken),
    "qwen2_5_omni_audio_encoder": Other({"n_window": 100}, in_chunks),
    **dict.fromkeys(
        ("qwen3_omni_moe_audio_encoder", "qwen3_asr_encoder"), Other({"n_window": 50, "n_window_infer": 800}, in_chunks)
    ),
}
