"""Measured numbers as sentences quote them."""

from collections.abc import Iterable, Sequence


def number(value: float) -> str:
    """Return a measured number for a sentence: whole and with commas from 1,000 on, else four digits."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def rows(cells: Iterable[Iterable[object]]) -> str:
    """Return rows of a Markdown table."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in cells)


def joined(names: Sequence[str]) -> str:
    """Return names for a sentence; "none" where there is no name."""
    return "; ".join(names) or "none"
