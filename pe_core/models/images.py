"""Models of images and of sound: what their places are, how many a table has, and what another size does."""

import math
from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.positions import Mechanism
from pe_core.models.reading import refuse

MAX_SIZE = 65_536  # pixels
MAX_STAGES = 10  # of LeViT, each of which has half as many rows and columns as the one before
MAX_LISTED = 1000  # layers that a list may name
ASKED = "another size is refused unless interpolate_pos_encoding is asked for, which interpolates the table"
ALWAYS = "for another size the table is interpolated"
NEVER = "another size is refused"
TURNS = "turns some pairs with the row and others with the column of a patch (2-D RoPE)"
BY_FRACTION = "for another shape each patch takes the row at its fraction of the image"


def patches(more: int, resized: str) -> Callable[[Fields], Found]:
    """Return the reader of a learned table with a row for each patch of an image, and `more` rows for other tokens."""

    def read(top: Fields) -> Found:
        rows, columns = filled_grid(top)
        others = f" and {more} more" if more else ""
        clause = f"adds a learned vector for each of {rows} x {columns} patches{others}, {rows * columns + more:,} rows"
        return Found("learned", f"{clause}; {resized}", None)

    return read


def is_size(value: object, minimum: int = 1) -> bool:
    """Return whether a value is a whole number from the minimum to what an image may have."""
    return isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= MAX_SIZE


def two_sides(top: Fields, name: str) -> tuple[int, int]:
    """Return height and width, which a file has as one number or two."""
    value = top.value(name)
    sides = value if isinstance(value, list) and len(value) == 2 else [value, value]
    for side in sides:
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= MAX_SIZE:
            refuse(top.place(name), f"be a whole number of pixels up to {MAX_SIZE:,}, or two", value)
    return sides[0], sides[1]


def grid(top: Fields, image: str = "image_size", patch: str = "patch_size") -> tuple[int, int]:
    """Return how many rows and columns of patches an image has, by the names of the two fields."""
    (height, width), (tall, wide) = two_sides(top, image), two_sides(top, patch)
    return height // tall, width // wide


def filled_grid(top: Fields, image: str = "image_size", patch: str = "patch_size") -> tuple[int, int]:
    """Return the same of an image that has a patch or more; `ConfigError` for a smaller one."""
    rows, columns = grid(top, image, patch)
    if rows * columns == 0:
        smallest = min(two_sides(top, image))
        refuse(top.place(patch), f"be at most {image} ({smallest})", max(two_sides(top, patch)))
    return rows, columns


def beit(top: Fields) -> Found:
    """Return what BEiT does: a table of patches, a bias for each offset of rows and columns, both, or nothing."""
    rows, columns = grid(top)
    parts = []
    if top.flag("use_absolute_position_embeddings", False):
        parts.append(f"adds a learned vector for each of {rows} x {columns} patches and 1 more")
    shared, own = top.flag("use_shared_relative_position_bias", False), top.flag("use_relative_position_bias", False)
    if shared or own:
        count = (2 * rows - 1) * (2 * columns - 1) + 3
        parts.append(f"adds a learned bias to its scores for each of {count:,} offsets, those of the first token too")
    if not parts:
        return Found("none", "has no positional encoding", None)
    kind: Mechanism = "relative" if shared or own else "learned"
    return Found(kind, f"{' and '.join(parts)}; {ALWAYS}", None)


