"""Pictures in the visitor's language, each translated once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pe_core.figures.figure import Figure
from pe_core.figures.looks.language import frame_in, has_chinese, spec_in
from pe_core.translation import Say, catalogue
from ui.language.words import language

Made = TypeVar("Made")

MAX_KEPT = 256  # specs and frames that are kept in other languages

_kept: dict[tuple[int, str], tuple[object, Any]] = {}


def spec_in_words(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a spec in the visitor's language; the same one for the same spec."""
    return _once(spec, spec_in)


def frame_in_words(frame: Made) -> Made:
    """Return a frame whose words are in the visitor's language; the same one for the same frame."""
    return _once(frame, frame_in)


def figure_in(language: str, figure: Figure) -> Figure:
    """Return a figure for a file in a language, in English where this machine has no font for it."""
    known = catalogue(language)
    if not known or not has_chinese():
        return figure
    frames = {name: frame_in(frame, known.say) for name, frame in figure.frames.items()}
    return replace(figure, spec=spec_in(figure.spec, known.say), frames=frames)


def _once(made: Made, translate: Callable[[Any, Say], Any]) -> Made:
    """Return what was translated before, or translate it; the object is held, so that no other gets its address."""
    known, key = catalogue(language()), (id(made), language())
    if not known:
        return made
    found = _kept.get(key)
    if found is None or found[0] is not made:
        while len(_kept) >= MAX_KEPT:
            _kept.pop(next(iter(_kept)), None)
        found = _kept[key] = made, translate(made, known.say)
    said: Made = found[1]
    return said
