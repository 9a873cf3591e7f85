"""How wide vectors of positions are, how many heads have biases or slopes, and by which base sinusoids are made.

The names and defaults of the fields lie in `sizes.json`, which `python -m tests.models.make_sizes` writes: it builds
each class without memory, and looks which field the width of its tables is.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pe_core.models.fields import Fields
from pe_core.models.kinds.built import BUILT
from pe_core.models.kinds.found import Found
from pe_core.models.kinds.images import MAX_LISTED, is_size
from pe_core.models.names import canonical
from pe_core.models.reading import facts

VECTORS = re.compile(r"(learned|fixed) (vector|table)s?\b(?! of (distances|offsets))|sinusoid")
TOLD = re.compile("[^;]* channels wide")  # in the first clause
BASE, BIAS = re.compile(r"\bbases?\b"), re.compile(r"\bbias(es)?\b")
OLD_BASE = 10_000  # of all sinusoids whose class has no field of it
USUAL = {"width": "hidden_size", "heads": "num_attention_heads"}  # the names of `canonical`


WIDTHS: Mapping[tuple[str, int | None], str] = {  # of parts with code of their own, and of what is around parts
    ("hidden_size", None): "timm_vit timm_convit timm_pit timm_tnt timm_vitamin timm_volo timm_xcit clip_resnet "
    "minicpmo minicpmv",
    ("hidden_size", 640): "rnafm",
    ("hidden_size", 768): "graphormer open_clip_vision speecht5 tvlt tvp",
    ("hidden_size", 1024): "aimv2_of_authors cohere_asr eomt intern_vit_300m intern_vit_6b jina_clip_vision "
    "molmo_vision mplug_owl_vision_model parler_tts_decoder videomt",
    ("hidden_size", 1152): "siglip2_navit moonvit",
    ("hidden_size", 1536): "gemma3n_audio",
    ("hidden_size", 1792): "step3_vision_encoder eva_clip",
    ("mm_embed_dim", 3840): "gemma4_unified_vision",
    ("hidden_dim", 256): "mask2former oneformer",
    ("encoder_hidden_dim", 256): "rt_detr rt_detr_v2 d_fine pp_doclayout_v2 pp_doclayout_v3 pp_doclayout_v4 deimv2",
    ("hidden_size", 256): "sam3_detr_encoder sam3_lite_text_detr_encoder sam3_geometry_encoder "
    "sam3_lite_text_geometry_encoder",
    ("d_model", 256): "lw_detr speech_to_text_2",
    ("hidden_size", 512): "pp_doclayout_v2_reading_order",
    ("hidden_dimension", 1024): "nougat",
    ("encoder_embed_dim", 512): "IndicTrans",
    ("d_model", None): "nemo_encoder",
    ("d_model", 1280): "higgs_audio_encoder",
    ("width", None): "siglip_vit",
    ("output_size", 256): "espnet",
    ("gpt_n_model_channels", 1024): "xtts",
}
KEPT: Mapping[str, Mapping[str, Any]] = facts("sizes.json")["sizes"]
SIZES: Mapping[str, Mapping[str, Any]] = {
    **KEPT,
    **{kind: {"width": [[name], size]} for (name, size), kinds in WIDTHS.items() for kind in kinds.split()},
    "whisper_encoder": KEPT["whisper"],
    **{f"timm_{kind}": KEPT[kind] for kind in ("beit", "hiera", "swin", "swinv2")},
    "timm_samvit": KEPT["sam_vision_model"],
    **{
        f"timm_{kind}": {"heads": [["num_heads"], None]}
        for kind in ("efficientvit", "gcvit", "maxvit", "relpos", "tiny_vit")
    },
    "step3p5_vision": {"width": [["width", "hidden_size"], 1536]},
    "levit": {"heads": [["num_attention_heads"], [4, 8, 12]]},
    "falcon": {"heads": [["num_attention_heads", "n_head"], 71]},
}


def sizes(found: Found, kind: str, top: Fields, *, sure: bool) -> str:
    """Return clauses on the width of its vectors, the base of its sinusoids and the heads of its biases.

    Each begins with "; ". Defaults of the class count where it is `sure` that the file is of that class.
    """
    told = []
    known = TOLD.match(found.clause)
    if not known and VECTORS.search(found.clause) and is_size(width := _size(kind, "width", top, sure)):
        told.append(f"; its vectors of positions have {width:,} channels")
    if "sinusoid" in found.clause and not BASE.search(found.clause) and " as sinusoids" not in found.clause:
        told.append(f"; the base of its sinusoids is {OLD_BASE:,}" if kind not in BUILT else "")
    if found.mechanism in ("alibi", "buckets") or BIAS.search(found.clause):
        told.append(_heads(_size(kind, "heads", top, sure), "a slope" if found.mechanism == "alibi" else "biases"))
    return "".join(told)


def with_sizes(found: Found, kind: str, top: Fields, *, sure: bool) -> Found:
    """Return the same with the clauses of `sizes` behind its own."""
    return replace(found, clause=found.clause + sizes(found, kind, top, sure=sure))


def _heads(heads: object, what: str) -> str:
    if is_size(heads):
        return f"; each of its {heads:,} heads has {what} of its own"
    if isinstance(heads, list) and 0 < len(heads) <= MAX_LISTED and all(map(is_size, heads)):
        return f"; each head has biases of its own, and the stages have {', '.join(map(str, heads))} heads"
    return ""


def _size(kind: str, what: str, top: Fields, sure: bool) -> Any:
    """Return a size by the field that the class of this type has for it; None where it is not known."""
    names, default = SIZES.get(kind, {}).get(what, ((), None))
    if sure:
        name = next((name for name in names if top.says(name)), next(iter(names), None))
        return None if name is None else top.value(name, default)
    found = canonical(dict(top.given))
    return next((found[name] for name in (*names, USUAL[what]) if name in found), None)


def kept_sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return width and heads, by the names of any code, under those of `USUAL`."""
    found = canonical(dict(given))
    return {name: found[name] for name in USUAL.values() if name in found}
