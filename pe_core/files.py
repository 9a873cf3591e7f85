"""Where the runs lie that come with the package, and writing files so that a crash leaves no half of one."""

from pathlib import Path

KEPT_RUNS = Path(__file__).with_name("runs")  # of the lab, made by its command lines; installed with the package


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: what stood at `path` before stays until the new content is complete."""
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
