"""What a change of base, factor or rule would do to a model, as lines of its configuration.

The lines are put into the configuration and the whole is inspected again, so what is drawn is what the lines do.
"""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pe_core.models.classes import CLASSES, ModelClass
from pe_core.models.inspection import inspected
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.reading import ConfigError, Json, parsed

RULES: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "linear": {},
    "dynamic": {},
    "yarn": {"beta_fast": 32.0, "beta_slow": 1.0},
    "llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
}
KEPT = ("mrope_section", "mrope_interleaved")  # settings of the rotation that belong to no rule
ORIGINAL, LENGTH = "original_max_position_embeddings", "max_position_embeddings"


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


def what_if(source: str | bytes | Mapping[str, Any], *, rule: str, factor: int, base: float | None = None) -> WhatIf:
    """Return what the configuration would do with another rule, factor and base; the base stays where it is None.

    `rule` is a key of `RULES`, `factor` how many times as long as in training a text is. Layers that see all tokens
    change, or the first ones that turn if there are none. Where the trained length is not told, the claimed one counts
    as such. Raises `ConfigError` where the model turns nothing, where no field says how it turns, and where it does
    not obey the rule.
    """
    if rule not in RULES:
        raise ConfigError(f"rule must be one of {', '.join(RULES)}, got {rule}")
    whole = parsed(source)
    found = inspected(whole)
    group = _changed(found)
    before, model = group.rotation, CLASSES.get(found.model_type)
    if before is None or model is None:
        raise ConfigError("the configuration must have a field for the base to be changed, got a model without one")
    trained = before.trained_length or found.claimed_length
    if trained is None:
        raise ConfigError(f"{LENGTH} must be given for another length, got nothing")
    theta = before.base if base is None else float(base)
    settings: dict[str, Any] = {"rope_type": rule}
    if rule != "default":
        settings["factor"] = float(factor)
    if rule in ("yarn", "llama3"):
        settings[ORIGINAL] = trained
    settings |= RULES[rule]
    given = _at(whole, found.level)
    for part in (None, before.n_rotated / before.head_dim):
        more = {} if part is None else {"partial_rotary_factor": part}
        lines = _lines(given, model, group.kind, theta, {**settings, **more}, found)
        lines[_length_name(given, model)] = trained if rule == "dynamic" else factor * trained
        changed = copy.deepcopy(whole)
        _at(changed, found.level).update(copy.deepcopy(lines))
        after = inspected(changed)
        own = next((one.rotation for one in after.groups if one.kind == group.kind), None)
        if own is not None and (own.rule, own.base, own.n_rotated) == (rule, theta, before.n_rotated):
            return WhatIf(group.kind, found.level, lines, trained, factor * trained, before, own, after)
    raise ConfigError(f"the configuration must obey another rule and base, got a {found.model_type} that does not")


def _changed(found: Positions) -> LayerGroup:
    """Return the layers that change: those that turn and see all tokens, or the first that turn."""
    turning = [group for group in found.groups if group.rotation is not None]
    if not turning:
        raise ConfigError("the model must turn pairs for another base, got one that turns nothing")
    return next((group for group in turning if group.window is None and group.chunk is None), turning[0])


def _at(whole: Json, level: str) -> Json:
    """Return the object of a configuration that has the settings of the text."""
    for name in filter(None, level.split(".")):
        whole = whole[name]
    return whole


def _length_name(given: Json, model: ModelClass) -> str:
    """Return the name that the file has for its length."""
    return next((old for old, new in model.names.items() if new == LENGTH and old in given), LENGTH)


def _lines(
    given: Json, model: ModelClass, kind: str, theta: float, settings: dict[str, Any], found: Positions
) -> dict[str, Any]:
    """Return the lines in the dialect of the file, and in that of transformers 4 where it has none."""
    own = kind if model.is_nested else ""
    names = model.bases.get(own, [])
    if not given.get("rope_parameters") and model.scaled == [own] and names:
        name = next((name for name in names if name in given), names[0])
        plain = settings == {"rope_type": "default"}
        return {name: theta, "rope_scaling": None if plain else settings}
    parameters = given.get("rope_parameters") or {}
    inner = parameters.get(own, {}) if model.is_nested else parameters
    kept = {key: inner[key] for key in KEPT if isinstance(inner, dict) and key in inner}
    changed: dict[str, Any] = {"rope_theta": theta, **settings, **kept}
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
