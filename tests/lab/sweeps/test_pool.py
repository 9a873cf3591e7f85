"""The pool: every item once, in processes of one thread that end with the one who asked."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import psutil
import pytest

from pe_core.lab.sweeps.pool import cores, on_all_cores
from tests.lab.pooled import either, square
from tests.lab.running import until

ROOT = Path(__file__).parents[3]
STAYING = """
from pe_core.lab.sweeps.pool import on_all_cores
from tests.lab.pooled import stay
if __name__ == "__main__":
    list(on_all_cores(stay, [{path!r}]))
"""


def written(path):
    """The number in a file, waiting for it."""
    return int(until(lambda: path.exists() and path.read_text()))


def gone(pid):
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True


@pytest.fixture
def one_core(monkeypatch):
    """One process is enough, and takes a second to start."""
    monkeypatch.setattr("pe_core.lab.sweeps.pool.cores", lambda: 1)


def test_every_item_comes_once_from_a_process_with_one_thread_and_those_that_fail_or_die_are_told(one_core, tmp_path):
    path, found = tmp_path / "pid", []
    killer = Thread(target=lambda: os.kill(written(path), signal.SIGKILL))
    killer.start()
    with pytest.raises(ValueError, match=r"^2 of 5 runs failed, the first one 1: 1 is odd$"):
        found.extend(on_all_cores(either, [4, 1, 0, 2, path]))
    killer.join()
    assert sorted((item, value) for item, (value, _, _) in found) == [(0, 0), (2, 4), (4, 16)]
    [process] = {process for _, (_, process, _) in found}
    assert process != os.getpid()
    assert {threads for _, (_, _, threads) in found} == {1}


def test_nothing_to_do_starts_no_process(monkeypatch):
    monkeypatch.setattr("pe_core.lab.sweeps.pool.ProcessPoolExecutor", None)
    assert list(on_all_cores(square, [])) == []


def test_cores_are_those_that_it_may_use():
    everywhere = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(everywhere)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, everywhere)
    assert cores() == len(everywhere)


def test_whoever_stops_asking_ends_the_processes(one_core, tmp_path):
    path = tmp_path / "pid"
    asked = on_all_cores(either, [0, path])
    assert next(asked)[0] == 0
    pid = written(path)
    asked.close()
    assert gone(pid)


def test_they_end_with_a_process_that_is_killed(tmp_path):
    script, path = tmp_path / "script.py", tmp_path / "pid"
    script.write_text(STAYING.format(path=str(path)))
    process = subprocess.Popen([sys.executable, script], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    pid = written(path)
    process.kill()
    process.wait()
    assert gone(pid)
