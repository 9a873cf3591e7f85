"""Models that find things in images: DETR and its kin, and the encoders of Segment Anything."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import ALWAYS, MAX_SIZE, two_sides
from pe_core.models.reading import refuse

CELLS = 50  # rows, and columns, of the learned table of DETR, in its code and no field


def detr(top: Fields) -> Found:
    """Return what DETR does: sinusoids of row and column in its encoder, and a learned vector for each object."""
    return _objects(top, "queries and keys")


def deformable(top: Fields) -> Found:
    """Return what Deformable DETR does: as DETR, but its attention has no keys, and its queries tell where to look."""
    return _objects(top, "queries")


def _objects(top: Fields, where: str) -> Found:
    kind, count = top.text("position_embedding_type"), top.whole("num_queries")
    objects = f"each of its {count:,} object queries has a learned vector"
    if kind == "learned":
        places = f"adds learned vectors of {CELLS} rows and {CELLS} columns to {where} of its encoder, a hard "
        return Found("learned", f"{places}limit; {objects}", None)
    if kind != "sine":
        refuse(top.place("position_embedding_type"), "be sine or learned", kind)
    return _sinusoids(objects, where)


def boxes(top: Fields) -> Found:
    """Return what DETRs do whose object queries are boxes: a small network makes a vector of each box."""
    return _sinusoids("its object queries are boxes, of which a small network makes vectors")


def _sinusoids(objects: str, where: str = "queries and keys") -> Found:
    places = f"adds sinusoids of row and column to {where} of its encoder, whatever the size of the image"
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


def vitdet(top: Fields) -> Found:
    """Return what ViTDet does: a table of the images of pretraining, and vectors of offsets in its scores."""
    size, patch = two_sides(top, "pretrain_image_size"), two_sides(top, "patch_size")
    rows, columns = size[0] // patch[0], size[1] // patch[1]
    if rows * columns == 0:
        refuse(top.place("patch_size"), f"be at most pretrain_image_size ({min(size)})", max(patch))
    parts = []
    if top.flag("use_absolute_position_embeddings", True):
        parts.append(f"adds a learned vector for each of {rows} x {columns} patches")
    if top.flag("use_relative_position_embeddings", False):
        parts.append("has learned vectors of offsets of rows and of columns in its scores")
    if not parts:
        return Found("none", "has no positional encoding", None)
    return Found("learned", f"{' and '.join(parts)}; {ALWAYS}", None)


def sam2(top: Fields) -> Found:
    """Return what the encoder of SAM 2 does: a coarse table of the image and one of a window, added up."""
    clause = "adds learned vectors of a coarse table, interpolated to the size of the image, and of a table of one "
    return Found("learned", f"{clause}window, repeated", None)


DETR = Other({"position_embedding_type": "sine", "num_queries": 100}, detr)
MORE_QUERIES = {"position_embedding_type": "sine", "num_queries": 300}
VITDET = {"pretrain_image_size": 224, "patch_size": 16} | {
    "use_absolute_position_embeddings": True,
    "use_relative_position_embeddings": False,
}
SAM = Other(
    {"image_size": 1024, "patch_size": 16, "window_size": 14, "use_abs_pos": True, "use_rel_pos": True},
    sam,
)
SAM2 = Other({}, sam2)

DETECTORS: Mapping[str, Other] = {
    "detr": DETR,
    "table-transformer": DETR,
    "conditional_detr": Other(MORE_QUERIES, detr),
    "deformable_detr": Other(MORE_QUERIES, deformable),
    **dict.fromkeys(("dab-detr", "rt_detr", "rt_detr_v2", "d_fine"), Other({}, boxes)),
    "sam_vision_model": SAM,
    "sam_hq_vision_model": SAM,
    "vitdet": Other(VITDET, vitdet),
    "sam2_vision_model": SAM2,
    "sam2_hiera_det_model": SAM2,
}
