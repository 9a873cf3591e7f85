"""The line that runs stand in: the first one is served, and after its turn it goes to the end."""

import time
from collections.abc import Iterator

from pe_core.lab.job import Job
from pe_core.lab.trainee import Trainee

TURN = 5.0  # seconds


class Line:
    """Runs that take turns; whoever touches it holds the lock of its `JobManager`."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []
        self._turn_began = time.monotonic()

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def place(self, job: Job) -> int | None:
        """Return how many stand before a run, None if it is not in the line."""
        return self._jobs.index(job) if job in self._jobs else None

    def join(self, job: Job) -> None:
        """Put a run at the end."""
        if not self._jobs:
            self._turn_began = time.monotonic()
        job.state = "queued"
        self._jobs.append(job)

    def leave(self, job: Job) -> None:
        """Take a run out, wherever it stands; nothing happens if it does not stand there."""
        if job not in self._jobs:
            return
        if job is self._jobs[0]:
            self._turn_began = time.monotonic()  # the next one has its turn whole
        self._jobs.remove(job)

    def next(self) -> tuple[Job, Trainee] | None:
        """Return the first run that has an idle encoding, and the one that has come least far."""
        now = time.monotonic()
        if len(self._jobs) > 1 and now - self._turn_began > TURN:
            self._jobs.append(self._jobs.pop(0))
            self._turn_began = now
        waiting = next((job for job in self._jobs if job.idle), None)
        return (waiting, waiting.take()) if waiting else None
