"""Small pictures that move by themselves: marks on a sheet, with the values that they go through.

They are for a page with many of them, which a chart each would make slow. The browser draws the marks as they stand
here and computes nothing: between two values it goes in a straight line (`ui/moving.js`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

from pe_core.parameters import require

WIDTH, HEIGHT = 480, 200  # of the sheet, in units of its own
LEFT, RIGHT, TOP, BOTTOM = 24, 456, 20, 176  # of what is drawn over positions


@dataclass(frozen=True)
class Mark:
    """An element of SVG: its name, its look, what stays, what moves, and its words in English.

    `look` is a class of `ui/moving.css`. Each list of `moving` is gone through from its first value to its last while
    the picture plays; numbers are met in between, texts are not.
    """

    tag: str
    look: str
    fixed: Mapping[str, float | str] = field(default_factory=dict)
    moving: Mapping[str, Sequence[float]] = field(default_factory=dict)
    words: str = ""


@dataclass(frozen=True)
class MovingPicture:
    """A picture, how many seconds it moves, what its steps count and are called, its marks, and facts about it."""

    seconds: float
    counts: str
    steps: tuple[str, ...]
    marks: tuple[Mark, ...]
    facts: Mapping[str, float | str]

    @staticmethod
    def from_kept(found: Mapping[str, Any]) -> "MovingPicture":
        """Return what a file holds."""
        marks = tuple(Mark(**mark) for mark in found["marks"])
        return MovingPicture(**{**found, "steps": tuple(found["steps"]), "marks": marks})

    def kept(self) -> dict[str, Any]:
        """Return what stands in a file, with three decimals; what is empty of a mark is left out."""
        marks = [
            {name: value for name, value in vars(mark).items() if value or name in ("tag", "look")}
            for mark in self.marks
        ]
        return {**vars(self), "steps": list(self.steps), "marks": _rounded(marks), "facts": dict(self.facts)}


def _rounded(part: Any) -> Any:
    if isinstance(part, float):
        return round(part, 3)
    if isinstance(part, Mapping):
        return {name: _rounded(one) for name, one in part.items()}
    return [_rounded(one) for one in part] if isinstance(part, list | tuple) else part


def between(values: Iterable[float], ends: tuple[float, float], sheet: tuple[float, float]) -> list[float]:
    """Return where values stand on the sheet, if `ends` stand at the places `sheet`; the ends must differ."""
    (low, high), (first, last) = ends, sheet
    require(low != high, "ends", "differ", ends)
    return [first + (value - low) / (high - low) * (last - first) for value in values]


def drawn(x: Sequence[float], y: Sequence[float], look: str, colour: str = "") -> Mark:
    """Return a line through points that is drawn from the first to the last, a point at each step."""
    gone = list(accumulate((math.dist(*ends) for ends in pairwise(zip(x, y, strict=True))), initial=0.0))
    points = "L".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True))
    fixed: dict[str, float | str] = {"d": f"M{points}", "pathLength": 1, "stroke-dasharray": 1}
    if colour:
        fixed["stroke"] = colour
    return Mark("path", f"line {look}", fixed, {"stroke-dashoffset": [1 - one / gone[-1] for one in gone]})


def shown_from(mark: Mark, step: int, n_steps: int) -> Mark:
    """Return a mark that is not there before a step of so many."""
    return replace(mark, moving={**mark.moving, "opacity": [float(at >= step) for at in range(n_steps)]})


def words(text: str, x: float, y: float, look: str = "label") -> Mark:
    """Return words at a place."""
    return Mark("text", look, {"x": x, "y": y}, words=text)
