"""What the code says of an entry of a registry, and which of it the entry uses."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import CodeType, ModuleType
from typing import Any, TypeAlias

Maker: TypeAlias = Callable[..., Any]  # the function that an entry was registered with, or one that it uses


def with_links(text: str) -> str:
    """Return a text in which every arXiv identifier is a link in Markdown."""
    return re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def documents(maker: Maker, others: Iterable[Maker]) -> list[str]:
    """Return what the code says of what `maker` makes, in Markdown: its module, and its functions beside `others`."""
    here = [other for other in others if other.__module__ == maker.__module__]
    found = [inspect.getdoc(_module(maker)) or ""]
    if len(here) > 1:
        functions = [part for part in _named(maker) if inspect.isfunction(part) and inspect.getdoc(part)]
        found += [f"**{part.__name__}.** {inspect.getdoc(part)}" for part in functions]
    return [with_links(re.sub(r"\n(?=(Reference|Source)s?:)", "\n\n", text)) for text in found]


@cache
def parts(maker: Maker) -> tuple[Maker, ...]:
    """Return the functions and classes of its module that a maker comes to use, itself too if it has a name."""
    waiting = [maker] if maker.__name__.isidentifier() else list(_named(maker))
    found: list[Maker] = []
    while waiting:
        part = waiting.pop()
        if part not in found:
            found.append(part)
            waiting += _named(part)
    return tuple(sorted(found, key=lambda part: inspect.getsourcelines(part)[1]))


def _module(part: Maker) -> ModuleType:
    return sys.modules[part.__module__]


def _named(part: Maker) -> list[Maker]:
    """Return the functions and classes of its own module that a function, or a method of a class, names."""
    module = _module(part)
    functions = (
        [value for value in vars(part).values() if inspect.isfunction(value)] if inspect.isclass(part) else [part]
    )
    names = dict.fromkeys(name for function in functions for name in _names(function.__code__))
    values = [vars(module).get(name) for name in names]
    return [
        value
        for value in values
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    ]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _names(constant)
