"""Which object of a configuration has the settings of the text, and as which type of model it is read."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from pe_core.models.classes import CLASSES, COMPOSITES
from pe_core.models.fields import MAX_LENGTH
from pe_core.models.guessing.alike import ALIKE, MAX_FACTOR, ntk_factor, without_own_rule
from pe_core.models.guessing.guesses import OF_ANOTHER, guessed, has_plain_attention, without_latent
from pe_core.models.guessing.level import Level
from pe_core.models.guessing.looks import by_fields, lowers
from pe_core.models.guessing.named import ROTARY, TURNS, mechanism
from pe_core.models.guessing.programs.classes import WITHOUT_TEXT
from pe_core.models.guessing.signs import by_own_names, of_a_table
from pe_core.models.kinds.built import ATTEND_THEMSELVES, LEVELS_OF
from pe_core.models.kinds.diffusers import DIFFUSERS
from pe_core.models.kinds.others import OTHERS
from pe_core.models.kinds.own_code import OWN_CODE
from pe_core.models.kinds.sizes import kept_sizes
from pe_core.models.kinds.timm import OF_TIMM, WRAPPERS, by_name, wrapped_side
from pe_core.models.names import CAMEL, LENGTH, MAX_NAME, canonical, first_class, has_sizes, renamed, sizes_of, without
from pe_core.models.reading import Json, is_whole, refuse, shown

LEVELS = ("text_config", "llm_config", "language_config", "lm_config", "thinker_config", "decoder")
BESIDE = ("vision_config", "audio_config", "encoder", "speech_config", "audio_encoder", "vision_encoder")
SURE = "This is a guess."
MAX_FIELDS = 10_000  # of which a guess is made
ENCODERS = ("albert", "bert", "camembert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta")
OF_CLASSES = re.compile(  # what follows the name of a type in the names of its classes
    "for|model|lm|encoder|decoder|pretrained|with|text|vision|audio|speech|mt|double|backbone|base|transformer|question|"
    "context|span|spade|vq|depth|sequence|token|hybrid|stack|hifigan|reader"
)
# The model of StyleTTS 2 and Kokoro that reads phonemes, whose vectors are as wide as its class has them.
BY_NAME: Mapping[str, Json] = {"plbert": {"model_type": "albert", "embedding_size": 128}}
# Types by which files of another model's code call it, its own field, and as which type they are read.
OF_ANOTHER_CODE = (("bert", "use_relative_position", "nezha"), ("gpt_neo", "rotary", "gptj"))
MAX_PARTS = 1000  # among which the one with sizes is looked for
INSIDE = re.compile(  # where settings of a run have those of the model
    r"^(?!.*(vision|visual|image|audio|speech|train|optim|data|token))"
    r"(.*_)?(model|cfg|config|hparams|hyper_?param(eter)?s|network|transformer|gpt|llm|architecture|thinker|text)(_.*)?$"
)
# Models of images of which the part that sees is read; others of their parts attend, too.
SEEN = "depth_anything mask2former maskformer oneformer rf_detr sam sam2 sam2_video sam3_tracker sam3_tracker_video "
SEEN += "pp_ocrv5_mobile_rec pp_ocrv5_server_rec pp_ocrv6_small_rec sam_hq slanet slanext upernet vitmatte vitpose "
SEEN += "zoedepth"
SMALL_DINO: Json = {"image_size": 518, "hidden_size": 384, "num_attention_heads": 6}
# What these give to the class of a part that their file leaves out.
FILLED_IN: Mapping[str, Json] = {
    **dict.fromkeys(("depth_anything", "prompt_depth_anything"), SMALL_DINO),
    "chmv2": {"image_size": 416, "hidden_size": 1024, "num_attention_heads": 16},
    "depth_pro": {"image_size": 384},
    "maskformer": {"image_size": 384, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32], "window_size": 12},
    "sam3": {"max_position_embeddings": 32, "hidden_size": 1024},
    "rf_detr": {**SMALL_DINO, "out_features": ["stage2", "stage5", "stage8", "stage11"]},
    "zoedepth": {"image_size": 384, "hidden_size": 1024, "num_attention_heads": 16, "use_relative_position_bias": True},
}
PARTS_ALIKE = {
    "dac_on_the_hub": "dac",
    "interns1_vision": "internvl_vision",
    "qwen2_5_vit": "qwen2_5_vl_vision",
    "qwen3_asr_audio_encoder": "qwen3_omni_moe_audio_encoder",
    "whisper": "whisper_encoder",
}
KINDS_BESIDE: Mapping[str, Mapping[str, str]] = {
    "Keye": {"vision_config": "siglip2_navit"},
    "KeyeVL1_5": {"vision_config": "siglip2_navit"},
    "chatglm": {"vision_config": "eva_clip"},
    "cogagent": {"vision_config": "eva_clip"},
    "cogvlm": {"vision_config": "eva_clip"},
    "dots_ocr": {"vision_config": "dots_vit"},
    "dpt": {"backbone_config": "bit"},  # of a hybrid
    "ernie4_5_moe_vl": {"vision_config": "ernie4_5_vl_moe_vision"},
    "EvollaModel": {"protein_encoder_config": "esm"},
    "evolla": {"protein_encoder_config": "esm"},
    "florence2": {"vision_config": "florence_vision"},
    "glmasr": {"whisper_config": "glmasr_encoder"},
    "internvl_chat": {"vision_config": "internvl_vision"},
    "minicpmo": {"vision_config": "idefics2_vision"},
    "minimax_m3_vl": {"vision_config": "minimax_m3_vl_vision"},  # whatever its file calls it
    "minicpmv": {"vision_config": "idefics2_vision"},
    "monkey": {"visual": "qwen_vision"},
    "pp_doclayout_v2": {"reading_order_config": "pp_doclayout_v2_reading_order"},
    "pp_chart2table": {"vision_config": "got_ocr2_vision"},
    "qwen": {"visual": "qwen_vision"},
    "step_robotics": {"vision_config": "step3p5_vision"},
    "step3p7": {"vision_config": "step3p5_vision"},  # whatever its file calls it
}


def level_of(given: Json, path: str = "", default: str | None = None) -> Level:
    """Return the object that has the settings of the text; `ConfigError` where it cannot be told."""
    kind = default if given.get("model_type") in (None, "") else given["model_type"]  # parts of SAM have ""
    if kind is not None and not isinstance(kind, str):
        refuse(f"{path}.model_type" if path else "model_type", "be a text", kind)
    if kind == "dpt" and isinstance(given.get("backbone_config"), dict) and not given.get("is_hybrid"):
        return level_of(given["backbone_config"], f"{path}.backbone_config" if path else "backbone_config")
    if (level := _of_its_type(given, kind)) is not None:
        return replace(level, path=path)
    known = COMPOSITES.get(kind or "", {})
    others = {} if kind in ALIKE else LEVELS_OF.get(kind or "", {})
    if first_class(given) in WITHOUT_TEXT:
        others = without(others, "text_config")
    names = [*(name for name in LEVELS if name in others), *known, *LEVELS]
    names.sort(key=lambda name: not isinstance(given.get(name), dict) or "model_type" not in given[name])
    for name in names:  # of two levels the one that says what its fields mean
        inside = f"{path}.{name}" if path else name
        if isinstance(given.get(name), dict) and inside.count(".") < len(LEVELS):
            strange = kind if kind not in (*COMPOSITES, *LEVELS_OF, *ALIKE) else None
            return level_of(given[name], inside, known.get(name, others.get(name, strange)))
        if given.get(name) is not None and name in known:
            refuse(inside, "be an object", given[name])
    if (left := _text_elsewhere(given, {**others, **known}, kind)) is not None:
        inside = f"{path}.{left}" if path else left
        text = level_of(given[left], inside)
        told = f"{inside} is read, because it has a width and heads. transformers 5.23 would not read it, but take "
        return replace(text, told=(f"{told}the defaults of {kind}. This is a guess.", *text.told))
    if known:  # older files of composite models have the fields of the text at the top
        kind, given = next(iter(known.values())), {**given, "model_type": next(iter(known.values()))}
        return Level(given, path, kind) if kind in CLASSES or kind in OTHERS else level_of(given, path)
    name = next((name for name in (*LEVELS, "vision_config", *others) if name in others), "")
    alone = name in LEVELS or kind in SEEN.split() or kind not in ATTEND_THEMSELVES  # no other part counts places
    if others and alone and by_fields(given) is None:
        inner = given.get(name)
        inside = f"{path}.{name}" if path else name
        if inner is not None and not isinstance(inner, dict):
            refuse(inside, "be an object", inner)
        if inner is None and name == "backbone_config" and isinstance(given.get("backbone"), str):
            refuse(inside, f"be given, because backbone only names another model ({shown(given['backbone'])})", None)
        if inside.count(".") < len(LEVELS):
            return level_of(inner or FILLED_IN.get(kind or "", {}), inside, others[name])
    named = next((name for name in OF_ANOTHER if isinstance(given.get(name), str)), None)
    if named and not has_sizes(given) and (heard := _known_beside(given)) is not None:
        part, own = heard
        told = f"{named} names the model of the text, which has a file of its own: {part} alone is read."
        return Level(given[part], f"{path}.{part}" if path else part, own, (told,))
    return _guess(given, path, kind)


def _known_beside(given: Json) -> tuple[str, str] | None:
    """Return the first part that sees or hears whose type is known, and that type."""
    parts = ((name, as_part(given[name].get("model_type"))) for name in BESIDE if isinstance(given.get(name), dict))
    known = (*CLASSES, *OTHERS, *OWN_CODE)
    return next(((name, kind) for name, kind in parts if isinstance(kind, str) and kind in known), None)


def as_part(kind: object) -> object:
    """Return as which type a part of this type is read: of Whisper a part is the encoder alone."""
    return PARTS_ALIKE.get(kind, kind) if isinstance(kind, str) else kind


def _of_its_type(given: Json, kind: str | None) -> Level | None:
    """Return the reading of fields of a known type as such, or as another one where its own code differs from it."""
    if kind in WRAPPERS:
        found = by_name(given.get("backbone", given.get("architecture")), wrapped_side(given))
        return Level(found, "", str(found["model_type"]), (OF_TIMM,))
    if kind is None:
        named = given.get("_class_name")
        told = f"{named} is a class of diffusers: it is read by what its code does in version 0.42.1."
        return Level(given, "", named, (told,)) if isinstance(named, str) and named in DIFFUSERS else None
    if kind in OTHERS:
        found = canonical(given)
        # a class of decoders, as which an encoder is read, sees both ways by this field
        both = {"is_causal": False} if kind in ENCODERS and not given.get("is_decoder") else {}
        jinas = "jinaai/" in str(given.get("auto_map"))  # whose code is known
        if kind not in ("bloom", "mpt") and "auto_map" in given and lowers(given):
            sizes = kept_sizes(given) | {"seq_length": found.get(LENGTH)}
            if jinas:
                told = f"{kind} has code of Jina's own here, with ALiBi: it is read as bloom, which has it, too."
                return Level(sizes | both, "", "bloom", (told,))
            return _taken("bloom", sizes | both, f"{kind} has code of its own, and a field of ALiBi")
        turns = jinas or any(map(TURNS.search, given))
        if kind != "esm" and given.get("position_embedding_type") in ROTARY and turns:
            turning = without(found, "position_embedding_type")
            if jinas:
                turning.setdefault("rope_theta", 10_000.0)
                told = f"{kind} has code of Jina's own here, which turns pairs of halves: it is read as llama."
                return Level(turning | both, "", "llama", (told,))
            return _taken("llama", turning | both, f"{kind} turns nothing in transformers, and this file has a base")
        if kind == "mpt" and isinstance(own := given.get("attn_config"), dict) and own.get("alibi") is False:
            return _without_alibi(given, own)
        if foreign(given, kind) and {"rope_theta", "hidden_size", "num_attention_heads"} <= found.keys():
            return _taken("llama", found, f"architectures names no class of {kind}, and this file has a base")
        for called, field, like in OF_ANOTHER_CODE:
            if kind == called and given.get(field) is True:
                told = f"{kind} of transformers does not read {field}: this file is read as {like}, which does. {SURE}"
                fields = without(found, "model_type", field)
                return Level(fields, "", like, (told,))
    if kind in OWN_CODE:
        told = f"{kind} is no type of transformers 5.23: it is read by what its own code does."
        return Level(given, "", kind, (told,))
    if has_plain_attention(given, kind):
        return _taken("llama", without_latent(given), f"use_mla is false, and no class of {kind} has plain attention")
    if kind == "gte":
        found, own_rule = without_own_rule(given)
        return Level(found, "", kind, own_rule, ntk=ntk_factor(given))
    if kind == "nomic_bert" and given.get("use_pos_embed") is True and "img_size" in given:
        told = "use_pos_embed is a field of Nomic's own code for images: it is read by what that code does."
        names = {"img_size": "image_size", "patch_size": "patch_size", "n_embd": "hidden_size"}
        turns = given.get("use_rotary_pos_emb") is True
        return Level({**renamed(given, names), "turns": turns}, "", "timm_vit", (told,))
    if kind == "aimv2" and "patch_size" in given:
        return _taken("aimv2_of_authors", given, "aimv2 has code of its own, and the sizes of an image at the top")
    if kind == "nomic_bert" and "n_embd" in given:
        return _of_nomic(given, kind)
    return Level(given, "", kind) if kind in CLASSES or kind in OTHERS else None


def _taken(kind: str, given: Json, why: str) -> Level:
    return Level(given, "", kind, (f"{why}: it is read as {kind}. This is a guess.",))


def _of_nomic(given: Json, kind: str) -> Level:
    told = "n_embd and others are names of that model's own code, read here by those of transformers: a guess."
    found = canonical(given)
    seen, factor = found.pop("max_trained_positions", None), found.pop("rotary_scaling_factor", None)
    if not is_whole(seen):
        return Level(found, "", kind, (told,))
    length = f"max_trained_positions {seen:,} is taken as the original length."
    grows = (
        f"rotary_scaling_factor {shown(factor)} is obeyed by that model's own code: beyond {seen:,} tokens the base "
    )
    rule = (
        ()
        if type(factor) not in (int, float) or not 1 <= factor <= MAX_FACTOR
        else (f"{grows}grows with the text, by dynamic NTK.",)
    )
    if not is_whole(found.get(LENGTH), seen + 1):  # it claims no more
        return Level(found, "", kind, (told, *rule))
    return Level(found, "", kind, (told, length, *rule), seen, dynamic=factor if rule else None)


def _text_elsewhere(given: Json, names: Mapping[str, str], kind: str | None) -> str | None:
    """Return the object that has the text of a composite model under a name that its class does not read."""
    if not names or any(isinstance(given.get(name), dict) for name in LEVELS) or has_sizes(given) or kind in ALIKE:
        return None
    left = (name for name, value in given.items() if name not in (*names, *BESIDE) and has_sizes(value))
    return next((name for name in left if given[name].get("model_type") in CLASSES), None)


def _without_alibi(given: Json, own: Json) -> Level:
    """Return what MPT's own code does without ALiBi: RoPE where it is asked for, else a table, or nothing."""
    length, found = given.get("max_seq_len", 2048), {"hidden_size": 2048, "num_attention_heads": 16, **canonical(given)}
    kind, read, why = "gpt2", kept_sizes(found) | {"n_positions": length}, "because of learned_pos_emb"
    if own.get("rope") is True:
        rope = {"rope_theta": own.get("rope_theta", 10_000), LENGTH: length}
        kind, read, why = "llama", found | rope, "because it has attn_config.rope"
    elif given.get("learned_pos_emb", True) is not True:
        kind, read, why = "esm", {"position_embedding_type": "none"}, "because learned_pos_emb is false"
    told = "attn_config.alibi is false: the class of transformers has ALiBi all the same, and the model's own code not."
    return Level(read, "", kind, (f"{told} It is read as {kind}, {why}. {SURE}",))


