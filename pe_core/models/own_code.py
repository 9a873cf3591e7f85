"""Types of models whose code is their own, and no class of transformers 5.23: read by what that code does."""

import re
from dataclasses import replace

from pe_core.models.detectors import SAM, sam
from pe_core.models.diffusers import on_axes
from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.images import (
    ALWAYS,
    AXIAL,
    FRAMES,
    MAX_SIZE,
    NEVER,
    grid,
    in_two_dimensions,
    patches,
    table_of_patches_and_axes,
    turned,
)
from pe_core.models.layers import MAX_LAYERS
from pe_core.models.others import MAX_WIDTH, OLD_BASE, numbers, offset, segmented, two_sinusoids, whole_heads
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup, plain_rope
from pe_core.models.programs.hearing import SANM
from pe_core.models.reading import Json, refuse
from pe_core.models.retired import RETIRED
from pe_core.models.robots import ROBOTS
from pe_core.models.timm import TIMM, WIDTHS

SEEING = (  # names of parts that see: of CLIP in Phi-3-vision, of SigLIP in DeepSeek-VL
    re.compile(r"clip_vit_(?:base|large)_patch(?P<patch>\d{1,3})(?:_(?P<side>\d{1,4}))?"),
    re.compile(r"siglip[a-z0-9_]{0,30}_patch(?P<patch>\d{1,4})_(?P<side>\d{1,4})"),
)
FARTHEST = 512  # rows, and columns, for which MoonViT computes angles, in its code and no field
WIDTH_OF_MOIRAI = 64  # channels of a head, in its code and no field
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
    return replace(_both_ways(top, top.whole("max_length")), pairs="neighbours")


def esm_c(top: Fields) -> Found:
    """Return what ESM++ (ESM C) does: RoPE of base 10,000, in its code and no field, halves in pairs."""
    return replace(_both_ways(top, None), pairs="halves")


def _both_ways(top: Fields, length: int | None) -> Found:
    found = whole_heads(top, f"turns q and k with RoPE of base {OLD_BASE:,.0f}", length)
    return replace(found, groups=tuple(replace(group, both_sides=True) for group in found.groups))


def sam_and_another(top: Fields) -> Found:
    """Return what the vision part of DeepSeek-OCR and of DeepSeek-VL does: that of SAM, and beside it another one."""
    side, stretched = top.whole("image_size", maximum=MAX_SIZE), top.flag("stretched", True)
    resized = ALWAYS if stretched else NEVER
    found = sam(resized)(Fields({"image_size": side}, SAM, top.path))
    image = {"image_size": top.whole("other_size", maximum=MAX_SIZE), "patch_size": top.whole("patch_size")}
    beside = patches(int(stretched), resized)(Fields(image, {}, top.path))
    return found.also(f"beside that of SAM another encoder {beside.clause}")


def espnet(top: Fields) -> Found:
    """Return what a speech recogniser of ESPnet does, whose encoder and decoder are named by two fields."""
    kind = top.text("encoder")
    if kind not in ENCODERS:
        refuse(top.place("encoder"), f"be one of {', '.join(ENCODERS)}", kind)
    way = top.text("pos_enc_layer_type") or ENCODERS[kind]
    memory = f"; each layer has a convolution over {top.whole('kernel_size')} frames, too" if kind in SANM else ""
    ways = {
        "rel_pos": "compares its queries with sinusoids of distances",
        "abs_pos": "adds a fixed sinusoid for each frame",
    }
    if way not in ways:
        refuse(top.place("pos_enc_layer_type"), f"be one of {', '.join(ways)}", way)
    written = "; its decoder adds a fixed sinusoid for each token" if top.text("decoder") in DECODERS else ""
    return Found("relative" if way == "rel_pos" else "sinusoidal", ways[way] + memory + written, None)


def xtts(top: Fields) -> Found:
    """Return what XTTS does: a GPT-2 with a learned table for the text that is read, and one for what is spoken."""
    text, sound = top.whole("gpt_max_text_tokens") + 2, top.whole("gpt_max_audio_tokens") + 3  # begin, end, a voice
    clause = f"adds a learned vector for each of {text:,} tokens that are read and of {sound:,} frames that are spoken"
    return Found("learned", f"{clause}, a hard limit", text)


