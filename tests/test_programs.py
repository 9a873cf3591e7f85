"""The script that finds or installs the programs of the tests, with stand-ins for the package manager."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("programs.sh")
# What the script calls; of the programs that it looks for, /usr/sbin and PostgreSQL's folder may have some.
TOOLS = ("sh", "cat", "grep", "ls", "mktemp", "rm", "tail", "touch", "chmod")
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12 (apt-get)"
WAITS = "Another process is installing packages: waiting until it has ended."
UNKNOWN, BY_HAND = "E: Unable to locate package chromium", "apt-get install nodejs chromium"
INSTALLS = 'for name in node chromium envsubst nginx initdb; do touch "$BIN/$name"; chmod +x "$BIN/$name"; done'
HELD_ONCE = f'[ -e "$BIN/held" ] || {{ touch "$BIN/held"; echo "{LOCKED}"; exit 100; }}'


@pytest.mark.parametrize(
    ("apt_get", "status", "n_sleeps", "said"),
    [
        (f"{HELD_ONCE}\n{INSTALLS}", 0, 1, {WAITS: 1, LOCKED: 0}),
        (f'echo "{LOCKED}" >&2\nexit 100', 1, 180, {WAITS: 1, LOCKED: 1, BY_HAND: 1}),
        (f'echo "{UNKNOWN}"\nexit 100', 1, 0, {WAITS: 0, UNKNOWN: 1, BY_HAND: 1}),
        ("", 1, 0, {BY_HAND: 1, "brew install node chromium": 1, "make quick needs none of them": 1}),
    ],
    ids=["held by another process", "held for ever", "cannot be installed", "without a package manager"],
)
def test_programs_are_installed_or_what_is_missing_is_named(tmp_path, apt_get, status, n_sleeps, said):
    """With `TOOLS` alone on the path, an `apt-get` that does what is said, and a sleep of no time."""
    for tool in TOOLS:
        (tmp_path / tool).symlink_to(shutil.which(tool))
    lines = {"id": "echo 0", "sleep": 'echo slept >> "$BIN/sleeps"', **({"apt-get": apt_get} if apt_get else {})}
    for name, line in lines.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "sleeps").touch()
    environment = {"PATH": str(tmp_path), "BIN": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, len((tmp_path / "sleeps").read_text().splitlines())) == (status, n_sleeps)
    assert {words: done.stdout.count(words) for words in said} == said
