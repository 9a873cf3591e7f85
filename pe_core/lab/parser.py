"""A command line that speaks the language of its reader: `--language`, else that of LC_ALL, LC_MESSAGES or LANG."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from pe_core.translation import ENGLISH, LANGUAGES, Say, nearest, speaking
from pe_core.wrapping import wrapped

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
