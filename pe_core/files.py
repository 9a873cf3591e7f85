"""Where the runs lie that come with the package, and writing files so that a crash leaves no half of one."""

from pathlib import Path

KEPT_RUNS = Path(__file__).with_name("runs")  # of the lab, made by its command lines; installed with the package


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
