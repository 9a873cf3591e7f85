"""Models of images and of sound: what their places are, how many a table has, and what another size does."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.reading import refuse

MAX_SIZE = 65_536  # pixels
ASKED = "another size is refused unless interpolate_pos_encoding is asked for, which interpolates the table"
ALWAYS = "for another size the table is interpolated"
TURNS = "turns some pairs with the row and others with the column of a patch (2-D RoPE)"
BY_FRACTION = "for another shape each patch takes the row at its fraction of the image"


def patches(more: int, resized: str) -> Callable[[Fields], Found]:
    """Return the reader of a learned table with a row for each patch of an image, and `more` rows for other tokens."""

    def read(top: Fields) -> Found:
        (height, width), (tall, wide) = _size(top, "image_size"), _size(top, "patch_size")
        rows, columns = height // tall, width // wide
        if rows * columns == 0:
            refuse(top.place("patch_size"), f"be at most image_size ({min(height, width)})", max(tall, wide))
        others = f" and {more} more" if more else ""
        clause = f"adds a learned vector for each of {rows} x {columns} patches{others}, {rows * columns + more:,} rows"
        return Found("learned", f"{clause}; {resized}", None)

    return read


def _size(top: Fields, name: str) -> tuple[int, int]:
    """Return height and width, which a file has as one number or two."""
    value = top.value(name)
    sides = value if isinstance(value, list) and len(value) == 2 else [value, value]
    for side in sides:
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= MAX_SIZE:
            refuse(top.place(name), f"be a whole number of pixels up to {MAX_SIZE:,}, or two", value)
    return sides[0], sides[1]


def number_of_patches(top: Fields) -> Found:
    """Return what SigLIP 2 does, whose field is the number of patches."""
    count = top.whole("num_patches")
    return Found("learned", f"adds a learned vector for each of {count:,} patches; {ALWAYS}", None)


def table_and_axes(top: Fields) -> Found:
    """Return what the vision model of Qwen3-VL does: a square table that is interpolated, and 2-D RoPE."""
    count = top.whole("num_position_embeddings")
    return Found("axial", f"adds a learned vector of {count:,}, interpolated for other sizes, and {TURNS}", None)


def in_two_dimensions(top: Fields) -> Found:
    """Return what a vision model does whose pairs turn with row and column (2-D RoPE)."""
    return Found("axial", TURNS, None)


def window_bias(top: Fields) -> Found:
    """Return what Swin does: a learned bias for each offset of rows and columns within a window."""
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds a learned bias for each of {(2 * size - 1) ** 2:,} offsets in windows of {size} x {size} patches"
    return Found("relative", f"{clause}; it has no limit to the size of an image", None)


def continuous_bias(top: Fields) -> Found:
    """Return what Swin v2 does: a small network gives the bias of an offset."""
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds a bias that a small network computes from the offset within windows of {size} x {size} patches"
    return Found("relative", f"{clause}, so that another size of window needs no other table", None)


def convolution(top: Fields) -> Found:
    """Return what wav2vec 2.0 and its kin do: a convolution over frames, which knows their order."""
    width = top.value("num_conv_pos_embeddings")
    clause = "adds a convolution over its frames, of which the order follows, and has no table and no limit"
    return Found("convolution", clause + (f" ({width} frames wide)" if isinstance(width, int) else ""), None)


def convolutional(top: Fields) -> Found:
    """Return what a network of convolutions does, and SegFormer, whose layers have one."""
    return Found("convolution", "has no positional encoding: its convolutions tell where things are", None)


def wavlm(top: Fields) -> Found:
    """Return what WavLM does: the convolution, and a bias for buckets of distances that each query scales."""
    clause = f"{convolution(top).clause}; its scores have a learned bias for each of {top.whole('num_buckets')} buckets"
    return Found("convolution", f"{clause} of distances", None)


def conformer(top: Fields) -> Found:
    """Return what a conformer does, as `position_embeddings_type` says."""
    kind = top.text("position_embeddings_type")
    ways = {
        "relative_key": "adds to its scores learned vectors of distances",
        "relative": "compares its queries with sinusoids of distances",
        "rotary": "turns q and k with RoPE, by frames",
    }
    if kind is not None and kind not in ways:
        refuse(top.place("position_embeddings_type"), f"be one of {', '.join(ways)} or null", kind)
    return Found("relative" if kind else "none", ways[kind] if kind else "has no positional encoding", None)


def frames(top: Fields) -> Found:
    """Return what an encoder of Whisper's kind does: a fixed sinusoid for each frame."""
    count = top.whole("max_source_positions")
    return Found("sinusoidal", f"adds a fixed sinusoid for each of {count:,} frames, a hard limit", None)


