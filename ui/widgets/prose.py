"""The texts of the pages: `content/<language>/<page>.md`, cut into named sections."""

import re
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pe_core.chapters.wording import formatted

_PLACEHOLDER = re.compile(r"\[\[([^\[\]:]+)(?::([^\[\]]+))?\]\]")
CONTENT = Path(__file__).parents[2] / "content"


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


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return the text with every `[[name]]` replaced by the computed value of that name.

    `[[name:.2f]]` formats it as Python's `format` does, `[[name:number]]` as `pe_core.chapters.wording.number`. A name
    without a value stays.
    """

    def worded(found: re.Match[str]) -> str:
        name, spec = found.group(1), found.group(2) or ""
        return formatted(values[name], spec) if name in values else found.group()

    return _PLACEHOLDER.sub(worded, text)


def write(text: str, values: Mapping[str, object] | None = None) -> None:
    """Show Markdown, filled with the computed values."""
    st.markdown(fill(text, values or {}))
