"""Models of images and films with a row for each patch: how many there are, and what another size does."""

import math
import re
from collections.abc import Callable, Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.positions import Mechanism
from pe_core.models.reading import is_whole, refuse

MAX_STAGES = 10  # of LeViT, each of which has half as many rows and columns as the one before
MAX_LISTED = 1000  # layers that a list may name
IF_ASKED = " unless interpolate_pos_encoding is asked for, which interpolates the table"
BY_CONVOLUTIONS = "has no positional encoding: its convolutions tell where things are"
ALWAYS = "for another size the table is interpolated"
NEVER = "another size is refused"  # by a class that looks at its pixels
ASKED = NEVER + IF_ASKED
COUNTS = "another number of %s is refused"  # by one that adds up what does not fit: another shape of as many may
COUNTED = COUNTS % "patches"
COUNTED_OR_ASKED = COUNTED + IF_ASKED
MULTIPLE = "an image is refused unless each side is a multiple of %s pixels"
FIRST_ROWS = "an image of fewer patches takes the first rows and one of more is refused"
FIRST_OR_ASKED = f"{FIRST_ROWS},{IF_ASKED}"
WHOLE = "the patches of an image must be %d x %d windows of one size"
BY_FRACTION = "for another shape each patch takes the row at its fraction of the image"


def is_size(value: object, minimum: int = 1) -> bool:
    """Return whether a value is a whole number from the minimum to what an image may have."""
    return is_whole(value, minimum, MAX_SIZE)


def sizes_in(top: Fields, name: str, rule: str, most: int = MAX_LISTED, least: int = 1, smallest: int = 1) -> list[int]:
    """Return a list of `least` to `most` whole numbers; `ConfigError` with this rule where there is none."""
    value = top.value(name)
    if not isinstance(value, list) or not least <= len(value) <= most or not all(is_size(i, smallest) for i in value):
        refuse(top.place(name), rule, value)
    return value


def two_sides(top: Fields, name: str) -> tuple[int, int]:
    """Return height and width, which a file has as one number or two."""
    value = top.value(name)
    sides = value if isinstance(value, list) and len(value) == 2 else [value, value]
    if not all(map(is_size, sides)):
        refuse(top.place(name), f"be a whole number of pixels up to {MAX_SIZE:,}, or two", value)
    return sides[0], sides[1]


def grid(top: Fields, image: str = "image_size", patch: str = "patch_size") -> tuple[int, int]:
    """Return how many rows and columns of patches an image has, by the names of the two fields."""
    (height, width), (tall, wide) = two_sides(top, image), two_sides(top, patch)
    return height // tall, width // wide


def at_its_size(top: Fields, patch: str = "patch_size") -> str:
    """Return how many patches an image of the size in the file has; empty where it has none."""
    (height, width), (rows, columns) = two_sides(top, "image_size"), grid(top, patch=patch)
    return f"an image of {height:,} x {width:,} pixels has {rows} x {columns} patches" if rows * columns else ""


def sides_in_pixels(top: Fields) -> str:
    """Return how many pixels an image has, whose patches are told elsewhere."""
    height, width = two_sides(top, "image_size")
    return f"an image has {height:,} x {width:,} pixels"


def in_pixels(top: Fields) -> str:
    """Return how many pixels an image and a patch have."""
    (height, width), (tall, wide) = two_sides(top, "image_size"), two_sides(top, "patch_size")
    return f"an image of {height:,} x {width:,} pixels has patches of {tall:,} x {wide:,}"


def filled_grid(top: Fields, image: str = "image_size", patch: str = "patch_size") -> tuple[int, int]:
    """Return the same of an image that has a patch or more; `ConfigError` for a smaller one."""
    rows, columns = grid(top, image, patch)
    if rows * columns == 0:
        smallest = min(two_sides(top, image))
        refuse(top.place(patch), f"be at most {image} ({smallest})", max(two_sides(top, patch)))
    return rows, columns


