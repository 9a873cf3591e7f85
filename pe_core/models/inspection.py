"""What a published model does with positions, from its configuration alone: nothing is executed or fetched."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pe_core.encodings import sinusoidal
from pe_core.models import sentences
from pe_core.models.beside import Beside, parts_beside
from pe_core.models.classes import CLASSES
from pe_core.models.fields import Fields
from pe_core.models.guessing.alike import ALIKE
from pe_core.models.guessing.level import Level
from pe_core.models.guessing.levels import foreign, level_of
from pe_core.models.guessing.named import mechanism
from pe_core.models.guessing.programs import in_names_of_transformers
from pe_core.models.guessing.programs.hearing import NEIGHBOURS
from pe_core.models.kinds.built import LEVELS_OF
from pe_core.models.kinds.wholes import NOTHING_ELSE, WHOLES
from pe_core.models.one_level import READERS, read
from pe_core.models.positions import Positions, Rotation
from pe_core.models.reading import Json, at, parsed, shown
from pe_core.models.remarks import of_alike, of_whole
from pe_core.models.sentences import remote
from pe_core.models.turning.rotary import CANNOT_KNOW
from pe_core.models.unread import NO_RULE, OF_A_GUESS, OF_OWN_CODE, UNREAD, left_over
from pe_core.rope_scaling.dynamic_ntk import dynamic_ntk

CUT = "max_text_len"  # of Grounding DINO


def inspected(source: str | bytes | Mapping[str, Any]) -> Positions:
    """Return what the configuration of a model says about positions, as transformers 5.23 reads it.

    `source` is the text of a `config.json`, its UTF-8 bytes, or what it says as a mapping. Raises `ConfigError`, one
    sentence that names the field, the rule and the value, for what is broken, for what transformers refuses or fails
    to build, and for types of models that are not known here.
    """
    given = parsed(source)
    whole, translated = in_names_of_transformers(given)
    found = level_of(whole)
    positions = read(found.kind, found.path, found.given, sure=not found.told)
    if found.trained is not None:
        positions = positions.trained(found.trained)
    if (ntk := found.ntk) is not None:
        positions = _changed(positions, lambda own: _stretched(own, ntk))
    if (factor := found.dynamic) is not None:
        positions = _changed(positions, lambda own: _growing(own, factor, positions.claimed_length))
    kind = str(whole.get("model_type"))
    strange = not found.path and found.kind != kind and foreign(whole, kind) != ""  # its class has other parts
    parts = [*parts_beside(whole, found, filled_in=whole is given and not strange), *_around(whole, found)]
    guess = any("This is a guess" in line for line in found.told) and found.given.get("model_type") != found.kind
    known = not ALIKE.keys().isdisjoint((whole.get("model_type"), found.given.get("model_type")))
    if guess and positions.pairs is not None and not known:
        positions = replace(positions, pairs=None, unknown=(*positions.unknown, CANNOT_KNOW[1]))
    if NEIGHBOURS in translated:
        positions = replace(positions, pairs="neighbours")
    unknown = [one for one in positions.unknown if one != CANNOT_KNOW[0] or positions.filled]
    unread = OF_A_GUESS if guess else OF_OWN_CODE if "auto_map" in whole else UNREAD
    told = (
        *translated,
        *found.told,
        *(remote(whole) if found.path else ()),
        *of_whole(whole, found),
        *_dropped(whole, found),
        *of_alike(found),
        *positions.warnings,
        *(line for part in parts for line in part.warnings),
    )
    return replace(
        positions,
        parts=(*positions.parts, *(f"{part.clause}." for part in parts if part.clause)),
        warnings=tuple(dict.fromkeys(one.replace(UNREAD, unread) for one in told)),
        unknown=tuple(dict.fromkeys([*unknown, *(part.unknown for part in parts if part.unknown)])),
        cut=_cut(whole),
    )


def _cut(whole: Json) -> int | None:
    """Return behind how many tokens the whole cuts a text, None where it does not."""
    kind = whole.get("model_type")
    rows = WHOLES.get(kind) if isinstance(kind, str) else None
    return Fields(whole, rows.defaults, "").whole(CUT) if rows is not None and CUT in rows.defaults else None


def _around(whole: Json, found: Level) -> list[Beside]:
    """Return that more may be done with positions than is told, where the type of the whole is not known here."""
    kind = whole.get("model_type")
    guessed = any(line.startswith(f"{kind} is not known here") for line in found.told)
    levels = {} if guessed else LEVELS_OF
    if kind in (None, "", *CLASSES, *READERS, *levels, *ALIKE, *WHOLES, *NOTHING_ELSE.split()):
        return []
    return [Beside(unknown=f"what else the code of {shown(kind)} does with positions: its type is not known here")]


def _dropped(whole: Json, found: Level) -> list[str]:
    """Return a sentence on fields that speak of positions, and that a guess as another type has left out."""
    if not found.told or found.kind not in READERS:
        return []
    given = at(whole, found.path)
    read = [name for name, value in given.items() if isinstance(value, dict) or mechanism(given, name)]
    return left_over(given, [*found.given, *read], found.given.values(), found.kind)


def _stretched(own: Rotation, factor: float) -> Rotation:
    """Return the same by the rule `ntk` of GTE's own code, which counts at every length."""
    lower = sinusoidal.frequencies(own.n_rotated, own.base * factor) / factor ** (2 / own.n_rotated)
    return replace(own, rule=sentences.NTK, factor=factor, frequencies=lower)


def _growing(own: Rotation, factor: float, claimed: int | None) -> Rotation:
    """Return the same by dynamic NTK, which the code of some models has, and no field of transformers names."""
    trained = own.original_length
    if trained is None or claimed is None or own.rule != "default" or own.n_rotated < 4:
        return own
    longer = dynamic_ntk(own.plain, base=own.base, train_length=trained, scale=claimed / trained, factor=factor)
    return replace(own, rule="dynamic", factor=factor, beyond=longer.frequencies)


def _changed(positions: Positions, change: Callable[[Rotation], Rotation]) -> Positions:
    """Return the same with its rotations changed by a rule of the model's own code."""
    turned = [one.rotation and change(one.rotation) for one in positions.groups]
    groups = [replace(one, rotation=own) for one, own in zip(positions.groups, turned, strict=True)]
    told = sentences.summary(positions.model_type, positions.level, groups, positions.claimed_length, counted=True)
    warnings = [one for one in positions.warnings if NO_RULE not in one]
    return replace(positions, groups=tuple(groups), parts=(told,), warnings=tuple(warnings))