def read_page(top: Fields) -> Found:
    """Return what Donut and Nougat do under the names of their own code: the table of mBART, and the bias of Swin."""
    length = "max_position_embeddings" if top.value("max_position_embeddings") is not None else "max_length"
    given = {"max_position_embeddings": top.whole(length)}
    found = offset(2, beside=True)(replace(top, given={**top.given, **given}))
    size = top.whole("window_size", maximum=MAX_SIZE)
    told = f"its part that sees adds a learned bias for each of {(2 * size - 1) ** 2:,} offsets in windows of {size} x "
    return found.also(f"{told}{size} patches")


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


def enformer(top: Fields) -> Found:
    """Return what Enformer does: as Transformer-XL, with functions of distances in place of sinusoids."""
    count = top.whole("dim") // top.whole("heads")
    clause = f"compares its queries with mixtures of {count:,} functions of a distance, exponential, gamma and steps, "
    return Found("relative", f"{clause}half of them with its sign; {AHEAD_AS_BACK}", None)


def hyena(top: Fields) -> Found:
    """Return what HyenaDNA does: convolutions as long as the text, whose filters are made from the place."""
    length, count = top.whole("max_seq_len"), top.whole("emb_dim")
    clause = f"has no attention: a small network makes the filters of its convolutions from {count:,} numbers of a "
    clause += f"place, for at most {length:,} tokens, and lowers them with the distance"
    return Found("convolution", clause, length)


def nemo(top: Fields) -> Found:
    """Return what an encoder of NeMo that hears does: sinusoids of distances or of frames, and chunks or windows."""
    way = top.text("self_attention_model")
    if way == "rotary":  # of GigaAM, which has the names of NeMo
        base, width, heads = top.number("rope_base", minimum=1), top.whole("d_model"), top.whole("n_heads")
        if width // heads < 2:
            refuse(top.place("n_heads"), f"be at most half of the width ({width})", heads)
        clause = f"turns q and k with RoPE of base {base:,.0f}, all {width // heads:,} channels of a head"
        return Found("rope", f"{clause}; {AHEAD_AS_BACK}", None)
    if way not in NEMO:
        refuse(top.place("self_attention_model"), f"be one of {', '.join(NEMO)}", way)
    seen, clause = top.value("att_context_size"), NEMO[way]
    if isinstance(seen, list) and len(seen) == 2 and all(type(one) is int and one >= 0 for one in seen):
        clause += f"; a frame sees at most {seen[0]:,} frames before it and {seen[1]:,} after it"
    return Found("sinusoidal" if way == "abs_pos" else "relative", clause, None)


def open_nmt(top: Fields) -> Found:
    """Return what OpenNMT does: learned vectors of distances, sinusoids, both, or nothing."""
    far, heads, width = top.whole("max_relative_positions", minimum=-2), top.whole("heads"), top.value("hidden_size")
    if far < 0:
        refuse(top.place("max_relative_positions"), "be 0 or more, because what -1 and -2 mean is not read here", far)
    added = "adds a fixed sinusoid for each position" if top.flag("position_encoding", False) else ""
    if far == 0:
        return Found("sinusoidal" if added else "none", added or "has no positional encoding", None)
    clause = f"has learned vectors of distances up to {far:,} on each side in its scores and values, and farther ones "
    each = f"; its vectors of distances have {width // heads:,} channels" if isinstance(width, int) else ""
    return Found("relative", f"{clause}share the last{each}{added and f'; it {added}, too'}", None)


def step1(top: Fields) -> Found:
    """Return what Step-1 does, of Step-Audio: ALiBi with the root of the distance in place of the distance."""
    length = top.whole_or_none("max_seq_len")
    return Found("alibi", "lowers each score with the root of the distance, by slopes as those of ALiBi", length)