def numbered(top: Fields, name: str) -> str:
    """Return the numbers of layers that a field lists, from 0, in words."""
    rule = f"be a list of at most {MAX_LISTED} numbers of layers"
    return ", ".join(map(str, sizes_in(top, name, rule, least=0, smallest=0)))


def _resized(told: str, rows: int) -> str:
    """Return what another size does to a table of so many rows: classes that interpolate if asked need a square."""
    return told if math.isqrt(rows) ** 2 == rows else told.removesuffix(IF_ASKED).rstrip(",")


def patches(more: int, resized: str, *, of_pixels: bool = True) -> Callable[[Fields], Found]:
    """Return the reader of a learned table with a row for each patch of an image, and `more` rows for other tokens.

    A model whose patches are not `of_pixels` gets them from another one.
    """

    def read(top: Fields) -> Found:
        rows, columns = filled_grid(top)
        others = f" and {more} more" if more else ""
        clause = f"adds a learned vector for each of {rows} x {columns} patches{others}, {rows * columns + more:,} rows"
        clause += f"; {in_pixels(top)}" * of_pixels
        return Found("learned", f"{clause}; {_resized(resized, rows * columns)}")

    return read


def table(image: object, patch: object, more: int, resized: str) -> Other:
    """Return the same with the default sizes of a class, in pixels: one number, or height and width."""
    return Other({"image_size": image, "patch_size": patch}, patches(more, resized))


def beit(resized: str) -> Other:
    """Return the reader of BEiT: a table, biases of offsets, or both, and what another size does."""

    def read(top: Fields) -> Found:
        rows, columns = grid(top)
        parts = []
        if top.flag("use_absolute_position_embeddings", False):
            parts.append(
                f"adds a learned vector for each of {rows} x {columns} patches and 1 more, {rows * columns + 1:,} rows"
            )
        shared, own = (
            top.flag("use_shared_relative_position_bias", False),
            top.flag("use_relative_position_bias", False),
        )
        if shared or own:
            count = (2 * rows - 1) * (2 * columns - 1) + 3
            parts.append(
                f"adds a learned bias to its scores for each of {count:,} offsets, those of the first token too"
            )
        of_all = "all layers share one table of biases" * shared + ", and each adds one of its own" * (shared and own)
        if not parts:
            return Found("none", "has no positional encoding")
        kind: Mechanism = "relative" if shared or own else "learned"
        shape = f"; its grid has {rows} x {columns} patches" if len(parts) == 1 and kind == "relative" else ""
        return Found(kind, f"{' and '.join(parts)}{shape}; {resized}").also(of_all)

    return Other(BEIT, read)


def film(top: Fields, frames: str = "num_frames", side: str = "image_size") -> str:
    """Return how many frames a film has, and how many pixels each of them."""
    height, width = two_sides(top, side)
    return f"its film has {top.whole(frames):,} frames of {height:,} x {width:,} pixels"


def of_film(top: Fields, sizes: tuple[int, int, int], vector: str, more: int) -> str:
    """Return a clause on a vector for each patch of frames, rows and columns, and for `more` tokens."""
    others = f" and {more} more" if more else ""
    counts = " x ".join(map(str, sizes))
    clause = f"adds a {vector} for each of {counts} patches of a film{others}, {math.prod(sizes) + more:,} rows"
    return f"{clause}; {film(top)}; {COUNTED}"


def _videomae(top: Fields) -> str:
    rows, columns = grid(top)
    return of_film(top, (top["num_frames // tubelet_size"], rows, columns), "fixed sinusoid", 0)


