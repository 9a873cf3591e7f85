"""What a published model does with positions, from its configuration alone: nothing is executed or fetched."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from pe_core.encodings import sinusoidal
from pe_core.models import sentences
from pe_core.models.alike import ALIKE
from pe_core.models.built import BUILT, LEVELS_OF
from pe_core.models.classes import CLASSES, ModelClass
from pe_core.models.detectors import WHOLES
from pe_core.models.dialects import of_step, ropes, with_sum
from pe_core.models.diffusers import DIFFUSERS
from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.guesses import TURNS, Level, guessed, mechanism
from pe_core.models.layers import ALL_LAYERS, TURNS_AS, WITHOUT, WITHOUT_TURNING, convolved, layer_groups
from pe_core.models.levels import BESIDE, KINDS_BESIDE, MAX_FIELDS, foreign, level_of
from pe_core.models.names import has_sizes
from pe_core.models.others import MAX_WIDTH, OTHERS, alibi
from pe_core.models.own_code import OWN_CODE, by_model_name
from pe_core.models.positions import AHEAD_AS_BACK, LayerGroup, Positions, Rotation
from pe_core.models.programs import in_names_of_transformers
from pe_core.models.query_factor import REMARKS, with_factors
from pe_core.models.reading import ConfigError, Json, parsed, refuse, shown
from pe_core.models.rotation import rotation
from pe_core.models.sizes import SIZES, sizes, with_sizes
from pe_core.models.timm import by_name, without_places
from pe_core.models.unread import OF_A_GUESS, UNREAD, left_over, on_lengths, unread

CANNOT_KNOW = (
    "the settings of the released model where the file is silent: the class fills in its own",
    "whether the weights are for pairs of neighbours or of halves",
)
SEEN = "{} is known by the parts that its class is built of, and not by its code: what they are for is a guess."
FALCON = Other({"max_position_embeddings": 2048}, alibi("max_position_embeddings"))  # where its file says alibi
PLACES = "This class reads no tokens of text: its positions and lengths count frames, patches or points in time."
READERS: Mapping[str, Other] = {**DIFFUSERS, **OWN_CODE, **OTHERS}  # of types that no class of `CLASSES` reads
SENSES = re.compile("(vision|visual|vit|image|video|audio|speech)(_encoder|_tower|_model)?_(config|cfg)")
CROSS = "transformers 5.23 refuses to build this: add_cross_attention needs is_decoder."
ASKING = "bert bert-generation big_bird bros camembert convbert data2vec-text electra ernie esm megatron-bert rembert "
ASKING += "roberta roberta-prelayernorm roc_bert roformer tapas xlm-roberta xlm-roberta-xl xmod"
ELSEWHERE = re.compile(  # a part by the name of another file
    "(mm_)?(vision|image|audio|speech)_(tower|encoder|model|backbone)(_name|_path|_name_or_path|_id|_aux_list)?|backbone"
)
SEEING = re.compile(r"(?:.*/)?(siglip|clip-vit)[a-z0-9-]{0,30}-patch(\d{1,3})(?:-(\d{1,4}))?")  # of names on the Hub
PLACELESS = re.compile(  # settings that are no part which attends, or that are read with their model
    r"(attn|backbone|chronos|dual_chunk_attention|esmfold|ffn|generation|init\w*|lora|loss|moe|optim\w*|peft|"
    r"pretrained|ssm|task|test|train\w*|transformers\.js)_(config|cfg)"
)
WITHOUT_PLACES = re.compile("(adapter|aligner|projector|_head|gen_vision|attn|ffn)_(config|cfg)$")
INDEXED: Mapping[str, str] = {  # which channels the indexer of a class pairs, as its code in transformers 5.23 has it
    **dict.fromkeys(("axk2", "deepseek_v32", "hy_v4"), "halves"),
    **dict.fromkeys(("dots3_note", "glm_moe_dsa", "mistral_large4"), "neighbours"),
}
NEWER = {  # of older names, which classes that have them obey too, and before them
    "n_positions": "max_position_embeddings",
    "n_embd": "hidden_size",
    "n_head": "num_attention_heads",
    "n_layer": "num_hidden_layers",
    "num_layers": "num_hidden_layers",
}
T5GEMMA = ("t5_gemma_module", "encoder")  # the only type of which one part sees both ways
OF_SERIES = ("patch_length", "input_token_len")  # of TimesFM and of Timer
MAX_PARTS = 100  # of one level
MAX_FIELD = 100  # characters of a name that is looked at
NO_HEAD_DIM = frozenset({"dynamic", "yarn", "longrope"})  # rules that take a head_dim of null as it is


def inspected(source: str | bytes | Mapping[str, Any]) -> Positions:
    """Return what the configuration of a model says about positions, as transformers 5.23 reads it.

    `source` is the text of a `config.json`, its UTF-8 bytes, or what it says as a mapping. Raises `ConfigError`, one
    sentence that names the field, the rule and the value, for what is broken, for what transformers refuses or fails
    to build, and for types of models that are not known here.
    """
    whole, translated = in_names_of_transformers(parsed(source))
    found = level_of(whole)
    positions = _read(found.kind, found.path, found.given, sure=not found.told)
    if found.trained is not None:
        positions = _trained(positions, found.trained)
    if found.ntk is not None:
        positions = _stretched(positions, found.ntk)
    parts = [*_parts(whole, found), *_around(whole, found)]
    guess = any("This is a guess" in line for line in found.told) and found.given.get("model_type") != found.kind
    if guess and positions.pairs is not None and whole.get("model_type") not in ALIKE:
        positions = replace(positions, pairs=None, unknown=(*positions.unknown, CANNOT_KNOW[1]))
    told = (
        *translated,
        *found.told,
        *(_remote(whole) if found.path else ()),
        *_foreign(whole, found),
        *_of_points(whole),
        *_of_patches(whole, found),
        *_dropped(whole, found),
        *positions.warnings,
    )
    return replace(
        positions,
        summary="; ".join([positions.summary.removesuffix("."), *(told for told, _ in parts if told)]) + ".",
        warnings=tuple(dict.fromkeys(one.replace(UNREAD, OF_A_GUESS) if guess else one for one in told)),
        unknown=(*positions.unknown, *(unknown for _, unknown in parts if unknown)),
    )


def _around(whole: Json, found: Level) -> list[tuple[str, str]]:
    """Return what is not known of a model that joins known parts, and whose own type is not known here."""
    kind = whole.get("model_type")
    known = (None, "", *CLASSES, *READERS, *LEVELS_OF, *ALIKE, *WHOLES)
    if not found.path or kind in known:
        return []
    return [("", f"what the code of {shown(kind)} does beside its parts: its type is not known here")]


def _foreign(whole: Json, found: Level) -> tuple[str, ...]:
    """Return what is told where `architectures` names a class that is not called after a type that is known here.

    Such a class has code of its own, though no `auto_map` says so.
    """
    name = foreign(whole, found.kind)
    if not name or found.path or "auto_map" in whole or whole.get("model_type") != found.kind:
        return ()
    return (f"architectures names {shown(name)}, no class of {found.kind}: this is what the built-in class would do.",)


def _dropped(whole: Json, found: Level) -> list[str]:
    """Return a sentence on fields that speak of positions, and that a guess as another type has left out."""
    if not found.told or found.kind not in READERS:
        return []
    given = whole
    for step in filter(None, found.path.split(".")):
        given = given.get(step) or {}
    read = [name for name, value in given.items() if isinstance(value, dict) or mechanism(given, name)]
    return left_over(given, [*found.given, *read], found.given.values(), found.kind)


def _of_points(whole: Json) -> tuple[str, ...]:
    """Return how many points in time Chronos reads, which has them in an object of its own."""
    given = whole.get("chronos_config")
    if not isinstance(given, dict):
        return ()
    length, size = given.get("context_length"), given.get("input_patch_size")
    if not isinstance(length, int) or isinstance(length, bool):
        return ()
    seen = f", {size:,} of them as one patch" if isinstance(size, int) else ""
    return (f"chronos_config says how many points in time its own code reads: {length:,}{seen}.",)


def _of_patches(whole: Json, found: Level) -> tuple[str, ...]:
    """Return how many points in time are one position, for models that turn patches of a series."""
    size = next((whole[name] for name in OF_SERIES if type(whole.get(name)) is int), None)
    return (f"A position is a patch of {size:,} points in time.",) if size and found.kind in CLASSES else ()


def _trained(positions: Positions, length: int) -> Positions:
    """Return the same with the trained length that a field of the model's own code tells."""
    groups = tuple(
        group if group.rotation is None else replace(group, rotation=replace(group.rotation, original_length=length))
        for group in positions.groups
    )
    return replace(positions, groups=groups, original_length=length)


