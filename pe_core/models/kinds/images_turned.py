"""Models of images whose pairs of channels turn with the row and the column of a patch (2-D RoPE), or with a frame."""

import math
from collections.abc import Mapping
from dataclasses import replace

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.images import (
    ALWAYS,
    COUNTED,
    MAX_LISTED,
    QUERIES,
    SIDES,
    at_its_size,
    film,
    grid,
    numbered,
    table,
    two_sides,
)
from pe_core.models.reading import refuse

TURNS = "turns some pairs with the row and others with the column of a patch (2-D RoPE)"
HALVES = "half with the row and half with the column"
BASE_IN_CODE = 10_000.0


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
    names = ("num_heads", "num_attention_heads")  # of which the second is another name of the first
    heads = next((name for has in (top.given, top.defaults) for name in names if name in has), names[0])
    return split(top, "embed_dim" if "embed_dim" in top.defaults else "hidden_size", heads, told="num_heads")


def split(top: Fields, width: str, heads: str, *, told: str = "") -> int:
    """Return the channels of a head, by the names of the two fields; `ConfigError` where it has less than 2.

    The error names the number of heads as it is `told`.
    """
    whole, count = top.whole(width), top.whole(heads)
    if whole // count < 2:
        refuse(top.place(told or heads), f"be at most half of the width ({whole})", count)
    return whole // count


def turned(top: Fields) -> str:
    """Return a clause on 2-D RoPE: half of the channels turn with the row, half with the column."""
    return f"all {head_width(top):,} channels of a head turn, {HALVES}, with a base of {base_of(top):,.0f}"


def with_axes(other: Other, **defaults: object) -> Other:
    """Return the reader of a model with the table of another one, whose pairs turn with row and column, too."""
    read = Other({**AXIAL, **other.defaults}, lambda top: replace(other.read(top), mechanism="axial"))
    return read.also(f"it {TURNS}", turned, **defaults)


def in_three_dimensions(top: Fields) -> str:
    """Return what V-JEPA 2 and others do: RoPE whose pairs turn with frame, row or column, a third of them each."""
    head_dim = head_width(top)
    each = head_dim // 3 // 2 * 2
    clause = "turns some pairs with the frame, some with the row and some with the column of a patch"
    return f"{clause}; {each} channels each of {head_dim} by RoPE of base {base_of(top):,.0f}"


def _vjepa2(top: Fields) -> str:
    size, patch, frames, tube = (top.whole(name, maximum=MAX_SIZE) for name in CLIPS)
    clause, side = in_three_dimensions(top), size // patch
    own = {"head_dim": None} | {name: top.whole(f"pred_{name}") for name in ("hidden_size", "num_attention_heads")}
    narrow = head_width(Fields(own, {}, top.path))
    clause += f"; {film(top, 'frames_per_clip', 'crop_size')}"
    clause += f"; its clips have {frames // tube} x {side} x {side} patches; one may have more or fewer frames, and "
    clause += "an image of another size gets rows and columns that are not its own"
    clause += f"; its predictor turns {narrow // 3 // 2 * 2} channels each of {narrow}"
    if "Classification" not in str(top.given.get("architectures")):
        return clause
    told = f"behind its encoder {top['num_pooler_layers']} layers attend without positions, and a learned query asks"
    return f"{clause}; {told} what they make"


def largest(top: Fields) -> str:
    """Return up to which size of images the vision model of Pixtral is made; empty where its file does not tell."""
    if not top.says("image_size") and top.given.get("model_type") != "pixtral":
        return ""
    rows, columns = grid(top)
    return f"it is made for images up to {rows} x {columns} patches, and turns those behind them further"


def windows(top: Fields) -> str:
    """Return which layers of the vision model of Qwen2.5-VL see windows, and how large these are."""
    size, name = two_sides(top, "window_size")[0], "fullatt_block_indexes"
    told = f"layers {numbered(top, name)} see the whole image, the others" if top.value(name) else "its layers see"
    return f"{told} windows of {size} x {size} pixels"