def _vivit(top: Fields) -> str:
    sizes = sizes_in(top, "tubelet_size", "be three whole numbers of at least 1", 3, 3)
    (height, width), frames = two_sides(top, "image_size"), top.whole("num_frames")
    # refused even where interpolation is asked for: it loses the frames
    return of_film(top, (frames // sizes[0], height // sizes[1], width // sizes[2]), "learned vector", 1)


def _pvt(top: Fields) -> str:
    side = top.whole("image_size", maximum=MAX_SIZE)
    rule = f"be a list of 1 to {MAX_STAGES} sizes, as many as hidden_sizes"
    sizes, widths = sizes_in(top, "patch_sizes", rule, MAX_STAGES), top.value("hidden_sizes")
    if not isinstance(widths, list) or len(widths) != len(sizes) or not all(map(is_size, widths)):
        refuse(top.place("patch_sizes"), rule, sizes)
    views = [side if stage == 0 else side >> (stage + 1) for stage in range(len(sizes))]
    rows = [(view // patch) ** 2 for view, patch in zip(views, sizes, strict=True)]
    rows[-1] += 1
    tables = ", ".join(f"{count:,} x {width:,}" for count, width in zip(rows, widths, strict=True))
    return f"adds a table of learned vectors in each stage, of {tables}; {sides_in_pixels(top)}; {COUNTED}"


def _timesformer(top: Fields) -> str:
    kind, told, count = top.text("attention_type"), [], top.whole("num_frames")
    if kind == "divided_space_time":
        told.append(f"its layers fail unless a film has a multiple of {count * grid(top)[1]} patches")
    if kind != "space_only":
        told.append(f"learned vectors of {count} frames are added, too, interpolated for another number of them")
    return "; ".join(told)


def _levit(top: Fields) -> str:
    (side, _), stages = grid(top), top.value("depths")
    if side < 1 or not isinstance(stages, list) or not 1 <= len(stages) <= MAX_STAGES:
        refuse(top.place("depths"), f"be a list of 1 to {MAX_STAGES} stages, for an image of a patch or more", stages)
    sides = [-(-side // 2**number) for number in range(len(stages))]
    counts = ", ".join(f"{one * one:,}" for one in sides)
    between = ", ".join(f"{one * one:,}" for one in sides[:-1])
    clause = f"adds a learned bias for each of {counts} offsets of rows and columns, stage by stage"
    clause += f", and of {between} between stages" if between else ""
    clause += f"; its stages have {', '.join(map(str, sides))} patches a side; {sides_in_pixels(top)}"
    return f"{clause}; an offset counts whatever its sign; {COUNTED}"


def _radio(top: Fields) -> str:
    size, patch = top.whole("max_img_size", maximum=MAX_SIZE), two_sides(top, "patch_size")[0]
    if size < patch:
        refuse(top.place("patch_size"), f"be at most max_img_size ({size})", patch)
    side = size // patch
    cut = "an image gets them stretched to its longer side, and cut to its shorter one"
    return f"adds a learned vector for each of {side} x {side} patches, {side * side:,} rows; {cut}"


def _vit_mae(top: Fields) -> str:
    rows, columns = grid(top)
    clause = f"adds a fixed sinusoid for each of {rows} x {columns} patches, and none for the class token"
    clause += f"; {in_pixels(top)}; {ASKED}"
    own = top.says("decoder_hidden_size") or "model_type" in top.given  # not where another model is read as this one
    return f"{clause}; {DECODER.format_map(top)}" if own else clause


def _shapes(top: Fields) -> str:
    shapes = top.value("supported_aspect_ratios")
    count = len(shapes) if isinstance(shapes, list) else 0
    return f"both have other ones for each of {count} shapes of tiles, and for none of them" if count else ""


def _yolos(top: Fields) -> Found:
    return patches(top.whole("num_detection_tokens", minimum=0) + 1, ALWAYS)(top)


def _pixio(top: Fields) -> Found:
    return patches(top.whole("n_cls_tokens"), ALWAYS)(top)


def _lw_detr(top: Fields) -> Found:
    rows, columns = filled_grid(top, "pretrain_image_size")
    near, side = numbered(top, "window_block_indices"), math.isqrt(top.whole("num_windows"))
    places = top.flag("use_absolute_position_embeddings", True)
    found = Found("none", "has no positional encoding")
    if places:
        clause = f"adds a learned vector for each of {rows} x {columns} patches, {rows * columns + 1:,} rows, of which "
        found = Found("learned", f"{clause}the first is left out; {ALWAYS}")
    top.value("num_windows_side")  # which its class computes anew
    return found.also(at_its_size(top)).also(_in_windows(near, side))


def _in_windows(near: str, side: int) -> str:
    """Return what layers do that see windows, of which an image has so many a side; empty where there are none."""
    seen = f"in layers {near} a patch sees its window alone, of {side} x {side} in an image, whose patches must be "
    return f"{seen}whole windows" if near else WHOLE % (side, side) if side > 1 else ""


def _rf_detr(top: Fields) -> Found:
    found, side = patches(1, ALWAYS)(top), top.whole("num_windows", maximum=MAX_SIZE)
    if side == 1:
        return found
    near = numbered(top, "window_block_indexes") if top.value("window_block_indexes") is not None else _between(top)
    return found.also(_in_windows(near, side))


def _between(top: Fields) -> str:
    """Return the layers before the last one whose vectors are handed on, without those that are handed on."""
    names = top.value("out_features")
    listed = isinstance(names, list) and names and all(isinstance(one, str) for one in names)
    if top.value("out_indices") is not None:
        given = sizes_in(top, "out_indices", f"be a list of 1 to {MAX_LISTED} numbers of layers", smallest=0)
    elif listed:  # such as stage5
        given = [int(one[5:]) for one in names if re.fullmatch("stage[0-9]{1,3}", one)] or [0]
    else:
        given = [top.whole("num_hidden_layers", maximum=MAX_LISTED)]
    return ", ".join(str(layer) for layer in range(min(given[-1], MAX_LISTED)) if layer not in given)


def _siglip2(top: Fields) -> str:
    """Return how many rows the table of SigLIP 2 has, of which the largest square is the grid."""
    side = math.isqrt(top.whole("num_patches"))
    return f"adds a learned vector for each of {side} x {side} patches, {side * side:,} rows; {ALWAYS}"


def _videoprism(top: Fields) -> str:
    _, tall, wide = sizes_in(top, "tubelet_size", "be three whole numbers of at least 1", 3, 3)
    height, width = two_sides(top, "image_size")
    rows, columns = height // tall, width // wide
    clause = f"adds a learned vector for each of {rows} x {columns} patches of a frame, {rows * columns:,} rows, and "
    clause += f"before its last layers one for each of {top['num_frames']:,} frames; {film(top)}; another size, or "
    clause += "another number of frames but one, is refused unless interpolate_pos_encoding is asked for, which "
    return f"{clause}interpolates both"


def _grouped(top: Fields) -> str:
    """Return how many learned vectors stand beside the patches in each stage of GroupViT, and what these become."""
    stages = (sizes_in(top, f"num_{one}", "be a list of whole numbers", smallest=0) for one in OF_GROUPS)
    beside, groups = (", ".join(map(str, sizes)) for sizes in stages)
    told = f"stage by stage {beside} learned vectors without places stand beside the patches, which become"
    return f"{told} {groups} groups"


def _joined(top: Fields) -> str:
    """Return what X-CLIP does with the frames of a film, whose class for images alone does nothing with them."""
    told = "where frames are joined, a learned vector of {mit_hidden_size:,} channels is added for each of {num_frames}"
    told += ", and another number of frames is refused"
    return told.format_map(top) if top.path else ""


def _windows_joined(top: Fields) -> str:
    """Return which windows of patches the vision models of MiniCPM-V 4.6 and others join, between two layers."""
    tall, wide = two_sides(top, "window_kernel_size")
    return f"between two of its layers a patch sees its window of {tall} x {wide} patches, which then become one"


def _connected(top: Fields) -> str:
    """Return which sinusoids Granite Docling adds to the tokens that it makes of patches."""
    (side, _), scale, width = grid(top), top.whole("scale_factor", maximum=MAX_SIZE), top.whole("out_hidden_size")
    sides = [side // scale, *([side // max(scale // 2, 1)] if top.flag("use_fine_route", True) else [])]
    tokens = " or ".join(f"{one} x {one}" for one in sides)
    return f"to the {tokens} tokens that it makes of them, sinusoids of row and column are added, {width:,} wide"


def _hunyuan(top: Fields) -> str:
    rows, columns = filled_grid(top, "max_image_size")
    clause = f"adds a learned vector for each of {rows} x {columns} patches, {rows * columns + 1:,} rows; {ALWAYS}"
    return f"{clause}; 1 row of its table stands for no position"


def _cosmos(top: Fields) -> str:
    rows = top.whole("num_patches")
    side = math.isqrt(rows)
    return f"adds a learned vector for each of {side} x {side} patches, {rows:,} rows; {ALWAYS}"


def hiera(resized: str) -> Other:
    """Return the reader of Hiera: a table of patches, units in which its first stages see, and another size."""

    def read(top: Fields) -> str:
        (rows, columns), unit = filled_grid(top, patch="patch_stride"), two_sides(top, "masked_unit_size")
        near = top.value("masked_unit_attention")
        if not isinstance(near, list) or len(near) > MAX_LISTED or any(not isinstance(one, bool) for one in near):
            refuse(top.place("masked_unit_attention"), f"be a list of at most {MAX_LISTED} of true and false", near)
        stages = [str(number + 1) for number, one in enumerate(near) if one]
        clause = f"adds a learned vector for each of {rows} x {columns} patches, {rows * columns:,} rows; "
        clause += _resized(resized, rows * columns)
        steps, times = zip(two_sides(top, "patch_stride"), two_sides(top, "query_stride"), strict=True), len(near) - 1
        pixels = {stride * pool**times for stride, pool in steps} if 0 < times < MAX_STAGES else set()
        if resized == COUNTED_OR_ASKED and len(pixels) == 1:
            clause += f"; {MULTIPLE % pixels.pop()}"
        if stages:
            clause += (
                f"; in stages {', '.join(stages)} a patch sees its unit of {unit[0]} x {unit[1]} patches of the image"
            )
            clause += ", and so does the first layer of the stage behind them; the others see the whole image"
        if "ForPreTraining" in str(top.given.get("architectures")) and top.value("decoder_hidden_size") is not None:
            (tall, wide), times = (
                two_sides(top, "query_stride"),
                top.whole("num_query_pool", minimum=0, maximum=MAX_STAGES),
            )
            clause += f"; its decoder adds a learned vector of {top['decoder_hidden_size']:,} channels for each of "
            clause += f"{rows // tall**times} x {columns // wide**times} places, and takes no other size"
        return clause

    return says("learned", read, **HIERA)


DECODER = "in pre-training a decoder adds sinusoids of its own, {decoder_hidden_size:,} channels wide"
OF_GROUPS = ("group_tokens", "output_groups")
FRAMES_ASK = "in each layer a vector of each frame asks those of the others, without positions"
SIDES = "adds learned vectors of the row and of the column of a patch, {%s:,} of each, a hard limit"
FROM_ONE = "its processor counts them from 1, and gives 0 to padding"
QUERIES = "each of its {num_queries=200:,} queries is a learned vector, in front of the patches from layer "
QUERIES += "{num_hidden_layers=24 - num_blocks=4} on"
NO_ENCODING = says("none", "has no positional encoding")
BEIT = {
    "image_size": 224, "patch_size": 16, "use_absolute_position_embeddings": False,
    "use_relative_position_bias": False, "use_shared_relative_position_bias": False,
}  # fmt: skip
HIERA = {
    "image_size": 224, "patch_stride": 4, "masked_unit_size": 8, "masked_unit_attention": [True, True, False, False],
    "query_stride": 2, "num_query_pool": 3, "decoder_hidden_size": None,
}  # fmt: skip
CONVOLUTIONAL = "align_vision_model bit chameleon_vqgan convnext convnextv2 cvt dinov3_convnext edgetam_vision_model "
CONVOLUTIONAL += "efficientnet emu3_vqgan focalnet glpn hgnet_v2 janus_vqgan mobilenet_v1 mobilenet_v2 mobilevit "
CONVOLUTIONAL += "mobilevitv2 poolformer pp_lcnet pp_lcnet_v3 pp_lcnet_v4 pvt_v2 regnet resnet rt_detr_resnet "
CONVOLUTIONAL += "sam3_lite_text_mask_decoder sam3_mask_decoder segformer superpoint swiftformer textnet uvdoc_backbone"

# By the size of an image and of a patch, rows that are none of a patch, and what another size does.
PATCHES: Mapping[tuple[int, int, int, str], str] = {
    (224, 14, 0, COUNTED): "ovis2_vision",
    (224, 14, 1, ALWAYS): "dinov2",
    (224, 14, 1, ASKED): "idefics_vision kosmos_2_vision_model",
    (224, 14, 1, FIRST_OR_ASKED): "blip_2_vision_model instructblip_vision_model instructblipvideo_vision_model",
    (224, 16, 0, ASKED): "ijepa",
    (224, 16, 0, COUNTED_OR_ASKED): "siglip_vision_model",
    (224, 16, 1, ALWAYS): "dinov2_with_registers",
    (224, 16, 1, ASKED): "vit vit_msn flava_image_model git_vision_model",
    (224, 16, 2, ASKED): "deit",
    (224, 32, 0, BY_FRACTION): "idefics3_vision smolvlm_vision idefics2_vision",
    (224, 32, 1, ALWAYS): "clipseg_vision_model",
    (224, 32, 1, ASKED): "clip_vision_model chinese_clip_vision_model altclip_vision_model metaclip_2_vision_model",
    (288, 16, 1, ASKED): "bridgetower_vision_model",
    (384, 16, 0, COUNTED_OR_ASKED): "janus_vision_model",
    (384, 16, 1, FIRST_OR_ASKED): "blip_vision_model",
    (448, 14, 1, ALWAYS): "tipsv2_vision_model",
    (448, 14, 0, BY_FRACTION): "phi4_multimodal_vision",
    (768, 16, 1, COUNTED_OR_ASKED): "owlv2_vision_model",
    (768, 32, 1, COUNTED_OR_ASKED): "owlvit_vision_model",
    (2048, 16, 0, ALWAYS): "glm_image_vision",
}

IMAGES: Mapping[str, Other] = {
    CONVOLUTIONAL: says("convolution", BY_CONVOLUTIONS),
    **{kinds: table(*sizes) for sizes, kinds in PATCHES.items()},
    "dpt": table(384, 16, 1, ALWAYS).unless("is_hybrid", False, table(384, 16, 1, NEVER)),
    "flava_multimodal_model": says("none", "adds no positions to what the other two parts make"),
    "unlimited_ocr_vision_encoder": Other({"image_size": 224, "patch_size": 14}, patches(1, ALWAYS, of_pixels=False)),
    "mgp-str": table([32, 128], 4, 1, NEVER),
    "vitpose_backbone": table([256, 192], [16, 16], 1, NEVER).also(
        "the one more is added to every patch, and there is no class token"
    ),
    "pixio": Other({"image_size": 256, "patch_size": 16, "n_cls_tokens": 8}, _pixio),
    "lw_detr_vit": Other(
        {"image_size": 256, "pretrain_image_size": 224, "patch_size": 16, "window_block_indices": []}
        | {"num_windows": 16, "use_absolute_position_embeddings": True},
        _lw_detr,
    ),
    "rf_detr_dinov2": Other(
        {"image_size": 224, "patch_size": 14, "num_windows": 4, "num_hidden_layers": 12}
        | {"out_indices": None, "out_features": None, "window_block_indexes": None},
        _rf_detr,
    ),
    "videomt": table(640, 16, 0, COUNTED).also(
        "each of its {num_queries=200:,} queries has a learned vector, to which a linear layer adds what it was in the "
        "frame before: this alone tells the order of frames"
    ),
    "videoprism_vision_model": says("learned", _videoprism, image_size=288, tubelet_size=[1, 18, 18], num_frames=16),
    "internvl_vision qianfan_ocr_vision": NO_ENCODING.unless(
        "use_absolute_position_embeddings", True, table(448, 14, 1, ALWAYS)
    ),
    "minicpm_ocr_vision minicpmv4_6_vision minicpmv4_7_vision": table(224, 16, 0, BY_FRACTION).also(
        _windows_joined, window_kernel_size=[2, 2]
    ),
    "granite_docling_vision": table(512, 16, 0, COUNTED).also(
        _connected, scale_factor=4, out_hidden_size=1024, use_fine_route=True
    ),
    "hunyuan_vl_vision": says("learned", _hunyuan, max_image_size=2048, patch_size=16),
    "cosmos3_edge_vision": says("learned", _cosmos, num_patches=256),
    "gemma4_unified_vision": says("learned", SIDES % "mm_posemb_size=1120"),
    "gemma4_unified_audio": says("convolution", "has no attention, and no table of positions"),
    "timesformer": table(224, 16, 1, ALWAYS).also(_timesformer, num_frames=8, attention_type="divided_space_time"),
    "aimv2_vision_model": table(224, 14, 0, COUNTED).unless(
        "is_native",
        False,
        says("sinusoidal", "adds sinusoids of the row and of the column of a patch, however many there are"),
    ),
    "groupvit_vision_model": table(224, 16, 0, NEVER).also(
        _grouped, num_group_tokens=[64, 8, 0], num_output_groups=[64, 8, 8]
    ),
    "xclip_vision_model": table(224, 32, 1, ASKED).also(FRAMES_ASK, _joined, mit_hidden_size=512, num_frames=8),
    "mllama_vision_model": table(448, 14, 1, "each tile has this size").also(
        "learned vectors of up to {max_num_tiles=4} tiles are added, too, and of each patch of each tile",
        _shapes,
        supported_aspect_ratios=[[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]],
    ),
    "yolos": Other({"image_size": [512, 864], "patch_size": 16, "num_detection_tokens": 100}, _yolos).where(
        "use_mid_position_embeddings", True, "all layers but the last add such a table, too"
    ),
    "eomt": table(640, 16, 0, COUNTED).also(QUERIES),
    "hiera": hiera(COUNTED_OR_ASKED),
    "levit": says("relative", _levit, image_size=224, patch_size=16, depths=[4, 4, 4]),
    "radio": says("learned", _radio, max_img_size=2048, patch_size=16).also(
        lambda top: MULTIPLE % two_sides(top, "patch_size")[0]
    ),
    "vit_mae": says("sinusoidal", _vit_mae, image_size=224, patch_size=16, decoder_hidden_size=512),
    "pvt": says("learned", _pvt, image_size=224, patch_sizes=[4, 2, 2, 2], hidden_sizes=[64, 128, 320, 512]),
    "beit data2vec-vision": beit(ALWAYS),
    "videomae": says("sinusoidal", _videomae, image_size=224, patch_size=16, num_frames=16, tubelet_size=2).also(
        lambda top: DECODER.format_map(top) if top.says("decoder_hidden_size") else ""
    ),
    "vivit": says("learned", _vivit, image_size=224, num_frames=32, tubelet_size=[2, 16, 16]),
    "kosmos_2_5_vision_model": says("learned", SIDES % "max_num_patches=4096").also(FROM_ONE),
    "pix2struct_vision_model": says("learned", SIDES % "seq_len=4096").also(FROM_ONE),
    "siglip2_vision_model": says("learned", _siglip2, num_patches=256),
    "molmo2_vision": says(
        "learned", "adds a learned vector for each of {num_position_embeddings=729:,} patches; " + COUNTED
    ),
}