def video(top: Fields) -> Found:
    """Return what VideoMAE does: a fixed sinusoid for each patch of some frames."""
    rows, columns = grid(top)
    sizes = (top.whole("num_frames") // top.whole("tubelet_size"), rows, columns)
    clause = f"adds a fixed sinusoid for each of {_film(sizes)} patches of a film, {math.prod(sizes):,} rows; {NEVER}"
    if top.says("decoder_hidden_size"):
        clause += f"; its decoder adds sinusoids of its own, {top.whole('decoder_hidden_size'):,} channels wide"
    return Found("sinusoidal", clause, None)


def pvt(top: Fields) -> Found:
    """Return what PVT does: a table of patches in each stage, the last one with a row for its class token."""
    side, sizes, widths = top.whole("image_size", maximum=MAX_SIZE), top.value("patch_sizes"), top.value("hidden_sizes")
    listed = [isinstance(one, list) and 0 < len(one) <= MAX_STAGES for one in (sizes, widths)]
    if not all(listed) or len(sizes) != len(widths) or not all(map(is_size, [*sizes, *widths])):
        refuse(top.place("patch_sizes"), f"be a list of 1 to {MAX_STAGES} sizes, as many as hidden_sizes", sizes)
    views = [side if stage == 0 else side >> (stage + 1) for stage in range(len(sizes))]
    rows = [(view // patch) ** 2 for view, patch in zip(views, sizes, strict=True)]
    rows[-1] += 1
    tables = ", ".join(f"{count:,} x {width:,}" for count, width in zip(rows, widths, strict=True))
    return Found("learned", f"adds a table of learned vectors in each stage, of {tables}; {NEVER}", None)


def _film(sizes: tuple[int, int, int]) -> str:
    return " x ".join(map(str, sizes))


def learned_video(top: Fields) -> Found:
    """Return what ViViT does: a learned vector for each patch of some frames."""
    sizes = top.value("tubelet_size")
    if not isinstance(sizes, list) or len(sizes) != 3 or any(not isinstance(one, int) or one < 1 for one in sizes):
        refuse(top.place("tubelet_size"), "be three whole numbers of at least 1", sizes)
    (height, width), frames = two_sides(top, "image_size"), top.whole("num_frames")
    counts = (frames // sizes[0], height // sizes[1], width // sizes[2])
    clause = f"adds a learned vector for each of {_film(counts)} patches of a film and 1 more"
    clause += f", {math.prod(counts) + 1:,} rows; {NEVER}"
    return Found("learned", clause, None)  # refused even where interpolation is asked for: it loses the frames


def timesformer(top: Fields) -> Found:
    """Return what TimeSformer does: a table of patches, one of frames, and layers that count columns as configured."""
    clause, (_, columns) = patches(1, ALWAYS)(top).clause, grid(top)
    kind = top.text("attention_type")
    if kind == "divided_space_time":
        clause += f"; its layers fail unless the number of patches is a multiple of {columns}"
    if kind == "space_only":
        return Found("learned", clause, None)
    return Found("learned", f"{clause}; learned vectors of {top.whole('num_frames')} frames are added, too", None)


def base_of(top: Fields) -> float:
    """Return the base of the rotation: that of `rope_parameters`, of the top level, of the class, or of its code."""
    if "rope_theta" not in top.defaults:
        return BASE_IN_CODE
    given = top.given.get("rope_parameters") or top.given.get("rope_scaling")
    if isinstance(given, Mapping) and "rope_theta" in given:
        return Fields(given, {}, f"{top.path}rope_parameters.").number("rope_theta", minimum=1)
    return top.number("rope_theta", minimum=1)


def head_width(top: Fields) -> int:
    """Return the channels of a head, which a file has itself, or as a width and a number of heads."""
    if top.value("head_dim") is not None:
        return top.whole("head_dim", maximum=MAX_SIZE)
    width = top.whole("embed_dim" if "embed_dim" in top.defaults else "hidden_size")
    names = ("num_heads", "num_attention_heads")
    heads = top.whole(next(name for name in names if name in {*top.given, *top.defaults}))
    if width // heads < 2:
        refuse(top.place("num_heads"), f"be at most half of the width ({width})", heads)
    return width // heads


def turned(top: Fields) -> str:
    """Return a clause on 2-D RoPE: half of the channels turn with the row, half with the column."""
    return f"all {head_width(top):,} channels of a head turn, with a base of {base_of(top):,.0f}"


def in_three_dimensions(top: Fields) -> Found:
    """Return what V-JEPA 2 and others do: RoPE whose pairs turn with frame, row or column, a third of them each."""
    head_dim = head_width(top)
    each = head_dim // 3 // 2 * 2
    clause = "turns some pairs with the frame, some with the row and some with the column of a patch"
    return Found("axial", f"{clause}; {each} channels each of {head_dim} by RoPE of base {base_of(top):,.0f}", None)


def in_clips(top: Fields) -> Found:
    """Return what V-JEPA 2 does, with the places of the clips that it is made for."""
    size, patch, frames, tube = (top.whole(name, maximum=MAX_SIZE) for name in CLIPS)
    found, side = in_three_dimensions(top), size // patch
    own = {"head_dim": None} | {name: top.whole(f"pred_{name}") for name in ("hidden_size", "num_attention_heads")}
    narrow = head_width(Fields(own, {}, top.path))
    found = found.also(f"its clips have {frames // tube} x {side} x {side} patches")
    return found.also(f"its predictor turns {narrow // 3 // 2 * 2} channels each of {narrow}")


def table_of_patches_and_axes(more: int, resized: str) -> Callable[[Fields], Found]:
    """Return the reader of a table as in `patches`, whose model turns pairs with row and column, too."""

    def read(top: Fields) -> Found:
        found = patches(more, resized)(top)
        return Found("axial", f"{found.clause}; it {TURNS}; {turned(top)}", None)

    return read


def film_table_and_axes(top: Fields) -> Found:
    """Return what the vision model of Kimi K2.5 does: a table of places, sinusoids of frames, and 2-D RoPE."""
    rows, columns = top.whole("pos_emb_height", maximum=MAX_SIZE), top.whole("pos_emb_width", maximum=MAX_SIZE)
    clause = f"adds a learned vector of {rows} x {columns}, interpolated for other sizes, and a sinusoid of the frame"
    return Found("axial", f"{clause}; it {TURNS}; {turned(top)}", None)


def levit(top: Fields) -> Found:
    """Return what LeViT does: learned biases of how many rows and columns two places lie apart, stage by stage."""
    (side, _), stages = grid(top), top.value("depths")
    if side < 1 or not isinstance(stages, list) or not 1 <= len(stages) <= MAX_STAGES:
        refuse(top.place("depths"), f"be a list of 1 to {MAX_STAGES} stages, for an image of a patch or more", stages)
    sides = [-(-side // 2**number) for number in range(len(stages))]
    counts = ", ".join(f"{one * one:,}" for one in sides)
    clause = f"adds a learned bias for each of {counts} offsets of rows and columns, stage by stage, and others between"
    return Found("relative", f"{clause} stages; an offset counts whatever its sign; {NEVER}", None)


def radio(top: Fields) -> Found:
    """Return what RADIO does: a learned table of a large square, stretched to the longer side of an image, and cut."""
    size, patch = top.whole("max_img_size", maximum=MAX_SIZE), two_sides(top, "patch_size")[0]
    if size < patch:
        refuse(top.place("patch_size"), f"be at most max_img_size ({size})", patch)
    side = size // patch
    clause = f"adds a learned vector for each of {side} x {side} patches, {side * side:,} rows"
    cut = "an image gets them stretched to its longer side, and cut to its shorter one"
    return Found("learned", f"{clause}; {cut}", None)


def sides(name: str, turns: bool) -> Callable[[Fields], Found]:
    """Return the reader of two learned tables, of rows and of columns, of as many as the field says."""

    def read(top: Fields) -> Found:
        count = top.whole(name)
        clause = f"adds learned vectors of the row and of the column of a patch, {count:,} of each, a hard limit"
        return Found("axial" if turns else "learned", f"{clause}; it {TURNS}; {turned(top)}" if turns else clause, None)

    return read


def tiles(top: Fields) -> Found:
    """Return what the vision model of Llama 3.2 does: a table of patches, and tables of the tiles of an image."""
    found, count = patches(1, "each tile has this size")(top), top.whole("max_num_tiles")
    return Found("learned", f"{found.clause}; learned vectors of up to {count} tiles are added, too", None)


def masked(top: Fields) -> Found:
    """Return what ViT-MAE does: fixed sinusoids of row and column for each patch, and others in its decoder."""
    rows, columns = grid(top)
    clause = f"adds a fixed sinusoid for each of {rows} x {columns} patches; {ASKED}"
    if top.says("decoder_hidden_size") or "model_type" in top.given:  # not where another model is read as this one
        clause += f"; its decoder adds sinusoids of its own, {top.whole('decoder_hidden_size'):,} channels wide"
    return Found("sinusoidal", clause, None)


def with_detections(top: Fields) -> Found:
    """Return what YOLOS does: a table of patches, which has rows for what is to be found, too."""
    found = patches(top.whole("num_detection_tokens", minimum=0) + 1, ALWAYS)(top)
    between = top.flag("use_mid_position_embeddings", True)
    return found.also("all layers but the last add such a table, too") if between else found


def hiera(top: Fields) -> Found:
    """Return what Hiera does: a table of patches, and stages whose layers see units of patches, or all of them."""
    (rows, columns), unit = filled_grid(top, patch="patch_stride"), two_sides(top, "masked_unit_size")
    near = top.value("masked_unit_attention")
    if not isinstance(near, list) or len(near) > MAX_LISTED or any(not isinstance(one, bool) for one in near):
        refuse(top.place("masked_unit_attention"), f"be a list of at most {MAX_LISTED} of true and false", near)
    stages = [str(number + 1) for number, one in enumerate(near) if one]
    clause = f"adds a learned vector for each of {rows} x {columns} patches, {rows * columns:,} rows; {ASKED}"
    if stages:
        clause += f"; in stages {', '.join(stages)} a patch sees its unit of {unit[0]} x {unit[1]} patches of the image"
        clause += ", and so does the first layer of the stage behind them; the others see the whole image"
    return Found("learned", clause, None)


def internvl(top: Fields) -> Found:
    """Return what the vision model of InternVL does: a table of patches, or nothing."""
    if not top.flag("use_absolute_position_embeddings", True):
        return Found("none", "has no positional encoding", None)
    return patches(1, ALWAYS)(top)


def aimv2(top: Fields) -> Found:
    """Return what the vision model of AIMv2 does: a table of patches, or sinusoids of row and column."""
    if not top.flag("is_native", False):
        return patches(0, NEVER)(top)
    return Found("sinusoidal", "adds sinusoids of the row and of the column of a patch, however many there are", None)


def with_frames(top: Fields) -> Found:
    """Return what X-CLIP does: a table of patches, and one of frames where what is seen in them is joined."""
    found, count, width = patches(1, ASKED)(top), top.whole("num_frames"), top.whole("mit_hidden_size")
    return found.also(f"where frames are joined, a learned vector of {width:,} channels is added for each of {count}")


def number_of_patches(name: str, resized: str) -> Callable[[Fields], Found]:
    """Return the reader of a table whose field is the number of patches, as in SigLIP 2."""

    def read(top: Fields) -> Found:
        return Found("learned", f"adds a learned vector for each of {top.whole(name):,} patches; {resized}", None)

    return read


def table_and_axes(top: Fields) -> Found:
    """Return what the vision model of Qwen3-VL does: a square table that is interpolated, and 2-D RoPE."""
    count = top.whole("num_position_embeddings")
    clause = f"adds a learned vector of {count:,}, interpolated for other sizes, and {TURNS}"
    return Found("axial", f"{clause}; {turned(top)}", None)


def with_class(top: Fields) -> Found:
    """Return what MLCD does: 2-D RoPE, by which its class token turns, too."""
    found = in_two_dimensions(top)
    return found.also("its class token turns by angles that it learns")


def in_two_dimensions(top: Fields) -> Found:
    """Return what a vision model does whose pairs turn with row and column (2-D RoPE)."""
    return Found("axial", f"{TURNS}; {turned(top)}", None)


def pixtral(top: Fields) -> Found:
    """Return what the vision model of Pixtral does: 2-D RoPE, on images up to a size."""
    found = in_two_dimensions(top)
    if not top.says("image_size"):
        return found
    rows, columns = grid(top)
    return found.also(f"it is made for images up to {rows} x {columns} patches")


def in_windows(top: Fields) -> Found:
    """Return what the vision model of Qwen2.5-VL does: 2-D RoPE, and windows in most of its layers."""
    found, size, whole = in_two_dimensions(top), two_sides(top, "window_size")[0], top.value("fullatt_block_indexes")
    told = f"layers {numbered(top, 'fullatt_block_indexes')} see the whole image, the others" if whole else "its layers"
    told = f"{told} see windows of {size} x {size} pixels" if not whole else f"{told} windows of {size} x {size} pixels"
    return found.also(told)


def numbered(top: Fields, name: str) -> str:
    """Return the numbers of layers that a field lists, from 0, in words."""
    numbers = top.value(name)
    if not isinstance(numbers, list) or len(numbers) > MAX_LISTED or any(not is_size(i, 0) for i in numbers):
        refuse(top.place(name), f"be a list of at most {MAX_LISTED} numbers of layers", numbers)
    return ", ".join(map(str, numbers))


def in_the_unit_square(top: Fields) -> Found:
    """Return what DINOv3 does: 2-D RoPE by where a patch lies between two sides of the image, not by its number."""
    clause = f"{TURNS}; its base is {base_of(top):,.0f}, and a patch lies from -1 to 1 between two sides, whatever "
    clause += f"their size; all {head_width(top):,} channels of a head turn"
    return Found("axial", clause, None)


def window_bias(top: Fields) -> Found:
    """Return what the encoder of CLAP does: a learned bias for each offset of rows and columns within a window."""
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds a learned bias for each of {(2 * size - 1) ** 2:,} offsets in windows of {size} x {size} patches"
    return Found("relative", clause + _shifted(size), None)


def neighbours(top: Fields) -> Found:
    """Return what DiNAT does: a learned bias for each offset to one of the patches near by."""
    size = top.whole("kernel_size", maximum=MAX_SIZE)
    clause = f"adds a learned bias for each of {(2 * size - 1) ** 2:,} offsets; a patch sees {size} x {size} patches"
    return Found("relative", f"{clause} near it", None)


def florence(top: Fields) -> Found:
    """Return what the vision model of Florence 2 does: convolutions and windows, then tables of row, column, frame."""
    count = _of_first_code(top, "image_pos_embed", "max_pos_embeddings", "max_position_embeddings")
    frames = _of_first_code(top, "visual_temporal_embedding", "max_temporal_embeddings", "max_temporal_embeddings")
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds learned vectors of the row and of the column of a patch, {count:,} of each, a hard limit"
    clause += f"; sinusoids of up to {frames:,} frames are added, too; its layers see windows of {size} x {size} "
    clause += "patches"
    widths = top.given.get("embed_dim", top.given.get("dim_embed", [1024]))
    if isinstance(widths, list) and widths and is_size(widths[-1]):
        clause += f"; its vectors of positions have {widths[-1]:,} channels"
    return Found("learned", clause, None)


def _of_first_code(top: Fields, inside: str, name: str, newer: str) -> int:
    """Return a size that the first code of a model has in an object, and its class at the top."""
    given = top.object(inside)
    return top.whole(newer) if given is None else Fields(given, {}, f"{top.place(inside)}.").whole(name)


def swin(top: Fields) -> Found:
    """Return what Swin does: the bias within windows, of which an image of any size has as many as it needs."""
    found = window_bias(top)
    return found.also("it has no limit to the size of an image")


def _shifted(size: int) -> str:
    return f"; every second layer of a stage with more than one window shifts its windows by {size // 2} patches"


def continuous_bias(top: Fields) -> Found:
    """Return what Swin v2 does: a small network gives the bias of an offset."""
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds a bias that a small network computes from the offset within windows of {size} x {size} patches"
    return Found("relative", f"{clause}, so that another size of window needs no other table{_shifted(size)}", None)


def swinv2(top: Fields) -> Found:
    """Return what Swin v2 does: the bias of the network; no window is larger than the picture is in its stage."""
    found, size = continuous_bias(top), top.whole("window_size", maximum=MAX_SIZE)
    depths, before = top.value("depths"), top.value("pretrained_window_sizes")
    side = top.value("image_size")
    stages = min(len(depths), MAX_SIZE.bit_length()) if isinstance(depths, list) and is_size(side) else 0
    grids = [side // top.whole("patch_size") >> stage for stage in range(stages)]  # of later ones nothing is left
    if small := [str(grid) for grid in grids if 0 < grid < size]:
        found = found.also(
            f"its last stages have one window each, of {', '.join(small)} patches a side, and shift none"
        )
    if isinstance(before, list) and 0 < len(before) <= MAX_LISTED and all(map(is_size, before)):
        sizes = ", ".join(map(str, before))
        told = f"offsets are measured by the windows of its first training, of {sizes} patches a side in its stages"
        return found.also(told)
    return found


def convolution(top: Fields) -> Found:
    """Return what wav2vec 2.0 and its kin do: a convolution over frames, which knows their order."""
    width = top.value("num_conv_pos_embeddings")
    clause = "adds a convolution over its frames, of which the order follows, and has no table and no limit"
    if not isinstance(width, int):
        return Found("convolution", clause, None)
    return Found("convolution", f"{clause} ({width} frames wide, {_channels(top)})", None)


def _channels(top: Fields) -> str:
    """Return how many channels the convolution of wav2vec 2.0 has, and in how many groups it works."""
    return f"{top.whole('hidden_size'):,} channels in {top.whole('num_conv_pos_embedding_groups'):,} groups"


def convolutional(top: Fields) -> Found:
    """Return what a network of convolutions does, and SegFormer, whose layers have one."""
    return Found("convolution", "has no positional encoding: its convolutions tell where things are", None)


def stacked_frames(top: Fields) -> Found:
    """Return what the encoder of Fun-ASR does: sinusoids as wide as the frames that it joins, and a convolution."""
    length, width = top.whole("max_position_embeddings"), top.whole("num_mel_bins") * top.whole("num_stacked_frames")
    clause = f"adds a fixed sinusoid for each of {length - 1:,} frames, a hard limit; these have {width:,} channels"
    memory = f"each layer has a convolution over {top.whole('fsmn_kernel_size')} frames, too"
    return Found("sinusoidal", f"{clause}; {memory}; the base of its sinusoids is 10,000", None)


def wavlm(top: Fields) -> Found:
    """Return what WavLM does: the convolution, and a bias for buckets of distances that each query scales."""
    clause = f"{convolution(top).clause}; its scores have a learned bias for each of {top.whole('num_buckets')} buckets"
    far = f"distances from {top.whole('max_bucket_distance'):,} on, at the latest, share a bucket in each direction"
    return Found("convolution", f"{clause} of distances, which each query scales; {far}", None)


def convolutions(top: Fields) -> Found:
    """Return what data2vec does for sound: several convolutions over frames, one after another."""
    count, width = top.whole("num_conv_pos_embeddings"), top.whole("conv_pos_kernel_size")
    clause = convolution(Fields({}, {}, top.path)).clause
    told = f"{clause}; it has {count} of them, each {width} frames wide, {_channels(top)}"
    return Found("convolution", told, None)


def conformer(top: Fields) -> Found:
    """Return what a conformer does, as `position_embeddings_type` says."""
    kind = top.text("position_embeddings_type")
    ways = {
        "relative_key": "adds to its scores products of queries and learned vectors of distances",
        "relative": "compares its queries with sinusoids of distances",
        "rotary": "turns q and k with RoPE, by frames",
    }
    if kind is not None and kind not in ways:
        refuse(top.place("position_embeddings_type"), f"be one of {', '.join(ways)} or null", kind)
    clause = ways[kind] if kind else "has no positional encoding"
    if kind == "relative_key" and "left_max_position_embeddings" in top.defaults:
        clause += f"; {reach(top)}{of_distances(top, 'hidden_size', 'num_attention_heads')}"
    if kind == "rotary":
        clause += f"; {by_frames(top, 'num_attention_heads')}"
    return Found("relative" if kind else "none", clause, None)


def reach(top: Fields) -> str:
    """Return how far learned vectors of distances between frames reach, as a clause."""
    before, after = (top.whole(f"{side}_max_position_embeddings", minimum=0) for side in ("left", "right"))
    return f"those from {before} frames before and from {after} after share one vector each"


def of_distances(top: Fields, width: str, heads: str) -> str:
    """Return a clause on the channels of vectors that are compared with the queries of a head."""
    return f"; its vectors of distances have {top.whole(width) // top.whole(heads):,} channels"


def by_frames(top: Fields, heads: str) -> str:
    """Return a clause on RoPE by frames, of whose heads a field tells the number."""
    width, base = top.whole("hidden_size") // top.whole(heads), top.number("rotary_embedding_base", minimum=1)
    return f"all {width:,} channels of a head turn, with a base of {base:,.0f}"


def frames(top: Fields) -> Found:
    """Return what an encoder of Whisper's kind does: a fixed sinusoid for each frame."""
    count = top.whole("max_source_positions")
    return Found("sinusoidal", f"adds a fixed sinusoid for each of {count:,} frames, a hard limit", None)


def whisper(top: Fields) -> Found:
    """Return what Whisper does: sinusoids for frames, and a learned table for the text."""
    length = top.whole("max_target_positions")
    clause = f"{frames(top).clause}, and a learned vector for each of {length:,} tokens of its text, a hard limit, too"
    return Found("learned", clause, length)


CONVOLUTIONAL = "bit convnext convnextv2 cvt dinov3_convnext edgetam_vision_model efficientnet focalnet glpn hgnet_v2 "
CONVOLUTIONAL += (
    "mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2 poolformer pvt_v2 regnet resnet rt_detr_resnet segformer "
)
CONVOLUTIONAL += "swiftformer"
BEIT = {
    "image_size": 224, "patch_size": 16, "use_absolute_position_embeddings": False,
    "use_relative_position_bias": False, "use_shared_relative_position_bias": False,
}  # fmt: skip
QWEN = "qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision qwen3_omni_moe_vision_encoder"
QWEN += " qwen4_exp_vision cohere_compass_vision"
WINDOWED = "qwen2_5_vl_vision qwen2_5_omni_vision_encoder exaone4_5_vision"
GROUPS = {"num_conv_pos_embedding_groups": 16}
CONVOLUTION = Other({"num_conv_pos_embeddings": 128, "hidden_size": 768, **GROUPS}, convolution)
FRAMES = Other({"max_source_positions": 1500}, frames)
DISTANCES = {
    "position_embeddings_type": "relative_key", "left_max_position_embeddings": 64, "right_max_position_embeddings": 8,
    "hidden_size": 1024, "num_attention_heads": 16,
}  # fmt: skip
FRAME_BASE = {"rotary_embedding_base": 10_000}
BASE_IN_CODE = 10_000.0
HEAD = {"hidden_size": 1024, "num_attention_heads": 16, "head_dim": None}
AXIAL = HEAD | {"rope_theta": 10_000.0}
CLIPS = {"crop_size": 256, "patch_size": 16, "frames_per_clip": 64, "tubelet_size": 2}
PIXTRAL = Other(AXIAL | {"image_size": 1024, "patch_size": 16}, pixtral)
QWEN2 = {"embed_dim": 1280, "num_heads": 16, "rope_theta": 10_000.0}
QWEN2_5 = {"hidden_size": 3584, "num_heads": 16, "rope_theta": 10_000.0, "window_size": 112} | {
    "fullatt_block_indexes": [7, 15, 23, 31]
}
INTERNVL = {"image_size": 448, "patch_size": 14, "use_absolute_position_embeddings": True}
HIERA = {
    "image_size": 224, "patch_stride": 4, "masked_unit_size": 8, "masked_unit_attention": [True, True, False, False],
}  # fmt: skip
YOLOS = {"image_size": [512, 864], "patch_size": 16, "num_detection_tokens": 100, "use_mid_position_embeddings": True}
QWEN3 = {"hidden_size": 1152, "num_heads": 16, "rope_theta": 10_000.0, "num_position_embeddings": 2304}
GLM = {"hidden_size": 1536, "num_heads": 12, "rope_theta": 10_000.0, "image_size": 336, "patch_size": 14}
FUN_ASR = {"max_position_embeddings": 2049, "num_mel_bins": 80, "num_stacked_frames": 7, "fsmn_kernel_size": 11}
KIMI = AXIAL | {"hidden_size": 1152, "pos_emb_height": 64, "pos_emb_width": 64}
GEMMA = AXIAL | {"head_dim": 64, "rope_theta": 100.0, "position_embedding_size": 10_240}

# By the size of an image and of a patch, rows that are none of a patch, and what another size does.
PATCHES: Mapping[tuple[int, int, int, str], str] = {
    (224, 14, 1, ALWAYS): "dinov2",
    (224, 14, 1, ASKED): "blip_2_vision_model idefics_vision instructblip_vision_model instructblipvideo_vision_model "
    "kosmos_2_vision_model",
    (224, 16, 0, ASKED): "siglip_vision_model ijepa",
    (224, 16, 0, NEVER): "groupvit_vision_model",
    (224, 16, 1, ALWAYS): "dinov2_with_registers",
    (224, 16, 1, ASKED): "vit vit_msn flava_image_model git_vision_model",
    (224, 16, 2, ASKED): "deit",
    (224, 32, 0, BY_FRACTION): "idefics3_vision smolvlm_vision idefics2_vision",
    (224, 32, 1, ALWAYS): "clipseg_vision_model",
    (224, 32, 1, ASKED): "clip_vision_model chinese_clip_vision_model altclip_vision_model metaclip_2_vision_model",
    (288, 16, 1, ASKED): "bridgetower_vision_model",
    (384, 16, 0, ASKED): "janus_vision_model",
    (384, 16, 1, ALWAYS): "dpt",
    (384, 16, 1, ASKED): "blip_vision_model",
    (448, 14, 0, BY_FRACTION): "phi4_multimodal_vision",
    (640, 16, 0, NEVER): "eomt",
    (768, 16, 1, ASKED): "owlv2_vision_model",
    (768, 32, 1, ASKED): "owlvit_vision_model",
}

IMAGES_AND_SOUND: Mapping[str, Other] = {
    **dict.fromkeys(CONVOLUTIONAL.split(), Other({}, convolutional)),
    **{
        kind: Other({"image_size": size, "patch_size": patch}, patches(more, resized))
        for (size, patch, more, resized), kinds in PATCHES.items()
        for kind in kinds.split()
    },
    "internvl_vision": Other(INTERNVL, internvl),
    "timesformer": Other(
        {"image_size": 224, "patch_size": 16, "num_frames": 8, "attention_type": "divided_space_time"}, timesformer
    ),
    "aimv2_vision_model": Other({"image_size": 224, "patch_size": 14, "is_native": False}, aimv2),
    "xclip_vision_model": Other(
        {"image_size": 224, "patch_size": 32, "num_frames": 8, "mit_hidden_size": 512}, with_frames
    ),
    "mgp-str": Other({"image_size": [32, 128], "patch_size": 4}, patches(1, NEVER)),
    "vitpose_backbone": Other({"image_size": [256, 192], "patch_size": [16, 16]}, patches(1, NEVER)),
    "hiera": Other(HIERA, hiera),
    "yolos": Other(YOLOS, with_detections),
    "levit": Other({"image_size": 224, "patch_size": 16, "depths": [4, 4, 4]}, levit),
    "radio": Other({"max_img_size": 2048, "patch_size": 16}, radio),
    "vit_mae": Other({"image_size": 224, "patch_size": 16, "decoder_hidden_size": 512}, masked),
    "pvt": Other({"image_size": 224, "patch_sizes": [4, 2, 2, 2], "hidden_sizes": [64, 128, 320, 512]}, pvt),
    **dict.fromkeys(("beit", "data2vec-vision"), Other(BEIT, beit)),
    "videomae": Other({"image_size": 224, "patch_size": 16, "num_frames": 16, "tubelet_size": 2}, video),
    "vivit": Other({"image_size": 224, "num_frames": 32, "tubelet_size": [2, 16, 16]}, learned_video),
    "minimax_m3_vl_vision": Other(AXIAL | {"hidden_size": 1280}, in_three_dimensions),
    "vjepa2": Other(HEAD | CLIPS | {"pred_hidden_size": 384, "pred_num_attention_heads": 12}, in_clips),
    **dict.fromkeys(("glm4v_vision", "glm4v_moe_vision"), Other(GLM, table_of_patches_and_axes(0, ALWAYS))),
    "llama4_vision_model": Other(
        AXIAL | {"hidden_size": 768, "image_size": 448, "patch_size": 14}, table_of_patches_and_axes(1, NEVER)
    ),
    "kimi_k25_vision": Other(KIMI, film_table_and_axes),
    "gemma4_vision": Other(GEMMA, sides("position_embedding_size", turns=True)),
    "kosmos_2_5_vision_model": Other({"max_num_patches": 4096}, sides("max_num_patches", turns=False)),
    "pix2struct_vision_model": Other({"seq_len": 4096}, sides("seq_len", turns=False)),
    "mllama_vision_model": Other({"image_size": 448, "patch_size": 14, "max_num_tiles": 4}, tiles),
    "siglip2_vision_model": Other({"num_patches": 256}, number_of_patches("num_patches", ALWAYS)),
    "molmo2_vision": Other({"num_position_embeddings": 729}, number_of_patches("num_position_embeddings", NEVER)),
    **dict.fromkeys(("mlcd", "mlcd_vision_model"), Other(AXIAL | {"hidden_size": 1664}, with_class)),
    "dinat": Other({"kernel_size": 7}, neighbours),
    "florence_vision": Other(
        {"max_position_embeddings": 50, "max_temporal_embeddings": 100, "window_size": 12}, florence
    ),
    **dict.fromkeys(("swin", "donut-swin", "maskformer-swin"), Other({"window_size": 7}, swin)),
    "clap_audio_model": Other({"window_size": 8}, window_bias),
    "swinv2": Other({"window_size": 7, "image_size": 224, "patch_size": 4, "depths": [2, 2, 6, 2]}, swinv2),
    "swin2sr": Other({"window_size": 8}, continuous_bias),
    "dinov3_vit": Other(
        AXIAL | {"hidden_size": 384, "num_attention_heads": 6, "rope_theta": 100.0}, in_the_unit_square
    ),
    "pixtral": PIXTRAL,
    "qwen2_vl_vision": Other(QWEN2, in_two_dimensions),
    **dict.fromkeys(WINDOWED.split(), Other(QWEN2_5, in_windows)),
    **dict.fromkeys(QWEN.split(), Other(QWEN3, table_and_axes)),
    "whisper": Other({"max_source_positions": 1500, "max_target_positions": 448}, whisper),
    **dict.fromkeys(("qwen2_audio_encoder", "voxtral_encoder", "audioflamingo3_encoder"), FRAMES),
    **dict.fromkeys(("wav2vec2", "hubert", "sew", "unispeech", "unispeech-sat"), CONVOLUTION),
    "fun_asr_nano_encoder": Other(FUN_ASR, stacked_frames),
    "wavlm": Other({**CONVOLUTION.defaults, "num_buckets": 320, "max_bucket_distance": 800}, wavlm),
    "data2vec-audio": Other(
        {"num_conv_pos_embeddings": 5, "conv_pos_kernel_size": 19, "hidden_size": 768, **GROUPS}, convolutions
    ),
    "wav2vec2-bert": Other(DISTANCES | FRAME_BASE, conformer),
    "wav2vec2-conformer": Other(
        {"position_embeddings_type": "relative", "hidden_size": 768, "num_attention_heads": 12, **FRAME_BASE}, conformer
    ),
}