def _square(top: Fields) -> str:
    rows = top.whole("num_position_embeddings")
    clause = f"adds a learned vector for each of {math.isqrt(rows)} x {math.isqrt(rows)} places, {rows:,} rows, "
    return f"{clause}interpolated for other sizes, and {TURNS}"


def _step(top: Fields) -> Found:
    """Return what the vision model of Step 3.7 does, whose released file has other names of its sizes."""
    older = {"width": "hidden_size", "heads": "num_attention_heads"}
    named = {name: top.given[old] for old, name in older.items() if old in top.given}
    return STEP.read(replace(top, given={**top.given, **named}))


def _muse(top: Fields) -> str:
    """Return which layers of the vision model of Muse Glimmer see windows, as large as its table."""
    kinds, count, side = (
        top.value("layer_types"),
        top.whole("num_hidden_layers", maximum=MAX_LISTED),
        top["pos_emb_height"],
    )
    whole = [i for i in range(count) if i % 4 == 3 or i == count - 1]
    if isinstance(kinds, list):
        whole = [i for i, kind in enumerate(kinds[:MAX_LISTED]) if kind == "full_attention"]
    told = f"layers {', '.join(map(str, whole))} see the whole image, the others" if whole else "its layers see"
    return f"{told} windows of {side} x {side} patches"


def _lfm3(top: Fields) -> str:
    """Return which layers of the vision model of LFM3-VL attend; the others have a convolution in place of this."""
    kinds, count, size = (
        top.value("layer_types"),
        top.whole("num_hidden_layers", maximum=MAX_LISTED),
        top["conv_kernel_size"],
    )
    attend = [i for i in range(2, count) if i % 2 == 0]
    if isinstance(kinds, list):
        attend = [i for i, kind in enumerate(kinds[:MAX_LISTED]) if kind != "conv"]
    told = f"layers {', '.join(map(str, attend))} attend, the others have" if attend else "its layers have"
    return f"{told} a convolution over {size} x {size} patches in place of attention"


def _dinov3(top: Fields) -> str:
    clause = f"{TURNS}; its base is {base_of(top):,.0f}, and a patch lies from −1 to 1 between two sides, whatever "
    told = [
        f"{clause}their size, times 2 pi; all {head_width(top):,} channels of a head turn, {HALVES}, of patches alone"
    ]
    if (factor := top.number_or_none("pos_embed_rescale")) is not None:
        told.append(f"in training all places are multiplied by a random number from 1/{factor:g} to {factor:g}")
    if (factor := top.number_or_none("pos_embed_jitter")) is not None:
        told.append(f"in training rows and columns are multiplied by one each from 1/{factor:g} to {factor:g}")
    if (most := top.number_or_none("pos_embed_shift")) is not None:
        told.append(f"in training rows and columns are moved by a random number up to {most:g}")
    return "; ".join(told)


HEAD = {"hidden_size": 1024, "num_attention_heads": 16, "head_dim": None}
AXIAL = HEAD | {"rope_theta": 10_000.0}
DINOV3 = says("axial", _dinov3, **AXIAL | {"rope_theta": 100.0, "pos_embed_rescale": 2.0}).also(
    at_its_size, patch_size=16
)
CLIPS = {"crop_size": 256, "patch_size": 16, "frames_per_clip": 64, "tubelet_size": 2}
IN_TWO_DIMENSIONS = says("axial", TURNS).also(turned)  # without defaults
OF_ANY_SIZE = IN_TWO_DIMENSIONS.also("rows and columns have no limit")
WINDOWED = OF_ANY_SIZE.also(hidden_size=3584, num_heads=16, rope_theta=10_000.0).also(
    windows, window_size=112, fullatt_block_indexes=[7, 15, 23, 31]
)
STEP = with_axes(table(728, 14, 0, ALWAYS), hidden_size=1536)
WITH_SQUARE = "qwen3_vl_vision qwen3_vl_moe_vision qwen3_5_vision qwen3_5_moe_vision qwen3_omni_moe_vision_encoder "
WITH_SQUARE += "qwen4_exp_vision cohere_compass_vision"

