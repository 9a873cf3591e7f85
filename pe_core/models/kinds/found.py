"""What a reader of one kind of model returns, and how readers are put together from sentences with gaps.

A gap of a clause is a whole number of the file: "{max_len:,}" that of a field, "{max_len=512}" the same of a class with
this default, "{max_len or 0}" one that may be 0, and "{width * 2 // heads}" is computed, from left to right.

What takes more than that has a reader of its own, which bears the name of the type: `_levit` that of LeViT.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pe_core.models.fields import Fields, defaults_in
from pe_core.models.positions import LayerGroup, Layout, Mechanism

Clause = str | Callable[[Fields], str]


@dataclass(frozen=True)
class Found:
    """What one of these models does: in a clause that follows its name, and how long a text it claims to read."""

    mechanism: Mechanism
    clause: str
    length: int | None = None
    groups: tuple[LayerGroup, ...] = ()
    warnings: tuple[str, ...] = ()
    pairs: Layout | None = None

    def also(self, told: str) -> "Found":
        """Return the same with another clause behind its own; an empty one adds nothing."""
        return replace(self, clause=f"{self.clause}; {told}") if told else self


@dataclass(frozen=True)
class Other:
    """Defaults of one class, and what to make of its fields."""

    defaults: Mapping[str, Any]
    read: Callable[[Fields], Found]

    def also(self, *clauses: Clause, **defaults: object) -> "Other":
        """Return the same with further clauses behind its own, and with the defaults of their fields."""

        def read(top: Fields) -> Found:
            found = self.read(top)
            for clause in clauses:
                found = found.also(filled(clause, top))
            return found

        return Other({**self.defaults, **defaults_in(*clauses), **defaults}, read)

    def where(self, flag: str, default: bool, clause: str) -> "Other":
        """Return the same with a clause behind its own where a flag is true."""
        told = self.also(lambda top: clause.format_map(top) if top.flag(flag, default) else "")
        return Other({**told.defaults, flag: default, **defaults_in(clause)}, told.read)

    def unless(self, flag: str, default: bool, other: "Other") -> "Other":
        """Return the reader of a class that is read as this one where a flag is false, and as the other where true."""
        defaults = {**self.defaults, **other.defaults, flag: default}
        return Other(defaults, lambda top: (other if top.flag(flag, default) else self).read(top))


def says(mechanism: Mechanism, clause: Clause, length: str | None = None, /, **defaults: object) -> Other:
    """Return the reader of a class of which one clause tells all, and a field the length in tokens that it claims."""

    def read(top: Fields) -> Found:
        told = filled(clause, top)
        return Found(mechanism, told, None if length is None else top.whole_or_none(length))

    return Other({**defaults_in(clause), **defaults}, read)


def inside(told: Other, *names: str) -> Callable[[Fields], Found]:
    """Return the reader of a whole that reads the fields of an object inside it, at the end of these names."""

    def read(top: Fields) -> Found:
        for name in names:
            top = top.inside(name, told.defaults)
        return told.read(top)

    return read


def sentences(mechanism: Mechanism, clauses: Mapping[str, Clause], length: str | None = None) -> dict[str, Other]:
    """Return rows of types of which one clause tells all."""
    return {kinds: says(mechanism, clause, length) for kinds, clause in clauses.items()}


def filled(clause: Clause, top: Fields) -> str:
    """Return a clause with the numbers of its gaps; `ConfigError` where a field has none."""
    return clause.format_map(top) if isinstance(clause, str) else clause(top)


def by_type(*tables: Mapping[str, Other]) -> dict[str, Other]:
    """Return readers by type, from tables of which a row may be that of several types in one text."""
    return {kind: other for rows in tables for kinds, other in rows.items() for kind in kinds.split()}
