"""The course: the chapters in the order in which they teach, and a short path through them.

Nothing here is computed, and nothing heavy is imported: the navigation shows the numbers before anything else is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Chapter:
    """A chapter of the course: its page, how many minutes it takes, and the pages to know `before` it.

    `ticks` are the keys of the requirements that it ticks off: those that the `encoding` of the chapter meets, or that
    the chapter is about where it has no encoding of its own. `unjudged` are those for which the encoding has no number.
    """

    page: str
    minutes: int
    before: tuple[str, ...] = ()
    encoding: str = ""
    ticks: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stop:
    """A stop of the short path: what it is about, its pages, and how many minutes it takes in all."""

    title: str
    pages: tuple[str, ...]
    minutes: int


COURSE: Mapping[str, Chapter] = {
    chapter.page: chapter
    for chapter in (
        Chapter("why_position", 5),
        Chapter("requirements", 6, ("why_position",)),
        Chapter("counting", 6, ("requirements",), "integer", ("own", "near", "order", "cheap")),
        Chapter("binary_vs_sinusoid", 7, ("counting",), "binary", ("own", "bounded", "order", "cheap")),
        Chapter(
            "sinusoidal",
            12,
            ("binary_vs_sinusoid",),
            "sinusoidal",
            ("own", "bounded", "offset", "near", "order", "cheap"),
        ),
        Chapter("learned", 6, ("sinusoidal",), "learned", ("own", "order"), ("bounded",)),
        Chapter("rope", 12, ("sinusoidal",), "rope", ("own", "bounded", "offset", "near", "order", "cheap")),
        Chapter("biases", 10, ("requirements",), "alibi", ("own", "offset", "near", "order", "longer", "cheap")),
        Chapter("windows", 8, ("biases",), ticks=("longer",)),
        Chapter("extension", 10, ("rope", "windows"), ticks=("longer",)),
        Chapter("images", 8, ("rope",), ticks=("offset", "near")),
        Chapter("gallery", 8, ("biases", "extension"), ticks=("longer",)),
    )
}
LAST = "selftest"  # the page to go to after the last chapter
SHORT = (
    Stop("The length cliff", ("home",), 3),
    Stop("Why position", ("why_position",), 4),
    Stop("Requirements", ("requirements",), 4),
    Stop("Counting and bits", ("counting", "binary_vs_sinusoid"), 8),
    Stop("Sinusoidal", ("sinusoidal",), 8),
    Stop("RoPE", ("rope",), 9),
    Stop("ALiBi and windows", ("biases", "windows"), 5),
    Stop("The cliff again", ("home",), 4),
)


def number(page: str) -> int | None:
    """Return the number of a chapter, from 1; None for a page that is no chapter."""
    return list(COURSE).index(page) + 1 if page in COURSE else None


def following(page: str) -> str:
    """Return the page to go to after a chapter; `ValueError` where it is no chapter."""
    row = [*COURSE, LAST]
    return row[row.index(page) + 1]
