"""What a change of base, factor or rule would do to a model, as lines of its configuration.

The lines are put into the configuration and the whole is inspected again, so what is drawn is what the lines do.
"""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pe_core.models.classes import CLASSES, ModelClass
from pe_core.models.inspection import inspected
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.reading import ConfigError, Json, at, parsed
from pe_core.models.turning.query_factor import BETA, ORIGINAL, obeys_beta
from pe_core.models.turning.rotation import ONLY_LONGROPE

RULES: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "linear": {},
    "dynamic": {},
    "yarn": {"beta_fast": 32.0, "beta_slow": 1.0},
    "llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "longrope": {},
    "proportional": {},
}
KEPT = ("mrope_section", "mrope_interleaved", BETA)  # settings of the rotation that belong to no rule
LENGTH, PART = "max_position_embeddings", "partial_rotary_factor"
LISTS = ("short_factor", "long_factor")
NEED_ORIGINAL = ("yarn", "llama3", "longrope")


@dataclass(frozen=True)
class WhatIf:
    """A changed configuration: the kind of layer that changes, how it turned, and what is found after the change.

    `lines` replace fields of the same name at the `level` of the configuration. The texts are `length` tokens long,
    `factor` times the `trained` length; `frequencies` of `after` are those of a text of that length.
    """

    kind: str
    level: str
    lines: Mapping[str, Any]
    trained: int
    length: int
    before: Rotation
    after: Rotation
    positions: Positions


