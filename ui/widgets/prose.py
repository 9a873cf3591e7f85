"""The texts of the pages: `content/<language>/<page>.md`, cut into named sections."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pe_core.registry import Paper

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


def number(value: float) -> str:
    """Return a measured number for a sentence: whole and with commas from 1,000 on, else four digits."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def paper_facts(paper: Paper) -> dict[str, object]:
    """Return what a sentence on a source names: authors, year, paper, and a link where there is one."""
    link = f", [arXiv:{paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})" if paper.arxiv else ""
    return {"authors": paper.authors, "year": paper.year, "paper": paper.title, "link": link}


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return the text with every `[[name]]` replaced by the computed value of that name."""
    for name, value in values.items():
        text = text.replace(f"[[{name}]]", str(value))
    return text


def write(text: str, values: Mapping[str, object] | None = None) -> None:
    """Show Markdown, filled with the computed values."""
    st.markdown(fill(text, values or {}))
