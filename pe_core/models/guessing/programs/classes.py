"""What classes of transformers make of a file before they read it: objects that replace others, and parts that go."""

from pe_core.models.names import Told, first_class, without
from pe_core.models.reading import Json
from pe_core.models.turning.layers import BOTH_WAYS

# Types whose first releases wrote a part as `text_config_dict` and the like, which still counts.
OLDER = "altclip chinese_clip clip clipseg flava groupvit metaclip_2 xclip"
DICT = "_config_dict"
WITHOUT_TEXT = (
    "Blip2ForImageTextRetrieval", "Blip2TextModelWithProjection", "Blip2VisionModelWithProjection",
    "CLIPForImageClassification", "CLIPVisionModel", "CLIPVisionModelWithProjection", "MetaClip2ForImageClassification",
    "MetaClip2VisionModel", "MetaClip2VisionModelWithProjection", "Siglip2ForImageClassification",
    "Siglip2VisionModel", "SiglipForImageClassification", "SiglipVisionModel",
)  # fmt: skip
GTE = ("NewFor", "NewModel")  # classes of its own code
RENAMED = {  # by the type of the whole and that of the text in its file
    "exaone4_5 exaone4_5_text": "exaone4",
    "kimi_k25 kimi_k2": "deepseek_v3",
}


def of_classes(given: Json) -> tuple[Json, Told] | None:
    """Return the fields as a class of transformers takes them, and what is told of it; None where it changes none."""
    kind, text = given.get("model_type"), given.get("text_config")
    older = [name for name in given if name.endswith(DICT) and isinstance(given[name], dict)]
    if kind in OLDER.split() and older:
        rest = without(given, *older)
        parts = {name.removesuffix("_dict"): given[name] for name in older}
        told = tuple(
            f"{name}_dict is read in place of {name}, as its class does."
            for name, part in parts.items()
            if not isinstance(rest.get(name), dict) or not part.items() <= rest[name].items()
        )
        return {**rest, **parts}, told
    if kind == "new" and first_class(given).startswith(GTE):
        return {**given, "model_type": "gte"}, ("new is the type that files of GTE have: it is read as gte.",)
    if kind == "depth_pro" and given.get("use_fov_model") is not True and "fov_model_config" in given:
        return without(given, "fov_model_config"), ()
    if first_class(given) in WITHOUT_TEXT and "text_config" in given:
        return without(given, "text_config"), ()
    if kind == "blt" and isinstance(part := given.get("encoder_config"), dict):
        window = {"sliding_window": given.get("local_attention_window_len", 512)}
        return {**given, "encoder_config": {**part, **window}}, ()
    if kind == "t5gemma" and ("EncoderModel" in first_class(given) or given.get("is_encoder_decoder") is False):
        inner = given.get("encoder")
        part = inner if isinstance(inner, dict) else {}
        return {"is_causal": False, **part, "model_type": "t5_gemma_module"}, ()
    whole = given.get("vlm_config")
    if kind == "colpali" and isinstance(whole, dict) and whole.get("model_type") == "paligemma":
        part = whole.get("text_config")
        if isinstance(part, dict) and part.get(BOTH_WAYS) is None:  # which the class of the whole sets
            return {**given, "vlm_config": {**whole, "text_config": {**part, BOTH_WAYS: True}}}, ()
    if kind == "qwen3_asr" and isinstance(part := given.get("thinker_config"), dict):  # the first code of Qwen3-ASR
        return {**part, "model_type": kind}, ()
    if kind == "idefics" and given.get("use_resampler") is not True:
        return without(given, "perceiver_config"), ()
    if kind == "fuyu" and text is None:  # whose class hands this field on no more
        return without(given, "partial_rotary_factor"), ()
    if kind == "nougat" and isinstance(given.get("decoder"), dict):
        return {**given, "model_type": "vision-encoder-decoder"}, ()
    if isinstance(text, dict) and (named := RENAMED.get(f"{kind} {text.get('model_type')}")):
        return {**given, "text_config": {**text, "model_type": named}}, ()
    if kind == "paligemma" and isinstance(text, dict) and BOTH_WAYS in text:  # which its class sets, for the prompt
        return {**given, "text_config": without(text, BOTH_WAYS)}, ()
    return None
