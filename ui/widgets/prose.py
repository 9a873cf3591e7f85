"""What pages say: texts from `content/<language>/<page>.md`, and the source of functions."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st

from pe_core.chapters.wording import formatted
from pe_core.figures.figure import Facts
from pe_core.files import until_changed
from pe_core.translation import CONTENT, ENGLISH
from pe_core.wrapping import joined, kept_together
from ui.language import words
from ui.language.words import _

_MARKDOWN = re.compile(r"([\\`*_\[\]<>$:~#|{}])")
_PLACEHOLDER = re.compile(r"\[\[([^\[\]:]+)(?::([^\[\]]+))?\]\]")


def sections(page: str, language: str = "") -> Mapping[str, str]:
    """Return the sections of a page's text by name, in the visitor's language if none is said; `## name` starts one.

    Raises `KeyError` on use of a section that is not there, and `FileNotFoundError` for a page without a text.
    """
    path = CONTENT / (language or words.language()) / f"{page}.md"
    if not path.exists():  # a translation that is not done yet
        path = CONTENT / ENGLISH / f"{page}.md"
    return _read(path)


@until_changed(256)
def _read(path: Path) -> Mapping[str, str]:
    """Return the sections of a file as it is since it has changed: who writes a text sees it with the next step."""
    return MappingProxyType(cut(path.read_text(encoding="utf-8")))


def cut(text: str) -> dict[str, str]:
    """Return the sections of a text by name; what stands before the first one is left out."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("## "):
            lines = found[line[3:].strip()] = []
        elif found:
            lines.append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return the text with every `[[name]]` replaced by the computed value of that name, in the visitor's language.

    `[[name:.2f]]` formats it as Python's `format` does, but as print has it, `[[name:number]]` as
    `pe_core.chapters.wording.number`, and `[[name:s]]` is a text that is the same in every language, as is one that
    stands in code. A name without a value stays. No line ends within a short equation, or between a number and what it
    counts in Chinese.
    """
    parts, at = [], 0
    for found in _PLACEHOLDER.finditer(text):
        name, spec = found.group(1), found.group(2) or ""
        value = found.group()
        if name in values:
            said = formatted(values[name], spec)
            is_code = text.count("`", 0, found.start()) % 2 == 1
            value = _(said) if isinstance(values[name], str) and not spec and not is_code else said
        parts += [text[at : found.start()], value]
        at = found.end()
    return kept_together(joined([*parts, text[at:]]))


NO_FACTS: Facts = MappingProxyType({})


class Text:
    """The text of a page in the visitor's language."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.sections = sections(page)

    def __call__(self, section: object, *facts: Facts) -> str:
        """Return a section, filled with facts, of which later ones go before; "" for the name "".

        A fact may be the name of the section. Raises `KeyError` for a section that is not there.
        """
        merged = {name: fact for some in facts for name, fact in some.items()}
        return fill(self.sections[str(section)], merged) if section else ""

    def paragraph(self, sections: Iterable[object], *facts: Facts) -> str:
        """Return several sections as one paragraph; an empty name is passed over."""
        return in_line(self(section, *facts) for section in sections if section)


def in_line(sentences: Iterable[str]) -> str:
    """Return sentences one behind another, with the spaces that their language has between them."""
    return joined(part for words in sentences for part in (words, " ")).rstrip()


def plain(text: str) -> str:
    """Return a text that a file may have given as Markdown that says it as it is."""
    return _MARKDOWN.sub(r"\\\1", text.replace("\n", " "))


def with_links(text: str) -> str:
    """Return a text in which every arXiv identifier is a link in Markdown."""
    return re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


_source = cache(inspect.getsource)


def show_source(*functions: Callable[..., Any]) -> None:
    """Draw a folded block with the source of each function that drew a picture, so that page and code cannot drift.

    What is folded is not there: the browser goes over every element of the page at each step of a slider.
    """
    names = [f"{function.__module__}.{function.__qualname__}" for function in functions]
    block = st.expander(_("Show code"), icon=":material/code:", key=f"source of {' '.join(names)}", on_change="rerun")
    if block.open:
        with block:
            for name, function in zip(names, functions, strict=True):
                st.caption(f"`{name}`")
                st.code(_source(function), language="python")
