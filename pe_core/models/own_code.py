"""Types of models whose code is their own, and no class of transformers 5.23: read by what that code does."""

import re
from dataclasses import replace

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import FRAMES, MAX_SIZE, NEVER, in_two_dimensions, patches, turned
from pe_core.models.layers import MAX_LAYERS
from pe_core.models.others import OLD_BASE, offset, segmented, whole_heads
from pe_core.models.positions import LayerGroup
from pe_core.models.reading import Json, refuse

SIGLIP = re.compile(r"siglip[a-z0-9_]{0,30}_patch(\d{1,4})_(\d{1,4})")
FARTHEST = 512  # rows, and columns, for which MoonViT computes angles, in its code and no field
IN_ORDER = "has no positional encoding: only recurrent layers tell the order, and the causal mask of attention layers, "
IN_ORDER += "if there are any"


def moonvit(top: Fields) -> Found:
    """Return what the vision model of Kimi-VL does: a table that is interpolated, and 2-D RoPE."""
    rows, columns = (top.whole(f"init_pos_emb_{side}", maximum=FARTHEST) for side in ("height", "width"))
    clause = f"adds a learned vector of {rows} x {columns}, interpolated for other sizes; it turns some pairs with the "
    clause += f"row and others with the column of a patch (2-D RoPE); {turned(top)}"
    return Found("axial", f"{clause}; images of more than {FARTHEST} x {FARTHEST} patches are refused", None)


def phi4flash(top: Fields) -> Found:
    """Return what Phi-4-mini-flash does: no encoding, and attention in every second layer, with windows at first."""
    count, given = top.whole("num_hidden_layers", maximum=MAX_LAYERS), top.value("sliding_window")
    if isinstance(given, list):  # a window for each layer, null for one that sees all tokens
        top = replace(top, given={**top.given, "sliding_window": next((one for one in given if one), None)})
    window = top.whole_or_none("sliding_window")
    every = top.whole("mb_per_layer", minimum=0)
    attending = [i for i in range(count) if every == 0 or i % every]
    by_code = [window is not None and i % 2 for i in range(count // 2)]
    windowed = given if isinstance(given, list) else by_code
    near = tuple(i for i in attending if i < len(windowed) and windowed[i])
    shared = [i for i in attending if i >= count // 2 + 2]
    clause = f"{IN_ORDER}; {len(attending)} of {count} layers have attention"
    if near:
        clause += f"; layers {', '.join(map(str, near))} see at most {window:,} tokens"
    if shared:
        clause += f"; the last {len(shared)} layers with attention read the keys and values of layer {count // 2 + 1}"
    groups = [
        LayerGroup("sliding_attention", near, window),
        LayerGroup("full_attention", tuple(i for i in attending if i not in near)),
    ]
    length = top.whole("max_position_embeddings")
    return Found("none", clause, length, tuple(group for group in groups if group.layers))


def neobert(top: Fields) -> Found:
    """Return what NeoBERT does: RoPE of base 10,000, in its code and no field, neighbours in pairs."""
    if not top.flag("rope", True):
        refuse(top.place("rope"), "be true, because what NeoBERT does without it is not known here", False)
    sizes = {name: top.value(name) for name in ("hidden_size", "num_attention_heads", "num_hidden_layers")}
    length = top.whole("max_length")
    own = Fields({**sizes, "max_position_embeddings": length}, {}, top.path)
    found = whole_heads(own, f"turns q and k with RoPE of base {OLD_BASE:,.0f}")
    groups = tuple(replace(group, both_sides=True) for group in found.groups)
    return replace(found, groups=groups, pairs="neighbours")


def read_page(top: Fields) -> Found:
    """Return what Donut and Nougat do under the names of their own code: the table of mBART, and the bias of Swin."""
    length = "max_position_embeddings" if top.value("max_position_embeddings") is not None else "max_length"
    given = {"max_position_embeddings": top.whole(length)}
    found = offset(2, beside=True)(replace(top, given={**top.given, **given}))
    size = top.whole("window_size", maximum=MAX_SIZE)
    told = f"its part that sees adds a learned bias for each of {(2 * size - 1) ** 2:,} offsets in windows of {size} x "
    return replace(found, clause=f"{found.clause}; {told}{size} patches")


def rope_alone(top: Fields) -> Found:
    """Return what a file with a base and no width tells: that it turns, by which base, and how long a text it claims.

    Of two bases the second is that of layers with a window, whose size is read, too.
    """
    clause = f"turns q and k with RoPE of base {top.number('rope_theta', minimum=1):,.0f}"
    told = ["The file tells no width of a head: how many channels turn, and their frequencies, are not known."]
    if top.says("rope_local_base_freq"):
        local, window = top.number("rope_local_base_freq", minimum=1), top.whole_or_none("sliding_window")
        seen = f" of {window:,} tokens" if window is not None else ""
        told.append(f"Layers with a window{seen} turn by another base, {local:,.0f}.")
    told += [f"What {name} says is not read without a width." for name in RULES_OF if top.given.get(name)]
    return Found("rope", clause, top.whole_or_none("max_position_embeddings"), (), tuple(told))


RULES_OF = ("rope_scaling", "rope_parameters")
DOTS = {"embed_dim": 1536, "num_attention_heads": 12, "rope_theta": 10_000.0}
MOON = {"init_pos_emb_height": 64, "init_pos_emb_width": 64, "hidden_size": 1152, "num_attention_heads": 16} | {
    "head_dim": None,
    "rope_theta": 10_000.0,
}
NEOBERT = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 28, "max_length": 1024}
FLASH = {"num_hidden_layers": 32, "mb_per_layer": 2, "sliding_window": 2047, "max_position_embeddings": 4096}

PAGE = {"max_position_embeddings": None, "max_length": 1536, "window_size": 10}
BEE = {"position_bias_num_buckets": 256, "position_bias_num_segment_buckets": 256, "position_bias_max_distance": 2048}

OWN_CODE = {
    "cpmbee": Other(BEE, segmented),
    "dots_vit": Other(DOTS, in_two_dimensions),
    **dict.fromkeys(("donut", "nougat"), Other(PAGE, read_page)),
    "moonvit": Other(MOON, moonvit),
    "neobert": Other(NEOBERT, neobert),
    "phi4flash": Other(FLASH, phi4flash),
    "rope": Other({}, rope_alone),
    "whisper_encoder": FRAMES,  # of Whisper as a part of another model, which alone hears
    "siglip_vit": Other({"image_size": 384, "patch_size": 16}, patches(0, NEVER)),
}


def by_model_name(part: Json) -> Json:
    """Return the fields of a part that DeepSeek's code makes by the name of a SigLIP, with its sizes; others as is."""
    inner = part.get("params")
    given = {**part, **inner} if isinstance(inner, dict) else part
    name = given.get("model_name")
    found = SIGLIP.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        return part
    sizes = {"patch_size": int(found[1]), "image_size": int(found[2])}
    told = {name: given[name] for name in (*sizes, "width") if isinstance(given.get(name), int)}
    return {"model_type": "siglip_vit", **sizes, **told}
