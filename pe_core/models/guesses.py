"""As which type a configuration is read that has none, or one that is not known here.

It is read as another type where `architectures` names its class, or where it is known to be alike, or where the fields
look like it. Such a reading is a guess, and is told as one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from pe_core.models.alike import ALIKE, LLAMAS, by_names_here, obeyed
from pe_core.models.built import LEVELS_OF
from pe_core.models.classes import CLASSES, COMPOSITES, PREFIXES
from pe_core.models.layers import MAX_LAYERS
from pe_core.models.names import LENGTH, MAX_NAME, SYNONYMS, canonical, first_class, has_sizes
from pe_core.models.others import OTHERS
from pe_core.models.reading import ConfigError, Json, shown
from pe_core.models.signs import by_own_names, in_its_names, of_a_table, of_the_tutorial
from pe_core.models.sizes import kept_sizes
from pe_core.models.unread import speaks

TURNS = re.compile("rope|rotary|alibi")
FLAGS = ("rope", "rotary", "use_rope", "use_rotary", "rope_embeddings", "use_rotary_embeddings")
ROTARY = ("rope", "rotary")  # position_embedding_type of models that turn; ESM, which obeys it, has no field of a base
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
# Flags of other code that say the same.
FLAGGED: Mapping[str, re.Pattern[str]] = {
    "llama": re.compile("^(?!no_|disable_).*(?<![a-z])(rope|rotary)(?![a-z])"),
    "bloom": re.compile("^(?!no_|disable_).*(?<![a-z])alibi(?![a-z])"),
    "gpt2": re.compile("learn[a-z]*_(abs|pe|pos)|pos[a-z_]*_learn"),
    "ctrl": re.compile("^(?!no_|disable_).*sinusoid"),
}
OF_PARTS = re.compile("video|vision|visual|image|audio|[23]d")  # flags of parts beside the text, and of their axes
# Fields that tell which layers have attention, or which turn, in the code of a model alone.
OF_LAYERS = re.compile(
    r"^(ssm|mamba|rwkv|linear_attn|recurrent)_|hybrid_|attn_(layer|type|every)|layer_pattern|layers?_block_type|"
    r"^block_types|mixer_type|attention_(layers|pattern|types)|^nope_|"
    r"^layer_group_size$|^full_att(ention|n)_(interval|idx)"
)
# Pairs of bases that other code has, of layers that see all tokens and of those with a window, and how often the
# first kind comes.
OF_MODERNBERT = ("global_rope_theta", "local_rope_theta")
TWO_BASES = (
    ("rope_theta_global", "rope_theta_local"),
    ("rope_base_global", "rope_base_local"),
    OF_MODERNBERT,
    ("rope_base", "rope_local_base"),
)
EVERY = ("sliding_window_pattern", "global_attn_every_n", "global_attn_every_n_layers")
# Fields in which other code names its positions, and the type of transformers with such ones.
NAMED = re.compile(r"pe|(pos|position|positional)(_?(enc|emb)[a-z]*)?(_(type|kind|method))?")
MECHANISMS: Mapping[str, str] = {
    **dict.fromkeys(("rope", "rotary"), "llama"),
    "alibi": "bloom",
    **dict.fromkeys(("none", "nope"), "esm"),
    **dict.fromkeys(("learned", "learnable", "learned_absolute"), "gpt2"),
    **dict.fromkeys(("sinusoidal", "sinusoid", "sine", "sin", "sincos"), "ctrl"),
}
IN_UER: Mapping[str, str] = {"pos": "gpt2", "sinusoidalpos": "ctrl"}  # the vectors of positions of UER
# What a name of a size has behind that of a type. A number alone is none: Phi-3 is no Phi.
SIZE = re.compile(r"b\d[\d.]*|\d[\d.]*[bmk]|tiny|mini|small|base|medium|large|xl|xxl|cased|uncased|chat|instruct|hf")
FILLING = re.compile("pos|pe|positional?|positions?|emb|embeddings?|enc|encodings?|absolute")
FRACTIONS = ("partial_rotary_factor", *SYNONYMS["partial_rotary_factor"], "rotary_dim", *SYNONYMS["rotary_dim"])
BY_KIND = {"full_attention", "sliding_attention"}  # settings of RoPE of each kind of layer
HEADS = {"num_attention_heads", "head_dim"}
OF_GPT = {"emb_dim", "n_heads", "n_positions", "drop_rate"}
META = {"dim", "n_heads"}
OF_AXES = {"axes_dim", "axes_dims_rope"}  # of Flux and others, whose pairs turn with several places
OF_LLAMA = {*META, "multiple_of"}  # of Llama 1 and 2, whose code has the base 10,000 and no field of it
OWN_POSITIONS = "Code of its own may have RoPE or sinusoids without a field of them."
METAS = "dim and n_heads are Meta's names: weights that were not converted turn pairs of neighbours."
TABLED = ("Albert", "Bart", "Bert", "DistilBert", "Electra", "MPNet", "OPT", "Roberta", "T5", "ViT")
# Names of classes that have no RoPE, and of the own code of GTE.
OF_TABLES = {name: name.lower() for name in TABLED} | {"New": "gte", "XLMRoberta": "xlm-roberta"}


@dataclass(frozen=True)
class Level:
    """The settings of the text, their path, the type as which they are read, and what is told of this choice."""

    given: Json
    path: str
    kind: str
    told: tuple[str, ...] = field(default=())
    trained: int | None = None  # where a field of the model's own code tells
    ntk: float | None = None  # the factor of the rule of GTE's own code


def mechanism(given: Mapping[str, Any], name: str) -> str | None:
    """Return the type whose positions a field of other code names, None for a field that names none."""
    value = given[name]
    if len(name) > MAX_NAME:
        return None
    if value is True and not OF_PARTS.search(name):
        return next((like for like, flag in FLAGGED.items() if flag.search(name)), None)
    return _named(value) if isinstance(value, str) and NAMED.fullmatch(name) else None


def _named(value: str) -> str | None:
    """Return the type whose positions a text names, as "learned positional embeddings" does."""
    words = [word for word in re.split("[^a-z]+", value.lower()[:MAX_NAME]) if word and not FILLING.fullmatch(word)]
    found = {MECHANISMS.get(value.lower()) or MECHANISMS.get("_".join(words)), *map(MECHANISMS.get, words)}
    return next(iter(found)) if len(found) == 1 else MECHANISMS.get(value.lower())


def _is_named(name: str, value: object) -> bool:
    """Return whether a field is an object of flags that name positions."""
    return isinstance(value, dict) and NAMED.fullmatch(name[:MAX_NAME]) is not None


def like(kind: str, given: Json, why: str, *more: str) -> Level:
    """Return the reading of fields as another type; before its first sentence `guessed` says what is read so."""
    return Level(given, "", kind, (f"it is read as {kind}, because {why}. This is a guess.", *more))


def _by_name(fields: Json) -> Level | None:
    """Return the reading of fields of which one names the positions.

    None where no field does, or where a table would have no length.
    """
    inside = (value for name, value in fields.items() if _is_named(name, value))
    given = canonical({**next(inside, {}), **fields})
    name = next((name for name in given if mechanism(given, name)), None)
    kind = mechanism(given, name) if name else None
    if name is None or kind is None or "num_attention_heads" not in given or "hidden_size" not in given:
        return None
    why = "it has " + (name if given[name] is True else f"{name} {given[name]}")
    others = [one for one in given if mechanism(given, one) not in (None, kind)]
    more = [f"{others[0]} names another encoding, which is not read."] if others else []
    if kind == "llama" and "patch_size" in given and "vocab_size" not in given:
        return like("pixtral", given, why, *more)
    if kind == "llama":
        level = _turning(fields, why)
        kept = {one: value for one, value in level.given.items() if one != name and not _is_named(one, value)}
        return replace(level, given=kept, told=(*level.told, *more))
    if kind == "esm":
        return like(kind, {"position_embedding_type": "none"}, why, *more)
    if LENGTH not in given and kind == "ctrl":
        return like("uer", {**kept_sizes(given), "learned": False}, why, *more)
    if LENGTH not in given and kind != "bloom":
        return None
    length = "seq_length" if kind == "bloom" else "n_positions"
    return like(kind, kept_sizes(given) | {length: given.get(LENGTH)}, why, *more)


def _turning(fields: Json, why: str) -> Level:
    """Return the reading of fields of RoPE, by the names of any code, as the class that obeys most of them."""
    given = canonical(fields)
    found, kind, names = dict(given), "llama", ""
    told, count, every = [], given.get("num_hidden_layers"), given.get("sliding_window_pattern")
    if isinstance(found.get("qk_rope_head_dim"), int):
        found["head_dim"] = found.pop("qk_rope_head_dim")
        told.append("The channels counted here are qk_rope_head_dim; the others of a head, qk_nope_head_dim, stay.")
    window, kinds = given.get("sliding_window"), given.get("layer_types")
    far = given.get("global_attn_idx")  # of Hymba: the layers that see all tokens, where others have a window
    if kinds is None and isinstance(count, int) and 0 < count <= MAX_LAYERS:
        whole = far if isinstance(far, list) else []
        if isinstance(every, int) and 0 < every <= count:
            whole = [i for i in range(count) if (i + 1) % every == 0]
        if whole or isinstance(far, list):
            kinds = [f"{'full' if i in whole else 'sliding'}_attention" for i in range(count)]
    if (fraction := _fraction(given)) is not None:  # llama itself would turn all channels
        found["partial_rotary_factor"] = fraction
        found.pop("rotary_dim", None)
        kind, names = "stablelm", next((one for one in FRACTIONS if one in fields), "partial_rotary_factor")
    elif isinstance(attending := found.pop("attn_layer_idxs", None), list) and "full_attn_idxs" not in found:  # of Evo
        kind, names, found = "lfm2", "attn_layer_idxs", {**found, "full_attn_idxs": attending}
    elif given.get("no_rope_layers") or isinstance(given.get("no_rope_layer_interval"), int):
        kind, names = "smollm3", "no_rope_layers" if given.get("no_rope_layers") else "no_rope_layer_interval"
    elif isinstance(kinds, list) and "sliding_attention" in kinds and window and given.get("use_sliding_window", True):
        kind, found = "qwen2", {**found, "layer_types": kinds, "use_sliding_window": True}
        found.pop("sliding_window_pattern", None)
    elif window and fields.keys() >= META:  # Mistral's own code
        kind = "mistral"
    if type(fast := given.get("n_fast_layer")) is int:  # of Fish Speech
        told.append(f"Its {fast:,} fast layers turn by the place of a code within one step, with the same base.")
    if found.pop("use_scaled_rope", None) is True:
        told.append("use_scaled_rope stands for the rule of Llama 3.1, whose numbers are in its code and no field.")
    if window and kind not in ("mistral", "qwen2") and given.get("use_sliding_window", True):
        told.append(
            f"Whether some layers see a window of {shown(window)} tokens, as sliding_window says, is not known."
        )
    if others := [name for name in given if OF_LAYERS.search(name) and given[name] and name in found]:
        told.append(f"What {others[0][:MAX_NAME]} says of its layers is not known: some may turn nothing.")
    return like(kind, found, f"it has {names}" if names else why, *told)


def _fairseq(given: Json) -> Level | None:
    """Return the reading of settings of fairseq, whose decoder has a learned table or sinusoids."""
    learns, length = given.get("decoder_learned_pos"), given.get("max_target_positions", given.get("tokens_per_sample"))
    if not isinstance(learns, bool) or length is None:
        return None
    found = {"n_positions" if learns else LENGTH: length, "hidden_size": given.get("decoder_embed_dim")}
    return like("gpt2" if learns else "xglm", found, "it has decoder_learned_pos")


def _uer(given: Json) -> Level | None:
    """Return the reading of settings of UER and TencentPretrain, which name the vectors that they add up."""
    sizes, named = canonical(given), ("embedding", "tgt_embedding")
    length = sizes.get(LENGTH)
    name = next((one for one in named if any(map(IN_UER.get, _added(given, one)))), None)
    if name is None or (length is None and "num_attention_heads" not in sizes):
        return None
    kind = next(filter(None, map(IN_UER.get, _added(given, name))))
    told = []
    if name == "embedding" and (other := next(filter(None, map(IN_UER.get, _added(given, "tgt_embedding"))), None)):
        told.append(f"What is written {'has a learned table' if other == 'gpt2' else 'has sinusoids'}: tgt_embedding.")
    if "patch" in _added(given, name):
        told.append("Its places are those of patches of an image.")
    if "speech" in _added(given, name):
        told.append("Its places are those of frames of sound.")
    if length is not None:
        return like(kind, kept_sizes(given) | {"n_positions": length}, f"it has {name}", *told)
    told.append("The file has no length, and how many rows a table has is not known.")
    return like("uer", {**kept_sizes(given), "learned": kind == "gpt2"}, f"it has {name}", *told)


def _added(given: Json, name: str) -> list[str]:
    """Return the vectors that UER adds up, which a file has as a list or in one text."""
    added = given.get(name)
    added = added.split("_") if isinstance(added, str) else added
    return [one for one in added if isinstance(one, str)] if isinstance(added, list) else []


def _by_table(given: Json) -> Level | None:
    """Return the reading of fields that have a length and a width, and nothing else on positions, as a table."""
    if any(map(TURNS.search, given)) or (found := of_a_table(given)) is None:
        return None
    length, sizes, name = found
    why = f"it has {name}, and nothing else on positions"
    return like("ctrl" if of_the_tutorial(given) else "gpt2", {**sizes, "n_positions": length}, why, OWN_POSITIONS)


def _bases(given: Json) -> tuple[str, str] | None:
    """Return the names of the two bases that fields have, None where they have not both."""
    return next((pair for pair in TWO_BASES if all(name in given for name in pair)), None)


def _of_two_bases(given: Json) -> Level | None:
    """Return the reading of fields with a base for layers that see all tokens and one for those with a window."""
    pair, found = _bases(given), canonical(given)
    width, heads = found.get("hidden_size"), found.get("num_attention_heads")
    if pair is None or not isinstance(width, int) or not isinstance(heads, int) or not 0 < heads <= width:
        return None
    every = next((found.pop(name) for name in EVERY if name in found), None)
    if pair == OF_MODERNBERT:
        found = {**canonical(given), "global_attn_every_n_layers": every or 3}
        return like("modernbert", found, f"it has {pair[1]}")
    found |= {"rope_theta": given[pair[0]], "rope_local_base_freq": given[pair[1]]}
    found.setdefault("head_dim", width // heads)
    found |= {"sliding_window_pattern": every} if every is not None else {}
    own = {name: value for name, value in found.items() if name not in pair}
    return like("gemma3_text", own, f"it has {pair[1]}")


def _alone(given: Json) -> Level | None:
    """Return the reading of fields with a base of RoPE, or two, that tell no width of a head; None for others."""
    pair, found = _bases(given), canonical(given)
    bases = [name for name in ("rope_theta", *SYNONYMS["rope_theta"]) if name in given and TURNS.search(name)]
    name = pair[0] if pair else next(iter(["rope_theta"] if "rope_theta" in given else bases), None)
    model = found.keys() & {"num_hidden_layers", "num_attention_heads", "vocab_size", LENGTH}
    stops = given.keys() & {"_class_name", "peft_type", "base_model_name_or_path", *OF_AXES}
    if name is None or not model or stops or any(given.get(flag) is False for flag in FLAGS):
        return None
    if "head_dim" in found and pair is None:  # the width of a head is all that a rotation needs
        width = next(one for one in ("head_dim", *SYNONYMS["head_dim"]) if one in given)
        return _turning(given, f"it has {name} and {width}")
    own = {one: found[one] for one in (LENGTH, "sliding_window", "rope_scaling", "rope_parameters") if one in found}
    own |= {"rope_theta": given[name]} | ({"rope_local_base_freq": given[pair[1]]} if pair else {})
    told = f"it is read as RoPE of an unknown width, because it has {name}. This is a guess."
    return Level(own, "", "rope", (told,))


def guessed(given: Json, path: str, kind: str | None, named: str) -> Level:
    """Return the reading of fields whose type is not known; `ConfigError` where nothing tells.

    `named` begins the sentence that tells of the guess.
    """
    level = _guessed(given, kind)
    first, *more = level.told
    return replace(level, path=path, told=(f"{named}: {first}" if first.startswith("it is") else first, *more))


def _guessed(given: Json, kind: str | None) -> Level:
    if kind and "bidir" in kind[:MAX_NAME] and given.get("is_causal") is None:
        both = {name: value for name, value in given.items() if name != "sliding_window"} | {"is_causal": False}
        level = _guessed(both, kind)
        told = f"{kind[:MAX_NAME]} is called bidirectional: a token is taken to see those after it, too, and no window."
        return replace(level, given={"sliding_window": None, **level.given}, told=(*level.told, told))
    another, architecture = _architecture(given)
    if another is not None:
        return like(another, by_names_here(given, kind), f"architectures names {architecture}")
    if kind == "transformer" and (by_author := _by_name(given)) is not None:
        return by_author
    if kind is not None and kind in ALIKE:
        return _alike(given, kind)
    if kind is not None and (family := _family(kind)) is not None:
        told = f"it is read as {family}, of which it names a size. This is a guess."
        return Level(canonical(given), "", family, (told,))
    words = re.split("[^a-z]+", kind[:MAX_NAME].lower()) if kind else []
    if any(word in ROTARY for word in words) and has_sizes(given):
        turning = _turning(given, "")
        told = f"it is read as {turning.kind}, because its name has RoPE. This is a guess."
        return replace(turning, told=(told, *turning.told[1:]))
    for reader in (_of_two_bases, _fairseq, _uer, _by_name, _by_looks, _alone, _by_table):
        if (level_or_none := reader(given)) is not None:
            return level_or_none
    raise _not_known(given, kind)


def _by_looks(before: Json) -> Level | None:
    """Return the reading of fields by names that a class has, those of other code among them."""
    given = before
    if (looks := by_fields(given)) is None:
        given = canonical(given)
        looks = by_fields(given)
    if looks is None and LENGTH in given:
        given = {**before, "n_positions": given[LENGTH]}
        looks = by_fields(given)
    if looks is None:
        return None
    kind, names = looks[0], _as_the_file_says(looks[1], before)
    own = [OWN_POSITIONS] if names.startswith("n_embd") else []
    metas = [METAS] if before.keys() >= META else []
    if kind == "bloom":
        return like(kind, kept_sizes(before) | {"seq_length": canonical(before).get(LENGTH)}, f"it has {names}", *own)
    if kind == "llama":
        turning = _turning(before, f"it has {names}")
        return replace(turning, told=(*turning.told, *metas))
    given = in_its_names(given, kind)
    if kind == "deberta-v2" and "position_bucket_size" in given:  # LTG-BERT, which has the buckets and no table
        given["position_buckets"] = given.pop("position_bucket_size")
        given |= {"relative_attention": True, "position_biased_input": False, "pos_att_type": "c2p|p2c"}
    return like(kind, given, f"it has {names}", *own, *metas)


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


def _as_the_file_says(why: str, given: Json) -> str:
    """Return a reason with the names of fields that the file has, where the reason has those of transformers."""
    for name, others in (*SYNONYMS.items(), ("n_positions", SYNONYMS[LENGTH])):
        own = next((one for one in others if one in given), None)
        if own is not None and name not in given:
            why = re.sub(rf"\b{name}\b", own, why)
    return why


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


def _fraction(given: Json) -> float | None:
    """Return the fraction of channels that fields, by the names that they have here, turn, where it is not all."""
    fraction, turned, width = (given.get(name) for name in ("partial_rotary_factor", "rotary_dim", "head_dim"))
    inner = given.get("rope_parameters") or given.get("rope_scaling")
    if fraction is None and isinstance(inner, dict):
        fraction = inner.get("partial_rotary_factor")
    whole, heads = given.get("hidden_size"), given.get("num_attention_heads")
    if width is None and isinstance(whole, int) and isinstance(heads, int) and 0 < heads <= whole:
        width = whole // heads
    if fraction is None and isinstance(turned, int) and isinstance(width, int) and 0 < turned <= width:
        fraction = turned / width
    return fraction if isinstance(fraction, int | float) and 0 < fraction < 1 else None


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


def lowers(given: Mapping[str, Any]) -> bool:
    """Return whether a field says that scores are lowered with the distance, by ALiBi."""
    if given.get("alibi") is not None:
        return given["alibi"] is True
    named = given.get("position_embedding_type") == "alibi"
    return named or any(name.startswith("alibi_") and value for name, value in given.items())


def by_fields(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the type that the fields look like, and which fields; None where they look like none."""
    parameters, turned = given.get("rope_parameters"), any(map(TURNS.search, given))
    parameters = parameters if isinstance(parameters, Mapping) else {}
    image = "vision_config" not in given
    if parameters.get("rope_type") == "axial" and image:
        return "pixtral", "rope_parameters.rope_type axial"
    if lowers(given):
        return "bloom", "alibi"
    if (own := by_own_names(given)) is not None and (not turned or own[0] == "roformer"):
        return own
    if parameters.keys() >= BY_KIND and "layer_types" in given:
        return "laguna", "rope_parameters.full_attention and rope_parameters.sliding_attention"
    looks = _of_a_width(given, turned) if "hidden_size" in given and given.keys() & HEADS else []
    heads = next((name for name in ("n_head", "n_heads", "num_heads") if name in given), None)
    decodes = all(isinstance(given.get(name), int) for name in ("decoder_layers", "decoder_attention_heads", LENGTH))
    looks += [
        (
            given.keys() >= {"n_embd", "n_positions"} and heads and not turned,
            "gpt2",
            f"n_embd, {heads} and n_positions",
        ),
        (given.keys() >= OF_GPT and not turned, "gpt2", "emb_dim, n_heads and drop_rate"),
        (decodes and not turned, "bart", f"decoder_layers, decoder_attention_heads and {LENGTH}"),
        (given.keys() >= OF_LLAMA, "llama", "dim, n_heads and multiple_of"),
        ("ssm_cfg" in given and not given.get("attn_layer_idx"), "mamba", "ssm_cfg"),
        ("position_bucket_size" in given, "deberta-v2", "position_bucket_size"),
        ("relative_attention_num_buckets" in given, "t5", "relative_attention_num_buckets"),
    ]
    return next(((kind, names) for fits, kind, names in looks if fits), None)


