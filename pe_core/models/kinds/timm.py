"""Files of timm, which have the name of an architecture and the size of its images, and no other settings."""

import re
from collections.abc import Mapping
from typing import Any

from pe_core.models.fields import Fields
from pe_core.models.kinds.found import Found, Other, says
from pe_core.models.kinds.images import ALWAYS, BY_CONVOLUTIONS, NEVER, at_its_size, patches
from pe_core.models.kinds.images_turned import AXIAL, with_axes
from pe_core.models.kinds.windows import REFUSED, SWIN, SWIN_2
from pe_core.models.reading import ConfigError, Json, shown

OF_TIMM = "The names are those of timm: what its model does is read from the name of its architecture. This is a guess."
SCALED = "Places are counted as on a square of {0} x {0} patches, to which those of an image of any size are scaled."
WITHOUT_PLACES = (  # beginnings of names of models without positions, a few of which have attention
    "caformer convformer convnext cspdarknet cspresne darknet densenet dla dpn eca_nfnet ecaresnet efficientnet "
    "efficientvit ese_vovnet fastvit fbnet focalnet ghostnet hardcorenas hgnet hrnet inception lcnet legacy_ mixnet "
    "mnasnet mobilenet mobileone mobilevit nf_ nfnet poolformer pvt_v2 regnet repghostnet repvgg repvit res2ne resne "
    "rexnet selecsls semnasnet seresne skresne spnasnet starnet tf_efficientnet tf_mixnet tinynet vgg vovnet "
    "wide_resnet xception"
)
WIDTHS: Mapping[str, int] = {"tiny": 192, "small": 384, "base": 768, "so400m": 1152, "large": 1024, "huge": 1280}
WIDTHS_OF_EVA = {**WIDTHS, "giant": 1408, "enormous": 1792}  # other giants of timm have other widths
HEADS_OF_SWIN = {"base": [4, 8, 16, 32], "large": [6, 12, 24, 48], "tiny": [3, 6, 12, 24], "small": [3, 6, 12, 24]}
SAM_SEES_ALL = {"base": [2, 5, 8, 11], "large": [5, 11, 17, 23], "huge": [7, 15, 23, 31]}  # layers, by the size
WIDTHS_OF_HIERA = {"tiny": 96, "small": 96, "base": 96, "large": 144, "huge": 256}
WRAPPERS = ("timm_backbone", "timm_wrapper")  # types of transformers around a model of timm
WITH_TABLE = ("vit_", "deit_", "deit3_", "eva_", "eva02_", "flexivit_")
WITHOUT_CLASS = re.compile("siglip|_gap|_reg[0-9]|^deit3_|^flexivit_")  # whose table has no row for a class token
UNREAD = re.compile("rope|relpos|_pe_")  # of names that begin as those of others


def without_places(name: str) -> bool:
    """Return whether an architecture of timm has no positions, by the beginning of its name."""
    return name.startswith(tuple(WITHOUT_PLACES.split()))


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
        return {"model_type": "timm_convolutional"}, (OF_TIMM,)
    args = given.get("model_args") if isinstance(given.get("model_args"), dict) else {}
    named, side, words = re.search(r"patch(\d{1,4})", name), (args or {}).get("img_size", sizes[-1]), name.split("_")
    patch = (args or {}).get("patch_size", int(named[1]) if named else 16)
    view, window = {"image_size": side, "patch_size": patch}, re.search(r"window(\d{1,4})", name)
    found: Json | None = None
    if window is not None and name.startswith(("swin_", "swinv2_")):
        found = {
            "model_type": f"timm_{words[0]}",
            "window_size": int(window[1]),
            "num_heads": _by_size(HEADS_OF_SWIN, words),
            **view,
        }
    elif name.startswith(("beit_", "beitv2_")):
        heads = {"num_attention_heads": _by_size({"base": 12, "large": 16}, words)}
        found = {"model_type": "beit", "use_relative_position_bias": True, **view, **heads}
    elif words[0] in ("hiera", "levit") and len(words) <= 3:
        width = 112 if "plus" in words else _by_size(WIDTHS_OF_HIERA, words)
        found = {"model_type": words[0], "image_size": side, **({"embed_dim": width} if words[0] == "hiera" else {})}
    elif words[0] == "samvit":
        sizes_of_it = {"hidden_size": _by_size(WIDTHS, words), "num_attention_heads": 12 if "base" in words else 16}
        all_seen = {"global_attn_indexes": _by_size(SAM_SEES_ALL, words)}
        found = {"model_type": "sam_vision_model", **view, **sizes_of_it, **all_seen}
    elif "dinov3" in name:
        found = {"model_type": "dinov3_vit", "head_dim": 128 if "7b" in words else 64}
    elif name.startswith(WITH_TABLE) and not UNREAD.search(name):
        pooled = made.get("global_pool", given.get("global_pool"))
        rows = 0 if pooled == "map" or WITHOUT_CLASS.search(name) else 2 if "distilled" in words else 1
        turns = name.startswith("eva02_") and "enormous" not in words
        width = given.get("num_features") or _by_size(WIDTHS_OF_EVA if name.startswith("eva") else WIDTHS, words)
        table = {"n_other_rows": rows, "resized": (args or {}).get("dynamic_img_size") is True, **view}
        settings = {"model_type": "timm_vit", "hidden_size": width, "turns": turns, **table}
        return settings, (OF_TIMM, *((SCALED.format(16),) if turns else ()))
    if found is None:
        raise ConfigError(f"architecture must be a model of timm that is known here, got {shown(name)}")
    return {name: value for name, value in found.items() if value is not None}, (OF_TIMM,)


def by_name(name: object, side: Any, pooled: object = None) -> Json:
    """Return the settings of an architecture that another file names, for images so many pixels wide.

    `pooled` is how it makes one vector of an image. Raises `ConfigError` for an architecture that is not known here.
    """
    found = of_timm({"architecture": name, "input_size": [3, side, side], "global_pool": pooled})
    if found is None:
        raise ConfigError(f"architecture must be a text, got {shown(name)}")
    return found[0]


def wrapped_side(given: Json) -> Any:
    """Return how wide images are of which a class of transformers that wraps a model of timm is made."""
    made = (given, given.get("model_args"), given.get("backbone_kwargs"))
    return next((one["img_size"] for one in made if isinstance(one, dict) and one.get("img_size")), 224)


def _by_size(values: Mapping[str, Any], words: list[str]) -> Any:
    """Return the value of the size that a name has, None where it has none of them."""
    return next((value for size, value in values.items() if size in words), None)


def vit(top: Fields) -> Found:
    """Return what a ViT of timm does: a table of patches and some other tokens; that of EVA-02 turns pairs, too."""
    turns = top.flag("turns", False)
    read = patches(top.whole("n_other_rows", minimum=0), ALWAYS if top.flag("resized", False) else NEVER)
    return with_axes(Other({}, read)).read(top) if turns else read(top)


VIT = AXIAL | {"head_dim": 64, "image_size": 224, "patch_size": 16, "n_other_rows": 1, "turns": False}
TIMM = {
    "timm_vit": Other(VIT, vit),
    "timm_convolutional": says("none", BY_CONVOLUTIONS),
    "timm_swin": SWIN.also(REFUSED, at_its_size, window_size=7, image_size=224, patch_size=4),
    "timm_swinv2": SWIN_2.also(REFUSED, at_its_size, window_size=7, image_size=224, patch_size=4),
}