def toto(top: Fields) -> Found:
    """Return what Toto does: layers across time that turn, with xPos, and layers across series that do not."""
    width, heads, count = top.whole("embed_dim"), top.whole("num_heads"), top.whole("num_layers", maximum=MAX_LAYERS)
    every, first = top.whole("spacewise_every_n_layers"), top.flag("spacewise_first", True)
    across = [i for i in range(count) if i % every == (0 if first else every - 1)]
    if width // heads < 2:
        refuse(top.place("num_heads"), f"be at most half of the width ({width})", heads)
    clause = f"turns q and k by the time of a patch, with xPos of base {OLD_BASE:,.0f}, all {width // heads:,} "
    clause += f"channels of a head, in {count - len(across)} of {count} layers; the others see all series at one time, "
    return Found("rope", f"{clause}and turn nothing{numbers(across)}", None)


def rnafm(top: Fields) -> Found:
    """Return what RNA-FM does: the table of ESM, and its code counts from one further."""
    return offset(top.whole("pad_token_id", minimum=0) + 2)(top)


def seen_by_qwen(top: Fields) -> Found:
    """Return what the part of Qwen-VL does that sees: a table of 256 rows, stretched to an image, and a resampler."""
    rows, columns = grid(top)
    clause = f"adds a learned vector of 16 x 16, 256 rows, interpolated to {rows} x {columns} patches; "
    return Found("learned", f"{clause}a resampler adds fixed sinusoids of row and column to its queries and keys", None)


def places(top: Fields) -> Found:
    """Return what a file tells that names the kind of its vectors of positions, and not how many there are."""
    if top.flag("learned", True):
        return Found("learned", "adds a learned vector for each position", None)
    return Found("sinusoidal", "adds a fixed sinusoid for each position", None)


def moirai(top: Fields) -> Found:
    """Return what Moirai does: half of the channels turn with the time of a patch, neighbours in pairs.

    Its first version sees both ways, the second, which predicts several patches at once, only back.
    """
    width, count = top.whole("d_model", maximum=MAX_WIDTH), top.whole("num_layers", maximum=MAX_LAYERS)
    if width < WIDTH_OF_MOIRAI:
        refuse(top.place("d_model"), f"be at least {WIDTH_OF_MOIRAI}, the width of one head", width)
    length, half = top.whole("max_seq_len"), WIDTH_OF_MOIRAI // 2
    rotation = plain_rope(OLD_BASE, WIDTH_OF_MOIRAI, half, length)
    both = not top.says("num_predict_token")
    group = LayerGroup("all layers", tuple(range(count)), both_sides=both, rotation=rotation)
    clause = f"turns the first {half} of {WIDTH_OF_MOIRAI} channels of q and k with RoPE of base {OLD_BASE:,.0f}, "
    clause += "neighbours in pairs, by the time of a patch"
    told = "A learned bias of each head tells whether two patches are of the same series: the order of series does not "
    return Found("rope", clause, length, (group,), (f"{told}count.",), "neighbours")


def hybrid(top: Fields) -> Found:
    """Return what models of mamba-ssm with some layers of attention do, and Zonos: only these may turn."""
    inner = Fields(top.object("attn_cfg") or {}, ATTENTION, f"{top.path}attn_cfg.")
    count, given = top.whole("n_layer", maximum=MAX_LAYERS), top.value("attn_layer_idx")
    if not isinstance(given, list) or any(type(one) is not int or not 0 <= one < count for one in given):
        refuse(top.place("attn_layer_idx"), f"be a list of numbers of layers from 0 to {count - 1}", given)
    attending = sorted(set(given))
    turned, heads = inner.whole("rotary_emb_dim", minimum=0), inner.whole("num_heads")
    head_dim = inner.whole_or_none("head_dim") or top.whole("d_model", maximum=MAX_WIDTH * 16) // heads
    where = f"{len(attending)} of {count} layers have attention{numbers(attending)}; the others are recurrent"
    where = f"all {count} layers have attention" if len(attending) == count else where
    if turned == 0:
        return Found("none", f"has no positional encoding; {where}", None)
    base = inner.number("rotary_emb_base", minimum=1)
    if turned % 2 or turned > head_dim:
        refuse(inner.place("rotary_emb_dim"), f"be even and at most the width of a head ({head_dim})", turned)
    rotation = plain_rope(base, head_dim, turned, None)
    both = not inner.flag("causal", False)
    groups = [LayerGroup("full_attention", tuple(attending), both_sides=both, rotation=rotation)]
    groups.append(LayerGroup("mamba", tuple(i for i in range(count) if i not in set(attending))))
    which = f"all {head_dim}" if turned == head_dim else f"the first {turned} of {head_dim}"
    clause = f"turns {which} channels of q and k with RoPE of base {base:,.0f} where it has attention; {where}"
    return Found("rope", clause, None, tuple(group for group in groups if group.layers))


