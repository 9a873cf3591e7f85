"""Models of images with offsets of rows and columns in their scores, and those whose layers see windows."""

from collections.abc import Mapping

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.images import (
    ALWAYS,
    COUNTED,
    COUNTED_OR_ASKED,
    MAX_LISTED,
    MULTIPLE,
    at_its_size,
    filled_grid,
    grid,
    is_size,
    numbered,
    sizes_in,
    two_sides,
)
from pe_core.models.kinds.images_turned import AXIAL, TURNS, turned
from pe_core.models.kinds.sizes import with_sizes

IN_WINDOWS = "adds a learned bias for each of {window_size * 2 - 1 ** 2:,} offsets in windows of {window_size} x "
IN_WINDOWS += "{window_size} patches"
OFFSETS = "has learned vectors of offsets of rows and of columns in its scores"


def narrowed(top: Fields) -> str:
    """Return which stages of Swin v2 have no room for a window of the size that is told."""
    depths, side, size = top.value("depths"), top.value("image_size"), top.whole("window_size", maximum=MAX_SIZE)
    stages = min(len(depths), MAX_SIZE.bit_length()) if isinstance(depths, list) and is_size(side) else 0
    grids = [side // top.whole("patch_size") >> stage for stage in range(stages)]  # of later ones nothing is left
    small = [grid for grid in grids if 0 < grid < size]
    sides, offsets = ", ".join(map(str, small)), ", ".join(f"{(2 * grid - 1) ** 2:,}" for grid in small)
    told = f"its last {len(small)} stages have one window each, of {sides} patches a side and with {offsets} offsets"
    if len(small) == 1:
        told = f"its last stage has one window, of {sides} patches a side and with {offsets} offsets"
    return f"{told}, and no shift" if small else ""


def measured(top: Fields) -> str:
    """Return by which windows Swin v2 measures offsets, where its file tells."""
    before = top.value("pretrained_window_sizes")
    if not isinstance(before, list) or not 0 < len(before) <= MAX_LISTED or not all(map(is_size, before)):
        return ""
    sizes = ", ".join(map(str, before))
    return f"offsets are measured by the windows of its first training, of {sizes} patches a side in its stages"


def _spread(top: Fields) -> str:
    """Return how far apart the patches are that one sees in DiNAT, where its file tells."""
    given = top.given.get("dilations")
    steps = [one for stage in given if isinstance(stage, list) for one in stage] if isinstance(given, list) else []
    most = max((one for one in steps if is_size(one)), default=1)
    return f"in some layers these lie up to {most} patches apart, as dilations says" * (most > 1)


def _florence(top: Fields) -> str:
    count = _of_first_code(top, "image_pos_embed", "max_pos_embeddings", "max_position_embeddings")
    frames = _of_first_code(top, "visual_temporal_embedding", "max_temporal_embeddings", "max_temporal_embeddings")
    size = top.whole("window_size", maximum=MAX_SIZE)
    clause = f"adds learned vectors of the row and of the column of a patch, {count:,} of each, a hard limit"
    clause += f"; the first of {frames:,} sinusoids of frames is added, too; convolutions of 3 x 3 patches stand "
    clause += "before each attention and each MLP; every second layer attends between channels, the others see "
    clause += f"windows of {size} x {size} "
    widths = top.given.get("embed_dim", top.given.get("dim_embed", [1024]))
    known = isinstance(widths, list) and widths and is_size(widths[-1])
    return f"{clause}patches" + (f"; its vectors of positions have {widths[-1]:,} channels" if known else "")


def _of_first_code(top: Fields, inside: str, name: str, newer: str) -> int:
    """Return a size that the first code of a model has in an object, and its class at the top."""
    given = top.object(inside)
    return top.whole(newer) if given is None else Fields(given, {}, f"{top.place(inside)}.").whole(name)


def sam(resized: str, side: int = 1024) -> Other:
    """Return the reader of an encoder of Segment Anything: a table of patches, and vectors of offsets in its scores."""

    def read(top: Fields) -> Found:
        rows, columns = grid(top)
        window = top.whole("window_size", minimum=0, maximum=MAX_SIZE)
        places, offsets = top.flag("use_abs_pos", True), top.flag("use_rel_pos", True)
        clause = _table_and_offsets(rows, columns, places, offsets) + _windows(top, window)
        if rows == columns and offsets:
            far = window == 0 or bool(numbered(top, "global_attn_indexes"))
            clause += _rows_of_offsets(top, window, rows if far else 0)
        return Found("learned" if places or offsets else "none", clause).also(at_its_size(top)).also(resized)

    return Other({**SAM, "image_size": side}, read)


def _rows_of_offsets(top: Fields, window: int, side: int) -> str:
    """Return how many rows tables of offsets have, for a window and for the whole image; a side of 0 has no table."""
    sizes = ((window, "a window"), (side, "the whole image"))
    told = [f"{2 * one - 1} rows each for {what}" for one, what in sizes if one]
    width = top["hidden_size // num_attention_heads"]
    return f"; its tables of offsets have {' and '.join(told)}; each of these rows has {width:,} channels"


def _table_and_offsets(rows: int, columns: int, places: bool, offsets: bool) -> str:
    parts = [f"adds a learned vector for each of {rows} x {columns} patches"] * places + [OFFSETS] * offsets
    return " and ".join(parts) or "has no positional encoding"


def _windows(top: Fields, window: int) -> str:
    """Return which layers see windows, as a clause; empty where all see the whole image."""
    if window == 0:
        return ""
    whole = numbered(top, "global_attn_indexes")
    if not whole:
        return f"; all layers see windows of {window} x {window} patches"
    return f"; layers {whole} see all patches, the others windows of {window} x {window}"


def _sam3(top: Fields) -> str:
    count, _ = grid(top, "pretrain_image_size")
    clause = (
        f"adds a learned vector for each of {count} x {count} patches, {count * count:,} rows, repeated for a larger "
    )
    clause += f"image; it {TURNS}"
    near, side = top.whole("window_size", minimum=0, maximum=MAX_SIZE), grid(top)[0]
    clause += f"; {turned(top)}{_windows(top, near)}"
    if whole := numbered(top, "global_attn_indexes") if near else "":
        clause += f"; layers {whole} count places as {near / side:g} each" if 0 < near < side else ""
    told = at_its_size(top)
    return f"{clause}; {told}{f', and {COUNTED}' if whole or not near else ''}"


def _vitdet(top: Fields) -> Found:
    rows, columns = filled_grid(top, "pretrain_image_size")
    places = top.flag("use_absolute_position_embeddings", True)
    offsets = top.flag("use_relative_position_embeddings", False)
    near, window = numbered(top, "window_block_indices"), top.whole("window_size", minimum=0, maximum=MAX_SIZE)
    clause = _table_and_offsets(rows, columns, places, offsets)
    if near and window:
        clause += f"; layers {near} see windows of {window} x {window} patches"
    clause += "; 1 row of its table stands for no patch" if places else ""
    if offsets:
        side, all_near = grid(top)[0], near.count(",") + 1 == top.whole("num_hidden_layers")
        clause += _rows_of_offsets(top, window if near else 0, 0 if all_near and window else side)
    resized = ALWAYS if places else "for another size the tables are interpolated" if offsets else ""
    return Found("learned" if places or offsets else "none", clause).also(at_its_size(top)).also(resized)


def has_windows_everywhere(top: Fields) -> bool:
    """Return whether a Swin makes maps of features for another model, and so has windows in every stage."""
    kind, named = top.given.get("model_type"), str(top.given.get("architectures"))
    return kind != "swinv2" and (kind == "maskformer-swin" or "backbone_config." in top.path or "Backbone" in named)


def shifted(top: Fields) -> str:
    """Return which layers of a Swin shift their windows."""
    where = "" if has_windows_everywhere(top) else " with more than one window"
    return f"every second layer of a stage{where} shifts its windows by {top['window_size // 2']} patches"


def any_size(top: Fields) -> str:
    """Return what a Swin does with images of any size."""
    if has_windows_everywhere(top):
        return COVERED
    told = "an image may have any size of which each stage has a window or more"
    if top.flag("use_absolute_embeddings", False):
        told = f"its table has a row for each patch of an image of its own size; {COUNTED_OR_ASKED}"
    return "; ".join(filter(None, (told, at_its_size(top))))


def _clap(top: Fields) -> str:
    side, mels = top.whole("spec_size", maximum=MAX_SIZE), top.whole("num_mel_bins")
    patches, frames = side // top.whole("patch_size"), side * (side // mels)
    return f"a sound of up to {frames:,} frames becomes {patches} x {patches} patches, and a longer one is refused"


def _seggpt(top: Fields) -> str:
    count, _ = filled_grid(top, "pretrain_image_size")
    rows, columns = filled_grid(top)
    clause = f"adds a learned vector for each of {count} x {count} patches, interpolated to its {rows} x {columns}"
    if top.flag("use_relative_position_embeddings", True):
        clause += f"; its scores have learned vectors of {2 * rows - 1:,} offsets of rows and {2 * columns - 1:,} of "
        clause += f"columns, each of {top['hidden_size // num_attention_heads']:,} channels"
    return f"{clause}; {at_its_size(top)}; {REFUSED}"


def _sam2(top: Fields) -> str:
    rows, columns = two_sides(top, "window_positional_embedding_background_size")
    windows = sizes_in(top, "window_size_per_stage", f"be a list of 1 to {MAX_LISTED} whole numbers")
    clause = "adds learned vectors of a coarse table, interpolated to the size of the image, and of a table of one "
    clause += f"window, repeated; the first has {rows} x {columns} rows, the second {windows[0]} x {windows[0]}"
    clause += ", and the patches of an image must be whole windows of these"
    whole = numbered(top, "global_attention_blocks")
    seen = f"; windows are {', '.join(map(str, windows))} patches wide, stage by stage, and the first layer of a stage "
    seen += "has that of the stage before"
    told = at_its_size(top, "patch_stride")
    return clause + seen + (f"; layers {whole} see all patches" if whole else "") + (f"; {told}" if told else "")


def around_sam2(top: Fields) -> Found:
    """Return what the encoder of SAM 2 as a whole does, around its backbone."""
    inner = top.object("backbone_config") or {}
    fields = Fields(inner, SAM2.defaults, f"{top.path}backbone_config.", said=top.said, filled=top.filled)
    return with_sizes(SAM2.read(fields), "sam2_hiera_det_model", fields, sure=True)


SAM = {
    "image_size": 1024, "patch_size": 16, "window_size": 14, "use_abs_pos": True, "use_rel_pos": True,
    "global_attn_indexes": [2, 5, 8, 11], "hidden_size": 768, "num_attention_heads": 12,
}  # fmt: skip
SAM2 = says(
    "learned",
    _sam2,
    window_positional_embedding_background_size=[7, 7],
    window_size_per_stage=[8, 4, 14, 7],
    global_attention_blocks=[5, 7, 9],
    blocks_per_stage=[1, 2, 7, 2],
    image_size=[1024, 1024],
    patch_stride=[4, 4],
)
COVERED = "an image may have any size: places are added until whole windows cover it"
PLACED = "use_absolute_embeddings", False, "a learned vector is added to each patch of its first stage, too"
SHIFTED = says("relative", IN_WINDOWS).also(shifted)
SWIN = SHIFTED.where(*PLACED)
SWIN_2 = (
    says(
        "relative",
        "adds a bias that a small network computes for each of {window_size * 2 - 1 ** 2:,} offsets in windows of "
        "{window_size} x {window_size} patches, so that another size of window needs no other table",
    )
    .also(shifted)
    .where(*PLACED)
)
REFUSED = "another size of image is refused"

WINDOWS: Mapping[str, Other] = {
    "swin donut-swin maskformer-swin": SWIN.also(any_size, window_size=7, image_size=224, patch_size=4),
    "clap_audio_model": SHIFTED.also(_clap, window_size=8, spec_size=256, patch_size=4, num_mel_bins=64),
    "swin2sr": SWIN_2.also(
        MULTIPLE % "{window_size=8}",
        at_its_size,
        **{"image_size": 64, "patch_size": 1},
    ),
    "swinv2": SWIN_2.also(
        COVERED, at_its_size, narrowed, measured, window_size=7, image_size=224, patch_size=4, depths=[2, 2, 6, 2]
    ),
    "dinat": says(
        "relative",
        "adds a learned bias for each of {kernel_size=7 * 2 - 1 ** 2:,} offsets; a patch sees {kernel_size} x "
        "{kernel_size} patches near it",
    ).also(_spread, "an image may have any size: places are added where a stage has fewer than a patch sees"),
    "florence_vision": says(
        "learned", _florence, max_position_embeddings=50, max_temporal_embeddings=100, window_size=12
    ),
    "got_ocr2_vision sam_hq_vision_model sam_vision_model": sam(REFUSED),
    "pp_formulanet_vision slanext_vision": sam(REFUSED, 512),
    "deepseek_ocr2_sam_vision_model unlimited_ocr_sam_vision_model": sam(ALWAYS),
    "sam3_vit_model": says("axial", _sam3, **AXIAL, pretrain_image_size=336, image_size=1008, patch_size=14).also(
        window_size=24, global_attn_indexes=[7, 15, 23, 31]
    ),
    "vitdet": Other(
        {"window_block_indices": [], "window_size": 0, "pretrain_image_size": 224, "patch_size": 16}
        | {"image_size": 224, "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12}
        | {"use_absolute_position_embeddings": True, "use_relative_position_embeddings": False},
        _vitdet,
    ),
    "seggpt": says(
        "learned",
        _seggpt,
        image_size=[896, 448],
        patch_size=16,
        pretrain_image_size=224,
        hidden_size=1024,
        num_attention_heads=16,
    ),
    "sam2_vision_model": Other({}, around_sam2),
    "sam2_hiera_det_model": SAM2,
}
