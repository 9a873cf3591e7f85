"""As which type a configuration is read that has none, or one that is not known here.

It is read as another type where `architectures` names its class, or where it is known to be alike, or where the fields
look like it. Such a reading is a guess, and is told as one.
"""

import re
from dataclasses import replace
from difflib import get_close_matches

from pe_core.models.classes import CLASSES, COMPOSITES, PREFIXES
from pe_core.models.guessing.alike import ALIKE, LLAMAS, by_names_here, obeyed
from pe_core.models.guessing.by_mechanism import by_fairseq, by_name, by_table, by_uer
from pe_core.models.guessing.level import Level, like
from pe_core.models.guessing.looks import by_looks
from pe_core.models.guessing.named import NAMED, ROTARY
from pe_core.models.guessing.rotary_fields import by_base_alone, by_rotary_fields, by_two_bases
from pe_core.models.kinds.built import LEVELS_OF
from pe_core.models.kinds.others import OTHERS
from pe_core.models.names import LENGTH, MAX_NAME, SYNONYMS, canonical, first_class, has_sizes, without
from pe_core.models.reading import ConfigError, Json, shown
from pe_core.models.unread import speaks

LATENT = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "head_dim")  # of attention that use_mla switches off
# Fields by which a file only names the model that reads the text.
OF_ANOTHER = ("text_model_id", "llm_model_id", "text_model_name_or_path", "llm_model_name_or_path", "llm_path")
# Other files of a model, by fields that no config.json without a type and sizes has.
FILES_BESIDE = (
    ("tokenizer_config.json", {"tokenizer_class"}),
    ("tokenizer.json", {"added_tokens", "pre_tokenizer"}),
    ("preprocessor_config.json", {"image_processor_type"}),
    ("preprocessor_config.json", {"feature_extractor_type"}),
    ("processor_config.json", {"processor_class"}),
    ("model.safetensors.index.json", {"weight_map"}),
    ("sentence_bert_config.json", {"max_seq_length", "do_lower_case"}),
    ("generation_config.json", {"eos_token_id", "transformers_version"}),
)
# What a name of a size has behind that of a type. A number alone is none: Phi-3 is no Phi.
SIZE = re.compile(r"b\d[\d.]*|\d[\d.]*[bmk]|tiny|mini|small|base|medium|large|xl|xxl|cased|uncased|chat|instruct|hf")
# Texts in the names of classes of other authors, as LLaVA has them.
TEXTS = {"Gemma": "gemma", "Llama": "llama", "Mistral": "mistral", "Mixtral": "mixtral", "Phi": "phi", "Phi3": "phi3"}
TEXTS |= {"Qwen": "qwen2", "Qwen2": "qwen2", "Qwen3": "qwen3", "StableLM": "stablelm"}
AROUND_A_TEXT = re.compile(f"[a-z0-9]({'|'.join(TEXTS)})ForCausalLM$")
TABLED = ("Albert", "Bart", "Bert", "DistilBert", "Electra", "MPNet", "OPT", "Roberta", "T5", "ViT")
# Names of classes that have no RoPE, and of the own code of GTE.
OF_TABLES = {name: name.lower() for name in TABLED} | {"New": "gte", "XLMRoberta": "xlm-roberta"}


def guessed(given: Json, path: str, kind: str | None, named: str) -> Level:
    """Return the reading of fields whose type is not known; `ConfigError` where nothing tells.

    `named` begins the sentence that tells of the guess.
    """
    level = _guessed(given, kind)
    first, *more = level.told
    return replace(level, path=path, told=(f"{named}: {first}" if first.startswith("it is") else first, *more))


def has_plain_attention(given: Json, kind: str) -> bool:
    """Return whether a file of a class with latent attention switches it off, which only its own code obeys."""
    return kind in CLASSES and CLASSES[kind].copies_rope_head_dim and given.get("use_mla") is False


def without_latent(given: Json) -> Json:
    """Return the fields without those of latent attention."""
    return without(given, *LATENT)


def _guessed(given: Json, kind: str | None) -> Level:
    if kind and "bidir" in kind[:MAX_NAME] and given.get("is_causal") is None:
        both = without(given, "sliding_window") | {"is_causal": False}
        level = _guessed(both, kind)
        told = f"{kind[:MAX_NAME]} is called bidirectional: a token is taken to see those after it, too, and no window."
        return replace(level, given={"sliding_window": None, **level.given}, told=(*level.told, told))
    another, architecture = _architecture(given)
    if another is not None and has_plain_attention(given, another):
        return like("llama", without_latent(given), f"architectures names {architecture}, and use_mla is false")
    if another is not None:
        return like(another, by_names_here(given, kind), f"architectures names {architecture}")
    if kind == "transformer" and (by_author := by_name(given)) is not None:
        return by_author
    if kind is not None and kind in ALIKE and not (kind == "transformer" and "hidden_size" not in given):
        return _alike(given, kind)
    if (around := AROUND_A_TEXT.search(architecture)) and has_sizes(given):
        return like(TEXTS[around[1]], by_names_here(given, kind), f"architectures names {architecture}")
    if kind is not None and (family := _family(kind)) is not None:
        told = f"it is read as {family}, of which it names a size. This is a guess."
        return Level(canonical(given), "", family, (told,))
    words = re.split("[^a-z]+", kind[:MAX_NAME].lower()) if kind else []
    if any(word in ROTARY for word in words) and has_sizes(given):
        turning = by_rotary_fields(given, "")
        told = f"it is read as {turning.kind}, because its name has RoPE. This is a guess."
        return replace(turning, told=(told, *turning.told[1:]))
    for reader in (by_two_bases, by_fairseq, by_uer, by_name, by_looks, by_base_alone, by_table):
        if (level_or_none := reader(given)) is not None:
            return level_or_none
    raise _not_known(given, kind)


