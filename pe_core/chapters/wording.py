"""Measured numbers as sentences quote them."""

import math
from collections.abc import Iterable, Mapping, Sequence

from pe_core.parameters import Paper
from pe_core.wrapping import spelt


def number(value: float) -> str:
    """Return a measured number for a sentence: whole and with commas from 1,000 on, else four digits."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return spelt(value, ",.0f" if abs(value) >= 1_000 else ".4g")


def rows(cells: Iterable[Iterable[object]]) -> str:
    """Return rows of a Markdown table."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in cells)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: "1 layer", "3 layers"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def listed(values: Mapping[str, object], spec: str = "", between: str = ", ") -> str:
    """Return named values in one line, each formatted like `[[name:spec]]` in a text: "name 3.2, name 4.1"."""
    return between.join(f"{name} {formatted(value, spec)}" for name, value in values.items())


def formatted(value: object, spec: str) -> str:
    """Return a value as a sentence quotes it; `spec` is "number" or one of Python's `format`."""
    if not isinstance(value, int | float):
        return format(value, spec)
    return number(value) if spec == "number" else spelt(value, spec)


def joined(names: Sequence[str]) -> str:
    """Return names for a sentence; "none" where there is no name."""
    return "; ".join(names) or "none"


def paper_facts(paper: Paper) -> dict[str, object]:
    """Return what a sentence on a source names: authors, year, paper, and a link where there is one."""
    link = f", [arXiv:{paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})" if paper.arxiv else ""
    return {"authors": paper.authors, "year": paper.year, "paper": paper.title, "link": link}