def _stretched(positions: Positions, factor: float) -> Positions:
    """Return the same with the frequencies of the rule `ntk` of GTE's own code, which counts at every length."""
    groups = []
    for group in positions.groups:
        if (own := group.rotation) is not None:
            faster = sinusoidal.frequencies(own.n_rotated, own.base * factor)
            lower = faster / factor ** (2 / own.n_rotated)
            group = replace(group, rotation=replace(own, rule=sentences.NTK, factor=factor, frequencies=lower))
        groups.append(group)
    told = sentences.summary(positions.model_type, positions.level, groups, positions.claimed_length, counted=True)
    return replace(positions, groups=tuple(groups), summary=told)


def _read(kind: str, level: str, given: Json, *, sure: bool = True) -> Positions:
    """Return what the settings of one level say, which is `sure` to be of this type or only guessed to be."""
    prefix = f"{level}." if level else ""
    if (other := READERS.get(kind)) is not None:
        return _other(kind, level, prefix, given, other, sure=sure)
    model = CLASSES[kind]
    if kind == "step3p5":
        given, model = of_step(given, model)
    if (kind, level) == T5GEMMA:
        model = replace(model, both_sides=True)
    named = {model.names.get(name, name): value for name, value in given.items()}
    top = Fields(named, model.fields, prefix)
    if model.sums_head_dim:
        top, model = with_sum(top, model)
    if kind == "falcon" and top.flag("alibi", False):
        return _other(kind, level, prefix, given, FALCON, sure=sure)
    return _rotary(kind, level, model, top)


