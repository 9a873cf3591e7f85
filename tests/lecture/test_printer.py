"""Handouts for visitors: made once, one at a time, with what is known of their pages on the way."""

import sys
import threading
import time

import pytest

from ui.lecture.printer import Printer
from ui.lecture.scenes import load

# Says one page, waits for a file of the test's, and writes the name of the lecture; counts how many do so at once.
CHILD = """
import sys, time, pathlib
name, out, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
(folder / f"begun {name} {time.time_ns()}").touch()
print("page 1 of 9", flush=True)
while not (folder / f"go {name}").exists():
    time.sleep(0.01)
if (folder / f"fail {name}").exists():
    sys.exit(2)
out.write_text(name)
"""


@pytest.fixture
def printer(tmp_path):
    made = Printer(lambda name, language, path: [sys.executable, "-S", "-c", CHILD, name, str(path), str(tmp_path)])
    yield made
    made.close()
    for thread in threading.enumerate():
        if thread.name.startswith("handout "):
            thread.join(10)


def begun(folder):
    return [path.name.split()[1] for path in sorted(folder.glob("begun *"), key=lambda path: path.name.split()[2])]


def until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_handouts_are_made_once_and_one_after_the_other(printer, tmp_path):
    assert printer.standing("10").state == "none"
    printer.ask("10")
    until(lambda: printer.standing("10").done == 1)
    assert printer.standing("10").pages == len(load("10").scenes)
    printer.ask("45")
    printer.ask("10")
    time.sleep(0.1)
    assert printer.standing("45").state == "waiting"
    assert begun(tmp_path) == ["10"]
    (tmp_path / "go 10").touch()
    (tmp_path / "go 45").touch()
    until(lambda: printer.standing("45").state == "ready")
    assert [printer.standing(name).content for name in ("10", "45")] == [b"10", b"45"]
    printer.ask("10")
    assert printer.standing("10").state == "ready"
    assert begun(tmp_path) == ["10", "45"]


def test_one_that_fails_is_said_and_may_be_asked_for_again(printer, tmp_path):
    for name in ("fail 10", "go 10"):
        (tmp_path / name).touch()
    printer.ask("10")
    until(lambda: printer.standing("10").state == "failed")
    (tmp_path / "fail 10").unlink()
    printer.ask("10")
    until(lambda: printer.standing("10").state == "ready")


def test_only_lectures_of_the_project_are_made(printer):
    with pytest.raises(ValueError, match=r"the lecture must be one of 10, 45, 90"):
        printer.ask("own")
