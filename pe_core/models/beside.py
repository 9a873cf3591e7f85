"""What a configuration says beside its text: of parts that see or hear, and of parts that are only named."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from pe_core.models.classes import CLASSES, COMPOSITES
from pe_core.models.fields import Fields
from pe_core.models.guessing.alike import ALIKE
from pe_core.models.guessing.guesses import guessed
from pe_core.models.guessing.level import Level
from pe_core.models.guessing.levels import BESIDE, KINDS_BESIDE, MAX_FIELDS, as_part
from pe_core.models.guessing.named import TURNS
from pe_core.models.kinds.built import BUILT, LEVELS_OF
from pe_core.models.kinds.found import Other
from pe_core.models.kinds.others import OTHERS
from pe_core.models.kinds.own_code import by_model_name
from pe_core.models.kinds.sizes import SIZES, with_sizes
from pe_core.models.kinds.timm import WRAPPERS, by_name, without_places, wrapped_side
from pe_core.models.kinds.wholes import CUT_IN_PIECES, OPTION, WHOLES, WITHOUT_OPTION
from pe_core.models.names import has_sizes
from pe_core.models.one_level import READERS, read
from pe_core.models.reading import ConfigError, Json

SENSES = re.compile(
    "(vision|visual|vit|image|video|audio|speech)(_encoder|_tower|_model)?_(config|cfg)|img_processor|audio|multimodal"
)
ELSEWHERE = re.compile(  # a part by the name of another file
    "(mm_)?(vision|image|audio|speech)_(tower|encoder|model|backbone)"
    "(_name|_path|_name_or_path|_id|_aux_list|_(?!d?type|lr|config|cfg)[a-z0-9]{2,20})?|backbone"
)
PLACELESS = re.compile(  # settings that are no part which attends, or that are read with their model
    r"(attn|backbone|chronos|dual_chunk_attention|esmfold|ffn|generation|init\w*|lora|loss|moe|optim\w*|peft|"
    r"per_layer|pretrained|slice|sparse(_attention)?|ssm|task|test|train\w*|transformers\.js)_(config|cfg)"
)
WITHOUT_PLACES = re.compile("(adapter|aligner|projector|_head|gen_vision|attn|ffn)_(config|cfg)$")
ONLY_NAMED = "what {} does with positions: it is only named, and has a file of its own"
BY_NAME = "what the code of {} does: it is read by its name"
TOLD_WITH_WHOLE: Mapping[str, str] = {  # parts by name, and the types whose readers tell of them
    "backbone_config": "sam2_vision_model",
    "adaptor_config": "fun_asr_nano",
    "decoder_config": "fastspeech2_conformer maskformer",
    "encoder_config": "fastspeech2_conformer parakeet_ctc parakeet_tdt",
    "head_config": "nemotron3_diarization",
    "latent_attention_config": "nvembed",
    "mask_decoder_config": "edgetam edgetam_video sam3_tracker sam3_tracker_video",
    "per_layer_config": "diffusion_gemma_text dots3_note_text dots3_note_vision_encoder gemma4_text "
    "gemma4_unified_text",
    "perceiver_config": "llama",  # in files of SmolVLM, which no class reads
    "prompt_encoder_config": "edgetam edgetam_video sam3_tracker sam3_tracker_video",
    "sparse_attention_config": "minimax_m3 minimax_m3_vl_text",
    "streaming_config": "nemotron3_diarization",
}
# Types whose classes fill in a part with other sizes than those that the class of that part has.
SIZES_OF_THEIR_OWN = "aya_vision cohere2_vision cohere_asr depth_pro diffusion_gemma lighton_ocr llava llava_next "
SIZES_OF_THEIR_OWN += "llava_next_video llava_onevision lw_detr mistral3 mistral_large4 paligemma video_llava vipllava"
# Parts that a class does without where a file has none of them, or null.
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("embedding_gemma2", "gemma4", "gemma4_unified"), ("audio_config", "vision_config")),
    "nemotron_h_omni": ("audio_config",),
}
OF_DETECTOR = ("sam3_tracker_video", "vision_config")  # a part that is not built: what the detector saw is read
MAX_PARTS = 100  # of one level
MAX_FIELD = 100  # characters of a name that is looked at


@dataclass(frozen=True)
class Beside:
    """What one part does: a clause of the summary, what is not known of it, and warnings. Empty where there is none."""

    clause: str = ""
    unknown: str = ""
    warnings: tuple[str, ...] = ()


def parts_beside(whole: Json, found: Level, *, filled_in: bool) -> list[Beside]:
    """Return what each part beside that of the text does: those of images and of sound, and what is only named.

    Parts that a file leaves out are told as its class has them where they are `filled_in`.
    """
    inner, path, told = whole, "", _elsewhere(whole)
    for step in ["", *filter(None, found.path.split("."))]:
        inner = (inner.get(step) or {}) if step else inner
        path = ".".join(filter(None, (path, step)))
        kind = str(inner.get("model_type"))
        if kind in WHOLES:
            clause = _clause(WHOLES, kind, inner, f"{path}." if path else "", sure=kind in SIZES)
            told.append(Beside(f"{kind} {clause}" if clause else ""))
        names = _names(inner, kind)
        if len(names) > MAX_PARTS:
            told.append(Beside(unknown=f"what further parts do with positions: at most {MAX_PARTS} are read"))
        for name in names[:MAX_PARTS]:
            place = ".".join(filter(None, (path, name)))
            here = {**inner, name: {}} if filled_in and _fills_in(inner, kind, name) else inner
            if isinstance(here.get(name), dict) and not f"{found.path}.".startswith(f"{place}."):
                told += _told(here, kind, name, place)
    return told


def _fills_in(inner: Json, kind: str, name: str) -> bool:
    """Return whether a class fills in a part that its file leaves out, by the defaults of the class of that part."""
    known = LEVELS_OF.get(kind, {}).get(name) in READERS and kind not in (*ALIKE, *SIZES_OF_THEIR_OWN.split())
    elsewhere = "auto_map" in inner or (name == "backbone_config" and isinstance(inner.get("backbone"), str))
    at_top = kind in COMPOSITES and has_sizes(inner)  # the text of older files
    without = name == "text_config" or name in LEFT_OUT.get(kind, ())
    return known and inner.get(name) is None and not without and not elsewhere and not at_top


def _names(inner: Json, kind: str) -> list[str]:
    """Return the names that parts of a model of this type have, and those of further objects that look like parts."""
    some = dict(islice(inner.items(), MAX_FIELDS))
    others = [name for name, value in some.items() if isinstance(value, dict) and value]
    others = [name for name in others if name.endswith(("_config", "_cfg")) and not PLACELESS.fullmatch(name)]
    if kind not in (*CLASSES, *OTHERS, *LEVELS_OF):
        others += [
            name
            for name, value in some.items()
            if has_sizes(value) or (isinstance(value, dict) and (name == "backbone_config" or SENSES.fullmatch(name)))
        ]
    return list(dict.fromkeys((*BESIDE, *_usual(kind), *KINDS_BESIDE.get(kind, ()), *others)))


def _usual(kind: str) -> dict[str, str]:
    """Return the parts of a type by name, each with its own type, where they are not told of with the whole."""
    levels = LEVELS_OF.get(kind, {}).items()
    return {name: one for name, one in levels if kind not in TOLD_WITH_WHOLE.get(name, "").split()}


def _told(inner: Json, kind: str, name: str, place: str) -> list[Beside]:
    """Return what a part of a model of this type does, and what the model does to images of another size than its."""
    return [_of_one_size(one, kind) for one in _beside(inner, kind, name, place)]


def _of_one_size(told: Beside, kind: str) -> Beside:
    """Return the same with what a whole of this type does to images of another size, where it cannot ask for them."""
    if kind not in WITHOUT_OPTION or OPTION not in told.clause:
        return told
    cut = "; images are cut into pieces that fit" if kind in CUT_IN_PIECES else ""
    return replace(told, clause=f"{told.clause}; {kind} cannot ask for that, and takes no other number of patches{cut}")


def _beside(inner: Json, kind: str, name: str, place: str) -> list[Beside]:
    """Return what the part `name` of a model of type `kind` does, which stands at `place`."""
    part, usual = inner[name], _usual(kind)
    if inner.get(f"skip_{name.partition('_')[0]}_tower") is True:  # of Higgs Audio
        return [Beside(unknown=f"what {place} does: the model is built without it")]
    if kind in TOLD_WITH_WHOLE.get(name, "").split():
        return []
    if kind in LEVELS_OF and name not in (*BESIDE, *usual, *KINDS_BESIDE.get(kind, ())):
        return [Beside(unknown=f"what {place} does with positions: no class of transformers reads it")]
    own = part.get("model_type") or usual.get(name)
    own = usual.get(name) if own == kind else own  # files of Qwen2.5-VL name the type of the whole
    own = KINDS_BESIDE.get(kind, {}).get(name, as_part(own) if isinstance(own, str) else None)
    if own in WRAPPERS:
        return [_wrapped(part, place)]
    if own not in (*READERS, *CLASSES):
        part = by_model_name(part)
        own = named if isinstance(named := part.get("model_type"), str) else own
    inside = LEVELS_OF.get(str(own), {})
    name = "vision_config" if name == "vision_encoder" else name  # of Surya: qwen2_5_vl
    if name in inside and has_sizes(part) and not inside.keys() & part.keys():
        own, inside = inside[name], {}  # a part under the type of a pair, as of MiniCPM-V: siglip
    levels = [key for key in inside if isinstance(part.get(key, {}), dict)]
    parts = [key for key in levels if (own, key) != OF_DETECTOR and own not in TOLD_WITH_WHOLE.get(key, "").split()]
    if own in OTHERS or own in CLASSES:  # a part that attends itself, and has parts
        told = [_within(part, str(own), key, place) for key in parts if key != "backbone_config"]
        return [*chain.from_iterable(told), _part(part, place, own)]
    if levels:
        return _around_parts(part, str(own), parts, place)
    inside_whole = kind in WHOLES and name in usual and own not in READERS
    return [] if inside_whole else [_part(part, place, own)]


def _within(part: Json, own: str, key: str, place: str) -> list[Beside]:
    """Return what the part `key` of a part of type `own` does."""
    return _told({**part, key: part.get(key, {})}, own, key, f"{place}.{key}")


def _around_parts(part: Json, own: str, parts: list[str], place: str) -> list[Beside]:
    """Return what a part does that is an encoder around others, and what these do."""
    told = []
    if own in WHOLES:
        told.append(Beside(f"{place} ({own}) {_clause(WHOLES, own, part, f'{place}.', sure=True)}"))
    for key in parts:
        usual, one = LEVELS_OF[own][key], part.get(key, {})
        if usual in LEVELS_OF:
            told += _within(part, own, key, place)
        else:
            seen = _part(one, f"{place}.{key}", one.get("model_type"), usual)
            told.append(_of_one_size(seen, own))
    if own not in WHOLES and any(map(TURNS.search, part)):  # it attends itself, too
        told.append(_guessed_part(part, place, own))
    return told


def _wrapped(part: Json, place: str) -> Beside:
    """Return what a model of timm does that a class of transformers wraps, by its name alone."""
    name = part.get("backbone") or part.get("architecture")
    try:
        return Beside(_by_timm(place, str(name), wrapped_side(part)))
    except ConfigError:
        return Beside(unknown=ONLY_NAMED.format(place))


def _elsewhere(whole: Json) -> list[Beside]:
    """Return what is not known of parts that are only named, as those that see are by the first code of LLaVA."""
    found = []
    for name, value in whole.items():
        if name == "timm_model_ids" and isinstance(value, list) and isinstance(sides := whole.get("image_sizes"), list):
            found += [_tower(name, one, side) for one, side in zip(value[:MAX_PARTS], sides, strict=False)]
            continue  # of OpenVLA
        if isinstance(value, list) and all(isinstance(one, str) for one in value[:1]):
            value = ", ".join(map(str, value[:MAX_PARTS]))
        if not value or not isinstance(value, str) or len(name) > MAX_FIELD or not ELSEWHERE.fullmatch(name):
            continue
        if name == "vision_backbone_id" and "timm_model_ids" in whole:
            continue  # the name of just those towers
        if name == "vision_model_name_or_path" and isinstance(whole.get("vision_config"), dict):
            continue  # of TinyLLaVA, which has the fields of this tower in the file
        if name == "backbone" and isinstance(whole.get("backbone_config"), dict):
            continue
        if without_places(value) and name != "backbone":
            continue
        unknown, named = ONLY_NAMED.format(name), value[:MAX_FIELD]
        if name == "backbone":
            own = whole.get("backbone_kwargs")
            side = own.get("img_size") if isinstance(own, dict) else None
            told = _by_timm(name, named, side) if named.startswith("swin") or without_places(named) else ""
            found.append(Beside(told, "" if told else unknown))
        else:
            told = _by_its_name(name, named)
            tower = Beside(told, BY_NAME.format(name) if told else unknown)
            found.append(_of_one_size(tower, str(whole.get("model_type"))))
    return found


def _tower(field: str, name: object, side: object) -> Beside:
    """Return what one of several towers of timm does, by its name alone, for images of `side` pixels."""
    try:
        return Beside(_by_timm(field, str(name), side), BY_NAME.format(field))
    except ConfigError:
        return Beside(unknown=ONLY_NAMED.format(field))


def _by_its_name(field: str, value: str) -> str:
    """Return a clause on the table of a CLIP or SigLIP that is only named, by the sizes in its name, else nothing."""
    given = by_model_name({"model_name": value})
    if "model_type" not in given:
        return ""
    kind = given["model_type"].replace("siglip_vit", "siglip_vision_model")
    try:
        return f"{field} ({value.rpartition('/')[2]}) {_clause(READERS, kind, given, '', sure=False)}"
    except ConfigError:  # of a name with patches of 0 pixels
        return ""


def _by_timm(field: str, value: str, side: Any) -> str:
    """Return a clause on what an architecture of timm does, by its name; `ConfigError` where it is not known."""
    given = by_name(value, side)
    return f"{field} ({value}) {_clause(READERS, str(given['model_type']), given, '', sure=True)}"


def _clause(readers: Mapping[str, Other], kind: str, given: Json, path: str, *, sure: bool) -> str:
    """Return what fields at a path say, read as those of this type."""
    fields = Fields(given, readers[kind].defaults, path)
    return with_sizes(readers[kind].read(fields), kind, fields, sure=sure).clause


def _part(part: Json, place: str, *kinds: object) -> Beside:
    """Return what a part of the first of these types that is known does, else what its fields look like."""
    kind = next((one for one in kinds if isinstance(one, str) and (one in READERS or one in CLASSES)), None)
    if kind is None and WITHOUT_PLACES.search(place):
        return Beside()
    if kind is None:
        return _guessed_part(part, place, next((one for one in kinds if isinstance(one, str)), None))
    sure = kind == part.get("model_type", kind)
    found = read(kind, place, part, sure=sure)
    own = tuple(line for line in found.warnings if f"{place}." in line)  # others would not tell of which part they are
    if kind not in READERS:
        return Beside(found.summary.removesuffix("."), warnings=own)
    clause = found.summary.removesuffix(".").removeprefix(f"{kind} ")
    built = f"what the code of {place} does: its parts are seen, and what they are for is a guess"
    return Beside(f"{place} ({kind}) {clause}", built if kind in BUILT else "", own)


def _guessed_part(part: Json, place: str, kind: str | None) -> Beside:
    """Return what a part of a type that is not known turns, where it has fields of RoPE, and that this is a guess."""
    not_known = Beside(unknown=f"what {place} does with positions: its type is not known here")
    part = dict(islice(part.items(), MAX_FIELDS))
    if not any(map(TURNS.search, part)):
        return not_known
    try:
        found = guessed(part, place, kind, place)
        if found.kind not in CLASSES and kind not in ALIKE:
            return not_known
        told = read(found.kind, place, found.given, sure=False).summary.removesuffix(".")
        if found.kind not in CLASSES:
            told = f"{place} ({found.kind}) {told.removeprefix(f'{found.kind} ')}"
    except ConfigError:
        return not_known
    return Beside(told, f"what the code of {place} does: it is read as {found.kind}, which is a guess")
