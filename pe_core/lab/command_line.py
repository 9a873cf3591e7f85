"""What the command lines of the lab share: options of parameters, a table as text, and files beside each other."""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pe_core.files import write_whole
from pe_core.lab.settings import PARAMETERS
from pe_core.parameters import require


def add_options(program: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Add an option for each of these parameters of a run, with its rule as help."""
    for name in names:
        parameter = PARAMETERS[name]
        text = f"{parameter.help} Must {parameter.rule} (default {parameter.default})."
        kind = "KEY" if isinstance(parameter.default, str) else "N"
        program.add_argument(f"--{name.replace('_', '-')}", default=str(parameter.default), metavar=kind, help=text)


def aligned(rows: Sequence[Mapping[str, str | float]]) -> str:
    """Return rows that have the same columns as text in columns, with a header; numbers have three decimals."""
    cells = [list(rows[0])]
    cells += [[f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def make_room(out: Path, suffixes: Iterable[str]) -> None:
    """Make the folder that `out` is in; raise before a run, and not after it, where its files could not be written."""
    require(out.name != "", "out", "name a file", repr(str(out)))
    out.parent.mkdir(parents=True, exist_ok=True)
    for suffix in suffixes:
        path = with_suffix(out, suffix)
        require(not path.is_dir(), "out", "name files, not folders", path)
    require(os.access(out.parent, os.W_OK), "out", "lie in a folder that can be written", out.parent)


def with_suffix(out: Path, suffix: str) -> Path:
    """Return the path with a suffix of its own: a dot in the name is part of the name."""
    return out.with_name(out.name + suffix)


def write(out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write the contents by their suffixes beside each other, each whole or not at all; return the paths."""
    paths = [with_suffix(out, suffix) for suffix in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_whole(path, content)
    return paths
