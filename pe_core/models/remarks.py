"""What is told of a file beside its parts: code of another class, points in time, tokens that see what follows them."""

from collections.abc import Iterator, Mapping

from pe_core.models.classes import CLASSES
from pe_core.models.fields import Fields
from pe_core.models.guessing.alike import ALIKE
from pe_core.models.guessing.level import Level
from pe_core.models.guessing.levels import foreign
from pe_core.models.kinds.own_code import OWN_CODE
from pe_core.models.reading import Json, is_whole, shown
from pe_core.models.turning.query_factor import REMARKS, remarks

PER_SECOND = "position_id_per_seconds"  # of Qwen2.5-Omni and Qwen3-Omni
BOTH_WAYS: Mapping[str, str] = {  # which tokens see what follows them, by the code of a type
    "gemma3": "one image",
    "git": "the image",
    "molmo2": "images",
    "paligemma": "the image and the prompt",
}
OF_GEMMA_4 = ("gemma4", "gemma4_unified")
OF_SERIES = ("patch_length", "input_token_len")  # of TimesFM and of Timer


def of_whole(whole: Json, found: Level) -> Iterator[str]:
    """Yield what is told of a whole file, of which a level was read."""
    strange = foreign(whole, found.kind)
    built_in = whole.get("model_type") == found.kind and found.kind not in OWN_CODE
    if strange and not found.path and "auto_map" not in whole and built_in:
        why = "this is what the built-in class would do"
        yield f"architectures names {shown(strange)}, no class of {found.kind}: {why}."
    yield from _of_points(whole)
    yield from _of_images(whole)
    for name, part in whole.items():
        if isinstance(part, dict) and PER_SECOND in part:
            places = f"{shown(part[PER_SECOND])} places of time ({name}.{PER_SECOND})"
            yield f"A second of sound or film takes {places}."
    size = next((whole[name] for name in OF_SERIES if type(whole.get(name)) is int), None)
    if size and found.kind in CLASSES:
        yield f"A position is a patch of {size:,} points in time."


def of_alike(found: Level) -> tuple[str, ...]:
    """Return what the code of a type does that is read as another one, and no field tells."""
    kind = found.given.get("model_type")
    return tuple(remarks(kind, Fields(found.given, {}, ""))) if isinstance(kind, str) and kind in ALIKE else ()


def _of_points(whole: Json) -> Iterator[str]:
    """Yield how many points in time a model of Chronos reads."""
    points = whole.get("chronos_config")
    if isinstance(points, dict) and is_whole(length := points.get("context_length"), 0):
        size = points.get("input_patch_size")
        seen = f", {size:,} of them as one patch" if isinstance(size, int) else ""
        yield f"chronos_config says how many points in time its own code reads: {length:,}{seen}."


def _of_images(whole: Json) -> Iterator[str]:
    """Yield which tokens of an image see those behind them, too, and what else is told of these tokens."""
    kind, text = whole.get("model_type"), whole.get("text_config")
    if isinstance(kind, str) and kind in BOTH_WAYS and "vision_config" in whole:
        yield f"Tokens of {BOTH_WAYS[kind]} see each other, those behind them, too."
    if kind in OF_GEMMA_4 and isinstance(text, dict) and text.get("use_bidirectional_attention") == "vision":
        yield "In layers with a window tokens of one image see each other, those behind them, too."
    if kind == "chatglm" and isinstance(whole.get("vision_config"), dict):  # GLM-4V
        yield from REMARKS["cogvlm"]
