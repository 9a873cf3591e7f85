"""Handouts for visitors: made once, one at a time, with what is known of their pages on the way."""

import sys
import threading

import pytest

from tests.waiting import PATIENCE, until
from ui.lecture.printer import Printer
from ui.lecture.scenes import load

# Says one page, waits for a file of the test's, and writes the name of the lecture; notes its beginning and its end.
CHILD = """
import sys, time, pathlib
name, out, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
def note(what):
    with (folder / "notes").open("a") as notes:
        print(what, name, file=notes)
note("begun")
print("page 1 of 9", flush=True)
while not (folder / f"go {name}").exists():
    time.sleep(0.01)
if (folder / f"fail {name}").exists():
    sys.exit(2)
out.write_text(name)
note("ended")
"""


@pytest.fixture
def printer(tmp_path):
    made = Printer(lambda name, language, path: [sys.executable, "-S", "-c", CHILD, name, str(path), str(tmp_path)])
    yield made
    made.close()
    for name in ("10", "45"):
        (tmp_path / f"go {name}").touch()
    for thread in threading.enumerate():
        if thread.name.startswith("handout "):
            thread.join(PATIENCE)
            assert not thread.is_alive()


def comes(printer, name, state):
    until(lambda: printer.standing(name).state == state, lambda: printer.standing(name))


class Turn:
    """A lock that counts who has come to it."""

    def __init__(self):
        self._lock, self.n_came = threading.Lock(), 0

    def __enter__(self):
        self.n_came += 1
        self._lock.acquire()

    def __exit__(self, *error):
        self._lock.release()


def test_handouts_are_made_once_and_one_after_the_other(printer, tmp_path):
    printer._turn = Turn()
    assert printer.standing("10").state == "none"
    printer.ask("10")
    until(lambda: printer.standing("10").done == 1, "the first page")
    assert printer.standing("10").pages == len(load("10").scenes)
    printer.ask("45")
    printer.ask("10")
    until(lambda: printer._turn.n_came == 2, "the second one comes")
    assert printer.standing("45").state == "waiting"
    assert (tmp_path / "notes").read_text().splitlines() == ["begun 10"]
    (tmp_path / "go 10").touch()
    (tmp_path / "go 45").touch()
    comes(printer, "45", "ready")
    assert [printer.standing(name).content for name in ("10", "45")] == [b"10", b"45"]
    printer.ask("10")
    assert printer.standing("10").state == "ready"
    in_order = ["begun 10", "ended 10", "begun 45", "ended 45"]
    assert (tmp_path / "notes").read_text().splitlines() == in_order


def test_one_that_fails_is_said_and_may_be_asked_for_again(printer, tmp_path):
    for name in ("fail 10", "go 10"):
        (tmp_path / name).touch()
    printer.ask("10")
    comes(printer, "10", "failed")
    (tmp_path / "fail 10").unlink()
    printer.ask("10")
    comes(printer, "10", "ready")


def test_only_lectures_of_the_project_are_made(printer):
    with pytest.raises(ValueError, match=r"the lecture must be one of 10, 45, 90"):
        printer.ask("own")