def _not_known(given: Json, kind: str | None) -> ConfigError:
    """Return what is wrong with fields of which nothing tells a type."""
    found = canonical(given)
    hint = "; its fields look like those of RoPE, which is a guess" if "rope_theta" in found else ""
    if not kind:
        if "peft_type" in given or "base_model_name_or_path" in given:
            hint = f"; it belongs to a base model, which decides: {shown(given.get('base_model_name_or_path'))}"
        elif (other := _other_file(given)) is not None:
            hint = f"; these are fields of {other}, and what a model does with positions stands in its config.json"
        elif "_class_name" in given:
            hint = f"; _class_name names a class of diffusers, which is not read here: {shown(given['_class_name'])}"
        elif not hint and "hidden_size" in found and "num_attention_heads" in found:
            hint = f"; it has the sizes of a transformer, and {_what_tells(given)}"
        return ConfigError(f"model_type must be given, because it decides what the fields mean, got nothing{hint}")
    known = [*CLASSES, *OTHERS, *COMPOSITES, *ALIKE]
    near = get_close_matches(kind[:MAX_NAME], known, n=3) or [one for one in known if one == kind.lower()]
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    another = next((name for name in OF_ANOTHER if isinstance(given.get(name), str)), None)
    hint = f"; {another} names the model that decides, {shown(given[another])}" if another else hint
    return ConfigError(
        f"model_type must be one of the {len(known)} that are known here{meant}, got {shown(kind)}{hint}"
    )


def _other_file(given: Json) -> str | None:
    """Return which file that lies beside a config.json this one looks like, None where it has sizes of a model."""
    if canonical(given).keys() & {"hidden_size", "num_attention_heads", "vocab_size", "architectures"}:
        return None
    return next((file for file, names in FILES_BESIDE if given.keys() >= names), None)


def _what_tells(given: Json) -> str:
    """Return which field speaks of positions without telling what the code does, or that none does."""
    lengths = (LENGTH, *SYNONYMS[LENGTH])
    others = (name for name, value in given.items() if name not in lengths and value not in (None, False, [], {}))
    name = next((name for name in others if speaks(name) or NAMED.fullmatch(name[:MAX_NAME])), None)
    if name is None:
        return "no field tells what it does with positions"
    return f"{name[:MAX_NAME]} alone does not tell what it does with positions"


def _family(kind: str) -> str | None:
    """Return the type with whose name that of a model begins, where the rest is a size."""
    words = re.split("[-_]", kind.lower()[:MAX_NAME])
    for count in range(len(words) - 1, 0, -1):
        named = (sign.join(words[:count]) for sign in "-_")
        family = next((one for one in named if one in CLASSES or one in OTHERS), None)
        if family is not None:
            return family if all(map(SIZE.fullmatch, words[count:])) else None
    return None


def _architecture(given: Json) -> tuple[str | None, str]:
    """Return the type whose class `architectures` names, and that name."""
    name = first_class(given)
    fits = [prefix for prefix in PREFIXES if name in {f"{prefix}{end}" for end in ("Model", "LMHeadModel")}]
    fits += [prefix for prefix in PREFIXES if name.startswith(f"{prefix}For")]
    table = next(
        (kind for prefix, kind in OF_TABLES.items() if name.startswith((f"{prefix}For", f"{prefix}Model"))), ""
    )
    if table and not fits:
        return table, name[:MAX_NAME]
    return (PREFIXES[fits[0]] if fits else None), name[:MAX_NAME]


def _alike(given: Json, kind: str) -> Level:
    found = by_names_here(given, kind)
    another = "bloom" if found.get("alibi") is True else ALIKE[kind]
    if kind == "chatglm" and given.get("position_encoding_2d"):  # the first version, with pairs of halves
        another, found = "stablelm", {**found, "partial_rotary_factor": 0.5}
    another = "llama" if found.pop("rope_embeddings", False) is True else another
    why = f"{kind} has no text_config: " if kind in LEVELS_OF else ""
    told = f"{why}it is read as {another}, whose positions are like its own. This is a guess."
    if kind in (*LLAMAS, "fuyu"):  # types of transformers itself, whose text has the class of another one
        told = f"transformers 5.23 reads {kind} with the classes of {another}."
    return Level(found, "", another, (told, *obeyed(found)))
