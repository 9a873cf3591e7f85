"""The dialects in which a configuration says how it rotates, brought into one: an object for each kind of layer.

Files of transformers 4 have `rope_theta` and `rope_scaling` at the top, those of 5 an object `rope_parameters`, flat or
with one object for each kind of layer. A `rope_scaling` that is not empty replaces `rope_parameters` as a whole. The
base is that of the object, then that of the top level, then that of the class.
"""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pe_core.models.classes import ModelClass
from pe_core.models.fields import Fields
from pe_core.models.reading import refuse
from pe_core.models.turning.layers import NUMBERED

# Kinds of layer of DeepSeek-V4 and dots3 that turn qk_rope_head_dim of the channels of a head.
TURNS_ROPE_HEAD_DIM = ("main", "compress", "indexed_attention")
KEYS = frozenset([
    "rope_type", "type", "rope_theta", "factor", "partial_rotary_factor", "original_max_position_embeddings",
    "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate", "short_factor", "long_factor",
    "low_freq_factor", "high_freq_factor", "mrope_section", "mrope_interleaved", "xdrope_section",
    "llama_4_scaling_beta", "alpha", "short_mscale", "long_mscale", "finetuned", "max_position_embeddings",
])  # fmt: skip
MORE_LAYERS = "num_nextn_predict_layers"
COMPRESSED = "compress"  # the layers of DeepSeek-V4 that flat settings and `rope_scaling` reach, but for two of them
ELSEWHERE = ("rope_theta", "partial_rotary_factor")  # which are those of the top level or the class


def ropes(top: Fields, model: ModelClass) -> dict[str, Fields | None]:
    """Return the settings by kind of layer, under "" where all layers share them; None for one without RoPE.

    What transformers would ignore or replace is warned of. Raises `ConfigError`.
    """
    scaling, parameters = top.object("rope_scaling"), top.object("rope_parameters")
    if model.is_nested:
        return _nested(top, model, scaling, parameters)
    if scaling and not model.scaled and not model.refuses_rules:
        top.warn("rope_scaling is ignored by this model: it reads rope_parameters only.")
        scaling = None
    if scaling and parameters:
        top.warn("rope_scaling replaces rope_parameters as a whole, its base and its rule.")
    name = "rope_scaling" if scaling else "rope_parameters"
    given = scaling or parameters or {}
    inner = [key for key, value in given.items() if isinstance(value, Mapping)]
    given_kinds = top.given.get("layer_types")
    numbered = any(top.given.get(name) for name in NUMBERED if name in top.defaults)
    other = inner if model.has_layer_types or numbered else []
    kinds = given_kinds if isinstance(given_kinds, list) else model.layers or other
    if any(kind in kinds for kind in inner):
        refuse(f"{name}.{inner[0]}", "be left out: this model has one setting for all layers", given[inner[0]])
    if inner:
        top.warn(f"{name}.{inner[0]} is ignored: this model has one setting for all layers.")
    return {"": _settled(top, model, "", given, f"{name}.")}


def of_step(given: Mapping[str, Any], model: ModelClass) -> tuple[dict[str, Any], ModelClass]:
    """Return the fields of a file of Step 3.5 in the dialect of transformers 5, and its class with its kinds of layer.

    Its lists have an entry for each layer, and some for layers that only predict further tokens. Each kind of layer
    takes the base and the rotated fraction of its first layer.
    """
    found, kinds = dict(given), given.get("layer_types")
    count, more = given.get("num_hidden_layers", model.fields["num_hidden_layers"]), given.get(MORE_LAYERS, 0)
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        return found, model
    if isinstance(count, int) and isinstance(more, int) and len(kinds) == count + more:
        kinds = found["layer_types"] = kinds[:count]
    names = list(dict.fromkeys(kinds))
    own: dict[str, dict[str, Any]] = {kind: {} for kind in names}
    for name, key in (("rope_theta", "rope_theta"), ("partial_rotary_factors", "partial_rotary_factor")):
        values = given.get(name)
        if isinstance(values, list) and len(values) >= len(kinds):
            del found[name]
            for kind in names:
                own[kind][key] = values[kinds.index(kind)]
    if not found.get("rope_parameters") and any(own.values()):
        found["rope_parameters"] = own
    shared = model.rope["full_attention"]
    bases = {kind: ["rope_theta"] for kind in names}
    return found, replace(model, rope=dict.fromkeys(names, shared), bases=bases)


def with_sum(top: Fields, model: ModelClass) -> tuple[Fields, ModelClass]:
    """Return the fields with a head as wide as the channels that turn and those that do not, and the part that does."""
    turned, others = (top.whole(name) for name in ("qk_rope_head_dim", "qk_nope_head_dim"))
    width = turned + others
    rope = {"": {**(model.rope[""] or {}), "partial_rotary_factor": turned / width}}
    found = replace(model, rope=rope, kept_parts={"": turned / width})
    return replace(top, defaults={**top.defaults, "head_dim": width}), found


