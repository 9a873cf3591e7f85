"""What the code says of an entry of a registry."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from pe_core import standalone
from pe_core.registry import Entry
from ui.widgets.prose import Text

Maker: TypeAlias = Callable[..., Any]  # the function that an entry was registered with


def with_links(text: str) -> str:
    """Return a text in which every arXiv identifier is a link in Markdown."""
    return re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def documents(maker: Maker, key: str, others: Iterable[Maker]) -> list[str]:
    """Return what the code says of what `maker` makes for a key, in Markdown: its module, and its functions.

    A module of one entry alone, out of `others`, says all of it at its top.
    """
    here = [other for other in others if other.__module__ == maker.__module__]
    found = [inspect.getdoc(sys.modules[maker.__module__]) or ""]
    if len(here) > 1:
        used = [part for part in standalone.parts(maker, key) if part.__name__ in maker.__code__.co_names]
        functions = [part for part in used if inspect.isfunction(part) and inspect.getdoc(part)]
        found += [f"**{part.__name__}.** {inspect.getdoc(part)}" for part in functions]
    return [with_links(re.sub(r"\n(?=(Reference|Source)s?:)", "\n\n", text)) for text in found]


def source_of(entry: Entry, text: Text) -> str:
    """Return the paper of an entry in Markdown, linked where it is on arXiv."""
    if entry.paper is None:
        return text("folklore")
    paper = entry.paper
    named = f"{paper.authors} {paper.year}, “{paper.title}”"
    return with_links(f"{named}, arXiv:{paper.arxiv}") if paper.arxiv else named
