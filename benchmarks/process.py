"""What a server's process uses: which one it is, its processor time and memory, and when it has come to rest."""

import time

import psutil

AS_RUN = {"MALLOC_ARENA_MAX": "2"}  # the environment in which `make run` serves the app
MB = 2**20
REST = 1.5  # seconds with hardly any work after which a process has come to rest
WORK = 0.02  # seconds of the processor that are hardly any
LOOK = 0.1  # seconds between two looks whether it has


def server_pid(address: str) -> int:
    """Return the process that serves the address: the one whose command line names its port."""
    port = f"--server.port={address.rpartition(':')[2]}"
    for process in psutil.process_iter(["cmdline"]):
        if port in (process.info["cmdline"] or ()):
            return process.pid
    raise RuntimeError(f"no process serves {address}")


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    return psutil.Process(pid).memory_info().rss / MB


def cpu_seconds(pid: int) -> float:
    """Return the seconds of the processor that a process has used."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def children_seconds(pid: int) -> float:
    """Return the seconds of the processor that those have used which a process has started and which are there."""
    used = 0.0
    for child in psutil.Process(pid).children(recursive=True):
        try:
            used += cpu_seconds(child.pid)
        except psutil.NoSuchProcess:  # it has just ended
            continue
    return used


def rest(pid: int) -> None:
    """Wait until a process, with those that it has started, has hardly worked for some time."""
    used, since = -1.0, time.monotonic()
    while time.monotonic() - since < REST:
        now = cpu_seconds(pid) + children_seconds(pid)
        if not used <= now <= used + WORK:
            used, since = now, time.monotonic()
        time.sleep(LOOK)
