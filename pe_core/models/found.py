"""What a reader of one kind of model returns, and the row that names the reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pe_core.models.fields import Fields
from pe_core.models.positions import LayerGroup, Layout, Mechanism


@dataclass(frozen=True)
class Found:
    """What one of these models does: in a clause that follows its name, and how long a text it claims to read."""

    mechanism: Mechanism
    clause: str
    length: int | None
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
