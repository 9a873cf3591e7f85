"""What every registry entry has: a name, a sentence, a paper, and parameters from which widgets and checks are made."""

from collections.abc import Mapping
from dataclasses import dataclass

from pe_core.parameters import Parameter, Value, require


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