def _parts(whole: Json, found: Level) -> list[tuple[str, str]]:
    """Return a sentence, or what is not known, for each level beside that of the text: those of images and of sound."""
    inner, path, told = whole, "", _elsewhere(whole)
    for step in ["", *filter(None, found.path.split("."))]:
        inner = (inner.get(step) or {}) if step else inner
        path = ".".join(filter(None, (path, step)))
        kind = str(inner.get("model_type"))
        if (around := WHOLES.get(kind)) is not None:
            fields = Fields(inner, around.defaults, f"{path}." if path else "")
            told.append((f"{kind} {with_sizes(around.read(fields), kind, fields, sure=kind in SIZES).clause}", ""))
        usual = {name: one for name, one in LEVELS_OF.get(kind, {}).items() if kind not in OTHERS}
        some = dict(islice(inner.items(), MAX_FIELDS))
        others = [name for name, value in some.items() if isinstance(value, dict) and value]
        others = [name for name in others if name.endswith(("_config", "_cfg")) and not PLACELESS.fullmatch(name)]
        if kind not in (*CLASSES, *OTHERS, *LEVELS_OF):
            others += [name for name, value in some.items() if has_sizes(value) or _senses(name, value)]
        names = list(dict.fromkeys((*BESIDE, *usual, *others)))
        if len(names) > MAX_PARTS:
            told.append(("", f"what further parts do with positions: at most {MAX_PARTS} are read"))
        for name in names[:MAX_PARTS]:
            part, place = inner.get(name), ".".join(filter(None, (path, name)))
            if isinstance(part, dict) and not f"{found.path}.".startswith(f"{place}."):
                if inner.get(f"skip_{name.partition('_')[0]}_tower") is True:  # of Higgs Audio
                    told.append(("", f"what {place} does: the model is built without it"))
                    continue
                if around is not None and name == "decoder_config":
                    continue  # what is told of the whole is told of it
                if kind in OTHERS and name not in BESIDE and name in LEVELS_OF.get(kind, {}):
                    continue  # what is told of the whole is told of this part
                if kind in LEVELS_OF and name not in (*BESIDE, *usual, *KINDS_BESIDE.get(kind, ())):
                    told.append(("", f"what {place} does with positions: no class of transformers reads it"))
                    continue
                own = part.get("model_type", usual.get(name))
                own = usual.get(name) if own == kind else own  # files of Qwen2.5-VL name the type of the whole
                own = KINDS_BESIDE.get(kind, {}).get(name, "whisper_encoder" if own == "whisper" else own)
                if own not in (*READERS, *CLASSES):
                    part = by_model_name(part)
                    own = part.get("model_type", own)
                inside = LEVELS_OF.get(str(own), {})
                if name in inside and has_sizes(part) and not inside.keys() & part.keys():
                    own, inside = inside[name], {}  # a part under the type of a pair, as of MiniCPM-V: siglip
                levels = {key: part.get(key, {}) for key in inside if isinstance(part.get(key, {}), dict)}
                if levels and own not in OTHERS and own not in CLASSES:  # an encoder around the part that attends
                    told += [
                        _part(one, f"{place}.{key}", one.get("model_type"), inside[key]) for key, one in levels.items()
                    ]
                    if any(map(TURNS.search, part)):  # it attends itself, too
                        told.append(_guessed_part(part, place, str(own)))
                elif around is None or own in READERS or own in CLASSES:
                    told.append(_part(part, place, own))
    return told


