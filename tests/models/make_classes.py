"""Facts about the configuration classes of transformers: `python -m tests.models.make_classes` writes them anew.

What a class does with a field is not read from its source but tried: a configuration is made with the field set, and
looked at. A type of model is kept if all its rotary layers count in tokens, and its configuration is one of a text.
"""

import importlib
import inspect
import json
import re
from pathlib import Path

from tests.models.modules import frequencies, groups, head_dims, made, multimodal, quietly, read, rotary_of

TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "classes.json"
NO_TEXT = re.compile(  # levels of a composite model that have no text
    r"vision|audio|encoder|video|_dit|asr|tts|codec|mimi|^sam|timesfm|mlcd|pixtral|loftr|eomt|musicflamingo|higgs|csm"
    r"|moshi|kyutai|dia_|voxtral|lasr|^pe_|nemotron3|^blt|gradium|transcribe|talker|EvollaModel|^evolla|assistant|module"
)
FIELDS = [
    "hidden_size", "num_attention_heads", "num_hidden_layers", "head_dim", "global_head_dim", "qk_rope_head_dim",
    "qk_nope_head_dim", "max_position_embeddings", "original_max_position_embeddings", "sliding_window",
    "use_sliding_window", "max_window_layers", "attention_chunk_size", "no_rope_layer_interval",
    "attn_temperature_tuning", "floor_scale", "attn_scale", "rope_interleave", "alibi", "position_embedding_type",
    "prefix_dense_sliding_window_pattern",
]  # fmt: skip
BASES = (
    "rope_theta", "rotary_emb_base", "rope_local_base_freq", "global_rope_theta", "local_rope_theta",
    "compress_rope_theta",
)  # fmt: skip
PARTS = ("partial_rotary_factor", "rotary_pct")
PATTERNS = ("sliding_window_pattern", "global_attn_every_n_layers", "_sliding_window_pattern")
PATTERNS += ("full_attention_interval", "layer_group_size")
WINDOWS = ("sliding_window_size", "attention_window_size", "window_size")
PERIODS = ("block_types",)  # the kinds of layer of one period, kept whole
LISTS = ("attn_layer_indices", "full_attn_idxs")  # of numbers of layers, kept as null: the class counts its layers
MARK = 777.0
OTHER_WIDTH = 48  # of a head: no class has it
# Heads twice as wide as the hidden size says, and places in two dimensions.
LEFT_OUT = {"zamba2", "efficientloftr", "eomt_dinov3"}
MAX_PERIOD = 8
COUNTS = (7, 13)  # of layers, with which a period is looked for


def reached(maker, names, key):
    """Return, by kind of layer, which of these fields of the top level set `key`."""
    found = {}
    for name in names:
        config = made(maker, **{name: MARK if key == "rope_theta" else 0.75})
        for group, rope in groups(config).items() if config is not None else ():
            if rope and rope.get(key) == (MARK if key == "rope_theta" else 0.75):
                found.setdefault(group, []).append(name)
    return found


def scaled(maker):
    """Return the kinds of layers that the older `rope_scaling` reaches."""
    config = made(maker, rope_scaling={"rope_type": "linear", "factor": 2.0})
    return [group for group, rope in groups(config).items() if rope and rope.get("factor") == 2.0] if config else []


def parts(maker, config, rope):
    """Return, by kind of layer, which fields of the top level say what fraction of the channels is rotated."""
    if "" in rope:
        return reached(maker, PARTS, "partial_rotary_factor")
    usual, found = frequencies(rotary_of(config)), {}
    for name in PARTS:
        asked = made(maker, **{name: 0.75})
        rotary = rotary_of(asked) if asked is not None else None
        for kind, own in frequencies(rotary).items() if rotary is not None else ():
            if len(own) != len(usual[kind]):
                found.setdefault(kind, []).append(name)
    return found


