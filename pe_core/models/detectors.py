"""Models that find things in images: DETR and its kin, and the encoders of Segment Anything."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import MAX_SIZE, two_sides
from pe_core.models.reading import refuse

CELLS = 50  # rows, and columns, of the learned table of DETR, in its code and no field


def detr(top: Fields) -> Found:
    """Return what DETR does: sinusoids of row and column in its encoder, and a learned vector for each object."""
    kind, count = top.text("position_embedding_type"), top.whole("num_queries")
    objects = f"each of its {count:,} object queries has a learned vector"
    if kind == "learned":
        places = f"adds learned vectors of {CELLS} rows and {CELLS} columns to queries and keys of its encoder, a hard "
        return Found("learned", f"{places}limit; {objects}", None)
    if kind != "sine":
        refuse(top.place("position_embedding_type"), "be sine or learned", kind)
    return _sinusoids(objects)


def boxes(top: Fields) -> Found:
    """Return what DETRs do whose object queries are boxes: a small network makes a vector of each box."""
    return _sinusoids("its object queries are boxes, of which a small network makes vectors")


def _sinusoids(objects: str) -> Found:
    places = "adds sinusoids of row and column to queries and keys of its encoder, whatever the size of the image"
    return Found("sinusoidal", f"{places}; {objects}", None)


def sam(top: Fields) -> Found:
    """Return what the encoder of Segment Anything does: a table of patches, and vectors of offsets in its scores."""
    size, patch = two_sides(top, "image_size"), two_sides(top, "patch_size")
    rows, columns = size[0] // patch[0], size[1] // patch[1]
    window = top.whole("window_size", minimum=0, maximum=MAX_SIZE)
    parts = [f"adds a learned vector for each of {rows} x {columns} patches"] if top.flag("use_abs_pos", True) else []
    if top.flag("use_rel_pos", True):
        parts.append("has learned vectors of offsets of rows and of columns in its scores")
    clause = " and ".join(parts) or "has no positional encoding"
    seen = f"; its layers see windows of {window} x {window} patches, but for some that see all" if window else ""
    return Found("learned" if parts else "none", f"{clause}{seen}; another size of image is refused", None)


def sam2(top: Fields) -> Found:
    """Return what the encoder of SAM 2 does: a coarse table of the image and one of a window, added up."""
    clause = "adds learned vectors of a coarse table, interpolated to the size of the image, and of a table of one "
    return Found("learned", f"{clause}window, repeated", None)


DETR = Other({"position_embedding_type": "sine", "num_queries": 100}, detr)
DEFORMABLE = Other({"position_embedding_type": "sine", "num_queries": 300}, detr)
SAM = Other(
    {"image_size": 1024, "patch_size": 16, "window_size": 14, "use_abs_pos": True, "use_rel_pos": True},
    sam,
)
SAM2 = Other({}, sam2)

DETECTORS: Mapping[str, Other] = {
    "detr": DETR,
    "table-transformer": DETR,
    "conditional_detr": DEFORMABLE,
    "deformable_detr": DEFORMABLE,
    **dict.fromkeys(("dab-detr", "rt_detr", "rt_detr_v2", "d_fine"), Other({}, boxes)),
    "sam_vision_model": SAM,
    "sam_hq_vision_model": SAM,
    "sam2_vision_model": SAM2,
    "sam2_hiera_det_model": SAM2,
}
