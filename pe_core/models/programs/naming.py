"""What readers of files of other programs share: fields by other names, and how the names are told."""

from collections.abc import Iterable, Mapping
from typing import TypeGuard

from pe_core.models.reading import Json

Told = tuple[str, ...]


def known_as(program: str) -> str:
    """Return the sentence on fields whose names are those of another program, and mean the same."""
    return f"The names are those of {program}: they are read by those of transformers."


def renamed(given: Json, names: Mapping[str, str]) -> Json:
    """Return the fields that `names` has, each by the name behind its own."""
    return {name: given[own] for own, name in names.items() if own in given}


def kept(given: Json, names: Iterable[str]) -> Json:
    """Return the fields of these names that are there."""
    return {name: given[name] for name in names if name in given}


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number above 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