def _of_a_width(given: Mapping[str, Any], turned: bool) -> list[tuple[object, str, str]]:
    """Return what fields with a width and heads may look like: whether they do, the type, and which fields."""
    off, named = any(given.get(name) is False for name in FLAGS), given.get("position_embedding_type")
    rope = next((name for name in ("rope_theta", "rope_parameters", "rope_scaling") if given.get(name)), None)
    rope = None if off or given.keys() & OF_AXES else rope
    part = next((name for name in FRACTIONS if type(given.get(name)) in (int, float) and given[name] > 0), "")
    seen = given.keys() >= {"image_size", "patch_size"} and not any("window" in name for name in given)
    table, told = LENGTH in given and not turned, off or any(map(NAMED.fullmatch, given))
    # RoBERTa knows one kind of sentence, and words: a model of proteins has a letter for each token.
    words = given.get("type_vocab_size") == 1 and given.get("vocab_size") not in range(100)
    heads = "num_attention_heads" in given and not told
    return [
        (rope and "patch_size" in given and "vision_config" not in given, "pixtral", f"{rope} and patch_size"),
        (rope, "llama", f"{rope}, hidden_size and num_attention_heads"),
        (named in ROTARY, "llama", f"position_embedding_type {named}"),
        (part and not off, "llama", part),
        (isinstance(given.get("qk_rope_head_dim"), int), "llama", "qk_rope_head_dim"),
        (seen and given.get("use_sine") is True, "vit_mae", "use_sine"),
        (seen, "vit", "image_size and patch_size"),
        (named == "absolute" and LENGTH in given, "bert", "position_embedding_type absolute"),
        # of BERT's first code
        (table and "type_vocab_size" in given, "roberta" if words else "bert", f"type_vocab_size and {LENGTH}"),
        (table and "attention_probs_dropout_prob" in given, "bert", f"attention_probs_dropout_prob and {LENGTH}"),
        (heads and "num_key_value_heads" in given, "llama", "num_key_value_heads"),
        (heads and "rms_norm_eps" in given and LENGTH in given, "llama", "rms_norm_eps"),
    ]
