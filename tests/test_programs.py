"""The script that finds or installs the programs of the tests, with stand-ins for the package manager."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("programs.sh")
# What the script calls; of the programs that it looks for, /usr/sbin and PostgreSQL's folder may have some.
TOOLS = ("sh", "cat", "grep", "ls", "mktemp", "rm", "tail", "touch", "chmod")
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12 (apt-get)"
INSTALLS = 'for name in node chromium envsubst nginx initdb; do touch "$BIN/$name"; chmod +x "$BIN/$name"; done'


@pytest.fixture
def run(tmp_path):
    """Runs the script with `TOOLS` alone on the path, an `apt-get` that does what is said, and a sleep of no time."""

    def program(name, lines):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)

    def run(apt_get):
        for tool in TOOLS:
            (tmp_path / tool).symlink_to(shutil.which(tool))
        program("id", "echo 0")
        program("sleep", 'echo slept >> "$BIN/sleeps"')
        if apt_get:
            program("apt-get", apt_get)
        environment = {"PATH": str(tmp_path), "BIN": str(tmp_path), "TMPDIR": str(tmp_path)}
        done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=False)
        sleeps = tmp_path / "sleeps"
        return done.returncode, done.stdout, len(sleeps.read_text().splitlines()) if sleeps.exists() else 0

    return run


def test_it_waits_while_another_process_installs(run):
    held = f'[ -e "$BIN/held" ] || {{ touch "$BIN/held"; echo "{LOCKED}"; exit 100; }}'
    status, said, n_sleeps = run(f"{held}\n{INSTALLS}")
    assert (status, n_sleeps) == (0, 1)
    assert "Another process is installing packages: waiting until it has ended." in said
    assert LOCKED not in said


def test_a_lock_that_is_never_given_back_is_named_in_the_end(run):
    status, said, n_sleeps = run(f'echo "{LOCKED}" >&2\nexit 100')
    assert (status, n_sleeps) == (1, 180)
    assert said.count(LOCKED) == said.count("Another process") == 1


def test_what_cannot_be_installed_is_named_with_the_reason(run):
    status, said, n_sleeps = run('echo "E: Unable to locate package chromium"\nexit 100')
    assert (status, n_sleeps) == (1, 0)
    assert said.count("E: Unable to locate package chromium") == 1
    assert "apt-get install nodejs chromium" in said


def test_without_a_package_manager_it_says_what_is_missing_and_how_to_get_it(run):
    status, said, _ = run("")
    assert status == 1
    assert "apt-get install nodejs chromium" in said
    assert "brew install node chromium" in said
    assert "make quick needs none of them" in said
