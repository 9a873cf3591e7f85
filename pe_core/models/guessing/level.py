"""What is read of a file, and as which type."""

from dataclasses import dataclass, field

from pe_core.models.reading import Json


@dataclass(frozen=True)
class Level:
    """The settings of the text, their path, the type as which they are read, and what is told of this choice."""

    given: Json
    path: str
    kind: str
    told: tuple[str, ...] = field(default=())
    trained: int | None = None  # where a field of the model's own code tells
    ntk: float | None = None  # the factor of the rule of GTE's own code
    dynamic: float | None = None  # that of dynamic NTK in the model's own code, beyond the trained length


def like(kind: str, given: Json, why: str, *more: str) -> Level:
    """Return the reading of fields as another type; before its first sentence `guessed` says what is read so."""
    return Level(given, "", kind, (f"it is read as {kind}, because {why}. This is a guess.", *more))