def _elsewhere(whole: Json) -> list[tuple[str, str]]:
    """Return what is not known of parts that are only named, as those that see are by the first code of LLaVA."""
    found = []
    for name, value in whole.items():
        if isinstance(value, list) and all(isinstance(one, str) for one in value[:1]):
            value = ", ".join(map(str, value[:MAX_PARTS]))
        if not value or not isinstance(value, str) or len(name) > MAX_FIELD or not ELSEWHERE.fullmatch(name):
            continue
        unknown = f"what {name} does with positions: it is only named, and has a file of its own"
        if name == "backbone":
            found += _backbone(whole, value[:MAX_FIELD], unknown)
        elif not without_places(value):
            found.append((_by_its_name(name, value[:MAX_FIELD]), unknown))
    return found


def _backbone(whole: Json, value: str, unknown: str) -> list[tuple[str, str]]:
    """Return what a backbone of timm does, by its name alone; nothing for one without places, or with settings."""
    if isinstance(whole.get("backbone_config"), dict) or without_places(value):
        return []
    told = _by_timm(value)
    return [(told, "" if told else unknown)]


def _by_its_name(field: str, value: str) -> str:
    """Return a clause on the table of a CLIP or SigLIP that is only named, by the sizes in its name, else nothing."""
    named = SEEING.fullmatch(value)
    if named is None:
        return ""
    side = int(named[3] or 224) // max(int(named[2]), 1)
    more = " and 1 more" if named[1] != "siglip" else ""
    return f"{field} names {value.rpartition('/')[2]}, by its name a learned table of {side} x {side} patches{more}"


def _by_timm(value: str) -> str:
    """Return a clause on what a Swin of timm does, by its name; empty for others."""
    if not value.startswith("swin"):
        return ""
    given = by_name(value, 224)
    kind = str(given["model_type"])
    fields = Fields(given, READERS[kind].defaults, "")
    return f"backbone names {value}, which {with_sizes(READERS[kind].read(fields), kind, fields, sure=True).clause}"


def _senses(name: str, value: object) -> bool:
    """Return whether these are the settings of a part that sees or hears, by their name alone."""
    return isinstance(value, dict) and SENSES.fullmatch(name) is not None