def what_if(
    source: str | bytes | Mapping[str, Any],
    *,
    rule: str,
    factor: int,
    base: float | None = None,
    part: float | None = None,
    long_factors: Sequence[float] | None = None,
) -> WhatIf:
    """Return what the configuration would do with another rule, factor, base and rotated part of a head.

    Base and part stay as they are where they are None. `rule` is a key of `RULES`, `factor` how many times the
    original length a text has. The rule proportional (p-RoPE) has the part of the pairs that turn; others turn this
    part of the channels. `long_factors` are those of LongRoPE, one for each pair or one for all, and with them short
    texts keep their frequencies; where they are None, both lists are those of the file. Layers that see all tokens
    change, or the first ones that turn if there are none. Where the original length is not told, the claimed one counts
    as such. Raises `ConfigError` where the model turns nothing, where no field says how it turns, where it does not
    obey the rule or the part, and for LongRoPE without factors.
    """
    if rule not in RULES:
        raise ConfigError(f"rule must be one of {', '.join(RULES)}, got {rule}")
    whole = parsed(source)
    found = inspected(whole)
    group = _changed(found)
    before, model = group.rotation, CLASSES.get(found.model_type)
    if before is None or model is None:
        raise ConfigError("the configuration must have a field for the base to be changed, got a model without one")
    if rule == "yarn" and found.model_type in ONLY_LONGROPE:
        raise ConfigError(f"rule must be default or longrope: the class of a {found.model_type} reads yarn as longrope")
    trained = before.original_length or found.claimed_length
    if trained is None:
        raise ConfigError(f"{LENGTH} must be given for another length, got nothing")
    theta = before.base if base is None else float(base)
    settings: dict[str, Any] = {"rope_type": rule}
    if rule != "default":
        settings["factor"] = float(factor)
    given = at(whole, found.level)
    if rule in NEED_ORIGINAL or obeys_beta(model):
        settings[ORIGINAL] = trained
    settings |= RULES[rule]
    n_rotated = before.n_rotated if part is None else int(before.head_dim * part)
    if rule == "proportional":
        n_rotated = before.head_dim
    if rule == "longrope":
        settings |= _lists(given, model, group.kind, n_rotated // 2, long_factors)
    for tried in (None, before.n_rotated / before.head_dim) if part is None else (part,):
        more = {} if tried is None else {PART: tried}
        lines = _lines(given, model, group.kind, theta, {**settings, **more}, found)
        parts = model.parts.get("" if "" in model.parts else group.kind, [])
        lines |= {name: part for name in parts if name in given and part is not None}
        named = next((old for old, new in model.names.items() if new == LENGTH and old in given), LENGTH)
        lines[named] = trained if rule == "dynamic" else factor * trained
        if rule in NEED_ORIGINAL and (ORIGINAL in given or ORIGINAL in model.fields):
            lines[ORIGINAL] = trained  # that of the top level would replace the one inside
        changed = copy.deepcopy(whole)
        at(changed, found.level).update(copy.deepcopy(lines))
        after = inspected(changed)
        own = next((one.rotation for one in after.groups if one.kind == group.kind), None)
        if own is not None and (own.rule, own.base, own.n_rotated) == (rule, theta, n_rotated):
            return WhatIf(group.kind, found.level, lines, trained, factor * trained, before, own, after)
    what = "another rule and base" if part is None else f"{PART} {part:g} with this rule"
    raise ConfigError(f"the configuration must obey {what}, got a {found.model_type} that does not")


def _lists(
    given: Json, model: ModelClass, kind: str, n_pairs: int, long_factors: Sequence[float] | None
) -> dict[str, list[float]]:
    """Return the short and long factors of LongRoPE: those that are told, with short ones of 1, or the file's."""
    if long_factors is not None:
        told = [float(one) for one in long_factors]
        return {"short_factor": [1.0] * n_pairs, "long_factor": told * n_pairs if len(told) == 1 else told}
    own = _inner(given, model, kind)
    if not all(name in own for name in LISTS):
        raise ConfigError("long_factors must be given for the rule longrope, because the file has none, got nothing")
    return {name: own[name] for name in LISTS}


def _inner(given: Json, model: ModelClass, kind: str) -> Mapping[str, Any]:
    """Return the settings of the rotation that the file has for a kind of layer; empty where it has none."""
    parameters = given.get("rope_scaling") or given.get("rope_parameters") or {}
    inner = parameters.get(kind, parameters) if model.is_nested else parameters
    return inner if isinstance(inner, Mapping) else {}


def _changed(found: Positions) -> LayerGroup:
    """Return the layers that change: those that turn and see all tokens, or the first that turn."""
    turning = [group for group in found.groups if group.rotation is not None]
    if not turning:
        raise ConfigError("the model must turn pairs for another base, got one that turns nothing")
    near = ("sliding", "chunked")  # a file without layer_types may leave the window of such layers open
    far = [one for one in turning if one.window is None and one.chunk is None and not one.kind.startswith(near)]
    return (far or turning)[0]


def _lines(
    given: Json, model: ModelClass, kind: str, theta: float, settings: dict[str, Any], found: Positions
) -> dict[str, Any]:
    """Return the lines in the dialect of the file, and in that of transformers 4 where it has none."""
    own = kind if model.is_nested else ""
    names = model.bases.get(own, [])
    inner = _inner(given, model, kind) or model.rope[own] or {}
    settings = settings | {key: inner[key] for key in KEPT if key in inner}
    if not given.get("rope_parameters") and model.scaled == [own] and names:
        name = next((name for name in names if name in given), names[0])
        plain = settings == {"rope_type": "default"}
        return {name: theta, "rope_scaling": None if plain else settings}
    parameters = given.get("rope_parameters") or {}
    changed: dict[str, Any] = {"rope_theta": theta, **settings}
    lines: dict[str, Any] = {"rope_scaling": None} if given.get("rope_scaling") else {}
    lines |= {name: theta for name in names if name in given}
    if not model.is_nested:
        return {**lines, "rope_parameters": changed}
    others = {name: parameters.get(name, _as_it_is(name, model, found)) for name in model.rope if name != own}
    return {**lines, "rope_parameters": {**others, own: changed}}


def _as_it_is(kind: str, model: ModelClass, found: Positions) -> dict[str, Any] | None:
    """Return settings that leave another kind of layer as it is, where the file has none for it."""
    rotation = next((group.rotation for group in found.groups if group.kind == kind), None)
    if rotation is None:
        return None
    settings: dict[str, Any] = {**(model.rope[kind] or {}), "rope_type": rotation.rule, "rope_theta": rotation.base}
    if rotation.factor is not None and not math.isclose(rotation.factor, 1):
        settings["factor"] = rotation.factor
    return settings