def flat(maker, rope):
    """Return the kinds of layers that a flat `rope_parameters` reaches; None where it is refused, or nothing built."""
    config = made(maker, rope_parameters={"rope_type": "linear", "factor": 2.0})
    if config is None or rotary_of(config) is None:
        return None
    return [kind for kind, own in groups(config).items() if kind in rope and own and own.get("factor") == 2.0]


def kept_parts(maker, rope):
    """Return the rotated fraction of each kind of layer whose settings in `rope_parameters` have a rule and none."""
    asked = {kind: {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4} for kind in rope}
    config = made(maker, rope_parameters=asked.get("", asked))
    found = {kind: (own or {}).get("partial_rotary_factor") for kind, own in groups(config).items()} if config else {}
    return {kind: part for kind, part in found.items() if part is not None}


def plain_parts(maker, config, rope):
    """Return the rotated fraction of each kind of layer that plain RoPE keeps where its settings have none."""
    if "" in rope or any(own is None for own in rope.values()):
        return {}
    asked = {kind: {"rope_type": "default", "rope_theta": 1e4} for kind in rope}
    silent = made(maker, rope_parameters=asked)
    rotary = rotary_of(silent) if silent is not None else None
    counts = {kind: len(own) for kind, own in frequencies(rotary).items()} if rotary is not None else {}
    parts = {
        kind: own["partial_rotary_factor"] for kind, own in rope.items() if own.get("partial_rotary_factor", 1) != 1
    }
    usual = frequencies(rotary_of(config))
    return {
        kind: part
        for kind, part in parts.items()
        if rope[kind]["rope_type"] == "default" and counts.get(kind) == len(usual.get(kind, ()))
    }


def where_the_file_has_a_rule(maker, key):
    """Return base or rotated fraction of a class with one setting for all layers, where only a rule is given."""
    config = made(maker, rope_scaling={"rope_type": "linear", "factor": 2.0})
    return (groups(config).get("") or {}).get(key) if config is not None else None


def refuses_rules(maker, config):
    """Return whether a class with one setting for all layers fails for the simplest rule, when made or when built."""
    if "" not in groups(config):
        return False
    asked = made(maker, rope_scaling={"rope_type": "linear", "factor": 2.0})
    return asked is None or rotary_of(asked) is None


def wide(maker, config, width):
    """Return a configuration with heads of another width, and where it has sections of M-RoPE, those that fit."""
    if not multimodal(maker, config):
        return made(maker, head_dim=width)
    third = width // 6
    sections = [third, third, width // 2 - 2 * third]
    return made(maker, head_dim=width, rope_parameters={**groups(config)[""], "mrope_section": sections})


def obeys_head_dim(maker, config):
    """Return whether the field head_dim is the width of a head, and not a name that nobody reads."""
    width = 3 * (read(config, "head_dim") or 64)
    asked = wide(maker, config, width)
    rotary = rotary_of(asked) if asked is not None else None
    usual = rotary_of(config)
    return rotary is not None and [len(one) for one in frequencies(rotary).values()] != [
        len(one) for one in frequencies(usual).values()
    ]


def understands_mrope(maker):
    """Return whether a class takes the older rule `mrope` for plain RoPE."""
    config = made(maker, rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]})
    return config is not None and (groups(config).get("") or {}).get("rope_type") == "default"


def needs_sections(maker, rope):
    """Return whether a class with one setting for all layers fails where its settings have no `mrope_section`."""
    if "mrope_section" not in rope.get("", {}):
        return False
    config = made(maker, rope_parameters={key: value for key, value in rope[""].items() if key != "mrope_section"})
    return config is None or rotary_of(config) is None


def obeys_part(maker, config):
    """Return whether a plain rotary module turns half of the channels where it is told so."""
    whole = groups(config)
    if "" not in whole:
        return True
    theta = whole[""].get("rope_theta", 1e4)
    counts = []
    for part in (1.0, 0.5):
        asked = made(
            maker, rope_parameters={"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": part}
        )
        rotary = rotary_of(asked) if asked is not None else None
        counts.append(len(frequencies(rotary)[""]) if rotary is not None else 0)
    return counts[1] < counts[0]