def _part(part: Json, place: str, *kinds: object) -> tuple[str, str]:
    kind = next((one for one in kinds if isinstance(one, str) and (one in READERS or one in CLASSES)), None)
    if kind is None and WITHOUT_PLACES.search(place):
        return "", ""
    if kind is None:
        return _guessed_part(part, place, next((one for one in kinds if isinstance(one, str)), None))
    if kind in CLASSES:
        return _read(kind, place, part).summary.removesuffix("."), ""
    fields = Fields(part, READERS[kind].defaults, f"{place}.")
    clause = with_sizes(READERS[kind].read(fields), kind, fields, sure=kind == part.get("model_type", kind)).clause
    built = f"what the code of {place} does: its parts are seen, and what they are for is a guess"
    return f"{place} ({kind}) {clause}", built if kind in BUILT else ""


def _guessed_part(part: Json, place: str, kind: str | None) -> tuple[str, str]:
    """Return what a part of a type that is not known turns, where it has fields of RoPE, and that this is a guess."""
    not_known = "", f"what {place} does with positions: its type is not known here"
    part = dict(islice(part.items(), MAX_FIELDS))
    if not any(map(TURNS.search, part)):
        return not_known
    try:
        found = guessed(part, place, kind, place)
        if found.kind not in CLASSES:
            return not_known
        told = _read(found.kind, place, found.given, sure=False).summary.removesuffix(".")
    except ConfigError:
        return not_known
    return told, f"what the code of {place} does: it is read as {found.kind}, which is a guess"


def _other(kind: str, level: str, prefix: str, given: Json, other: Other, *, sure: bool) -> Positions:
    newer = {old: given[name] for old, name in NEWER.items() if name in given and old in other.defaults}
    top = Fields({**given, **newer}, other.defaults, prefix)
    found: Found = other.read(top)
    joint = {"alibi": ", and", "rope": ", and", "none": "; it"}.get(found.mechanism)
    claimed = f"{joint} claims {found.length:,} tokens" if joint and found.length else ""
    told = sizes(found, kind, top, sure=sure)
    encodes = found.mechanism == "alibi" and given.get("is_causal") is False  # a guess that has no groups of layers
    told += f"; {AHEAD_AS_BACK}" if encodes or any(group.both_sides for group in found.groups) else ""
    said = {*top.said, *top.filled, *(prefix + one for one in given if any(one in line for line in found.warnings))}
    searched = kind not in OWN_CODE and kind not in DIFFUSERS
    left = left_over(given, said, (found.length,), kind, prefix, searched=searched)
    return Positions(
        model_type=kind,
        level=level,
        mechanism=found.mechanism,
        summary=f"{kind} {found.clause}{claimed}{told}.",
        groups=found.groups,
        original_length=found.length if found.groups or found.mechanism != "rope" else None,
        claimed_length=found.length,
        said=top.said,
        filled=top.filled,
        unknown=CANNOT_KNOW[:1],
        warnings=(
            *([SEEN.format(kind)] if kind in BUILT else []),
            *found.warnings,
            *REMARKS.get(kind, ()),
            *([] if sure else _uneven(given)),
            *([CROSS] if kind in ASKING.split() and _asks(given) else []),
            *left,
            *(() if kind in OWN_CODE else _remote(given)),
        ),
        pairs=found.pairs,
    )


def _uneven(given: Json) -> list[str]:
    """Return what is told of a width that its heads do not divide."""
    width, heads = given.get("hidden_size"), given.get("num_attention_heads")
    if type(width) is not int or type(heads) is not int or heads < 1 or width % heads == 0:
        return []
    return [f"hidden_size {width:,} is no multiple of num_attention_heads {heads:,}: most classes cannot be built so."]


def _asks(given: Json) -> bool:
    """Return whether layers are to ask another model of what is no decoder."""
    return given.get("add_cross_attention") is True and not given.get("is_decoder")


def _remote(given: Mapping[str, Any]) -> tuple[str, ...]:
    told = "auto_map names code of the model's own, which decides: this is what the built-in class would do."
    return (told,) if "auto_map" in given else ()


