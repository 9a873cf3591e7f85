"""The tables of all registries: `python -m pe_core.reference` writes docs/catalogue.md and prints the README's."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from pe_core.encodings import ENCODINGS
from pe_core.files import write_whole
from pe_core.lab.experiment.tasks import TASKS
from pe_core.masks import MASKS
from pe_core.parameters import Entry
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS

PLACES = {"embed": "the embeddings", "rotate": "queries and keys", "bias": "the scores"}


CATALOGUE = Path(__file__).parents[1] / "docs" / "catalogue.md"  # in a checkout
HEAD = """# Catalogue

Made by `python -m pe_core.reference`. All of it can be looked at, with its formula and code, on the page Catalogue;
what can be measured of every encoding stands on the page Scorecard.
"""


def summary() -> str:
    """Return the titles of all entries as a Markdown table with a row for each family or registry."""
    families: dict[str, list[str]] = {}
    for spec in ENCODINGS.values():
        families.setdefault(f"Encodings, {spec.family}", []).append(spec.title)
    others: dict[str, Mapping[str, Entry]] = {
        "Rules for longer contexts": SCALINGS,
        "Masks": MASKS,
        "Index remaps": REMAPS,
        "Tasks of the lab": TASKS,
    }
    rows = {**families, **{name: [entry.title for entry in entries.values()] for name, entries in others.items()}}
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {'; '.join(titles)} |" for name, titles in rows.items())])


def tables() -> str:
    """Return every registry as a Markdown table under its heading."""
    places = {key: ", then ".join(PLACES[hook] for hook in spec.hooks) or "nowhere" for key, spec in ENCODINGS.items()}
    families = {key: spec.family for key, spec in ENCODINGS.items()}
    makers = {key: spec.make for key, spec in ENCODINGS.items()}
    parts = (
        _table("Encodings", ENCODINGS, makers, {"Family": families, "Position enters": places}),
        _table("Rules for longer contexts", SCALINGS, {key: spec.rule for key, spec in SCALINGS.items()}),
        _table("Masks", MASKS, {key: spec.make for key, spec in MASKS.items()}),
        _table("Index remaps", REMAPS, {key: spec.make for key, spec in REMAPS.items()}),
        _table("Tasks of the lab", TASKS, {key: task.make for key, task in TASKS.items()}),
    )
    return "\n\n".join(parts)


def _table(
    heading: str,
    entries: Mapping[str, Entry],
    makers: Mapping[str, Callable[..., Any]],
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    columns = more or {}
    lines = [f"## {heading}", "", _line(["Name", "Key", *columns, "Parameters", "Module", "Paper"])]
    lines.append("|" + "---|" * (5 + len(columns)))
    for key, entry in entries.items():
        own = [column[key] for column in columns.values()]
        named = ", ".join(f"`{parameter.name}`" for parameter in entry.parameters) or "none"
        lines.append(_line([entry.title, f"`{key}`", *own, named, _module(makers[key].__module__), _paper(entry)]))
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _module(name: str) -> str:
    path = import_module(name).__file__ or ""
    place = "/".join(Path(path).parts[-1 - name.count(".") - path.endswith("__init__.py") :])
    return f"[`{name.removeprefix('pe_core.')}`](../{place})"  # from docs/


def _paper(entry: Entry) -> str:
    if entry.paper is None:
        return "folklore"
    words = f"{entry.paper.authors} {entry.paper.year}"
    return f"[{words}](https://arxiv.org/abs/{entry.paper.arxiv})" if entry.paper.arxiv else words


if __name__ == "__main__":
    write_whole(CATALOGUE, f"{HEAD}\n{tables()}\n".encode())
    print(summary())
