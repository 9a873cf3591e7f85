"""What the command lines of the lab share: options of parameters, a table as text, and files beside each other.

The parser speaks the language of its reader: `--language`, else that of LC_ALL, LC_MESSAGES or LANG. An encoding may
come from a Python file of one's own, here alone: the app never runs Python of a visitor.
"""

import argparse
import logging
import os
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.encodings.own import FORM, is_own
from pe_core.files import check_writable, write_whole
from pe_core.lab.device import CPU
from pe_core.lab.experiment.settings import PAPER, SIZES, SMALL, RunConfig
from pe_core.lab.experiment.tasks import own_defaults
from pe_core.lab.storage.run_hash import FILES
from pe_core.lab.storage.store import StoreError
from pe_core.parameters import Parameter, Value, Words, failure, require
from pe_core.translation import ENGLISH, LANGUAGES, Say, nearest, speaking
from pe_core.wrapping import columns, wrapped

STORE = "sqlite:///runs/sweeps.sqlite"  # of commands that do not train again what is complete
GOES_ON = "stopped; what is complete is kept, and the same command goes on from there"


def add_options(program: argparse.ArgumentParser, parameters: Iterable[Parameter[Value]]) -> None:
    """Add an option for each of these parameters, with its rule as help."""
    for parameter in parameters:
        default = "nothing" if parameter.default == "" else parameter.default
        text = f"{parameter.help} Must {parameter.rule} (default {default})."
        kind = "TEXT" if isinstance(parameter, Words) else "KEY" if isinstance(parameter.default, str) else "N"
        option = f"--{parameter.name.replace('_', '-')}"
        program.add_argument(option, default=str(parameter.default), metavar=kind, help=text)


def add_encodings(program: argparse.ArgumentParser) -> None:
    """Add the option that says which encodings are trained."""
    text = f"of {', '.join(ENCODINGS)}, or {FORM}, as own:bias:-a*distance;a=0.5"
    program.add_argument("--encodings", nargs="+", metavar="KEY", default=list(RunConfig().encodings), help=text)


def add_size(program: argparse.ArgumentParser) -> None:
    """Add the option that says how large runs may be."""
    largest = {name: one.choices[-1] if one.choices else one.maximum for name, one in SIZES[PAPER].items()}
    wider = ", ".join(
        f"--{name.replace('_', '-')} {largest[name]:,}"
        for name, one in SIZES[SMALL].items()
        if largest[name] not in (one.maximum, *one.choices)
    )
    text = f"{SMALL} has the limits of the page; {PAPER}, for a GPU, goes to {wider}"
    program.add_argument("--size", choices=list(SIZES), default=SMALL, help=text)


def add_device(program: argparse.ArgumentParser) -> None:
    """Add the option that says where to train."""
    text = "where to train: cpu, or another device that torch has, as cuda, cuda:1 or xpu (default cpu). It must have "
    text += "float64, so not mps. Initial parameters and batches are the same on every device; losses differ, "
    text += "because each rounds in its own way."
    program.add_argument("--device", default=CPU, metavar="DEVICE", help=text)


def add_store(program: argparse.ArgumentParser) -> None:
    """Add the option that says where what is complete is kept."""
    text = f"a database of SQLite or PostgreSQL (default {STORE})"
    program.add_argument("--store", default=STORE, metavar="URL", help=text)