def _rotary(kind: str, level: str, model: ModelClass, top: Fields) -> Positions:
    frames = not model.reads_tokens and not kind.endswith("_assistant")  # these go on from what another one has read
    warnings: list[str] = [*([PLACES] if frames else []), *REMARKS.get(kind, ()), *_remote(top.given)]
    unknown = list(CANNOT_KNOW if model.pairs is None and "rope_interleave" not in top.defaults else CANNOT_KNOW[:1])
    claimed = top.whole("max_position_embeddings") if "max_position_embeddings" in {*top.given, *top.defaults} else None
    groups = layer_groups(top, model, warnings, unknown)
    settings = ropes(top, model, warnings)
    for name, one in settings.items():
        _original_at_top(top, model, name, one, warnings)
    rotations: dict[str, Rotation | None] = {}
    for name, one in settings.items():
        rotations[name] = None
        if one is not None:
            width = _head_dim(top, model, name, one, warnings)
            own = rotation(one, model_type=kind, model=model, head_dim=width, claimed=claimed, warnings=warnings)
            if width % 2 and own.n_rotated == width and (model.derives_head_dim or top.value("head_dim")):
                refuse("head_dim", "be even where all channels turn", width)
            rotations[name] = own
    groups = with_factors(groups, top, model, settings.get(""), warnings)
    for one in settings.values():
        if one is not None:
            top.said.update(one.said)
            top.filled.update({key: value for key, value in one.filled.items() if key not in top.said})
    turned = _joined(groups, rotations)
    turned = _partly_scaled(turned, top)
    if "position_embedding_type" in top.defaults and top.text("position_embedding_type") != "rope":
        turned = [replace(group, rotation=None) for group in turned]
        warnings.append('position_embedding_type is not "rope": nothing is turned, whatever the base.')
    without = [name for name, one in settings.items() if one is not None and one.place("rope_theta") in one.filled]
    if without == [""] and top.says("rope_theta"):
        warnings.append("rope_theta at the top is not read by this class: its own base is used.")
    elif without and top.says("rope_theta"):
        warnings.append(f"rope_theta at the top does not reach {without[0]}: the base of the class is used there.")
    elif without:
        warnings.append("No base is given. The base of the class is used; the released model may have another one.")
    layout = model.pairs
    if "rope_interleave" in top.defaults:
        layout = pairs = "neighbours" if top.flag("rope_interleave", True) else "halves"
        warnings.append(f"Channels are turned in pairs of {pairs}: parameters of the other layout must be reordered.")
    if isinstance(inner := top.given.get("attn_config"), Mapping) and inner.get("rope_theta") is not None:
        told = f"attn_config.rope_theta {shown(inner['rope_theta'])} is ignored by transformers 5.23, which reads"
        warnings.append(f"{told} rope_theta at the top: the released model was trained with that of attn_config.")
    if kind == "moonshine":
        count = top.given.get("encoder_num_hidden_layers", model.fields["num_hidden_layers"])
        warnings.append(f"These are the layers of the decoder: the {shown(count)} of its encoder turn alike.")
    served = _served(top, turned, claimed, warnings)
    warnings += unread(top, model, kind) + on_lengths(top, turned, served)
    if any(group.kind in WITHOUT_TURNING for group in turned) and (line := convolved(top)):
        warnings.append(f"{line[0].upper()}{line[1:]}.")
    if any(group.kind == "indexed_attention" for group in turned) and "index_topk" in {*top.given, *top.defaults}:
        most = top.whole("index_topk")
        heads, width = (top.value(name) for name in ("index_n_heads", "index_head_dim"))
        sizes, turns = "", ""
        if type(heads) is type(width) is int:
            sizes = f" of {heads:,} heads of {width:,} channels"
            some = top.value("qk_rope_head_dim")
            turns = f"; it turns {some} of them, in pairs of {INDEXED[kind]}" if kind in INDEXED else ""
        warnings.append(f"A token reads at most {most:,} tokens, which an indexer{sizes} picks (index_topk){turns}.")
    chunked = _chunked(top, served, warnings)
    first = next((group.rotation for group in turned if group.rotation is not None), None)
    lengths = {group.rotation.original_length for group in turned if group.rotation is not None}
    trained = min((length for length in lengths if length is not None), default=None)
    if served != claimed:
        trained = claimed
    elif first is not None and None in lengths:
        why = "the file tells no length" if claimed is None else "which the rule linear does not need"
        unknown.append(f"the original length, {why}")
        trained = None
    found = Positions(
        model_type=kind,
        level=level,
        mechanism="rope" if first is not None else "none",
        summary=sentences.summary(
            kind,
            level,
            turned,
            served,
            counted=top.says("num_hidden_layers"),
            default=served == claimed and not top.says("max_position_embeddings"),
        ),
        groups=tuple(turned),
        pairs=layout if first is not None else None,
        original_length=trained,
        claimed_length=served,
        said=top.said,
        filled=top.filled,
        unknown=tuple(unknown),
        warnings=tuple(dict.fromkeys(warnings)),
    )
    seen = chunked or (claimed if served != claimed else None)
    return found if seen is None else _trained(found, seen)


