"""Files of timm, which have the name of an architecture and the size of its images, and no other settings."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pe_core.models.fields import MAX_SIZE, Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.images import (
    ALWAYS,
    BY_CONVOLUTIONS,
    COUNTED,
    COUNTS,
    NEVER,
    NO_ENCODING,
    at_its_size,
    beit,
    filled_grid,
    hiera,
    patches,
)
from pe_core.models.kinds.images_turned import AXIAL, IN_TWO_DIMENSIONS, with_axes
from pe_core.models.kinds.timm_stages import CONVOLVED, OF_STAGES, in_stages
from pe_core.models.kinds.windows import REFUSED, SWIN, SWIN_2, measured, narrowed, sam
from pe_core.models.reading import ConfigError, Json, is_whole, shown

OF_TIMM = "The names are those of timm: what its model does is read from the name of its architecture. This is a guess."
SCALED = "Places are counted as on a square of {0} x {0} patches, to which those of an image of any size are scaled."
WITHOUT_PLACES = (  # beginnings of names of models without positions, a few of which have attention
    "bat_ caformer convformer convmixer convnext cpubone cs3 csatv2 cspdarknet cspnext cspresne darknet davit densenet "
    "dla dm_nfnet dpn eca_nfnet eca_res ecaresnet efficientnet efficientvim efficientvit ese_vovnet fasternet fastvit "
    "fbnet focalnet gc_efficientnet gcres gernet ghostnet hardcorenas hgnet hrnet iformer inception lcnet legacy_ "
    "lowformer mambaout mixnet mnasnet mobilenet mobileone mobilevit nasnet nextvit nf_ nfnet pnasnet poolformer "
    "pvt_v2 rdnet regnet repghostnet repvgg repvit res2ne resne rexnet selecsls semnasnet senet seresne shvit skresne "
    "spnasnet starnet swiftformer test_byobnet test_convnext test_efficientnet test_nfnet test_resnet tf_efficientnet "
    "tf_mixnet tf_mobilenet tinynet tresnet twins vgg vovnet wide_resnet xception"
)
WIDTHS: Mapping[str, int] = {
    "tiny": 192, "small": 384, "base": 768, "so400m": 1152, "large": 1024, "huge": 1280, "medium": 512,
    "betwixt": 640, "giantopt": 1536,
}  # fmt: skip
WIDTHS_OF_EVA = {**WIDTHS, "giant": 1408, "enormous": 1792}  # other giants of timm have other widths
HEADS_OF_SWIN = {"base": [4, 8, 16, 32], "large": [6, 12, 24, 48], "tiny": [3, 6, 12, 24], "small": [3, 6, 12, 24]}
HEADS_OF_LEVIT = {
    "128s": [4, 6, 8], "128": [4, 8, 12], "192": [3, 5, 6], "256": [4, 6, 8], "256d": [4, 6, 8], "384": [6, 9, 12],
    "512": [8, 12, 16], "512d": [8, 10, 12],
}  # fmt: skip
HEADS_OF_EFFICIENTVIT = {
    "m0": [4, 4, 4], "m1": [2, 3, 3], "m2": [4, 3, 2], "m3": [4, 3, 4], "m4": [4, 4, 4], "m5": [3, 3, 4],
}  # fmt: skip
SAM_SEES_ALL = {"base": [2, 5, 8, 11], "large": [5, 11, 17, 23], "huge": [7, 15, 23, 31]}  # layers, by the size
WIDTHS_OF_HIERA = {"tiny": 96, "small": 96, "base": 96, "large": 144, "huge": 256}
# Of ResNets of CLIP, whose last layer is pooled by attention: how wide it is, and for images of how many pixels.
POOLED = {"resnet50_clip": (2048, 224), "resnet101_clip": (2048, 224), "resnet50x4_clip": (2560, 288)}
POOLED |= {"resnet50x16_clip": (3072, 384), "resnet50x64_clip": (4096, 448)}
WRAPPERS = ("timm_backbone", "timm_wrapper")  # types of transformers around a model of timm
WITH_TABLE = (
    "vit_", "deit_", "deit3_", "eva_", "eva02_", "flexivit_", "cait_", "aimv2_", "beit3_", "test_vit", "convit_",
    "tnt_", "vitamin_", "volo_", "naflexvit_",
)  # fmt: skip
WITHOUT_CLASS = re.compile("siglip|_gap|_so150m")  # which have no class token
WITHOUT_ROW = re.compile("_reg[0-9]|^deit3_|^flexivit_|_[rx]pn?_|_mci_|_radio_")  # whose other tokens have no row
BETWEEN_SIDES = re.compile("dinov3|_lingbot|_sapiens2")  # which turn as DINOv3 does, and have no table
STEPS = {"_s32_": 32, "_p8_": 32, "_resnet26d_": 32, "_resnet50d_": 32}  # of hybrids, behind their convolutions
HYBRID = re.compile("_r[0-9]{0,3}_s|_resnet")  # whose convolutions round up
SIDES = {"dinov2": 518, "dinov3": 256, "samvit": 1024} | {name: side for name, (_, side) in POOLED.items()}
UNREAD = re.compile("relpos|parfac|naflexvit.*radio")  # of names that begin as those of others
OF_ANY_SIZE = re.compile("_intern300m_|^naflexvit_|^vitamin_xlarge_")
OF_OTHER_STEM = re.compile("^(convit|tnt|vitamin|volo)_")  # which have a type of their own
WITHOUT_FIRST = re.compile("^(cait|aimv2|convit|vitamin|volo|naflexvit)_|_rope_|_pe_.*gigantic")
FASTVIT = re.compile("fastvit_(sa|ma|mci)")  # of which the last stages attend
IN_NAME = re.compile(r"(?:_|to)(\d{3,4})$")


def without_places(name: str) -> bool:
    """Return whether an architecture of timm has no positions, by the beginning of its name."""
    others = name in POOLED or name.startswith("efficientvit_m")
    return name.startswith(tuple(WITHOUT_PLACES.split())) and not others


def of_timm(given: Json) -> tuple[Json, tuple[str, ...]] | None:
    """Return the settings that the name of an architecture stands for; None where the file is not timm's.

    Raises `ConfigError` for an architecture that is not known here.
    """
    name, made = given.get("architecture"), given.get("pretrained_cfg", given)
    if not isinstance(name, str) or not isinstance(made, dict):
        return None
    if not isinstance(sizes := made.get("input_size"), list) or not sizes:
        return None
    if without_places(name):
        return {"model_type": "timm_fastvit" if FASTVIT.match(name) else "timm_convolutional"}, (OF_TIMM,)
    own = given.get("model_args")
    args: Json = own if isinstance(own, dict) else {}
    side = sizes[-1] if len(sizes) < 3 or sizes[-1] == sizes[-2] else sizes[-2:]
    named = re.search(r"patch(\d{1,4})", name)
    usual = 4 if name.startswith("swin") else next((step for word, step in STEPS.items() if word in name), 16)
    view: Json = {
        "image_size": args.get("img_size", side),
        "patch_size": args.get("patch_size", int(named[1]) if named else usual),
    }
    found, words = _in_parts(name, args, view, given.get("num_features")), name.split("_")
    if found is None and name.startswith(WITH_TABLE) and not UNREAD.search(name):
        pooled = made.get("global_pool", given.get("global_pool"))
        rotary = bool({"rope", "pe"} & set(words))  # of RoPE-ViT and of the Perception Encoder
        turns = rotary or (name.startswith("eva02_") and "enormous" not in words)
        turns = args.get("use_rot_pos_emb", turns) is True
        table = (not rotary or bool({"pe", "ape"} & set(words))) and not name.startswith("vitamin_xlarge_")
        if words[0] == "naflexvit":
            view["image_size"] = 16 * view["patch_size"]  # that of its table: it takes images of any shape
        widths = {} if words[0] in ("aimv2", "convit") else WIDTHS_OF_EVA if name.startswith("eva") else WIDTHS
        width = given.get("num_features") or _by_size({**widths, "gigantic": 1536} if "pe" in words else widths, words)
        found = {
            "model_type": f"timm_{words[0]}" if OF_OTHER_STEM.search(name) else "timm_vit",
            "hidden_size": width,
            "turns": turns,
            "mixed": "mixed" in words,
            "rope_theta": 100.0 if rotary and "gap" not in words and "pe" not in words else None,
            "head_dim": 96 if rotary and "gigantic" in words else None,
            "table": args.get("pos_embed") != "none" and args.get("use_abs_pos_emb", table) is True,
            "n_other_rows": _other_rows(name, args, pooled),
            "strict": False if HYBRID.search(name) else None,
            "resized": args.get("dynamic_img_size", bool(OF_ANY_SIZE.search(name))) is True,
            **view,
        }
        found = {name: value for name, value in found.items() if value is not None or name == "hidden_size"}
        square = _side(name.partition(".")[0]) // int(named[1]) if "pe" in words and named else 0 if rotary else 16
        return found, (OF_TIMM, *((SCALED.format(square),) if turns and square else ()))
    if found is None:
        raise ConfigError(f"architecture must be a model of timm that is known here, got {shown(name)}")
    return {name: value for name, value in found.items() if value is not None}, (OF_TIMM,)


def _in_parts(name: str, args: Json, view: Json, width: object = None) -> Json | None:
    """Return the settings of an architecture that is no plain ViT with a table; None for one that is not known."""
    words, window = name.split("_"), re.search(r"window(\d{1,4})(?:to(\d{1,4}))?", name)
    side = view["image_size"]
    if window is not None and name.startswith(("swin_", "swinv2_")):
        first = int(window[1])
        return {
            "model_type": f"timm_{words[0]}",
            "window_size": args.get("window_size", int(window[2] or first)),
            "num_heads": _by_size(HEADS_OF_SWIN, words),
            "pretrained_window_sizes": [first, first, first, first // 2] if window[2] else None,
            **view,
        }
    if name.startswith(("beit_", "beitv2_")):
        heads = {"num_attention_heads": _by_size({"base": 12, "large": 16}, words)}
        return {"model_type": "timm_beit", "use_relative_position_bias": True, **view, **heads}
    if words[0] == "hiera" and len(words) <= 3 + ("plus" in words):
        width = 112 if "plus" in words else _by_size(WIDTHS_OF_HIERA, words)
        return {"model_type": "timm_hiera", "image_size": side, "embed_dim": width}
    if words[0] == "levit":
        heads = {"num_attention_heads": [8, 10, 14] if "512_s8" in name else _by_size(HEADS_OF_LEVIT, words)}
        return {"model_type": "levit", "image_size": side, "patch_size": 8 if "s8" in words else 16, **heads}
    if name.startswith("efficientvit_m"):
        return {"model_type": "timm_efficientvit", "image_size": side, "num_heads": HEADS_OF_EFFICIENTVIT.get(words[1])}
    if name in POOLED:
        return {"model_type": "clip_resnet", "image_size": side, "hidden_size": POOLED[name][0], "resized": True}
    if words[0] == "samvit":
        sizes_of_it = {"hidden_size": _by_size(WIDTHS, words), "num_attention_heads": 12 if "base" in words else 16}
        all_seen = {"global_attn_indexes": _by_size(SAM_SEES_ALL, words), "use_abs_pos": "224" not in words}
        return {"model_type": "timm_samvit", **view, **sizes_of_it, **all_seen}
    if (staged := in_stages(name, side, width)) is not None:
        return staged
    if BETWEEN_SIDES.search(name):
        wide = {"7b": 128, "5b": 76, **({"huge": 80} if "sapiens2" in words else {})}
        return {"model_type": "dinov3_vit", "head_dim": _by_size(wide, words) or 64, **view}
    return None


def _other_rows(name: str, args: Json, pooled: object) -> int:
    """Return how many rows of the table of a ViT are for other tokens than patches: what a file tells counts first."""
    more = re.search(r"_reg(\d)", name)
    registers = args.get("reg_tokens", int(more[1]) if more else 0)
    usual = "_pe_" in name or (pooled != "map" and not WITHOUT_CLASS.search(name))
    first = args.get("class_token", usual and not WITHOUT_FIRST.search(name)) is True
    if args.get("no_embed_class", WITHOUT_ROW.search(name) is not None and "_so150m" not in name) is True:
        return 0
    return first + ("distilled" in name) + (registers if is_whole(registers, 0) else 0)


def by_name(name: object, side: Any, pooled: object = None) -> Json:
    """Return the settings of an architecture that another file names, for images so many pixels wide.

    Where `side` is None, they are as wide as its name tells. `pooled` is how it makes one vector of an image. Raises
    `ConfigError` for an architecture that is not known here.
    """
    side = _side(str(name).partition(".")[0]) if side is None else side
    found = of_timm({"architecture": name, "input_size": [3, side, side], "global_pool": pooled})
    if found is None:
        raise ConfigError(f"architecture must be a text, got {shown(name)}")
    return found[0]


def _side(name: str) -> int:
    named = None if name.startswith("levit") else IN_NAME.search(name)
    return int(named[1]) if named else next((side for word, side in SIDES.items() if word in name), 224)


def wrapped_side(given: Json) -> Any:
    """Return how wide images are of which a class of transformers that wraps a model of timm is made; None if not."""
    made = (given, given.get("model_args"), given.get("backbone_kwargs"))
    return next((one["img_size"] for one in made if isinstance(one, dict) and one.get("img_size")), None)


def _by_size(values: Mapping[str, Any], words: list[str]) -> Any:
    """Return the value of the size that a name has, None where it has none of them."""
    return next((value for size, value in values.items() if size in words), None)


def of_resnet(top: Fields) -> str:
    """Return what a ResNet of CLIP does where attention pools its last map."""
    rows, columns = filled_grid(top)
    clause = f"adds a learned vector for each of {rows} x {columns} places of its last map and 1 more, "
    clause += f"{rows * columns + 1:,} rows, where attention pools it"
    return f"{clause}; {ALWAYS if top.flag('resized', False) else COUNTS % 'places'}; {CONVOLVED}"


def _efficientvit(top: Fields) -> str:
    stages, side = [], top.whole("image_size", minimum=16, maximum=MAX_SIZE) // 16
    for _ in range(3):
        stages.append(min(side, 7))
        side = (side - 1) // 2 + 1
    offsets = ", ".join(str(one * one) for one in stages)
    clause = f"adds a learned bias for each of {offsets} offsets of rows and columns, stage by stage, in windows of "
    clause += f"{', '.join(map(str, stages))} places a side; an offset counts whatever its sign"
    return f"{clause}; {CONVOLVED}"


def vit(top: Fields) -> Found:
    """Return what a ViT of timm does: a table of patches and some other tokens; that of EVA-02 turns pairs, too."""
    turns = top.flag("turns", False)
    mixed, refused = top.flag("mixed", False), NEVER if top.flag("strict", True) else COUNTED
    resized = ALWAYS if top.flag("resized", False) else refused
    if not top.flag("table", True):
        found = (MIXED if mixed else IN_TWO_DIMENSIONS if turns else NO_ENCODING).read(top)
        return found.also(at_its_size(top)).also("" if resized == ALWAYS else resized)
    read = patches(top.whole("n_other_rows", minimum=0), resized)
    if mixed:
        return replace(read(top), mechanism="axial").also(f"it {OF_MIXED}")
    return with_axes(Other({}, read)).read(top) if turns else read(top)


OF_MIXED = "turns each pair by a learned frequency of the row and one of the column of a patch, in each layer and "
OF_MIXED += "head on their own, so that it has no base (2-D RoPE)"
MIXED = says("axial", OF_MIXED)
VIT = AXIAL | {"head_dim": 64, "image_size": 224, "patch_size": 16, "n_other_rows": 1, "turns": False, "table": True}
VIT |= {"mixed": False, "resized": False, "strict": True}
ALL_TABLES = "for another size the tables are interpolated"
TIMM = {
    **OF_STAGES,
    "timm_vit": Other(VIT, vit),
    "timm_vitamin": Other({**VIT, "strict": False}, vit).also(CONVOLVED),
    "timm_volo": Other({**VIT, "strict": False}, vit).also(
        "before these vectors are added, layers mix patches of half the size with those around them", CONVOLVED
    ),
    "timm_tnt": Other(VIT, vit).also("within each patch it adds a learned vector for each of 4 x 4 places, too"),
    "timm_convit": Other(VIT, vit).also(
        "in its first 10 layers each head mixes its attention with one that is made of the offset of row and column "
        "and of its square alone"
    ),
    "timm_convolutional": says("none", BY_CONVOLUTIONS),
    "timm_fastvit": says("none", BY_CONVOLUTIONS).also(
        "in front of each stage whose layers attend, one over 7 x 7 places is added"
    ),
    "timm_swin": SWIN.also(REFUSED, at_its_size, window_size=7, image_size=224, patch_size=4),
    "timm_swinv2": SWIN_2.also(
        REFUSED, at_its_size, narrowed, measured, window_size=7, image_size=224, patch_size=4, depths=[2, 2, 6, 2]
    ),
    "timm_beit": beit(NEVER),
    "timm_hiera": hiera(COUNTED),
    "timm_samvit": sam(ALL_TABLES),
    "timm_efficientvit": says("relative", _efficientvit, image_size=224),
    "clip_resnet": says("learned", of_resnet, image_size=224, patch_size=32, resized=False),
}
