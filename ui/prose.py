"""The texts of the pages: `content/<language>/<page>.md`, cut into named sections."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

CONTENT = Path(__file__).parent.parent / "content"


def sections(page: str, language: str = "en") -> dict[str, str]:
    """Return the sections of a page's text by name; a line `## name` starts one.

    Raises `KeyError` on use of a section that is not there, and `FileNotFoundError` for a page without a text.
    """
    found: dict[str, list[str]] = {}
    for line in (CONTENT / language / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lines = found[line[3:].strip()] = []
        elif found:
            lines.append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def number(value: float) -> str:
    """Return a measured number for a sentence: whole and with commas from 1,000 on, else four digits."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return the text with every `[[name]]` replaced by the computed value of that name."""
    for name, value in values.items():
        text = text.replace(f"[[{name}]]", str(value))
    return text


def write(text: str, values: Mapping[str, object] | None = None) -> None:
    """Show Markdown, filled with the computed values."""
    st.markdown(fill(text, values or {}))
