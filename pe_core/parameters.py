"""The one way a value is described and checked, whether it comes from a widget, a link, a command line or a caller.

And what every entry of a registry has: a name, a sentence, a paper, and such parameters.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = int | float | str
Kind = TypeVar("Kind", bound=Value, covariant=True)

MAX_SHOWN = 40  # characters of a bad text that an error repeats: a link can hold half a megabyte
MAX_TOLD = 200  # of any other value


def require(condition: bool, name: str, rule: str, value: object) -> None:
    """Raise `ValueError("<name> must <rule>, got <value>")` unless the condition holds."""
    if not condition:
        raise ValueError(f"{name} must {rule}, got {cut(str(value), MAX_TOLD)}")


def cut(text: str, most: int = MAX_SHOWN) -> str:
    """Return a text, of one with more than so many characters its beginning and the words "and more"."""
    return text if len(text) <= most else f"{text[:most]} and more"


def failure(error: Exception) -> str:
    """Return the kind of an error and what it says, cut where it is long."""
    return f"{type(error).__name__}: {cut(str(error), MAX_TOLD)}"


def quoted(text: str) -> str:
    """Return a text in quotation marks, cut where it is long."""
    return repr(text) if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]!r} and more"


def tokens(share: float, train_length: int) -> int:
    """Return a share of the training length in whole tokens, at least 1."""
    return max(1, round(share * train_length))


@dataclass(frozen=True)
class Parameter(Generic[Kind]):
    """A named value with a default and the values it may take: either a stepped range or a list of choices.

    A range is given by `minimum`, `maximum` and `step`; its values count in steps from the minimum. The type of the
    default is the type of every value.
    """

    name: str
    label: str
    default: Kind
    help: str
    minimum: float | None = None
    maximum: float | None = None
    step: float = 1
    choices: tuple[Kind, ...] = ()

    @property
    def rule(self) -> str:
        """The rule in words, as it stands behind "must" in an error."""
        if self.choices:
            return "be one of " + ", ".join(str(choice) for choice in self.choices)
        kind = "whole number" if isinstance(self.default, int) else "number"
        steps = "" if self.step == 1 or not isinstance(self.default, int) else f" in steps of {self.step:g}"
        return f"be a {kind} from {_plain(self.minimum)} to {_plain(self.maximum)}{steps}"

    @property
    def n_values(self) -> int:
        """How many values are allowed; a range of numbers counts its steps."""
        if self.choices:
            return len(self.choices)
        assert self.minimum is not None
        assert self.maximum is not None
        return int((self.maximum - self.minimum) // self.step) + 1

    def check(self, value: object) -> None:
        """Raise `ValueError` naming the parameter, its rule and the value, unless the value is allowed."""
        require(self.allows(value), self.name, self.rule, value)

    def parse(self, text: str) -> Kind:
        """Return the checked value that a text from a link or a command line stands for; `ValueError` if none."""
        value: Kind | None = None
        if self.choices:
            value = next((choice for choice in self.choices if str(choice) == text), None)
        else:
            with suppress(ValueError, OverflowError):
                value = type(self.default)(text)
        require(value is not None and self.allows(value), self.name, self.rule, quoted(text))
        assert value is not None  # for the type checker: the line above has raised
        return value

    def allows(self, value: object) -> bool:
        """Return whether the value is allowed."""
        if self.choices:
            return any(value == choice and type(value) is type(choice) for choice in self.choices)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if isinstance(self.default, int) and not isinstance(value, int):
            return False
        assert self.minimum is not None
        assert self.maximum is not None
        in_range = self.minimum <= value <= self.maximum  # False for NaN too
        return in_range and (isinstance(self.default, float) or (value - self.minimum) % self.step == 0)


@dataclass(frozen=True)
class Paper:
    """Where an idea comes from; `arxiv` is None for what was never put there.

    `year` is that of the first version on arXiv, which is often a year before the conference; else of publication.
    """

    title: str
    authors: str
    year: int
    arxiv: str | None


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One idea of a registry: all that pages, lab, command line, tests and reference tables say of it."""

    key: str
    title: str
    summary: str
    paper: Paper | None = None  # None: folklore, older than any paper that could be named
    parameters: tuple[Parameter[Value], ...] = ()

    def values(self, params: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Return the value of every parameter: the given ones, checked, and the defaults of the rest.

        Raises `ValueError` for a parameter that does not exist or a value it does not allow.
        """
        values = {parameter.name: parameter.default for parameter in self.parameters}
        for name, value in (params or {}).items():
            require(name in values, f"parameter of {self.key}", f"be one of {', '.join(values) or '(none)'}", name)
            values[name] = value
        for parameter in self.parameters:
            parameter.check(values[parameter.name])
        return values


@dataclass(frozen=True)
class OptionalNumber(Generic[Kind]):
    """A number that may be left out, which is None: its field then shows the words of `empty`.

    It is from `minimum` to `maximum`, whole where `kind` is int. The name stands in the link.
    """

    name: str
    label: str
    help: str
    minimum: float
    maximum: float
    kind: type[Kind]
    empty: str
    default: Kind | None = None

    @property
    def parameter(self) -> Parameter[Kind]:
        """The number where it is told."""
        start = self.kind(self.minimum)
        return Parameter(self.name, self.label, start, self.help, self.minimum, self.maximum)

    def check(self, value: object) -> None:
        """Raise `ValueError` naming the parameter, its rule and the value, unless it is None or allowed."""
        if value is not None:
            self.parameter.check(value)


@dataclass(frozen=True)
class Choice:
    """One of several keys, each shown by its title. The name stands in the link."""

    name: str
    label: str
    titles: Mapping[str, str]
    default: str


@dataclass(frozen=True)
class Choices:
    """Some of several keys, each shown by its title, at most `maximum` of them. The name stands in the link.

    Where at least one is `needed`, those of the default stand in for none.
    """

    name: str
    label: str
    titles: Mapping[str, str]
    default: tuple[str, ...]
    needed: bool = True
    maximum: int | None = None


class Example(str):
    """A text that is the default as an example: another language may have one of its own in its place."""

    __slots__ = ()


@dataclass(frozen=True)
class Words(Parameter[str]):
    """A text that is typed. `checked` raises `ValueError`, with the rule in words, for one that is not allowed.

    `form` is the rule in short, as it stands behind "must".
    """

    checked: Callable[[str], object] = str
    form: str = "be a text"
    max_length: int = 200

    @property
    def rule(self) -> str:
        """The rule in short."""
        return self.form

    def check(self, value: object) -> None:
        """Raise `ValueError` unless the value is an allowed text."""
        require(isinstance(value, str), self.name, self.rule, value)
        self.checked(str(value))

    def parse(self, text: str) -> str:
        """Return the text; `ValueError` if it is not allowed."""
        self.check(text)
        return text


@dataclass(frozen=True)
class Order:
    """An order of words; in the link stands the word at each place, 2.0.1, or an order's number.

    `numbered` returns order `number` of n words, from 0 to `maximum`.
    """

    name: str
    label: str
    words: tuple[str, ...]
    default: tuple[int, ...]
    maximum: int
    numbered: Callable[[int, int], list[int]]

    def parse(self, text: str) -> tuple[int, ...]:
        """Return which word stands at each place; `ValueError` for a text that is no order of these words."""
        n = len(self.words)
        rule = f"be a whole number from 0 to {self.maximum}, or name each of 0 to {n - 1} once, with dots between them"
        parts = [int(part) for part in text[:MAX_SHOWN].split(".") if part.isdecimal()]
        allowed = ".".join(map(str, parts)) == text
        one = allowed and len(parts) == 1 and parts[0] <= self.maximum
        require(one or (allowed and sorted(parts) == list(range(n))), self.name, rule, quoted(text))
        return tuple(self.numbered(n, parts[0]) if one else parts)


def _plain(number: float | None) -> str:
    return f"{number:,.0f}" if number is not None and float(number).is_integer() else f"{number:g}"