def parsed(program: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command that has `--task`; what is not given is as the task has it."""
    own = own_defaults(program.parse_args(arguments).task)
    program.set_defaults(**{name: str(value) for name, value in own.items()})
    return program.parse_args(arguments)


def status(
    work: Callable[[argparse.Namespace, Say], None],
    options: argparse.Namespace,
    stopped: str = "stopped; nothing was written",
) -> int:
    """Do the work of a command with its options, and return its exit status: 0 done, 2 bad input, 130 interrupted.

    A failure is one line; `stopped` is what is said of an interruption, all in the language that the options name.
    """
    say = speaking(options.language)
    logging.getLogger("pe_core").addHandler(logging.NullHandler())  # an error is one line, without its traceback
    try:
        work(options, say)
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
        check_file(Path(f"{out}{suffix}"))


def check_file(out: Path) -> None:
    """Raise `ValueError` before a run, and not after it, unless a file of this name can be made in its folder."""
    require(out.parent.is_dir(), "out", "lie in a folder that exists", out.parent)
    require(not out.is_dir(), "out", "name a file, not a folder", out)
    try:
        check_writable(out)
    except OSError as error:
        raise ValueError(f"out must lie in a folder that can be written, got {out.parent}: {error.strerror}") from None


def write(out: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write the contents by their suffixes beside each other, each whole or not at all; return the paths."""
    paths = {Path(f"{out}{suffix}"): content for suffix, content in contents.items()}  # a dot may be part of its name
    for path, content in paths.items():
        write_whole(path, content)
    return [*paths]


_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first one that is set counts, as POSIX has it


class Parser(argparse.ArgumentParser):
    """A parser of English texts whose help and errors are in the language that its arguments ask for."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog=prog, description=description, epilog=epilog)
        self._say: Say = str
        self.add_argument("--language", choices=list(LANGUAGES), default=of_environment(), help=_HELP)

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse the arguments, and say help and errors in the language that they ask for."""
        self._say = speaking(_asked(sys.argv[1:] if args is None else args))
        self.formatter_class = partial(_Formatter, say=self._say)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Print how the command is used and what is wrong, and leave with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {self._say('error: ')}{self._say(message)}\n")


_HELP = f"of what is printed, {' or '.join(LANGUAGES)} (default: that of LANG, else {ENGLISH})"


class _Formatter(argparse.HelpFormatter):
    """Help in another language, whose lines may end between two signs of a wide script."""

    def __init__(self, prog: str, say: Say) -> None:
        super().__init__(prog)
        self._say = say

    def add_usage(self, usage, actions, groups, prefix=None):  # type: ignore[no-untyped-def]
        """Add how the command is used."""
        super().add_usage(usage, actions, groups, self._say("usage: "))

    def start_section(self, heading: str | None) -> None:
        """Begin the section of a heading."""
        super().start_section(heading and self._say(heading))

    def add_text(self, text: str | None) -> None:
        """Add a paragraph."""
        super().add_text(text and self._say(text))

    def _expand_help(self, action: argparse.Action) -> str:
        return self._say(super()._expand_help(action))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in wrapped(text, width - len(indent)))


def of_environment() -> str:
    """Return the language of this process's locale, if it is one that the catalogue has; else English."""
    return nearest(next((said for name in _LOCALE if (said := os.environ.get(name))), ""))


def _asked(arguments: Sequence[str]) -> str:
    """Return the language that arguments ask for, before they are parsed: what is wrong with them is said in it too."""
    said = of_environment()
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--language":
            value = value or "".join(arguments[place + 1 : place + 2])
            said = value if value in LANGUAGES else said
    return said


@contextmanager
def beside_the_registry(path: Path | None) -> Iterator[None]:
    """Let the registry have the `SPEC` of a Python file for a while, an `EncodingSpec` as its own modules have one.

    The file is run, and the hash of a run with it depends on it. Raises `OSError` where there is no such file, and
    `ValueError` where it does not run, has no such `SPEC`, or where its key is taken.
    """
    if path is None:
        yield
        return
    source = path.read_bytes()
    try:
        spec = runpy.run_path(str(path), run_name=path.stem).get("SPEC")
    except Exception as error:
        raise ValueError(f"encoding_file must run without an error, got {failure(error)}") from error
    if not isinstance(spec, EncodingSpec):
        raise ValueError(f"encoding_file must have an EncodingSpec called SPEC, got {path}")
    taken = spec.key in ENCODINGS or is_own(spec.key)
    require(not taken, "encoding_file", "have a key that is not taken", spec.key)
    maker = spec.make.__module__
    rule = "make its encoding with its own function"
    require(maker == path.stem, "encoding_file", rule, f"a function of {maker}")
    FILES[maker], ENCODINGS[spec.key] = source, spec
    try:
        yield
    finally:
        del ENCODINGS[spec.key]
