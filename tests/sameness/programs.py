"""What the command line says: help, errors, and tiny runs with a fixed seed, files and all."""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.sameness.shown import Item
from tests.sameness.steady import plain, steady_file
from tests.sameness.walk import State

TINY = "--train-length 16 --d-model 16 --n-heads 1 --n-layers 1 --steps 50"
# Each in an empty folder of its own; the module, and its arguments.
COMMANDS = (
    ("pe_core.lab", "--help"),
    ("pe_core.lab", "sweep --help"),
    ("pe_core.lab.gallery", "--help"),
    ("pe_core.lab", "--no-such-option"),
    ("pe_core.lab", "--steps 51"),
    ("pe_core.lab", "--encodings rope nothing"),
    ("pe_core.lab", "--task nothing"),
    ("pe_core.lab", "--repairs nothing"),
    ("pe_core.lab", "--text missing.txt"),
    ("pe_core.lab", "sweep --seeds one"),
    ("pe_core.lab", "sweep --tasks nothing"),
    ("pe_core.lab.gallery", ""),
    ("pe_core.lab.gallery", "--out g.json --steps 51"),
    ("pe_core.lab", f"{TINY} --encodings rope alibi learned --repairs pi window --n-seeds 2 --out r/run"),
    ("pe_core.lab", f"{TINY} --encodings rope t5 --task copy --tune-steps 50 --repairs ntk --seed 3 --out r/run"),
    ("pe_core.lab", f"sweep {TINY} --encodings rope alibi --seeds 0 1 --store sqlite:///s.sqlite --out r/sweep"),
    ("pe_core.lab.gallery", "--out g.json --steps 50 --seeds 0 --encodings alibi"),
)
# What differs from run to run: pattern, replacement, reason.
UNSTEADY = [
    (r".*\r", "", "a bar of progress draws over itself"),
    (r"(?m)^.*\d+%\|.*$\n?", "", "the last line of a bar of progress: seconds and speed"),
]
COLUMNS = {"COLUMNS": "80", "LC_ALL": "C.UTF-8"}
TIMEOUT = 3_600  # seconds for a command, on a machine that may be stopped for other work


def programs(root: Path) -> list[State]:
    """Run all commands with the modules of the tree and return what each said, its exit status, and its files."""
    return [_ran(root, module, arguments) for module, arguments in COMMANDS]


def _ran(root: Path, module: str, arguments: str) -> State:
    name = f"python -m {module} {arguments}".strip()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", module, *shlex.split(arguments)]
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root), "HOME": folder, **COLUMNS}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        found = [
            Item("status", "", str(done.returncode)),
            Item("output", "", _steady(done.stdout)),
            Item("errors", "", _steady(done.stderr)),
        ]
        for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            found += _of_file(path, str(path.relative_to(folder)))
    return State(name, name, found)


def _of_file(path: Path, name: str) -> list[Item]:
    """A file as text, where it is one; of others that they are there."""
    if path.suffix in (".json", ".csv"):
        return [Item("file", name, steady_file(path.read_text(encoding="utf-8")))]
    return [Item("file", name, plain({"bytes": path.stat().st_size > 0}))]


def _steady(text: str) -> str:
    for pattern, instead, _ in UNSTEADY:
        text = re.sub(pattern, instead, text)
    return text