def _chunked(top: Fields, claimed: int | None, warnings: list[str]) -> int | None:
    """Return the trained length of a file with Dual Chunk Attention, None of others; say what engines do with it."""
    own = top.given.get("dual_chunk_attention_config")
    if own is None:
        return None
    told = "dual_chunk_attention_config is ignored by transformers; some engines obey it"
    inner = own if isinstance(own, Mapping) else {}
    original, size = inner.get("original_max_position_embeddings"), inner.get("chunk_size")
    if type(original) is not int or type(size) is not int or claimed is None or not 0 < original <= claimed:
        warnings.append(f"{told}.")
        return None
    warnings.append(f"{told}: they number a text by chunks of {size:,}, so that no distance is beyond {original:,}.")
    return original


def _partly_scaled(groups: list[LayerGroup], top: Fields) -> list[LayerGroup]:
    """Return the groups with the layers apart that Molmo 2 turns as before its rule: all but `rope_scaling_layers`."""
    if top.given.get("model_type") != "molmo2_text" or top.value("rope_scaling_layers") is None:
        return groups
    [whole], given = groups, top.value("rope_scaling_layers")
    layers, rotation = whole.layers or (), whole.rotation
    numbers = [one for one in given if type(one) is int and 0 <= one < len(layers)] if isinstance(given, list) else None
    if numbers is None or len(numbers) < len(given):
        refuse(top.place("rope_scaling_layers"), f"be a list of numbers of layers from 0 to {len(layers) - 1}", given)
    if rotation is None or rotation.rule == "default":
        return groups
    plain = replace(rotation, rule="default", factor=None, frequencies=rotation.plain, beyond=None, attention_factor=1)
    scaled = set(numbers)
    apart = (
        LayerGroup("scaled", tuple(layer for layer in layers if layer in scaled), rotation=rotation),
        LayerGroup("unscaled", tuple(layer for layer in layers if layer not in scaled), rotation=plain),
    )
    return [group for group in apart if group.layers]


def _served(top: Fields, groups: list[LayerGroup], claimed: int | None, warnings: list[str]) -> int | None:
    """Return the claimed length: that of max_sequence_length where it is as many times longer as a linear rule scales.

    So files of Vicuna have it, whose max_position_embeddings is the trained length.
    """
    length, factors = top.given.get("max_sequence_length"), {one.rotation.factor for one in groups if one.rotation}
    rules = {one.rotation.rule for one in groups if one.rotation}
    if rules != {"linear"} or len(factors) != 1 or claimed is None or not isinstance(length, int):
        return claimed
    factor = factors.pop()
    if factor is None or factor <= 1 or length != claimed * factor:
        return claimed
    warnings.append(
        f"max_sequence_length {length:,} is {factor:g} times max_position_embeddings {claimed:,}: the first is taken "
        "as the claimed length, the second as the original one. transformers 5.23 reads the second alone."
    )
    return top.whole("max_sequence_length")


