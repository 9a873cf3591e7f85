"""What the command lines of the lab share: options of parameters, a table as text, and files beside each other."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pe_core.files import check_writable, write_whole
from pe_core.lab.device import CPU
from pe_core.lab.experiment.settings import PAPER, PARAMETERS, SIZES, SMALL
from pe_core.lab.experiment.tasks import own_defaults
from pe_core.lab.storage.store import StoreError
from pe_core.parameters import Parameter, Words, require
from pe_core.translation import Say
from pe_core.wrapping import columns


def add_options(program: argparse.ArgumentParser, parameters: Iterable[Parameter]) -> None:
    """Add an option for each of these parameters, with its rule as help."""
    for parameter in parameters:
        default = "nothing" if parameter.default == "" else parameter.default
        text = f"{parameter.help} Must {parameter.rule} (default {default})."
        kind = "TEXT" if isinstance(parameter, Words) else "KEY" if isinstance(parameter.default, str) else "N"
        option = f"--{parameter.name.replace('_', '-')}"
        program.add_argument(option, default=str(parameter.default), metavar=kind, help=text)


def add_size(program: argparse.ArgumentParser) -> None:
    """Add the option that says how large runs may be."""
    largest = {name: one.choices[-1] if one.choices else one.maximum for name, one in SIZES[PAPER].items()}
    wider = ", ".join(
        f"--{name.replace('_', '-')} {largest[name]:,}"
        for name, one in PARAMETERS.items()
        if largest[name] not in (one.maximum, *one.choices)
    )
    text = f"{SMALL} has the limits of the page; {PAPER}, for a GPU, goes to {wider}"
    program.add_argument("--size", choices=list(SIZES), default=SMALL, help=text)


def add_device(program: argparse.ArgumentParser) -> None:
    """Add the option that says where to train."""
    text = "where to train: cpu, or another device that torch has, as cuda, cuda:1 or xpu (default cpu). It must have "
    text += (
        "float64, so not mps. Initial parameters and batches are the same on every device; losses differ by rounding."
    )
    program.add_argument("--device", default=CPU, metavar="DEVICE", help=text)


def parsed(program: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command that has `--task`; what is not given is as the task has it."""
    own = own_defaults(program.parse_args(arguments).task)
    program.set_defaults(**{name: str(value) for name, value in own.items()})
    return program.parse_args(arguments)


def status(work: Callable[[], None], say: Say, stopped: str = "stopped; nothing was written") -> int:
    """Do the work of a command and return its exit status: 0 done, 2 bad input, 130 interrupted.

    A failure is one line; `stopped` is what is said of an interruption. `say` says both in the reader's language.
    """
    try:
        work()
    except (ValueError, OSError, StoreError) as error:
        print(f"{say('error: ')}{say(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(say(stopped), file=sys.stderr)
        return 130
    return 0


def aligned(rows: Sequence[Mapping[str, str | float]], say: Say) -> str:
    """Return rows as text in columns, with a header; numbers have three decimals, and `say` says the words."""
    cells = [list(map(say, rows[0]))]
    cells += [[f"{one:.3f}" if isinstance(one, float) else say(str(one)) for one in row.values()] for row in rows]
    widths = [max(columns(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = ([" " * (width - columns(cell)) + cell for cell, width in zip(row, widths, strict=True)] for row in cells)
    return "\n".join(map("  ".join, lines))


def make_room(out: Path, suffixes: Iterable[str]) -> None:
    """Make the folder that `out` is in; raise before a run, and not after it, where its files could not be written."""
    require(out.name != "", "out", "name a file", repr(str(out)))
    out.parent.mkdir(parents=True, exist_ok=True)
    for suffix in suffixes:
        check_file(with_suffix(out, suffix))


def check_file(out: Path) -> None:
    """Raise `ValueError` before a run, and not after it, unless a file of this name can be made in its folder."""
    require(out.parent.is_dir(), "out", "lie in a folder that exists", out.parent)
    require(not out.is_dir(), "out", "name a file, not a folder", out)
    try:
        check_writable(out)
    except OSError as error:
        raise ValueError(f"out must lie in a folder that can be written, got {out.parent}: {error.strerror}") from None


def with_suffix(out: Path, suffix: str) -> Path:
    """Return the path with a suffix of its own: a dot in the name is part of the name."""
    return out.with_name(out.name + suffix)


def write(out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write the contents by their suffixes beside each other, each whole or not at all; return the paths."""
    paths = [with_suffix(out, suffix) for suffix in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_whole(path, content)
    return paths
