"""What a server's process uses: which one it is, its processor time and its memory."""

import psutil

AS_RUN = {"MALLOC_ARENA_MAX": "2"}  # the environment in which `make run` serves the app
MB = 2**20


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