def _original_at_top(top: Fields, model: ModelClass, name: str, rope: Fields | None, warnings: list[str]) -> None:
    """Let the original length of the top level replace that of a flat object, as transformers does when it builds."""
    key = "original_max_position_embeddings"
    if rope is None or name or (key not in top.given and key not in top.defaults):
        return
    value = top.whole(key)
    if not rope.says(key) and "su" in (rope.given.get("rope_type"), rope.given.get("type")):
        warnings.append(
            f"transformers 5.23 refuses this file: with the older name su it wants {key} inside the rule. It is read "
            "as longrope, the later name of su."
        )
    if rope.says(key) and rope.given[key] != value:
        warnings.append(f"{key} {value:,} of the top level or the class replaces {shown(rope.given[key])} inside.")
    if isinstance(rope.given, dict):
        rope.given[key] = value


def _head_dim(top: Fields, model: ModelClass, name: str, rope: Fields, warnings: list[str]) -> int:
    """Return the channels of one head of which some are turned."""
    given = top.given.get("head_dim")
    if model.refuses_head_dim and given is not None and given != model.fields.get("head_dim"):
        refuse(
            "head_dim", "be that of the class or left out, because transformers cannot build the model otherwise", given
        )
    if given is not None and not model.obeys_head_dim and name not in model.head_dims:
        warnings.append(f"head_dim {shown(given)} is ignored by this model.")
    if model.copies_rope_head_dim:
        own = top.whole("qk_rope_head_dim", maximum=MAX_WIDTH)
        still = top.given.get("qk_nope_head_dim")
        others = f"qk_nope_head_dim ({still:,})" if isinstance(still, int) else "qk_nope_head_dim"
        warnings.append(f"The channels counted here are qk_rope_head_dim; the others of a head, {others}, stay.")
        if model.obeys_head_dim and given not in (None, own):
            warnings.append(f"head_dim {shown(given)} replaces qk_rope_head_dim {own}: remove it.")
            return top.whole("head_dim", maximum=MAX_WIDTH)
        return own
    if name in model.head_dims:
        differ = len(set(model.head_dims.values())) > 1
        field = "global_head_dim" if differ and name == "full_attention" else "head_dim"
        return top.whole(field, maximum=MAX_WIDTH) if top.says(field) else model.head_dims[name]
    if top.value("head_dim") is not None and (given is None or model.obeys_head_dim):
        return top.whole("head_dim", maximum=MAX_WIDTH)
    if given is not None and not model.obeys_head_dim and model.fields.get("head_dim"):
        return int(model.fields["head_dim"])
    width, heads = top.whole("hidden_size", maximum=16 * MAX_WIDTH), top.whole("num_attention_heads")
    if not model.derives_head_dim and "head_dim" in {*top.given, *top.defaults}:
        rule = rope.text("rope_type") or rope.text("type")
        if rule in NO_HEAD_DIM:
            refuse(
                "head_dim", f"be given for the rule {rule}, because transformers cannot build the model otherwise", None
            )
    if width % heads and model.must_divide:
        refuse("hidden_size", f"be a multiple of num_attention_heads ({heads})", width)
    if width // heads > MAX_WIDTH:
        refuse("hidden_size / num_attention_heads", f"be at most {MAX_WIDTH}", width // heads)
    return width // heads


def _joined(groups: list[LayerGroup], rotations: Mapping[str, Rotation | None]) -> list[LayerGroup]:
    """Return the groups with their rotations; kinds of rotation that no layer has by name stand for themselves."""
    joined = []
    for group in groups:
        kind = group.kind.removesuffix(WITHOUT)
        turns = kind == group.kind and kind not in WITHOUT_TURNING
        own = rotations.get("", rotations.get(kind, rotations.get(TURNS_AS.get(kind, "")))) if turns else None
        if group.kind == ALL_LAYERS and "" not in rotations:
            continue
        joined.append(replace(group, rotation=own))
    kinds = {group.kind.removesuffix(WITHOUT) for group in joined}
    joined += [
        LayerGroup(name, None, rotation=own)
        for name, own in rotations.items()
        if name and name not in (*kinds, *TURNS_AS.values()) and own
    ]
    return joined
