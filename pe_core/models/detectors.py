"""Models that find things in images: DETR and its kin, and the encoders of Segment Anything."""

from collections.abc import Callable, Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import (
    ALWAYS,
    MAX_LISTED,
    MAX_SIZE,
    TURNS,
    base_of,
    filled_grid,
    grid,
    is_size,
    numbered,
    turned,
    two_sides,
)
from pe_core.models.reading import refuse
from pe_core.models.sizes import with_sizes

TEMPERATURE = "positional_encoding_temperature"
TALL = 70  # rows, and columns, of the sinusoids of MiniCPM-V, in its code and no field
CELLS = 50  # rows, and columns, of the learned table of DETR, in its code and no field


def detr(top: Fields) -> Found:
    """Return what DETR does: sinusoids of row and column, and a learned vector for each object."""
    found = _objects(top, "queries and keys")
    return found.also("keys that its decoder reads have what its encoder adds")


def conditional(top: Fields) -> Found:
    """Return what Conditional DETR does: as DETR, and its decoder has sinusoids of a point for each object."""
    found = detr(top)
    told = "a small network makes a point of each of these vectors, and queries of its decoder have sinusoids of it"
    return found.also(told)


def deformable(top: Fields) -> Found:
    """Return what Deformable DETR does: as DETR, but its attention has no keys, and its queries tell where to look."""
    return _reading_points(_with_levels(_objects(top, "queries"), top), top)


def _with_levels(found: Found, top: Fields) -> Found:
    """Return the same with the vectors by which maps of features of several sizes are told apart."""
    levels = top.whole("num_feature_levels", maximum=MAX_LISTED)
    return found.also(f"each of {levels} maps of features has a learned vector, too")


def _objects(top: Fields, where: str) -> Found:
    return _of_kind(top, _learned_vectors(top), where)


def _learned_vectors(top: Fields) -> str:
    return f"each of its {top.whole('num_queries'):,} object queries has a learned vector"


def _of_kind(top: Fields, objects: str, where: str) -> Found:
    """Return what an encoder adds to queries, or queries and keys: learned vectors, or sinusoids."""
    kind = top.text("position_embedding_type")
    if kind == "learned":
        places = f"adds learned vectors of {CELLS} rows and {CELLS} columns to {where} of its encoder, a hard "
        return Found("learned", f"{places}limit; {objects}", None)
    if kind != "sine":
        refuse(top.place("position_embedding_type"), "be sine or learned", kind)
    return _sinusoids(objects, where)


def boxes(top: Fields) -> Found:
    """Return what DETRs do whose object queries are boxes: a small network makes a vector of each box."""
    count = f"{top.whole('num_queries'):,} " if "num_queries" in top.defaults else ""
    found = _sinusoids(f"its {count}object queries are boxes, of which a small network makes vectors")
    if "num_feature_levels" in top.defaults:
        found = _reading_points(found, top)
    if TEMPERATURE not in top.defaults:
        return found
    return _with_base(found, top.number(TEMPERATURE, minimum=1))


def _reading_points(found: Found, top: Fields) -> Found:
    """Return the same with how many points a head of its decoder reads, of maps of features of several sizes."""
    name = next(name for name in ("decoder_n_points", "decoder_num_points") if name in top.defaults)
    levels, count = top.whole("num_feature_levels", maximum=MAX_LISTED), top.value(name)
    each = count if isinstance(count, list) else [count] * levels  # D-FINE may have another number for each map
    if len(each) != levels or not all(map(is_size, each)):
        refuse(top.place(name), f"be a whole number, or one for each of {levels} maps", count)
    points = f"{each[0]:,}" if len(set(each)) == 1 else ", ".join(map(str, each))
    told = f"a head of its decoder reads {points} points of each of {levels} maps of features, wherever its query says"
    return found.also(told)


def _with_base(found: Found, base: float) -> Found:
    return found.also(f"the base of its sinusoids is {base:,.0f}")


