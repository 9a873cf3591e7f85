"""Closer looks: the parts of a page of which the visitor opens one at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pe_core.parameters import Parameter
from ui.widgets.controls import control

Chosen = TypeVar("Chosen")  # what a page's controls say, as the page describes it


@dataclass(frozen=True)
class Look(Generic[Chosen]):
    """A part of a page: what draws it, and the functions to be shown."""

    draw: Callable[[Chosen, Mapping[str, str]], None]
    sources: tuple[Callable[..., Any], ...]


def choose_look(name: str, looks: Mapping[str, Look[Chosen]]) -> Look[Chosen]:
    """Draw the choice among the looks, the first one chosen, and return the look; a link restores it under `name`."""
    parameter = Parameter(name, "Closer look", next(iter(looks)), "", choices=tuple(looks))
    return looks[str(control(parameter))]