def whisper(top: Fields) -> Found:
    """Return what Whisper does: sinusoids for frames, and a learned table for the text."""
    length = top.whole("max_target_positions")
    clause = f"{frames(top).clause}, and a learned vector for each of {length:,} tokens of its text, a hard limit, too"
    return Found("learned", clause, length)


def _image(size: int, patch: int, more: int, resized: str) -> Other:
    return Other({"image_size": size, "patch_size": patch}, patches(more, resized))


CONVOLUTIONAL = "bit convnext convnextv2 efficientnet mobilenet_v1 mobilenet_v2 regnet resnet segformer"
CONVOLUTION = Other({"num_conv_pos_embeddings": 128}, convolution)
FRAMES = Other({"max_source_positions": 1500}, frames)
AXIAL = Other({}, in_two_dimensions)

IMAGES_AND_SOUND: Mapping[str, Other] = {
    **dict.fromkeys(CONVOLUTIONAL.split(), Other({}, convolutional)),
    "blip_2_vision_model": _image(224, 14, 1, ASKED),
    "vit": _image(224, 16, 1, ASKED),
    "vit_msn": _image(224, 16, 1, ASKED),
    "deit": _image(224, 16, 2, ASKED),
    "dinov2": _image(224, 14, 1, ALWAYS),
    "dinov2_with_registers": _image(224, 16, 1, ALWAYS),
    "clip_vision_model": _image(224, 32, 1, ASKED),
    "chinese_clip_vision_model": _image(224, 32, 1, ASKED),
    "siglip_vision_model": _image(224, 16, 0, ASKED),
    "blip_vision_model": _image(384, 16, 1, ASKED),
    "phi4_multimodal_vision": _image(448, 14, 0, BY_FRACTION),
    "idefics3_vision": _image(224, 32, 0, BY_FRACTION),
    "smolvlm_vision": _image(224, 32, 0, BY_FRACTION),
    "internvl_vision": _image(448, 14, 1, ALWAYS),
    "timesformer": _image(224, 16, 1, ALWAYS),
    "siglip2_vision_model": Other({"num_patches": 256}, number_of_patches),
    "swin": Other({"window_size": 7}, window_bias),
    "donut-swin": Other({"window_size": 7}, window_bias),
    "swinv2": Other({"window_size": 7}, continuous_bias),
    "dinov3_vit": AXIAL,
    "pixtral": AXIAL,
    "qwen2_vl_vision": AXIAL,
    "qwen2_5_vl_vision": AXIAL,
    "qwen2_5_omni_vision_encoder": AXIAL,
    "qwen3_vl_vision": Other({"num_position_embeddings": 2304}, table_and_axes),
    "idefics2_vision": _image(224, 32, 0, BY_FRACTION),
    "whisper": Other({"max_source_positions": 1500, "max_target_positions": 448}, whisper),
    "qwen2_audio_encoder": FRAMES,
    "voxtral_encoder": FRAMES,
    "wav2vec2": CONVOLUTION,
    "hubert": CONVOLUTION,
    "wavlm": Other({"num_conv_pos_embeddings": 128, "num_buckets": 320}, wavlm),
    "data2vec-audio": Other({}, convolution),
    "wav2vec2-bert": Other({"position_embeddings_type": "relative_key"}, conformer),
    "wav2vec2-conformer": Other({"position_embeddings_type": "relative"}, conformer),
}