def boxes_of_two_bases(top: Fields) -> Found:
    """Return what DAB-DETR does: as others whose object queries are boxes, with a base for rows and one for columns."""
    tall, wide = (top.number(f"temperature_{side}", minimum=1) for side in ("height", "width"))
    found = boxes(top)
    written = "its decoder has sinusoids of the center and the sides of each box, of base 10,000"
    found = found.also(written)
    if tall == wide:
        return _with_base(found, tall)
    bases = f"bases of its sinusoids are {tall:,.0f} for rows and {wide:,.0f} for columns"
    return found.also(f"the {bases}")


def boxes_with_vectors(top: Fields) -> Found:
    """Return what OmDet-Turbo does: as other detectors with boxes, whose queries may begin as learned vectors."""
    found, begun = boxes(top), top.flag("learn_initial_query", False)
    return found.also(_beginning(top)) if begun else found


def boxes_alone(top: Fields) -> Found:
    """Return what RF-DETR does behind the part that sees: sinusoids of the boxes of its queries, and a vector each."""
    clause = "has object queries that are boxes, and a small network makes vectors of sinusoids of each box"
    return Found("sinusoidal", f"{clause}; {_beginning(top)}", None)


def _beginning(top: Fields) -> str:
    return f"each of its {top.whole('num_queries'):,} object queries begins as a learned vector"


def masked(top: Fields) -> Found:
    """Return what Mask2Former and OneFormer do around the part that sees: sinusoids, and a vector of each object."""
    where = "adds sinusoids of row and column to queries of its pixel decoder and to keys of its decoder"
    levels = "each of 3 maps of features has a learned vector in both, too"  # 3 stands in the code of both
    clause = f"{where}, whatever the size of the image; {levels}; "
    return Found("sinusoidal", clause + _learned_vectors(top), None)


def masked_by_detr(top: Fields) -> Found:
    """Return what MaskFormer does around the part that sees: as `masked`, in a decoder of DETR and no other."""
    inner = Fields(top.object("decoder_config") or {}, {"num_queries": 100}, f"{top.path}decoder_config.")
    where = "adds sinusoids of row and column to keys of its decoder, whatever the size of the image"
    found = Found("sinusoidal", f"{where}; {_learned_vectors(inner)}", None)
    return with_sizes(found, "detr", inner, sure=True)


def grounding(top: Fields) -> Found:
    """Return what Grounding DINO does around its parts: as Deformable DETR with boxes, and sinusoids for the text."""
    objects = "its object queries are boxes, of which a small network makes vectors"
    if top.flag("embedding_init_target", True):
        objects += f"; {_beginning(top)}"
    objects += "; tokens of text have sinusoids of their places, too"
    found = _reading_points(_with_levels(_of_kind(top, objects, "queries"), top), top)
    if found.mechanism == "learned":
        return found
    return _with_base(found, top.number("positional_embedding_temperature", minimum=1))


def prompted(top: Fields) -> Found:
    """Return what Segment Anything does with points, boxes and patches: sines and cosines in random directions."""
    inner = Fields(top.object("vision_config") or {}, {"num_pos_feats": 128}, f"{top.path}vision_config.")
    return _in_directions(inner.whole("num_pos_feats"))