IMAGES_TURNED: Mapping[str, Other] = {
    "minimax_m3_vl_vision": says("axial", in_three_dimensions, **AXIAL | {"hidden_size": 1280}),
    "vjepa2": says(
        "axial", _vjepa2, **HEAD | CLIPS, pred_hidden_size=384, pred_num_attention_heads=12, num_pooler_layers=3
    ),
    "paddleocr_vl_vision": with_axes(table(384, 14, 0, ALWAYS), hidden_size=1152),
    "dinov3_vit": DINOV3.also(hidden_size=384, num_attention_heads=6, image_size=224),
    "sapiens2": DINOV3.also(image_size=224),
    "eomt_dinov3": DINOV3.also(QUERIES, image_size=640),
    "pixtral": IN_TWO_DIMENSIONS.also(largest, **AXIAL, image_size=1024, patch_size=16),
    "qwen2_vl_vision": OF_ANY_SIZE.also(embed_dim=1280, num_heads=16, rope_theta=10_000.0),
    "ernie4_5_vl_moe_vision": OF_ANY_SIZE.also(hidden_size=1280, num_heads=16, rope_theta=10_000.0),
    "glm5_next_vision glm_ocr_vision": OF_ANY_SIZE.also(hidden_size=1024, num_heads=16, rope_theta=10_000.0),
    "dots3_note_vision_encoder": OF_ANY_SIZE.also(**AXIAL | {"hidden_size": 1536, "num_attention_heads": 24}),
    "video_llama_3_vision": OF_ANY_SIZE.also(**AXIAL | {"hidden_size": 768, "num_attention_heads": 12}),
    "lfm3_vl_vision": OF_ANY_SIZE.also(**AXIAL | {"rope_theta": 1e6}).also(
        _lfm3, layer_types=None, num_hidden_layers=14, conv_kernel_size=3
    ),
    "step3p5_vision": Other(STEP.defaults, _step),
    "inkling2_vision": with_axes(
        says(
            "learned",
            "adds a learned vector for each of {posemb_grid_size=32} x {posemb_grid_size} patches, "
            f"{{posemb_grid_size * posemb_grid_size:,}} rows; {ALWAYS}; its class token has a vector of its own",
        )
    ),
    "muse_glimmer_vision muse_spark_vision": with_axes(
        says(
            "learned",
            "adds a learned vector for each of {pos_emb_height=32} x {pos_emb_width=32} patches, "
            "{pos_emb_height * pos_emb_width:,} rows; " + ALWAYS,
        ),
        hidden_size=1536,
    ).also(_muse, layer_types=None, num_hidden_layers=50),
    "qwen2_5_omni_vision_encoder exaone4_5_vision qwen2_5_vl_vision": WINDOWED,
    WITH_SQUARE: says("axial", _square, num_position_embeddings=2304).also(
        turned, hidden_size=1152, num_heads=16, rope_theta=10_000.0
    ),
    "mlcd mlcd_vision_model": OF_ANY_SIZE.also(
        "its class token turns by angles that it learns",
        at_its_size,
        **AXIAL | {"hidden_size": 1664, "image_size": 336, "patch_size": 14},
    ),
    "glm4v_vision glm4v_moe_vision": with_axes(table(336, 14, 0, ALWAYS), hidden_size=1536, num_heads=12),
    "llama4_vision_model": with_axes(table(448, 14, 1, COUNTED), hidden_size=768).also(
        "the token behind its patches turns nothing"
    ),
    "gemma4_vision": with_axes(
        says("learned", SIDES % "position_embedding_size=10240"),
        **{"hidden_size": 768, "num_attention_heads": 12, "head_dim": 64, "rope_theta": 100.0},
    ),
    "kimi_k25_vision": with_axes(
        says(
            "learned",
            "adds a learned vector of {pos_emb_height=64} x {pos_emb_width=64}, interpolated for other sizes, and, "
            "in a film of more than one frame, a sinusoid of the frame, of base 10,000, of which it has "
            "{pos_emb_time=4}",
        ),
        hidden_size=1152,
    ),
}
