"""As which type a configuration is read that has none, or one that is not known here.

It is read as another type where `architectures` names its class, or where it is known to be alike, or where the fields
look like it. Such a reading is a guess, and is told as one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from pe_core.models.alike import ALIKE, LLAMAS, obeyed, renamed
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
META = {"dim", "n_heads"}
OF_AXES = {"axes_dim", "axes_dims_rope"}  # of Flux and others, whose pairs turn with several places
OF_LLAMA = {*META, "multiple_of"}  # of Llama 1 and 2, whose code has the base 10,000 and no field of it
OWN_POSITIONS = "Code of its own may have RoPE or sinusoids without a field of them."
METAS = "dim and n_heads are Meta's names: weights that were not converted turn pairs of neighbours."
OF_TABLES: Mapping[str, str] = {  # names of classes that have no RoPE, and of the own code of GTE
    "Albert": "albert",
    "Bart": "bart",
    "Bert": "bert",
    "DistilBert": "distilbert",
    "Electra": "electra",
    "MPNet": "mpnet",
    "New": "gte",
    "OPT": "opt",
    "Roberta": "roberta",
    "T5": "t5",
    "ViT": "vit",
    "XLMRoberta": "xlm-roberta",
}


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


def _by_name(fields: Json, path: str, named: str) -> Level | None:
    """Return the reading of fields of which one names the positions.

    None where no field does, or where a table would have no length.
    """
    inside = (value for name, value in fields.items() if _is_named(name, value))
    given = canonical({**next(inside, {}), **fields})
    name = next((name for name in given if mechanism(given, name)), None)
    like = mechanism(given, name) if name else None
    if name is None or like is None or "num_attention_heads" not in given or "hidden_size" not in given:
        return None
    why = name if given[name] is True else f"{name} {given[name]}"
    others = [one for one in given if mechanism(given, one) not in (None, like)]
    more = (f"{others[0]} names another encoding, which is not read.",) if others else ()
    if like == "llama" and "patch_size" in given and "vocab_size" not in given:
        return Level(
            given, path, "pixtral", (f"{named}: it is read as pixtral, because it has {why}. This is a guess.", *more)
        )
    if like == "llama":
        level = _turning(fields, path, named, why)
        kept = {one: value for one, value in level.given.items() if one != name and not _is_named(one, value)}
        return replace(level, given=kept, told=level.told + more)
    told = (f"{named}: it is read as {like}, because it has {why}. This is a guess.",)
    if like == "esm":
        return Level({"position_embedding_type": "none"}, path, like, told + more)
    if LENGTH not in given and like == "ctrl":
        return Level(
            {**kept_sizes(given), "learned": False}, path, "uer", (told[0].replace("as ctrl", "as uer"), *more)
        )
    if LENGTH not in given and like != "bloom":
        return None
    length = "seq_length" if like == "bloom" else "n_positions"
    return Level(kept_sizes(given) | {length: given.get(LENGTH)}, path, like, told + more)


def _turning(fields: Json, path: str, named: str, why: str) -> Level:
    """Return the reading of fields of RoPE, by the names of any code, as the class that obeys most of them."""
    given = canonical(fields)
    found, like = dict(given), "llama"
    told, count, every = [], given.get("num_hidden_layers"), given.get("sliding_window_pattern")
    if isinstance(found.get("qk_rope_head_dim"), int):
        found["head_dim"] = found.pop("qk_rope_head_dim")
        told.append("The channels counted here are qk_rope_head_dim; the others of a head, qk_nope_head_dim, stay.")
    window, kinds = given.get("sliding_window"), given.get("layer_types")
    if kinds is None and isinstance(every, int) and isinstance(count, int) and 0 < every <= count <= MAX_LAYERS:
        kinds = [f"{'sliding' if (i + 1) % every else 'full'}_attention" for i in range(count)]
    far = given.get("global_attn_idx")  # of Hymba: the layers that see all tokens, where others have a window
    if kinds is None and isinstance(far, list) and isinstance(count, int) and 0 < count <= MAX_LAYERS:
        kinds = [f"{'full' if i in far else 'sliding'}_attention" for i in range(count)]
    if (fraction := _fraction(given)) is not None:  # llama itself would turn all channels
        found["partial_rotary_factor"] = fraction
        found.pop("rotary_dim", None)
        like, why = "stablelm", next((one for one in FRACTIONS if one in fields), "partial_rotary_factor")
    elif isinstance(attending := found.pop("attn_layer_idxs", None), list) and "full_attn_idxs" not in found:  # of Evo
        like, why, found = "lfm2", "attn_layer_idxs", {**found, "full_attn_idxs": attending}
    elif given.get("no_rope_layers") or isinstance(given.get("no_rope_layer_interval"), int):
        like, why = "smollm3", "no_rope_layers" if given.get("no_rope_layers") else "no_rope_layer_interval"
    elif isinstance(kinds, list) and "sliding_attention" in kinds and window and given.get("use_sliding_window", True):
        like, found = "qwen2", {**found, "layer_types": kinds, "use_sliding_window": True}
        found.pop("sliding_window_pattern", None)
    elif window and fields.keys() >= META:  # Mistral's own code
        like = "mistral"
    told.insert(0, f"{named}: it is read as {like}, because it has {why}. This is a guess.")
    if type(fast := given.get("n_fast_layer")) is int:  # of Fish Speech
        told.append(f"Its {fast:,} fast layers turn by the place of a code within one step, with the same base.")
    if found.pop("use_scaled_rope", None) is True:
        told.append("use_scaled_rope stands for the rule of Llama 3.1, whose numbers are in its code and no field.")
    if window and like not in ("mistral", "qwen2") and given.get("use_sliding_window", True):
        told.append(
            f"Whether some layers see a window of {shown(window)} tokens, as sliding_window says, is not known."
        )
    if others := [name for name in given if OF_LAYERS.search(name) and given[name] and name in found]:
        told.append(f"What {others[0][:MAX_NAME]} says of its layers is not known: some may turn nothing.")
    return Level(found, path, like, tuple(told))


def _fairseq(given: Json, path: str, named: str) -> Level | None:
    """Return the reading of settings of fairseq, whose decoder has a learned table or sinusoids."""
    learns, length = given.get("decoder_learned_pos"), given.get("max_target_positions", given.get("tokens_per_sample"))
    if not isinstance(learns, bool) or length is None:
        return None
    like = "gpt2" if learns else "xglm"
    told = f"{named}: it is read as {like}, because it has decoder_learned_pos. This is a guess."
    width = {"hidden_size": given.get("decoder_embed_dim")}
    return Level({"n_positions" if learns else LENGTH: length, **width}, path, like, (told,))


def _uer(given: Json, path: str, named: str) -> Level | None:
    """Return the reading of settings of UER and TencentPretrain, which name the vectors that they add up."""
    length = canonical(given).get(LENGTH)
    name = next((one for one in ("embedding", "tgt_embedding") if any(map(_in_uer, _added(given, one)))), None)
    if name is None or (length is None and "num_attention_heads" not in canonical(given)):
        return None
    like = next(filter(None, map(_in_uer, _added(given, name))))
    kind = "uer" if length is None else like
    told = [f"{named}: it is read as {kind}, because it has {name}. This is a guess."]
    if name == "embedding" and (other := next(filter(None, map(_in_uer, _added(given, "tgt_embedding"))), None)):
        told.append(f"What is written {'has a learned table' if other == 'gpt2' else 'has sinusoids'}: tgt_embedding.")
    if "patch" in _added(given, name):
        told.append("Its places are those of patches of an image.")
    if "speech" in _added(given, name):
        told.append("Its places are those of frames of sound.")
    if length is not None:
        return Level(kept_sizes(given) | {"n_positions": length}, path, like, tuple(told))
    told.append("The file has no length, and how many rows a table has is not known.")
    return Level({**kept_sizes(given), "learned": like == "gpt2"}, path, kind, tuple(told))


def _added(given: Json, name: str) -> list[str]:
    """Return the vectors that UER adds up, which a file has as a list or in one text."""
    added = given.get(name)
    added = added.split("_") if isinstance(added, str) else added
    return [one for one in added if isinstance(one, str)] if isinstance(added, list) else []


def _in_uer(one: str) -> str | None:
    return IN_UER.get(one)


def _by_table(given: Json, path: str, named: str) -> Level | None:
    """Return the reading of fields that have a length and a width, and nothing else on positions, as a table."""
    if any(map(TURNS.search, given)) or (found := of_a_table(given)) is None:
        return None
    length, sizes, why = found
    like = "ctrl" if of_the_tutorial(given) else "gpt2"
    told = f"{named}: it is read as {like}, because it has {why}, and nothing else on positions. This is a guess."
    return Level({**sizes, "n_positions": length}, path, like, (told, OWN_POSITIONS))


def _bases(given: Json) -> tuple[str, str] | None:
    """Return the names of the two bases that fields have, None where they have not both."""
    return next((pair for pair in TWO_BASES if all(name in given for name in pair)), None)


def _of_two_bases(given: Json, path: str, named: str) -> Level | None:
    """Return the reading of fields with a base for layers that see all tokens and one for those with a window."""
    pair, found = _bases(given), canonical(given)
    width, heads = found.get("hidden_size"), found.get("num_attention_heads")
    if pair is None or not isinstance(width, int) or not isinstance(heads, int) or not 0 < heads <= width:
        return None
    found |= {"rope_theta": given[pair[0]], "rope_local_base_freq": given[pair[1]]}
    found.setdefault("head_dim", width // heads)
    every = next((found.pop(name) for name in EVERY if name in found), None)
    if every is not None:
        found["sliding_window_pattern"] = every
    for name in pair:
        found.pop(name, None)
    like = "gemma3_text"
    if pair == OF_MODERNBERT:
        found, like = {**canonical(given), "global_attn_every_n_layers": every or 3}, "modernbert"
    told = f"{named}: it is read as {like}, because it has {pair[1]}. This is a guess."
    return Level(found, path, like, (told,))


def _alone(given: Json, path: str, named: str) -> Level | None:
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
        return _turning(given, path, named, f"{name} and {width}")
    own = {one: found[one] for one in (LENGTH, "sliding_window", "rope_scaling", "rope_parameters") if one in found}
    own |= {"rope_theta": given[name]} | ({"rope_local_base_freq": given[pair[1]]} if pair else {})
    told = f"{named}: it is read as RoPE of an unknown width, because it has {name}. This is a guess."
    return Level(own, path, "rope", (told,))


def guessed(given: Json, path: str, kind: str | None, named: str) -> Level:
    """Return the reading of fields whose type is not known; `ConfigError` where nothing tells.

    `named` begins the sentence that tells of the guess.
    """
    if kind and "bidir" in kind[:MAX_NAME] and given.get("is_causal") is None:
        both = {name: value for name, value in given.items() if name != "sliding_window"} | {"is_causal": False}
        level = guessed(both, path, kind, named)
        told = f"{kind[:MAX_NAME]} is called bidirectional: a token is taken to see those after it, too, and no window."
        return replace(level, given={"sliding_window": None, **level.given}, told=(*level.told, told))
    before = given
    like, architecture = _architecture(given)
    if like is not None:
        told = f"{named}: it is read as {like}, because architectures names {architecture}. This is a guess."
        return Level(renamed(given, kind), path, like, (told,))
    if kind == "transformer" and (by_author := _by_name(given, path, named)) is not None:
        return by_author
    if kind is not None and kind in ALIKE:
        return _alike(given, path, kind, named)
    if kind is not None and (family := _family(kind)) is not None:
        told = f"{named}: it is read as {family}, of which it names a size. This is a guess."
        return Level(canonical(given), path, family, (told,))
    words = re.split("[^a-z]+", kind[:MAX_NAME].lower()) if kind else []
    if any(word in ROTARY for word in words) and has_sizes(given):
        turning = _turning(given, path, named, "")
        told = f"{named}: it is read as {turning.kind}, because its name has RoPE. This is a guess."
        return replace(turning, told=(told, *turning.told[1:]))
    for reader in (_of_two_bases, _fairseq, _uer, _by_name):
        if (by_author := reader(given, path, named)) is not None:
            return by_author
    if (looks := by_fields(given)) is None:
        given = canonical(given)
        looks = by_fields(given)
    if looks is None and LENGTH in given:
        given = {**before, "n_positions": given[LENGTH]}
        looks = by_fields(given)
    if looks is not None:
        like, why = looks[0], _as_the_file_says(looks[1], before)
        own = (OWN_POSITIONS,) if why.startswith("n_embd") else ()
        guess = (f"{named}: it is read as {like}, because it has {why}. This is a guess.", *own)
        given = canonical(given) if like == "llama" else in_its_names(given, like)
        if like == "deberta-v2" and "position_bucket_size" in given:  # LTG-BERT, which has the buckets and no table
            given["position_buckets"] = given.pop("position_bucket_size")
            given |= {"relative_attention": True, "position_biased_input": False, "pos_att_type": "c2p|p2c"}
        metas = (METAS,) if before.keys() >= META else ()
        if like == "bloom":
            return Level(kept_sizes(before) | {"seq_length": canonical(before).get(LENGTH)}, path, like, guess)
        if like == "llama":
            turning = _turning(before, path, named, why)
            return replace(turning, told=turning.told + metas)
        return Level(given, path, like, guess + metas)
    for reader in (_alone, _by_table):
        if (last := reader(before, path, named)) is not None:
            return last
    found = canonical(before)
    base = "; its fields look like those of RoPE, which is a guess" if "rope_theta" in found else ""
    if not kind:
        hint = base
        if "peft_type" in before or "base_model_name_or_path" in before:
            hint = f"; it belongs to a base model, which decides: {shown(before.get('base_model_name_or_path'))}"
        elif (other := _other_file(before)) is not None:
            hint = f"; these are fields of {other}, and what a model does with positions stands in its config.json"
        elif "_class_name" in before:
            hint = f"; _class_name names a class of diffusers, which is not read here: {shown(before['_class_name'])}"
        elif not hint and "hidden_size" in found and "num_attention_heads" in found:
            hint = f"; it has the sizes of a transformer, and {_what_tells(before)}"
        raise ConfigError(f"model_type must be given, because it decides what the fields mean, got nothing{hint}")
    known = [*CLASSES, *OTHERS, *COMPOSITES, *ALIKE]
    near = get_close_matches(kind[:MAX_NAME], known, n=3) or [one for one in known if one == kind.lower()]
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    another = next((name for name in OF_ANOTHER if isinstance(before.get(name), str)), None)
    other = f"; {another} names the model that decides, {shown(before[another])}" if another else ""
    rule = f"be one of the {len(known)} that are known here{hint}"
    raise ConfigError(f"model_type must {rule}, got {shown(kind)}{other or base}")


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


def _alike(given: Json, path: str, kind: str, named: str) -> Level:
    found = renamed(given, kind)
    like = "bloom" if found.get("alibi") is True else ALIKE[kind]
    if kind == "chatglm" and given.get("position_encoding_2d"):  # the first version, with pairs of halves
        like, found = "stablelm", {**found, "partial_rotary_factor": 0.5}
    like = "llama" if found.pop("rope_embeddings", False) is True else like
    why = f"{kind} has no text_config" if kind in LEVELS_OF else named
    guess = f"{why}: it is read as {like}, whose positions are like its own. This is a guess."
    own = kind in (*LLAMAS, "fuyu")  # types of transformers itself, whose text has the class of another one
    told = [f"transformers 5.23 reads {kind} with the classes of {like}." if own else guess]
    return Level(found, path, like, (*told, *obeyed(found)))


def lowers(given: Mapping[str, Any]) -> bool:
    """Return whether a field says that scores are lowered with the distance, by ALiBi."""
    if given.get("alibi") is not None:
        return given["alibi"] is True
    named = given.get("position_embedding_type") == "alibi"
    return named or any(name.startswith("alibi_") and value for name, value in given.items())


def by_fields(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the type that the fields look like, and which fields; None where they look like none."""
    rope_parameters, turned = given.get("rope_parameters"), any(map(TURNS.search, given))
    axial = isinstance(rope_parameters, Mapping) and rope_parameters.get("rope_type") == "axial"
    if axial and "vision_config" not in given:
        return "pixtral", "rope_parameters.rope_type axial"
    if lowers(given):
        return "bloom", "alibi"
    if (own := by_own_names(given)) is not None and (not turned or own[0] == "roformer"):
        return own
    if isinstance(rope_parameters, Mapping) and rope_parameters.keys() >= BY_KIND and "layer_types" in given:
        return "laguna", "rope_parameters.full_attention and rope_parameters.sliding_attention"
    if "hidden_size" in given and ("num_attention_heads" in given or "head_dim" in given):
        rope = next((name for name in ("rope_theta", "rope_parameters", "rope_scaling") if given.get(name)), None)
        rope = None if any(given.get(name) is False for name in FLAGS) or given.keys() & OF_AXES else rope
        if rope is not None and "patch_size" in given and "vision_config" not in given:
            return "pixtral", f"{rope} and patch_size"
        if rope is not None:
            return "llama", f"{rope}, hidden_size and num_attention_heads"
        if given.get("position_embedding_type") in ROTARY:
            return "llama", f"position_embedding_type {given['position_embedding_type']}"
        part = next((name for name in FRACTIONS if type(given.get(name)) in (int, float) and given[name] > 0), None)
        if part is not None and not any(given.get(name) is False for name in FLAGS):
            return "llama", part
        if isinstance(given.get("qk_rope_head_dim"), int):
            return "llama", "qk_rope_head_dim"
        if "image_size" in given and "patch_size" in given and not any("window" in name for name in given):
            return ("vit_mae", "use_sine") if given.get("use_sine") is True else ("vit", "image_size and patch_size")
        if given.get("position_embedding_type") == "absolute" and "max_position_embeddings" in given:
            return "bert", "position_embedding_type absolute"
        if not turned and "type_vocab_size" in given and "max_position_embeddings" in given:  # of BERT's first code
            # RoBERTa knows one kind of sentence, and words: a model of proteins has a letter for each token.
            like = "roberta" if given["type_vocab_size"] == 1 and given.get("vocab_size") not in range(100) else "bert"
            return like, "type_vocab_size and max_position_embeddings"
        if not turned and "attention_probs_dropout_prob" in given and "max_position_embeddings" in given:
            return "bert", "attention_probs_dropout_prob and max_position_embeddings"
        told = any(given.get(name) is False for name in FLAGS) or any(map(NAMED.fullmatch, given))
        if "num_key_value_heads" in given and "num_attention_heads" in given and not told:
            return "llama", "num_key_value_heads"
        if "rms_norm_eps" in given and LENGTH in given and "num_attention_heads" in given and not told:
            return "llama", "rms_norm_eps"
    heads = next((name for name in ("n_head", "n_heads", "num_heads") if name in given), None)
    if all(name in given for name in ("n_embd", "n_positions")) and heads and not turned:
        return "gpt2", f"n_embd, {heads} and n_positions"
    if all(name in given for name in ("emb_dim", "n_heads", "n_positions", "drop_rate")) and not turned:
        return "gpt2", "emb_dim, n_heads and drop_rate"
    if (
        all(isinstance(given.get(name), int) for name in ("decoder_layers", "decoder_attention_heads", LENGTH))
        and not turned
    ):
        return "bart", f"decoder_layers, decoder_attention_heads and {LENGTH}"
    if given.keys() >= OF_LLAMA:
        return "llama", "dim, n_heads and multiple_of"
    if "ssm_cfg" in given and not given.get("attn_layer_idx"):
        return "mamba", "ssm_cfg"
    if "position_bucket_size" in given:
        return "deberta-v2", "position_bucket_size"
    if "relative_attention_num_buckets" in given:
        return "t5", "relative_attention_num_buckets"
    return None