def adds_up(maker, kept):
    """Return whether a head is as wide as the channels that turn and those that do not, whatever they are."""
    names = ("qk_rope_head_dim", "qk_nope_head_dim")
    if not all(kept.get(name) for name in names):
        return False
    wider = made(maker, **{name: 2 * kept[name] for name in names})
    return read(wider, "head_dim") == 2 * sum(kept[name] for name in names)


def pattern(maker, config):
    """Return the kinds of layers of one period, and that of the last layer where it has one whatever the period.

    The first is None where the class has no period, or it does not repeat.
    """
    made_so = [config, *(made(maker, num_hidden_layers=count) for count in COUNTS)]
    lists = [own.to_dict().get("layer_types") for own in made_so if own is not None]
    if len(lists) < 2 or not all(lists):
        return None, None
    for last in (None, lists[0][-1]):
        for period in range(1, MAX_PERIOD + 1):
            kinds = lists[0][:period]
            if all(own == repeated(kinds, len(own), last) for own in lists):
                return kinds, last
    return None, None


def forces_last(maker):
    """Return whether the last layer sees all tokens though the file says that it slides."""
    slides = ["sliding_attention"] * 2
    asked = made(maker, num_hidden_layers=2, layer_types=list(slides))
    return asked is not None and read(asked, "layer_types") == [slides[0], "full_attention"]


def repeated(kinds, count, last):
    """Return the kinds of so many layers, of which the last one may have a kind of its own."""
    found = [kinds[i % len(kinds)] for i in range(count)]
    return found if last is None else [*found[:-1], last]


def pattern_fields(maker, config):
    """Return the names of fields that say how many layers make one period."""
    usual = read(config, "layer_types")
    others = {name: made(maker, **{name: 3}) for name in PATTERNS}
    return [name for name, own in others.items() if own is not None and read(own, "layer_types") != usual]


def windows(maker, config):
    """Return the fields beside sliding_window that set the window, each with what the window is larger by."""
    found = {}
    for name in WINDOWS:
        own = made(maker, **{name: int(MARK)}) if name not in config.attribute_map else None
        window = read(own, "sliding_window") if own is not None else None
        if window is not None and window != read(config, "sliding_window"):
            found[name] = window - int(MARK)
    return found


def alternates(maker, kept):
    """Return whether every second layer below `max_window_layers` has a window, where others have it from there on."""
    usual = {"use_sliding_window": True, "num_hidden_layers": 4, "max_window_layers": 3}
    kinds = read(made(maker, **usual), "layer_types") if "max_window_layers" in kept else None
    return kinds == ["sliding_attention", "full_attention"] * 2


