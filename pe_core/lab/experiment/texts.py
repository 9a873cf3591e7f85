"""The built-in texts: what PyTorch says of itself in English, and a part of its program, without what is repeated.

PyTorch is needed anyway and pinned to one version, whose Python files are the same on every Python, system and
processor. So a result belongs to a text and not to an interpreter, as it would with a text of the standard library.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from pe_core.parameters import Entry

MAX_TOPIC = 8_192  # characters after which a file goes on with the next topic
SHARED = 64  # characters in a row that must not stand in two paragraphs: a window of the default training length

Paragraphs = Callable[[str], Iterator[str]]


@dataclass(frozen=True, kw_only=True)
class Text(Entry):
    """A text of the registry: the folders of PyTorch that it is read from, and what is taken from each of their files.

    A topic is a file, and of a long file a part of it.
    """

    folders: tuple[str, ...]
    paragraphs: Paragraphs


def paragraphs_of(source: str) -> Iterator[str]:
    """Yield what stands between empty lines, indented as it is."""
    return (part.rstrip() for part in re.split(r"\n\s*\n", source.strip("\n")) if part.strip())


def documentation(source: str) -> Iterator[str]:
    """Yield the paragraphs of all documentation strings of a Python file but headings and examples to run."""
    for found in re.findall(r'"""(.*?)"""', source, re.DOTALL):
        paragraphs = paragraphs_of(inspect.cleandoc(found))
        yield from (part for part in paragraphs if len(part) >= SHARED and ">>>" not in part)


def unrepeated(files: Iterable[Iterable[str]]) -> list[str]:
    """Return the topics of files of paragraphs, each paragraph with an empty line after it, without repetition.

    A paragraph is left out if `SHARED` characters in a row of it, with the end of what was kept before it and the empty
    line after it, have been kept already.
    """
    seen: set[str] = set()
    found, end = [], ""
    for file in files:
        topic = ""
        for paragraph in file:
            here = f"{end}{paragraph}\n\n"
            places = range(len(here) - SHARED + 1)
            if any(here[place : place + SHARED] in seen for place in places[::16]):
                continue  # most of what is repeated is found by one look in sixteen, which is faster
            stretches = {here[place : place + SHARED] for place in places}
            if seen.isdisjoint(stretches):
                seen |= stretches
                end = here[1 - SHARED :]
                topic += f"{paragraph}\n\n"
                if len(topic) >= MAX_TOPIC:
                    found.append(topic)
                    topic = ""
        if topic:
            found.append(topic)
    return found


@cache
def topics(key: str) -> tuple[str, ...]:
    """Return the topics of a built-in text in the order of its folders and of the names in them; read once."""
    text, package = TEXTS[key], Path(torch.__file__).parent
    files = [
        path
        for folder in text.folders
        for path in sorted((package / folder).rglob("*.py"), key=lambda path: path.relative_to(package).as_posix())
    ]
    return tuple(unrepeated(text.paragraphs(path.read_text(encoding="utf-8")) for path in files))


TEXTS: dict[str, Text] = {
    text.key: text
    for text in (
        Text(
            key="built-in",
            title="PyTorch documentation",
            summary="English: the longer paragraphs of the documentation strings of torch.nn, torch.optim, "
            "torch.distributions and torch.autograd, without examples to run.",
            paper=None,
            folders=("nn", "optim", "distributions", "autograd"),
            paragraphs=documentation,
        ),
        Text(
            key="program",
            title="PyTorch program",
            summary="Python: the source of torch.jit, torch.package and torch.profiler.",
            paper=None,
            folders=("jit", "package", "profiler"),
            paragraphs=paragraphs_of,
        ),
    )
}