def foreign(given: Json, kind: str) -> str:
    """Return the class that `architectures` names where it is not called after this type; empty where it is."""
    name = first_class(given)
    words = [word for word in re.split("[-_]", kind) if word]
    whole, lower = "".join(words).lower(), name.lower()
    if lower.startswith(whole):  # behind the type stands what the model is for, or it is of another author
        rest = lower.removeprefix(whole)
        return "" if not rest or OF_CLASSES.match(rest) else name
    called = {words[0].rstrip("0123456789"), "".join(word[0] for word in words) if len(words) > 2 else words[0]}
    return "" if any(len(one) > 1 and one in lower for one in called) else name


def _guess(fields: Json, path: str, kind: str | None) -> Level:
    given = dict(islice(fields.items(), MAX_FIELDS))
    named = f"{kind[:MAX_NAME]} is not known here" if kind else "No model_type is given"
    if kind is None:
        given = _with_underscores(given)
        given = {name: _with_underscores(one) if isinstance(one, dict) else one for name, one in given.items()}
        attention = given.get("attn_config")
        if isinstance(attention, dict) and {"alibi", "attn_impl"} & attention.keys() and "d_model" in given:
            told = f"{named}: it is read as mpt, because it has attn_config. {SURE}"
            found = level_of({**given, "model_type": "mpt"}, path)
            return replace(found, told=(told, *found.told))
    ntk = ntk_factor(given)
    given, own = without_own_rule(given)
    inside = [name for name in given if len(name) <= MAX_NAME and INSIDE.match(name)]
    texts = [name for name in given if (name.endswith("_config") or name in inside) and _reads(given[name])]
    texts += [name for name in inside if has_sizes(given[name])]
    texts += ["encoder"] if has_sizes(given.get("encoder")) else []
    texts = texts or _alone(given)
    inner = next(iter(texts), None)
    if inner is not None and not has_sizes(given) and (kind not in ALIKE or inner == "llm_cfg"):
        told = f"{named}: its {inner} is read, because it has {sizes_of(given[inner])}. This is a guess."
        beside = [given, *(value for name, value in given.items() if name != inner and isinstance(value, dict))]
        told_beside = {name: one[name] for one in beside for name in one if mechanism(one, name)}
        more: tuple[str, ...] = ()
        length = canonical(given).get(LENGTH)
        if (
            is_whole(length, 1, MAX_LENGTH)
            and LENGTH not in canonical(given[inner])
            and "model_type" not in given[inner]
        ):
            told_beside[LENGTH] = length
            more = (f"Its length, {length:,} tokens, stands beside {inner}.",)
        settings = told_beside | BY_NAME.get(inner, {}) | given[inner]
        found = level_of(settings, f"{path}.{inner}" if path else inner, kind)
        return replace(found, told=(told, *more, *found.told))
    found = guessed(given, path, kind, named)
    seen, claimed = (found.given.get(name) for name in ("seq_length", LENGTH))
    if isinstance(seen, int) and isinstance(claimed, int) and 0 < seen < claimed and found.kind in CLASSES:
        own += (f"seq_length {seen:,} is taken as the original length, {LENGTH} {claimed:,} as the claimed one.",)
        rest = without(found.given, "seq_length")
        dynamic = 2.0 if fields.get("use_dynamic_ntk") is True else None  # of Qwen, which rounds the length up
        return replace(found, given=rest, told=(*found.told, *own), trained=seen, dynamic=dynamic)
    if isinstance(of_diffusers := fields.get("_class_name"), str):
        own += (f"_class_name names a class that is not read here: {shown(of_diffusers)}.",)
    return replace(found, told=(*found.told, *own), ntk=ntk)


