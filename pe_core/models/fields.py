"""Fields of one level of a configuration: what the file says, what the class fills in, and what is refused."""

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pe_core.models.reading import is_whole, refuse

MAX_LENGTH = 2**40
MAX_SIZE = 65_536  # of an image in pixels, and of what is as small
SMALL = frozenset(
    {
        "window_size",
        "kernel_size",
        "attention_head_dim",
        "pos_embed_max_size",
        "resolution",
        "pos_emb_height",
        "pos_emb_width",
    }
)
DEFAULT = re.compile(r"(\w+)=(\d+)")
SIGN = re.compile(r" (//|\*\*?|[+-]) ")
COMPUTED = {"//": operator.floordiv, "*": operator.mul, "**": operator.pow, "+": operator.add, "-": operator.sub}
MAX_NUMBER = 1e15  # beyond it, or beyond its inverse, frequencies would leave what a float can hold
RANGE = f"from {1 / MAX_NUMBER:g} to {MAX_NUMBER:g}"


def is_number(value: object) -> bool:
    """Return whether a value is a number whose size and inverse frequencies can be computed with; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 / MAX_NUMBER <= value <= MAX_NUMBER


def defaults_in(*clauses: object) -> dict[str, int]:
    """Return the defaults that gaps of clauses name, as `{max_len=512}` names one."""
    return {name: int(one) for told in clauses if isinstance(told, str) for name, one in DEFAULT.findall(told)}


@dataclass(frozen=True)
class Fields:
    """Reads fields of one object by name, and notes in `said` and `filled` where their values came from.

    `warnings` are sentences on what was read, which settings of one file share.

    `given` is what the file has, `defaults` what the class of the model has where the file is silent, `path` stands
    before a name in a message, unless `places` has the whole name. A `null` in the file is a value and not an absence.
    """

    given: Mapping[str, Any]
    defaults: Mapping[str, Any]
    path: str
    places: Mapping[str, str] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    filled: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def warn(self, told: str) -> None:
        """Note a sentence on what is likely a mistake, or a surprise."""
        self.warnings.append(told)

    def place(self, name: str) -> str:
        """Return the name of a field with the objects around it, as a message has it."""
        return self.places.get(name, self.path + name)

    def value(self, name: str, default: object = None) -> Any:
        """Return the value of the file, of the class, or the default of a field that the class has not."""
        if name in self.given:
            self.said[self.place(name)] = self.given[name]
            return self.given[name]
        if name not in self.defaults:
            return default
        if (filled := self.defaults[name]) is not None:
            self.filled[self.place(name)] = filled
        return filled

    def says(self, name: str) -> bool:
        """Return whether the file has the field, `null` included."""
        return name in self.given

    def whole(self, name: str, *, minimum: int = 1, maximum: int = MAX_LENGTH) -> int:
        """Return a whole number from the minimum to the maximum; `ConfigError` where there is none."""
        value = self.value(name)
        if not is_whole(value, minimum, maximum):
            refuse(self.place(name), f"be a whole number from {minimum} to {maximum:,}", value)
        return value

    def __getitem__(self, gap: str) -> int:
        """Return what a gap of a clause names, as `found.py` has it: a whole number, or what is computed of some."""
        first, *rest = SIGN.split(gap)
        value = self._term(first)
        for sign, term in zip(rest[::2], rest[1::2], strict=True):
            value = COMPUTED[sign](value, self._term(term))
        return value

    def _term(self, term: str) -> int:
        own, _, least = term.partition(" or ")
        name = own.partition("=")[0]
        maximum = MAX_SIZE if name in SMALL else MAX_LENGTH
        return int(name) if name.isdigit() else self.whole(name, minimum=int(least or 1), maximum=maximum)

    def whole_or_none(self, name: str, *, maximum: int = MAX_LENGTH) -> int | None:
        """Return a whole number, or None for `null` and for a field that neither the file nor the class has."""
        return None if self.value(name) is None else self.whole(name, maximum=maximum)

    def number(self, name: str, *, minimum: float | None = None) -> float:
        """Return a number of at least the minimum, or above 0 without one; `ConfigError` where there is none."""
        value = self.value(name)
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or not (value > 0 if minimum is None else value >= minimum):
            rule = "above 0" if minimum is None else f"of at least {minimum:g}"
            refuse(self.place(name), f"be a number {rule}", value)
        if not 1 / MAX_NUMBER <= value <= MAX_NUMBER:
            refuse(self.place(name), f"be {RANGE}", value)
        return float(value)

    def number_or_none(self, name: str) -> float | None:
        """Return a number above 0, or None for `null`, for 0, and for a field that is not there."""
        value = self.value(name)
        return None if value is None or (value == 0 and not isinstance(value, bool)) else self.number(name)

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false; `ConfigError` for anything else."""
        value = self.value(name, default)
        if not isinstance(value, bool):
            refuse(self.place(name), "be true or false", value)
        return value

    def text(self, name: str) -> str | None:
        """Return a text, or None for `null` and for a field that neither the file nor the class has."""
        value = self.value(name)
        if value is not None and not isinstance(value, str):
            refuse(self.place(name), "be a text or null", value)
        return value

    def object(self, name: str) -> Mapping[str, Any] | None:
        """Return an object, or None for `null`, for `{}` and for a field that is not there."""
        value = self.value(name)
        if value is not None and not isinstance(value, Mapping):
            refuse(self.place(name), "be an object or null", value)
        return value or None

    def inside(self, name: str, defaults: Mapping[str, Any]) -> "Fields":
        """Return the fields of an object, which its class has with these defaults; these alone where there is none."""
        return Fields(self.object(name) or {}, defaults, f"{self.place(name)}.")

    def numbers(self, name: str, count: int) -> list[float]:
        """Return a list of `count` finite numbers above 0."""
        value = self.value(name)
        if not isinstance(value, list):
            refuse(self.place(name), "be a list of numbers", value)
        if len(value) != count:
            refuse(self.place(name), f"have one number per pair ({count})", len(value))
        for one in value:
            if not is_number(one):
                refuse(self.place(name), f"have numbers {RANGE}", one)
        return [float(one) for one in value]