def facts(kind, maker):
    """Return what is kept of one type of model, or None where it is none of those."""
    config = made(maker)
    rope = groups(config) if config is not None else {"": {}}
    if not any(rope.values()) or any(value and value.get("rope_type") == "axial" for value in rope.values()):
        return None
    said = config.to_dict()  # has what an attribute does not where layers differ
    if said.get("num_attention_heads", read(config, "num_attention_heads")) is None or kind in LEFT_OUT:
        return None
    rotary = rotary_of(config)
    if rotary is None:
        return None
    wider = made(maker, hidden_size=2 * config.hidden_size) if read(config, "hidden_size") else None
    source = inspect.getsource(importlib.import_module(maker.__module__.replace("configuration_", "modeling_")))
    head_dim = read(config, "head_dim")
    kept = {
        name: read(config, name, said.get(name))
        for name in FIELDS
        if hasattr(type(config), name) or read(config, name, said.get(name)) is not None
    }
    kept = {name: value for name, value in kept.items() if isinstance(value, int | float | str | None)}
    if "use_sliding_window" in kept:  # the default of the window is only seen where it is switched on
        kept["sliding_window"] = read(made(maker, use_sliding_window=True), "sliding_window")
    kept |= {name: None for name in LISTS if hasattr(config, name)}
    kept |= {name: read(config, name) for name in PERIODS if hasattr(config, name)}
    rope_dim = made(maker, qk_rope_head_dim=32) if "qk_rope_head_dim" in kept else None
    part_of = made(maker, rotary_dim=16)
    flags = read(config, "no_rope_layers")
    if isinstance(flags, list) and kept.get("no_rope_layer_interval") is None:
        kept["no_rope_layer_interval"] = flags.index(0) + 1
    derives = wider is not None and head_dim is not None and read(wider, "head_dim") == 2 * head_dim
    copies = rope_dim is not None and read(rope_dim, "head_dim") == 32
    if derives or copies:
        kept.pop("head_dim", None)
    return {
        "fields": kept,
        "names": {new: old for old, new in config.attribute_map.items() if old in FIELDS and new not in FIELDS}
        | {new: old for new, old in config.attribute_map.items() if old in FIELDS and new not in FIELDS},
        "rope": rope,
        "theta": where_the_file_has_a_rule(maker, "rope_theta"),
        "part": where_the_file_has_a_rule(maker, "partial_rotary_factor"),
        "bases": reached(maker, BASES, "rope_theta"),
        "kept_parts": kept_parts(maker, rope),
        "plain_parts": plain_parts(maker, config, rope),
        "parts": parts(maker, config, rope),
        "scaled": [group for group in scaled(maker) if group in rope],
        "flat": flat(maker, rope) if "" not in rope else [],
        "obeys_part": obeys_part(maker, config),
        "layers": pattern(maker, config)[0],
        "last_layer": pattern(maker, config)[1],
        "forces_last": forces_last(maker),
        "has_layer_types": bool(config.to_dict().get("layer_types")),
        "pattern_fields": pattern_fields(maker, config),
        "windows": windows(maker, config),
        "alternates": alternates(maker, kept),
        "reads_tokens": "vocab_size" in said,
        "no_rope_layers": isinstance(read(config, "no_rope_layers"), list),
        "scales_softmax": "mscale_all_dim" in source,
        "must_divide": made(maker, hidden_size=(read(config, "hidden_size") or 0) + 4) is None,
        "derives_head_dim": derives,
        "copies_rope_head_dim": copies,
        "sums_head_dim": adds_up(maker, kept),
        "head_dims": head_dims(config, rotary),
        "rotary_dim": part_of is not None
        and head_dim
        and groups(part_of).get("", {}).get("partial_rotary_factor") == 16 / head_dim,
        "mrope": understands_mrope(maker),
        "multimodal": multimodal(maker, config),
        "needs_sections": needs_sections(maker, rope),
        "refuses_rules": refuses_rules(maker, config),
        "obeys_head_dim": obeys_head_dim(maker, config),
        "refuses_head_dim": wide(maker, config, OTHER_WIDTH) is None,
        "refuses_base": made(maker, rope_theta=MARK) is None,
    }


def subs(mapping, kept):
    """Return, by type of composite model, the key of the level that has the text, and its type of model."""
    found = {}
    for kind in list(mapping):
        for key, maker in (mapping[kind].sub_configs or {}).items():
            if getattr(maker, "model_type", None) in kept and not NO_TEXT.search(key):
                found.setdefault(kind, {})[key] = maker.model_type
    return {kind: keys for kind, keys in found.items() if kind not in kept}


def table():
    """Return all facts, as they are kept."""
    mapping = quietly()
    found = {kind: facts(kind, mapping[kind]) for kind in sorted(mapping.keys())}
    kept = {kind: what for kind, what in found.items() if what is not None}
    version = importlib.import_module("transformers").__version__
    return {"transformers": version, "classes": kept, "composites": subs(mapping, kept)}


def text(facts):
    """Return the facts as the file has them: one line for each type of model."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items())
            lines.append(f"{json.dumps(name)}: {{\n{inner}\n}}")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TARGET.write_text(text(table()), encoding="utf-8")
