"""Handouts for visitors: one at a time for the whole server, each in a process of its own, and kept once it is made.

The frame that draws the scenes puts a runtime of its own in place of the server's, so it cannot be in the server's
process. What a visitor can ask for is bounded by the lectures of the project: each is made once.
"""

import atexit
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pe_core.translation import ENGLISH
from ui.frame.process import Once
from ui.lecture.scenes import ROOT, load

PATIENCE = 600.0  # seconds for a handout, after which it is given up
NICENESS = 10  # below the pages, which visitors wait for
_DONE = re.compile(r"page ([0-9]+) of [0-9]+")


Handout = tuple[str, str]  # the name of a lecture, and a language


@dataclass(frozen=True)
class Standing:
    """How far a handout is: its pages that are `done`, of how many, and its PDF once it is there."""

    state: Literal["none", "waiting", "made", "ready", "failed"]
    done: int
    pages: int
    content: bytes = b""

    @property
    def live(self) -> bool:
        """Whether it is being made, or waits for another one."""
        return self.state in ("waiting", "made")


def command(name: str, language: str, path: Path) -> Sequence[str]:
    """Return the command that writes the handout of a lecture of the project, in a language, to a file."""
    return [sys.executable, "-m", "ui.lecture.handout", name, "--language", language, "--out", str(path)]


class Printer:
    """Makes handouts with the given `command`, one at a time."""

    def __init__(self, command: Callable[[str, str, Path], Sequence[str]] = command) -> None:
        self._command = command
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._standings: dict[Handout, Standing] = {}
        self._process: subprocess.Popen[str] | None = None

    def standing(self, name: str, language: str = ENGLISH) -> Standing:
        """Return how far the handout of a lecture is in a language; `ValueError` for a name that is none."""
        with self._lock:
            if (name, language) in self._standings:
                return self._standings[name, language]
        return Standing("none", 0, len(load(name).scenes))

    def ask(self, name: str, language: str = ENGLISH) -> None:
        """Have the handout of a lecture made, unless it is there or on its way; `ValueError` for a name of none."""
        asked: Handout = name, language
        pages = len(load(name).scenes)
        with self._lock:
            before = self._standings.get(asked)
            if before and before.state != "failed":
                return
            self._standings[asked] = Standing("waiting", 0, pages)
        threading.Thread(target=self._make, args=(asked, pages), name=f"handout {name}", daemon=True).start()

    def close(self) -> None:
        """End what is being made."""
        if self._process:
            self._process.kill()

    def _note(self, asked: Handout, standing: Standing) -> None:
        with self._lock:
            self._standings[asked] = standing

    def _make(self, asked: Handout, pages: int) -> None:
        with self._turn:
            self._note(asked, Standing("made", 0, pages))
            try:
                content = self._print(asked, pages)
            except OSError:
                content = b""
            self._note(asked, Standing("ready" if content else "failed", pages if content else 0, pages, content))

    def _print(self, asked: Handout, pages: int) -> bytes:
        """Return the PDF, and nothing where the process fails or takes too long."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "handout.pdf"
            process = self._process = subprocess.Popen(
                self._command(*asked, path),
                cwd=ROOT,
                env={**os.environ, "PE_STORE": ""},  # the runs of the server are not its concern
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
            limit = threading.Timer(PATIENCE, process.kill)
            limit.daemon = True  # a server that ends does not wait for it
            limit.start()
            with process:
                for line in process.stdout or ():
                    if found := _DONE.match(line):
                        self._note(asked, Standing("made", min(int(found[1]), pages), pages))
            limit.cancel()
            return path.read_bytes() if process.returncode == 0 else b""


@Once
def printer() -> Printer:
    """Return the one printer of the process."""
    made = Printer()
    atexit.register(made.close)
    return made