def _nested(
    top: Fields,
    model: ModelClass,
    scaling: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
) -> dict[str, Fields | None]:
    kinds = list(model.rope)
    given = {kind: parameters.get(kind) for kind in kinds} if parameters else {}
    flat = bool(parameters) and not any(kind in (parameters or {}) for kind in kinds)
    if flat:
        if model.flat is None:
            refuse("rope_parameters", f"have an object for each kind of layer ({', '.join(kinds)})", parameters)
        told = f"counts for {', '.join(model.flat)} alone" if model.flat else "its values are lost"
        top.warn(f"rope_parameters is flat and {told}: this model has settings by kind of layer.")
    if scaling and not model.scaled:
        refuse("rope_scaling", f"be left out: this model reads rope_parameters by {', '.join(kinds)}", scaling)
    if model.refuses_base and top.says("rope_theta"):
        refuse("rope_theta", "be left out: this model has a base for each kind of layer", top.given["rope_theta"])
    found: dict[str, Fields | None] = {}
    for kind in kinds:
        one = given.get(kind)
        if one is not None and not isinstance(one, Mapping):
            refuse(f"rope_parameters.{kind}", "be an object or null", one)
        own = model.rope[kind]
        path = f"rope_parameters.{kind}."
        if one is None and parameters and not flat and not model.scaled:
            found[kind] = None
            continue
        if one is None and own is None:
            found[kind] = None
            continue
        settings = dict(one or {})
        if kind == COMPRESSED and (shared := scaling or (parameters if flat else None)):
            settings = {"attention_factor": 1.0} if shared.get("rope_type", shared.get("type")) == "yarn" else {}
            settings |= {key: value for key, value in shared.items() if key not in ELSEWHERE}
            path = "rope_scaling." if scaling else "rope_parameters."
        elif scaling and kind in model.scaled:
            settings = {"rope_type": "default", **settings, **scaling}  # so that `type` alone is lost, as it is there
            path = "rope_scaling."
        found[kind] = _settled(top, model, kind, settings, path)
    return found


def _settled(top: Fields, model: ModelClass, kind: str, given: Mapping[str, Any], path: str) -> Fields:
    """Return the settings with base and rotated fraction from where they stand, and original length likewise."""
    settings, places = dict(given), {}
    own = model.rope[kind] or {}
    for key, field in (("rope_theta", model.bases), ("partial_rotary_factor", model.parts)):
        names = field.get(kind, [])
        if key == "rope_theta" and not names and given and not kind:
            names = [key]  # a class with settings of its own reads the base of the top level once the file has some
        name = next((name for name in names if top.says(name)), None)
        if key not in settings and name is not None:
            settings[key], places[key] = top.value(name), name
        elif key in settings and name is not None and top.given[name] != settings[key]:
            top.warn(f"{name} at the top level is ignored: {path}{key} counts.")
    if "partial_rotary_factor" not in settings and model.rotary_dim and top.says("rotary_dim"):
        part = top.whole("rotary_dim") / top.whole("head_dim")
        settings["partial_rotary_factor"], places["partial_rotary_factor"] = part, "rotary_dim / head_dim"
    if "partial_rotary_factor" not in settings and kind in TURNS_ROPE_HEAD_DIM and top.says("qk_rope_head_dim"):
        part = top.whole("qk_rope_head_dim") / top.whole("head_dim")
        settings["partial_rotary_factor"], places["partial_rotary_factor"] = part, "qk_rope_head_dim / head_dim"
    theta = own.get("rope_theta", model.theta)
    if given and not kind and model.theta is not None:
        theta = model.theta  # a class with settings of its own has another base once the file has some
    defaults = {"rope_theta": theta}
    if not given:
        defaults |= own
    elif (fraction := _part(model, kind, settings, path)) is not None:
        defaults["partial_rotary_factor"] = fraction
    strange = sorted(key for key in settings if key not in KEYS and not isinstance(settings[key], Mapping))
    if strange:
        near = get_close_matches(strange[0][:100], sorted(KEYS), n=1, cutoff=0.8)
        hint = f" Did you mean {near[0]}?" if near else ""
        top.warn(f"{path}{strange[0]}"[:100] + f" is not understood, and ignored.{hint}")
    return Fields(settings, defaults, path, places, warnings=top.warnings)


def _part(model: ModelClass, kind: str, settings: Mapping[str, Any], path: str) -> float | None:
    """Return the rotated fraction that settings of the file get which have none; None for all channels."""
    if kind == COMPRESSED and not path.startswith("rope_parameters.compress"):
        return float((model.rope[kind] or {})["partial_rotary_factor"])
    part = model.part if path == "rope_scaling." and not kind else model.kept_parts.get(kind)
    plain = (settings.get("rope_type") or settings.get("type") or "default") == "default"
    return model.plain_parts.get(kind) if part is None and plain else part
