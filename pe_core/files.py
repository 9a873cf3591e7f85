"""Where the runs lie that come with the package, reading files once, and writing them so that none is ever half."""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

File = TypeVar("File", str, Path)
P = ParamSpec("P")
Read = TypeVar("Read")

KEPT_RUNS = Path(__file__).with_name("runs")  # of the lab, made by its command lines; installed with the package


def until_changed(
    n_kept: int,
) -> Callable[[Callable[Concatenate[File, P], Read]], Callable[Concatenate[File, P], Read]]:
    """Decorate what reads a file, its first argument: what it returns is kept until the file changes.

    Of so many files and other arguments it keeps the last ones. Raises `OSError` where there is no file.
    """

    def decorate(read: Callable[Concatenate[File, P], Read]) -> Callable[Concatenate[File, P], Read]:
        def at(file: File, changed: int, /, *args: P.args, **kwargs: P.kwargs) -> Read:
            return read(file, *args, **kwargs)

        kept = cast("Callable[Concatenate[File, int, P], Read]", lru_cache(n_kept)(at))

        @wraps(read)
        def current(file: File, /, *args: P.args, **kwargs: P.kwargs) -> Read:
            return kept(file, Path(file).stat().st_mtime_ns, *args, **kwargs)

        return current

    return decorate


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: what stood at `path` before stays until the new content is complete."""
    unfinished = _unfinished(path)
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise `OSError` unless `write_whole` could write a file at `path` now; nothing is left behind."""
    unfinished = _unfinished(path)
    was_there = unfinished.exists()  # left by a process that was killed, or another one is writing it
    unfinished.open("ab").close()  # asking for permissions would not do: the administrator has all of them everywhere
    if not was_there:
        unfinished.unlink()


def _unfinished(path: Path) -> Path:
    """Return where the content lies until it is complete."""
    return path.with_name(path.name + ".part")