def retnet(top: Fields) -> Found:
    """Return what RetNet does: it turns q and k, and lowers scores with the distance, each head at its own rate."""
    own = "num_heads" in top.given  # of flash-linear-attention, others are torchscale's
    name = "num_heads" if own else "decoder_retention_heads"
    width, heads = top.whole("hidden_size" if own else "decoder_embed_dim"), top.whole(name)
    if width // heads < 2:
        refuse(top.place(name), f"be at most half of the width ({width})", heads)
    clause = f"turns q and k by RoPE of base {OLD_BASE:,.0f}, all {width // heads:,} channels of a head, "
    clause += "halves in pairs" if own else "neighbours in pairs"
    clause += f", and lowers each score by a power of the distance, another one in each of {heads:,} heads: of "
    return Found("rope", f"{clause}31/32 in the first, halving what is missing to 1 in each further one", None)


ATTENTION = {"rotary_emb_dim": 0, "rotary_emb_base": OLD_BASE, "causal": False, "head_dim": None}
RULES_OF = ("rope_scaling", "rope_parameters")
DOTS = {"embed_dim": 1536, "num_attention_heads": 12, "rope_theta": 10_000.0}
MOON = {
    "init_pos_emb_height": 64, "init_pos_emb_width": 64, "hidden_size": 1152, "num_attention_heads": 16,
    "head_dim": None, "rope_theta": 10_000.0,
}  # fmt: skip
NAVIT = AXIAL | {"hidden_size": 1152, "image_size": 512, "patch_size": 16}
NEMO = {
    "rel_pos": "compares its queries with sinusoids of distances",
    "rel_pos_local_attn": "compares its queries with sinusoids of distances",
    "abs_pos": "adds a fixed sinusoid for each frame",
}
OPEN_NMT = {"position_encoding": False, "max_relative_positions": 0, "heads": 8}
DECODERS = ("transformer", "bitransformer")  # of ESPnet, and of WeNet, which has its names
ENCODERS = {"conformer": "rel_pos", "e_branchformer": "rel_pos", "branchformer": "rel_pos", "transformer": "abs_pos"}
ENCODERS |= dict.fromkeys(SANM, "abs_pos")
NEOBERT = {"hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 28, "max_length": 1024}
FLASH = {"num_hidden_layers": 32, "mb_per_layer": 2, "sliding_window": 2047, "max_position_embeddings": 4096}

PAGE = {"max_position_embeddings": None, "max_length": 1536, "window_size": 10}
BEE = {"position_bias_num_buckets": 256, "position_bias_num_segment_buckets": 256, "position_bias_max_distance": 2048}

OWN_CODE = {
    "moirai": Other({}, moirai),
    "mamba_ssm": Other({}, hybrid),
    "retnet": Other({}, retnet),
    **TIMM,
    **ROBOTS,
    **RETIRED,
    "IndicTrans": Other({"max_source_positions": 210, "max_target_positions": 210}, two_sinusoids),
    "qwen_vision": Other({"image_size": 448, "patch_size": 14}, seen_by_qwen),
    "cpmbee": Other(BEE, segmented),
    "dots_vit": Other(DOTS, in_two_dimensions),
    **dict.fromkeys(("donut", "nougat"), Other(PAGE, read_page)),
    "espnet": Other({"kernel_size": 11}, espnet),
    "xtts": Other({"gpt_max_text_tokens": 402, "gpt_max_audio_tokens": 605}, xtts),
    "moonvit": Other(MOON, moonvit),
    "flux": Other({"theta": 10_000}, on_axes("axes_dim", "theta")),
    "enformer": Other({"dim": 1536, "heads": 8}, enformer),
    "hyenadna": Other({"max_seq_len": 1026, "emb_dim": 5}, hyena),
    "nemo_encoder": Other({"att_context_size": [-1, -1], "rope_base": 5000}, nemo),
    "neobert": Other(NEOBERT, neobert),
    "ESMplusplus": Other({"hidden_size": 960, "num_attention_heads": 15, "num_hidden_layers": 30}, esm_c),
    "open_nmt": Other(OPEN_NMT, open_nmt),
    "phi4flash": Other(FLASH, phi4flash),
    "uer": Other({}, places),
    "rope": Other({}, rope_alone),
    "videollama3_vision_encoder": Other(AXIAL | {"hidden_size": 1152}, in_two_dimensions),
    "whisper_encoder": FRAMES,  # of Whisper as a part of another model, which alone hears
    "sam_and_another": Other(
        {"image_size": 1024, "other_size": 224, "patch_size": 14, "stretched": True}, sam_and_another
    ),
    "jina_clip_vision": Other(
        AXIAL | {"hidden_size": 1024, "head_dim": 64, "image_size": 512, "patch_size": 14},
        table_of_patches_and_axes(1, NEVER),
    ),
    "siglip2_navit": Other(NAVIT, table_of_patches_and_axes(0, ALWAYS)),  # of Ovis2.5, and of Keye
    "higgs_audio_encoder": FRAMES,
    "step3_vision_encoder": Other({"image_size": 728, "patch_size": 14}, patches(1, ALWAYS)),
    "intern_vit_6b": Other({"image_size": 224, "patch_size": 14}, patches(1, ALWAYS)),
    "mplug_owl_vision_model": Other({"image_size": 224, "patch_size": 14}, patches(1, NEVER)),
    "rnafm": Other({"max_position_embeddings": 1026, "pad_token_id": 0}, rnafm),
    "step1": Other({}, step1),
    "toto": Other({"spacewise_every_n_layers": 12, "spacewise_first": True}, toto),
    "eva_clip": Other({"image_size": 490, "patch_size": 14}, patches(1, NEVER)),  # of CogVLM and GLM-4V
    "siglip_vit": Other({"image_size": 384, "patch_size": 16}, patches(0, NEVER)),
}


def by_model_name(part: Json) -> Json:
    """Return the fields of a part that DeepSeek's code makes by the name of a SigLIP or SAM; others as is.

    That of Ovis is around another part, which has its own type.
    """
    around = part.get("backbone_config")
    if isinstance(around, dict) and isinstance(kind := around.get("model_type"), str):
        return {**around, "model_type": "aimv2_vision_model" if kind == "aimv2" else kind}
    if isinstance(inner := part.get("visual_model"), dict):  # of mPLUG-Owl, beside a part that reads what is seen
        return inner
    if {"n_mels", "n_ctx", "n_state"} <= part.keys():  # the first code of Whisper, as in Qwen-Audio
        return {"model_type": "whisper_encoder", "max_source_positions": part["n_ctx"], "d_model": part["n_state"]}
    inner = part.get("params")
    given = {**part, **inner} if isinstance(inner, dict) else part
    name, high, low = (given.get(name) for name in ("model_name", "high_res_cfg", "low_res_cfg"))
    if name == "deeplip_b_l":  # CLIP has images of 224 pixels, and its table is stretched to what SAM has
        return {"model_type": "sam_and_another", "image_size": given.get("image_size", 1024)}
    if isinstance(high, dict) and isinstance(low, dict) and high.get("model_name") == "sam_b_downsample":
        another = by_model_name(low)
        sizes = {"other_size": another.get("image_size"), "patch_size": another.get("patch_size"), "stretched": False}
        return {"model_type": "sam_and_another", "image_size": high.get("image_size"), **sizes}
    words = name.rpartition("/")[2].replace("-", "_") if isinstance(name, str) else ""
    found = next((one for pattern in SEEING if (one := pattern.fullmatch(words))), None)
    if found is None:
        return part
    width = next((size for word, size in WIDTHS.items() if word in words.split("_")), None)
    told = {"patch_size": int(found["patch"]), "image_size": int(found["side"] or 224), "hidden_size": width}
    told["width"] = width  # as DeepSeek's code calls it
    own = {name: given[name] for name in told if isinstance(given.get(name), int)}
    kind = "clip_vision_model" if words.startswith("clip") else "siglip_vit"
    return {"model_type": kind, **{name: size for name, size in told.items() if size is not None}, **own}