def prompted2(top: Fields) -> Found:
    """Return what SAM 2 does with them: the same, with half as many directions as its prompts have channels."""
    inner = Fields(top.object("prompt_encoder_config") or {}, {"hidden_size": 256}, f"{top.path}prompt_encoder_config.")
    return _in_directions(inner.whole("hidden_size", minimum=2) // 2)


def remembered(top: Fields) -> Found:
    """Return what SAM 2 does with a film: 2-D RoPE where it attends to its memories, and a vector for each of them."""
    found, count = prompted2(top), top.whole("num_maskmem", minimum=0)
    names = ("hidden_size", "num_attention_heads", "downsample_rate")
    width, heads, rate = (top.whole(f"memory_attention_{name}") for name in names)
    if (head_dim := width // (heads * rate)) < 4:
        refuse(top.place("memory_attention_hidden_size"), "give a head at least 4 channels", width)
    base = base_of(Fields(top.given, {"rope_theta": top.number("memory_attention_rope_theta", minimum=1)}, top.path))
    found = found.also(f"where it attends to memories it {TURNS}")
    found = found.also(f"all {head_dim:,} channels of a head turn, with a base of {base:,.0f}")
    found = found.also("sinusoids of row and column are added to its queries there, and to memories")
    return found.also(f"each of {count} memories has a learned vector, and of objects a sinusoid tells the time")


def remembered_in_vectors(top: Fields) -> Found:
    """Return what EdgeTAM does with a film: as SAM 2, with memories that are joined to a few vectors."""
    counts = [top.whole(f"perceiver_resampler_num_latents{dim}", minimum=0) for dim in ("", "_2d")]
    clause = f"a memory becomes {counts[0]:,} vectors of the whole image and {counts[1]:,} of its windows"
    return remembered(top).also(clause)


def glued(top: Fields) -> Found:
    """Return what LightGlue does: RoPE by angles that it learns, of the two coordinates of a point."""
    width, heads = top.whole("descriptor_dim"), top.whole("num_attention_heads")
    if width // heads < 2:
        refuse(top.place("num_attention_heads"), f"be at most half of the width ({width})", heads)
    clause = "turns q and k by angles that a linear layer makes of the two coordinates of a point (RoPE), all "
    clause += f"{width // heads:,} channels of a head, neighbours in pairs; between two images nothing is turned"
    return Found("axial", clause, None)


def placed(top: Fields) -> Found:
    """Return what SuperGlue does: a vector of the place of a point, and of how sure it is."""
    made = f"a vector of {top.whole('hidden_size'):,} channels that a small network makes of the two coordinates"
    return Found("axial", f"adds {made} and the score of a point", None)


def timed(top: Fields) -> Found:
    """Return what Music Flamingo does with what it hears: RoPE by the window and the time of a frame, in seconds."""
    clause = "turns what it hears by the number of its window and by the place of a frame in it (RoPE)"
    return Found("axial", f"{clause}, by angles that grow with the seconds", None)


def resampled(top: Fields) -> Found:
    """Return what MiniCPM-V's code does between the parts: sinusoids of row and column, for keys of some queries."""
    count = top.whole("query_num")
    clause = f"has {count:,} queries that read the patches of an image, and adds sinusoids of row and column to its "
    return Found("sinusoidal", f"{clause}keys, more are computed for more than {TALL} x {TALL} patches", None)


def _in_directions(count: int) -> Found:
    clause = "makes vectors of the places of points, corners of boxes and patches"
    return Found("sinusoidal", f"{clause}, by sines and cosines in {count:,} random directions", None)


def _sinusoids(objects: str, where: str = "queries and keys") -> Found:
    places = f"adds sinusoids of row and column to {where} of its encoder, whatever the size of the image"
    return Found("sinusoidal", f"{places}; {objects}", None)


def sam(resized: str) -> Callable[[Fields], Found]:
    """Return the reader of an encoder of Segment Anything."""
    return lambda top: _sam(top, resized)


def _sam(top: Fields, resized: str) -> Found:
    """Return what the encoder of Segment Anything does: a table of patches, and vectors of offsets in its scores."""
    rows, columns = grid(top)
    window = top.whole("window_size", minimum=0, maximum=MAX_SIZE)
    parts = [f"adds a learned vector for each of {rows} x {columns} patches"] if top.flag("use_abs_pos", True) else []
    if top.flag("use_rel_pos", True):
        parts.append("has learned vectors of offsets of rows and of columns in its scores")
    clause = " and ".join(parts) or "has no positional encoding"
    clause += _windows(top, window)
    if rows == columns and top.flag("use_rel_pos", True):
        near, far = f"{2 * window - 1} rows each for a window", f"{2 * rows - 1} rows each for the whole image"
        told = [near] * (window > 0) + [far] * (window == 0 or bool(numbered(top, "global_attn_indexes")))
        width = top.whole("hidden_size") // top.whole("num_attention_heads")
        clause += f"; its tables of offsets have {' and '.join(told)}; each of these rows has {width:,} channels"
    return Found("learned" if parts else "none", f"{clause}; {resized}", None)


def _windows(top: Fields, window: int) -> str:
    """Return which layers see windows, as a clause; empty where all see the whole image."""
    if window == 0:
        return ""
    whole = numbered(top, "global_attn_indexes")
    if not whole:
        return f"; all layers see windows of {window} x {window} patches"
    return f"; layers {whole} see all patches, the others windows of {window} x {window}"


def sam3(top: Fields) -> Found:
    """Return what the encoder of SAM 3 does: a table of the images of pretraining, 2-D RoPE, and windows."""
    count, _ = grid(top, "pretrain_image_size")
    clause = f"adds a learned vector for each of {count} x {count} patches, {count * count:,} rows; it {TURNS}"
    clause += f"; {turned(top)}"
    return Found("axial", clause + _windows(top, top.whole("window_size", minimum=0, maximum=MAX_SIZE)), None)


def vitdet(top: Fields) -> Found:
    """Return what ViTDet does: a table of the images of pretraining, and vectors of offsets in its scores."""
    rows, columns = filled_grid(top, "pretrain_image_size")
    parts = []
    if top.flag("use_absolute_position_embeddings", True):
        parts.append(f"adds a learned vector for each of {rows} x {columns} patches")
    if top.flag("use_relative_position_embeddings", False):
        parts.append("has learned vectors of offsets of rows and of columns in its scores")
    near, window = numbered(top, "window_block_indices"), top.whole("window_size", minimum=0, maximum=MAX_SIZE)
    seen = f"; layers {near} see windows of {window} x {window} patches" if near and window else ""
    if not parts:
        return Found("none", f"has no positional encoding{seen}", None)
    return Found("learned", f"{' and '.join(parts)}; {ALWAYS}{seen}", None)


def sam2(top: Fields) -> Found:
    """Return what the encoder of SAM 2 does: a coarse table of the image and one of a window, added up."""
    if not top.defaults:  # the encoder as a whole, around its backbone
        inner = top.object("backbone_config") or {}
        fields = Fields(inner, HIERA, f"{top.path}backbone_config.", said=top.said, filled=top.filled)
        found = sam2(fields)
        return with_sizes(found, "sam2_hiera_det_model", fields, sure=True)
    rows, columns = two_sides(top, "window_positional_embedding_background_size")
    windows = top.value("window_size_per_stage")
    if not isinstance(windows, list) or not 1 <= len(windows) <= MAX_LISTED or any(not is_size(one) for one in windows):
        refuse(top.place("window_size_per_stage"), f"be a list of 1 to {MAX_LISTED} whole numbers", windows)
    clause = "adds learned vectors of a coarse table, interpolated to the size of the image, and of a table of one "
    clause += f"window, repeated; the first has {rows} x {columns} rows, the second {windows[0]} x {windows[0]}"
    whole = numbered(top, "global_attention_blocks")
    seen = f"; windows are {', '.join(map(str, windows))} patches wide, stage by stage"
    return Found("learned", clause + seen + (f"; layers {whole} see all patches" if whole else ""), None)


DETR = Other({"position_embedding_type": "sine", "num_queries": 100}, detr)
POINTS = {"num_feature_levels": 3, "decoder_n_points": 4}
MORE_QUERIES = {"position_embedding_type": "sine", "num_queries": 300}
VITDET = {
    "window_block_indices": [], "window_size": 0, "pretrain_image_size": 224, "patch_size": 16,
    "use_absolute_position_embeddings": True, "use_relative_position_embeddings": False,
}  # fmt: skip
SAM = {
    "image_size": 1024, "patch_size": 16, "window_size": 14, "use_abs_pos": True, "use_rel_pos": True,
    "global_attn_indexes": [2, 5, 8, 11], "hidden_size": 768, "num_attention_heads": 12,
}  # fmt: skip
HIERA = {
    "window_positional_embedding_background_size": [7, 7], "window_size_per_stage": [8, 4, 14, 7],
    "global_attention_blocks": [5, 7, 9], "blocks_per_stage": [1, 2, 7, 2],
}  # fmt: skip
SAM3 = {
    "pretrain_image_size": 336, "patch_size": 14, "window_size": 24, "global_attn_indexes": [7, 15, 23, 31],
    "hidden_size": 1024, "num_attention_heads": 16, "head_dim": None, "rope_theta": 10_000.0,
}  # fmt: skip
GROUNDING = {
    **MORE_QUERIES, **POINTS, "num_queries": 900, "embedding_init_target": True, "num_feature_levels": 4,
    "positional_embedding_temperature": 20,
}  # fmt: skip
MEMORIES = {
    "memory_attention_hidden_size": 256, "memory_attention_num_attention_heads": 1,
    "memory_attention_downsample_rate": 1, "memory_attention_rope_theta": 10_000.0, "num_maskmem": 7,
}  # fmt: skip
# Models of which a part is read, and what the whole does beside its parts.
WHOLES: Mapping[str, Other] = {
    **dict.fromkeys(("grounding-dino", "mm-grounding-dino"), Other(GROUNDING, grounding)),
    "mask2former": Other({"num_queries": 100}, masked),
    "maskformer": Other({}, masked_by_detr),
    "oneformer": Other({"num_queries": 150}, masked),
    "sam2": Other({}, prompted2),
    "sam2_video": Other(MEMORIES, remembered),
    "omdet-turbo": Other(
        {TEMPERATURE: 10_000, "num_queries": 900, "learn_initial_query": False}
        | {"num_feature_levels": 3, "decoder_num_points": 4},
        boxes_with_vectors,
    ),
    "musicflamingo": Other({}, timed),
    "rf_detr": Other({"num_queries": 300}, boxes_alone),
    **dict.fromkeys(("minicpmo", "minicpmv"), Other({"query_num": 64}, resampled)),
    **dict.fromkeys(("sam", "sam_hq"), Other({}, prompted)),
}
REFUSING = "got_ocr2_vision sam_hq_vision_model sam_vision_model"

DETECTORS: Mapping[str, Other] = {
    "detr": DETR,
    "table-transformer": DETR,
    "conditional_detr": Other(MORE_QUERIES, conditional),
    "deformable_detr": Other(MORE_QUERIES | POINTS | {"num_feature_levels": 4}, deformable),
    "dab-detr": Other({"temperature_height": 20, "temperature_width": 20, "num_queries": 300}, boxes_of_two_bases),
    **dict.fromkeys(
        ("rt_detr", "rt_detr_v2", "d_fine"), Other({TEMPERATURE: 10_000, "num_queries": 300, **POINTS}, boxes)
    ),
    **dict.fromkeys(REFUSING.split(), Other(SAM, sam("another size of image is refused"))),
    "pp_formulanet_vision": Other(SAM | {"image_size": 512}, sam("another size of image is refused")),
    "slanext_vision": Other(SAM | {"image_size": 512}, sam("another size of image is refused")),
    **dict.fromkeys(("deepseek_ocr2_sam_vision_model", "unlimited_ocr_sam_vision_model"), Other(SAM, sam(ALWAYS))),
    "sam3_vit_model": Other(SAM3, sam3),
    "vitdet": Other(VITDET, vitdet),
    "lightglue": Other({"descriptor_dim": 256, "num_attention_heads": 4}, glued),
    "superglue": Other({"hidden_size": 256}, placed),
    "edgetam": Other({}, prompted2),
    "edgetam_video": Other(
        MEMORIES | {"perceiver_resampler_num_latents": 256, "perceiver_resampler_num_latents_2d": 256},
        remembered_in_vectors,
    ),
    "sam2_vision_model": Other({}, sam2),
    "sam2_hiera_det_model": Other(HIERA, sam2),
}