def _with_underscores(given: Json) -> Json:
    """Return the fields by names as Python has them, of those of JavaScript, of a command line, or of yacs."""
    found = {}
    for name, value in given.items():
        words = name.lower() if name.isupper() else CAMEL.sub(lambda one: f"_{one[0].lower()}", name).replace("-", "_")
        found[name if words == "model_type" else words] = value
    return found


def _alone(given: Json) -> list[str]:
    """Return the object with the sizes of a model, whatever its name, where the fields around it have none.

    Of several none is taken, unless each says its type: then the first.
    """
    if has_sizes(given) or of_a_table(given) is not None or len(given) > MAX_PARTS:
        return []
    for holds in (_tells, _holds):
        inside = [name for name, one in given.items() if isinstance(one, dict) and holds(one)]
        if inside:
            typed = all(given[name].get("model_type") in (*CLASSES, *OTHERS) for name in inside)
            return inside[:1] if typed or len(inside) == 1 else []
    return []


def _holds(given: Json) -> bool:
    """Return whether one object inside this one has sizes of a model."""
    return sum(isinstance(one, dict) and _tells(one) for one in islice(given.values(), MAX_PARTS)) == 1


def _reads(value: object) -> bool:
    """Return whether an object has a vocabulary and heads, by the names of any code."""
    return isinstance(value, dict) and "vocab_size" in value and "num_attention_heads" in canonical(value)


def _tells(given: Json) -> bool:
    """Return whether an object has sizes of a model."""
    plain = _with_underscores(given)
    return has_sizes(plain) or of_a_table(plain) is not None or "ssm_cfg" in plain or by_own_names(plain) is not None
